package rulepack_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/compiled"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/rules"
)

// TestCompiledRulesAreCurrent: the blob is what the YAML compiles to.
func TestCompiledRulesAreCurrent(t *testing.T) {
	packs, err := rulepack.BuiltinPacks()
	require.NoError(t, err)
	want, err := rulepack.Compile(packs)
	require.NoError(t, err)
	got, err := compiled.Part(rules.FS, rulepack.Part)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "rules/%s is out of date: go generate ./... makes it again", compiled.File)
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

// onlyRules is an artefact that holds nothing but compiled rules.
func onlyRules(blob []byte) mapFS {
	return mapFS{compiled.File: compiled.Join(map[string][]byte{rulepack.Part: blob})}
}

// TestDamagedBlob: a blob cut at any byte is an error, never a panic.
func TestDamagedBlob(t *testing.T) {
	whole, err := compiled.Part(rules.FS, rulepack.Part)
	require.NoError(t, err)
	for n := 0; n < len(whole); n += max(len(whole)/200, 1) {
		_, err := rulepack.LoadCompiled(onlyRules([]byte(whole[:n])))
		require.Error(t, err, n)
	}
}
