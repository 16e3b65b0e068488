package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlan: what the planner would do to an unbalanced R610, by hand.
func TestPlan(t *testing.T) {
	root := tree(t, "dell-r610-unbalanced")
	status, out, errs := run(nil, "plan", "--root", root, "--move", "DIMM_B4=DIMM_B3", "--format", "json")
	require.Zero(t, status, errs)
	var doc struct {
		Schema string
		After  struct {
			Findings []struct{ Rule string }
		}
		Gone []struct{ Rule, Subject string } `json:"findings_gone"`
		New  []struct{ Rule, Subject string } `json:"findings_new"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	assert.Equal(t, "memaudit.plan/v1", doc.Schema)
	assert.NotEmpty(t, doc.Gone)
	assert.Empty(t, doc.New)
	for _, args := range [][]string{
		{"--move", "DIMM_B4"}, {"--install", "DIMM_B3=big"}, {"--remove", "DIMM_X1"}, {"--move", "DIMM_B6=DIMM_B3"}, {},
	} {
		status, out, errs = run(nil, append([]string{"plan", "--root", root}, args...)...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, out)
		assert.NotEmpty(t, errs)
	}
}
