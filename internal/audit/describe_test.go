package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
)

// Every built-in rule that can fail shows how, in its own words.
func TestEveryRuleHasAnExample(t *testing.T) {
	packs, err := builtinPacks()
	require.NoError(t, err)
	count := 0
	for _, r := range rulepack.Describe(packs) {
		f, name := audit.Example(r)
		if r.Cases.Fail == 0 && f == nil {
			continue
		}
		require.NotNil(t, f, r.ID)
		assert.NotEmpty(t, name, r.ID)
		assert.Equal(t, r.ID, f.Rule)
		assert.NotEmpty(t, f.Why, r.ID)
		if f.Result == verdict.Fail {
			assert.NotEmpty(t, f.Found, r.ID)
			assert.NotEmpty(t, f.Expected, r.ID)
			assert.Positive(t, f.Severity.Rank(), r.ID)
		}
		count++
	}
	assert.Greater(t, count, 30)
}
