package collect

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/partnumber"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/source/redfish"
	"github.com/memaudit/memaudit/internal/source/smbios"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

func known[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

func field[T any](v T) smbios.Field[T] { return smbios.Field[T]{Value: v, Status: smbios.Known} }

// TestSpeedOfTheBMC checks that the BMC's speed is used if it is a data rate of the module's type and not half its rated
// speed, and compared whatever it is if SMBIOS states one.
func TestSpeedOfTheBMC(t *testing.T) {
	for _, c := range []struct{ rated, v, want int }{{0, 1333, 1333}, {0, 796, 796}, {0, 795, 0}, {0, 667, 0}, {0, 4267, 0}, {1866, 933, 0}, {1866, 1866, 1866}, {1600, 1066, 1066}} {
		j := moduleMatch{s: &inventory.Slot{Type: known("DDR3")}, d: &redfish.DIMM{SpeedMTs: c.v}}
		if c.rated > 0 {
			j.s.RatedMTs = known(c.rated)
		}
		assert.Equal(t, c.want, j.speed(), c.v)
		j.s.ConfiguredMTs = known(1333)
		assert.Equal(t, c.v, j.speed(), c.v)
	}
	assert.Equal(t, 4800, moduleMatch{s: &inventory.Slot{}, d: &redfish.DIMM{SpeedMTs: 4800, Type: "DDR5"}}.speed(), "the controller's own type, where firmware has none")
}

// TestWordsOfDevices checks types that are not memory and unstated types (DSP0134 7.18.2).
func TestWordsOfDevices(t *testing.T) {
	s := structureOf(17, 0x1100, &smbios.Table{})
	for _, c := range []struct {
		typ       string
		want      inventory.Technology
		certainty fact.Certainty
	}{
		{"ROM", inventory.Flash, fact.Direct}, {"EPROM", inventory.Flash, fact.Direct}, {"EEPROM", inventory.Flash, fact.Direct}, {"FEPROM", inventory.Flash, fact.Direct},
		{"", inventory.DRAM, fact.Indirect}, {"Unknown", inventory.DRAM, fact.Indirect}, {"Other", inventory.DRAM, fact.Indirect}, {"<OUT OF SPEC>", inventory.DRAM, fact.Indirect},
		{"DDR4", inventory.DRAM, fact.Direct}, {"HBM2", inventory.HBM, fact.Direct},
	} {
		f := technology(s, &smbios.MemoryDevice{Type: field(c.typ)})
		assert.Equal(t, []any{c.want, c.certainty}, []any{f.Value, f.Certainty}, c.typ)
	}
	for _, c := range []struct {
		form, typ string
		want      any
	}{
		{"Chip", "DDR4", true}, {"Row Of Chips", "LPDDR5", true}, {"Die", "DDR4", true}, {"DIMM", "DDR4", false}, {"SODIMM", "LPDDR4", false}, {"CAMM", "LPDDR5", false},
		{"Row of nothing", "LPDDR5", true}, {"Proprietary Card", "DDR5", false}, {"Other", "LPDDR5", true}, {"Other", "DDR4", nil},
	} {
		f := soldered(s, &smbios.MemoryDevice{FormFactor: field(c.form), Type: field(c.typ)})
		if c.want == nil {
			assert.False(t, f.Known(), "%s of %s", c.form, c.typ)
			continue
		}
		assert.Equal(t, c.want, f.Value, "%s of %s", c.form, c.typ)
	}

	module := inventory.Slot{State: inventory.SlotPopulated, SizeBytes: known(int64(8)), Locator: known("A1"), BankLocator: known("BANK 0")}
	assert.True(t, sameModule(&module, &module))
	for name, change := range map[string]func(*inventory.Slot){
		"another size": func(s *inventory.Slot) { s.SizeBytes = known(int64(4)) }, "no size": func(s *inventory.Slot) { s.SizeBytes = fact.Fact[int64]{} },
		"empty": func(s *inventory.Slot) { s.State = inventory.SlotEmpty }, "another label": func(s *inventory.Slot) { s.Locator = known("A2") },
		"no label": func(s *inventory.Slot) { s.Locator = fact.Fact[string]{} }, "another bank": func(s *inventory.Slot) { s.BankLocator = known("BANK 1") },
		"no bank": func(s *inventory.Slot) { s.BankLocator = fact.Fact[string]{} },
	} {
		other := module
		change(&other)
		assert.False(t, sameModule(&module, &other), name)
		assert.False(t, sameModule(&other, &module), name)
		if name != "another size" && name != "another label" && name != "another bank" {
			same := other
			assert.False(t, sameModule(&other, &same), name)
		}
	}
}

// TestCPUVendors checks the processor's vendor by manufacturer and brand string.
func TestCPUVendors(t *testing.T) {
	for text, want := range map[string]string{"Intel(R) Corporation": "GenuineIntel", "Advanced Micro Devices, Inc.": "AuthenticAMD", "AMD": "AuthenticAMD", "Hygon": "HygonGenuine",
		"ARM": "ARM", "Ampere(R)": "ARM", "HiSilicon": "ARM", "Phytium": "ARM", "NVIDIA": "ARM", "Cavium Inc.": "ARM", "APM": "ARM", "Loongson": "", "": ""} {
		for _, s := range []inventory.Socket{{Manufacturer: known(text)}, {Manufacturer: known("Not Specified"), Brand: known(text)}} {
			assert.Equal(t, want, vendor(s).Or(""), text)
		}
	}
	table := &smbios.Table{}
	for state, want := range map[string]any{"Enabled": true, "Disabled By User": false, "Disabled By BIOS": false, "Idle": true, "Unknown": nil, "Other": nil} {
		f := enabled(structureOf(4, 0x400, table), &smbios.Processor{State: field(state)})
		assert.Equal(t, want != nil, f.Known(), state)
		assert.Equal(t, want == true, f.Value, state)
	}
	assert.False(t, enabled(structureOf(4, 0x400, table), &smbios.Processor{}).Known())
	p := &smbios.Processor{Populated: field(true), ThreadCount: field(64), ThreadsEnabled: field(32)}
	for _, c := range []struct {
		minor int
		want  bool
	}{{5, false}, {6, true}, {7, true}} {
		s := socket(structureOf(4, 0x400, &smbios.Table{Version: smbios.Version{Major: 3, Minor: c.minor}}), p, 0)
		assert.Equal(t, c.want, s.ThreadsEnabled.Known(), "SMBIOS 3.%d: the field is new in 3.6", c.minor)
	}
	p.ThreadCount = smbios.Field[int]{}
	assert.False(t, socket(structureOf(4, 0x400, &smbios.Table{Version: smbios.Version{Major: 3, Minor: 6}}), p, 0).ThreadsEnabled.Known())
}

// TestThreadOf checks when a number in brackets is that of a hardware thread.
func TestThreadOf(t *testing.T) {
	for _, c := range []struct {
		designation string
		apple       bool
		socket      string
		numbered    bool
	}{
		{"CPU-A (00)", false, "CPU-A", true}, {" CPU-A (33) ", false, "CPU-A", true}, {"CPU (1)", false, "CPU (1)", false}, {"CPU-A ( 0 )", true, "CPU-A", true},
		{"CPU-A (0)", true, "CPU-A", true}, {"CPU-A", true, "CPU-A", false}, {"CPU-A (0", true, "CPU-A (0", false}, {"CPU-A (B)", true, "CPU-A (B)", false},
		{"CPU-A ( )", true, "CPU-A ( )", false}, {"CPU-A (0x)", false, "CPU-A (0x)", false}, {"(00)", false, "(00)", false}, {"(00", false, "(00", false}, {"", true, "", false},
	} {
		socket, numbered := threadOf(c.designation, c.apple)
		assert.Equal(t, []any{c.socket, c.numbered}, []any{socket, numbered}, c.designation)
	}
	one := smbios.Processor{ID: field(uint64(7))}
	one.Version = smbios.Field[string]{Value: "Xeon", Status: smbios.Known}
	other, third := one, one
	other.ID, third.Version.Value = field(uint64(8)), "Core"
	assert.True(t, sameProcessor(&one, &one))
	assert.False(t, sameProcessor(&one, &other))
	assert.False(t, sameProcessor(&one, &third))
}

// TestRangesOfModules checks that a range is valid if it is larger than a page and within 52 address
// bits, and its interleave position if that is within the depth.
func TestRangesOfModules(t *testing.T) {
	of := func(size int64, end uint64, position, depth int) *inventory.Range {
		return rangeOf(&smbios.DeviceMapping{Start: field(uint64(8)), End: field(end), Size: field(size), InterleavePosition: field(position), InterleaveDepth: field(depth)})
	}
	assert.Equal(t, &inventory.Range{Start: 8, Position: 1, Depth: 2}, of(8192, 1<<30, 1, 2))
	assert.Equal(t, &inventory.Range{Start: 8, Position: 2, Depth: 2}, of(8192, 1<<30, 2, 2), "the last one counts")
	assert.Equal(t, &inventory.Range{Start: 8}, of(8192, 1<<30, 3, 2))
	assert.Equal(t, &inventory.Range{Start: 8}, of(8192, 1<<30, 1, 1))
	assert.Nil(t, of(4096, 1<<30, 1, 2))
	assert.NotNil(t, of(4097, 1<<30, 1, 2))
	assert.Nil(t, of(8192, 1<<52, 1, 2))
	assert.NotNil(t, of(8192, 1<<52-1, 1, 2))
}

// TestDefectsThatLose checks which defects may lose structures of the table.
func TestDefectsThatLose(t *testing.T) {
	for code, want := range map[string]bool{smbios.CodeTruncated: true, smbios.CodeCount: true, smbios.CodeNoEndMarker: true, smbios.CodeZeroLength: true, smbios.CodeGarbage: true, "checksum": false} {
		assert.Equal(t, want, losesStructures(&smbios.Problem{Code: code, Handle: -1}), code)
		assert.False(t, losesStructures(&smbios.Problem{Code: code, Handle: -1, Harmless: true}), code)
	}
	for handle, want := range map[int]bool{-1: true, 0: false, 1: false} {
		assert.Equal(t, want, losesStructures(&smbios.Problem{Code: smbios.CodeLength, Handle: handle}), "the table's own length, or structure %d's", handle)
	}
	assert.Equal(t, fact.Refused, refusedTable(smbios.ErrTooLarge))
	assert.Equal(t, fact.Malformed, refusedTable(errors.New("no anchor")))
}

// TestDefectsAfterTheMemory checks that a defect after the complete list of processors and memory does
// not affect them. Boards with two processors have an array for each, with inactive structures (type
// 126) or OEM structures between them, so a table that ends there could seem complete.
func TestDefectsAfterTheMemory(t *testing.T) {
	const processor, cache, array, device, mapped, pointing, boot, inactive, vendors = 4, 7, 16, 17, 20, 21, 32, 126, 235
	of := func(announced int, kinds ...int) *smbios.Table {
		b := smbiostest.New(3, 2)
		b.CPU(smbiostest.CPU{Socket: "CPU1"})
		handle := b.Array(smbiostest.Array{Devices: announced})
		for _, kind := range kinds {
			switch kind {
			case array:
				b.Array(smbiostest.Array{Devices: announced})
			case device:
				b.MemoryDevice(smbiostest.DIMM{Array: handle, Bytes: 8 << 30, Locator: "A"})
			case mapped:
				b.DeviceMapping(smbiostest.DeviceMapping{})
			case processor:
				b.CPU(smbiostest.CPU{Socket: "CPU2"})
			default:
				b.Add(uint8(kind), []byte{3, 4, 5})
			}
		}
		return smbios.Decode(b.EntryPoint(), b.Table())
	}
	for _, c := range []struct {
		name      string
		announced int
		kinds     []int // after the first array
		offset    func(t *smbios.Table) int
		code      string
		want      bool
	}{
		{"at the structure behind the memory", 1, []int{device, boot}, func(t *smbios.Table) int { return t.Structures[3].Offset }, smbios.CodeTruncated, true},
		{"before it", 1, []int{device, boot}, func(t *smbios.Table) int { return t.Structures[3].Offset - 1 }, smbios.CodeTruncated, false},
		{"at the first byte", 1, []int{device, boot}, func(*smbios.Table) int { return 0 }, smbios.CodeTruncated, false},
		{"nowhere", 1, []int{device, boot}, func(*smbios.Table) int { return -1 }, smbios.CodeTruncated, true},
		{"a table shorter than announced", 1, []int{device, boot}, func(*smbios.Table) int { return 0 }, smbios.CodeLength, true},
		{"fewer structures than announced", 1, []int{device, boot}, func(*smbios.Table) int { return 0 }, smbios.CodeCount, true},
		{"a device is missing", 2, []int{device, boot}, func(*smbios.Table) int { return -1 }, smbios.CodeTruncated, false},
		{"an array that announces none", 0, []int{device, boot}, func(*smbios.Table) int { return -1 }, smbios.CodeTruncated, false},
		{"nothing behind the memory", 1, []int{device}, func(*smbios.Table) int { return -1 }, smbios.CodeTruncated, false},
		{"at an array behind the devices", 0, []int{device, array, boot}, func(t *smbios.Table) int { return t.Structures[3].Offset }, smbios.CodeTruncated, false},
		{"at a range behind the devices", 1, []int{device, mapped, boot}, func(t *smbios.Table) int { return t.Structures[3].Offset }, smbios.CodeTruncated, false},
		{"behind it", 1, []int{device, mapped, boot}, func(t *smbios.Table) int { return t.Structures[4].Offset }, smbios.CodeTruncated, true},
		{"between arrays", 1, []int{device, inactive, vendors, 5, 6}, func(*smbios.Table) int { return -1 }, smbios.CodeCount, false},
		{"behind what stands between arrays", 1, []int{device, inactive, vendors, boot}, func(*smbios.Table) int { return -1 }, smbios.CodeCount, true},
		{"at what stands between arrays", 1, []int{device, vendors, boot}, func(t *smbios.Table) int { return t.Structures[3].Offset }, smbios.CodeTruncated, false},
		{"between processors", 1, []int{device, boot, cache, processor, cache}, func(*smbios.Table) int { return -1 }, smbios.CodeCount, false},
		{"behind them", 1, []int{device, cache, processor, boot}, func(*smbios.Table) int { return -1 }, smbios.CodeCount, true},
		{"a structure that is none of memory's", 1, []int{device, pointing}, func(*smbios.Table) int { return -1 }, smbios.CodeTruncated, true},
	} {
		table := of(c.announced, c.kinds...)
		for len(table.Structures) > 2+len(c.kinds) { // the end is not reached
			table.Structures = table.Structures[:len(table.Structures)-1]
		}
		assert.Equal(t, c.want, memoryComplete(table, &smbios.Problem{Code: c.code, Offset: c.offset(table)}), c.name)
	}
	b := smbiostest.New(3, 2)
	b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1}), Bytes: 8 << 30})
	b.Add(boot, []byte{3, 4, 5})
	b.NoEnd = true
	table := smbios.Decode(b.EntryPoint(), b.Table())
	assert.False(t, memoryComplete(table, &smbios.Problem{Code: smbios.CodeCount, Offset: -1}), "the processors are missing")
	assert.False(t, memoryComplete(&smbios.Table{}, &smbios.Problem{Offset: -1}))
}

