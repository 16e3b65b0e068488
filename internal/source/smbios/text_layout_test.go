package smbios

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTextsThatWereLaidOutAnew checks that the changes mail programs, forums and wikis make to a text do not change
// its meaning.
func TestTextsThatWereLaidOutAnew(t *testing.T) {
	plain := madeText(t, "2.8")
	want := parse(t, []byte(plain))
	lines := regexp.MustCompile(`(?m)^`)
	for name, text := range map[string]string{
		"an empty line after each":    strings.ReplaceAll(plain, "\n", "\n\n"),
		"one empty line between all":  regexp.MustCompile(`\n+`).ReplaceAllString(plain, "\n\n"),
		"lines of spaces between all": strings.ReplaceAll(plain, "\n", "\n   \n"),
		"no-break spaces":             strings.ReplaceAll(strings.ReplaceAll(plain, "\t", "        "), " ", "\u00a0"),
		"no-break spaces of Latin-1":  strings.ReplaceAll(strings.ReplaceAll(plain, "\t", "    "), " ", "\xa0"),
		"spaces for tabs":             strings.ReplaceAll(plain, "\t", "    "),
		"no indentation":              strings.ReplaceAll(plain, "\t", ""),
		"quoted":                      lines.ReplaceAllString(plain, "> "),
		"quoted twice":                lines.ReplaceAllString(plain, ">> "),
		"quoted without a space":      lines.ReplaceAllString(plain, ">"),
		"quoted, empty lines":         strings.ReplaceAll(lines.ReplaceAllString(plain, "> "), "\n", "\n\n"),
		"CR LF":                       strings.ReplaceAll(plain, "\n", "\r\n"),
		"CR LF and empty lines":       strings.ReplaceAll(plain, "\n", "\r\n\r\n"),
		"zero-width spaces":           strings.ReplaceAll(plain, "\n", "\u200b\n"),
	} {
		got := parse(t, []byte(text))
		assert.Equal(t, devicesOf(want), devicesOf(got), name)
		assert.Equal(t, want.Processors(), got.Processors(), name)
		assert.Equal(t, want.MemoryArrays(), got.MemoryArrays(), name)
		assert.Equal(t, uniqueCodes(want), uniqueCodes(got), name)
	}
	for name, text := range map[string]string{
		"handles alone":    strings.Join(regexp.MustCompile(`(?m)^Handle .*$`).FindAllString(plain, -1), "\n"),
		"fields elsewhere": regexp.MustCompile(`(?m)^\t.*\n`).ReplaceAllString(plain, ""),
	} {
		_, err := Parse([]byte(text))
		require.ErrorIs(t, err, ErrNoFields, name)
	}
	cut := regexp.MustCompile(`(Memory Device\n)(\t.*\n)+`).ReplaceAllString(plain, "$1")
	table := parse(t, []byte(cut))
	require.Contains(t, uniqueCodes(table), CodeText)
}

// TestRedactQuoted checks that identifiers are removed from a quoted text too.
func TestRedactQuoted(t *testing.T) {
	text := "> Handle 0x0001, DMI type 1, 27 bytes\n> System Information\n> \tSerial Number: SECRET1\n> \tFamily: F\n"
	stars := Hide{UUID: func(b []byte) []byte { return b }, Text: func(b []byte) []byte { return []byte(strings.Repeat("*", len(b))) }}
	out, err := Redact([]byte(text), stars)
	require.NoError(t, err)
	assert.NotContains(t, string(out), "SECRET1")
	assert.Contains(t, string(out), "Family: F")
}
