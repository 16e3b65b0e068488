//go:build corpus

package smbios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/corpustest"
)

// knownDifferences reads testdata/smbios/known-differences.tsv: the five columns of difference and the reason.
func knownDifferences(t *testing.T) map[string]string {
	t.Helper()
	name := filepath.Join("..", "..", "..", "testdata", "smbios", "known-differences.tsv")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	known := map[string]string{}
	for i, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if i == 0 || strings.HasPrefix(l, "#") {
			continue
		}
		cols := strings.Split(l, "\t")
		require.Len(t, cols, 6, "%s: line %d", name, i+1)
		require.NotEmpty(t, cols[5], "%s: line %d has no reason", name, i+1)
		known[strings.Join(cols[:5], "\t")] = cols[5]
	}
	return known
}

// The decoder's values of every binary table must equal those that its text parser reads from dmidecode's text of the
// same table.
func TestOracleDmidecode(t *testing.T) {
	var found []difference
	fields := 0
	for _, name := range corpustest.Glob(t, "smbios-bin/*") {
		ext := filepath.Ext(name)
		if ext != ".bin" && ext != ".dmi" {
			continue
		}
		ours, ref := decodeFile(t, name), strings.TrimSuffix(name, ext)+".dmidecode.txt"
		text, err := os.ReadFile(ref)
		require.NoError(t, err)
		theirs := parse(t, text)
		// The version of a bare table was assumed for the text.
		if !ours.Version.Known() {
			ours.Version = theirs.Version
		}
		d, n := compareTables(filepath.Base(name), ours, theirs)
		found = append(found, d...)
		fields += n
	}
	assert.Greater(t, fields, 10000)
	t.Logf("%d fields compared, %d differ", fields, len(found))
	checkKnown(t, found)
}

func checkKnown(t *testing.T, found []difference) {
	known := knownDifferences(t)
	var fresh []string
	for _, d := range found {
		if _, ok := known[d.String()]; !ok {
			fresh = append(fresh, d.String())
		}
		delete(known, d.String())
	}
	assert.Empty(t, fresh, "differences that are not in known-differences.tsv:\n%s", strings.Join(fresh, "\n"))
	for k := range known {
		t.Errorf("listed difference does not occur: %s", k)
	}
}

// decodeFile decodes a dump, or a bare table with the entry point next to it.
func decodeFile(t *testing.T, name string) *Table {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	entry, err := os.ReadFile(strings.TrimSuffix(name, ".dmi") + ".entry")
	if err == nil {
		return Decode(entry, data)
	}
	return parse(t, data)
}
