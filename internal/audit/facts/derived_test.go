package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

func sure[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, fact.Evidence{Source: inventory.SourceSMBIOS})
}

// module is a DIMM with all fields stated.
func module(name string, gib int64, ranks int) inventory.Slot {
	return inventory.Slot{Locator: sure(name), SizeBytes: sure(gib << 30), Ranks: sure(ranks), Type: sure("DDR4"),
		TotalWidth: sure(72), DataWidth: sure(64), RatedMTs: sure(1333), Registered: sure(true), PartNumber: sure(name), Manufacturer: sure("Example")}
}

func TestMirrored(t *testing.T) {
	const g = int64(1) << 30
	tests := []struct {
		name               string
		installed, visible int64
		options            []string
		want               any
	}{
		{"all", 64 * g, 62 * g, nil, false},
		{"4 % and 2 GiB", 128 * g, 128*g - 128*g/25, nil, false},
		{"half", 64 * g, 31 * g, nil, true},
		{"exactly half", 64 * g, 32 * g, nil, true},
		{"half, less what is normally reserved of it", 64 * g, 30 * g, nil, true},
		{"a byte less", 64 * g, 30*g - 1, nil, nil},
		{"a third", 96 * g, 31 * g, nil, true},
		{"three quarters", 64 * g, 48 * g, nil, nil},
		{"two thirds", 96 * g, 64 * g, nil, nil},
		{"a bit over half", 64 * g, 33 * g, nil, nil},
		{"a quarter", 64 * g, 16 * g, nil, nil},
		{"half by an option", 64 * g, 32 * g, []string{"mem=32G"}, nil},
		{"half by another option", 64 * g, 32 * g, []string{"memmap=32G$32G"}, nil},
		{"half beside an option", 64 * g, 32 * g, []string{"numa=off"}, true},
		{"more than installed", 64 * g, 80 * g, nil, nil},
		{"nothing installed", 0, 16 * g, nil, nil},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			m := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(c.installed)}}
			m.sys.Memory.VisibleBytes = sure(c.visible)
			m.sys.NUMA.Options = sure(c.options)
			v := mirrored(m)
			assert.Equal(t, c.want, v.Value)
			if c.want == nil {
				assert.NotEmpty(t, v.Reason)
			}
		})
	}
}

// TestHiddenByOption checks that firmware's map shows all memory, including what the kernel does not use. An option
// that costs no more than what the kernel reserves for itself is not a reason.
func TestHiddenByOption(t *testing.T) {
	const g = int64(1) << 30
	for _, c := range []struct {
		name         string
		mapped, used int64
		options      []string
		hidden, seen int64
		taken        []string
	}{
		{"an option", 24 * g, 4 * g, []string{"quiet", "mem=4G"}, 20 * g, 4 * g, []string{"mem=4G"}},
		{"another option", 24 * g, 20 * g, []string{"memmap=4G!12G"}, 4 * g, 20 * g, []string{"memmap=4G!12G"}},
		{"a byte more than the kernel keeps", 24 * g, 22*g - 1, []string{"mem=23G"}, 2*g + 1, 22*g - 1, []string{"mem=23G"}},
		{"a bad page", 24 * g, 22 * g, []string{"memmap=4K$1G"}, 0, 24 * g, []string{}},
		{"a bad page of a mirrored machine", 12 * g, 11 * g, []string{"memmap=4K$1G"}, 12 * g, 12 * g, []string{}},
		{"no option that takes memory", 24 * g, 4 * g, []string{"numa=off"}, 20 * g, 4 * g, []string{}},
	} {
		m := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(24 * g)}}
		m.sys.Memory.MapBytes, m.sys.Memory.VisibleBytes = sure(c.mapped), sure(c.mapped)
		m.sys.Memory.TotalBytes, m.sys.NUMA.Options = sure(c.used), sure(c.options)
		assert.Equal(t, c.hidden, hidden(m).Value, c.name)
		assert.Equal(t, c.seen, m.seen().Value, c.name)
		assert.Equal(t, c.taken, m.takenBy().Value, c.name)
	}
	crash := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(24 * g)}}
	crash.sys.Memory.MapBytes, crash.sys.Memory.VisibleBytes, crash.sys.Memory.TotalBytes = sure(24*g), sure(24*g), sure(20*g)
	assert.Equal(t, 4*g, hidden(crash).Value)
	assert.Equal(t, 4*g, withheld(crash).Value)
	crash.sys.Memory.CrashBytes = sure(2 * g)
	assert.Equal(t, int64(0), hidden(crash).Value, "the kernel keeps two of them for a crash kernel")
	assert.Equal(t, int64(0), withheld(crash).Value)
	m := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(24 * g)}}
	m.sys.Memory.VisibleBytes, m.sys.NUMA.Options = sure(24*g), sure([]string{"mem=4G"})
	assert.Equal(t, int64(0), hidden(m).Value, "what the kernel uses was not read")
	assert.Equal(t, []string{"mem=4G"}, m.takenBy().Value)
	m.sys.Memory.VisibleBytes, m.sys.Memory.TotalBytes = sure(4*g), sure(4*g)
	assert.Equal(t, []string{"mem=4G"}, m.takenBy().Value, "without firmware's map the kernel's own account may be what is left")
}

