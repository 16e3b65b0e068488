package collect_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/rules"
)

// TestMapped reads the ranges that firmware gave to arrays and modules, and
// refuses accounts that contradict themselves.
func TestMapped(t *testing.T) {
	const g = uint64(1) << 30
	type span struct{ start, end uint64 }
	for _, c := range []struct {
		name    string
		devices int // that the array announces
		arrays  []span
		modules []span // one a module; {} has none
		want    int64
		state   fact.State
		ranged  []any // true, false or nil by module
	}{
		{"one range", 2, []span{{0, 16 * g}}, nil, 16, fact.OK, []any{nil, nil}},
		{"around the hole below 4 GiB", 2, []span{{0, 3 * g}, {4 * g, 17 * g}}, nil, 16, fact.OK, []any{nil, nil}},
		{"modules too", 2, []span{{0, 16 * g}}, []span{{0, 8 * g}, {8 * g, 16 * g}}, 16, fact.OK, []any{true, true}},
		{"modules that share a range", 2, []span{{0, 16 * g}}, []span{{0, 16 * g}, {0, 16 * g}}, 16, fact.OK, []any{true, true}},
		{"one module has none", 2, []span{{0, 8 * g}}, []span{{0, 8 * g}, {}}, 8, fact.OK, []any{true, false}},
		{"one module has a page", 2, []span{{0, 8 * g}}, []span{{0, 8 * g}, {0, 1024}}, 8, fact.OK, []any{true, false}},
		{"a module's range that ends before it begins", 2, []span{{0, 16 * g}}, []span{{0, 8 * g}, {12 * g, 4 * g}}, 16, fact.OK, []any{nil, nil}},
		{"arrays and modules differ", 2, []span{{0, 8 * g}}, []span{{0, 8 * g}, {8 * g, 16 * g}}, 8, fact.OK, []any{true, true}},
		{"ranges overlap", 2, []span{{0, 9 * g}, {8 * g, 16 * g}}, nil, 0, fact.Conflicting, []any{nil, nil}},
		{"no beginning", 2, []span{{8 * g, 16 * g}}, nil, 0, fact.Malformed, []any{nil, nil}},
		{"beyond every processor's addresses", 2, []span{{0, 8 * g}, {1 << 53, 1<<53 + g}}, nil, 0, fact.Malformed, []any{nil, nil}},
		{"up to the last address", 2, []span{{0, 1 << 52}}, nil, 1 << 22, fact.OK, []any{nil, nil}},
		{"one address more", 2, []span{{0, 1<<52 + 1}}, nil, 0, fact.Malformed, []any{nil, nil}},
		{"none", 2, nil, nil, 0, fact.Absent, []any{nil, nil}},
		{"more modules than the array has", 1, []span{{0, 8 * g}}, nil, 8, fact.OK, []any{nil, nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := smbiostest.New(3, 2)
			array := b.Array(smbiostest.Array{Devices: c.devices})
			var ranges []uint16
			for _, r := range c.arrays {
				ranges = append(ranges, b.Mapping(smbiostest.Mapping{Array: array, Start: r.start, End: r.end - 1}))
			}
			for i := range 2 {
				device := b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 8 << 30, Locator: string(rune('A' + i))})
				if i < len(c.modules) && c.modules[i].end > 0 {
					b.DeviceMapping(smbiostest.DeviceMapping{Device: device, Mapping: ranges[0], Start: c.modules[i].start, End: c.modules[i].end - 1})
				}
			}
			sys := collecttest.Decoded(t, b)
			assert.Equal(t, c.state, sys.Memory.MappedBytes.State, sys.Memory.MappedBytes.Reason)
			assert.Equal(t, c.want<<30, sys.Memory.MappedBytes.Value)
			assert.Equal(t, c.name == "arrays and modules differ" || c.name == "more modules than the array has", sys.Memory.MappedDoubt != "")
			for i, want := range c.ranged {
				got, ok := sys.Slots[i].Mapped.Get()
				assert.Equal(t, want != nil, ok)
				assert.Equal(t, want == true, got)
			}
		})
	}
}

