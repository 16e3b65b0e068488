//go:build corpus

package bios_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// TestCorpus checks that every file of the two folders is recognised and read.
func TestCorpus(t *testing.T) {
	for _, folder := range []string{"redfish", "bios-cli", "redfish/registries"} {
		files, err := filepath.Glob(filepath.Join(corpustest.Shared(t, "corpus"), folder, "*.*"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			if filepath.Ext(file) == ".md" {
				continue
			}
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			e, err := bios.Decode(file, data)
			require.NoError(t, err, file)
			assert.NotEmpty(t, e.Attributes, file)
			t.Log(filepath.Base(file), e.Format, e.Vendor, e.Product, e.Firmware, len(e.Attributes), e.Complete, e.PendingOnly, e.Problems)
		}
	}
}
