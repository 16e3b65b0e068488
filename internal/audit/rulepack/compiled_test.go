package rulepack_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/rules"
)

// TestCompiledRulesAreCurrent checks that the compiled form is up to date with the YAML.
func TestCompiledRulesAreCurrent(t *testing.T) {
	packs, err := rulepack.BuiltinPacks()
	require.NoError(t, err)
	want, err := rulepack.Compile(packs)
	require.NoError(t, err)
	got, err := rules.FS.ReadFile(compiled.File(rulepack.Part))
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "rules/%s is out of date: go generate ./... writes it", compiled.File(rulepack.Part))
	loaded, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	require.Len(t, loaded, len(packs))
	for i, p := range packs {
		assert.Equal(t, p.File, loaded[i].File)
		require.Len(t, loaded[i].Rules, len(p.Rules), p.File)
		for j, r := range p.Rules {
			l := loaded[i].Rules[j]
			assert.Equal(t, []any{r.ID, r.Check, r.For, r.Effect, r.Citation, r.Remedies, r.DependsOn, r.Related, r.Explains, r.Mark},
				[]any{l.ID, l.Check, l.For, l.Effect, l.Citation, l.Remedies, l.DependsOn, l.Related, l.Explains, l.Mark})
		}
		for j, q := range p.Profiles {
			l := loaded[i].Profiles[j]
			assert.Equal(t, []any{q.ID, q.Intents, q.Settings, q.Table(), q.Citation, q.For, q.Named},
				[]any{l.ID, l.Intents, l.Table(), l.Table(), l.Citation, l.For, l.Named})
			assert.Nil(t, l.Settings, "read at start")
		}
	}
}
