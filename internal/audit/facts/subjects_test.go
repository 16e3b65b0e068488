package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/population"
)

func subjectNames(list []Subject) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, s.Of.String())
	}
	return out
}

// TestSubjects checks the subjects of each kind of rule, and the reason if there are none.
func TestSubjects(t *testing.T) {
	socket := func(id int, populated fact.Fact[bool]) inventory.Socket {
		return inventory.Socket{ID: id, Populated: populated}
	}
	open := fact.Unknown[bool](fact.Unstated, "its state is not stated", "")
	slots := []inventory.Slot{{Handle: 0x11, State: inventory.SlotPopulated, Locator: sure("A1")}, {Handle: 0x12, State: inventory.SlotEmpty}, {Handle: 0x13, State: inventory.SlotUnknown}}
	conflicting := fact.Unknown[string](fact.Conflicting, "two exports disagree", "")
	for _, c := range []struct {
		name, kind string
		sys        inventory.System
		pops       []population.Population
		want       []string
		known      bool
		why        string
	}{
		{"processors with memory", "socket", inventory.System{Sockets: []inventory.Socket{socket(0, sure(true)), socket(1, sure(true))}}, []population.Population{{Socket: 1}}, []string{"socket 1"}, true, ""},
		{"the chipset's memory", "socket", inventory.System{Sockets: []inventory.Socket{socket(0, sure(true))}}, []population.Population{{Socket: place.Unplaced}}, []string{"machine"}, true, ""},
		{"processors alone", "socket", inventory.System{Sockets: []inventory.Socket{socket(0, sure(true)), socket(1, sure(false)), socket(2, open)}}, nil, []string{"socket 0", "socket 2"}, true, ""},
		{"nothing", "socket", inventory.System{Firmware: inventory.Firmware{SMBIOS: sure(true)}}, nil, []string{}, false, "lists no memory devices"},
		{"filled slots", "slot", inventory.System{Slots: slots}, nil, []string{"slot 0x0011 (A1)"}, true, ""},
		{"no slots", "slot", inventory.System{Firmware: inventory.Firmware{SMBIOS: sure(true)}}, nil, []string{}, false, "lists no memory devices"},
		{"nodes", "node", inventory.System{Nodes: []inventory.Node{{ID: 0}, {ID: 8}}}, nil, []string{"node 0", "node 8"}, true, ""},
		{"settings of BIOS setup", "setting", inventory.System{Settings: map[string]inventory.Setting{"smt": {Configured: sure("enabled")}, "turbo": {Pending: sure("disabled")},
			"c_states": {Configured: conflicting}, "numa_balancing": {Effective: sure("enabled")}}}, nil, []string{"setting turbo", "setting smt", "setting c_states"}, true, ""},
		{"one setting", "setting", inventory.System{Settings: map[string]inventory.Setting{"smt": {Configured: sure("enabled")}}}, nil, []string{"setting smt"}, true, ""},
		{"no export", "setting", inventory.System{Settings: map[string]inventory.Setting{"smt": {Effective: sure("enabled")}}}, nil, []string{}, true, "nothing to compare"},
		{"a baseline", SubjectBaseline, inventory.System{Baseline: &inventory.Baseline{Compared: []inventory.Compared{{}}}}, nil, []string{"machine"}, true, ""},
		{"no baseline", SubjectBaseline, inventory.System{}, nil, []string{}, true, "nothing to compare with"},
		{"nothing measured", SubjectMeasured, inventory.System{}, nil, []string{}, true, "nothing was measured"},
		{"one node measured", SubjectMeasured, inventory.System{Measurements: []inventory.Measurement{{Figures: []inventory.Measured{{CPUNode: 3, MemoryNode: 3}}}}}, nil, []string{}, true, "nothing was measured"},
	} {
		m := NewMachine(&c.sys, &population.Result{Populations: c.pops})
		list, known := m.Subjects(c.kind)
		assert.ElementsMatch(t, c.want, subjectNames(list), c.name)
		assert.Equal(t, c.known, known.Known(), c.name)
		assert.Contains(t, known.Reason, c.why, c.name)
		if c.why == "" {
			assert.Empty(t, known.Reason, c.name)
		}
		again, _ := m.Subjects(c.kind)
		assert.Len(t, again, len(list), c.name)
		if len(list) > 0 {
			assert.Same(t, list[0].object, again[0].object, "%s: facts are derived once for all rules", c.name)
		}
	}
}

// TestSubjectsSocket checks that a population's facts are those of its processor, and the chipset's of none.
func TestSubjectsSocket(t *testing.T) {
	sys := &inventory.System{Sockets: []inventory.Socket{{ID: 0, Brand: sure("first")}, {ID: 1, Brand: sure("second")}}}
	m := NewMachine(sys, &population.Result{Populations: []population.Population{{Socket: 0}, {Socket: 1}, {Socket: place.Unplaced}}})
	list, _ := m.Subjects("socket")
	var brands []any
	for _, s := range list {
		v := read(t, "socket", "brand", s.object.src)
		brands = append(brands, v.v)
	}
	assert.Equal(t, []any{"first", "second", nil}, brands)
}

// TestOwner checks that a finding about a node or slot follows from one of its processor, if it has one.
func TestOwner(t *testing.T) {
	m := NewMachine(&inventory.System{
		Nodes: []inventory.Node{{ID: 0, Socket: sure(0)}, {ID: 4, Socket: sure(1)}, {ID: 5}},
		Slots: []inventory.Slot{{Handle: 1, Locator: sure("A1")}, {Handle: 2}},
	}, &population.Result{Placements: []place.Placement{{Socket: 0}, {Socket: place.Unplaced}}})
	for range 2 {
		for of, want := range map[inventory.Subject]inventory.Subject{inventory.NodeSubject(0): inventory.SocketSubject(0), inventory.NodeSubject(4): inventory.SocketSubject(1),
			inventory.NodeSubject(5): inventory.NodeSubject(5), inventory.SlotSubject(1, "A1"): inventory.SocketSubject(0), inventory.SlotSubject(2, ""): inventory.SlotSubject(2, ""), {}: {}} {
			assert.Equal(t, want, m.Owner(of))
		}
	}
}
