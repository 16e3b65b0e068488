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
