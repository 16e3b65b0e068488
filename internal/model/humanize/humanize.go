// Package humanize formats numbers and lists for sentences: sizes, rates, counts with their noun, "A, B and C".
package humanize

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// Size writes bytes in GiB, rounded to one decimal, and less than 1 GiB in MiB or KiB: "16 GiB", "15.6 GiB",
// "512 MiB". What the kernel reports is rarely round.
func Size(bytes int64) string {
	switch {
	case bytes%gib == 0:
		return strconv.FormatInt(bytes/gib, 10) + " GiB"
	case bytes >= gib:
		return strings.TrimSuffix(strconv.FormatFloat(float64(bytes)/gib, 'f', 1, 64), ".0") + " GiB"
	case bytes >= mib:
		return strconv.FormatInt(bytes/mib, 10) + " MiB"
	default:
		return strconv.FormatInt(bytes/1024, 10) + " KiB"
	}
}

// Rounded writes bytes to the nearest GiB, for comparing sizes that are rarely round: "188 GiB".
func Rounded(bytes int64) string {
	return strconv.FormatFloat(float64(bytes)/gib, 'f', 0, 64) + " GiB"
}

// Bandwidth writes bytes per second in GB/s, as vendors do.
func Bandwidth[N int64 | float64](bytes N) string {
	return strconv.FormatFloat(float64(bytes)/1e9, 'f', 1, 64) + " GB/s"
}

// Decimal writes a number with at most one decimal, one below 1 with at most three: "3.5", "40", "0.002".
func Decimal(n float64) string {
	digits := 1
	if math.Abs(n) < 1 {
		digits = 3
	}
	s := strconv.FormatFloat(n, 'f', digits, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Days writes a number of days as a person reads it: "3.5 days", "5 hours", "3 minutes", "less than a minute".
func Days(days float64) string {
	switch minutes := days * 24 * 60; {
	case days >= 1:
		if n := Decimal(days); n != "1" {
			return n + " days"
		}
		return "1 day"
	case minutes >= 60:
		return Plural(int(minutes/60), "hour")
	case minutes >= 1:
		return Plural(int(minutes), "minute")
	default:
		return "less than a minute"
	}
}

// Plural writes a number with its noun: "1 finding", "3 findings".
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// Ranked describes the number of ranks of a module: "dual-rank".
func Ranked(ranks int) string {
	switch ranks {
	case 1:
		return "single-rank"
	case 2:
		return "dual-rank"
	case 4:
		return "quad-rank"
	default:
		return strconv.Itoa(ranks) + "-rank"
	}
}

// Spans shortens a list of names. Words that begin the name before, too, are left out, and three or more names in a row that
// only a counting number tells apart are a span: "PROC 1 DIMM 1", "4", "7-12"; "DIMM_A5 to DIMM_A12".
func Spans(names []string) []string {
	var out []string
	before, names := "", slices.Clone(names)
	for i := range names {
		names[i] = strings.Join(strings.Fields(names[i]), " ")
	}
	for from := 0; from < len(names); {
		words := names[from][:strings.LastIndex(names[from], " ")+1]
		text, first := splitNumber(names[from])
		to := from + 1
		for ; to < len(names); to++ {
			if t, n := splitNumber(names[to]); first < 0 || t != text || n != first+to-from {
				break
			}
		}
		between := "-"
		if len(text)-len(words) >= leastSpan {
			between = " to "
		}
		if to-from < leastSpan {
			to = from + 1
		}
		item := names[from]
		if words == before {
			item = item[len(words):]
		}
		if to > from+1 {
			item += between + names[to-1][len(words):]
		}
		out, before, from = append(out, item), words, to
	}
	return out
}

// leastSpan is how many names make a span, and from how many letters before the number on the word "to" is between them.
const leastSpan = 3

// splitNumber splits a name into text and the number that ends it, -1 without.
func splitNumber(name string) (string, int) {
	text := strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(text):])
	if err != nil {
		return name, -1
	}
	return text, n
}

// List joins names: "A, B and C".
func List(names []string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}

// Joined joins the parts that are not "".
func Joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), separator)
}

// Ranges writes sorted numbers as the kernel writes lists of CPUs: "0-3,8".
func Ranges(numbers []int) string {
	var out []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		text := strconv.Itoa(numbers[i])
		if j > i {
			text += "-" + strconv.Itoa(numbers[j])
		}
		out = append(out, text)
		i = j + 1
	}
	return strings.Join(out, ",")
}

// Truncated joins at most most elements of a list: "a; b; c; and 4 more".
func Truncated(most int, list []string) string {
	if rest := len(list) - most; rest > 0 {
		list = append(slices.Clone(list[:most]), "and "+strconv.Itoa(rest)+" more")
	}
	return strings.Join(list, "; ")
}

// units are those that stay on the line of their number.
var units = []string{"%", "KiB", "MiB", "GiB", "TiB", "MB/s", "GB/s", "MT/s"}

// Words yields the words of a text; a number and its unit are one.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		number := ""
		for word := range strings.FieldsSeq(text) {
			switch {
			case number != "" && slices.Contains(units, strings.TrimRight(word, ",.;:)")):
				word = number + " " + word
			case number != "" && !yield(number):
				return
			}
			number = ""
			if end := word[len(word)-1]; '0' <= end && end <= '9' {
				number = word
			} else if !yield(word) {
				return
			}
		}
		if number != "" {
			yield(number)
		}
	}
}

// Distance returns the Levenshtein distance of two words.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Nearest returns the n names closest to name, ignoring case; a name that contains it whole is closer than one that is
// spelt like it.
func Nearest(names []string, name string, n int) []string {
	out := slices.Clone(names)
	far, name := make(map[string]int, len(out)), strings.ToUpper(name)
	for _, s := range out {
		far[s] = Distance(strings.ToUpper(s), name)
		if !strings.Contains(strings.ToUpper(s), name) {
			far[s] += 1 << 16 // farther than any that does
		}
	}
	slices.SortStableFunc(out, func(x, y string) int { return far[x] - far[y] })
	return out[:min(n, len(out))]
}
