package bios

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// toUTF8 converts UTF-16 with a byte order mark, which Windows tools write, to UTF-8, and removes
// the byte order mark of UTF-8. Other data are returned as they are.
func toUTF8(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return fromUTF16(data[2:], 0, 1)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return fromUTF16(data[2:], 1, 0)
	}
	return data
}

// fromUTF16 converts UTF-16; low and high are the positions of the low and the high byte in each
// unit.
func fromUTF16(data []byte, low, high int) []byte {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i+low])|uint16(data[i+high])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

// cleanValue makes a value valid UTF-8 and trims spaces. Bytes that are not UTF-8 are taken for
// Latin-1.
func cleanValue(s string) string {
	if !utf8.ValidString(s) {
		runes := make([]rune, 0, len(s))
		for i := range len(s) {
			runes = append(runes, rune(s[i]))
		}
		s = string(runes)
	}
	return string(bytes.TrimSpace([]byte(s)))
}
