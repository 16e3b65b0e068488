package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// TestPlan checks the planner on an unbalanced R610, with expectations derived by hand.
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
		{[]string{"--move", "DIMM_B1=DIMM_B4"}, "DIMM_B4 is not empty: move or remove its module first, or swap the two: --move A=B --move B=A"},
		{[]string{"--remove", "DIMM_X1"}, `the nearest is "DIMM_A1"); accepted are a locator or its end (A1 of DIMM_A1), BANK/LOCATOR, or a handle`},
		{[]string{"--remove", "what"}, "the nearest is"},
		{[]string{"--remove", ""}, `--remove "": expected SLOT`},
		{[]string{"--move", " =DIMM_B3"}, "expected A=B"},
		{[]string{"--install", "DIMM_B3=3G"}, "no module has 3G; expected a power of two"},
		{[]string{"--move", "DIMM_B6=DIMM_B3"}, "DIMM_B6 holds no module to move; filled are DIMM_A1"},
		{nil, "plan needs --capacity SIZE, --move A=B"},
	} {
		status, out, errs = run(nil, append([]string{"plan", "--root", root}, c.args...)...)
		assert.Equal(t, 2, status, c.args)
		assert.Empty(t, out)
		assert.Contains(t, errs, c.says)
	}
}

// TestPlanNamesAssumedModule checks that if the modules of a size differ, the one that a new one is assumed to equal is
// named next to the result, not in it.
func TestPlanNamesAssumedModule(t *testing.T) {
	b := smbiostest.New(2, 8)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Model 1"})
	array := b.Array(smbiostest.Array{Devices: 3, MaxBytes: 1 << 40})
	for slot, ranks := range []byte{1, 2, 0} {
		d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("DIMM_A%d", slot+1), Type: 0x1A}
		if ranks > 0 {
			d.Bytes, d.Rank, d.Speed, d.Manufacturer, d.Part = 8<<30, ranks, 2666, "Samsung", fmt.Sprint("M00", ranks)
		}
		b.MemoryDevice(d)
	}
	file := filepath.Join(t.TempDir(), "dump.bin")
	require.NoError(t, os.WriteFile(file, b.Dump(), 0o600))
	status, out, errs := run(nil, "plan", "--smbios", file, "--install", "DIMM_A3=8G")
	require.Zero(t, status, errs)
	assert.Contains(t, errs, "memaudit: warning: the modules of 8 GiB differ; the one in DIMM_A3 is taken to be like that in DIMM_A1: 8 GiB DDR4 of 1 rank")
	assert.NotContains(t, out, "taken to be")
}

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
