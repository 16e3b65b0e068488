//go:build corpus

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
)

// reviewed checks that every critical finding of a source stands in the list
// that was reviewed by hand, and that nothing stands there in vain.
func reviewed(t *testing.T, source string, all []audited) {
	list := criticalList(t, source)
	for _, a := range all {
		for _, f := range a.report.Findings {
			if f.Result != "fail" || f.Severity != "critical" {
				continue
			}
			key := recordOf(a.name) + "\t" + f.Rule + "\t" + f.Subject
			assert.Contains(t, list, key, "%s (%s): critical and not reviewed: look at it, then add it to testdata/corpus/critical-findings.tsv: %s",
				a.name, deref(a.report.Machine.Product), deref(f.Found))
			delete(list, key)
		}
	}
	assert.Empty(t, list, "reviewed as critical, and critical no more")
}

// recordOf is the corpus's name of a record.
func recordOf(name string) string {
	return strings.TrimSuffix(filepath.Base(name), ".txt")
}

// criticalList reads the lines of one source: record, rule and subject to the
// reason.
func criticalList(t *testing.T, source string) map[string]string {
	raw, err := os.ReadFile(filepath.Join(corpustest.Root(t), "testdata", "corpus", "critical-findings.tsv"))
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
