// Package placeholder tells the texts that vendors leave where a value is missing.
package placeholder

import "strings"

// maxWord is the length of the longest word of Is, which has 24 letters.
const maxWord = 24

// Is reports whether a text stands for a missing value, such as "To Be Filled By O.E.M.", "Not Specified", "System Serial
// Number" or, numbered like the slots, "Manufacturer00". Only letters and digits count, in any case; a text without
// them, of zeros or of four or more times one letter or digit is a placeholder, too.
func Is(text string) bool {
	var word [maxWord]byte
	plain := plainASCII(text, word[:0])
	if plain == nil {
		return false
	}
	if number := strings.TrimPrefix(string(plain), "0x"); strings.Trim(number, "0") == "" || len(number) >= 4 && strings.Trim(number, number[:1]) == "" {
		return true
	}
	if name := strings.TrimRight(string(plain), "0123456789"); len(name) >= len("sernum") { // "SerNum0" of slot 0
		plain = plain[:len(name)]
	}
	switch string(plain) { // called for every text of every slot: must not allocate
	case "notspecified", "unknown", "none", "na", "nodimm", "notsupport", "notsupported", "empty", "undefined", "invalid", "default",
		"tobefilledbyoem", "filledbyoem", "oem", "defaultstring", "notavailable", "notapplicable", "notset", "notprovided",
		"notpopulated", "outofspec", "badindex", "null", "tbd", "redacted",
		"systemmanufacturer", "systemproductname", "systemversion", "unknownproduct", "cpuversion", "partnum", "manufacturer",
		"modulepartnumber", "serial", "sernum", "serialnumber", "systemserial", "systemserialnumber", "chassisserialnumber",
		"baseserialnumber", "baseboardserialnumber", "noserial", "nosn", "assettag", "noassettag", "noassetinformation",
		"123456", "1234567", "12345678", "123456789", "1234567890", "0123456789", "0123456789abcdef":
		return true
	}
	return false
}

// plainASCII appends the letters and digits of a text in lower case, nil if they are too many for a word of Is or one is not ASCII.
func plainASCII(text string, into []byte) []byte {
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 0x80:
			return nil
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case (c < 'a' || c > 'z') && (c < '0' || c > '9'):
			continue
		}
		if len(into) == maxWord {
			return nil
		}
		into = append(into, c)
	}
	return into
}

// Identifies reports whether a text can identify a machine or a module: it is no placeholder, has at least three letters
// and digits, and not one of them throughout.
func Identifies(id string) bool {
	plain := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToUpper(id))
	return !Is(id) && len(plain) >= 3 && strings.Trim(plain, plain[:1]) != ""
}