// TestRangesAgainstEachOther checks that the ranges of arrays and of modules may differ by one percent.
func TestRangesAgainstEachOther(t *testing.T) {
	const g = uint64(1) << 30
	of := func(modules ...[2]uint64) *collector {
		b := smbiostest.New(3, 2)
		handle := b.Array(smbiostest.Array{Devices: len(modules)})
		mapping := b.Mapping(smbiostest.Mapping{Array: handle, End: 100*g - 1})
		c := &collector{sys: &inventory.System{}}
		for range modules {
			device := b.MemoryDevice(smbiostest.DIMM{Array: handle, Bytes: 8 << 30})
			c.sys.Slots = append(c.sys.Slots, inventory.Slot{Handle: device, Array: handle, State: inventory.SlotPopulated})
		}
		for i, m := range modules {
			b.DeviceMapping(smbiostest.DeviceMapping{Device: c.sys.Slots[i].Handle, Mapping: mapping, Start: m[0], End: m[1] - 1})
		}
		c.table = smbios.Decode(b.EntryPoint(), b.Table())
		return c
	}
	sum := known(int64(100 * g))
	for _, c := range []struct {
		name    string
		modules [][2]uint64
		want    bool
	}{
		{"the same", [][2]uint64{{0, 50 * g}, {50 * g, 100 * g}}, true}, {"a hundredth less", [][2]uint64{{0, 99 * g}}, true}, {"more than that less", [][2]uint64{{0, 99*g - 1024}}, false},
		{"a hundredth more", [][2]uint64{{0, 101 * g}}, true}, {"more than that more", [][2]uint64{{0, 101*g + 1024}}, false},
		{"one range of all modules", [][2]uint64{{0, 100 * g}, {0, 100 * g}}, true}, {"overlapping", [][2]uint64{{0, 60 * g}, {40 * g, 100 * g}}, true}, {"none", nil, true},
	} {
		f := of(c.modules...).checkMappedBytes(sum)
		assert.Equal(t, c.want, f.Known(), "%s: %s", c.name, f.Reason)
	}
	bytes, ok := of([2]uint64{0, g}).deviceRanges()
	assert.Equal(t, []any{int64(g), true}, []any{bytes, ok}, "the only one")
	stranger := of([2]uint64{0, g})
	stranger.sys.Slots = nil
	_, ok = stranger.deviceRanges()
	assert.False(t, ok, "a range of no module")
	first := of([2]uint64{8 * g, 16 * g}, [2]uint64{0, 8 * g})
	first.mappedDevices()
	assert.Equal(t, []int64{int64(8 * g), 0}, []int64{first.sys.Slots[0].Range.Start, first.sys.Slots[1].Range.Start})
}

