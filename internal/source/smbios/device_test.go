package smbios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

func parse(t *testing.T, data []byte) *Table {
	t.Helper()
	table, err := Parse(data)
	require.NoError(t, err)
	return table
}

func TestMemoryDeviceWords(t *testing.T) {
	b := smbiostest.New(3, 3)
	b.MemoryDevice(smbiostest.DIMM{Bytes: 1 << 30, Type: 0x25, FormFactor: 0x11, Technology: 8})
	b.MemoryDevice(smbiostest.DIMM{Bytes: 1 << 30, Type: 0x24, FormFactor: 0x10, Technology: 7})
	b.MemoryDevice(smbiostest.DIMM{Bytes: 1 << 30, Type: 0x14, FormFactor: 0x0F, Technology: 2})
	b.MemoryDevice(smbiostest.DIMM{Bytes: 1 << 30, Type: 0xF0, FormFactor: 0xF0, Technology: 0xF0})
	var got [][3]Field[string]
	table := parse(t, b.Table())
	for _, d := range devicesOf(table) {
		got = append(got, [3]Field[string]{d.Type, d.FormFactor, d.Technology})
	}
	bad := status[string](Malformed)
	assert.Equal(t, [][3]Field[string]{
		{known("MRDIMM"), known("CAMM"), known("MRDIMM")},
		{known("HBM3"), known("Die"), known("Intel Optane DC persistent memory")},
		{known("DDR2 FB-DIMM"), known("FB-DIMM"), status[string](Unstated)},
		{bad, bad, bad},
	}, got)
	assert.Equal(t, []string{CodeDanglingHandle, CodeOutOfSpec}, uniqueCodes(table))
}

// uniqueCodes lists the codes of a table's problems in order of appearance.
func uniqueCodes(t *Table) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range t.Problems {
		if !seen[p.Code] {
			seen[p.Code] = true
			out = append(out, p.Code)
		}
	}
	return out
}

func TestHPEDIMMLocations(t *testing.T) {
	body := func(n ...byte) []byte { return n }
	build := func(maker string) *Table {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: maker})
		b.NextHandle(0xCA)
		b.Add(202, body(0x1F, 0, 0xFF, 1, 1, 1, 0, 0, 0, 2, 6, 0x0A, 0x4A, 0, 0xCE, 0, 0, 0, 0, 0, 0, 1, 1, 0), "P03052-091")
		b.Add(202, body(0x20, 0, 0xFF, 2, 0xFF))
		return Decode(nil, b.Table())
	}
	want := []HPEDIMMLocation{{
		Handle: 0xCA, Device: known[uint16](0x1F), Processor: known(1), Controller: known(2), Channel: known(6), IndexInChannel: known(0),
	}, {
		Handle: 0xCB, Device: known[uint16](0x20), Processor: status[int](Unstated),
	}}
	assert.Equal(t, want, build("HPE").HPEDIMMLocations())
	assert.Equal(t, want, build("Hewlett-Packard  ").HPEDIMMLocations())
	assert.Empty(t, build("Cisco Systems Inc").HPEDIMMLocations())
	text := `Handle 0x0001, DMI type 1, 27 bytes
System Information
	Manufacturer: HPE

Handle 0x00CA, DMI type 202, 28 bytes
OEM-specific Type
	Header and Data:
		CA 1C CA 00 1F 00 FF 01 01 01 00 00 00 02 06 0A
		4A 00 CE 00 00 00 00 00 00 01 01 00
	Strings:
		P03052-091

Handle 0x00CB, DMI type 202, 9 bytes
OEM-specific Type
	Header and Data:
		CA 09 CB 00 20 00 FF 02 FF
`
	assert.Equal(t, want, parse(t, []byte(text)).HPEDIMMLocations())
}

// devicesOf lists the memory devices of a table.
func devicesOf(t *Table) []MemoryDevice {
	out := []MemoryDevice{}
	for d := range t.EachMemoryDevice() {
		out = append(out, *d)
	}
	return out
}

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
