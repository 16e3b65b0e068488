package smbios

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
)

// TestHostInterfaceTypes: what has no word up to 3Fh is MCTP's (DSP0134 7.43.1).
func TestHostInterfaceTypes(t *testing.T) {
	for code, want := range map[int]Field[string]{
		0: known("MCTP"), 0x02: known("KCS: Keyboard Controller Style"), 0x3F: known("MCTP"), 0x40: known("Network"),
		0x41: status[string](Bad), 0xF0: known("OEM"),
	} {
		assert.Equal(t, want, hostInterfaceType(code), code)
	}
}

// TestHostDevices: the descriptors of DSP0270 8.3, each as long as it must be and
// one byte shorter, where nothing can be read.
func TestHostDevices(t *testing.T) {
	for kind, c := range map[byte]struct {
		length, ids, mac int
		name             string
	}{
		2: {5, 1, 0, "USB"}, 3: {9, 1, 0, "PCI/PCIe"}, 4: {0x0D, 2, 7, "USB v2"}, 5: {0x14, 2, 10, "PCI/PCIe v2"},
	} {
		b := make([]byte, c.length)
		b[0] = kind
		copy(b[c.ids:], []byte{0x6B, 0x04, 0xB0, 0xFF})
		want := HostInterface{Device: known(c.name), VendorID: known(0x046B), ProductID: known(0xFFB0)}
		if c.mac > 0 {
			copy(b[c.mac:], []byte{2, 0x11, 0x22, 0x33, 0x44, 0xAB})
			want.MAC = known("02:11:22:33:44:ab")
		}
		var whole, short HostInterface
		whole.device(b)
		assert.Equal(t, want, whole, kind)
		short.device(b[:c.length-1])
		assert.Equal(t, HostInterface{Device: known(c.name)}, short, kind)
	}
	for kind, want := range map[byte]Field[string]{1: status[string](Bad), 6: status[string](Bad), 0x7F: status[string](Bad), 0x80: known("OEM"), 0xFF: known("OEM")} {
		var h HostInterface
		h.device(append([]byte{kind}, make([]byte, 30)...))
		assert.Equal(t, HostInterface{Device: want}, h, kind)
	}
}

// TestHostInterfaceLengths: a structure shorter than what it announces has
// neither device nor protocols; one without a device may have protocols.
func TestHostInterfaceLengths(t *testing.T) {
	for _, body := range [][]byte{{0x40}, {0x40, 200, 2}, {0x40, 1, 2}} {
		h := HostInterface{Type: known("Network")}
		h.binary(madeFields(typeHostInterface, body))
		assert.Equal(t, HostInterface{Type: known("Network")}, h, body)
	}
	for _, c := range []struct {
		records []byte
		want    int
	}{
		{[]byte{0, 2, 0, 3, 0}, 0}, {[]byte{1, 2, 0, 3, 0}, 1}, {[]byte{2, 2, 0, 3, 0}, 2}, {[]byte{3, 2, 0, 3, 0}, 2},
		{[]byte{1, 2}, 0}, {[]byte{1, 2, 1}, 0}, {[]byte{1, 2, 1, 9}, 1}, {[]byte{1}, 0},
	} {
		h := HostInterface{Type: known("Network")}
		h.binary(madeFields(typeHostInterface, append([]byte{0x40, 0}, c.records...)))
		assert.Len(t, h.Protocols, c.want, c.records)
		assert.Equal(t, Field[string]{}, h.Device)
	}
}

// TestProcessorInformation: type 44 names its processor, and holds as many bytes
// as it announces (DSP0134 7.45).
func TestProcessorInformation(t *testing.T) {
	b := smbiostest.New(3, 3)
	b.System(smbiostest.System{Manufacturer: "M"})
	b.Add(typeProcessorInfo, []byte{4, 0, 2, 7, 0xAA, 0xBB, 0xCC})
	b.Add(typeProcessorInfo, []byte{4, 0})
	got := parse(t, b.Dump()).ProcessorInfos()
	assert.Equal(t, known[uint16](4), got[0].Processor)
	assert.Equal(t, known(7), got[0].Architecture)
	assert.Equal(t, []byte{0xAA, 0xBB}, got[0].Data)
	assert.Equal(t, known[uint16](4), got[1].Processor)
	assert.Empty(t, got[1].Data)
}

// TestAddresses: a device's PCI address, and a controller's with its space.
func TestAddresses(t *testing.T) {
	assert.Equal(t, known("0000:03:03.1"), madeFields(typeOnboard, []byte{1, 0x85, 1, 0, 0, 3, 0x19}).busAddress(0x07))
	assert.Equal(t, Field[string]{}, madeFields(typeOnboard, []byte{1, 0x85, 1, 0, 0, 3}).busAddress(0x07))
	assert.Equal(t, status[string](Unstated), madeFields(typeOnboard, []byte{1, 3, 2, 0xFF, 0xFF, 0xFF, 0xFF}).busAddress(0x07))
	assert.Equal(t, known("0000:03:00.0"), printed(t, typeOnboard, 11, "Bus Address: 0000:03:00.0").busAddress(0x07))
	for v, bad := range map[string]bool{"0x0000000000000CA2 (I/O)": false, "0x0000000000000CA2": true, "none (I/O)": true} {
		var d IPMIDevice
		d.textAddress(printed(t, typeIPMI, 18, "Base Address: "+v))
		assert.Equal(t, bad, d.BaseAddress.Status == Bad && d.Space.Status == Bad, v)
	}
}

