package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// u46Now is a machine with the ROM family of one of HPE's registries, whose
// profiles are documented; made for this test.
const u46Now = `{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "BiosAttributeRegistryU46.v1_2_34", "Attributes": {
 "WorkloadProfile": "Custom", "PowerRegulator": "DynamicPowerSavings", "ProcTurbo": "Enabled", "MinProcIdlePower": "C6", "ProcHyperthreading": "Enabled", "AssetTagProtection": "Unlocked"}}`

func biosFile(t *testing.T, content string) string {
	t.Helper()
	return fileOf(t, "bios.json", content)
}

// emptyTree is a machine without any data.
func emptyTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sys"), 0o755))
	return dir
}

// The change goes to standard output in the tool's format, the rest to standard error; once applied, nothing is left
// to change.
func TestPatchIsAppliedAndAuditedAgain(t *testing.T) {
	t.Parallel()
	root := emptyTree(t)
	status, out, errs := run(nil, "profiles", "patch", "hpe-gen10plus/low-latency", "--root", root, "--bios", biosFile(t, u46Now))
	require.Equal(t, 0, status, errs)
	assert.JSONEq(t, `{"Attributes": {"WorkloadProfile": "LowLatency"}}`, out)
	assert.Contains(t, errs, "turbo is written by WorkloadProfile = LowLatency: ProcTurbo = Disabled\n")
	// Nothing is written if a preset cannot be changed.
	locked := biosFile(t, `{"Id": "BiosAttributeRegistryU46.v1_2_34", "RegistryEntries": {"Attributes": [{"AttributeName": "WorkloadProfile", "ReadOnly": true, "Value": [{"ValueName": "Custom"}, {"ValueName": "LowLatency"}]}]}}`)
	status, out, errs = run(nil, "profiles", "patch", "hpe-gen10plus/low-latency", "--root", root, "--bios", biosFile(t, u46Now), "--bios", locked)
	require.Equal(t, 0, status, errs)
	assert.Empty(t, out)
	assert.Contains(t, errs, ": 0 to change, ")
	assert.Contains(t, errs, "turbo is left as it is: WorkloadProfile cannot be changed now, the export says (read-only)\n")
	status, out, errs = run(nil, "profiles", "patch", "site/quiet", "--root", root, "--bios", biosFile(t, u46Now), "--rules", freeProfile(t))
	require.Equal(t, 0, status, errs)
	change := decoded[struct{ Attributes map[string]string }](t, out)
	assert.Equal(t, map[string]string{"ProcTurbo": "Disabled", "MinProcIdlePower": "NoCStates"}, change.Attributes)
	assert.Contains(t, errs, "2 to change, 1 as wanted")
	assert.Contains(t, errs, "node_interleave is left as it is: the export has no attribute for it")
	now := decoded[map[string]any](t, u46Now)
	for k, v := range change.Attributes {
		now["Attributes"].(map[string]any)[k] = v
	}
	then, err := json.Marshal(now)
	require.NoError(t, err)
	status, out, errs = run(nil, "profiles", "patch", "site/quiet", "--root", root, "--bios", biosFile(t, string(then)), "--rules", freeProfile(t))
	require.Equal(t, 0, status, errs)
	assert.Empty(t, out)
	assert.Contains(t, errs, "0 to change, 3 as wanted")
	_, out, _ = run(nil, "check", "--profile", "site/quiet", "--root", root, "--bios", biosFile(t, string(then)), "--rules", freeProfile(t), "--format", "json")
	doc := decoded[struct {
		Findings []struct{ Rule, Result string }
	}](t, out)
	pass := 0
	for _, f := range doc.Findings {
		if strings.HasPrefix(f.Rule, "setting.") {
			assert.NotEqual(t, "fail", f.Result, f.Rule)
			if f.Result == "pass" {
				pass++
			}
		}
	}
	assert.Equal(t, 3, pass)
}

// Of a machine whose setup no tool changes, the words of setup are read, printed and, once chosen, as the profile wants them.
func TestPatchInTheWordsOfSetup(t *testing.T) {
	t.Parallel()
	args := []string{"profiles", "patch", "balanced", "--root", trees.Dir(t, "fujitsu-rx600s6-class1"), "--bios"}
	status, out, errs := run(nil, append(args, biosFile(t, "NUMA Optimization: Disabled\nInterleaving: None\nRedundancy: Sparing\n"))...)
	require.Equal(t, 0, status, errs)
	assert.Equal(t, "# node_interleave: NUMA Optimization, Disabled -> Enabled\nNUMA Optimization: Enabled\n# controller_interleave: Interleaving, None -> 2-way\nInterleaving: 2-way\n"+
		"# memory_ras_mode: Redundancy, Sparing -> Disabled\nRedundancy: Disabled\n", out)
	status, out, errs = run(nil, append(args, biosFile(t, out))...)
	require.Equal(t, 0, status, errs)
	assert.Empty(t, out)
	assert.Contains(t, errs, "0 to change, 3 as wanted")
}

// freeProfile is a site's own profile.
func freeProfile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "quiet.yaml"), []byte(`profiles:
  - id: site/quiet
    intent: [low-latency]
    title: our own
    for: {vendors: [HP]}
    citation: {vendor: Site, title: Decision 7}
    settings:
      turbo: {want: disabled, level: warning}
      c_states: {want: [disabled, c1], level: warning}
      smt: {want: enabled, level: info}
      node_interleave: {want: disabled, level: info}
`), 0o644))
	return dir
}

// What cannot be patched is reported, with its own status.
func TestPatchRefuses(t *testing.T) {
	t.Parallel()
	root, now := emptyTree(t), biosFile(t, u46Now)
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"hpe-gen10plus/low-latancy", "--bios", now}, 2, "nearest: hpe-gen10plus/low-latency"},
		{[]string{"dell-16g/performance", "--bios", now}, 2, "written for machines of Dell, and this one is of HPE"},
		{[]string{"low-latency", "--bios", now, "--for", "sum"}, 2, "expected one of redfish, ilorest"},
		{[]string{"low-latency", "--bios", now, "--for", "omreport"}, 2, "expected one of redfish, racadm, scp, ilorest, onecli, sum, conrep, syscfg"},
		{[]string{"hpe-gen11/low-latency", "--bios", now}, 3, "whether the profile hpe-gen11/low-latency is written for this machine is not known"},
		{[]string{"low-latency", "--bios", now + ".none"}, 3, "no such file"},
		{[]string{}, 2, "no argument, expected one profile"},
	} {
		status, out, errs := run(nil, append([]string{"profiles", "patch", "--root", root}, c.args...)...)
		assert.Equal(t, c.status, status, "%v: %s", c.args, errs)
		assert.Empty(t, out)
		assert.Contains(t, errs, c.says, c.args)
	}
	status, _, errs := run(nil, "profiles", "patch", "dell-11g/hpc", "--root", tree(t, "dell-r610-good"))
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "expected an export of them with --bios FILE or --redfish URL")
}
