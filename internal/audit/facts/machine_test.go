package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
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
		RecommendedDIMMs: []int{8}, Classes: "example", Unverified: []string{"max_dpc", "recommended_dimms"}})
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

// rated is a node of a kind with firmware's rating in GB/s, 0 for none.
func rated(kind inventory.NodeKind, gbs int64) inventory.Node {
	n := inventory.Node{Kind: sure(kind), RatedBytesPerSecond: sure(gbs * 1e9)}
	if kind == "" {
		n.Kind = fact.Unknown[inventory.NodeKind](fact.Absent, "nothing tells what the node is", "")
	}
	if gbs == 0 {
		n.RatedBytesPerSecond = fact.Unknown[int64](fact.Absent, "firmware rates no bandwidth of the node", "")
	}
	return n
}

// TestSlowNodes checks that only a node rated below every DRAM node is slower, and that a node without a rating makes
// the count unknown, on either side.
func TestSlowNodes(t *testing.T) {
	const dram, cxl, persistent, hbm = inventory.NodeDRAM, inventory.NodeCXL, inventory.NodePersistent, inventory.NodeHBM
	for _, c := range []struct {
		name  string
		nodes []inventory.Node
		want  any
		why   string
	}{
		{"DRAM alone, rated or not", []inventory.Node{rated(dram, 200), rated(dram, 0)}, int64(0), ""},
		{"one slower", []inventory.Node{rated(dram, 200), rated(dram, 180), rated(cxl, 40)}, int64(1), ""},
		{"between two nodes of DRAM", []inventory.Node{rated(dram, 200), rated(dram, 180), rated(cxl, 190)}, int64(0), ""},
		{"as fast as DRAM", []inventory.Node{rated(dram, 200), rated(cxl, 200)}, int64(0), ""},
		{"two kinds", []inventory.Node{rated(dram, 200), rated(cxl, 40), rated(persistent, 8)}, int64(2), ""},
		{"HBM is no slower memory", []inventory.Node{rated(dram, 200), rated(hbm, 100)}, int64(0), ""},
		{"a node of DRAM without a rating beside a rated one", []inventory.Node{rated(dram, 200), rated(dram, 0), rated(cxl, 40)}, nil, "rates no bandwidth of the node"},
		{"no node of DRAM is rated", []inventory.Node{rated(dram, 0), rated(cxl, 40)}, nil, "does not rate the bandwidth of DRAM"},
		{"the other memory is not rated", []inventory.Node{rated(dram, 200), rated(cxl, 0)}, nil, "rates no bandwidth of the node"},
		{"a node of which nobody knows what it is", []inventory.Node{rated(dram, 200), rated("", 40)}, nil, "nothing tells what the node is"},
		{"no nodes", nil, nil, "not part of this input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := slowNodes(&Machine{sys: &inventory.System{Nodes: c.nodes}})
			assert.Equal(t, c.want, v.Value)
			assert.Contains(t, v.Reason, c.why)
		})
	}
}

// TestNodesCounted counts nodes with processors, with memory, and with memory only.
func TestNodesCounted(t *testing.T) {
	node := func(cpu, memory bool) inventory.Node {
		return inventory.Node{HasCPU: sure(cpu), HasMemory: sure(memory)}
	}
	of := func(nodes ...inventory.Node) *Machine { return &Machine{sys: &inventory.System{Nodes: nodes}} }
	m := of(node(true, true), node(true, true), node(true, false), node(false, true), node(false, false))
	open := of(node(true, true), inventory.Node{HasMemory: sure(true), HasCPU: fact.Unknown[bool](fact.Denied, "its list of CPUs was denied", "")})
	m.sys.NUMA.Options = sure([]string{"quiet", "numa=fake=4"})
	open.sys.NUMA.Options = sure([]string{"numa=off"})
	unread := of()
	unread.sys.Sources = []inventory.Source{{Name: inventory.SourceCPU, State: fact.SourceDenied}, {Name: inventory.SourceNUMA, State: fact.SourceRefused, Detail: "EIO"}}
	bare := of()
	bare.sys.Sources = []inventory.Source{{Name: inventory.SourceNUMA, State: fact.SourceDenied}}
	other := of()
	other.sys.Sources = []inventory.Source{{Name: inventory.SourceCPU, State: fact.SourceDenied}, {Name: inventory.SourceNUMA, State: fact.SourceOK}}
	holdFields(t, "numa", []fieldCase{
		{"", "cpu_nodes", m, int64(3), ""}, {"", "memory_nodes", m, int64(3), ""}, {"", "memory_only", m, int64(1), ""},
		{"one in doubt", "memory_only", open, nil, "was denied"},
		{"an option that makes nodes", "faked", m, true, ""}, {"another option", "faked", open, false, ""},
		{"refused", "nodes", unread, nil, "were not read (refused: EIO)"}, {"denied", "nodes", bare, nil, "were not read (denied)"},
		{"no part of the input", "nodes", other, nil, "not part of this input"},
	})
}

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
		t.Run(name, func(t *testing.T) {
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
			assert.Equal(t, c.want, v.Value, v.Reason)
		})
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
	assert.Equal(t, []string{"Sockets=2 CoresPerSocket=24", "ThreadsPerCore=2"}, slurmCounted(&Machine{sys: sys, population: &population.Result{}}).Value)
}

