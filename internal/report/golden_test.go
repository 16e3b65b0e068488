package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files and schemas")

// golden compares with a committed file, or rewrites it under -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test -update to make it")
	assert.Equal(t, string(want), string(got))
}

func TestGolden(t *testing.T) {
	for name, m := range machines() {
		t.Run(name, func(t *testing.T) {
			r := m.report()
			for file, write := range map[string]func(*bytes.Buffer) error{
				"80.txt":           func(b *bytes.Buffer) error { return WriteText(b, r, TextOptions{}) },
				"160.txt":          func(b *bytes.Buffer) error { return WriteText(b, r, TextOptions{Width: 160}) },
				"verbose.txt":      func(b *bytes.Buffer) error { return WriteText(b, r, TextOptions{Verbose: true}) },
				"inventory.80.txt": func(b *bytes.Buffer) error { return WriteInventoryText(b, &r.Inventory, TextOptions{}) },
				"inventory.160.txt": func(b *bytes.Buffer) error {
					return WriteInventoryText(b, &r.Inventory, TextOptions{Width: 160})
				},
				"json": func(b *bytes.Buffer) error { return WriteJSON(b, r) },
			} {
				if file == "json" && name != "bad" && name != "vm" {
					continue // the others say no more, at length
				}
				var b bytes.Buffer
				require.NoError(t, write(&b))
				golden(t, filepath.Join("testdata", name+"."+file), b.Bytes())
			}
		})
	}
}
