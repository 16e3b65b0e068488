package printable

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"DIMM_A1":               "DIMM_A1",
		"\x1b[31mred\x1b[m":     "?[31mred?[m",
		"a\nb\tc\r":             "a?b?c?",
		"\u202eabc\u2066":       "?abc?",
		"\u009b31m":             "?31m",
		"\xff\xfeA":             "??A",
		"zero\u200bwidth\u200d": "zero?width?",
		"ok é 内":                "ok é 内",
	} {
		assert.Equal(t, want, Clean(in))
	}
}
