package facts

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/population"
)

func sure[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, fact.Evidence{Source: inventory.SourceSMBIOS})
}

// oneSocket is a processor with the given modules, one channel each.
func oneSocket(slots ...inventory.Slot) *socketFacts {
	m := &Machine{sys: &inventory.System{Slots: slots, Settings: map[string]inventory.Setting{}}, population: &population.Result{}}
	pop := &population.Population{DIMMs: sure(len(slots))}
	for i := range slots {
		slots[i].State = inventory.SlotPopulated
		pop.Slots = append(pop.Slots, i)
	}
	return &socketFacts{m: m, pop: pop, sock: &inventory.Socket{}}
}

// module is a DIMM with all fields stated.
func module(name string, gib int64, ranks int) inventory.Slot {
	return inventory.Slot{Locator: sure(name), SizeBytes: sure(gib << 30), Ranks: sure(ranks), Type: sure("DDR4"),
		TotalWidth: sure(72), DataWidth: sure(64), RatedMTs: sure(1333), Registered: sure(true), PartNumber: sure(name), Manufacturer: sure("Example")}
}

func TestDifferences(t *testing.T) {
	silentRanks := func(s inventory.Slot, part string) inventory.Slot {
		s.Ranks = fact.Fact[int]{State: fact.Absent, Reason: "SMBIOS 2.5 has no ranks"}
		s.PartNumber = sure(part)
		return s
	}
	other := func(s inventory.Slot, f func(*inventory.Slot)) inventory.Slot { f(&s); return s }
	tests := []struct {
		name  string
		slots []inventory.Slot
		want  any
		why   string
	}{
		{"alike", []inventory.Slot{module("A1", 8, 2), module("A2", 8, 2)}, []string{}, ""},
		{"one", []inventory.Slot{module("A1", 8, 2)}, []string{}, ""},
		{"size", []inventory.Slot{module("A1", 8, 2), module("A2", 16, 2), module("A3", 8, 2)}, []string{"size: 8 GiB (A1, A3) against 16 GiB (A2)"}, ""},
		{"size and ranks", []inventory.Slot{module("A1", 8, 1), module("A2", 16, 2)}, []string{"size: 8 GiB (A1) against 16 GiB (A2)", "ranks: 1 rank (A1) against 2 ranks (A2)"}, ""},
		{"type", []inventory.Slot{module("A1", 8, 1), other(module("A2", 8, 1), func(s *inventory.Slot) { s.Type = sure("DDR3") })}, []string{"type: DDR4 (A1) against DDR3 (A2)"}, ""},
		{"width", []inventory.Slot{module("A1", 8, 1), other(module("A2", 8, 1), func(s *inventory.Slot) { s.TotalWidth = sure(64) })}, []string{"width: 72 bits (A1) against 64 bits (A2)"}, ""},
		{"registering", []inventory.Slot{module("A1", 8, 1), other(module("A2", 8, 1), func(s *inventory.Slot) { s.Registered = sure(false) })}, []string{"registering: registered (A1) against unbuffered (A2)"}, ""},
		{"rated speed", []inventory.Slot{module("A1", 8, 1), other(module("A2", 8, 1), func(s *inventory.Slot) { s.RatedMTs = sure(1066) })}, []string{"rated speed: 1333 MT/s (A1) against 1066 MT/s (A2)"}, ""},
		{"two names of one rated speed", []inventory.Slot{module("A1", 8, 1), other(module("A2", 8, 1), func(s *inventory.Slot) { s.RatedMTs = sure(1334) })}, []string{}, ""},
		{"rated speed not stated", []inventory.Slot{other(module("A1", 8, 1), func(s *inventory.Slot) { s.RatedMTs = fact.Fact[int]{State: fact.Unstated, Reason: "not stated"} }), module("A2", 8, 1)}, nil, "not stated"},
		{"ranks not stated", []inventory.Slot{silentRanks(module("A1", 8, 1), "x"), silentRanks(module("A2", 8, 1), "y")}, nil, "SMBIOS 2.5 has no ranks"},
		{"one alone, whatever it does not say", []inventory.Slot{silentRanks(module("A1", 8, 1), "x")}, []string{}, ""},
		{"one part number", []inventory.Slot{silentRanks(module("A1", 8, 1), "x"), silentRanks(module("A2", 8, 1), "x")}, []string{}, ""},
		{"one part number that lies", []inventory.Slot{silentRanks(module("A1", 8, 1), "x"), silentRanks(module("A2", 16, 1), "x")}, []string{"size: 8 GiB (A1) against 16 GiB (A2)"}, ""},
		{"one part number and unlike ranks", []inventory.Slot{module("A1", 8, 1), other(module("A2", 8, 2), func(s *inventory.Slot) { s.PartNumber = sure("A1") })}, nil,
			"firmware states unlike ranks for DIMMs with the same part number, Example A1"},
		{"a difference beside an unknown", []inventory.Slot{silentRanks(module("A1", 8, 1), "x"), module("A2", 16, 1)}, []string{"size: 8 GiB (A1) against 16 GiB (A2)"}, ""},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			v := differences(oneSocket(c.slots...))
			if c.want == nil {
				assert.False(t, v.Known())
				assert.Equal(t, c.why, v.Reason)
				return
			}
			assert.Equal(t, c.want, v.v)
		})
	}
	s := oneSocket(module("A1", 8, 1))
	s.pop.DIMMs = fact.Fact[int]{Reason: "the processor of B1 is not known"}
	assert.Equal(t, "the processor of B1 is not known", differences(s).Reason)

	// Modules of a socket that may have a processor may differ from the others.
	s = oneSocket(module("A1", 8, 1))
	s.m.sys.Slots = append(s.m.sys.Slots, other(module("B1", 8, 2), func(s *inventory.Slot) { s.State = inventory.SlotPopulated }))
	s.m.sys.Sockets = []inventory.Socket{{ID: 0, Populated: sure(true)}, {ID: 1, Populated: fact.Fact[bool]{Reason: "its state is not stated"}}}
	s.m.population.Placements = []place.Placement{{Socket: 0}, {Socket: 1}}
	assert.Equal(t, "its state is not stated", differences(s).Reason)
	s.m.population.Placements[1].Socket = 0
	assert.Equal(t, []string{}, differences(s).v)
}

