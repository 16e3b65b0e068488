package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
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
		assert.Equal(t, c.want, v.Value, "%s %s", name, v.Reason)
	}
}

// TestSlurm compares the scheduler's numbers with the kernel's: less than it expects, and less than nine tenths used.
func TestSlurm(t *testing.T) {
	of := func(node inventory.SlurmNode) *Machine {
		sys := &inventory.System{Slurm: &node}
		sys.Memory.TotalBytes = sure(int64(257890)<<20 + 4711)
		sys.CPU.Packages = sure([]inventory.Package{{Cores: 17}, {Cores: 13}})
		sys.CPU.ThreadsPerCore = sure(2)
		return NewMachine(sys, &population.Result{})
	}
	nothing := []string{}
	holdFields(t, "slurm", []fieldCase{
		{"as much as there is", "lacks", of(inventory.SlurmNode{RealMemoryMiB: 257890, Sockets: 3, CoresPerSocket: 10, ThreadsPerCore: 2}), nothing, ""},
		{"one more of each", "lacks", of(inventory.SlurmNode{RealMemoryMiB: 257891, Sockets: 31, CoresPerSocket: 1, ThreadsPerCore: 3}),
			[]string{"RealMemory 257890 of 257891 MiB", "Sockets x CoresPerSocket 30 of 31", "ThreadsPerCore 2 of 3"}, ""},
		{"exactly nine tenths", "idle", of(inventory.SlurmNode{RealMemoryMiB: 232101, Sockets: 27, CoresPerSocket: 1}), nothing, ""},
		{"below nine tenths", "idle", of(inventory.SlurmNode{RealMemoryMiB: 232100, Sockets: 2, CoresPerSocket: 13, ThreadsPerCore: 1}),
			[]string{"RealMemory 232100 of 257890 MiB", "Sockets x CoresPerSocket 26 of 30", "ThreadsPerCore 1 of 2"}, ""},
		{"what is not given is not compared", "idle", of(inventory.SlurmNode{}), nothing, ""},
		{"the largest that slurm.conf holds", "lacks", of(inventory.SlurmNode{Sockets: 65535 * 65535, CoresPerSocket: 65535}),
			[]string{"Sockets x CoresPerSocket 30 of 281462092005375"}, ""},
	})
}

// TestSlurmCounted checks that what the scheduler uses less of is named as its configuration has it.
func TestSlurmCounted(t *testing.T) {
	sys := &inventory.System{Slurm: &inventory.SlurmNode{Sockets: 2, CoresPerSocket: 23, ThreadsPerCore: 1}}
	sys.Memory.TotalBytes = fact.Known(int64(7)<<30, fact.Direct, fact.Evidence{})
	sys.CPU.Packages, sys.CPU.ThreadsPerCore = fact.Known([]inventory.Package{{Cores: 24}, {Cores: 24}}, fact.Direct, fact.Evidence{}), fact.Known(2, fact.Direct, fact.Evidence{})
	assert.Equal(t, []string{"Sockets*CoresPerSocket=48", "ThreadsPerCore=2"}, slurmCounted(&Machine{sys: sys, population: &population.Result{}}).Value)
}
