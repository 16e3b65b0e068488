package platform

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/rules"
)

// observedRows reads the table of observed speeds: processor to speed.
func observedRows(t testing.TB) map[string]int {
	raw, err := fs.ReadFile(rules.FS, observedTable)
	require.NoError(t, err)
	out := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		if !strings.HasPrefix(line, "#") {
			col := strings.Split(strings.TrimSpace(line), "\t")
			require.Len(t, col, 4, line)
			out[col[0]] = atoiOr(col[1], 0)
		}
	}
	return out
}
