package smbios

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

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
	for id, want := range map[string]Field[CPUID]{"00 00 00 00 FF FB EB BF": status[CPUID](Unstated), "01 00 00 00 FF FB EB BF": known(CPUID{Stepping: 1})} {
		table := parse(t, []byte(printedText("3.4", typeProcessor, 48, "Family: Xeon", "ID: "+id)))
		assert.Equal(t, want, table.Processors()[0].CPUID, id)
	}
}
