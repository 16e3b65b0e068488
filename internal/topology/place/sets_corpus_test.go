//go:build corpus

package place

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// collectedSets is what the test reads of the collected tables.
type collectedSets struct {
	Sets []struct {
		ID     string
		Counts map[int]struct {
			How   string
			Check []string
		}
	}
}

// TestEverySetIsAccountedFor checks that each collected table is in sets.tsv, or in the README with the reason why
// not: under "no document" only if no document prints a row, under "do not join" only if one does.
func TestEverySetIsAccountedFor(t *testing.T) {
	raw, err := os.ReadFile(corpustest.Shared(t, "knowledge/memory-population/slot-sets.yaml"))
	require.NoError(t, err)
	var collected collectedSets
	require.NoError(t, yaml.Unmarshal(raw, &collected))
	require.NotEmpty(t, collected.Sets)
	here, err := fs.ReadFile(rules.FS, setsFile)
	require.NoError(t, err)
	readme, err := fs.ReadFile(corpustest.Rules(t), "slots/README.md")
	require.NoError(t, err)
	undocumented, documented, found := strings.Cut(string(readme), "A document prints rows of these")
	require.True(t, found)
	taken := 0
	for _, set := range collected.Sets {
		printed := false
		for _, row := range set.Counts {
			printed = printed || slices.Contains(row.Check, "doc") && slices.Contains([]string{"table", "order", "channels"}, row.How)
		}
		reason := "\n| `" + set.ID + "` | "
		switch inSets := strings.Contains(string(here), "\nset\t"+set.ID+"\t"); {
		case inSets:
			taken++
			assert.NotContains(t, string(readme), reason, "is in both")
		case strings.Contains(undocumented, reason):
			assert.False(t, printed, "%s: a document prints rows of it", set.ID)
		case strings.Contains(documented, reason):
			assert.True(t, printed, "%s: no document prints rows of it", set.ID)
		default:
			corpustest.Gap(t, "slot sets of "+set.ID)
		}
	}
	assert.Contains(t, string(readme), fmt.Sprintf("Of %d collected tables (by their ids there) %d stand in `sets.tsv`", len(collected.Sets), taken))
}