// TestListInDoubt checks what makes a list of modules that was not cut off doubtful: more memory with addresses than the
// modules have, and a module that is no DRAM by a single bit.
func TestListInDoubt(t *testing.T) {
	for _, c := range []struct {
		name           string
		mapped         uint64 // GiB
		devices        int
		detail         uint16
		wanted, doubts string
	}{
		{"as much as the modules have", 24, 2, 0, "", ""},
		{"less than a module more", 25, 2, 0, "", ""},
		{"a module more", 32, 2, 0, inventory.ProblemMapped, "firmware maps 32 GiB of memory (type 19), and the modules have 24 GiB"},
		{"a module that is not listed", 24, 2, 0, inventory.ProblemMapped, "firmware maps 8 GiB to the memory device 0xEE01 (type 20), which the table does not list"},
		{"a module more, by a map in doubt", 32, 1, 0, "", ""},
		{"a registered module with the bit for non-volatile", 24, 2, 0x3080, inventory.ProblemBit, "a single bit makes the module in B non-volatile"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := smbiostest.New(2, 8)
			array := b.Array(smbiostest.Array{Devices: c.devices})
			b.Mapping(smbiostest.Mapping{Array: array, End: c.mapped<<30 - 1})
			b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 16 << 30, Locator: "A", Part: "HMT42GR7BFR4C"})
			b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 8 << 30, Locator: "B", Part: "M393B1K70DH0", Detail: c.detail})
			if c.wanted == inventory.ProblemMapped && c.mapped == 24 {
				b.DeviceMapping(smbiostest.DeviceMapping{Device: 0xEE01, End: 8<<30 - 1})
			}
			short := collecttest.Decoded(t, b).Firmware.Short
			if c.wanted == "" {
				assert.Nil(t, short)
				return
			}
			require.NotNil(t, short)
			assert.Equal(t, []string{c.wanted, c.doubts}, []string{short.Code, short.Text})
		})
	}
}

// TestRanges checks the start of a module's memory and its position in an interleave; a range of one page means none,
// and a position above the depth is invalid.
func TestRanges(t *testing.T) {
	const g = uint64(1) << 30
	b := smbiostest.New(3, 2)
	array := b.Array(smbiostest.Array{Devices: 4})
	all := b.Mapping(smbiostest.Mapping{Array: array, End: 24*g - 1})
	of := func(ranges ...smbiostest.DeviceMapping) {
		device := b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 8 << 30})
		for _, r := range ranges {
			r.Device, r.Mapping = device, all
			b.DeviceMapping(r)
		}
	}
	of(smbiostest.DeviceMapping{Start: 16 * g, End: 17*g - 1}, smbiostest.DeviceMapping{Start: 0, End: 7*g - 1, Position: 2, Depth: 3}, smbiostest.DeviceMapping{Start: 0, End: 1023})
	of(smbiostest.DeviceMapping{Start: 8 * g, End: 16*g - 1, Position: 4, Depth: 3})
	of(smbiostest.DeviceMapping{Start: 17 * g, End: 24*g - 1, Position: 1, Depth: 1})
	of(smbiostest.DeviceMapping{Start: 0, End: 1023})
	of(smbiostest.DeviceMapping{Start: 0, End: 4*g - 1, Position: 2, Depth: 2}, smbiostest.DeviceMapping{Start: 0, End: 4*g - 1, Position: 1, Depth: 2})
	sys := collecttest.Decoded(t, b)
	assert.Equal(t, &inventory.Range{Position: 2, Depth: 3}, sys.Slots[0].Range)
	assert.Equal(t, &inventory.Range{Start: int64(8 * g)}, sys.Slots[1].Range)
	assert.Equal(t, &inventory.Range{Start: int64(17 * g)}, sys.Slots[2].Range, "one row is not an interleave")
	assert.Nil(t, sys.Slots[3].Range)
	assert.Equal(t, 2, sys.Slots[4].Range.Position, "the first of two that begin alike")

	b = smbiostest.New(3, 2)
	b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1}), Bytes: 8 << 30})
	b.DeviceMapping(smbiostest.DeviceMapping{Start: 0, End: 8*g - 1, Device: 0xFFFF, Mapping: 0xFFFF})
	assert.Equal(t, fact.Fact[bool]{}, collecttest.Decoded(t, b).Slots[0].Mapped, "a range without a module does not affect others")
}

