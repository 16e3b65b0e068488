package collect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestReadGHW checks that ghw's strings are used, and that a difference from our own is a conflict in
// which our own is kept.
func TestReadGHW(t *testing.T) {
	folder := t.TempDir()
	dmi := filepath.Join(folder, "sys", "class", "dmi", "id")
	require.NoError(t, os.MkdirAll(dmi, 0o700))
	for name, text := range map[string]string{"sys_vendor": "Example Inc.", "product_name": "Server 1", "board_vendor": "Example Inc.", "board_name": "Board 1", "bios_vendor": "Maker", "bios_version": "1.2.3", "bios_date": "01/02/2023"} {
		require.NoError(t, os.WriteFile(filepath.Join(dmi, name), []byte(text+"\n"), 0o600))
	}
	c := &collector{sys: &inventory.System{}}
	got := c.readGHW(folder, identity{product: fact.Known("Server 2", fact.Direct, fact.Evidence{Raw: "Server 2"})})
	assert.Equal(t, []string{"Example Inc.", "Server 2", "Example Inc.", "Board 1", "Maker", "1.2.3", "01/02/2023"},
		[]string{got.vendor.Or(""), got.product.Or(""), got.boardVendor.Or(""), got.board.Or(""), got.biosVendor.Or(""), got.biosVersion.Or(""), got.biosDate.Or("")})
	if assert.Len(t, c.sys.Conflicts, 1) {
		assert.Equal(t, []string{"Server 2", "Server 1"}, []string{c.sys.Conflicts[0].Kept.Raw, c.sys.Conflicts[0].Dropped.Raw})
	}
}
