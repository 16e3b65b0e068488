package collect

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/smbios"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

// TestDefectAfterTheMemory checks that a defect after a complete list of processors and memory is
// harmless for both; the array may be the last structure.
func TestDefectAfterTheMemory(t *testing.T) {
	parsed := func(build func(b *smbiostest.Builder)) *smbios.Table {
		b := smbiostest.New(3, 2)
		build(b)
		table, err := smbios.Parse(b.Dump())
		require.NoError(t, err)
		return table
	}
	device := func(b *smbiostest.Builder, array uint16) {
		b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "A1", Bytes: 8 << 30})
	}
	last := parsed(func(b *smbiostest.Builder) {
		device(b, 0x1000)
		b.NextHandle(0x1000).Array(smbiostest.Array{Devices: 1})
		b.Board(smbiostest.Board{Product: "Board"})
	})
	array, board := last.Structures[1].Offset, last.Structures[2].Offset
	for offset, want := range map[int]bool{array: false, board - 1: false, board: true, board + 9: true} {
		assert.Equal(t, want, memoryComplete(last, &smbios.Problem{Code: smbios.CodeGarbage, Offset: offset}), offset)
	}
	for name, c := range map[string]struct {
		build func(b *smbiostest.Builder)
		want  bool
	}{
		"whole": {func(b *smbiostest.Builder) {
			device(b, b.Array(smbiostest.Array{Devices: 1}))
			b.Board(smbiostest.Board{})
		}, true},
		"one is missing": {func(b *smbiostest.Builder) {
			device(b, b.Array(smbiostest.Array{Devices: 2}))
			b.Board(smbiostest.Board{})
		}, false},
		"no array":  {func(b *smbiostest.Builder) { device(b, 0xFFFE); b.Board(smbiostest.Board{}) }, false},
		"no memory": {func(b *smbiostest.Builder) { b.System(smbiostest.System{}); b.Board(smbiostest.Board{}) }, false},
	} {
		assert.Equal(t, c.want, memoryComplete(parsed(c.build), &smbios.Problem{Code: smbios.CodeCount, Offset: -1}), name)
	}
}

// TestDecodedParts checks that any part of a table is decoded, and that no data give no table.
func TestDecodedParts(t *testing.T) {
	for partial, want := range map[string]bool{"": false, "\x01": true} {
		c := &collector{sys: &inventory.System{}, facts: &host.Facts{CPU: &host.CPU{}, SMBIOS: &host.SMBIOS{Partial: []byte(partial)}}}
		c.firmware()
		assert.Equal(t, want, c.table != nil, "%q", partial)
	}
}

// TestNoVirtualBit checks that a table without BIOS characteristics does not show whether this is a
// guest.
func TestNoVirtualBit(t *testing.T) {
	for _, version := range [][2]int{{2, 0}, {3, 2}} {
		b := smbiostest.New(version[0], version[1])
		b.BIOS(smbiostest.BIOS{Vendor: "Example"})
		c := &collector{table: smbios.Decode(nil, b.Table())}
		bios, _ := c.table.BIOS()
		assert.Equal(t, bios.VirtualMachine.Known(), c.virtualBit().Known(), version)
		if !bios.VirtualMachine.Known() {
			assert.Equal(t, fact.Fact[bool]{}, c.virtualBit())
		}
	}
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Product: "Server 1"})
	assert.Equal(t, fact.Fact[bool]{}, (&collector{table: smbios.Decode(nil, b.Table())}).virtualBit())
}

// TestRangesBeyondAddresses checks that a range beyond the addresses of any processor is invalid.
func TestRangesBeyondAddresses(t *testing.T) {
	for end, counts := range map[uint64]bool{1<<30 - 1: true, maxAddress - 1: true, maxAddress: false} {
		b := smbiostest.New(3, 2)
		device := b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1}), Bytes: 1 << 30})
		body := slices.Repeat([]byte{0xFF}, 8)
		body = binary.LittleEndian.AppendUint16(body, device)
		body = append(body, 0xFF, 0xFF, 1, 0, 0)
		body = binary.LittleEndian.AppendUint64(body, 0)
		b.Add(20, binary.LittleEndian.AppendUint64(body, end))
		c := &collector{table: smbios.Decode(nil, b.Table()), sys: &inventory.System{Slots: []inventory.Slot{{Handle: device}}}}
		_, ok := c.deviceRanges()
		assert.Equal(t, counts, ok, end)
	}
}

// TestProcessorsOff checks that a node without CPUs may have offline ones, which its folder links.
func TestProcessorsOff(t *testing.T) {
	cpus := func(n ...int) fact.Fact[[]int] { return fact.Fact[[]int]{Value: n, State: fact.OK} }
	plain := fact.Known(inventory.NodeCPULess, fact.Direct, fact.Evidence{})
	for name, c := range map[string]struct {
		present, online fact.Fact[[]int]
		want            inventory.NodeKind
	}{
		"some are off":       {cpus(0, 1), cpus(0), inventory.NodeDRAM},
		"all are on":         {cpus(0, 1), cpus(0, 1), inventory.NodeCPULess},
		"not known, present": {fact.Fact[[]int]{}, cpus(0), inventory.NodeCPULess},
		"not known, on":      {cpus(0, 1), fact.Fact[[]int]{}, inventory.NodeCPULess},
	} {
		facts := &host.Facts{CPU: &host.CPU{}, NUMA: &host.NUMA{}}
		facts.CPU.Present, facts.CPU.Online = c.present, c.online
		facts.NUMA.Nodes = []host.Node{{ID: 1, LinkedCPUs: cpus(1)}}
		got := (&collector{facts: facts}).withOfflineCPUs(&inventory.Node{ID: 1}, plain)
		assert.Equal(t, c.want, got.Value, name)
	}
}

// TestVisibleMemory checks the precedence of firmware's map, the online blocks and MemTotal.
func TestVisibleMemory(t *testing.T) {
	of := func(path string, bytes int64) fact.Fact[int64] {
		return fact.Known(bytes, fact.Direct, fact.Evidence{Path: path})
	}
	for _, c := range []struct {
		read      inventory.Memory
		path      string
		conflicts int
	}{
		{inventory.Memory{MapBytes: of("map", 8), BlockBytes: of("blocks", 9), TotalBytes: of("total", 8)}, "map", 0},
		{inventory.Memory{MapBytes: of("map", 7), BlockBytes: of("blocks", 9), TotalBytes: of("total", 8)}, "blocks", 1},
		{inventory.Memory{MapBytes: of("map", 7), BlockBytes: of("blocks", 7), TotalBytes: of("total", 8)}, "total", 2},
		{inventory.Memory{MapBytes: of("map", 7)}, "map", 0},
		{inventory.Memory{BlockBytes: of("blocks", 7)}, "blocks", 0},
		{inventory.Memory{TotalBytes: of("total", 8)}, "total", 0},
	} {
		m := &collector{sys: &inventory.System{}}
		assert.Equal(t, c.path, m.visible(&c.read).From.Path)
		assert.Len(t, m.sys.Conflicts, c.conflicts)
	}
	m := &collector{sys: &inventory.System{}}
	assert.False(t, m.visible(&inventory.Memory{}).Known())
}
