package printable

import (
	"bytes"
	"encoding/json"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EncodeJSON encodes a value with two spaces a level and a newline at the end. A rune that Clean would
// replace is written as its escape, which any reader of JSON turns back into the rune and no
// terminal acts on.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return indentJSON(b.Bytes()), nil
}

// EscapeJSON returns valid JSON with the runes that Clean would replace written as escapes.
func EscapeJSON(src []byte) []byte { return escape(make([]byte, 0, len(src)), src) }

// escape appends JSON to dst. Outside its strings JSON is printable ASCII and white space.
func escape(dst, src []byte) []byte {
	done := 0
	for i := 0; i < len(src); {
		if src[i] < 0x7F {
			i++
			continue
		}
		r, n := utf8.DecodeRune(src[i:])
		if !unicode.IsPrint(r) {
			dst = append(dst, src[done:i]...)
			for _, unit := range utf16.Encode([]rune{r}) {
				dst = append(dst, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
			}
			done = i + n
		}
		i += n
	}
	return append(dst, src[done:]...)
}

const hexDigits = "0123456789abcdef"

// indentJSON lays compact, valid JSON out as encoding/json does with two
// spaces. Encoder.SetIndent parses its own output once more for that, which
// costs five times the encoding on a report of 128 slots.
func indentJSON(src []byte) []byte {
	dst := make([]byte, 0, 2*len(src)+256)
	depth := 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"':
			end, plain := stringEnd(src, i)
			if plain {
				dst = append(dst, src[i:end]...)
			} else {
				dst = escape(dst, src[i:end])
			}
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

// stringEnd is the offset after the string that begins at start, and whether the string is ASCII
// without DEL.
func stringEnd(src []byte, start int) (end int, plain bool) {
	plain = true
	for i := start + 1; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\':
			i++
		case c == '"':
			return i + 1, plain
		case c >= 0x7F:
			plain = false
		}
	}
	return len(src), plain
}

func breakLine(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}
