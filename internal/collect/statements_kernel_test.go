package collect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/partnumber"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/smbios"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
	"github.com/memaudit/memaudit/rules"
)

// TestSecondReader checks that ghw's string is used if ours is unknown, and is a conflict if both are
// known and differ.
func TestSecondReader(t *testing.T) {
	own := fact.Known("R610", fact.Direct, fact.Evidence{Path: "/sys/class/dmi/id/product_name"})
	unread := fact.Unknown[string](fact.Denied, "was denied", "")
	for _, c := range []struct {
		word      string
		own       fact.Fact[string]
		want      any
		conflicts int
	}{
		{"R610", own, "R610", 0}, {"R710", own, "R610", 1}, {"", own, "R610", 0}, {"unknown", own, "R610", 0}, {"To Be Filled By O.E.M.", own, "R610", 0},
		{"R710", unread, "R710", 0}, {"", unread, nil, 0}, {"unknown", unread, nil, 0}, {"To Be Filled By O.E.M.", unread, nil, 0},
	} {
		cc := &collector{sys: &inventory.System{}}
		f := cc.preferGHW(c.word, c.own)
		assert.Equal(t, c.want != nil, f.Known(), "%q", c.word)
		if c.want != nil {
			assert.Equal(t, c.want, f.Value, "%q", c.word)
		}
		assert.Len(t, cc.sys.Conflicts, c.conflicts, "%q", c.word)
	}
}

// TestValuesOfExports checks the combination of the values of two exports.
func TestValuesOfExports(t *testing.T) {
	at := func(path, value string, c fact.Certainty, unverified bool) fact.Fact[string] {
		f := fact.Known(value, c, fact.Evidence{Path: path})
		f.Unverified = unverified
		return f
	}
	silent := fact.Unknown[string](fact.Absent, "not offered by this machine's BIOS", "")
	combine := func(values ...fact.Fact[string]) (fact.Fact[string], int) {
		c := &collector{sys: &inventory.System{}}
		return c.combine("smt", values), len(c.sys.Conflicts)
	}
	f, n := combine(at("a", "enabled", fact.Indirect, true), silent, at("b", "enabled", fact.Direct, false))
	assert.Equal(t, []any{"enabled", fact.Direct, false, 0}, []any{f.Value, f.Certainty, f.Unverified, n}, "the more certain of two is used")
	f, _ = combine(at("a", "enabled", fact.Direct, true), at("b", "enabled", fact.Direct, true))
	assert.True(t, f.Unverified)
	f, _ = combine(at("a", "enabled", fact.Direct, false), at("b", "enabled", fact.Direct, true))
	assert.False(t, f.Unverified)
	f, n = combine(at("a", "enabled", fact.Direct, false), at("b", "disabled", fact.Direct, false))
	assert.Equal(t, []any{fact.Conflicting, "a says enabled, b says disabled", 1}, []any{f.State, f.Reason, n})
	f, _ = combine(fact.Unknown[string](fact.Unread, " ", ""), silent)
	assert.Equal(t, silent.Reason, f.Reason)
	f, _ = combine(fact.Unknown[string](fact.Absent, "", ""))
	assert.Equal(t, "no export of the BIOS settings is part of this input", f.Reason)

	for _, c := range []struct {
		e    bios.Export
		want bool
	}{
		{bios.Export{Vendor: bios.AMI, Attributes: []bios.Attribute{{Name: "ABCD001"}}}, true}, {bios.Export{Vendor: bios.AMI, Attributes: []bios.Attribute{{Name: "ABCD001", Display: "SMT Mode"}}}, false},
		{bios.Export{Vendor: bios.Gigabyte}, true}, {bios.Export{Vendor: bios.ZT}, true}, {bios.Export{Vendor: bios.Dell}, false},
	} {
		assert.Equal(t, c.want, opaque(&c.e), "%s", c.e.Vendor)
	}
	assert.Contains(t, (&collector{}).noEffective().Reason, "an SMBIOS file only")
	assert.Equal(t, "not observable from Linux", (&collector{facts: &host.Facts{}}).noEffective().Reason)

	// By name if an attribute has it; otherwise by the text in setup.
	e := &bios.Export{Attributes: []bios.Attribute{{Name: "Smt", Display: "Turbo"}, {Name: "Turbo", Display: "Boost"}, {Name: "X1", Display: ""}}}
	e.Use(nil, "")
	assert.Equal(t, "Turbo", e.Named("turbo")[0].Name)
	assert.Equal(t, "Turbo", e.Named("boost")[0].Name)
	assert.Len(t, e.Named("turbo"), 1)
	assert.Empty(t, e.Named(""))
}