// TestShortList checks tables with less memory than the kernel sees. Other kinds of memory and guests
// are not conclusive.
func TestShortList(t *testing.T) {
	const g = int64(1) << 30
	listing := func(sizes ...int64) hosttest.Files {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
		array := b.Array(smbiostest.Array{Devices: len(sizes)})
		for i, size := range sizes {
			b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "DIMM_A" + strconv.Itoa(i+1), Bytes: size})
		}
		return collecttest.Table(oneSocket(), b)
	}
	sys := collecttest.Collected(t, listing(16*g, 16*g)) // the tree has 64 GiB
	require.NotNil(t, sys.Firmware.Lost)
	assert.Equal(t, inventory.ProblemShort, sys.Firmware.Lost.Code)
	assert.Equal(t, "the modules in the SMBIOS table have 32 GiB, and the kernel sees 64 GiB (/sys/firmware/memmap)", sys.Firmware.Lost.Text)
	assert.Nil(t, sys.Firmware.LostProcessors())
	assert.False(t, sys.Firmware.Problems[len(sys.Firmware.Problems)-1].Harmless)
	state, detail := source(sys, inventory.SourceSMBIOS)
	assert.Equal(t, fact.SourcePartial, state)
	assert.Contains(t, detail, "the kernel sees 64 GiB")

	assert.Nil(t, collecttest.Collected(t, listing(32*g, 32*g)).Firmware.Lost)
	assert.NotNil(t, collecttest.Collected(t, listing(32*g, 28*g)).Firmware.Lost, "7 % less")
	assert.Nil(t, collecttest.Collected(t, listing()).Firmware.Lost, "a table without modules does not show their memory")
	guest := listing(16 * g).With(hosttest.Files{"sys/hypervisor/type": "kvm\n", "sys/devices/virtual/dmi/id/sys_vendor": "QEMU\n"})
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "QEMU", Product: "Standard PC (Q35 + ICH9, 2009)"})
	b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1}), Locator: "DIMM 0", Bytes: 16 << 30})
	assert.Nil(t, collecttest.Collected(t, collecttest.Table(guest, b)).Firmware.Lost)
}

// TestMisusedArray checks that slots for DRAM modules in an array with another use are reported, but not flash
// chips in an array of flash memory.
func TestMisusedArray(t *testing.T) {
	make := func(use byte, d smbiostest.DIMM) *inventory.System {
		b := smbiostest.New(3, 2)
		good := b.Array(smbiostest.Array{Devices: 1})
		b.MemoryDevice(smbiostest.DIMM{Array: good, Locator: "A1", Bytes: 16 << 30})
		d.Array = b.Array(smbiostest.Array{Use: use, Devices: 1})
		d.Locator = "B1"
		b.MemoryDevice(d)
		return collecttest.Decoded(t, b)
	}
	sys := make(4, smbiostest.DIMM{Bytes: 16 << 30})
	require.NotNil(t, sys.Firmware.Lost)
	assert.Regexp(t, `^memory array 0x[0-9A-F]{4} states the use "Video Memory", expected "System Memory", and has slots for modules \(B1\)$`, sys.Firmware.Lost.Text)
	assert.Len(t, sys.Slots, 1)
	assert.NotNil(t, make(7, smbiostest.DIMM{Bytes: 4 << 30, Type: 1}).Firmware.Lost, "a DIMM of another type, in an array called Cache Memory")
	assert.NotNil(t, make(7, smbiostest.DIMM{Bytes: 4 << 30, FormFactor: 1}).Firmware.Lost, "DDR4 of another form")
	assert.NotNil(t, make(7, smbiostest.DIMM{}).Firmware.Lost, "an empty slot for a DIMM")
	for name, ok := range map[string]*inventory.System{
		"system memory": make(3, smbiostest.DIMM{Bytes: 16 << 30}),
		"a flash chip":  make(5, smbiostest.DIMM{Bytes: 16 << 20, Type: 9, FormFactor: 1}),
	} {
		t.Run(name, func(t *testing.T) {
			assert.Nil(t, ok.Firmware.Lost)
		})
	}
}

