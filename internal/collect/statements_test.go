package collect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

func known[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// TestWhyNoTable checks that the failure of a given file takes precedence over that of the tree.
func TestWhyNoTable(t *testing.T) {
	file, tree := &Failure{fact.Denied, "the file was denied"}, &Failure{fact.Absent, "no such tree"}
	for _, c := range []struct {
		c    collector
		want string
	}{
		{collector{failed: file, rootFailed: tree, given: true}, "the file was denied"}, {collector{failed: file, rootFailed: tree}, "the file was denied"},
		{collector{rootFailed: tree}, "no such tree"}, {collector{rootFailed: tree, given: true}, "the file holds no SMBIOS structure"},
		{collector{given: true, table: &smbios.Table{Err: smbios.ErrTooLarge}}, smbios.ErrTooLarge.Error()}, {collector{given: true, table: &smbios.Table{}}, "the file holds no SMBIOS structure"},
	} {
		assert.Equal(t, c.want, c.c.noTable().Reason)
	}
	names := func(c *collector) map[string]fact.SourceState {
		c.sys = &inventory.System{}
		c.sources()
		out := map[string]fact.SourceState{}
		for _, s := range c.sys.Sources {
			_, twice := out[s.Name]
			assert.False(t, twice, s.Name)
			out[s.Name] = s.State
		}
		return out
	}
	states := names(&collector{rootFailed: tree, given: true, table: &smbios.Table{}})
	assert.Len(t, states, len(kernelSources))
	assert.Equal(t, fact.SourceMalformed, states[inventory.SourceSMBIOS], "the file's own state")
	assert.Equal(t, fact.SourceAbsent, states[inventory.SourceNUMA])
	assert.Equal(t, fact.SourceAbsent, names(&collector{rootFailed: tree})[inventory.SourceSMBIOS])
}

// TestMeasurementsOfOthers checks that results of another product are shown and not checked.
func TestMeasurementsOfOthers(t *testing.T) {
	c := &collector{sys: &inventory.System{}}
	given := []inventory.Measurement{{Product: "R610"}, {Product: "R710"}, {}, {Product: "R710", Unjudged: "measured in a guest"}}
	for _, m := range c.measurements(given) {
		assert.False(t, m.Foreign, "a machine without a name is not another one")
	}
	c.sys.Machine.Product = known("R610")
	out := c.measurements(given)
	assert.Equal(t, []bool{false, true, false, true}, []bool{out[0].Foreign, out[1].Foreign, out[2].Foreign, out[3].Foreign})
	assert.Equal(t, []string{"", "measured on another machine: R710, and this is R610", "", "measured in a guest"},
		[]string{out[0].Unjudged, out[1].Unjudged, out[2].Unjudged, out[3].Unjudged})
	assert.Empty(t, given[1].Unjudged, "what was given stays as it is")
}

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

// TestReadGHW checks that ghw's strings are used, and that a difference from our own is a conflict in
// which our own is kept.
func TestReadGHW(t *testing.T) {
	folder := t.TempDir()
	dmi := filepath.Join(folder, "sys", "class", "dmi", "id")
	require.NoError(t, os.MkdirAll(dmi, 0o700))
	for name, text := range map[string]string{"sys_vendor": "Example Inc.", "product_name": "Server 1", "board_vendor": "Example Inc.", "board_name": "Board 1", "bios_vendor": "Maker", "bios_version": "1.2.3", "bios_date": "01/02/2023"} {
		require.NoError(t, os.WriteFile(filepath.Join(dmi, name), []byte(text+"\n"), 0o600))
	}
	c := &collector{sys: &inventory.System{}}
	got := c.readGHW(folder, identity{product: fact.Known("Server 2", fact.Direct, fact.Evidence{Raw: "Server 2"})})
	assert.Equal(t, []string{"Example Inc.", "Server 2", "Example Inc.", "Board 1", "Maker", "1.2.3", "01/02/2023"},
		[]string{got.vendor.Or(""), got.product.Or(""), got.boardVendor.Or(""), got.board.Or(""), got.biosVendor.Or(""), got.biosVersion.Or(""), got.biosDate.Or("")})
	if assert.Len(t, c.sys.Conflicts, 1) {
		assert.Equal(t, []string{"Server 2", "Server 1"}, []string{c.sys.Conflicts[0].Kept.Raw, c.sys.Conflicts[0].Dropped.Raw})
	}
}
