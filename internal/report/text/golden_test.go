package text

import (
	"bytes"
	"path/filepath"
	"testing"

	"memaudit.example/memaudit/internal/report/reporttest"

	"github.com/stretchr/testify/require"
)

func TestGolden(t *testing.T) {
	for name, m := range reporttest.Inputs() {
		t.Run(name, func(t *testing.T) {
			r := reporttest.Report(m)
			for file, write := range map[string]func(*bytes.Buffer) error{
				"80.txt":           func(b *bytes.Buffer) error { return Write(b, r, Options{}) },
				"160.txt":          func(b *bytes.Buffer) error { return Write(b, r, Options{Width: 160}) },
				"verbose.txt":      func(b *bytes.Buffer) error { return Write(b, r, Options{Verbose: true}) },
				"inventory.80.txt": func(b *bytes.Buffer) error { return WriteInventory(b, &r.Inventory, Options{}) },
				"inventory.160.txt": func(b *bytes.Buffer) error {
					return WriteInventory(b, &r.Inventory, Options{Width: 160})
				},
			} {
				var b bytes.Buffer
				require.NoError(t, write(&b))
				reporttest.Golden(t, filepath.Join("testdata", name+"."+file), b.Bytes())
			}
		})
	}
}
