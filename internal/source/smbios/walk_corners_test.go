package smbios

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

// TestPlausibleHeaders checks that a type of the specification has at least its oldest length and an OEM type (128
// and up) a header, and that types between are invalid.
func TestPlausibleHeaders(t *testing.T) {
	for _, c := range []struct {
		typ, length byte
		want        bool
	}{
		{17, 0x15, true}, {17, 0x14, false}, {46, 9, true}, {46, 8, false}, {47, 40, false}, {125, 4, false}, {126, 4, true}, {126, 3, false},
		{127, 4, true}, {127, 5, false}, {128, 4, true}, {128, 3, false}, {255, 255, true},
	} {
		assert.Equal(t, c.want, plausibleHeader(c.typ, c.length), c)
	}
}

// TestChains checks that structures found by trying have different handles, text in their strings and fields that
// refer to existing strings; the end marker ends them.
func TestChains(t *testing.T) {
	oem := func(handle byte, text string) []byte {
		return append([]byte{200, 5, handle, 0, 7}, text+"\x00\x00"...)
	}
	cache := []byte{typeCache, 0x0F, 9, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} // names a string and has none
	end := []byte{127, 4, 99, 0, 0, 0}
	junk := []byte{200, 250, 1, 2, 3}
	for name, c := range map[string]struct {
		data  []byte
		n     int
		chain bool
	}{
		"three":              {slices.Concat(oem(1, "a"), oem(2, "b"), oem(3, "c")), 3, true},
		"two to the end":     {slices.Concat(oem(1, "a"), oem(2, "b")), 3, true},
		"same handles":       {slices.Concat(oem(1, "a"), oem(2, "b"), oem(2, "c")), 3, false},
		"same handles later": {slices.Concat(oem(1, "a"), oem(2, "b"), oem(2, "c")), 2, true},
		"control characters": {slices.Concat(oem(1, "a"), oem(2, "b"), oem(3, "\x01")), 3, false},
		"control later":      {slices.Concat(oem(1, "a"), oem(2, "b"), oem(3, "\x01")), 2, true},
		"no string":          {slices.Concat(oem(1, "a"), cache), 2, false},
		"the end":            {slices.Concat(oem(1, "a"), end, junk), 3, true},
		"junk":               {slices.Concat(oem(1, "a"), junk), 2, false},
	} {
		assert.Equal(t, c.chain, (&walker{data: c.data, str: string(c.data)}).chain(0, c.n), name)
	}
	// Two are checked, the third is not.
	data := slices.Concat(oem(1, "a"), oem(2, "b"), junk)
	assert.True(t, (&walker{data: data}).plausible(0, 2))
	assert.False(t, (&walker{data: data}).plausible(0, 3))
	whole := slices.Concat(oem(1, "a"), oem(2, "b"))
	assert.True(t, (&walker{data: whole}).plausible(0, 3), "all up to the end of the data")
	assert.False(t, (&walker{data: whole[:len(whole)-1]}).plausible(0, 2), "no end")
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

// TestAnnouncedLength checks that an entry point without a length sets no limit.
func TestAnnouncedLength(t *testing.T) {
	b := small(2, 8)
	entry := b.EntryPoint()
	entry[0x15] += entry[0x16] + entry[0x17]
	entry[0x16], entry[0x17] = 0, 0
	table := Decode(entry, b.Table())
	assert.Len(t, table.Structures, 5)
	assert.Empty(t, table.Problems)
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

// TestWordLists checks that a code below or above the listed words has none.
func TestWordLists(t *testing.T) {
	w := wordList{first: 1, words: []string{"a", "b"}, more: []codeWord{{9, "z"}}, old: []string{"x", "a", "y", "b"}}
	for code, want := range map[int]string{0: "", 1: "a", 2: "b", 3: "", 9: "z", 10: ""} {
		assert.Equal(t, want, w.lookup(code), code)
	}
	for word, want := range map[string]string{"x": "a", "y": "b", "a": "", "": ""} {
		got, ok := w.renamed(word)
		assert.Equal(t, want, got)
		assert.Equal(t, want != "", ok)
	}
}

// TestHexRows checks bytes of two digits separated by one blank.
func TestHexRows(t *testing.T) {
	for row, want := range map[string][]byte{"CA fe 09": {0xCA, 0xFE, 9}, "CA": {0xCA}, "CA ": {0xCA}, "": nil, "CA 1": nil, "C": nil, "G0": nil, "0G": nil, "CA,1D": nil, "CA1D": nil} {
		got, ok := parseHexRow(nil, row)
		assert.Equal(t, want != nil, ok, row)
		if ok {
			assert.Equal(t, want, got)
		}
	}
}

// TestTextMessages checks that text that only resembles dmidecode's messages is not one.
func TestTextMessages(t *testing.T) {
	for text, want := range map[string]error{
		"SMBIOS is a standard\nof the DMTF\n":                  ErrUnrecognised,
		"all of it is present.\n":                              ErrUnrecognised,
		"Legacy DMI is old\n":                                  ErrUnrecognised,
		"cat: dump.txt: No such file or directory\n":           ErrUnrecognised,
		"see /dev/mem for it\n":                                ErrUnrecognised,
		"dmidecode is a program\n":                             ErrUnrecognised,
		"dmidecode 3 is a program\n":                           ErrUnrecognised,
		"dmidecode 3a4 is a program\n":                         ErrUnrecognised,
		"dmidecode .5 is a program\n":                          ErrUnrecognised,
		"dmidecode 3.x is a program\n":                         ErrUnrecognised,
		"Memory Device\n\tSize: 16 GB\n":                       ErrNoHandles,
		"/dev/mem: No such file or directory\n":                ErrNoTable,
		"# SMBIOS entry point missing\n":                       ErrNoTable,
		"/dev/mem: Operation not permitted\nMemory Device\n":   ErrDenied,
		"Can't read memory from /dev/mem\nNo SMBIOS nor DMI\n": ErrDenied,
	} {
		_, err := Parse([]byte(text))
		require.ErrorIs(t, err, want, text)
	}
	for text, want := range map[string]Version{
		"3.2.1 present.": {Major: 3, Minor: 2, Revision: 1}, "2.8 present.": {Major: 2, Minor: 8}, "255.255.255 present.": {Major: 255, Minor: 255, Revision: 255},
		"3.256 present.": {Major: 3}, "256.1 present.": {}, "present.": {}, "3. present.": {Major: 3}, "3.2.1.4 present.": {Major: 3, Minor: 2, Revision: 1},
	} {
		assert.Equal(t, want, parseVersion(text), text)
	}
	assert.Equal(t, strings.Repeat("a", 60), clipLine(strings.Repeat("a", 60)))
	assert.Equal(t, strings.Repeat("a", 60)+"...", clipLine(strings.Repeat("a", 61)))
}

// TestHandleLines checks that handles have 16 bits, types and lengths eight.
func TestHandleLines(t *testing.T) {
	for line, ok := range map[string]bool{
		"Handle 0xFFFF, DMI type 255, 255 bytes": true, "Handle 0x10000, DMI type 17, 40 bytes": false, "Handle 0xZZ, DMI type 17, 40 bytes": false,
		"Handle 0x0001, DMI type 256, 40 bytes": false, "Handle 0x0001, DMI type 17, 256 bytes": false, "Handle 0x0001, DMI type x, 40 bytes": false,
		"Handle 0x0001, DMI type 17, x bytes": false, "Handle 0x0001": false,
	} {
		table := parse(t, []byte("# dmidecode 3.4\n\nHandle 0x0000, DMI type 1, 27 bytes\nSystem Information\n\tFamily: F\n\n"+line+"\nTitle\n\tSize: 1 GB\n"))
		assert.Equal(t, ok, len(table.Structures) == 2, line)
		assert.Equal(t, !ok, slices.Contains(uniqueCodes(table), CodeText), line)
	}
	for content, want := range map[string][2]string{"A: b": {"A", "b"}, "A:": {"A", ""}, ": b": {"", "b"}, ":": {"", ""}, "A:b": {"", "A:b"}, "ab": {"", "ab"}} {
		key, val, ok := splitAttribute(content)
		assert.Equal(t, want, [2]string{key, val}, content)
		assert.Equal(t, strings.HasSuffix(content, ":") || strings.Contains(content, ": "), ok, content)
	}
	// The end marker's four bytes in hexadecimal are a structure like any other.
	table := parse(t, []byte("# dmidecode 3.4\n\nHandle 0x0000, DMI type 1, 27 bytes\nSystem Information\n\tFamily: F\n\n"+
		"Handle 0x0099, DMI type 127, 4 bytes\n\tHeader and Data:\n\t\t7F 04 99 00\n"))
	require.Len(t, table.Structures, 2)
	assert.Equal(t, []byte{0x7F, 4, 0x99, 0}, table.Structures[1].Data)
	// UTF-16 with half a character at its end.
	assert.Equal(t, "ab", textOf([]byte{0xFF, 0xFE, 'a', 0, 'b', 0, 'c'}))
}

// TestHexStrings checks that -u prints each string twice, as bytes in rows up to the zero and as text, of which the
// line of a blank string may be lost.
func TestHexStrings(t *testing.T) {
	for rows, want := range map[string]struct {
		area string
		ok   bool
	}{
		"45 78 00|Ex": {"Ex", true}, "45|78 00|Ex|41 00|A": {"Ex\x00A", true}, "20 00| |41 00|A": {" \x00A", true}, "20 00|41 00|A": {" \x00A", true},
		"45 78 00": {"Ex", true}, "45 78": {"", false}, "Ex": {"", false}, "00": {"", true}, "20 00": {" ", true},
	} {
		h := hexDump{strs: strings.Split(rows, "|")}
		area, ok := h.hexStrings()
		assert.Equal(t, want.ok, ok, rows)
		assert.Equal(t, want.area, area, rows)
	}
	h := hexDump{data: []byte{1}}
	assert.False(t, h.take(textLine{key: "Size", val: "1 GB"}), "an attribute after the bytes")
	h.blank()
	assert.Empty(t, h.strs)
	assert.True(t, h.take(textLine{key: "Strings"}))
	h.blank()
	assert.Equal(t, []string{" "}, h.strs)
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

// TestImpossible checks that a structure of the maximum length is accepted, and that a position where none can be
// counts like an impossible one.
func TestImpossible(t *testing.T) {
	structure := func(length uint8) Structure { return Structure{Type: typeSystem, Length: length} }
	assert.Equal(t, 1, (&Table{Structures: []Structure{structure(longest), structure(longest + 1)}}).impossible())
	assert.Equal(t, 2, (&Table{Problems: []Problem{{Code: CodeZeroLength}, {Code: CodeZeroLength}, {Code: CodeGarbage}}}).impossible())
}

// TestSignatureOfZeros checks that an ID with flags but no signature gives none.
func TestSignatureOfZeros(t *testing.T) {
	for id, want := range map[string]Field[CPUID]{"00 00 00 00 FF FB EB BF": status[CPUID](Unstated), "01 00 00 00 FF FB EB BF": known(CPUID{Stepping: 1})} {
		table := parse(t, []byte(printedText("3.4", typeProcessor, 48, "Family: Xeon", "ID: "+id)))
		assert.Equal(t, want, table.Processors()[0].CPUID, id)
	}
}
