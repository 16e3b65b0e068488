package placeholder_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/placeholder"
)

// TestIs checks that case, and what is neither letter nor digit, do not matter, and that a text that only begins like a
// placeholder is none.
func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "--": true, " . ": true, "To Be Filled By O.E.M.": true, " to be filled by o.e.m": true, "UNKNOWN": true, "N/A": true,
		"NO DIMM": true, "[Empty]": true, "<OUT OF SPEC>": true, "0": true, "0x0000": true, "00000000": true, "FFFF": true, "0xFFFFFFFF": true, "xxxxxxxx": true, "1111": true, "111": false,
		"Unknown Product": true, "CPU Version": true, "Manufacturer00": true, "ModulePartNumber07": true, "SerNum3": true, "0123456789": true,
		"To Be Filled By O.E.M. or so": false, "unknown maker": false, "AVAILABLE NOT": false, "Z-": false, "0x": true, "FFF": false,
		"00CE": false, "M393A4K40CB2-CTD": false, "Serial 4711B": false, "n\u00f6 dimm": false, "123": false,
	} {
		t.Run(text, func(t *testing.T) { assert.Equal(t, want, placeholder.Is(text)) })
	}
	assert.Zero(t, testing.AllocsPerRun(10, func() { placeholder.Is("To Be Filled By O.E.M.") }))
}

func TestIdentifies(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "CZ12340056": true, "a7": false, "a7b": true, "xxxxxxxx": false, "1111111": false, "-11111-": false, "System Serial Number": false,
		"03000200-0400-0500-0006-000700080009": true, "NoDIMM": false, "\u00e4\u00f6\u00fc": false, "12345678": false,
	} {
		t.Run(text, func(t *testing.T) { assert.Equal(t, want, placeholder.Identifies(text)) })
	}
}
