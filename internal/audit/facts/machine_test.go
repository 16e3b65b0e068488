package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// TestProcessorsOfACutTable checks that an incomplete table does not show how many processors there are.
func TestProcessorsOfACutTable(t *testing.T) {
	sys := &inventory.System{Sockets: []inventory.Socket{{Populated: fact.Known(true, fact.Direct, fact.Evidence{})}}}
	whole := populatedSockets(&Machine{sys: sys})
	assert.Equal(t, fact.OK, whole.State)
	sys.Firmware.Lost = &inventory.Problem{Text: "table ends at 0x50"}
	cut := populatedSockets(&Machine{sys: sys})
	assert.Equal(t, fact.Truncated, cut.State)
	assert.Contains(t, cut.Reason, "processors may be missing from the list: table ends at 0x50")
}

// TestFactsOfAPlatform checks that a number without a document is unknown and that unconfirmed data are unverified,
// so that a finding on them stays info.
func TestFactsOfAPlatform(t *testing.T) {
	of := func(p platform.Platform) *Machine {
		return NewMachine(&inventory.System{}, &population.Result{Platform: sure(&p)})
	}
	bare, full := of(platform.Platform{Name: "Example", Verified: true}), of(platform.Platform{Verified: true, Policy: platform.PolicyAny, Controllers: 1, MaxDPC: 1,
		RecommendedDIMMs: []int{8}, Detail: platform.Detail{Classes: "example"}, Unverified: map[string]bool{"max_dpc": true, "recommended_dimms": true}})
	holdFields(t, "platform", []fieldCase{
		{"no document", "controllers", bare, nil, "no document of Example gives the number of controllers"},
		{"no document", "max_dpc", bare, nil, "no document of Example gives the DIMMs per channel"},
		{"no policy", "graded", bare, false, ""}, {"a policy", "graded", full, true, ""},
		{"no scheme", "classed", bare, false, ""}, {"a scheme", "classed", full, true, ""},
		{"none documented", "recommended_dimms", bare, []int64{}, ""}, {"documented", "recommended_dimms", full, []int64{8}, ""},
		{"one", "controllers", full, int64(1), ""}, {"one", "max_dpc", full, int64(1), ""},
	})
	guess := of(platform.Platform{Controllers: 2, MaxDPC: 2})
	for _, c := range []struct {
		m          *Machine
		field      string
		unverified bool
	}{
		{full, "controllers", false}, {full, "max_dpc", true}, {guess, "controllers", true},
		{full, "classed", false}, {full, "recommended_dimms", true}, {guess, "recommended_dimms", false}, // nothing is recommended
	} {
		v := read(t, "platform", c.field, c.m)
		assert.Equal(t, c.unverified, v.Unverified, c.field)
	}
	doubted := of(platform.Platform{Verified: true, Controllers: 2})
	doubted.population.Platform.Unverified = true
	for _, field := range []string{"controllers", "recommended_dimms"} {
		v := read(t, "platform", field, doubted)
		assert.True(t, v.Unverified, "%s of a platform that is recognised by what no document confirms", field)
	}
}
