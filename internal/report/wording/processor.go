// Package wording has the words that every writer for people uses: names of
// machines and processors, speeds and shares.
package wording

import (
	"strconv"
	"strings"
)

// Percent writes a share in hundredths, without the sign: "33".
func Percent(share float64) string {
	return strconv.FormatFloat(share*100, 'f', 0, 64)
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