// TestWhyNoTable checks that the failure of a given file takes precedence over that of the tree.
func TestWhyNoTable(t *testing.T) {
	file, tree := &Failure{fact.Denied, "the file was denied"}, &Failure{fact.Absent, "no such tree"}
	for _, c := range []struct {
		c    collector
		want string
	}{
		{collector{failed: file, rootFailed: tree, given: true}, "the file was denied"}, {collector{failed: file, rootFailed: tree}, "the file was denied"},
		{collector{rootFailed: tree}, "no such tree"}, {collector{rootFailed: tree, given: true}, "the file holds no SMBIOS structure"},
		{collector{given: true, table: &smbios.Table{Err: smbios.ErrTooLarge}}, smbios.ErrTooLarge.Error()}, {collector{given: true, table: &smbios.Table{}}, "the file holds no SMBIOS structure"},
	} {
		assert.Equal(t, c.want, c.c.noTable().Reason)
	}
	names := func(c *collector) map[string]fact.SourceState {
		c.sys = &inventory.System{}
		c.sources()
		out := map[string]fact.SourceState{}
		for _, s := range c.sys.Sources {
			_, twice := out[s.Name]
			assert.False(t, twice, s.Name)
			out[s.Name] = s.State
		}
		return out
	}
	states := names(&collector{rootFailed: tree, given: true, table: &smbios.Table{}})
	assert.Len(t, states, len(kernelSources))
	assert.Equal(t, fact.SourceMalformed, states[inventory.SourceSMBIOS], "the file's own state")
	assert.Equal(t, fact.SourceAbsent, states[inventory.SourceNUMA])
	assert.Equal(t, fact.SourceAbsent, names(&collector{rootFailed: tree})[inventory.SourceSMBIOS])
}

