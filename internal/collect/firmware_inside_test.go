package collect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/smbios"
	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
)

// TestDefectAfterTheMemory: a defect takes nothing of the memory away where it lies after
// all that the table says of it, and that is whole; the array may stand last.
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
		assert.Equal(t, want, memoryBefore(last, &smbios.Problem{Code: smbios.CodeGarbage, Offset: offset}), offset)
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
		assert.Equal(t, c.want, memoryBefore(parsed(c.build), &smbios.Problem{Code: smbios.CodeCount, Offset: -1}), name)
	}
}

// TestVisibleMemory: firmware's map speaks where it holds all that the kernel manages; a
// smaller one is not the whole map, and then the kernel's blocks speak, or its own count.
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
