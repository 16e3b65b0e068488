package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlan: what the planner would do to an unbalanced R610, by hand.
func TestPlan(t *testing.T) {
	t.Parallel()
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
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--move", "DIMM_B4"}, "expected A=B"},
		{[]string{"--install", "DIMM_B3=big"}, "expected SLOT=SIZE, such as DIMM_A1=16G"},
		{[]string{"--install", "DIMM_B4=8G"}, "DIMM_B4 is not empty"},
		{[]string{"--remove", "DIMM_X1"}, `the nearest is "DIMM_A1"); accepted are a locator, BANK/LOCATOR or a handle`},
		{[]string{"--remove", "what"}, "the nearest is"},
		{[]string{"--move", "DIMM_B6=DIMM_B3"}, "DIMM_B6 holds no module to move; filled are DIMM_A1"},
		{nil, "plan needs --capacity SIZE, --move A=B"},
	} {
		status, out, errs = run(nil, append([]string{"plan", "--root", root}, c.args...)...)
		assert.Equal(t, 2, status, c.args)
		assert.Empty(t, out)
		assert.Contains(t, errs, c.says)
	}
}