// TestMeasurementsOfOthers checks that results of another product are shown and not checked.
func TestMeasurementsOfOthers(t *testing.T) {
	c := &collector{sys: &inventory.System{}}
	given := []inventory.Measurement{{Product: "R610"}, {Product: "R710"}, {}, {Product: "R710", Unjudged: "measured in a guest"}}
	for _, m := range c.measurements(given) {
		assert.False(t, m.Foreign, "a machine without a name is not another one")
	}
	c.sys.Machine.Product = known("R610")
	out := c.measurements(given)
	assert.Equal(t, []bool{false, true, false, true}, []bool{out[0].Foreign, out[1].Foreign, out[2].Foreign, out[3].Foreign})
	assert.Equal(t, []string{"", "measured on another machine: R710, and this is R610", "", "measured in a guest"},
		[]string{out[0].Unjudged, out[1].Unjudged, out[2].Unjudged, out[3].Unjudged})
	assert.Empty(t, given[1].Unjudged, "what was given stays as it is")
}

// TestWhatPartNumbersFill checks each unstated field; values that firmware states are never replaced.
func TestWhatPartNumbersFill(t *testing.T) {
	silent := func() inventory.Slot {
		unstated := fact.Unknown[int](fact.Unstated, "not stated", "")
		return inventory.Slot{PartNumber: known("P"), Ranks: unstated, RatedMTs: unstated, DataWidth: unstated, TotalWidth: unstated,
			Type: fact.Unknown[string](fact.Absent, "no field", ""), Registered: fact.Unknown[bool](fact.Unstated, "not stated", "")}
	}
	decoded := partnumber.Module{SizeBytes: 32 << 30, Type: "DDR4", Kind: "RDIMM", Ranks: 1, RatedMTs: 2666, Documented: true}
	p := &partNumberMerge{differs: map[string]int{}}
	s := silent()
	p.fill(&decodedModule{slot: &s, decoded: &decoded, agrees: true})
	assert.Equal(t, []any{1, 2666, "DDR4", true, false, 64, 72}, []any{s.Ranks.Value, s.RatedMTs.Value, s.Type.Value, s.Registered.Value, s.LoadReduced.Value, s.DataWidth.Value, s.TotalWidth.Value})
	assert.Equal(t, fact.Corroborated, s.Ranks.Certainty)
	assert.False(t, s.Ranks.Unverified)
	assert.Equal(t, "part numbers complete 1 module", p.summary())

	s = silent()
	p = &partNumberMerge{differs: map[string]int{}}
	p.fill(&decodedModule{slot: &s, decoded: &partnumber.Module{SizeBytes: 32 << 30}})
	for _, f := range []fact.State{s.Ranks.State, s.RatedMTs.State, s.Type.State, s.Registered.State, s.LoadReduced.State, s.DataWidth.State, s.TotalWidth.State} {
		assert.NotEqual(t, fact.OK, f)
	}
	assert.Empty(t, p.summary())

	// One field that firmware leaves open is a module completed, whichever it is.
	whole := func() inventory.Slot {
		return inventory.Slot{PartNumber: known("P"), Ranks: known(1), RatedMTs: known(2666), DataWidth: known(64), TotalWidth: known(72), Type: known("DDR4"), Registered: known(true), LoadReduced: known(false)}
	}
	for name, open := range map[string]func(*inventory.Slot){
		"none": nil, "ranks": func(s *inventory.Slot) { s.Ranks = fact.Fact[int]{} }, "speed": func(s *inventory.Slot) { s.RatedMTs = fact.Fact[int]{} }, "type": func(s *inventory.Slot) { s.Type = fact.Fact[string]{} },
		"registered": func(s *inventory.Slot) { s.Registered = fact.Fact[bool]{} }, "reduced": func(s *inventory.Slot) { s.LoadReduced = fact.Fact[bool]{} },
		"data": func(s *inventory.Slot) { s.DataWidth = fact.Fact[int]{} }, "total": func(s *inventory.Slot) { s.TotalWidth = fact.Fact[int]{} },
	} {
		s, p := whole(), &partNumberMerge{differs: map[string]int{}}
		want := ""
		if open != nil {
			open(&s)
			want = "part numbers complete 1 module"
		}
		p.fill(&decodedModule{slot: &s, decoded: &decoded})
		assert.Equal(t, want, p.summary(), name)
	}
	for state, filled := range map[fact.State]bool{fact.Unstated: true, fact.Absent: true, fact.Unread: true, fact.Malformed: false, fact.Conflicting: false, fact.Truncated: false, fact.Denied: false} {
		f := fact.Fact[int]{State: state}
		assert.Equal(t, filled, fillFrom(&decodedModule{slot: &inventory.Slot{}, decoded: &partnumber.Module{}}, &f, 2, true), state.String())
		assert.Equal(t, filled, f.Unverified, "a number that no vendor's document explains")
	}
}

