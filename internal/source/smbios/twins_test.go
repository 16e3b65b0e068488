package smbios

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// TestListedTwice checks that processors that are equal except for the handle are duplicates, and modules if the array
// announces fewer than are listed: two equal modules without serial numbers may carry one label.
func TestListedTwice(t *testing.T) {
	cpu := smbiostest.CPU{Socket: "CPU", Version: "X", ID: 0x306F2, L1: 0x700}
	other, bare, none := cpu, cpu, cpu
	other.L1, bare.L1, none.Empty = 0x701, 0, true
	dimm := smbiostest.DIMM{Bytes: 8 << 30, Locator: "A1", Serial: "1"}
	serial, place, empty, unlabelled := dimm, dimm, dimm, dimm
	serial.Serial, place.Locator, empty.Bytes, unlabelled.Locator = "2", "A2", 0, ""
	chip := dimm
	chip.FormFactor = 0x0B // a row of chips
	for name, c := range map[string]struct {
		processors []smbiostest.CPU
		modules    []smbiostest.DIMM
		announced  int
		twice      bool
		kept       bool
	}{
		"a processor":             {processors: []smbiostest.CPU{cpu, cpu}, twice: true},
		"two processors":          {processors: []smbiostest.CPU{cpu, other}},
		"without caches":          {processors: []smbiostest.CPU{bare, bare}},
		"empty sockets":           {processors: []smbiostest.CPU{none, none}},
		"a module":                {modules: []smbiostest.DIMM{dimm, dimm}, announced: 1, twice: true},
		"two with one label":      {modules: []smbiostest.DIMM{dimm, dimm}, announced: 2, kept: true},
		"number not announced":    {modules: []smbiostest.DIMM{dimm, dimm}, announced: -1, kept: true},
		"two modules":             {modules: []smbiostest.DIMM{dimm, serial}},
		"in two slots":            {modules: []smbiostest.DIMM{dimm, place}},
		"empty slots":             {modules: []smbiostest.DIMM{empty, empty}},
		"slots without a label":   {modules: []smbiostest.DIMM{unlabelled, unlabelled}},
		"chips of the same label": {modules: []smbiostest.DIMM{chip, chip}},
	} {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Product: "P"})
		for _, p := range c.processors {
			b.CPU(p)
		}
		array := uint16(0x4711)
		if c.announced >= 0 {
			array = b.Array(smbiostest.Array{Devices: c.announced})
		}
		for _, d := range c.modules {
			d.Array = array
			b.MemoryDevice(d)
		}
		table := parse(t, b.Dump())
		n := 2
		if c.twice {
			n = 1
		}
		assert.Equal(t, n, len(table.Processors())+len(devicesOf(table)), name)
		assert.Equal(t, c.twice || c.kept, slices.Contains(uniqueCodes(table), CodeCopy), name)
	}
}

// TestStructuresAfterTheEnd checks that vendors' structures after the end marker are ignored, that repeated ones are
// duplicates, and that processors and memory of the specification are reported as lost.
func TestStructuresAfterTheEnd(t *testing.T) {
	head := "# dmidecode 3.4\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tFamily: F\n\nHandle 0x0009, DMI type 127, 4 bytes\nEnd Of Table\n\n"
	for text, want := range map[string][]string{
		"Handle 0x0010, DMI type 129, 8 bytes\nOEM-specific Type\n\tHeader and Data:\n\t\t81 08 10 00\n": nil,
		"Handle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tFamily: F\n":                         nil,
		"Handle 0x0010, DMI type 17, 40 bytes\nMemory Device\n\tSize: 1 GB\n":                            {CodeEarlyEnd},
		"Handle 0x0010, DMI type 5, 16 bytes\nMemory Controller Information\n\tSize: 1 GB\n":             {CodeEarlyEnd},
	} {
		table := parse(t, []byte(head+text))
		assert.Equal(t, want, uniqueCodes(table), text)
		assert.Zero(t, table.Count(typeMemoryDevice))
		for _, p := range table.Problems {
			assert.Equal(t, table.beyond[0].Type == 5, p.Harmless)
		}
	}
}