// TestWindowsOfCXL checks that a node is CXL memory if all of its blocks are in a window; a block that
// is partly inside is not conclusive.
func TestWindowsOfCXL(t *testing.T) {
	const gib = 1 << 30
	of := func(size fact.Fact[int64], window host.Range, blocks ...int) *collector {
		facts := &host.Facts{NUMA: &host.NUMA{}, Memory: &host.Memory{}, CPU: &host.CPU{}}
		facts.Memory.BlockSizeBytes = size
		facts.NUMA.Hints.Windows = fact.Fact[[]host.Range]{Value: []host.Range{window}, State: fact.OK}
		facts.NUMA.Nodes = []host.Node{{ID: 0, Blocks: fact.Fact[[]int]{Value: blocks, State: fact.OK}}}
		return &collector{sys: &inventory.System{}, facts: facts}
	}
	whole := fact.Fact[int64]{Value: gib, State: fact.OK}
	window := host.Range{Start: 64 * gib, End: 80 * gib}
	for _, c := range []struct {
		name string
		c    *collector
		want any
	}{
		{"the first block", of(whole, window, 64), true}, {"the last block", of(whole, window, 79), true}, {"before", of(whole, window, 63), false}, {"after", of(whole, window, 80), false},
		{"half inside", of(whole, window, 63, 64), nil}, {"no blocks", of(whole, window), nil},
		{"a block partly inside", of(whole, host.Range{Start: 64*gib + 1, End: 80 * gib}, 64), nil}, {"a block larger than the window", of(whole, host.Range{Start: 64*gib + 1, End: 64*gib + 2}, 64), nil},
		{"a block that ends in the window", of(whole, host.Range{Start: 65*gib - 1, End: 80 * gib}, 64), nil},
		{"no size", of(fact.Fact[int64]{State: fact.Denied}, window, 64), nil}, {"a size of 0", of(fact.Fact[int64]{State: fact.OK}, window, 64), nil},
	} {
		f := c.c.inWindow(0)
		assert.Equal(t, c.want != nil, f.Known(), c.name)
		assert.Equal(t, c.want == true, f.Value, c.name)
	}
	assert.False(t, of(whole, window, 64).inWindow(1).Known(), "a node that is not listed")
}

// TestNearestRating checks the rating of the nearest node that has CPUs and memory, and the first of two at the same
// distance.
func TestNearestRating(t *testing.T) {
	node := func(cpu, memory bool, rated int64) inventory.Node {
		return inventory.Node{HasCPU: known(cpu), HasMemory: known(memory), RatedBytesPerSecond: known(rated)}
	}
	c := &collector{sys: &inventory.System{Nodes: []inventory.Node{node(true, true, 1), node(true, true, 2), node(true, false, 3), node(false, true, 4)}}}
	at := func(distances ...int) *inventory.Node { return &inventory.Node{Distances: known(distances)} }
	assert.Equal(t, int64(1), c.nearest(at(20, 30, 10, 10)).Value)
	assert.Equal(t, int64(2), c.nearest(at(30, 20, 10, 10)).Value)
	assert.Equal(t, int64(1), c.nearest(at(20, 20, 10, 10)).Value)
	assert.False(t, c.nearest(at(20, 30)).Known(), "a table that is short")
	assert.False(t, c.nearest(&inventory.Node{}).Known())
	c.sys.Nodes = c.sys.Nodes[2:]
	assert.False(t, c.nearest(at(10, 10)).Known(), "no node with both")
}

