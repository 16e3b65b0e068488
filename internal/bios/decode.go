package bios

import (
	"bytes"
	"fmt"
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
