// Package placeholder tells the texts that vendors leave where a value is missing.
package placeholder

import (
	_ "embed" // the words are data beside the code
	"strings"
	"sync"
)

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
	return words()[string(plain)] // called for every text of every slot: must not allocate
}

//go:embed words.txt
var wordsFile string

var words = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(wordsFile) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			out[word] = true
		}
	}
	return out
})

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
