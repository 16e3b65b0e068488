// Package wording has the words that every writer for people uses: names of
// machines and processors, sizes, speeds and shares.
package wording

import (
	"strconv"
	"strings"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// GiB writes bytes in GiB without the unit: "16", "0.5", "1.5".
func GiB(bytes int64) string {
	if bytes%gib == 0 {
		return strconv.FormatInt(bytes/gib, 10)
	}
	s := strconv.FormatFloat(float64(bytes)/gib, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Size writes bytes with the unit that reads best: "16 GiB", "512 MiB".
func Size(bytes int64) string {
	switch {
	case bytes >= gib:
		return GiB(bytes) + " GiB"
	case bytes >= mib:
		return strconv.FormatInt(bytes/mib, 10) + " MiB"
	default:
		return strconv.FormatInt(bytes/1024, 10) + " KiB"
	}
}

// Memory writes what a kernel counts, which is never round: "15.6 GiB".
func Memory(bytes int64) string {
	if bytes < 10*gib || bytes%gib == 0 {
		return Size(bytes)
	}
	return strconv.FormatFloat(float64(bytes)/gib, 'f', 1, 64) + " GiB"
}

// Bandwidth writes bytes per second in GB/s, as vendors do.
func Bandwidth(bytes int64) string {
	return strconv.FormatFloat(float64(bytes)/1e9, 'f', 1, 64) + " GB/s"
}

// Percent writes a share in hundredths, without the sign: "33".
func Percent(share float64) string {
	return strconv.FormatFloat(share*100, 'f', 0, 64)
}

// Count writes a number with its noun: "1 finding", "3 findings".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// Date turns SMBIOS's month/day/year into year-month-day; anything else
// stays as it is.
func Date(s string) string {
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

// Processor shortens a brand string to what people call the processor:
// "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz" is a Xeon X5670.
func Processor(brand string) string {
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

// And lists names: "A, B and C".
func And(names []string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}
