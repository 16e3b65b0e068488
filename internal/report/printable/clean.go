// Package printable makes strings of unknown origin safe to print and measures
// them in terminal columns.
package printable

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/width"

	"memaudit.example/memaudit/internal/model/lazy"
)

// Clean makes a string safe for a terminal: whatever is not printable
// (control characters, escape sequences, newlines, bidirectional overrides,
// broken UTF-8) becomes '?'. Firmware may print anything.
func Clean(s string) string {
	if allASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// CSVCell makes a string safe as a cell of CSV: clean, and no formula. Spreadsheets compute what
// begins with = + - or @ (OWASP, CSV Injection); an apostrophe makes it text. Numbers stay.
func CSVCell(s string) string {
	s = Clean(s)
	if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " ")); strings.ContainsRune("=+-@＝＋－＠", first) && !number().MatchString(s) {
		return "'" + s
	}
	return s
}

// WriteCSV writes a table whose cells are made safe.
func WriteCSV(w io.Writer, head []string, rows [][]string) error {
	out := csv.NewWriter(w)
	_ = out.Write(head)
	for _, row := range rows {
		for i := range row {
			row[i] = CSVCell(row[i])
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

var number = lazy.Pattern(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// allASCII reports whether s is printable ASCII only: one byte, one column.
func allASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Columns is the number of terminal columns that a clean string takes: two
// for East Asian wide runes, none for combining marks.
func Columns(s string) int {
	if allASCII(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += RuneColumns(r)
	}
	return n
}

// RuneColumns is the number of terminal columns of one rune.
func RuneColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case isWideRune(r):
		return 2
	default:
		return 1
	}
}

// isWideRune reports whether a terminal gives the rune two columns (Unicode
// Standard Annex 11, classes W and F).
func isWideRune(r rune) bool {
	if r < 0x1100 {
		return false
	}
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

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

// BreakAfter returns the offset in bytes after the runes that fit into this many columns; at least one rune.
func BreakAfter(s string, room int) int {
	used := 0
	for i, r := range s {
		used += RuneColumns(r)
		if used > room && i > 0 {
			return i
		}
	}
	return len(s)
}
