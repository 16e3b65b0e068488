package smbios

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// small is a table of four structures and the end marker.
func small(major, minor int) *smbiostest.Builder {
	b := smbiostest.New(major, minor)
	b.System(smbiostest.System{Manufacturer: "Example"})
	array := b.Array(smbiostest.Array{Devices: 2})
	b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 1 << 30, Locator: "A1"})
	b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "A2"})
	return b
}

func types(t *Table) []int {
	var out []int
	for i := range t.Structures {
		out = append(out, int(t.Structures[i].Type))
	}
	return out
}

func TestDamage(t *testing.T) {
	whole := []int{1, 16, 17, 17, 127}
	for _, c := range []struct {
		name  string
		data  func() []byte
		types []int
		codes []string
	}{
		{"dump 2.8", func() []byte { return small(2, 8).Dump() }, whole, nil},
		{"dump 3.2", func() []byte { return small(3, 2).Dump() }, whole, nil},
		{"bare table", func() []byte { return small(3, 2).Table() }, whole, nil},
		{"legacy", func() []byte { b := small(2, 0); b.Kind = smbiostest.DMI; return b.Dump() }, whole, nil},
		{"checksum of the entry point", func() []byte {
			d := small(3, 2).Dump()
			d[5]++
			return d
		}, whole, []string{CodeChecksum}},
		{"checksum of _DMI_", func() []byte {
			d := small(2, 8).Dump()
			d[4]--
			d[0x15]++
			return d
		}, whole, []string{CodeChecksum}},
		{"entry point of 1Eh", func() []byte {
			d := small(2, 1).Dump()
			d[5], d[4] = 0x1E, d[4]+1
			return d
		}, whole, nil},
		{"entry point of 20h", func() []byte {
			d := small(2, 1).Dump()
			d[5], d[4] = 0x20, d[4]-1
			return d
		}, whole, nil},
		{"entry point of 40h", func() []byte {
			d := small(2, 1).Dump()
			d[5], d[4] = 0x40, d[4]-0x21
			return d
		}, whole, []string{CodeEntryPoint}},
		{"physical address", func() []byte {
			d := small(2, 8).Dump()
			d[0x18], d[0x19], d[0x1A] = 0x00, 0x00, 0x0F
			d[0x15] += 0x20 - 0x0F
			return d
		}, whole, nil},
		{"version 2.51", func() []byte { return small(2, 51).Dump() }, whole, []string{CodeVersion}},
		{"count too high", func() []byte { b := small(2, 8); b.Count = 9; return b.Dump() }, whole, []string{CodeCount}},
		{"count too low", func() []byte { b := small(2, 8); b.Count = 3; return b.Dump() }, whole, []string{CodeCount}},
		{"length too high", func() []byte { b := small(2, 8); b.TableLength = 999; return b.Dump() }, whole, []string{CodeLength}},
		{"length too low", func() []byte { b := small(2, 8); b.TableLength = 80; return b.Dump() }, whole[:3],
			[]string{CodeGarbage, CodeTruncated, CodeCount, CodeNoEndMarker, CodeDevices}},
		{"structures after the announced length", func() []byte {
			b := small(2, 8)
			b.End()
			b.TableLength = len(b.Table())
			b.MemoryDevice(smbiostest.DIMM{Array: 1, Bytes: 1 << 30, Locator: "A9"})
			return b.Dump()
		}, whole, []string{CodeGarbage, CodeCount}},
		{"module behind the end, 32-bit", func() []byte {
			b := small(2, 8)
			b.End()
			b.MemoryDevice(smbiostest.DIMM{Array: 1, Bytes: 1 << 30, Locator: "A9"})
			b.Add(200, []byte{1}, "OEM")
			return b.Dump()
		}, append(whole[:5:5], 200), []string{CodeEarlyEnd, CodeCount}},
		{"module behind the end, 64-bit", func() []byte {
			b := small(3, 2)
			b.End()
			b.MemoryDevice(smbiostest.DIMM{Array: 1, Bytes: 1 << 30, Locator: "A9"})
			return b.Dump()
		}, whole, []string{CodeEarlyEnd}},
		{"an array short of devices", func() []byte {
			b := smbiostest.New(3, 2)
			b.System(smbiostest.System{Product: "P"})
			b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 2}), Locator: "A1"})
			return b.Dump()
		}, []int{1, 16, 17, 127}, []string{CodeDevices}},
		{"a structure twice", func() []byte {
			b := small(3, 2)
			b.NextHandle(3)
			b.MemoryDevice(smbiostest.DIMM{Array: 1, Locator: "A2"})
			b.NextHandle(9)
			return b.Dump()
		}, whole, []string{CodeDuplicateHandle}},
		{"no end marker", func() []byte { b := small(3, 2); b.NoEnd = true; return b.Dump() },
			whole[:4], []string{CodeNoEndMarker}},
		{"zeros behind", func() []byte { return append(small(3, 2).Table(), make([]byte, 100)...) }, whole, nil},
		{"OEM behind the end, 32-bit", func() []byte {
			b := small(2, 8)
			b.End()
			b.Add(200, []byte{1}, "OEM")
			return b.Dump()
		}, append(whole[:5:5], 200), nil},
		{"OEM behind the end, 64-bit", func() []byte {
			b := small(3, 0)
			b.End()
			b.Add(200, []byte{1}, "OEM")
			return b.Dump()
		}, whole, nil},
		{"junk behind the end", func() []byte {
			b := small(2, 8)
			b.End()
			b.Raw(1, 2, 3, 4, 5, 6, 7)
			return b.Dump()
		}, whole, []string{CodeGarbage}},
		{"inactive", func() []byte { b := small(3, 2); b.Add(126, []byte{1, 2}); return b.Dump() },
			[]int{1, 16, 17, 17, 126, 127}, nil},
		{"cut in the strings", func() []byte { d := small(3, 2).Table(); return d[:len(d)-10] },
			whole[:4], []string{CodeTruncated, CodeNoEndMarker}},
		{"cut in the structure", func() []byte { d := small(3, 2).Table(); return d[:len(d)-40] },
			whole[:4], []string{CodeTruncated, CodeNoEndMarker}},
		{"cut in a header", func() []byte { d := small(3, 2).Table(); return d[:len(d)-4] },
			whole[:4], []string{CodeTruncated, CodeNoEndMarker}},
		{"end marker without its zeros", func() []byte { d := small(3, 2).Table(); return d[:len(d)-2] },
			whole, []string{CodeTruncated}},
		{"string index", func() []byte {
			d := small(3, 2).Table()
			d[4] = 3
			return d
		}, whole, []string{CodeStringIndex}},
		{"duplicate handles", func() []byte {
			b := small(3, 2)
			b.NextHandle(3)
			b.MemoryDevice(smbiostest.DIMM{Array: 1, Locator: "A3"})
			b.NextHandle(9)
			return b.Dump()
		}, []int{1, 16, 17, 17, 17, 127}, []string{CodeDuplicateHandle}},
		{"dangling handle", func() []byte {
			b := small(3, 2)
			b.MemoryDevice(smbiostest.DIMM{Array: 0x77})
			return b.Dump()
		}, []int{1, 16, 17, 17, 17, 127}, []string{CodeDanglingHandle}},
		{"garbage in between", func() []byte {
			b := small(3, 2)
			b.Raw(0, 0, 5, 0, 6, 0, 0, 0, 0xEA, 7, 0, 0, 0xFF, 0xFB, 0x8B, 0x1F, 0, 0, 0)
			b.MemoryDevice(smbiostest.DIMM{Array: 1, Bytes: 1 << 30, Locator: "B1"})
			b.MemoryDevice(smbiostest.DIMM{Array: 1, Locator: "B2"})
			return b.Dump()
		}, []int{1, 16, 17, 17, 17, 17, 127}, []string{CodeZeroLength, CodeGarbage}},
		{"length of 3", func() []byte {
			b := small(3, 2)
			b.Raw(8, 3, 9, 0, 0, 0)
			b.MemoryDevice(smbiostest.DIMM{Array: 1, Locator: "B1"})
			return b.Dump()
		}, []int{1, 16, 17, 17, 17, 127}, []string{CodeZeroLength, CodeGarbage}},
		{"only garbage behind", func() []byte {
			b := small(3, 2)
			b.NoEnd = true
			return b.Raw(0, 0, 1, 2, 3, 4, 5, 6, 7).Dump()
		}, whole[:4], []string{CodeZeroLength, CodeGarbage, CodeNoEndMarker}},
		{"entry point alone", func() []byte { return small(3, 2).EntryPoint() }, nil, []string{CodeNoStructures}},
		{"entry point cut short", func() []byte { return small(3, 2).EntryPoint()[:9] }, nil,
			[]string{CodeEntryPoint, CodeChecksum, CodeNoStructures}},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := parse(t, c.data())
			assert.Equal(t, c.types, types(table))
			assert.Equal(t, c.codes, uniqueCodes(table), "%v", table.Problems)
			viewAll(table)
		})
	}
}

