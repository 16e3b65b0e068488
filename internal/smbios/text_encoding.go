package smbios

import (
	"bytes"
	"unicode/utf16"
)

// isText tells whether the data are text. A table has zero bytes near its start; a text has them
// only in UTF-16, which PowerShell's redirection writes.
func isText(data []byte) bool {
	return utf16Order(data) != 0 || bytes.IndexByte(data[:min(len(data), 4096)], 0) < 0
}

// utf16Order returns 'l' or 'b' for the byte order mark of UTF-16 in little or big endian, 0
// without one.
func utf16Order(data []byte) byte {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return 'l'
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return 'b'
	}
	return 0
}

// textOf returns data as UTF-8 without a byte order mark.
func textOf(data []byte) string {
	order := utf16Order(data)
	if order == 0 {
		return string(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		lo, hi := data[i], data[i+1]
		if order == 'b' {
			lo, hi = hi, lo
		}
		units = append(units, uint16(lo)|uint16(hi)<<8)
	}
	return string(utf16.Decode(units))
}
