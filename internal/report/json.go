package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON prints a document: two spaces a level, a newline at the end, keys and findings
// in a stable order.
func WriteJSON[T Report | Inventory | Comparison | WhatIf | Capacity](w io.Writer, v *T) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	if _, err := w.Write(indentJSON(b.Bytes())); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// indentJSON lays compact, valid JSON out as encoding/json does with two
// spaces. Encoder.SetIndent parses its own output once more for that, which
// costs five times the encoding on a report of 128 slots.
func indentJSON(src []byte) []byte {
	dst := make([]byte, 0, 2*len(src)+256)
	depth := 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"':
			end := stringEnd(src, i)
			dst = append(dst, src[i:end]...)
			i = end - 1
		case '{', '[':
			dst = append(dst, c)
			if i+1 < len(src) && (src[i+1] == '}' || src[i+1] == ']') {
				i++
				dst = append(dst, src[i])
				continue
			}
			depth++
			dst = breakLine(dst, depth)
		case '}', ']':
			depth--
			dst = append(breakLine(dst, depth), c)
		case ',':
			dst = breakLine(append(dst, c), depth)
		case ':':
			dst = append(dst, ':', ' ')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// stringEnd is the offset after the string that begins at start.
func stringEnd(src []byte, start int) int {
	for i := start + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

func breakLine(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}
