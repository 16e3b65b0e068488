package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return EscapeJSON(b.Bytes()), nil
}

// EscapeJSON returns valid JSON with the runes that Clean would replace written as escapes. Outside
// its strings JSON is printable ASCII and white space.
func EscapeJSON(src []byte) []byte {
	dst := make([]byte, 0, len(src))
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
				dst = fmt.Appendf(dst, `\u%04x`, unit)
			}
			done = i + n
		}
		i += n
	}
	return append(dst, src[done:]...)
}
