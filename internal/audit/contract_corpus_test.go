//go:build corpus

package audit_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestEveryKnownIDIsLoaded compares the ids with the agreed interface: a loaded id of its section 6 has the subject
// given there. One that is not loaded is a gap; settings and baselines create theirs.
func TestEveryKnownIDIsLoaded(t *testing.T) {
	data, err := os.ReadFile(corpustest.Shared(t, "contract.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(data), "\n## 6. ")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	packs, err := builtinPacks()
	require.NoError(t, err)
	loaded := map[string][]string{}
	for _, p := range packs {
		for _, r := range p.Rules {
			loaded[r.ID] = append(loaded[r.ID], r.Subject)
			if r.Subject == "counter" { // of each slot, and of the machine for what no slot takes
				loaded[r.ID] = append(loaded[r.ID], "slot", "machine")
			}
		}
	}
	rows := regexp.MustCompile("(?m)^\\| `([a-z]+\\.[a-z.-]+)` \\| (\\w+)").FindAllStringSubmatch(section, -1)
	count := 0
	for _, row := range rows {
		if area, _, _ := strings.Cut(row[1], "."); area == "settings" || area == "setting" || area == "baseline" || area == "measure" {
			continue
		}
		if loaded[row[1]] == nil {
			corpustest.Gap(t, "rule "+row[1]+" of the interface")
			continue
		}
		count++
		assert.Contains(t, loaded[row[1]], row[2], row[1])
	}
	assert.GreaterOrEqual(t, count, 24)
}
