//go:build corpus

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// Lists of findings that were reviewed by hand, below testdata/corpus.
const (
	criticalFindings = "critical-findings.tsv"
	lostMemory       = "lost-memory.tsv"
)

// reviewed checks that every critical finding of a source, and every finding of lost memory, is in the list
// that was reviewed by hand, and that every entry has a machine.
func reviewed(t *testing.T, source string, all []audited) {
	critical := func(f *verdict.Finding) bool { return f.Severity == "critical" }
	lost := func(f *verdict.Finding) bool { return f.Rule == "memory.capacity.visible" }
	reviewedIn(t, criticalFindings, source, all, critical)
	reviewedIn(t, lostMemory, source, all, lost)
}

func reviewedIn(t *testing.T, file, source string, all []audited, concerns func(*verdict.Finding) bool) {
	list := reviewedList(t, file, source)
	for _, a := range all {
		for _, f := range a.report.Findings {
			if f.Result != "fail" || !concerns(&f) {
				continue
			}
			key := recordOf(a.name) + "\t" + f.Rule + "\t" + f.Subject.String()
			assert.Contains(t, list, key, "%s (%s): not reviewed: look at it, then add it to testdata/corpus/%s: %s",
				a.name, a.report.Machine.Product.Text(), file, string(f.Found))
			delete(list, key)
		}
	}
	assert.Empty(t, list, "%s: reviewed, and found no more", file)
}

// recordOf is the corpus's name of a record.
func recordOf(name string) string {
	return strings.TrimSuffix(filepath.Base(name), ".txt")
}

// reviewedList reads the lines of one source: record, rule and subject to the
// reason.
func reviewedList(t *testing.T, file, source string) map[string]string {
	raw, err := os.ReadFile(filepath.Join(corpustest.Root(t), "testdata", "corpus", file))
	require.NoError(t, err)
	out := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		col := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, col, 6, line)
		require.NotEmpty(t, col[5], "no reason: %s", line)
		if strings.Contains(source, col[0]) {
			out[col[2]+"\t"+col[3]+"\t"+col[4]] = col[5]
		}
	}
	return out
}