// TestRatedBeyondTheProcessor checks that DIMMs rated for at least the CPU's speed do not differ in rated speed;
// others do, and all do in other properties.
func TestRatedBeyondTheProcessor(t *testing.T) {
	rated := func(name string, mts int) inventory.Slot {
		s := module(name, 8, 2)
		s.RatedMTs = sure(mts)
		return s
	}
	unrated := module("A2", 8, 2)
	unrated.RatedMTs = fact.Fact[int]{State: fact.Unstated, Reason: "not stated"}
	for _, c := range []struct {
		highest int
		slots   []inventory.Slot
		want    any
	}{
		{2400, []inventory.Slot{rated("A1", 2400), rated("A2", 2666)}, []string{}},
		{2400, []inventory.Slot{rated("A1", 2133), rated("A2", 2666)}, []string{"rated speed: 2133 MT/s (A1) against 2666 MT/s (A2)"}},
		{2933, []inventory.Slot{rated("A1", 2934), rated("A2", 3200)}, []string{}},
		{0, []inventory.Slot{rated("A1", 2400), rated("A2", 2666)}, []string{"rated speed: 2400 MT/s (A1) against 2666 MT/s (A2)"}},
		{2400, []inventory.Slot{rated("A1", 2400), unrated}, nil},
	} {
		s := oneSocket(c.slots...)
		s.m.population.Populations = []population.Population{{Slots: s.pop.Slots}}
		if c.highest > 0 {
			s.m.population.Populations[0].HighestMTs = sure(c.highest)
		}
		assert.Equal(t, c.want, differences(s).v, c.highest)
	}
}

