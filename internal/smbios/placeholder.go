package smbios

import "strings"

// longestPlaceholder is the length of the longest of them, in bytes.
const longestPlaceholder = len("to be filled by o.e.m")

// Placeholder reports whether a string is one of the texts that firmware
// leaves where nobody filled in a value.
func Placeholder(v string) bool {
	v = strings.Trim(v, " .")
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
	switch string(lower[:len(v)]) { // of every text of every slot: no memory for it
	case "", "not specified", "unknown", "none", "n/a", "na", "no dimm", "[empty]", "empty", "undefined",
		"to be filled by o.e.m", "to be filled by oem", "o.e.m", "oem", "default string", "not available",
		"not applicable", "<out of spec>", "<bad index>", "system manufacturer", "system product name",
		"system version", "0", "0x0000", "00000000", "ffff", "partnum", "manufacturer", "modulepartnumber", "null":
		return true
	}
	return false
}