// TestTableBesideATree checks that a table from a file is another machine's only if it lists less memory than the kernel
// sees: a kernel that sees less than the modules is a finding about this machine.
func TestTableBesideATree(t *testing.T) {
	const g = int64(1) << 30
	table := func(product string, sizes ...int64) *smbiostest.Builder {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: product})
		array := b.Array(smbiostest.Array{Devices: len(sizes)})
		for i, size := range sizes {
			b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "DIMM_A" + strconv.Itoa(i+1), Bytes: size})
		}
		return b
	}
	own := table("Server 1", 32*g, 32*g)
	for _, c := range []struct {
		name  string
		own   *smbiostest.Builder // the tree's
		given *smbiostest.Builder
		doubt string
	}{
		{"as much as the kernel sees", own, table("Server 1", 32*g, 16*g, 16*g), ""},
		{"a module that the kernel does not see", own, table("Server 1", 32*g, 32*g, 16*g), ""},
		{"twice as much, as with mirroring", own, table("Server 1", 64*g, 64*g), ""},
		{"less than the kernel sees", own, table("Server 1", 32*g, 16*g), "the SMBIOS file may be another machine's: its modules have 48 GiB, and the kernel sees 64 GiB"},
		{"the tree's own table, however little it lists", table("Server 1", 16*g), table("Server 1", 16*g), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := collecttest.Capture(t, collecttest.Table(oneSocket(), c.own)) // the kernel sees 64 GiB
			sys := collect.Collect(collect.Input{Root: root, SMBIOS: collecttest.Parsed(t, c.given.Dump())})
			assert.Equal(t, c.doubt, sys.Firmware.Doubt)
			assert.True(t, sys.Firmware.Compared)
		})
	}
}

// withParts is the model of a table of such modules, their part numbers read.
func withParts(t *testing.T, modules ...smbiostest.DIMM) *inventory.System {
	t.Helper()
	b := smbiostest.New(3, 2)
	array := b.Array(smbiostest.Array{Devices: len(modules)})
	for i, d := range modules {
		d.Array, d.Locator = array, fmt.Sprint("A", i+1)
		b.MemoryDevice(d)
	}
	return collect.Collect(collect.Input{SMBIOS: collecttest.Parsed(t, b.Dump()),
		PartNumbers: func() (*partnumber.Table, error) { return partnumber.Load(rules.FS) }})
}

// ddr4 returns a 32 GiB 2Rx4 RDIMM of Samsung (product guide of May 2018) with all fields stated.
func ddr4() smbiostest.DIMM {
	return smbiostest.DIMM{Bytes: 32 << 30, Type: typeDDR4, Rank: 2, Speed: 2666, Configured: 2666, Detail: detailSynchronous | detailRegistered,
		Part: "M393A4K40CB2-CTD", Manufacturer: "Samsung", Locator: "A1"}
}

