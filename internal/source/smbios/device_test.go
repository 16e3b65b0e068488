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

func TestMemoryDevice(t *testing.T) {
	b := smbiostest.New(3, 7)
	b.MemoryDevice(smbiostest.DIMM{
		Array: 0x1000, Bytes: 64 << 30, TotalBits: 80, Type: 0x22, Set: 2, Locator: "A1 ", Bank: " ", Speed: 5600,
		Configured: 4800, Manufacturer: "Hynix\x01", Serial: "S", Part: "  P  ", Rank: 2, MinMV: 1100, MaxMV: 1100,
		ConfiguredMV: 1100, ManufacturerID: 0xAD80,
	})
	b.MemoryDevice(smbiostest.DIMM{Array: 0x1000, Locator: "A2"})
	want := []MemoryDevice{{
		Handle: 0, Array: known[uint16](0x1000),
		TotalWidth: known(80), DataWidth: known(64), Installed: known(true), Size: known[int64](64 << 30),
		FormFactor: known("DIMM"), Set: known(2), Locator: known("A1"), BankLocator: status[string](Unstated),
		Type: known("DDR5"), Detail: known(DetailRegistered | 1<<7), Speed: known(5600), Serial: known("S"),
		Manufacturer: known("Hynix."), AssetTag: status[string](Unstated),
		PartNumber: known("P"), Rank: known(2), ConfiguredSpeed: known(4800), MinVoltage: known(1100),
		MaxVoltage: known(1100), ConfiguredVoltage: known(1100), Technology: known("DRAM"),
	}, {
		Handle: 1, Index: 1, Array: known[uint16](0x1000),
		TotalWidth: status[int](Unstated), DataWidth: status[int](Unstated), Installed: known(false), Size: known[int64](0),
		FormFactor: known("DIMM"), Set: known(0), Locator: known("A2"), BankLocator: status[string](Unstated),
		Type: status[string](Unstated), Detail: known[TypeDetail](1 << 2),
	}}
	assert.Equal(t, want, devicesOf(parse(t, b.Table())))
}

func TestMemoryDeviceSize(t *testing.T) {
	for _, c := range []struct {
		name      string
		dimm      smbiostest.DIMM
		size      Field[int64]
		installed Field[bool]
	}{
		{"empty", smbiostest.DIMM{}, known[int64](0), known(false)},
		{"unknown", smbiostest.DIMM{SizeUnknown: true}, status[int64](Unstated), status[bool](Unstated)},
		{"megabytes", smbiostest.DIMM{Bytes: 4 << 30}, known[int64](4 << 30), known(true)},
		{"kilobytes", smbiostest.DIMM{Bytes: 512 << 10}, known[int64](512 << 10), known(true)},
		{"no kilobytes", smbiostest.DIMM{RawSize: 0x8000}, status[int64](Malformed), status[bool](Malformed)},
		{"extended", smbiostest.DIMM{Bytes: 256 << 30}, known[int64](256 << 30), known(true)},
		{"extended is missing", smbiostest.DIMM{RawSize: 0x7FFF, Length: 0x1C}, status[int64](Malformed), known(true)},
		{"extended is 0", smbiostest.DIMM{RawSize: 0x7FFF}, status[int64](Malformed), status[bool](Malformed)},
		{"structure ends before", smbiostest.DIMM{Bytes: 1 << 30, Length: 0x0C}, Field[int64]{}, Field[bool]{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := smbiostest.New(3, 2)
			b.MemoryDevice(c.dimm)
			d := devicesOf(Decode(nil, b.Table()))[0]
			assert.Equal(t, c.size, d.Size)
			assert.Equal(t, c.installed, d.Installed)
		})
	}
}

func TestMemoryDeviceSpeed(t *testing.T) {
	for _, c := range []struct {
		name              string
		speed, configured int
		length            int
		want, wantConf    Field[int]
	}{
		{"stated", 3200, 2933, 0, known(3200), known(2933)},
		{"unknown", 0, 0, 0, status[int](Unstated), status[int](Unstated)},
		{"extended", 70000, 0xFFFF, 0, known(70000), known(0xFFFF)},
		{"extended is missing", 0xFFFF, 0xFFFF, 0x54, status[int](Unstated), status[int](Unstated)},
		{"no configured speed", 1333, 1333, 0x1B, known(1333), Field[int]{}},
		{"no speed", 1333, 1333, 0x15, Field[int]{}, Field[int]{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := smbiostest.New(3, 3)
			b.MemoryDevice(smbiostest.DIMM{Bytes: 1 << 30, Speed: c.speed, Configured: c.configured, Length: c.length})
			d := devicesOf(parse(t, b.Table()))[0]
			assert.Equal(t, c.want, d.Speed)
			assert.Equal(t, c.wantConf, d.ConfiguredSpeed)
		})
	}
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

func TestTypeDetailString(t *testing.T) {
	assert.Equal(t, "None", TypeDetail(0).String())
	assert.Equal(t, "Synchronous Registered (Buffered)", (TypeDetail(1<<7) | DetailRegistered).String())
	all := TypeDetail(0xFFFE)
	assert.Equal(t, uint(all), parseBits(all.String(), detailWords[:]))
	for i := range 16 {
		d := TypeDetail(1<<i) & 0xFFFE
		assert.Equal(t, uint(d), parseBits(d.String(), detailWords[:]))
	}
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
