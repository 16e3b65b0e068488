package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// TestMissingModules checks that a slot is named only if the scheduler lacks the memory of its counterpart's module,
// and its place is certain.
func TestMissingModules(t *testing.T) {
	const gib = int64(1) << 30
	for name, c := range map[string]struct {
		realMemory int64 // in MiB; the machine has 48 GiB in three of four slots
		doubt      string
		want       []string
	}{
		"one module":                    {60_000, "", []string{"B2 (A2 has 16 GiB)"}},
		"nothing":                       {49_152, "", []string{}},
		"more than one module explains": {70_000, "", []string{}},
		"a doubted map":                 {60_000, "two maps", []string{}},
	} {
		sys := &inventory.System{Slurm: &inventory.SlurmNode{RealMemoryMiB: c.realMemory}}
		sys.Memory.TotalBytes = fact.Known(48*gib, fact.Direct, fact.Evidence{})
		sys.CPU.Packages, sys.CPU.ThreadsPerCore = fact.Known([]inventory.Package{{Cores: 4}}, fact.Direct, fact.Evidence{}), fact.Known(1, fact.Direct, fact.Evidence{})
		topo := &population.Result{}
		for i, locator := range []string{"A1", "A2", "B1", "B2"} {
			s := inventory.Slot{Locator: fact.Known(locator, fact.Direct, fact.Evidence{}), State: inventory.SlotPopulated, SizeBytes: fact.Known(16*gib, fact.Direct, fact.Evidence{})}
			if locator == "B2" {
				s.State, s.SizeBytes = inventory.SlotEmpty, fact.Fact[int64]{}
			}
			sys.Slots = append(sys.Slots, s)
			topo.Placements = append(topo.Placements, place.Placement{Socket: i / 2, Channel: i % 2, Doubt: c.doubt})
		}
		v := missingModules(&Machine{sys: sys, population: topo})
		assert.Equal(t, c.want, v.v, "%s %s", name, v.Reason)
	}
}