func TestVersionCorrections(t *testing.T) {
	for declared, want := range map[[2]int]Version{
		{2, 31}: {Major: 2, Minor: 3}, {2, 33}: {Major: 2, Minor: 3}, {2, 51}: {Major: 2, Minor: 6},
		{2, 8}: {Major: 2, Minor: 8}, {3, 2}: {Major: 3, Minor: 2},
	} {
		table := parse(t, small(declared[0], declared[1]).Dump())
		assert.Equal(t, want, table.Version)
		assert.Equal(t, Version{Major: declared[0], Minor: declared[1]}, table.EntryPoint.Declared)
	}
}

func TestDecodeEntries(t *testing.T) {
	whole := Decode(nil, small(3, 2).Table())
	var raws [][]byte
	data := small(3, 2).Table()
	for i := range whole.Structures {
		end := len(data)
		if i+1 < len(whole.Structures) {
			end = whole.Structures[i+1].Offset
		}
		raws = append(raws, data[whole.Structures[i].Offset:end])
	}
	entries := DecodeEntries(raws)
	assert.Equal(t, FromEntries, entries.Source)
	assert.Equal(t, devicesOf(whole), devicesOf(entries))
	assert.Empty(t, entries.Problems)
	// A truncated structure affects only itself.
	raws[2] = raws[2][:len(raws[2])-3]
	cut := DecodeEntries(raws)
	assert.Len(t, cut.Structures, 5)
	assert.Equal(t, []string{CodeTruncated}, uniqueCodes(cut))
	assert.Equal(t, Field[string]{}, devicesOf(cut)[0].Locator)
	assert.Equal(t, devicesOf(entries)[1], devicesOf(cut)[1])
	assert.Empty(t, DecodeEntries(nil).Structures)
	// Offsets count over all files, in the text of a problem too.
	short := DecodeEntries([][]byte{raws[0], raws[1], {17, 40}})
	end := len(raws[0]) + len(raws[1])
	require.NotEmpty(t, short.Problems)
	assert.Equal(t, Problem{Code: CodeTruncated, Offset: end, Handle: -1,
		Text: fmt.Sprintf("table ends at 0x%x inside the header at 0x%x", end+2, end)}, short.Problems[0])
}

