package smbios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

// TestReservedBits checks that bit 31 of the extended size and speeds is reserved and not part of the number (DSP0134
// 7.18.4, 7.18.5).
func TestReservedBits(t *testing.T) {
	b := smbiostest.New(3, 3)
	b.MemoryDevice(smbiostest.DIMM{Bytes: 256 << 30, Speed: 70000, Configured: 66000})
	data := b.Table()
	for _, off := range []int{0x1C + 3, 0x54 + 3, 0x58 + 3} {
		data[off] |= 0x80
	}
	d := devicesOf(Decode(nil, data))[0]
	assert.Equal(t, known[int64](256<<30), d.Size)
	assert.Equal(t, known(70000), d.Speed)
	assert.Equal(t, known(66000), d.ConfiguredSpeed)
}

// TestEntryPointLength checks that lengths in the specification or used by known firmware are accepted, and that one
// more or less is a problem (DSP0134 5.2.1, 5.2.2).
func TestEntryPointLength(t *testing.T) {
	for _, c := range []struct {
		major, at int
		good, bad []byte
	}{
		{3, 6, []byte{0x18, 0x19, 0x20}, []byte{0, 0x17, 0x21, 0xFF}},
		{2, 5, []byte{0x1E, 0x1F, 0x20}, []byte{0, 0x1D, 0x21, 0xFF}},
	} {
		for _, length := range append(c.good, c.bad...) {
			b := small(c.major, 1)
			entry := append(b.EntryPoint(), make([]byte, 256)...)
			entry[c.at-1] -= length - entry[c.at] // the checksum stands before the length
			entry[c.at] = length
			got := uniqueCodes(Decode(entry, b.Table()))
			if assert.NotContains(t, got, CodeChecksum); length < 0x18 || length > 0x20 || c.major == 2 && length < 0x1E {
				require.Equal(t, []string{CodeEntryPoint}, got, "%d.x: %#x", c.major, length)
			} else {
				require.Empty(t, got, "%d.x: %#x", c.major, length)
			}
		}
	}
}