// TestDifferencesBetweenProcessors checks that equal modules of a processor are compared with those of the others in
// all but size; a mix is the failure of the processor that has it.
func TestDifferencesBetweenProcessors(t *testing.T) {
	const first, second = 0, 1
	for _, c := range []struct {
		name       string
		one, other []inventory.Slot
		want       [2][]string
	}{
		{"alike", []inventory.Slot{module("A1", 8, 2)}, []inventory.Slot{module("B1", 8, 2)}, [2][]string{{}, {}}},
		{"of other ranks", []inventory.Slot{module("A1", 8, 1)}, []inventory.Slot{module("B1", 8, 2)},
			[2][]string{{"ranks: 1 rank (A1) against 2 ranks (B1)"}, {"ranks: 1 rank (A1) against 2 ranks (B1)"}}},
		{"of other sizes", []inventory.Slot{module("A1", 8, 2)}, []inventory.Slot{module("B1", 16, 2)}, [2][]string{{}, {}}},
		{"a mix on the other", []inventory.Slot{module("A1", 8, 2)}, []inventory.Slot{module("B1", 8, 1), module("B2", 8, 2)},
			[2][]string{{}, {"ranks: 1 rank (B1) against 2 ranks (B2)"}}},
		{"a mix of two kinds on the other", []inventory.Slot{module("A1", 8, 2)}, []inventory.Slot{module("B1", 8, 1), module("B2", 16, 2)},
			[2][]string{{}, {"size: 8 GiB (B1) against 16 GiB (B2)", "ranks: 1 rank (B1) against 2 ranks (B2)"}}},
	} {
		m := board(4, append(slices.Clone(c.one), c.other...)...)
		m.population.Populations = []population.Population{{Socket: first, DIMMs: sure(len(c.one))}, {Socket: second, DIMMs: sure(len(c.other))}}
		for i := range m.sys.Slots {
			at := min(1, i/len(c.one))
			m.population.Populations[at].Slots = append(m.population.Populations[at].Slots, i)
		}
		for i := range m.population.Populations {
			v := differences(&socketFacts{m: m, pop: &m.population.Populations[i], sock: &inventory.Socket{ID: i}})
			assert.Equal(t, c.want[i], v.v, "%s: processor %d: %s", c.name, i, v.Reason)
		}
	}
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
			assert.Equal(t, c.want, v.v)
			if c.want == nil {
				assert.NotEmpty(t, v.Reason)
			}
		})
	}
}

func TestHidden(t *testing.T) {
	m := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(int64(100))}}
	assert.False(t, hidden(m).Known())
	m.sys.Memory.VisibleBytes = sure(int64(60))
	assert.Equal(t, int64(40), hidden(m).v)
	m.sys.Memory.VisibleBytes = sure(int64(101)) // rounding
	assert.Equal(t, int64(0), hidden(m).v)
	m.sys.Memory.VisibleBytes = sure(int64(102))
	assert.False(t, hidden(m).Known())
	assert.Contains(t, hidden(m).Reason, "more than")
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
		assert.Equal(t, c.hidden, hidden(m).v, c.name)
		assert.Equal(t, c.seen, m.seen().Value, c.name)
		assert.Equal(t, c.taken, m.takenBy().v, c.name)
	}
	crash := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(24 * g)}}
	crash.sys.Memory.MapBytes, crash.sys.Memory.VisibleBytes, crash.sys.Memory.TotalBytes = sure(24*g), sure(24*g), sure(20*g)
	assert.Equal(t, 4*g, hidden(crash).v)
	assert.Equal(t, 4*g, withheld(crash).v)
	crash.sys.Memory.CrashBytes = sure(2 * g)
	assert.Equal(t, int64(0), hidden(crash).v, "the kernel keeps two of them for a crash kernel")
	assert.Equal(t, int64(0), withheld(crash).v)
	m := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(24 * g)}}
	m.sys.Memory.VisibleBytes, m.sys.NUMA.Options = sure(24*g), sure([]string{"mem=4G"})
	assert.Equal(t, int64(0), hidden(m).v, "what the kernel uses was not read")
	assert.Equal(t, []string{"mem=4G"}, m.takenBy().v)
	m.sys.Memory.VisibleBytes, m.sys.Memory.TotalBytes = sure(4*g), sure(4*g)
	assert.Equal(t, []string{"mem=4G"}, m.takenBy().v, "without firmware's map the kernel's own account may be what is left")
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
			assert.Equal(t, c.want, v.v)
			assert.Equal(t, c.certainty, v.Certainty)
		})
	}
}

