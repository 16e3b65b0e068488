package smbios

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

// madeFields returns the fields of one structure from bytes; the body starts at 04h.
func madeFields(typ uint8, body []byte, strs ...string) *fields {
	data := append([]byte{typ, uint8(4 + len(body)), 1, 0}, body...)
	return &fields{s: &Structure{Type: typ, Length: data[1], Handle: 1, Data: data, strs: strings.Join(strs, "\x00")}}
}

// printed returns the fields of one structure of dmidecode's text.
func printed(t *testing.T, typ, length int, lines ...string) *fields {
	t.Helper()
	table := parse(t, []byte(printedText("3.4", typ, length, lines...)))
	f := table.fields(&table.Structures[0])
	return &f
}

func printedText(version string, typ, length int, lines ...string) string {
	return fmt.Sprintf("# dmidecode %s\nSMBIOS 3.5.0 present.\n\nHandle 0x0001, DMI type %d, %d bytes\nTitle\n\t%s\n", version, typ, length, strings.Join(lines, "\n\t"))
}

// TestMaxCapacity checks that 80000000h refers to the eight-byte field, where a value with bit 63 set is invalid and
// 0 is unstated (DSP0134 7.17).
func TestMaxCapacity(t *testing.T) {
	for extended, want := range map[uint64]Field[int64]{
		0: status[int64](Unstated), 1: known[int64](1), math.MaxInt64: known[int64](math.MaxInt64), math.MaxInt64 + 1: status[int64](Malformed),
	} {
		body := make([]byte, 0x17-4)
		binary.LittleEndian.PutUint32(body[0x07-4:], 0x80000000)
		binary.LittleEndian.PutUint64(body[0x0F-4:], extended)
		assert.Equal(t, want, madeFields(typeMemoryArray, body).maxCapacity(), extended)
	}
}

// TestRangeSize checks that a range ends after its start, and that one of all 32 bits of KB refers to the extended
// fields, which are missing (DSP0134 7.20).
func TestRangeSize(t *testing.T) {
	bad := status[uint64](Malformed)
	for _, c := range []struct {
		start, end Field[uint64]
		want       Field[int64]
	}{
		{known[uint64](0), known[uint64](0x3FF), known[int64](1024)},
		{known[uint64](5), known[uint64](5), status[int64](Malformed)},
		{known[uint64](5), known[uint64](3), status[int64](Malformed)},
		{bad, known[uint64](10), status[int64](Malformed)},
		{known[uint64](0), bad, status[int64](Malformed)},
		{known[uint64](0), Field[uint64]{}, Field[int64]{}},
		{Field[uint64]{}, known[uint64](9), Field[int64]{}},
		{known[uint64](0), known[uint64](math.MaxInt64), status[int64](Malformed)},
		{known[uint64](0), known[uint64](math.MaxInt64 - 1), known[int64](math.MaxInt64)},
		{known[uint64](0), known[uint64](extendedStart | 0x3FF), status[int64](Malformed)},
		{known[uint64](1024), known[uint64](1024 + extendedStart | 0x3FF), known[int64](extendedStart + 1024)},
		{known[uint64](1), known[uint64](1 + extendedStart | 0x3FF), known[int64](extendedStart + 1023)},
	} {
		assert.Equal(t, c.want, rangeSize(c.start, c.end), "%v to %v", c.start, c.end)
	}
	for address, want := range map[string]Field[uint64]{
		"0x00000000400": known[uint64](0x400), "0x3FFFFFFFC00": bad, "nothing": bad,
	} {
		assert.Equal(t, want, printed(t, typeArrayMapping, 15, "Starting Address: "+address).textAddress("Starting Address"), address)
	}
}

