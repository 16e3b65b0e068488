package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/rulepack"
)

// TestProfilesAreChosenAlone checks for each intent that no two profiles that may apply to one machine are equally
// narrow, so that the order of files decides nothing.
func TestProfilesAreChosenAlone(t *testing.T) {
	packs, err := LoadedPacks()
	require.NoError(t, err)
	all := NewEngine(packs).Profiles()
	for i, p := range all {
		for _, o := range all[i+1:] {
			if sharedIntent(p, o) && p.For.Width() == o.For.Width() && p.Applies == "" && o.Applies == "" {
				assert.False(t, overlap(p.For, o.For), "%s and %s", p.ID, o.ID)
			}
		}
	}
}

func sharedIntent(a, b *rulepack.ProfileSpec) bool {
	return slices.ContainsFunc(a.Intents, func(i string) bool { return slices.Contains(b.Intents, i) })
}

// overlap reports whether one machine can match both.
func overlap(a, b *rulepack.Match) bool {
	either := func(x, y []string, same func(a, b string) bool) bool {
		return len(x) == 0 || len(y) == 0 || slices.ContainsFunc(x, func(v string) bool {
			return slices.ContainsFunc(y, func(w string) bool { return same(v, w) })
		})
	}
	equal := func(a, b string) bool { return a == b }
	part := func(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
	return either(a.Platforms, b.Platforms, equal) && either(a.Vendors, b.Vendors, part) && either(a.Products, b.Products, func(_, _ string) bool { return true })
}
