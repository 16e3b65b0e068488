package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestVerdictsAreTheAudits checks that the results without texts that the search uses equal the audit's for every
// rule and machine, and that no texts were computed for them.
func TestVerdictsAreTheAudits(t *testing.T) {
	p := pipeline(t)
	all := func(string) bool { return true }
	bare := func(f *verdict.Finding) verdict.Finding {
		return verdict.Finding{Rule: f.Rule, Subject: f.Subject, Result: f.Result, Severity: f.Severity, Certainty: f.Certainty, Reason: f.Reason}
	}
	failed := 0
	for name := range machinetest.Servers() {
		sys := server(t, name, uneven)
		topo := p.Derive(sys)
		whole, err := p.Audit(sys, topo, all)
		require.NoError(t, err)
		verdicts, err := p.Verdicts(sys, topo, all)
		require.NoError(t, err)
		require.Len(t, verdicts.Findings, len(whole.Findings))
		for i := range whole.Findings {
			f, v := &whole.Findings[i], &verdicts.Findings[i]
			require.Equal(t, bare(f), bare(v), name)
			require.Empty(t, v.Found+v.Expected+v.Remedy)
			require.Nil(t, v.Effect)
			require.Empty(t, v.Evidence)
			if f.Found != "" {
				failed++
			}
		}
	}
	require.Positive(t, failed, "without a text this test proves nothing")
}
