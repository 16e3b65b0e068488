// Package wording has the words that every writer for people uses: names of
// machines and processors, speeds and shares.
package wording

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Percent writes a share in hundredths, without the sign: "33".
func Percent(share float64) string {
	return strconv.FormatFloat(share*100, 'f', 0, 64)
}

// Date turns SMBIOS's month/day/year into year-month-day; anything else, also an invalid date, is returned unchanged.
func Date(s string) string {
	day, err := time.Parse("01/02/2006", s)
	if err != nil {
		return s
	}
	return day.Format(time.DateOnly)
}

// Processor shortens a brand string to the usual name of the processor: "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz" is a
// Xeon X5670. A string that names no product keeps its words; Intel's samples print "Genuine Intel(R) CPU 0000%@".
func Processor(brand string) string {
	if strings.Contains(brand, "Intel") && strings.Contains(brand, "0000%") {
		return "Intel engineering sample"
	}
	brand, _, _ = strings.Cut(brand, "@")
	brand = strings.NewReplacer("(R)", " ", "(r)", " ", "(TM)", " ", "(tm)", " ").Replace(brand)
	kept := make([]string, 0, 4)
	for w := range strings.FieldsSeq(brand) {
		if !noiseWord(w) {
			kept = append(kept, w)
		}
	}
	short := strings.ReplaceAll(strings.Join(kept, " "), " -", "-") // "AMD FX(tm)-8120" is one word
	if !strings.ContainsFunc(short, unicode.IsLetter) {
		return strings.Join(strings.Fields(brand), " ")
	}
	return short
}

func noiseWord(w string) bool {
	switch w {
	case "CPU", "Processor", "processor", "Intel", "AMD", "Genuine":
		return true
	default:
		return strings.HasSuffix(w, "-Core")
	}
}