// TestScopeOfStatedFacts checks that facts, lists and objects missing from a case are unknown, and that a name
// outside the schema is an error.
func TestScopeOfStatedFacts(t *testing.T) {
	s := NewStatedScope(map[string]Value{"machine": PlainValue(NewStated(Declared().objects["machine"], "machine", map[string]Value{"product": PlainValue("R610")}))})
	assert.Equal(t, "R610", s.PlainFact("machine", "product"))
	got, found := s.ResolveName("memory")
	assert.True(t, found)
	assert.IsType(t, &Object{}, got)
	_, found = s.ResolveName("nodes")
	assert.True(t, found)
	_, found = s.ResolveName("nothing")
	assert.False(t, found)
}

// TestSchema checks the objects of a field and their facts.
func TestSchema(t *testing.T) {
	s := Declared()
	field := func(variable, name string) Field {
		f, ok := s.objects[variable].Field(name)
		require.True(t, ok)
		return f
	}
	assert.Equal(t, "Region", s.ObjectField(field("socket", "regions")).Name)
	assert.Nil(t, s.ObjectField(field("socket", "dpc")))
	assert.Nil(t, s.ObjectField(field("socket", "bytes")))
	names, ok := provider{}.FindStructFieldNames("fact.Region")
	assert.True(t, ok)
	assert.Equal(t, []string{"bytes", "ways"}, names)
}

// read is a fact of the schema as an expression reads it.
func read(t *testing.T, variable, name string, src any) Value {
	t.Helper()
	f, ok := Declared().objects[variable].Field(name)
	require.True(t, ok, "%s.%s", variable, name)
	return f.get(src)
}

// fieldCase is the expected value of a fact of the schema, or its reason if unknown.
type fieldCase struct {
	about, field string
	src          any
	want         any
	why          string
}

func holdFields(t *testing.T, variable string, cases []fieldCase) {
	for _, c := range cases {
		v := read(t, variable, c.field, c.src)
		if want, inexact := c.want.(float64); inexact && v.Known() {
			assert.InDelta(t, want, v.Value, 0.0005, "%s: %s", c.field, c.about)
			continue
		}
		assert.Equal(t, c.want, v.Value, "%s: %s", c.field, c.about)
		if c.want == nil {
			assert.Contains(t, v.Reason, c.why, "%s: %s", c.field, c.about)
		}
	}
}

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
	for _, c := range []struct {
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
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(c.installed)}}
			m.sys.Memory.VisibleBytes = sure(c.visible)
			m.sys.NUMA.Options = sure(c.options)
			v := isMirrored(m)
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
		t.Run(c.name, func(t *testing.T) {
			m := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(24 * g)}}
			m.sys.Memory.MapBytes, m.sys.Memory.VisibleBytes = sure(c.mapped), sure(c.mapped)
			m.sys.Memory.TotalBytes, m.sys.NUMA.Options = sure(c.used), sure(c.options)
			assert.Equal(t, c.hidden, hiddenMemory(m).Value)
			assert.Equal(t, c.seen, m.seenMemory().Value)
			assert.Equal(t, c.taken, m.memoryLimitOptions().Value)
		})
	}
	crash := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(24 * g)}}
	crash.sys.Memory.MapBytes, crash.sys.Memory.VisibleBytes, crash.sys.Memory.TotalBytes = sure(24*g), sure(24*g), sure(20*g)
	assert.Equal(t, 4*g, hiddenMemory(crash).Value)
	assert.Equal(t, 4*g, withheldMemory(crash).Value)
	crash.sys.Memory.CrashBytes = sure(2 * g)
	assert.Equal(t, int64(0), hiddenMemory(crash).Value, "the kernel keeps two of them for a crash kernel")
	assert.Equal(t, int64(0), withheldMemory(crash).Value)
	m := &Machine{sys: &inventory.System{}, population: &population.Result{InstalledBytes: sure(24 * g)}}
	m.sys.Memory.VisibleBytes, m.sys.NUMA.Options = sure(24*g), sure([]string{"mem=4G"})
	assert.Equal(t, int64(0), hiddenMemory(m).Value, "what the kernel uses was not read")
	assert.Equal(t, []string{"mem=4G"}, m.memoryLimitOptions().Value)
	m.sys.Memory.VisibleBytes, m.sys.Memory.TotalBytes = sure(4*g), sure(4*g)
	assert.Equal(t, []string{"mem=4G"}, m.memoryLimitOptions().Value, "without firmware's map the kernel's own account may be what is left")
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
	for _, c := range []struct {
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
	} {
		t.Run(c.name, func(t *testing.T) {
			v := eccCorrects(&Machine{sys: &inventory.System{EDAC: c.edac, Arrays: c.arrays, Slots: c.slots}, population: &population.Result{}})
			assert.Equal(t, c.want, v.Value)
			assert.Equal(t, c.certainty, v.Certainty)
		})
	}
}
