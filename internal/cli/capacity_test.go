package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlanCapacity checks the configurations for 48 GiB on an R610, and for 128 GiB on four Westmere-EX processors,
// for which the paper has 32 GB of class 1 and class 2.
func TestPlanCapacity(t *testing.T) {
	t.Parallel()
	type configuration struct {
		DIMMs []struct {
			SizeBytes int64 `json:"size_bytes"`
			Count     int
		}
		Slots       []string
		Class       *string
		ExpectedMTs *int `json:"expected_mts"`
		Source      string
	}
	var doc struct {
		Schema         string
		Machine        *struct{ Product *string }
		Platform       string
		Sockets        int
		CapacityBytes  int64 `json:"capacity_bytes"`
		Configurations []configuration
	}
	status, out, errs := run(nil, "plan", "--root", tree(t, "dell-r610-unbalanced"), "--capacity", "48G", "--format", "json")
	require.Zero(t, status, errs)
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	assert.Equal(t, "memaudit.plan/v1", doc.Schema)
	assert.Equal(t, "PowerEdge R610", *doc.Machine.Product)
	assert.Equal(t, []any{2, int64(48 << 30), "westmere-ep"}, []any{doc.Sockets, doc.CapacityBytes, doc.Platform})
	require.Len(t, doc.Configurations, 2)
	assert.Equal(t, []string{"DIMM_A1", "DIMM_A2", "DIMM_A3", "DIMM_A4", "DIMM_A5", "DIMM_A6"}, doc.Configurations[0].Slots, "six modules are bought either way, here the smaller ones")
	assert.Equal(t, []string{"DIMM_A1", "DIMM_A2", "DIMM_A3"}, doc.Configurations[1].Slots)
	assert.Equal(t, 1333, *doc.Configurations[1].ExpectedMTs)
	assert.Contains(t, doc.Configurations[1].Source, "R610 Technical Guide p29")

	doc.Machine = nil
	status, out, errs = run(nil, "plan", "--platform", "westmere-ex", "--sockets", "4", "--capacity", "128G", "--format", "json")
	require.Zero(t, status, errs)
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	assert.Nil(t, doc.Machine)
	require.Len(t, doc.Configurations, 4)
	assert.Equal(t, "1", *doc.Configurations[0].Class)
	assert.Equal(t, 8, doc.Configurations[0].DIMMs[0].Count)

	status, out, errs = run(nil, "plan", "--platform", "westmere-ex", "--capacity", "50G")
	require.Zero(t, status, errs)
	assert.Contains(t, out, "CAPACITY  64 GiB\n  requested 50 GiB")

	status, out, errs = run(nil, "plan", "--platform", "bensley", "--capacity", "4G", "--all")
	require.Zero(t, status, errs)
	assert.Contains(t, out, "57 %")
	assert.Contains(t, out, "(discouraged)")
}

// TestPlanCapacityRefuses checks that a usage error has status 2, prints nothing, and names the accepted values.
func TestPlanCapacityRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--capacity", "lots"}, "expected a whole number with M, G or T"},
		{[]string{"--capacity", "0G", "--platform", "rome"}, "expected a whole number"},
		{[]string{"--capacity", "64G", "--platform", "westmer"}, "the nearest are westmere-ep"},
		{[]string{"--capacity", "1T", "--platform", "westmere-ep"}, "the most is 576 GiB"},
		{[]string{"--capacity", "64G", "--platform", "power10"}, "no document gives"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--sockets", "65"}, "expected a number from 1 to 64"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--sockets", "0"}, "expected a number from 1 to 64"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--root", "/nowhere"}, "--platform plans without a machine"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--move", "A=B"}, "--capacity plans from empty slots"},
		{[]string{"--platform", "rome"}, "--platform belongs to --capacity"},
		{[]string{"--capacity", "64G", "--platform", "rome", "--format", "html"}, "expected one of"},
	} {
		status, out, errs := run(nil, append([]string{"plan"}, c.args...)...)
		assert.Equal(t, 2, status, c.args)
		assert.Empty(t, out, c.args)
		assert.Contains(t, errs, c.says)
	}
}
