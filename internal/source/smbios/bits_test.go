package smbios

import (
	"testing"

	"github.com/stretchr/testify/assert"

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
