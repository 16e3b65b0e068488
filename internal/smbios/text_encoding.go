package smbios

import (
	"bytes"
	"unicode/utf16"
)

// isText tells whether data are text: tables hold zero bytes from the start,
// texts only when they are UTF-16, as PowerShell's redirection writes them.
func isText(data []byte) bool {
	return utf16Order(data) != 0 || bytes.IndexByte(data[:min(len(data), 4096)], 0) < 0
}

// utf16Order is 'l' or 'b' for a UTF-16 byte order mark, 0 without one.
func utf16Order(data []byte) byte {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return 'l'
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return 'b'
	}
	return 0
}

// textOf returns data as a string, without byte order marks.
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