// TestRatedAgainstDRAM checks that memory at least half as fast again as the nearest DRAM is HBM on a processor that has
// HBM, and that slower memory is not.
func TestRatedAgainstDRAM(t *testing.T) {
	for _, c := range []struct {
		own  int64
		want inventory.NodeKind
	}{{300, inventory.NodeHBM}, {299, ""}, {200, ""}, {100, ""}} {
		n := inventory.Node{ID: 1, HasCPU: known(false), HasMemory: known(true), RatedBytesPerSecond: known(c.own), Distances: known([]int{20, 10}), MemoryBytes: known(int64(1))}
		cc := &collector{facts: &host.Facts{NUMA: &host.NUMA{}, Memory: &host.Memory{}, CPU: &host.CPU{}}, sys: &inventory.System{Nodes: []inventory.Node{{HasCPU: known(true), HasMemory: known(true), RatedBytesPerSecond: known(int64(200))}, n}}}
		cc.sys.CPU.Brand = known("Intel(R) Xeon(R) CPU Max 9480")
		assert.Equal(t, c.want, cc.kindByRating(&n, known(inventory.NodeCPULess)).Or(""), c.own)
		cc.sys.CPU.Brand = known("Intel(R) Xeon(R) Platinum 8480+")
		assert.Equal(t, inventory.NodeCPULess, cc.kindByRating(&n, known(inventory.NodeCPULess)).Or(""), "no memory on the package")
	}
}

// TestMemoryOfOtherNodes checks that memory of nodes without DRAM is subtracted, but not an unknown
// size.
func TestMemoryOfOtherNodes(t *testing.T) {
	for _, c := range []struct {
		kind    inventory.NodeKind
		visible fact.Fact[int64]
		bytes   fact.Fact[int64]
		want    any
	}{
		{inventory.NodeCXL, known(int64(100)), known(int64(40)), int64(60)}, {inventory.NodeHBM, known(int64(100)), known(int64(99)), int64(1)}, {inventory.NodeGPU, known(int64(100)), known(int64(100)), int64(100)},
		{inventory.NodePersistent, known(int64(100)), fact.Fact[int64]{}, int64(100)}, {inventory.NodeDRAM, known(int64(100)), known(int64(40)), int64(100)}, {inventory.NodeCXL, fact.Fact[int64]{}, known(int64(40)), nil},
	} {
		cc := &collector{sys: &inventory.System{Nodes: []inventory.Node{{Kind: known(c.kind), MemoryBytes: c.bytes}}}}
		cc.sys.Memory.VisibleBytes = c.visible
		cc.subtractOtherMemory()
		assert.Equal(t, c.want != nil, cc.sys.Memory.VisibleBytes.Known())
		if c.want != nil {
			assert.Equal(t, c.want, cc.sys.Memory.VisibleBytes.Value, "%s", c.kind)
		}
	}
}

// TestCachesBeforeMemory checks that a memory-side cache is HBM if the processor has it, DRAM in front
// of persistent modules, and unknown if there are both or neither.
func TestCachesBeforeMemory(t *testing.T) {
	nvdimm := inventory.Slot{State: inventory.SlotPopulated, Technology: fact.Known(inventory.NVDIMM, fact.Direct, fact.Evidence{Field: "technology"})}
	dram := inventory.Slot{State: inventory.SlotPopulated, Technology: fact.Known(inventory.DRAM, fact.Direct, fact.Evidence{Field: "technology"})}
	empty := nvdimm
	empty.State = inventory.SlotEmpty
	const max, plain = "Intel(R) Xeon(R) CPU Max 9480", "Intel(R) Xeon(R) Gold 6252 CPU"
	for _, c := range []struct {
		brand string
		slots []inventory.Slot
		size  fact.Fact[int64]
		want  inventory.Technology
	}{
		{max, []inventory.Slot{dram}, known(int64(64)), inventory.HBM}, {plain, []inventory.Slot{dram, nvdimm}, known(int64(64)), inventory.DRAM}, {plain, []inventory.Slot{dram}, known(int64(64)), ""},
		{max, []inventory.Slot{nvdimm}, known(int64(64)), ""}, {plain, []inventory.Slot{empty}, known(int64(64)), ""}, {plain, []inventory.Slot{nvdimm}, known(int64(0)), ""}, {plain, []inventory.Slot{nvdimm}, fact.Fact[int64]{}, ""},
	} {
		cc := &collector{sys: &inventory.System{Slots: c.slots, Nodes: []inventory.Node{{SideCacheBytes: c.size}}}}
		cc.sys.CPU.Brand = known(c.brand)
		cc.sideCaches()
		assert.Equal(t, c.want, cc.sys.Nodes[0].SideCacheOf.Or(""), "%+v", c)
	}
}