func TestSoldered(t *testing.T) {
	dimm := func(name string, f fact.Fact[bool], tech inventory.Technology) inventory.Slot {
		return inventory.Slot{State: inventory.SlotPopulated, Locator: sure(name), Soldered: f, Technology: sure(tech)}
	}
	unstated := fact.Fact[bool]{State: fact.Unstated, Reason: "form factor says unknown"}
	tests := []struct {
		name  string
		slots []inventory.Slot
		want  any
	}{
		{"modules", []inventory.Slot{dimm("A1", sure(false), inventory.DRAM)}, false},
		{"chips", []inventory.Slot{dimm("U1", sure(true), inventory.DRAM), dimm("U2", sure(true), inventory.DRAM)}, true},
		{"one of two", []inventory.Slot{dimm("A1", sure(false), inventory.DRAM), dimm("U1", sure(true), inventory.DRAM)}, false},
		{"chips beside an empty slot", []inventory.Slot{dimm("U1", sure(true), inventory.DRAM), {State: inventory.SlotEmpty, FormFactor: sure("SODIMM")}}, true},
		{"a chip beside a slot for full-size modules", []inventory.Slot{dimm("U1", sure(true), inventory.DRAM), {State: inventory.SlotEmpty, FormFactor: sure("DIMM")}}, nil},
		{"no module", []inventory.Slot{{State: inventory.SlotEmpty, Soldered: sure(true)}}, false},
		{"flash and HBM are chips too", []inventory.Slot{dimm("A1", sure(false), inventory.DRAM), dimm("BIOS", sure(true), inventory.Flash), dimm("HBM0", sure(true), inventory.HBM)}, false},
		{"not stated", []inventory.Slot{dimm("A1", unstated, inventory.DRAM)}, nil},
		{"not stated but a DIMM by name", []inventory.Slot{dimm("Dimm 3", unstated, inventory.DRAM)}, false},
		{"not stated beside a chip", []inventory.Slot{dimm("A1", unstated, inventory.DRAM), dimm("U1", sure(true), inventory.DRAM)}, nil},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			m := &Machine{sys: &inventory.System{Slots: c.slots}, population: &population.Result{}}
			assert.Equal(t, c.want, m.allSoldered().v)
		})
	}
}

// TestAlsoNormalOfOtherBoards checks that the list is unknown while the memory runs at a speed that only other
// boards' documents have, with what decides.
func TestAlsoNormalOfOtherBoards(t *testing.T) {
	for _, tt := range []struct {
		name    string
		running fact.Fact[int]
		unknown bool
	}{
		{"a speed of other boards", sure(2133), true},
		{"one that this board's document names", sure(2400), false},
		{"as expected", sure(2666), false},
		{"normal nowhere", sure(1866), false},
		{"running speed not stated", fact.Unknown[int](fact.Absent, "not stated", ""), false},
	} {
		p := &population.Population{RunningMTs: tt.running,
			Speed: sure(population.Speed{MTs: 2666, AlsoNormal: []int{2400, 2133}, OtherBoards: []int{2133}})}
		v := alsoNormal(p)
		if !tt.unknown {
			assert.NotNil(t, v.v, tt.name)
			continue
		}
		assert.Nil(t, v.v, tt.name)
		assert.Equal(t, "2133 MT/s is normal on some boards of this platform, 2666 on others: this board's document decides", v.Reason)
		assert.NotEmpty(t, v.KnownBy)
	}
}
