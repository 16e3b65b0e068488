//go:build corpus

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/report"
)

// wishPack wants of every setting that a kernel can show what a tree does not
// have: one of the two profiles fails each.
const wishPack = `
profiles:
  - id: site/on
    intent: [hpc]
    title: everything on
    citation: {vendor: Site, title: Table}
    settings: {turbo: {want: enabled, level: warning}, c_states: {want: enabled, level: warning}, c1e: {want: enabled, level: warning}, smt: {want: enabled, level: warning}, node_interleave: {want: enabled, level: warning}, sub_numa: {want: nps4, level: warning}, virtualization: {want: enabled, level: warning},
      iommu: {want: enabled, level: warning}, x2apic: {want: enabled, level: warning}, monitor_mwait: {want: enabled, level: warning}, p_states: {want: enabled, level: warning}, hwp: {want: native, level: warning}, energy_perf_bias: {want: max_performance, level: warning}, package_c_state: {want: c6r, level: warning}, memory_ras_mode: {want: mirror_full, level: warning}}
  - id: site/off
    intent: [hpc]
    title: everything off
    citation: {vendor: Site, title: Table}
    settings: {turbo: {want: disabled, level: warning}, c_states: {want: disabled, level: warning}, c1e: {want: disabled, level: warning}, smt: {want: disabled, level: warning}, node_interleave: {want: disabled, level: warning}, sub_numa: {want: "off", level: warning}, virtualization: {want: disabled, level: warning},
      iommu: {want: disabled, level: warning}, x2apic: {want: disabled, level: warning}, monitor_mwait: {want: disabled, level: warning}, p_states: {want: disabled, level: warning}, hwp: {want: disabled, level: warning}, energy_perf_bias: {want: power_saving, level: warning}, package_c_state: {want: c0c1, level: warning}, memory_ras_mode: {want: independent, level: warning}}
`

// exportResults are a report's findings about settings.
func exportResults(t *testing.T, args ...string) map[string]report.Finding {
	t.Helper()
	_, out, errs := run(nil, append([]string{"check", "--format", "json", "--fail-on", "never"}, args...)...)
	require.NotEmpty(t, out, errs)
	var r report.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	found := map[string]report.Finding{}
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Rule, "setting.") {
			found[f.Rule] = f
		}
	}
	return found
}

// TestExportHidesNothing hands every export of the corpus over beside every
// tree: what the kernel shows to fail fails still, or BIOS setup proves that it
// is as wanted.
func TestExportHidesNothing(t *testing.T) {
	rules := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(rules, "wish.yaml"), []byte(wishPack), 0o600))
	var files []string
	for _, folder := range []string{"redfish", "bios-cli"} {
		found, err := filepath.Glob(filepath.Join(corpustest.Shared(t, "corpus"), folder, "*.*"))
		require.NoError(t, err)
		for _, f := range found {
			if filepath.Ext(f) != ".md" {
				files = append(files, f)
			}
		}
	}
	asked := 0
	for _, name := range []string{"dell-r610-unbalanced", "supermicro-rome-half"} {
		for _, profile := range []string{"site/on", "site/off"} {
			args := []string{"--root", tree(t, name), "--rules", rules, "--profile", profile}
			alone := exportResults(t, args...)
			for _, file := range files {
				beside := exportResults(t, append(args, "--bios", file)...)
				for rule, f := range alone {
					if f.Result != "fail" {
						continue
					}
					asked++
					b := beside[rule]
					proven := b.Result == "pass" && strings.Contains(report.OrEmpty(b.Found), "(configured")
					assert.True(t, b.Result == "fail" || b.Result == "waived" || proven, "%s %s %s with %s: %s, %s%s", name, profile, rule,
						filepath.Base(file), b.Result, report.OrEmpty(b.Found), report.OrEmpty(b.Reason))
				}
			}
		}
	}
	assert.Greater(t, asked, 500)
	t.Logf("%d failures held against %d exports", asked, len(files))
}
