package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// TestProcessorsOfACutTable checks that an incomplete table does not show how many processors there are.
func TestProcessorsOfACutTable(t *testing.T) {
	sys := &inventory.System{Sockets: []inventory.Socket{{Populated: fact.Known(true, fact.Direct, fact.Evidence{})}}}
	whole := populatedSockets(&Machine{sys: sys})
	assert.Equal(t, fact.OK, whole.state)
	sys.Firmware.Lost = &inventory.Problem{Text: "table ends at 0x50"}
	cut := populatedSockets(&Machine{sys: sys})
	assert.Equal(t, fact.Truncated, cut.state)
	assert.Contains(t, cut.Reason, "processors may be missing from the list: table ends at 0x50")
}

// TestProcessorsOfTheMachine checks that the machine's processors are those in its sockets, and that data of an empty
// socket are not a processor's.
func TestProcessorsOfTheMachine(t *testing.T) {
	empty := inventory.Socket{Populated: sure(false), Brand: sure("of an empty socket"), Threads: sure(2), Vendor: sure("of an empty socket")}
	nameless := inventory.Socket{ID: 1, Populated: sure(true), Threads: sure(16)}
	named := inventory.Socket{ID: 2, Populated: sure(true), Threads: sure(8), Brand: sure("EPYC 7543"), Vendor: sure("AuthenticAMD")}
	open := inventory.Socket{ID: 3, Threads: sure(8), Populated: fact.Unknown[bool](fact.Unstated, "the state is not stated", "")}
	of := func(processors []*platform.Processor, sockets ...inventory.Socket) *Machine {
		sys := &inventory.System{Sockets: sockets}
		sys.CPU.Brand, sys.CPU.Packages = sure("the kernel's brand"), sure([]inventory.Package{{}, {}, {}})
		return NewMachine(sys, &population.Result{Processors: processors})
	}
	row := &platform.Processor{MaxMTs: 3200, Turbo: "yes", SMT: "no"}
	rows := []*platform.Processor{nil, row}
	silent := []*platform.Processor{{}, nil}
	holdFields(t, "processor", []fieldCase{
		{"without the empty socket", "logical", of(nil, empty, nameless, named), int64(24), ""},
		{"a socket in doubt counts", "logical", of(nil, named, open), int64(16), ""},
		{"no socket", "logical", of(nil), nil, "no processor is described"},
		{"of the first that says one", "brand", of(nil, empty, nameless, named), "EPYC 7543", ""},
		{"none says one", "brand", of(nil, empty, nameless), "the kernel's brand", ""},
		{"of the first that has a row", "max_mts", of(rows, nameless, named), int64(3200), ""},
		{"the row says", "turbo_capable", of(rows, nameless, named), true, ""},
		{"the row denies", "smt_capable", of(rows, nameless, named), false, ""},
		{"a row that says nothing", "max_mts", of(silent, nameless, named), nil, "not in the vendor's table"},
		{"a row that says nothing", "turbo_capable", of(silent, nameless, named), nil, "does not say whether this part has Turbo"},
		{"no row", "smt_capable", of(nil, named), nil, "does not say whether this part has SMT"},
	})
	holdFields(t, "machine", []fieldCase{
		{"without the empty socket", "processors", of(nil, empty, nameless, named), int64(2), ""},
		{"a socket in doubt", "processors", of(nil, named, open), nil, "the state is not stated"},
		{"the kernel's, without firmware's", "processors", of(nil), int64(3), ""},
	})
}

// TestIsNUMA checks that the platform decides; without one several nodes with processors prove NUMA, and one node
// proves nothing.
func TestIsNUMA(t *testing.T) {
	node := func(cpu bool) inventory.Node { return inventory.Node{HasCPU: sure(cpu)} }
	of := func(p fact.Fact[*platform.Platform], nodes ...inventory.Node) *Machine {
		return NewMachine(&inventory.System{Nodes: nodes}, &population.Result{Platform: p})
	}
	none := fact.Unknown[*platform.Platform](fact.Absent, "no platform data for this processor", "")
	frontSideBus := sure(&platform.Platform{NUMA: false})
	holdFields(t, "machine", []fieldCase{
		{"the platform's word before the kernel's", "numa", of(frontSideBus, node(true), node(true)), false, ""},
		{"the platform's word", "numa", of(sure(&platform.Platform{NUMA: true})), true, ""},
		{"two nodes with processors", "numa", of(none, node(true), node(true)), true, ""},
		{"one node", "numa", of(none, node(true)), nil, "no platform data"},
		{"a node of memory alone beside it", "numa", of(none, node(true), node(false)), nil, "no platform data"},
	})
	proven := isNUMA(of(none, node(true), node(true)))
	assert.Equal(t, fact.Corroborated, proven.Certainty)
}

// TestProblemsOfTheTable checks that a problem that affects nothing an audit reads is info.
func TestProblemsOfTheTable(t *testing.T) {
	m := NewMachine(&inventory.System{}, &population.Result{})
	m.sys.Firmware = inventory.Firmware{SMBIOS: sure(true), Problems: []inventory.Problem{{Text: "a count is off", Harmless: true}, {Text: "a string is missing"}}}
	holdFields(t, "firmware", []fieldCase{
		{"", "problems", m, []string{"a string is missing"}, ""},
		{"", "remarks", m, []string{"a count is off"}, ""},
	})
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
