package bios

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode reads one export and tells its format by its content. name is for
// messages only. The error says what was found and what was expected, with
// line or JSON path.
func Decode(name string, data []byte) (*Export, error) {
	e, err := decode(data)
	if err != nil {
		return nil, err
	}
	e.Name = name
	return e, nil
}

func decode(data []byte) (*Export, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, MaxBytes)
	}
	data = plain(data)
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return nil, fmt.Errorf("%w, %s", ErrEmpty, expected)
	}
	switch trimmed[0] {
	case '{':
		return decodeJSON(data)
	case '[':
		// "[Advanced|..." of SUM and "[BIOS::..." of Intel start alike.
		if rest := bytes.TrimSpace(trimmed[1:]); len(rest) > 0 && (rest[0] == '{' || rest[0] == ']') {
			return decodeJSON(data)
		}
	}
	if start := xmlStart(data); start >= 0 {
		return decodeXML(data, start)
	}
	if bytes.IndexByte(trimmed, 0) >= 0 {
		return nil, fmt.Errorf("%w: binary data, %s", ErrUnrecognised, expected)
	}
	return decodeText(string(data))
}

// plain turns UTF-16 with a mark, as Windows tools write it, into UTF-8, and
// takes the mark of UTF-8 off.
func plain(data []byte) []byte {
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

// clean makes valid text of a value: Latin-1 bytes become their characters,
// and spaces around it go.
func clean(s string) string {
	if !utf8.ValidString(s) {
		runes := make([]rune, 0, len(s))
		for i := range len(s) {
			runes = append(runes, rune(s[i]))
		}
		s = string(runes)
	}
	return string(bytes.TrimSpace([]byte(s)))
}
