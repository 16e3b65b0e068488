package audit_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/rules"
)

// paperRow is one row of a table of the founding papers and the test or pack for it.
type paperRow struct{ section, row, held string }

func paperRows(t *testing.T) []paperRow {
	t.Helper()
	data, err := os.ReadFile("testdata/papers.tsv")
	require.NoError(t, err)
	var out []paperRow
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, c, 3, line)
		out = append(out, paperRow{c[0], c[1], c[2]})
	}
	return out
}

// TestPaperRowsAreHeld checks that the test named by a row exists, that the pack it names contains the text, and that
// a row without a rule has a reason.
func TestPaperRowsAreHeld(t *testing.T) {
	tests := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "../topology/*/*_test.go", "../cli/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			for line := range strings.Lines(string(data)) {
				if name, ok := strings.CutPrefix(line, "func Test"); ok {
					name, _, _ = strings.Cut(name, "(t *testing.T)")
					tests["Test"+name] = true
				}
			}
		}
	}
	texts := map[string]string{} // in one line, once a file
	for _, r := range paperRows(t) {
		kind, what, _ := strings.Cut(r.held, " ")
		switch kind {
		case "test":
			assert.True(t, tests[what], "%s is no test: %s %s", what, r.section, r.row)
		case "text":
			file, text, _ := strings.Cut(what, ": ")
			if texts[file] == "" {
				data, err := fs.ReadFile(rules.FS, file)
				require.NoError(t, err)
				texts[file] = strings.Join(strings.Fields(string(data)), " ")
			}
			assert.NotEmpty(t, text)
			assert.Contains(t, texts[file], text, "%s %s in %s", r.section, r.row, file)
		default:
			assert.Equal(t, "none:", kind, "%s %s", r.section, r.row)
			assert.NotEmpty(t, what, "%s %s", r.section, r.row)
		}
	}
}
