package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/verdict"
)

const differing = `
profiles:
  - id: a/low-latency
    intent: low-latency
    title: A
    for: {vendors: [A]}
    citation: &cite {vendor: A, title: Guide}
    settings:
      turbo: {want: enabled, level: warning}
      smt: {want: [disabled, auto], level: info}
      c_states: {want: disabled, level: info}
  - id: a/other-board
    intent: [low-latency, hpc]
    title: same machines
    for: {vendors: [A]}
    citation: *cite
    settings:
      turbo: {want: disabled, level: warning}
  - id: b/low-latency
    intent: [balanced, low-latency]
    title: B
    for: {vendors: [B]}
    citation: *cite
    settings:
      turbo: {want: disabled, level: warning}
      smt: {want: disabled, level: info}
      c_states: {want: [enabled, auto], level: info}
  - id: b/hpc
    intent: hpc
    title: B for HPC
    for: {vendors: [B]}
    citation: *cite
    settings:
      turbo: {want: disabled, level: warning}
`

// A profile says where others of its intents, for other machines, differ; one
// value in common is no difference.
func TestProfilesNameWhatOthersWant(t *testing.T) {
	pack, faults := rulepack.ParsePack("pack.yaml", []byte(differing))
	require.Empty(t, faults)
	got := map[string]map[string][]rulepack.OtherWant{}
	for _, p := range rulepack.DescribeProfiles([]*rulepack.Pack{pack}) {
		got[p.ID] = map[string][]rulepack.OtherWant{}
		for id, s := range p.Settings {
			if len(s.Elsewhere) > 0 {
				got[p.ID][id] = s.Elsewhere
			}
			assert.NotNil(t, s.Elsewhere)
		}
	}
	assert.Equal(t, map[string]map[string][]rulepack.OtherWant{
		"a/low-latency": {"turbo": {{Profile: "b/low-latency", Value: "disabled"}}, "c_states": {{Profile: "b/low-latency", Value: "enabled or auto"}}},
		"a/other-board": {},
		"b/low-latency": {"turbo": {{Profile: "a/low-latency", Value: "enabled"}}, "c_states": {{Profile: "a/low-latency", Value: "disabled"}}},
		"b/hpc":         {},
	}, got)
}

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
