package smbios

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCutFirst: what is shorter than a header, or begins with a type that the
// standard does not know, is not a table that was cut short.
func TestCutFirst(t *testing.T) {
	system := []byte{typeSystem, 27, 1, 0, 1, 2, 0, 0}
	assert.True(t, (&walker{data: system}).cutFirst())
	for n := range headerLength {
		assert.False(t, (&walker{data: system[:n]}).cutFirst(), n)
	}
	assert.True(t, (&walker{data: system[:headerLength]}).cutFirst())
	unknown := slices.Clone(system)
	unknown[0] = 46
	assert.False(t, (&walker{data: unknown}).cutFirst())
}

// TestROMSize: no size is not stated, and a size is what it is.
func TestROMSize(t *testing.T) {
	for text, want := range map[string]Field[int64]{"0 kB": status[int64](Unstated), "64 kB": known[int64](64 << 10)} {
		table, err := Parse([]byte("# dmidecode 3.3\nSMBIOS 3.2.0 present.\n\nHandle 0x0000, DMI type 0, 24 bytes\nBIOS Information\n\tROM Size: " + text + "\n"))
		require.NoError(t, err)
		bios, ok := table.BIOS()
		require.True(t, ok)
		assert.Equal(t, want, bios.ROMSize, text)
	}
}