// TestChannelLoads: a channel has as many loads as it says, whatever follows.
func TestChannelLoads(t *testing.T) {
	b := smbiostest.New(3, 3)
	b.System(smbiostest.System{Manufacturer: "M"})
	b.Add(typeMemoryChannel, []byte{1, 4, 1, 2, 0x11, 0x11, 2, 0x12, 0x11})
	assert.Equal(t, []ChannelLoad{{Load: 2, Device: 0x1111}}, parse(t, b.Dump()).MemoryChannels()[0].Loads)
}

// TestProcessorCounts: FFFFh is no count; threads enabled are printed from
// dmidecode 3.6 on, and not when they are 0 (DSP0134 7.5).
func TestProcessorCounts(t *testing.T) {
	body := make([]byte, 0x32-4)
	body[0x23-4] = 0xFF
	for wide, want := range map[byte]Field[int]{0xFE: known(0xFFFE), 0xFF: status[int](Bad)} {
		body[0x2A-4], body[0x2B-4] = wide, 0xFF
		assert.Equal(t, want, madeFields(typeProcessor, body).count(0x23, 0x2A, "Core Count"), wide)
	}
	for _, c := range []struct {
		version, line string
		length        int
		want          Field[int]
	}{
		{"3.6", "Thread Enabled: 8", 0x32, known(8)}, {"3.6", "Core Count: 8", 0x32, status[int](Unstated)},
		{"3.5", "Core Count: 8", 0x32, Field[int]{}}, {"3.6", "Core Count: 8", 0x31, Field[int]{}},
	} {
		table := parse(t, []byte(printedText(c.version, typeProcessor, c.length, c.line)))
		f := table.fields(&table.Structures[0])
		assert.Equal(t, c.want, f.threadsEnabled(), c)
	}
	assert.Equal(t, Field[int]{}, madeFields(typeProcessor, body[:0x30-4]).threadsEnabled())
	for bits, want := range map[byte]Field[ProcessorCharacteristics]{
		0: status[ProcessorCharacteristics](Unstated), 2: status[ProcessorCharacteristics](Unstated), 4: known(Is64Bit), 0xFF: known[ProcessorCharacteristics](0xFC),
	} {
		body[0x26-4] = bits
		assert.Equal(t, want, madeFields(typeProcessor, body).characteristics(), bits)
	}
}

// TestFirmware: the extended ROM size in MB or GB, its bits from dmidecode 2.11
// on, and revisions that are there only as a whole (DSP0134 7.1).
func TestFirmware(t *testing.T) {
	body := make([]byte, 0x1A-4)
	body[0x09-4] = 0xFF
	for raw, want := range map[uint16]Field[int64]{
		16: known[int64](16 << 20), 0x4002: known[int64](2 << 30), 0x8001: status[int64](Bad), 0xC001: status[int64](Bad), 0: status[int64](Unstated),
	} {
		body[0x18-4], body[0x19-4] = byte(raw), byte(raw>>8)
		assert.Equal(t, want, madeFields(typeBIOS, body).romSize(), raw)
	}
	for raw, want := range map[[2]byte]Field[string]{
		{1, 2}: known("1.2"), {0xFF, 2}: status[string](Unstated), {1, 0xFF}: status[string](Unstated), {0xFE, 0}: known("254.0"),
	} {
		body[0x14-4], body[0x15-4] = raw[0], raw[1]
		assert.Equal(t, want, madeFields(typeBIOS, body).revision(0x14, "BIOS Revision"), raw)
	}
	for version, want := range map[string]Field[bool]{"2.10": {}, "2.11": known(true), "3.4": known(true)} {
		table := parse(t, []byte(printedText(version, typeBIOS, 24, "Characteristics:", "\tUEFI is supported")))
		f := table.fields(&table.Structures[0])
		uefi, _ := f.biosBits()
		assert.Equal(t, want, uefi, version)
	}
	ones := [16]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
	assert.Equal(t, status[string](Unstated), madeFields(typeSystem, ones[:]).uuid(4, "", false))
	for i := range ones {
		some := ones
		some[i] = 0
		assert.True(t, madeFields(typeSystem, some[:]).uuid(4, "", false).Known(), i)
		var one [16]byte
		one[i] = 1
		assert.True(t, madeFields(typeSystem, one[:]).uuid(4, "", false).Known(), i)
	}
}

// TestMoreProblems: the list of defects ends with the word that there are more.
func TestMoreProblems(t *testing.T) {
	for n, want := range map[int]string{maxProblems - 1: CodeVersion, maxProblems: CodeMore, maxProblems + 9: CodeMore} {
		var table Table
		for range n {
			table.problem(CodeVersion, 0, true, "x")
		}
		table.problemAt(CodeVersion, &Structure{}, true, "x")
		assert.Len(t, table.Problems, maxProblems)
		assert.Equal(t, CodeMore, table.Problems[maxProblems-1].Code, n)
		if n == maxProblems-1 {
			assert.Equal(t, want, table.Problems[maxProblems-2].Code)
		}
	}
}
