// Package printable makes strings of unknown origin safe to print and measures
// them in terminal columns.
package printable

import (
	"strings"
	"unicode"
	"unicode/utf8"
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
	case isWide(r):
		return 2
	default:
		return 1
	}
}

// isWide reports whether a terminal gives the rune two columns (Unicode
// Standard Annex 11, classes W and F, by block).
func isWide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115f,
		r >= 0x2e80 && r <= 0x303e,
		r >= 0x3041 && r <= 0xa4cf,
		r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f,
		r >= 0xff01 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f,
		r >= 0x1f900 && r <= 0x1f9ff,
		r >= 0x20000 && r <= 0x3fffd:
		return true
	default:
		return false
	}
}