// TestRatedBelowThePartNumber checks that only a rated speed below that of the part number becomes
// indirect.
func TestRatedBelowThePartNumber(t *testing.T) {
	for _, c := range []struct {
		rated, decoded int
		certainty      fact.Certainty
		told, readings int
	}{{2133, 2666, fact.Indirect, 1, 1}, {2667, 2666, fact.Direct, 0, 0}, {3200, 2666, fact.Direct, 1, 0}, {2666, 0, fact.Direct, 0, 0}, {2666, 2666, fact.Direct, 0, 0}} {
		s, p := inventory.Slot{RatedMTs: known(c.rated)}, &partNumberMerge{differs: map[string]int{}}
		p.speed(&decodedModule{slot: &s, decoded: &partnumber.Module{RatedMTs: c.decoded}})
		assert.Equal(t, c.certainty, s.RatedMTs.Certainty, "%d against %d", c.rated, c.decoded)
		assert.Len(t, p.order, c.told, "%d against %d", c.rated, c.decoded)
		assert.Len(t, s.RatedMTs.More, c.readings, "%d against %d", c.rated, c.decoded)
	}
	s, p := inventory.Slot{}, &partNumberMerge{differs: map[string]int{}}
	p.speed(&decodedModule{slot: &s, decoded: &partnumber.Module{RatedMTs: 2666}})
	assert.Empty(t, p.order, "firmware states none")
	weak := inventory.Slot{RatedMTs: fact.Known(2133, fact.Indirect, fact.Evidence{})}
	p.speed(&decodedModule{slot: &weak, decoded: &partnumber.Module{RatedMTs: 2666}})
	assert.Empty(t, weak.RatedMTs.More, "it was no more than one source before")
	for typ, want := range map[string]string{"DDR4": "DDR4", "DDR2 FB-DIMM": "DDR2", "DDR": "", "DRAM": "", "SDRAM": "", "LPDDR4": "", "": ""} {
		assert.Equal(t, want, generation(typ), typ)
	}
}