// TestSocketOfNode checks that a node's socket is that of all its CPUs.
func TestSocketOfNode(t *testing.T) {
	owner := map[int]int{0: 0, 1: 0, 2: 1}
	for _, c := range []struct {
		cpus []int
		want any
		why  string
	}{{[]int{0, 1}, 0, ""}, {[]int{2}, 1, ""}, {[]int{1, 2}, nil, "several sockets"}, {[]int{9, 0}, nil, "not known"}, {[]int{0, 9}, nil, "not known"}, {nil, nil, "no CPUs"}} {
		f := nodeSocket(&inventory.Node{CPUs: known(c.cpus)}, owner)
		assert.Equal(t, c.want != nil, f.Known(), "%v", c.cpus)
		if c.want != nil {
			assert.Equal(t, c.want, f.Value, "%v", c.cpus)
		}
		assert.Contains(t, f.Reason, c.why)
	}
}

// TestNumbersOfHPE checks that HPE's numbers count from 1 and that 0 is unknown.
func TestNumbersOfHPE(t *testing.T) {
	l := smbios.HPEDIMMLocation{Processor: field(1), Controller: field(0), Channel: field(2)}
	have := hpeLocation(l, structureOf(202, 1, &smbios.Table{}))
	assert.Equal(t, []int{0, -1, 1, -1}, []int{have.Processor, have.Controller, have.Channel, have.Index})
}

// TestRentedMachines checks that bare-metal machines of clouds are recognised by firmware's cleared
// bit, on Google's also by the processor's flag (systemd src/basic/virt.c).
func TestRentedMachines(t *testing.T) {
	no, open := known(false), fact.Fact[bool]{}
	for _, c := range []struct {
		cloud, product string
		bit, flag      fact.Fact[bool]
		want           bool
	}{
		{amazon, "c5.large", no, open, true}, {amazon, "c5.metal", open, open, true}, {amazon, "c5.large", open, no, false},
		{google, "Google Compute Engine", no, no, true}, {google, "Google Compute Engine", no, open, false}, {google, "Google Compute Engine", open, no, false}, {"kvm", "c5.metal", no, no, false},
	} {
		cc := &collector{sys: &inventory.System{}}
		cc.sys.Machine.Product = known(c.product)
		assert.Equal(t, c.want, cc.bareMetal(c.cloud, c.bit, c.flag), "%+v", c)
	}
}

// TestPendingOfFirmwareAttributes checks that the driver's values are also pending only if it reports
// that no reboot is pending.
func TestPendingOfFirmwareAttributes(t *testing.T) {
	for _, c := range []struct{ settled, stated, want bool }{{true, true, true}, {true, false, false}, {false, true, false}, {false, false, false}} {
		a := host.FirmwareAttribute{Name: "Smt"}
		if c.stated {
			a.Current = fact.Fact[string]{Value: "Enable", State: fact.OK}
		}
		assert.Equal(t, c.want, firmwareAttribute(&a, c.settled).HasPending, "%+v", c)
	}
}

// TestRatingsThatAreMissing checks that a node's kind is derived from its rating only if both ratings
// are known.
func TestRatingsThatAreMissing(t *testing.T) {
	const max, plain = "Intel(R) Xeon(R) CPU Max 9480", "Intel(R) Xeon(R) Platinum 8480+"
	unrated := fact.Unknown[int64](fact.Absent, "firmware rates no bandwidth of the node", "")
	for _, c := range []struct {
		name      string
		brand     fact.Fact[string]
		own, near fact.Fact[int64]
		devices   int
		want      inventory.NodeKind
	}{
		{"fast beside a node that is not rated", known(max), known(int64(300)), unrated, 0, ""},
		{"not rated beside one that is", known(max), unrated, known(int64(200)), 0, ""},
		{"slower beside a CXL card", known(plain), known(int64(100)), known(int64(200)), 1, inventory.NodeCXL},
		{"as fast beside a CXL card", known(plain), known(int64(200)), known(int64(200)), 1, inventory.NodeCPULess},
		{"not rated beside a CXL card", known(plain), unrated, known(int64(200)), 1, inventory.NodeCPULess},
		{"slower beside nothing", known(plain), known(int64(100)), known(int64(200)), 0, inventory.NodeCPULess},
		{"slower, and the processor is not known", fact.Fact[string]{}, known(int64(100)), known(int64(200)), 1, inventory.NodeCPULess},
	} {
		n := inventory.Node{ID: 1, HasCPU: known(false), HasMemory: known(true), RatedBytesPerSecond: c.own, Distances: known([]int{20, 10}), MemoryBytes: known(int64(1))}
		facts := &host.Facts{NUMA: &host.NUMA{}, Memory: &host.Memory{}, CPU: &host.CPU{}}
		facts.NUMA.Hints.NVDIMM.State, facts.NUMA.Hints.GPUs.State = fact.Absent, fact.Absent
		cc := &collector{facts: facts, sys: &inventory.System{Nodes: []inventory.Node{{HasCPU: known(true), HasMemory: known(true), RatedBytesPerSecond: c.near}, n}}}
		cc.sys.CPU.Brand, cc.sys.NUMA.CXLDevices = c.brand, known(c.devices)
		assert.Equal(t, c.want, cc.kindByRating(&n, known(inventory.NodeCPULess)).Or(""), c.name)
	}
}