// TestPrintedNumbers checks that a printed number is a value of the field's width, or malformed.
func TestPrintedNumbers(t *testing.T) {
	for v, want := range map[string]Field[int]{
		"1.35 V": known(1350), "1.2": known(1200), "1.09 V": known(1090), "1000 V": known(1000000), "1001 V": status[int](Malformed),
		"low": status[int](Malformed), "Unknown": status[int](Unstated),
	} {
		assert.Equal(t, want, printed(t, typeMemoryDevice, 84, "Minimum Voltage: "+v).millivolts(0x22, "Minimum Voltage"), v)
	}
	for v, want := range map[string]Field[uint16]{
		"0x1000": known[uint16](0x1000), "0xFFFF": {Value: 0xFFFF, Status: Unstated}, "0x10000": status[uint16](Malformed), "1": status[uint16](Malformed),
	} {
		assert.Equal(t, want, printed(t, typeMemoryDevice, 84, "Array Handle: "+v).handle(0x04, "Array Handle", 0xFFFF), v)
	}
	for v, want := range map[string]Field[uint64]{
		"A5 06 01 00 FF FB EB BF": known[uint64](0xBFEBFBFF000106A5), "A5 06 01 00 FF FB EB": status[uint64](Malformed),
		"A5 06 01 00 FF FB EB BG": status[uint64](Malformed), "01 00 00 00 00 00 00 00": known[uint64](1), "00 00 00 00 00 00 00 00": status[uint64](Unstated),
	} {
		assert.Equal(t, want, printed(t, typeProcessor, 48, "ID: "+v).processorID(), v)
	}
	for v, want := range map[string]int64{"4 EB": 4 << 60, "4096 PB": 4096 << 50, "4097 PB": -1, "5 EB": -1} {
		n, ok := parseSize(v)
		if assert.Equal(t, want >= 0, ok, v); ok {
			assert.Equal(t, want, n, v)
		}
	}
}

// TestFamilyOfTwo checks that the vendor decides the family of numbers that were assigned twice.
func TestFamilyOfTwo(t *testing.T) {
	family := func(n byte, maker string, v Version) string {
		_, name := madeFields(typeProcessor, []byte{0, 3, n, 1, 0, 0, 0, 0}, maker).family(known(maker), v)
		return name.Value
	}
	old := Version{Major: 2}
	assert.Equal(t, "Pentium Pro", family(0x30, "Intel", old))
	assert.Equal(t, "Alpha", family(0x30, "DEC", old))
	assert.Equal(t, "Alpha", family(0x30, "Intel", Version{Major: 2, Minor: 1}))
	assert.Equal(t, "Alpha 21064", family(0x31, "Intel", old))
	for maker, want := range map[string]string{"Intel": "Core 2", "INTEL(R) Corporation": "Core 2", "GenuineIntel": "Core 2",
		"amd": "K7", "AMD": "K7", "AuthenticAMD": "K7", "Int": "Core 2 or K7", "": "Core 2 or K7"} {
		assert.Equal(t, want, family(familyCore2OrK7, maker, old), maker)
	}
	for word, want := range map[string]Field[int]{"Core 2": known(0xBE), "K7": known(0xBE), "Core 2 or K7": known(0xBE), "ARM": {}, "ARMv8": known(0x101),
		"of tomorrow": {}} {
		got, name := printed(t, typeProcessor, 48, "Family: "+word).textFamily()
		assert.Equal(t, want, got, word)
		assert.Equal(t, known(word), name)
	}
}

// TestField checks that a value is returned only if it is known.
func TestField(t *testing.T) {
	v, ok := known(3).Get()
	assert.True(t, ok)
	assert.Equal(t, 3, v)
	_, ok = status[int](Unstated).Get()
	assert.False(t, ok)
	assert.Equal(t, 3, known(3).Or(7))
	assert.Equal(t, 7, status[int](Malformed).Or(7))
	assert.True(t, DetailRegistered.Has(DetailRegistered))
	assert.False(t, DetailRegistered.Has(DetailRegistered|DetailLRDIMM))
}