// TestExportsAndMachines checks which exports may belong to this machine and how product names are
// compared.
func TestExportsAndMachines(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"IBM", "Lenovo", true}, {"Lenovo", "IBM", true}, {"HPE", "HPE Cray", true}, {"HPE Cray", "HPE", true}, {"Dell", "AMI", true}, {"AMI", "Dell", true}, {"Dell", "Intel", true},
		{"Intel", "Dell", false}, {"Dell", "HPE", false}, {"IBM", "HPE", false}, {"Lenovo", "HPE Cray", false}, {"IBM", "HPE Cray", false}, {"IBM", "IBM", false},
	} {
		assert.Equal(t, c.want, related(c.a, c.b), "%s %s", c.a, c.b)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"PowerEdge R610", "R610", true}, {"R610", "PowerEdge R610", true}, {"R610", "R710", false}, {"", "R610", false}, {"R610", "", false}, {"", "", false}} {
		assert.Equal(t, c.want, sameProduct(c.a, c.b), "%q %q", c.a, c.b)
	}
	identify := func(m inventory.Machine, j Export) *collector {
		c := &collector{sys: &inventory.System{Machine: m}}
		c.identify(&j)
		return c
	}
	e := &bios.Export{Product: "PowerEdge R610", RegistryName: "Registry.v1", Firmware: "2.19.1"}
	bare := identify(inventory.Machine{}, Export{Export: e}).sys.Machine
	assert.Equal(t, []any{"PowerEdge R610", "Registry.v1", "2.19.1", false}, []any{bare.Product.Value, bare.BIOSRegistry.Value, bare.BIOSVersion.Value, bare.Vendor.Known()})
	said := inventory.Machine{Product: known("PowerEdge R610"), BIOSRegistry: known("own"), BIOSVersion: known("own"), Vendor: known("own")}
	assert.Equal(t, said, identify(said, Export{Export: e}).sys.Machine, "the machine's own words stay")
	nothing := identify(inventory.Machine{}, Export{Export: &bios.Export{}}).sys.Machine
	assert.Equal(t, inventory.Machine{}, nothing)
	assert.Equal(t, inventory.Machine{}, identify(inventory.Machine{}, Export{Export: e, Foreign: true}).sys.Machine, "another machine's are ignored")

	for _, c := range []struct {
		name           string
		m              inventory.Machine
		source         string
		doubt, foreign bool
	}{
		{"by its product", inventory.Machine{Product: known("PowerEdge R610")}, inventory.SourceBIOS, false, false},
		{"by its board", inventory.Machine{Product: known("Super Server"), Board: known("PowerEdge R610")}, inventory.SourceBIOS, false, false},
		{"another's", inventory.Machine{Product: known("PowerEdge R710"), Board: known("0N047H")}, inventory.SourceBIOS, true, true},
		{"this machine's controller under another name", inventory.Machine{Product: known("PowerEdge R710")}, inventory.SourceRedfish, true, false},
	} {
		j := Export{Export: e, Source: c.source}
		cc := &collector{sys: &inventory.System{Machine: c.m}}
		cc.identify(&j)
		assert.Equal(t, []bool{c.doubt, c.foreign}, []bool{j.Doubt != "", j.Foreign}, c.name)
	}
}

// TestWhoDecidedByExport checks what an export proves about who set the running value.
func TestWhoDecidedByExport(t *testing.T) {
	const reg = "/sys/devices/system/cpu/cpu0/power/energy_perf_bias"
	setting := func(configured, runs string, by string) *inventory.Setting {
		s := &inventory.Setting{Configured: known(configured), Effective: known(runs)}
		if by != "" {
			s.DecidedBy = known(by)
		}
		return s
	}
	for _, c := range []struct {
		name, id string
		s        *inventory.Setting
		change   func(*inventory.Setting)
		want     any // the word, or nil
		why      string
	}{
		{"as BIOS setup says", "smt", setting("disabled", "disabled", ""), nil, inventory.DecidedFirmware, ""},
		{"firmware or the processor, as BIOS setup says", "smt", setting("disabled", "disabled", inventory.DecidedHardware), nil, inventory.DecidedFirmware, ""},
		{"the command line as BIOS setup says", "smt", setting("disabled", "disabled", inventory.DecidedCommandLine), nil, inventory.DecidedCommandLine, ""},
		{"against BIOS setup", "smt", setting("enabled", "disabled", ""), nil, nil, "BIOS setup says enabled"},
		{"against BIOS setup, by firmware or the processor", "smt", setting("enabled", "disabled", inventory.DecidedHardware), nil, nil, "BIOS setup says enabled"},
		{"against BIOS setup, by the command line", "smt", setting("enabled", "disabled", inventory.DecidedCommandLine), nil, inventory.DecidedCommandLine, ""},
		{"two sources are enough", "smt", setting("disabled", "disabled", ""), func(s *inventory.Setting) { s.Configured.Certainty = fact.Corroborated }, inventory.DecidedFirmware, ""},
		{"one that may be wrong is not", "smt", setting("disabled", "disabled", ""), func(s *inventory.Setting) { s.Configured.Certainty = fact.Indirect }, nil, ""},
		{"what no document confirms is not", "smt", setting("disabled", "disabled", ""), func(s *inventory.Setting) { s.Configured.Unverified = true }, nil, ""},
		{"auto says nothing", "smt", setting("auto", "auto", ""), nil, nil, ""},
		{"no export", "smt", setting("disabled", "disabled", ""), func(s *inventory.Setting) { s.Configured = fact.Fact[string]{} }, nil, ""},
		{"not seen", "smt", setting("disabled", "disabled", ""), func(s *inventory.Setting) { s.Effective = fact.Fact[string]{} }, nil, ""},
		{"x2APIC that the kernel switched on", "x2apic", setting("disabled", "enabled", inventory.DecidedFirmware), nil, inventory.DecidedKernel, ""},
		{"x2APIC that is off", "x2apic", setting("enabled", "disabled", inventory.DecidedFirmware), nil, nil, "BIOS setup says enabled"},
		{"a bias of 0 that the kernel turned into 6", "energy_perf_bias", setting("max_performance", "balanced_performance", inventory.DecidedFirmware),
			func(s *inventory.Setting) { s.Effective.From = fact.Evidence{Path: reg, Raw: "6\n"} }, inventory.DecidedKernel, ""},
		{"another bias", "energy_perf_bias", setting("max_performance", "balanced_power", inventory.DecidedFirmware),
			func(s *inventory.Setting) { s.Effective.From = fact.Evidence{Path: reg, Raw: "8\n"} }, nil, "BIOS setup says max_performance"},
	} {
		if c.change != nil {
			c.change(c.s)
		}
		f := decided(c.id, c.s)
		assert.Equal(t, c.want != nil, f.Known(), c.name)
		if c.want != nil {
			assert.Equal(t, c.want, f.Value, c.name)
		}
		assert.Contains(t, f.Reason, c.why, c.name)
		if c.want == nil && c.why == "" {
			assert.Equal(t, c.s.DecidedBy, f, "%s: as it was", c.name)
		}
	}
}

