package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// structural are the fields that are always known: numbers and states that the model itself assigns. Every other
// field of an empty machine must be unknown.
var structural = map[string]any{
	"socket.id":  int64(0),
	"node.id":    int64(0),
	"node.kind":  "",
	"slot.state": "",
	"setting.id": "turbo",
	// Errors without a slot belong to none.
	"counter.slotted": false,
	// Only the kernel's log forgets errors.
	"counter.complete": true,
	// The only other state of it is that two exports disagree.
	"setting.exports_disagree": "",
	// Nothing was measured or accepted.
	"measurement.given":      false,
	"machine.wanted":         []string{},
	"device.address":         "",
	"device.kind":            "",
	"slurm.given":            false,
	"measurement.crossed":    false,
	"measurement.loaded":     false,
	"measurement.rearranged": false,
	"measured.accepted":      false,
	"controller.any":         nil, // controllers and regions exist only inside a known list
	"region.any":             nil,
}

// TestEmptyMachineIsUnknown reads every field of the schema on a machine without any data: none may be 0, "", false
// or an empty list.
func TestEmptyMachineIsUnknown(t *testing.T) {
	sources := emptySources()
	seen := 0
	for variable, typ := range Declared().objects {
		for name, src := range sources[variable] {
			for _, f := range typ.Fields {
				v := f.get(src)
				seen++
				path := variable + "." + f.Name
				if want, ok := structural[path]; ok && v.Known() {
					assert.Equal(t, want, v.Value, "%s of %s", path, name)
					continue
				}
				assert.False(t, v.Known(), "%s of %s reads as %#v", path, name, v.Value)
			}
		}
		assert.NotEmpty(t, sources[variable], "variable %s has no empty source in this test", variable)
	}
	assert.Greater(t, seen, 150)
	for variable := range Declared().lists {
		v := (&Machine{sys: &inventory.System{}, population: &population.Result{}}).subjectObjects(variable)
		assert.False(t, v.Known(), "list %s of an empty machine is known", variable)
	}
}

// emptySources builds every kind of object from zero values of the model: an empty machine, and one whose slots and
// processors are listed without content.
func emptySources() map[string]map[string]any {
	nothing := &Machine{sys: &inventory.System{}, population: &population.Result{}}
	pop := population.Population{Slots: []int{0}}
	silent := &Machine{
		sys: &inventory.System{
			Sockets: []inventory.Socket{{}}, Slots: []inventory.Slot{{State: inventory.SlotPopulated}},
			Arrays: []inventory.Array{{}}, Nodes: []inventory.Node{{}},
			EDAC: []inventory.Controller{{DIMMs: []inventory.ControllerDIMM{{}}}},
		},
		population: &population.Result{Processors: []*platform.Processor{nil}, Populations: []population.Population{pop},
			Placements: []place.Placement{{Socket: place.Unplaced, Controller: place.Unplaced, Channel: place.Unplaced, Slot: place.Unplaced}}},
	}
	out := map[string]map[string]any{}
	for _, variable := range []string{"machine", "firmware", "platform", "processor", "memory", "numa", "settings", "measurement", "kernel"} {
		out[variable] = map[string]any{"nothing": nothing, "silence": silent}
	}
	// The number of listed things is known, even if they have no content.
	delete(out, "memory")
	delete(out, "numa")
	out["memory"] = map[string]any{"nothing": nothing}
	out["numa"] = map[string]any{"nothing": nothing}
	out["slurm"] = map[string]any{"nothing": nothing}
	out["socket"] = map[string]any{
		"nothing":    &socketFacts{m: nothing, sock: &inventory.Socket{}},
		"no slots":   &socketFacts{m: nothing, sock: &inventory.Socket{}, pop: &population.Population{DIMMs: fact.Known(0, fact.Direct, fact.Evidence{})}},
		"silence":    &socketFacts{m: silent, sock: &inventory.Socket{}, pop: &pop},
		"no sockets": &socketFacts{m: silent, sock: &inventory.Socket{ID: 0}},
	}
	out["slot"] = map[string]any{"silence": &slotFacts{m: &Machine{sys: &inventory.System{Slots: []inventory.Slot{{}}}, population: silent.population}}}
	out[SubjectCounter] = map[string]any{"silence": &counterFacts{m: nothing, unplaced: []place.UnplacedErrors{{}}}}
	out["node"] = map[string]any{"silence": &nodeFacts{m: nothing, n: &inventory.Node{}}}
	out["setting"] = map[string]any{"nothing": &settingFacts{id: "turbo"}}
	out[SubjectMeasured] = map[string]any{"silence": &measuredNode{m: nothing, read: &inventory.Measured{Figure: figure.Figure{Why: "not measured"}}}}
	out[SubjectDevice] = map[string]any{"nothing": &deviceFacts{nothing, &inventory.Device{}}}
	out[SubjectBaseline] = map[string]any{"nothing": &inventory.Compared{}}
	return out
}