// TestPrintable checks that a character that is not printable ASCII becomes a dot, as in dmidecode.
func TestPrintable(t *testing.T) {
	for raw, want := range map[string]string{"a b~": "a b~", "\x01": ".", "\x7f": ".", "\x1f\xc3": "..", "a\x01": "a.", "~ ": "~ "} {
		assert.Equal(t, want, printable(raw), "%q", raw)
	}
}

// TestPlaceholders checks that case, and dots and spaces around, do not matter.
func TestPlaceholders(t *testing.T) {
	for _, v := range []string{"", "To Be Filled By O.E.M.", " to be filled by o.e.m", "UNKNOWN", "N/A", "NO DIMM", "Z/A", "ZZZ", "[Empty]", "0x0000", "Unknown Product", "CPU Version", "--", "Z-"} {
		assert.Equal(t, !strings.Contains(v, "Z"), Placeholder(v), v)
	}
	assert.False(t, Placeholder("To Be Filled By O.E.M. or so"))
	assert.False(t, Placeholder("unknown maker"))
	assert.Equal(t, Placeholder("AVAILABLE NOT"), Placeholder("available not"))
}

// TestDuplicates checks that only two arrays, devices or mappings with one handle can be confused; the end marker and
// inactive structures often share a handle.
func TestDuplicates(t *testing.T) {
	for _, c := range []struct {
		types    [2]uint8
		problem  bool
		harmless bool
	}{
		{[2]uint8{16, 16}, true, false}, {[2]uint8{17, 17}, true, false}, {[2]uint8{19, 19}, true, false},
		{[2]uint8{7, 7}, true, true}, {[2]uint8{16, 17}, true, true}, {[2]uint8{17, 200}, true, true}, {[2]uint8{125, 125}, true, true},
		{[2]uint8{128, 128}, true, true}, {[2]uint8{17, 126}, false, false}, {[2]uint8{126, 200}, false, false}, {[2]uint8{126, 126}, false, false},
	} {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: "M"})
		for i, typ := range c.types {
			b.NextHandle(9)
			b.Add(typ, append(make([]byte, 0x50), byte(i)))
		}
		b.NextHandle(1000)
		var found []Problem
		for _, p := range Decode(nil, b.Table()).Problems {
			if p.Code == CodeDuplicateHandle {
				found = append(found, p)
			}
		}
		if require.Equal(t, c.problem, len(found) == 1, "%v: %v", c.types, found); c.problem {
			assert.Equal(t, c.harmless, found[0].Harmless, c.types)
		}
	}
}

// TestCounts checks that missing structures are harmless if the table has its end, or as many structures as
// announced, and that a text that ends early was truncated.
func TestCounts(t *testing.T) {
	harmless := func(table *Table, code string) string {
		for _, p := range table.Problems {
			if p.Code == code {
				return fmt.Sprint(p.Harmless)
			}
		}
		return "none"
	}
	b := small(2, 8)
	b.Count = 1
	assert.Equal(t, "true", harmless(parse(t, b.Dump()), CodeCount), "one is announced, five are there")
	for _, kind := range []struct {
		noEnd bool
		count int
		codes [2]string // of the count, of the end
	}{{false, 5, [2]string{"none", "none"}}, {false, 9, [2]string{"true", "none"}}, {true, 4, [2]string{"none", "true"}},
		{true, 5, [2]string{"false", "false"}}} {
		b := small(2, 8)
		b.NoEnd, b.Count = kind.noEnd, kind.count
		table := parse(t, b.Dump())
		assert.Equal(t, [2]string{harmless(table, CodeCount), harmless(table, CodeNoEndMarker)}, kind.codes, kind)
	}
	b = small(3, 2)
	b.NoEnd = true
	assert.Equal(t, "false", harmless(parse(t, b.Dump()), CodeNoEndMarker), "nothing is announced")
	empty := smbiostest.New(2, 8)
	empty.NoEnd = true
	nothing := parse(t, empty.Dump())
	assert.Zero(t, nothing.EntryPoint.Structures)
	assert.Equal(t, [2]string{"false", "none"}, [2]string{harmless(nothing, CodeNoStructures), harmless(nothing, CodeNoEndMarker)},
		"none announced and none found do not agree on anything")
	assert.Equal(t, "true", harmless(DecodeEntries([][]byte{{16, 15, 1, 0, 3, 3, 3, 0, 0, 0, 4, 0xFE, 0xFF, 1, 0, 0, 0}}), CodeNoEndMarker))
	text := func(announced int, end string) *Table {
		return parse(t, []byte(fmt.Sprintf("# dmidecode 3.4\n%d structures occupying 100 bytes.\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tFamily: F\n\n%s", announced, end)))
	}
	const end = "Handle 0x0002, DMI type 127, 4 bytes\nEnd Of Table\n"
	assert.Equal(t, "none", harmless(text(2, end), CodeCount))
	assert.Equal(t, "true", harmless(text(1, end), CodeCount), "more than announced")
	assert.Equal(t, "false", harmless(text(3, end), CodeCount), "fewer: lines are missing")
	assert.Equal(t, "false", harmless(text(3, ""), CodeCount))
}