// TestProcessorsOfAnExport checks each field of the processors in an export.
func TestProcessorsOfAnExport(t *testing.T) {
	const brand = "AMD EPYC 9454P 48-Core Processor"
	dell := func(cores, id string, stated bool) *bios.Export {
		return &bios.Export{Vendor: bios.Dell, Attributes: []bios.Attribute{{Name: "Proc1Brand", Value: brand, Stated: true}, {Name: "Proc1Id", Value: id, Stated: stated}, {Name: "Proc1NumCores", Value: cores, Stated: true}}}
	}
	of := func(j Export, sockets ...inventory.Socket) []inventory.Socket {
		c := &collector{sys: &inventory.System{Sockets: sockets}}
		c.exportProcessors(&j)
		return c.sys.Sockets
	}
	for cores, want := range map[string]any{"48": 48, "1": 1, "0": nil, "many": nil, " ": nil} {
		s := of(Export{Export: dell(cores, "19-11-1", true)})
		if assert.Len(t, s, 1, cores) {
			assert.Equal(t, want != nil, s[0].Cores.Known(), cores)
			assert.Equal(t, want == 48, s[0].Cores.Value == 48, cores)
		}
	}
	assert.Empty(t, of(Export{Export: dell("48", "19-11-1", false)}), "listed without a value")
	assert.Empty(t, of(Export{Export: dell("48", " ", true)}))
	assert.Empty(t, of(Export{Export: dell("48", "19-11-1", true), Foreign: true}), "another machine's")
	pending := dell("48", "19-11-1", true)
	pending.PendingOnly = true
	assert.Empty(t, of(Export{Export: pending}))
	one := inventory.Socket{ID: 7}
	assert.Equal(t, []inventory.Socket{one}, of(Export{Export: dell("48", "19-11-1", true)}, one), "what is known stays")
}

// TestWhyAnExportLacksIt checks that a missing setting is absent only if the export is complete and
// its vendor proven.
func TestWhyAnExportLacksIt(t *testing.T) {
	table := &settings.Table{Vendor: "Dell", Settings: map[string][]settings.Attribute{"smt": {{}}}}
	for _, c := range []struct {
		name   string
		j      Export
		id     string
		proven bool
		state  fact.State
		why    string
	}{
		{"whole and proven", Export{Export: &bios.Export{Complete: true}, proven: true}, "smt", true, fact.Absent, "not offered by this machine's BIOS"},
		{"no proven name", Export{Export: &bios.Export{Complete: true}, proven: true}, "smt", false, fact.Unread, "no document names the attribute of Dell"},
		{"no name at all", Export{Export: &bios.Export{Complete: true}, proven: true}, "turbo", true, fact.Unread, "no document names the attribute of Dell"},
		{"another's names, perhaps", Export{Export: &bios.Export{Complete: true}}, "smt", true, fact.Unread, "nothing proves"},
		{"an excerpt", Export{Export: &bios.Export{}, proven: true}, "smt", true, fact.Unread, "excerpts"},
		{"codes", Export{Export: &bios.Export{Vendor: bios.AMI, Complete: true}, proven: true}, "smt", true, fact.Unread, "codes"},
	} {
		c.j.Export.Table = table
		f := c.j.missing(c.id, c.proven)
		assert.Equal(t, c.state, f.State, c.name)
		assert.Contains(t, f.Reason, c.why, c.name)
	}
	for _, c := range []struct {
		vendor string
		table  *settings.Table
		own    string
		want   string
	}{{bios.Dell, table, "", "Dell"}, {bios.AMI, table, "", ""}, {bios.Dell, nil, "", ""}, {"", table, "", ""}, {bios.Dell, table, "IBM", "IBM"}} {
		cc := &collector{sys: &inventory.System{}}
		if c.own != "" {
			cc.sys.Machine.Vendor = known(c.own)
		}
		cc.identify(&Export{Export: &bios.Export{Vendor: c.vendor, Table: c.table}})
		assert.Equal(t, c.want, cc.sys.Machine.Vendor.Or(""), "%+v", c)
	}
	for problems, want := range map[string]fact.SourceState{"": fact.SourceOK, "a line is cut": fact.SourcePartial} {
		cc, e := &collector{sys: &inventory.System{}}, &bios.Export{}
		if problems != "" {
			e.Problems = []string{problems}
		}
		cc.exportSource(&Export{Source: inventory.SourceBIOS, Path: "a.json", Export: e})
		assert.Equal(t, want, cc.sys.Sources[0].State)
		assert.Equal(t, problems != "", strings.Contains(cc.sys.Sources[0].Detail, "1 problems, the first: a line is cut"))
	}
}