// TestPartNumberFillsSilence checks that unstated values come from the part number, corroborated if
// size and rated speed agree, and that stated ones are kept.
func TestPartNumberFillsSilence(t *testing.T) {
	d := ddr4()
	d.Rank, d.Detail = 0, detailSynchronous
	s := withParts(t, d).Slots[0]
	want.Is(2, fact.Corroborated).Check(t, s.Ranks)
	want.Is(true, fact.Corroborated).Check(t, s.Registered)
	want.Is(false, fact.Corroborated).Check(t, s.LoadReduced)
	assert.Contains(t, s.Ranks.From.Field, "Part Number, read as samsung-ddr4")
	assert.Equal(t, "M393A4K40CB2-CTD", s.Ranks.From.Raw)
	for _, source := range withParts(t, d).Sources {
		assert.Equal(t, source.Name == inventory.SourceSMBIOS, strings.Contains(string(source.Detail), "part numbers complete 1 module"), source.Name)
	}
	assert.NotContains(t, typeDetailBits(withParts(t, ddr4())), ";", "it has no notice")
	assert.False(t, s.Ranks.Unverified, "Samsung's guide explains the number")

	d.Speed = 0
	s = withParts(t, d).Slots[0]
	want.Is(2, fact.Indirect).Check(t, s.Ranks)
	want.Is(2666, fact.Indirect).Check(t, s.RatedMTs)

	d.Part, d.Bytes = "M321R4GA3BB6-CQK", 32<<30
	d.Type = typeDDR5
	assert.True(t, withParts(t, d).Slots[0].Ranks.Unverified, "no document of Samsung explains DDR5 numbers")

	d = ddr4()
	d.Rank, d.Type = 0, 3 // DRAM: of no generation
	want.Is(2, fact.Corroborated).Check(t, withParts(t, d).Slots[0].Ranks)
	d = ddr4()
	d.Rank, d.Type, d.Part = 0, typeDDR4, ""
	assert.False(t, withParts(t, d).Slots[0].Ranks.Known())
	empty := ddr4()
	empty.Bytes, empty.Rank = 0, 0
	assert.False(t, withParts(t, empty).Slots[0].Ranks.Known(), "the number of a module that is gone")

	// M386 is an LRDIMM in the same guide; "Registered (Buffered)" alone does not exclude that.
	d = ddr4()
	d.Part = "M386A4K40BB0-CRC"
	d.Speed, d.Configured = 2400, 2400
	want.Is(true, fact.Corroborated).Check(t, withParts(t, d).Slots[0].LoadReduced)
	d.Detail = detailSynchronous | detailUnbuffered
	want.Is(false, fact.Direct).Check(t, withParts(t, d).Slots[0].LoadReduced)
	want.Is(false, fact.Direct).Check(t, withParts(t, ddr4()).Slots[0].LoadReduced)

	whole := ddr4()
	s = withParts(t, whole).Slots[0]
	want.Is(2, fact.Direct).Check(t, s.Ranks)
	assert.NotContains(t, s.Ranks.From.Field, "Part Number")
}

// TestPartNumberIsNotBelieved if it contradicts the module's size or generation, or if the slot does
// not have DRAM.
func TestPartNumberIsNotBelieved(t *testing.T) {
	d := ddr4()
	d.Rank, d.Bytes = 0, 16<<30
	sys := withParts(t, d)
	assert.False(t, sys.Slots[0].Ranks.Known())
	assert.Contains(t, typeDetailBits(sys), "M393A4K40CB2-CTD says 32768 MiB and firmware 16384, and is not believed (1 module)")

	d = ddr4()
	d.Bytes, d.Type, d.Speed, d.Configured, d.Manufacturer, d.Part = 16<<30, typeDDR3, 1600, 1600, "Kingston", "KVR16R11D4/1616"
	assert.NotContains(t, typeDetailBits(withParts(t, d)), "MiB", "a capacity that was written amiss contradicts nothing")

	d = ddr4()
	d.Rank, d.Type, d.Speed, d.Configured = 0, typeDDR3, 1333, 1333
	sys = withParts(t, d)
	assert.False(t, sys.Slots[0].Ranks.Known())
	assert.Contains(t, typeDetailBits(sys), "is DDR4 by its number and DDR3 by firmware")

	d = ddr4()
	d.Rank, d.Type, d.Technology = 0, typeLogical, techOptane
	assert.False(t, withParts(t, d).Slots[0].Ranks.Known())

	d = ddr4()
	d.Rank, d.Part = 0, "9965525-018.A00LF"
	assert.False(t, withParts(t, d).Slots[0].Ranks.Known(), "nothing can be read from Kingston's assembly numbers")
}

// typeDetailBits is that of the SMBIOS source.
func typeDetailBits(sys *inventory.System) string {
	for _, s := range sys.Sources {
		if s.Name == inventory.SourceSMBIOS {
			return string(s.Detail)
		}
	}
	return ""
}

