package plan_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/rules"
)

var (
	builtin = sync.OnceValues(func() ([]*rulepack.Pack, error) { return rulepack.LoadCompiled(rules.FS) })
	// builtinEngine plans its expressions once for all tests, which do not run in parallel.
	builtinEngine = sync.OnceValues(func() (*audit.Engine, error) {
		packs, err := builtin()
		return audit.NewEngine(packs), err
	})
	roles = sync.OnceValue(func() func(string) verdict.Role {
		engine, err := builtinEngine()
		if err != nil {
			panic(err)
		}
		return engine.Role
	})
)

// concerns reports whether a rule is about the layout.
func concerns(rule string) bool { return roles()(rule).Layout }

// TestRolesOfRules checks that rules of one id have one role in planning.
func TestRolesOfRules(t *testing.T) {
	packs, err := builtin()
	require.NoError(t, err)
	planning := map[string][]string{}
	for _, pack := range packs {
		for _, r := range pack.Rules {
			if before, ok := planning[r.ID]; ok {
				assert.ElementsMatch(t, before, r.Planning, "%s: rules of one id have one planning", r.ID)
			}
			planning[r.ID] = r.Planning
		}
	}
}
