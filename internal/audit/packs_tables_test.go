package audit_test

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/rules"
)

// tablesDir holds what the documents print, a row for each cell: profile,
// setting, the document's own words, the wanted words, the level.
var tablesDir = filepath.Join("..", "..", "testdata", "profiles")

// elsewhere are profile files that other tests hold against their tables; so
// are HPE's, which are made from theirs.
var elsewhere = []string{"dell-11g", "fujitsu-westmere-ex"}

// TestProfilesAreTheDocumentsTables holds every profile against the table
// carried from its document: each cell is there with its words and its level,
// in the table's order, and no other.
func TestProfilesAreTheDocumentsTables(t *testing.T) {
	files, err := fs.Glob(rules.FS, "profiles/*.yaml")
	require.NoError(t, err)
	cells := 0
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".yaml")
		if slices.Contains(elsewhere, name) || strings.HasPrefix(name, "hpe-") {
			continue
		}
		want := cellsOf(t, name)
		cells += len(want)
		data, err := fs.ReadFile(rules.FS, file)
		require.NoError(t, err)
		pack, faults := audit.ParsePack(file, data)
		require.Empty(t, faults)
		require.Empty(t, pack.Validate())
		var got [][]string
		for _, p := range pack.Profiles {
			for _, w := range p.Table() {
				got = append(got, []string{p.ID, w.ID, w.Want.String(), w.Level})
			}
		}
		assert.Equal(t, want, got, file)
	}
	assert.Greater(t, cells, 500, "cells compared")
}

// cellsOf reads a table without the document's own words.
func cellsOf(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(tablesDir, name+".tsv"))
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, 5
	rows, err := r.ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"profile", "setting", "document", "want", "level"}, rows[0])
	var out [][]string
	for _, row := range rows[1:] {
		require.NotEmpty(t, row[2], "what does the document say of %s in %s?", row[1], row[0])
		out = append(out, []string{row[0], row[1], row[3], row[4]})
	}
	return out
}