// TestPartNumberAgainstRanks checks that the same rank count for every module is treated as a constant
// of the firmware if a part number differs; a single difference is only recorded.
func TestPartNumberAgainstRanks(t *testing.T) {
	one := ddr4()
	one.Rank = 1
	unread := one
	unread.Part = "9965525-018.A00LF"
	sys := withParts(t, one, one, unread)
	want.Not[int](fact.Malformed, "firmware states 1 of every module, and part number M393A4K40CB2-CTD has 2").Check(t, sys.Slots[0].Ranks)
	want.Is(1, fact.Indirect).Check(t, sys.Slots[2].Ranks)
	assert.Contains(t, typeDetailBits(sys), "says 2 ranks and firmware 1, as of every module: neither is taken (2 modules)")

	unread.Rank = 2
	sys = withParts(t, one, unread)
	want.Is(1, fact.Direct).Check(t, sys.Slots[0].Ranks)
	want.Is(2, fact.Direct).Check(t, sys.Slots[1].Ranks)
	assert.Contains(t, typeDetailBits(sys), "which stands (1 module)")
}

// TestEqualParts checks that what firmware states of one module is not taken where most modules of the same part number
// have another value, and that neither of two is.
func TestEqualParts(t *testing.T) {
	odd := ddr4()
	odd.Speed, odd.Rank, odd.DataBits, odd.Type = 2133, 4, 32, typeDDR3
	sys := withParts(t, ddr4(), odd, ddr4())
	text := "A2 and another module have the part number M393A4K40CB2-CTD, and firmware states another rated speed for each (2133 here)"
	want.Not[int](fact.Conflicting, text).Check(t, sys.Slots[1].RatedMTs)
	assert.False(t, sys.Slots[1].Ranks.Known())
	assert.False(t, sys.Slots[1].DataWidth.Known())
	assert.False(t, sys.Slots[1].Type.Known())
	want.Is(2666, fact.Direct).Check(t, sys.Slots[2].RatedMTs)
	want.Is(2, fact.Direct).Check(t, sys.Slots[2].Ranks)

	odd.Type = ddr4().Type
	sys = withParts(t, ddr4(), odd)
	assert.False(t, sys.Slots[0].RatedMTs.Known())
	assert.False(t, sys.Slots[1].RatedMTs.Known())

	odd.Part = "9965525-018.A00LF"
	sys = withParts(t, ddr4(), odd)
	want.Is(2133, fact.Direct).Check(t, sys.Slots[1].RatedMTs)
}

// TestPartNumberAgainstForm checks that a module with the part number of an RDIMM is not known to be soldered.
func TestPartNumberAgainstForm(t *testing.T) {
	d := ddr4()
	d.FormFactor = formChip
	want.Not[bool](fact.Conflicting, "firmware calls A1 soldered, and part number M393A4K40CB2-CTD is that of a module (RDIMM)").Check(t, withParts(t, d).Slots[0].Soldered)
	d.Part = "K4A8G165WC-BCTD"
	want.Is(true, fact.Direct).Check(t, withParts(t, d).Slots[0].Soldered)
}

// TestPartNumberAgainstSpeed checks that a rated speed below that of the part number becomes indirect
// and a higher one does not.
func TestPartNumberAgainstSpeed(t *testing.T) {
	d := ddr4()
	d.Speed, d.Configured = 2133, 2133
	sys := withParts(t, d)
	want.Is(2133, fact.Indirect).Check(t, sys.Slots[0].RatedMTs)
	want.Is(2133, fact.Direct).Check(t, sys.Slots[0].ConfiguredMTs)
	assert.Contains(t, typeDetailBits(sys), "says 2666 MT/s and firmware 2133, which stands")
	d.Rank = 0
	want.Is(2, fact.Indirect).Check(t, withParts(t, d).Slots[0].Ranks)
	d.Speed = 2933
	want.Is(2933, fact.Direct).Check(t, withParts(t, d).Slots[0].RatedMTs)
}
