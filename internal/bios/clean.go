package bios

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// toUTF8 turns UTF-16 with a mark, as Windows tools write it, into UTF-8, and
// takes the mark of UTF-8 off.
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

func fromUTF16(data []byte, low, high int) []byte {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i+low])|uint16(data[i+high])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

// cleanValue makes valid text of a value: Latin-1 bytes become their characters,
// and spaces around it go.
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
