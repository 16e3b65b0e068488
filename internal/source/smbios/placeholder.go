package smbios

import (
	"strings"
	"unicode"
)

// longestPlaceholder is the length of the longest placeholder in bytes.
const longestPlaceholder = len("to be filled by o.e.m")

// Placeholder reports whether a string is a placeholder for a missing value, such as "To Be Filled By
// O.E.M.", "Not Specified" or, numbered like the slots, "Manufacturer00", or has no letter and no digit. Case, and spaces and
// dots at both ends, are ignored.
func Placeholder(v string) bool {
	v = strings.Trim(v, " .")
	if !strings.ContainsFunc(v, func(r rune) bool { return r >= 0x80 || unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return true // such as "--"
	}
	if word := strings.TrimRight(v, "0123456789"); len(word) >= len("partnum") { // "Manufacturer00" of slot 0
		v = word
	}
	var lower [longestPlaceholder]byte
	if len(v) > len(lower) {
		return false
	}
	for i := range len(v) {
		lower[i] = v[i]
		if 'A' <= v[i] && v[i] <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	switch string(lower[:len(v)]) { // called for every text of every slot: must not allocate
	case "not specified", "unknown", "none", "n/a", "na", "no dimm", "not support", "not supported", "[empty]", "empty", "undefined",
		"to be filled by o.e.m", "to be filled by oem", "o.e.m", "oem", "default string", "not available",
		"not applicable", "<out of spec>", "<bad index>", "system manufacturer", "system product name",
		"system version", "0", "0x0000", "00000000", "ffff", "partnum", "manufacturer", "modulepartnumber", "null",
		"unknown product", "cpu version":
		return true
	}
	return false
}

// printable replaces every byte that is not printable ASCII with a dot, as dmidecode does.
func printable(s string) string {
	for i := range len(s) {
		if !isPrintable(s[i]) {
			return dotted(s)
		}
	}
	return s
}

func isPrintable(c byte) bool { return c >= ' ' && c <= '~' }

func dotted(s string) string {
	b := []byte(s)
	for i, c := range b {
		if !isPrintable(c) {
			b[i] = '.'
		}
	}
	return string(b)
}

// clipLine cuts a line that is quoted in a message.
func clipLine(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}
