package collect

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/smbios"
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
