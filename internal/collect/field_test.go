package collect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/smbios"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

// TestFieldStates distinguishes an invalid value, a value that firmware leaves open and a missing field.
func TestFieldStates(t *testing.T) {
	for status, want := range map[smbios.Status]fact.State{smbios.Malformed: fact.Malformed, smbios.Unstated: fact.Unstated, smbios.Missing: fact.Absent} {
		assert.Equal(t, want, unknownField[int](structure{kind: 17}, "Speed", status).State)
	}
	b := smbiostest.New(3, 2)
	array := b.Array(smbiostest.Array{Devices: 2})
	b.MemoryDevice(smbiostest.DIMM{Array: array, RawSize: 0x7FFF, Length: 0x1C})
	b.MemoryDevice(smbiostest.DIMM{Array: array, SizeUnknown: true})
	got := slotsOfTable(smbios.Decode(nil, b.Table()))
	require.Len(t, got, 2)
	assert.Equal(t, fact.Malformed, got[0].SizeBytes.State)
	assert.Equal(t, fact.Unstated, got[1].SizeBytes.State)
}
