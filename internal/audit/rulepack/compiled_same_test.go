package rulepack

import (
	"fmt"
	"sync"
	"testing"

	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/rules"
)

// TestCompiledRulesMeanTheSame runs every expression of every case twice, as
// the checker plans it and as the shipped artefact does: result, missing facts and
// texts must agree. The artefact is planned without types, so that an unknown
// takes another way through the evaluator. The unit tests take every fourth rule,
// make corpus each.
func TestCompiledRulesMeanTheSame(t *testing.T) {
	packs, err := BuiltinPacks()
	require.NoError(t, err)
	compiledPacks, err := LoadCompiled(rules.FS)
	require.NoError(t, err)
	require.NotEmpty(t, compiledPacks)
	parsed := facts.Programs{Encoded: compiledPacks[0].Expressions}
	n := 0
	for _, p := range packs {
		for _, r := range corpustest.Sample(p.Rules, 4) {
			n += sameRule(t, &parsed, r)
		}
	}
	least := 400
	if corpustest.Stage {
		least = 1000
	}
	assert.Greater(t, n, least, "expressions compared")
}

// BuiltinPacks are read once for all tests, including those outside the package, and changed by none.
var BuiltinPacks = sync.OnceValues(func() ([]*Pack, error) { return LoadBuiltin(rules.FS) })

// sameRule checks every case of a rule against both and returns how many expressions it compared.
func sameRule(t *testing.T, parsed *facts.Programs, r *Rule) int {
	t.Helper()
	exprs := map[string]*types.Type{r.Check: types.BoolType, r.Applies: types.BoolType, r.Found: types.StringType,
		r.Expected: types.StringType, r.Remedy: types.StringType}
	if verdict.Severity(r.Severity).Rank() == 0 {
		exprs[r.Severity] = types.StringType
	}
	if r.Effect != nil {
		exprs[r.Effect.Expr], exprs[r.Effect.SourceExpr] = types.StringType, types.StringType
	}
	n := 0
	var checked facts.Programs
	for src, want := range exprs {
		if src == "" {
			continue
		}
		require.Contains(t, parsed.Encoded, src, "not compiled")
		for i := range r.Cases {
			n++
			c := &r.Cases[i]
			one, err := c.Scope()
			require.NoError(t, err)
			two, err := c.Scope()
			require.NoError(t, err)
			assert.Equal(t, evaluated(&checked, one, src, want), evaluated(parsed, two, src, want), "%s, case %q: %s", r.ID, c.Name, src)
		}
	}
	return n
}

func evaluated(programs *facts.Programs, s *facts.Scope, src string, want *types.Type) string {
	if want == types.StringType {
		text, err := programs.Text(s, src)
		return fmt.Sprint(text, err)
	}
	_, o := programs.Bool(s, src)
	return fmt.Sprint(o.Val, o.Missing, o.Err)
}