// TestControllersModules checks how a controller's modules are matched with SMBIOS's slots.
func TestControllersModules(t *testing.T) {
	assert.Equal(t, "A0 Z9 AZ09", comparablePlace("a0.Z9@AZ09[`/:"))
	for _, c := range []struct {
		a, b string
		want bool
	}{{"M393A4K40CB2-CTD", "m393a4k40cb2 ", true}, {"M393A4K40CB2", "M393A4K40CB2-CTD", true}, {"M393A4K40CB2", "M393A4K40CB1", false}} {
		assert.Equal(t, c.want, samePart(c.a, c.b), "%s %s", c.a, c.b)
	}
	slots := []inventory.Slot{slotNamed(1, "A1"), slotNamed(2, "A2")}
	two := []redfish.DIMM{moduleAt("A1"), moduleAt("A2")}
	two[0].Labels = [4]string{"", "A1", "A1", ""}
	two[1].Labels = [4]string{"", "A2", "", ""}
	assert.Equal(t, map[int]int{0: 0, 1: 1}, matchModules(slots, two), "the kind of label that identifies most of them")
	swapped := []redfish.DIMM{{Labels: [4]string{"A1", "A2"}}, {Labels: [4]string{"A2", "A1"}}}
	assert.Equal(t, map[int]int{0: 0, 1: 1}, matchModules(slots, swapped), "the first of two kinds that identify all")
	c := &collector{sys: &inventory.System{Slots: slots}}
	assert.True(t, c.sameModules(two, matchModules(slots, two)))
	assert.True(t, c.sameModules(append(two, redfish.DIMM{Labels: [4]string{"B1"}}), matchModules(slots, two)), "an empty place is not a module")
	assert.False(t, c.sameModules(two[:1], matchModules(slots, two[:1])), "one is missing")
	smaller := []redfish.DIMM{two[0], two[1]}
	smaller[1].SizeBytes = 16 << 30
	assert.False(t, c.sameModules(smaller, matchModules(slots, smaller)))
	one := &collector{sys: &inventory.System{Slots: slots[:1]}}
	assert.True(t, one.sameModules(two[:1], matchModules(slots, two[:1])), "the only module")
	none := &collector{sys: &inventory.System{}}
	assert.False(t, none.sameModules(nil, nil), "of no module nothing is the same")

	who := &collector{sys: &inventory.System{}}
	who.sys.Machine.Product, who.sys.Machine.ProductVersion = known("R610"), fact.Unknown[string](fact.Denied, "was denied", "")
	assert.Equal(t, []string{"R610"}, who.bmcIdentity().Products)
	large := moduleAt("A1")
	large.SizeBytes = 64 << 30
	assert.Contains(t, joined([]inventory.Slot{slotNamed(1, "A1")}, large).sys.Sources[0].Detail, "differs from SMBIOS in 1 things, the first: size of slot 0x0001 (A1)")

	open := slotNamed(1, "A1")
	open.State = inventory.SlotUnknown
	gone := moduleAt("A1")
	gone.Installed = false
	assert.Empty(t, joined([]inventory.Slot{open}, gone).sys.Conflicts, "a doubtful slot contradicts nothing")
	assert.Len(t, joined([]inventory.Slot{slotNamed(1, "A1")}, gone).sys.Conflicts, 1)
	silent := gone
	silent.Known = false
	assert.Empty(t, joined([]inventory.Slot{slotNamed(1, "A1")}, silent).sys.Conflicts, "a controller that does not report it")

	for _, c := range []struct{ condition, raw string }{{"", "OK"}, {"Enabled", "OK"}, {"Disabled", "OK, State Disabled"}} {
		d := moduleAt("A1")
		d.Condition = c.condition
		assert.Equal(t, c.raw, joined([]inventory.Slot{slotNamed(1, "A1")}, d).sys.Slots[0].Health.From.Raw)
	}
	unnamed := slotNamed(1, "A1")
	unnamed.PartNumber = fact.Unknown[string](fact.Unstated, "not stated", "")
	assert.True(t, joined([]inventory.Slot{unnamed}, moduleAt("A1")).sys.Slots[0].PartNumber.Known(), "firmware names no module: the controller does")
	beside := joined([]inventory.Slot{unnamed, slotNamed(2, "A2")}, moduleAt("A1"), moduleAt("A2"))
	assert.False(t, beside.sys.Slots[0].PartNumber.Known(), "firmware that names others left this one out")
	detail := beside.sys.Sources[len(beside.sys.Sources)-1].Detail
	assert.Contains(t, detail, "2 modules")
	assert.NotContains(t, detail, "could not be matched")
	empty := gone
	empty.Labels = [4]string{"", "B9", "", ""}
	detail = joined([]inventory.Slot{slotNamed(1, "A1")}, moduleAt("A1"), empty).sys.Sources[0].Detail
	assert.Contains(t, detail, "1 modules")
	assert.NotContains(t, detail, "could not be matched", "an empty place is not a module")
	require.Contains(t, joined([]inventory.Slot{slotNamed(1, "A1")}, moduleAt("A1"), moduleAt("B9")).sys.Sources[0].Detail, "of which 1 could not be matched")
}

// TestNamesOfDevices checks which of the kernel's names are a word and a number.
func TestNamesOfDevices(t *testing.T) {
	list := known([]string{"mem0", "mem12", "mem", "memory1", "region0", "xmem1", "mem1a"})
	assert.Equal(t, 2, countNames(list, "mem").Value)
	assert.Equal(t, 1, countNames(list, "region").Value)
	assert.False(t, countNames(fact.Fact[[]string]{}, "mem").Known())
}