// Every truncated table must give the structures before the cut.
func TestEveryCut(t *testing.T) {
	data := server(3, 2).Table()
	whole := Decode(nil, data)
	for n := range data {
		table := Decode(nil, data[:n])
		viewAll(table)
		complete := 0
		for i := 1; i < len(whole.Structures); i++ {
			if whole.Structures[i].Offset <= n {
				complete = i
			}
		}
		require.GreaterOrEqual(t, len(table.Structures), complete, "cut at %d", n)
		for i := range complete {
			require.Equal(t, whole.Structures[i].Data, table.Structures[i].Data)
			require.Equal(t, whole.Structures[i].Strings(), table.Structures[i].Strings())
		}
		require.True(t, n == 0 || len(table.Problems) > 0, "cut at %d is not noticed", n)
	}
}

// Tables that are slow to decode: every byte looks like a header, and nothing ends. In make corpus they are of 1 MiB.
func TestHostileTables(t *testing.T) {
	n := 1 << 18
	if corpustest.Stage {
		n = 1 << 20
	}
	for _, fill := range [][]byte{{0x80}, {0x80, 4}, {0}, {1, 0}, {0, 0, 1}, {0x80, 4, 0, 0, 0, 0}, {0, 3, 0, 0, 0, 0}, {17, 0x54, 0, 1}} {
		data := bytes.Repeat(fill, n/len(fill))
		table := Decode(nil, append(slices.Clone(data), 7))
		assert.LessOrEqual(t, len(table.Problems), maxProblems)
		viewAll(table)
	}
}

// Strings returns the structure's strings in the order of the table, the string with number 1 first.
func (s *Structure) Strings() []string {
	if s.strs == "" {
		return nil
	}
	return strings.Split(s.strs, "\x00")
}

