package settings

import "strings"

// plainWord are the characters that mean nothing to a shell.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+:,=@%/"

// ShellWord is one word of a shell's command line, whatever is in it. A line break
// would end the command: it becomes a space.
func ShellWord(s string) string {
	s = OneLine(s)
	if s != "" && strings.Trim(s, plainWord) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// OneLine makes one line without control characters of a text.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
