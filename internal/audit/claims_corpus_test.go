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

// TestClaimsOfThePapers checks that each statement of the papers that was found wrong or missing names the rule for
// it, or the reason why there is none.
func TestClaimsOfThePapers(t *testing.T) {
	shared, err := os.ReadFile(corpustest.Shared(t, "papers-claims.md"))
	require.NoError(t, err)
	held, err := os.ReadFile("testdata/claims.tsv")
	require.NoError(t, err)
	by := map[string]string{}
	for line := range strings.Lines(string(held)) {
		if statement, what, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && line[0] != '#' {
			by[statement] = what
		}
	}
	known := map[string]bool{}
	packs, err := builtinPacks()
	require.NoError(t, err)
	for _, pack := range packs {
		for i := range pack.Rules {
			known[pack.Rules[i].ID] = true
		}
	}
	rows := regexp.MustCompile(`(?m)^\| ([DFISO]\d+) \|`).FindAllStringSubmatch(string(shared), -1)
	require.Greater(t, len(rows), 30)
	for _, row := range rows {
		what := by[row[1]]
		rule, isRule := strings.CutPrefix(what, "rule ")
		switch {
		case isRule && !strings.HasPrefix(rule, "setting."):
			assert.True(t, known[rule], "%s: no rule %s", row[1], rule)
		case !isRule:
			assert.Regexp(t, `^(none|open): .`, what, "%s has neither a rule nor a reason", row[1])
		}
	}
}