// TestEnds checks that truncation is harmless only after the end marker, that the last four bytes may be a header
// that announces too little, and that inactive structures may follow.
func TestEnds(t *testing.T) {
	harmless := func(data []byte) map[string]bool {
		out := map[string]bool{}
		for _, p := range parse(t, data).Problems {
			out[p.Code] = p.Harmless
		}
		return out
	}
	whole := small(3, 2).Table()
	assert.Equal(t, map[string]bool{CodeTruncated: true}, harmless(whole[:len(whole)-2]), "zeros of the end marker")
	assert.Equal(t, map[string]bool{CodeTruncated: false, CodeNoEndMarker: false}, harmless(whole[:len(whole)-10]))
	b := small(3, 2)
	b.NoEnd = true
	assert.Equal(t, []string{CodeZeroLength, CodeGarbage, CodeNoEndMarker}, uniqueCodes(parse(t, b.Raw(8, 3, 9, 0).Table())))
	b = small(2, 8)
	b.End()
	b.Add(126, []byte{1}, "inactive")
	table := parse(t, b.Dump())
	assert.Equal(t, []int{1, 16, 17, 17, 127, 126}, types(table))
	b = small(3, 2)
	b.NoEnd = true
	b.Raw(8, 3, 9, 0, 0, 0)
	b.MemoryDevice(smbiostest.DIMM{Array: 1, Locator: "B1"})
	b.MemoryDevice(smbiostest.DIMM{Array: 1, Locator: "B2"})
	assert.Equal(t, []int{1, 16, 17, 17, 17, 17}, types(parse(t, b.Table())), "two after garbage, up to the end of the data")
}

// TestFilesOfSysfsInOne checks that "cat smbios_entry_point DMI" is read like a dump: the table begins behind the entry
// point, whatever its length, and the address there is the physical one.
func TestFilesOfSysfsInOne(t *testing.T) {
	for _, c := range []struct {
		about                string
		kind                 smbiostest.Kind
		length, address, sum int
		major, minor         int
	}{{"_SM3_", smbiostest.SM3, 24, 0x12, 0x05, 3, 2}, {"_SM_", smbiostest.SM, 31, 0x1A, 0x15, 2, 8}, {"_DMI_", smbiostest.DMI, 15, 0x0A, 0x05, 2, 0}} {
		t.Run(c.about, func(t *testing.T) {
			b := small(c.major, c.minor)
			b.Kind = c.kind
			entry := b.EntryPoint()[:c.length]
			entry[c.address] += 0x0F // an address far beyond the file
			entry[c.sum] -= 0x0F
			table := parse(t, append(entry, b.Table()...))
			assert.Equal(t, types(parse(t, b.Dump())), types(table))
			assert.Empty(t, table.Problems)
		})
	}
}

// TestTextLayout checks that an empty line after its title ends a structure, and that a message of dmidecode's among
// its lines is not an attribute.
func TestTextLayout(t *testing.T) {
	const head = "# dmidecode 3.4\n\nHandle 0x0001, DMI type 1, 27 bytes\n"
	system, _ := parse(t, []byte(head+"System Information\nManufacturer: M\n")).System()
	assert.Equal(t, "M", system.Manufacturer.Value)
	system, _ = parse(t, []byte(head+"\nSystem Information\nManufacturer: M\n")).System()
	assert.Equal(t, "M", system.Manufacturer.Value)
	system, _ = parse(t, []byte(head+"System Information\n\tFamily: F\n\nManufacturer: M\n")).System()
	assert.Equal(t, Field[string]{}, system.Manufacturer)
	assert.Contains(t, uniqueCodes(parse(t, []byte(head+"System Information\n\tFamily: F\nWrong DMI structures count: 5 announced, only 1 decoded.\n"))), CodeCount)
	many := "# dmidecode 3.4\n" + strings.Repeat("Handle 0x0001, DMI type 1, 8 bytes\n", maxStructures+1)
	_, err := Parse([]byte(many))
	assert.ErrorIs(t, err, ErrTooLarge)
}

// TestSignatureOfZeros checks that an ID with flags but no signature gives none.
func TestSignatureOfZeros(t *testing.T) {
	for id, want := range map[string]Field[CPUID]{"00 00 00 00 FF FB EB BF": withStatus[CPUID](Unstated), "01 00 00 00 FF FB EB BF": knownField(CPUID{Stepping: 1})} {
		table := parse(t, []byte(printedText("3.4", typeProcessor, 48, "Family: Xeon", "ID: "+id)))
		assert.Equal(t, want, table.Processors()[0].CPUID, id)
	}
}

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
		t.Run(name, func(t *testing.T) {
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
			assert.Equal(t, n, len(table.Processors())+len(devicesOf(table)))
			assert.Equal(t, c.twice || c.kept, slices.Contains(uniqueCodes(table), CodeCopy))
		})
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
