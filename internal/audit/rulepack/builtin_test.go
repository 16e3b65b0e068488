package rulepack_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/rulepack"
)

// TestBuiltinPacks validates every embedded pack: shape, expressions, sources
// and each rule's own cases.
func TestBuiltinPacks(t *testing.T) {
	packs, err := rulepack.BuiltinPacks()
	require.NoError(t, err)
	require.NotEmpty(t, packs)
	for _, p := range packs {
		for _, c := range p.Validate() {
			t.Error(c)
		}
	}
	for _, c := range rulepack.ValidateSet(packs) {
		t.Error(c)
	}
}

// TestEveryRuleHasAShortSentence checks that rules have a short sentence, with which reports and alerts begin. A
// site's pack may do without: the rule's title is printed then.
func TestEveryRuleHasAShortSentence(t *testing.T) {
	packs, err := rulepack.BuiltinPacks()
	require.NoError(t, err)
	for _, p := range packs {
		for _, r := range p.Rules {
			if !r.Explains && r.Short == "" {
				t.Errorf("%s: rule %s has no short sentence", p.File, r.ID)
			}
		}
	}
}
