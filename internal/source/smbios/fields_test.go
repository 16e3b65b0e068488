package smbios

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestProcessorCounts checks that FFFFh is not a count, and that threads enabled are printed from dmidecode 3.6 on,
// unless they are 0 (DSP0134 7.5).
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
}

// TestFirmware checks that dmidecode prints the characteristics bits from 2.11 on, and that a UUID is valid unless
// all its bits are equal.
func TestFirmware(t *testing.T) {
	for version, want := range map[string]Field[bool]{"2.10": {}, "2.11": known(true), "3.4": known(true)} {
		table := parse(t, []byte(printedText(version, typeBIOS, 24, "Characteristics:", "\tSystem is a virtual machine")))
		f := table.fields(&table.Structures[0])
		assert.Equal(t, want, f.virtualMachine(), version)
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

// TestMoreProblems checks that a list of defects that was limited says so at its end.
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
