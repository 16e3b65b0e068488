package collect

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

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
