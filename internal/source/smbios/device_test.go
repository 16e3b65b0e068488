package smbios

import (
	"fmt"
	"strings"
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
	bad := withStatus[string](Malformed)
	assert.Equal(t, [][3]Field[string]{
		{knownField("MRDIMM"), knownField("CAMM"), knownField("MRDIMM")},
		{knownField("HBM3"), knownField("Die"), knownField("Intel Optane DC persistent memory")},
		{knownField("DDR2 FB-DIMM"), knownField("FB-DIMM"), withStatus[string](Unstated)},
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
		Handle: 0xCA, Device: knownField[uint16](0x1F), Processor: knownField(1), Controller: knownField(2), Channel: knownField(6), IndexInChannel: knownField(0),
	}, {
		Handle: 0xCB, Device: knownField[uint16](0x20), Processor: withStatus[int](Unstated),
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

// processorFamilies is a table of processors whose first bytes are a CPUID signature or not: each range of families
// of DSP0134 7.5.2 with its neighbours, and vendors without a family.
func processorFamilies() *smbiostest.Builder {
	b := smbiostest.New(3, 5)
	processor := func(family int, maker string, signature byte) {
		body := make([]byte, 0x2A-4)
		copy(body, []byte{1, 3, 0xFE, 2, signature, 0x0F})
		if signature == 0 {
			body[5] = 0
		}
		body[0x18-4], body[0x19-4] = 0x41, 1
		copy(body[0x1A-4:], []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF})
		body[0x28-4], body[0x29-4] = byte(family), byte(family>>8)
		b.Add(typeProcessor, body, "P", maker)
	}
	for _, run := range x86Families {
		for family := run[0] - 1; family <= run[1]+1; family++ {
			if family == familyCore2OrK7 || wordLists()["processor family"].names[family] != "" {
				processor(family, "M", 0x51)
			}
		}
	}
	for _, maker := range []string{"Intel", "AMD", "Other"} {
		for family := 1; family <= 3; family++ {
			processor(family, maker, 0x51)
		}
	}
	processor(0xB3, "Intel", 0)
	return b
}

// TestProcessorSignatures checks that a processor has a CPUID signature if the installed dmidecode prints one, and if the
// specification names an x86 processor that dmidecode 3.4 does not know.
func TestProcessorSignatures(t *testing.T) {
	dump := processorFamilies().Dump()
	printed := map[string]string{}
	for _, block := range strings.Split(runDmidecode(t, dump), "\n\nHandle ") {
		_, signature, _ := strings.Cut(block, "\n\tSignature: ")
		signature, _, _ = strings.Cut(signature, "\n")
		printed[block[:min(6, len(block))]] = strings.TrimPrefix(signature, "Type 0, ")
	}
	var onlyOurs, onlyTheirs []string
	for _, p := range parse(t, dump).Processors() {
		theirs, ours := printed[fmt.Sprintf("0x%04X", p.Handle)], ""
		if c, ok := p.CPUID.Get(); ok {
			ours = fmt.Sprintf("Family %d, Model %d, Stepping %d", c.Family, c.Model, c.Stepping)
		}
		switch {
		case ours == theirs:
		case theirs == "":
			onlyOurs = append(onlyOurs, p.FamilyName.Value+" of "+p.Manufacturer.Value)
		case ours == "":
			onlyTheirs = append(onlyTheirs, p.FamilyName.Value+": "+theirs)
		default:
			t.Errorf("family 0x%02X %s: %s, dmidecode says %s", p.Family.Value, p.FamilyName.Value, ours, theirs)
		}
	}
	assert.Subset(t, []string{
		"Intel of M",                                                       // dmidecode 3.4 does not know this one
		"Crusoe TM5000 of M", "Crusoe TM3000 of M", "Efficeon TM8000 of M", // Transmeta's
		"6x86 of M", "MediaGX of M", "MII of M", "WinChip of M", // Cyrix's and IDT's
		"Other of Intel", " of Intel", "Other of AMD", " of AMD", // it looks at the version's words
	}, onlyOurs)
	assert.Subset(t, []string{
		"80386: Family 15, Major Stepping 5, Minor Stepping 1",                                                 // what it had after reset: no CPUID
		"Opteron A-Series: Family 15, Model 5, Stepping 1", "Opteron A-Series: Family 15, Model 5, Stepping 1", // Arm's
		"Xeon: Family 0, Model 0, Stepping 0", // zeros are none
	}, onlyTheirs)
}

// TestSignatureOfText checks old texts of dmidecode, which have the signature without the ID; Arm's is not a CPUID
// signature.
func TestSignatureOfText(t *testing.T) {
	for printed, want := range map[string]Field[CPUID]{
		"Type 0, Family 6, Model 62, Stepping 4":                                 knownField(CPUID{Family: 6, Model: 62, Stepping: 4}),
		"Family 1, Model 5, Stepping 2":                                          knownField(CPUID{Family: 1, Model: 5, Stepping: 2}),
		"Family 0, Model 5, Stepping 2":                                          {},
		"Implementor 0x41, Variant 0x3, Architecture 15, Part 0xd0c, Revision 1": {},
	} {
		table := parse(t, []byte("# dmidecode 2.9\nSMBIOS 2.4 present.\n\nHandle 0x0004, DMI type 4, 35 bytes\nProcessor Information\n\tSignature: "+printed+"\n"))
		assert.Equal(t, want, table.Processors()[0].CPUID, printed)
	}
	table := parse(t, []byte("# dmidecode 2.9\nSMBIOS 2.4 present.\n\nHandle 0x0004, DMI type 4, 35 bytes\nProcessor Information\n\tType: Central Processor\n"))
	assert.Equal(t, Field[CPUID]{}, table.Processors()[0].CPUID)
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
	assert.Equal(t, knownField[int64](256<<30), d.Size)
	assert.Equal(t, knownField(70000), d.Speed)
	assert.Equal(t, knownField(66000), d.ConfiguredSpeed)
	of255 := parse(t, oddities().Dump()).Processors()[2]
	assert.Equal(t, Malformed, of255.CoreCount.Status, "255 stands for the second field, which the structure does not have")
}