func TestECCOn(t *testing.T) {
	edac := func(name string, modes ...string) []inventory.Controller {
		c := inventory.Controller{Name: sure(name)}
		for _, mode := range modes {
			c.DIMMs = append(c.DIMMs, inventory.ControllerDIMM{Mode: sure(mode)})
		}
		return []inventory.Controller{c}
	}
	array := func(words ...string) []inventory.Array {
		var out []inventory.Array
		for i, w := range words {
			out = append(out, inventory.Array{Handle: uint16(i), ECC: sure(w)})
		}
		return out
	}
	// inFirst has a module in the first array only.
	inFirst := []inventory.Slot{{Array: 0, State: inventory.SlotPopulated}, {Array: 1, State: inventory.SlotEmpty}}
	tests := []struct {
		name      string
		edac      []inventory.Controller
		arrays    []inventory.Array
		slots     []inventory.Slot
		want      any
		certainty fact.Certainty
	}{
		{"native driver", edac("Skylake Socket#0 IMC#0", "SECDED"), array("Multi-bit ECC"), nil, true, fact.Direct},
		{"native driver against a lying table", edac("Skylake Socket#0 IMC#0", "SECDED"), array("None"), nil, true, fact.Direct},
		{"native driver that was forced", edac("F17h_M30h", "None"), array("Multi-bit ECC"), nil, false, fact.Direct},
		{"firmware's driver repeats the table", edac("ghes_edac", "SECDED"), array("Multi-bit ECC"), nil, true, fact.Indirect},
		{"declared only", nil, array("Multi-bit ECC", "Single-bit ECC"), nil, true, fact.Indirect},
		{"declared none", nil, array("None"), nil, false, fact.Direct},
		{"one array without", nil, array("Multi-bit ECC", "None"), nil, false, fact.Direct},
		{"an empty array without", nil, array("Multi-bit ECC", "None"), inFirst, true, fact.Indirect},
		{"an empty array with", nil, array("None", "Multi-bit ECC"), inFirst, false, fact.Direct},
		{"parity corrects nothing", nil, array("Parity"), nil, false, fact.Direct},
		{"another word", nil, array("Other"), nil, nil, 0},
		{"no arrays", nil, nil, nil, nil, 0},
		{"array that says nothing", nil, []inventory.Array{{}}, nil, nil, 0},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			v := eccCorrects(&Machine{sys: &inventory.System{EDAC: c.edac, Arrays: c.arrays, Slots: c.slots}, population: &population.Result{}})
			assert.Equal(t, c.want, v.Value)
			assert.Equal(t, c.certainty, v.Certainty)
		})
	}
}