// TestRanksByNumber checks that one rank count for all modules that part numbers contradict is a
// constant of the firmware, and that unknown ranks contradict nothing.
func TestRanksByNumber(t *testing.T) {
	for _, c := range []struct {
		name     string
		firmware fact.Fact[int]
		decoded  int
		want     fact.State
	}{
		{"the same", known(2), 2, fact.OK}, {"another", known(2), 1, fact.Conflicting}, {"the number says none", known(2), 0, fact.OK}, {"firmware says none", fact.Fact[int]{}, 1, fact.Unread},
	} {
		sys := &inventory.System{Slots: []inventory.Slot{{Ranks: c.firmware, PartNumber: known("P")}}}
		p := &partNumberMerge{differs: map[string]int{}}
		p.doubtRanks(sys, []decodedModule{{slot: &sys.Slots[0], decoded: &partnumber.Module{Ranks: c.decoded}}})
		assert.Equal(t, c.want, sys.Slots[0].Ranks.State, c.name)
	}
}

// TestRangesAtTheirBounds checks that one page is not the range of a module, and that an address above 52 bits is
// beyond any processor.
func TestRangesAtTheirBounds(t *testing.T) {
	const g = uint64(1) << 30
	of := func(end uint64, modules ...uint64) *collector {
		b := smbiostest.New(3, 2)
		handle := b.Array(smbiostest.Array{Devices: len(modules)})
		mapping := b.Mapping(smbiostest.Mapping{Array: handle, End: end - 1})
		c := &collector{sys: &inventory.System{}}
		for range modules {
			device := b.MemoryDevice(smbiostest.DIMM{Array: handle, Bytes: 8 << 30})
			c.sys.Slots = append(c.sys.Slots, inventory.Slot{Handle: device, Array: handle, State: inventory.SlotPopulated})
		}
		for i, to := range modules {
			b.DeviceMapping(smbiostest.DeviceMapping{Device: c.sys.Slots[i].Handle, Mapping: mapping, End: to - 1})
		}
		c.table = smbios.Decode(b.EntryPoint(), b.Table())
		return c
	}
	c := of(8*g, 8*g, 4096, 5120)
	c.mappedDevices()
	assert.Equal(t, []bool{true, false, true}, []bool{c.sys.Slots[0].Mapped.Value, c.sys.Slots[1].Mapped.Value, c.sys.Slots[2].Mapped.Value})
	for end, want := range map[uint64]bool{1 << 52: true, 1<<52 + 1024: false} {
		sum, _ := mappedRanges(of(end).table)
		assert.Equal(t, want, sum.Known(), "%x", end)
	}
}

// TestNumbersOfModules checks that the part number of a populated slot is read even if its size is
// unknown.
func TestNumbersOfModules(t *testing.T) {
	table, err := partnumber.Load(rules.FS)
	require.NoError(t, err)
	slot := func(state inventory.SlotState, technology inventory.Technology) inventory.Slot {
		return inventory.Slot{State: state, Technology: fact.Known(technology, fact.Direct, fact.Evidence{}), PartNumber: fact.Known("M393A4K40CB2-CTD", fact.Direct, fact.Evidence{})}
	}
	c := &collector{sys: &inventory.System{Slots: []inventory.Slot{slot(inventory.SlotPopulated, inventory.DRAM), slot(inventory.SlotEmpty, inventory.DRAM), slot(inventory.SlotPopulated, inventory.NVDIMM)}}}
	read := c.readPartNumbers(table, &partNumberMerge{})
	require.Len(t, read, 1)
	assert.Same(t, &c.sys.Slots[0], read[0].slot)
	assert.False(t, read[0].agrees)
}
