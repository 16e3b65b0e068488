package settings

import (
	"strings"
	"unicode"
)

// plainWord lists characters that have no meaning to a shell.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+:,=@%/"

// ShellWord quotes a text as one word of a shell's command line. Line breaks become spaces, because
// they would end the command.
func ShellWord(s string) string {
	s = OneLine(s)
	if s != "" && strings.Trim(s, plainWord) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// OneLine replaces control characters by spaces.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
