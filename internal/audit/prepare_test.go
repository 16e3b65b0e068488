package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/rules"
)

// TestPrepareChangesNoVerdict: what is made ready beside the reading of the machine
// judges as what is made when it is asked for.
func TestPrepareChangesNoVerdict(t *testing.T) {
	packs, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	var found [2]*verdict.Audit
	for i := range found {
		engine := audit.NewEngine(packs)
		if i == 1 {
			engine.Prepare()
		}
		sys, topo := twoSockets()
		addDIMM(sys, topo, 0, 16)
		found[i], err = engine.Run(sys, topo, audit.Options{})
		require.NoError(t, err)
	}
	require.NotEmpty(t, found[0].Findings)
	assert.Equal(t, found[0].Findings, found[1].Findings)
}