// TestReferences checks that handles that `dmidecode -t 17` leaves out are no defect, and that unresolved handles in
// a complete table are.
func TestReferences(t *testing.T) {
	device := "Handle 0x0011, DMI type 17, 40 bytes\nMemory Device\n\tArray Handle: 0x0010\n\tSize: 1 GB\n\n"
	const end = "Handle 0x0099, DMI type 127, 4 bytes\nEnd Of Table\n"
	assert.NotContains(t, uniqueCodes(parse(t, []byte("# dmidecode 3.4\n\n"+device))), CodeDanglingHandle)
	assert.Contains(t, uniqueCodes(parse(t, []byte("# dmidecode 3.4\n\n"+device+end))), CodeDanglingHandle)
	b := small(3, 2)
	b.NoEnd = true
	b.MemoryDevice(smbiostest.DIMM{Array: 0x77})
	assert.Contains(t, uniqueCodes(parse(t, b.Dump())), CodeDanglingHandle, "not a text")
	b = smbiostest.New(3, 2)
	b.Add(typeMemoryArray, []byte{3, 3, 3, 0, 0, 0, 4, 0x55, 0, 1, 0})
	assert.Contains(t, uniqueCodes(parse(t, b.Dump())), CodeDanglingHandle, "the only field that refers")
}

// TestSpelledOut checks a field that refers to a missing string, and a length below the oldest one; a short cache
// structure does not affect the memory.
func TestSpelledOut(t *testing.T) {
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "M"})
	b.Add(typeCache, append([]byte{1}, make([]byte, 0x0E)...))
	table := parse(t, b.Dump())
	assert.Equal(t, []string{CodeStringIndex}, uniqueCodes(table))
	for typ, want := range map[uint8]bool{typeCache: true, typeArrayMapping: false} {
		b = smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: "M"})
		b.Add(typ, make([]byte, int(minLength[typ])-5))
		var found []bool
		for _, p := range parse(t, b.Dump()).Problems {
			if p.Code == CodeLength {
				found = append(found, p.Harmless)
			}
		}
		assert.Equal(t, []bool{want}, found, typ)
	}
	empty := printedText("3.4", typeMemoryDevice, 40, "Size: No Module Installed", "Form Factor: <OUT OF SPEC>")
	assert.NotContains(t, uniqueCodes(parse(t, []byte(empty))), CodeOutOfSpec)
	full := printedText("3.4", typeMemoryDevice, 40, "Size: 1 GB", "Form Factor: <OUT OF SPEC>")
	assert.Contains(t, uniqueCodes(parse(t, []byte(full))), CodeOutOfSpec)
}
