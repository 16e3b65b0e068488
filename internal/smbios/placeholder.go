package smbios

import "strings"

// Placeholder reports whether a string is one of the texts that firmware
// leaves where nobody filled in a value.
func Placeholder(v string) bool {
	switch strings.ToLower(strings.Trim(v, " .")) {
	case "", "not specified", "unknown", "none", "n/a", "na", "no dimm", "[empty]", "empty", "undefined",
		"to be filled by o.e.m", "to be filled by oem", "o.e.m", "oem", "default string", "not available",
		"not applicable", "<out of spec>", "<bad index>", "system manufacturer", "system product name",
		"system version", "0", "0x0000", "00000000", "ffff", "partnum", "manufacturer", "modulepartnumber", "null":
		return true
	}
	return false
}
