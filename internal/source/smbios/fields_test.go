package smbios

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestProcessorCounts: FFFFh is no count; threads enabled are printed from
// dmidecode 3.6 on, and not when they are 0 (DSP0134 7.5).
func TestProcessorCounts(t *testing.T) {
	body := make([]byte, 0x32-4)
	body[0x23-4] = 0xFF
	for wide, want := range map[byte]Field[int]{0xFE: known(0xFFFE), 0xFF: status[int](Malformed)} {
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
		0: status[ProcessorCharacteristics](Unstated), 2: status[ProcessorCharacteristics](Unstated), 4: known[ProcessorCharacteristics](4), 0xFF: known[ProcessorCharacteristics](0xFC),
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
		16: known[int64](16 << 20), 0x4002: known[int64](2 << 30), 0x8001: status[int64](Malformed), 0xC001: status[int64](Malformed), 0: status[int64](Unstated),
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
