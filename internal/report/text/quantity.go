package text

import (
	"strconv"
	"strings"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// gibs writes bytes in GiB without the unit: "16", "0.5", "1.5".
func gibs(bytes int64) string {
	if bytes%gib == 0 {
		return strconv.FormatInt(bytes/gib, 10)
	}
	s := strconv.FormatFloat(float64(bytes)/gib, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// size writes bytes with the unit that reads best: "16 GiB", "512 MiB".
func size(bytes int64) string {
	switch {
	case bytes >= gib:
		return gibs(bytes) + " GiB"
	case bytes >= mib:
		return strconv.FormatInt(bytes/mib, 10) + " MiB"
	default:
		return strconv.FormatInt(bytes/1024, 10) + " KiB"
	}
}

// memory writes what a kernel counts, which is never round: "15.6 GiB".
func memory(bytes int64) string {
	if bytes < 10*gib || bytes%gib == 0 {
		return size(bytes)
	}
	return strconv.FormatFloat(float64(bytes)/gib, 'f', 1, 64) + " GiB"
}

// bandwidth writes bytes per second in GB/s, as vendors do.
func bandwidth(bytes int64) string {
	return strconv.FormatFloat(float64(bytes)/1e9, 'f', 1, 64) + " GB/s"
}

// percent writes a share: "33 %".
func percent(share float64) string {
	return strconv.FormatFloat(share*100, 'f', 0, 64)
}

// count writes a number with its noun: "1 finding", "3 findings".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// isoDate turns SMBIOS's month/day/year into year-month-day; anything else
// stays as it is.
func isoDate(s string) string {
	p := strings.Split(s, "/")
	if len(p) != 3 || len(p[0]) != 2 || len(p[1]) != 2 || len(p[2]) != 4 {
		return s
	}
	for _, part := range p {
		if _, err := strconv.Atoi(part); err != nil {
			return s
		}
	}
	return p[2] + "-" + p[0] + "-" + p[1]
}

// processorName shortens a brand string to what people call the processor:
// "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz" is a Xeon X5670.
func processorName(brand string) string {
	brand, _, _ = strings.Cut(brand, "@")
	brand = strings.NewReplacer("(R)", " ", "(r)", " ", "(TM)", " ", "(tm)", " ").Replace(brand)
	kept := make([]string, 0, 4)
	for w := range strings.FieldsSeq(brand) {
		if !noiseWord(w) {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return strings.TrimSpace(brand)
	}
	return strings.Join(kept, " ")
}

func noiseWord(w string) bool {
	switch w {
	case "CPU", "Processor", "processor", "Intel", "AMD", "Genuine":
		return true
	default:
		return strings.HasSuffix(w, "-Core")
	}
}
