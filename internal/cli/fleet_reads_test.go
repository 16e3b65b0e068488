package cli

import (
	"path/filepath"
	"testing"

	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// table is a file with a machine's SMBIOS table.
func table(t *testing.T, name string) string {
	t.Helper()
	return writeFile(t, filepath.Join(t.TempDir(), name), machinetest.Named(t, name).Table.Dump())
}
