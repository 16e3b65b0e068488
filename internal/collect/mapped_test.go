package collect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
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
			assert.Nil(t, short, c.name)
			continue
		}
		require.NotNil(t, short, c.name)
		assert.Equal(t, []string{c.wanted, c.doubts}, []string{short.Code, short.Text}, c.name)
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
