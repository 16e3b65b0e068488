package collect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
)

// TestAskedAt: ghw's strings of a folder of the kernel's; where it reads another one than we
// do that is a conflict, and ours stays.
func TestAskedAt(t *testing.T) {
	folder := t.TempDir()
	dmi := filepath.Join(folder, "sys", "class", "dmi", "id")
	require.NoError(t, os.MkdirAll(dmi, 0o700))
	for name, text := range map[string]string{"sys_vendor": "Example Inc.", "product_name": "Server 1", "board_vendor": "Example Inc.", "board_name": "Board 1", "bios_vendor": "Maker", "bios_version": "1.2.3", "bios_date": "01/02/2023"} {
		require.NoError(t, os.WriteFile(filepath.Join(dmi, name), []byte(text+"\n"), 0o600))
	}
	c := &collector{sys: &inventory.System{}}
	got := c.askedAt(folder, identity{product: fact.Known("Server 2", fact.Direct, fact.Evidence{Raw: "Server 2"})})
	assert.Equal(t, []string{"Example Inc.", "Server 2", "Example Inc.", "Board 1", "Maker", "1.2.3", "01/02/2023"},
		[]string{got.vendor.Or(""), got.product.Or(""), got.boardVendor.Or(""), got.board.Or(""), got.biosVendor.Or(""), got.biosVersion.Or(""), got.biosDate.Or("")})
	if assert.Len(t, c.sys.Conflicts, 1) {
		assert.Equal(t, []string{"Server 2", "Server 1"}, []string{c.sys.Conflicts[0].Kept.Raw, c.sys.Conflicts[0].Dropped.Raw})
	}
}

// TestCompareCounts: what ghw counts otherwise is a conflict where both count.
func TestCompareCounts(t *testing.T) {
	for name, c := range map[string]struct {
		own         fact.Fact[int64]
		listed      int
		bytes       int64
		nodes       int
		contradicts []string
	}{
		"alike":           {fact.Known(int64(8), fact.Direct, fact.Evidence{}), 2, 8, 2, nil},
		"another amount":  {fact.Known(int64(8), fact.Direct, fact.Evidence{}), 2, 7, 2, []string{"usable memory"}},
		"one byte":        {fact.Known(int64(8), fact.Direct, fact.Evidence{}), 2, 1, 2, []string{"usable memory"}},
		"one node more":   {fact.Known(int64(8), fact.Direct, fact.Evidence{}), 1, 8, 2, []string{"NUMA nodes"}},
		"one node less":   {fact.Known(int64(8), fact.Direct, fact.Evidence{}), 2, 8, 1, []string{"NUMA nodes"}},
		"ghw counts none": {fact.Known(int64(8), fact.Direct, fact.Evidence{}), 2, 0, 0, nil},
		"we count none":   {fact.Fact[int64]{}, 0, 8, 2, nil},
	} {
		x := &collector{sys: &inventory.System{}, facts: &host.Facts{NUMA: &host.NUMA{}}}
		x.sys.Memory.TotalBytes, x.facts.NUMA.Nodes = c.own, make([]host.Node, c.listed)
		x.compareCounts(c.bytes, c.nodes)
		var got []string
		for i := range x.sys.Conflicts {
			got = append(got, x.sys.Conflicts[i].Fact)
		}
		assert.Equal(t, c.contradicts, got, name)
	}
}

// TestGHWCounts: ghw counts the memory and the nodes of a machine that shows them.
func TestGHWCounts(t *testing.T) {
	nodes, _ := filepath.Glob("/sys/devices/system/node/node[0-9]*")
	if _, err := os.Stat("/proc/meminfo"); err != nil || len(nodes) == 0 {
		t.Skip("this machine shows neither its memory nor its NUMA nodes")
	}
	bytes, counted := ghwCounts(ghwOptions("/"))
	assert.Positive(t, bytes)
	assert.Len(t, nodes, counted)
}

// TestSourceSays: what part numbers add stands with the SMBIOS source, after what is there.
func TestSourceSays(t *testing.T) {
	c := &collector{sys: &inventory.System{Sources: []inventory.Source{{Name: "cpuinfo"}, {Name: inventory.SourceSMBIOS}}}}
	c.saySource("")
	c.saySource("one")
	c.saySource("two")
	assert.Equal(t, []string{"", "one; two"}, []string{c.sys.Sources[0].Detail, c.sys.Sources[1].Detail})
	c.saySource("")
	assert.Equal(t, "one; two", c.sys.Sources[1].Detail)
}
