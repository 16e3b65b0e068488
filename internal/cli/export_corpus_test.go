//go:build corpus

package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// wishes are profiles that recommend, for every setting that a kernel can show, a value that a tree does not have:
// one of the first two fails each. The others recommend the same for BIOS setup, as a document about it does.
func wishes(t *testing.T) (folder string, names []string) {
	t.Helper()
	on := map[string]string{"hwp": "native", "sub_numa": "nps4", "energy_perf_bias": "max_performance", "package_c_state": "c6r", "memory_ras_mode": "mirror_full",
		"power_policy": "os_control", "memory_speed": "1066", "uncore_frequency": "maximum"}
	off := map[string]string{"sub_numa": `"off"`, "energy_perf_bias": "power_saving", "package_c_state": "c0c1", "memory_ras_mode": "independent",
		"power_policy": "max_performance", "memory_speed": "max", "uncore_frequency": "minimum"}
	for _, id := range []string{"turbo", "c_states", "c1e", "smt", "node_interleave", "virtualization", "iommu", "x2apic", "monitor_mwait", "p_states", "l3_as_numa"} {
		on[id], off[id] = "enabled", "disabled"
	}
	off["hwp"] = "disabled"
	var pack strings.Builder
	pack.WriteString("profiles:\n")
	for _, face := range []string{"", "configured"} {
		for name, want := range map[string]map[string]string{"on": on, "off": off} {
			names = append(names, "site/"+name+face)
			fmt.Fprintf(&pack, "  - id: site/%s%s\n    intent: [hpc]\n    title: a wish\n    citation: {vendor: Site, title: Table}\n", name, face)
			if face != "" {
				fmt.Fprintf(&pack, "    face: %s\n", face)
			}
			pack.WriteString("    settings:\n")
			for _, id := range slices.Sorted(maps.Keys(want)) {
				fmt.Fprintf(&pack, "      %s: {want: %s, level: warning}\n", id, want[id])
			}
		}
	}
	folder = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "wish.yaml"), []byte(pack.String()), 0o600))
	slices.Sort(names)
	return folder, names
}

// exportBench judges machines with and without an export.
type exportBench struct {
	tables settings.Tables
	engine *audit.Engine
}

func newExportBench(t *testing.T, folder string) *exportBench {
	t.Helper()
	tables, err := settings.LoadCompiled(rules.FS)
	require.NoError(t, err)
	pack, faults := rulepack.ParsePack("wish.yaml", []byte(readFile(t, filepath.Join(folder, "wish.yaml"))))
	require.Empty(t, faults)
	return &exportBench{tables, audit.NewEngine([]*rulepack.Pack{pack}).WithTables(func() (settings.Tables, error) { return tables, nil })}
}

// judged are the findings of each profile on a machine, with an export if one is named, and whether that is treated
// as another machine's.
func (b *exportBench) judged(t *testing.T, root *host.Root, profiles []string, file string) (byProfile map[string]map[string]verdict.Finding, foreign bool) {
	t.Helper()
	in := collect.Input{Root: root, Tables: func() (settings.Tables, error) { return b.tables, nil }}
	if file != "" {
		e, err := bios.Decode(file, []byte(readFile(t, file)))
		require.NoError(t, err, file)
		in.Exports = []collect.Export{{Source: inventory.SourceBIOS, Path: file, Export: e}}
	}
	sys, joined := collect.WithExports(in)
	topo := population.Derive(sys, rules.FS)
	byProfile = map[string]map[string]verdict.Finding{}
	for _, profile := range profiles {
		result, err := b.engine.Run(sys, topo, audit.Options{Profile: profile, Asked: true})
		require.NoError(t, err)
		byProfile[profile] = map[string]verdict.Finding{}
		for _, f := range result.Findings {
			if strings.HasPrefix(f.Rule, "setting.") {
				byProfile[profile][f.Rule] = f
			}
		}
	}
	return byProfile, slices.ContainsFunc(joined, func(j *collect.Export) bool { return j.Foreign })
}

// exportFiles are the exports of the corpus.
func exportFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, folder := range []string{"redfish", "bios-cli"} {
		found, err := filepath.Glob(filepath.Join(corpustest.Shared(t, "corpus"), folder, "*.*"))
		require.NoError(t, err)
		files = append(files, slices.DeleteFunc(found, func(f string) bool { return filepath.Ext(f) == ".md" })...)
	}
	require.Len(t, files, 49)
	return files
}

// TestExportHidesNothing audits every export of the corpus with every synthetic machine: a failure that the kernel
// shows still fails, unless BIOS setup proves the recommended value.
func TestExportHidesNothing(t *testing.T) {
	folder, profiles := wishes(t)
	bench, files := newExportBench(t, folder), exportFiles(t)
	asked, proven, showing := 0, 0, 0
	for _, m := range machinetest.All() {
		root, err := host.OpenDir(tree(t, m.Name))
		require.NoError(t, err)
		alone, _ := bench.judged(t, root, profiles, "")
		shows := false
		for _, file := range files {
			beside, foreign := bench.judged(t, root, profiles, file)
			for profile, findings := range alone {
				for rule, f := range findings {
					if f.Result != verdict.Fail {
						continue
					}
					shows = true
					asked++
					now := beside[profile][rule]
					byBIOS := now.Result == verdict.Pass && strings.Contains(string(now.Found), "(configured") && !foreign
					if byBIOS {
						proven++
					}
					assert.True(t, now.Result == verdict.Fail || byBIOS, "%s %s %s with %s: %s, %s%s", m.Name, profile, rule, filepath.Base(file), now.Result, now.Found, now.Reason)
				}
			}
		}
		if shows {
			showing++
		}
	}
	assert.Greater(t, asked, 10000)
	t.Logf("%d failures of %d machines checked against %d exports; BIOS setup proves %d as wanted", asked, showing, len(files), proven)
}
