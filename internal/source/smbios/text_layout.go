package smbios

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Order returns 'l' or 'b' for the byte order mark of UTF-16 in little or big endian, 0 without one.
func utf16Order(data []byte) byte {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return 'l'
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return 'b'
	}
	return 0
}

// decodeText returns data as UTF-8 without a byte order mark and in dmidecode's layout.
func decodeText(data []byte) string {
	order := utf16Order(data)
	if order == 0 {
		return restoreLayout(string(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))))
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		lo, hi := data[i], data[i+1]
		if order == 'b' {
			lo, hi = hi, lo
		}
		units = append(units, uint16(lo)|uint16(hi)<<8)
	}
	return restoreLayout(string(utf16.Decode(units)))
}

// restoreLayout restores the layout of dmidecode's text that mail programs, forums and wikis have changed: no-break spaces,
// lines quoted with "> ", an empty line after every line. It does not change a text in dmidecode's layout.
func restoreLayout(text string) string {
	return singleSpaced(removeQuoteMarks(plainSpaces(text)))
}

// plainSpaces replaces the spaces of Unicode, and a no-break space of Latin-1, with plain ones, and
// removes those without width. dmidecode prints ASCII only.
func plainSpaces(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1 && text[i] == 0xA0, r >= utf8.RuneSelf && unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		case r == '\u200B' || r == '\u2060' || r == '\uFEFF': // zero-width space, word joiner, no-break space
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// quoteMarks are what mail programs put before each line of a quoted text.
const quoteMarks = ">|"

// removeQuoteMarks removes the marks of a quoted text. A text is quoted if its first handle is.
func removeQuoteMarks(text string) string {
	at := strings.Index(text, "Handle 0x")
	if at < 0 {
		return text
	}
	start := strings.LastIndexByte(text[:at], '\n') + 1
	if before := strings.TrimLeft(text[start:at], " \t"); before == "" || !strings.Contains(quoteMarks, before[:1]) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		for {
			rest := strings.TrimLeft(line, " ")
			if rest == "" || !strings.Contains(quoteMarks, rest[:1]) {
				break
			}
			line = strings.TrimPrefix(rest[1:], " ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// singleSpaced removes the empty lines of a text that has one after almost every line. dmidecode prints
// an empty line between structures only.
func singleSpaced(text string) string {
	filled, adjacent, before := 0, 0, false
	for line := range strings.Lines(text) {
		is := strings.TrimSpace(line) != ""
		if is {
			filled++
		}
		if is && before {
			adjacent++
		}
		before = is
	}
	if filled < 8 || adjacent > filled/8 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	empty := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			empty++
			continue
		}
		if empty > 2 { // one between the lines, and one printed by dmidecode with two neighbours
			b.WriteByte('\n')
		}
		empty = 0
		b.WriteString(line)
	}
	return b.String()
}
