package audit_test

import (
	"encoding/csv"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// builtinPacks are read once for all tests, changed by none.
var builtinPacks = audit.LoadedPacks

// builtinEngine is created once: its expressions are planned once for all tests, which do not run in parallel.
var builtinEngine = sync.OnceValues(func() (*audit.Engine, error) {
	packs, err := builtinPacks()
	return audit.NewEngine(packs), err
})

// builtin is an engine of the embedded packs.
func builtin(t *testing.T) *audit.Engine {
	t.Helper()
	e, err := builtinEngine()
	require.NoError(t, err)
	return e
}

// cell is one cell of Table 6 in canonical words.
type cell struct{ profile, setting, want, opposite string }

// table6 reads the 32 cells of the paper's table.
func table6(t *testing.T) []cell {
	t.Helper()
	f, err := os.Open("testdata/dell-table6.csv")
	require.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	profiles := map[string]string{"Energy Efficiency": "dell-11g/energy-efficiency", "Max Performance": "dell-11g/max-performance",
		"Balanced": "dell-11g/balanced", "Min. Latency": "dell-11g/low-latency"}
	words := map[string][2]string{"Enabled": {"enabled", "disabled"}, "Disabled": {"disabled", "enabled"},
		"APC": {"firmware_dynamic", "max_performance"}, "Max Performance": {"max_performance", "os_control"}}
	var out []cell
	for _, row := range rows[1:] {
		for i, column := range rows[0][2:] {
			w, ok := words[row[i+2]]
			require.True(t, ok, row[i+2])
			require.NotEmpty(t, profiles[column], column)
			out = append(out, cell{profiles[column], row[0], w[0], w[1]})
		}
	}
	return out
}

// r610 is a Dell 11G machine whose processor has SMT and Turbo.
func r610(id string) (*inventory.System, *population.Result) {
	sys, topo := twoSockets()
	sys.Machine.Vendor, sys.Machine.Product = direct("Dell Inc."), direct("PowerEdge R610")
	for i := range topo.Processors {
		topo.Processors[i] = &platform.Processor{Number: "X5670", SMT: "yes", Turbo: "yes", Channels: 3, MaxMTs: 1333}
	}
	platformOf(topo, platform.Platform{ID: id, NUMA: true})
	return sys, topo
}

// TestDellTable6 checks every cell of the table against the profiles: the recommended value passes, the opposite
// fails, a missing one is unknown, for the configured as for the effective value.
func TestDellTable6(t *testing.T) {
	e := builtin(t)
	cells := table6(t)
	require.Len(t, cells, 32)
	judge := func(c cell, s inventory.Setting) verdict.Finding {
		sys, topo := r610("westmere-ep")
		sys.Settings[c.setting] = s
		a := run(t, e, sys, topo, audit.Options{Profile: c.profile, Asked: true})
		require.NotNil(t, a.Profile, a.ProfileWhy)
		got := findings(a, "setting."+c.setting)
		require.Len(t, got, 1)
		return got["setting "+c.setting]
	}
	for _, c := range cells {
		t.Run(c.profile+" "+c.setting, func(t *testing.T) {
			good := judge(c, inventory.Setting{Configured: direct(c.want)})
			assert.Equal(t, verdict.Pass, good.Result, good.Reason)
			assert.EqualValues(t, c.want+" (configured)", good.Found)
			assert.Contains(t, good.Citation.Place, "Table 6")
			bad := judge(c, inventory.Setting{Configured: direct(c.opposite)})
			assert.Equal(t, verdict.Fail, bad.Result)
			assert.EqualValues(t, c.want, bad.Expected)
			assert.NotEmpty(t, bad.Remedy)
			assert.Equal(t, verdict.Pass, judge(c, inventory.Setting{Effective: direct(c.want)}).Result)
			assert.Equal(t, verdict.Fail, judge(c, inventory.Setting{Effective: direct(c.opposite), DecidedBy: direct(inventory.DecidedFirmware)}).Result)
			assert.Equal(t, verdict.Fail, judge(c, inventory.Setting{Effective: direct(c.opposite), DecidedBy: direct(inventory.DecidedAdministrator)}).Result)
			none := judge(c, inventory.Setting{})
			assert.Equal(t, verdict.Unknown, none.Result)
			assert.NotEmpty(t, none.Reason)
		})
	}
}

func profiles(t *testing.T) map[string]rulepack.ProfileSpec {
	t.Helper()
	out := map[string]rulepack.ProfileSpec{}
	for _, p := range builtin(t).Profiles() {
		out[p.ID] = *p
	}
	return out
}

// TestDellTable6Exceptions finds each of the paper's twelve exceptions and six
// inconsistencies (the marks of the profile file) in the row it qualifies.
func TestDellTable6Exceptions(t *testing.T) {
	tests := []struct{ mark, profile, setting, want string }{
		{"D-X1", "balanced", "node_interleave", "more memory than one processor holds"},
		{"D-X2", "balanced", "node_interleave", "poor locality because of thread placement"},
		{"D-X3", "balanced", "node_interleave", "not NUMA-aware"},
		{"D-X4", "balanced", "smt", "enable or disable it as necessary"},
		{"D-X5", "max-performance", "c_states", "lowest network and memory latency"},
		{"D-X6", "max-performance", "turbo", "performance per watt"},
		{"D-X7", "max-performance", "turbo", "engages more often"},
		{"D-X8", "max-performance", "turbo", "cpuspeed"},
		{"D-X9", "max-performance", "turbo", "processor.turbo_capable"},
		{"D-X10", "balanced", "dcu_stream_prefetch", "Xeon 5600"},
		{"D-X10", "balanced", "data_reuse", "Xeon 5600"},
		{"D-X11", "energy-efficiency", "power_policy", "idle cluster"},
		{"D-X12", "max-performance", "power_policy", "bound by communication"},
		{"D-I1", "balanced", "smt", "BIOS default is Enabled"},
		{"D-I2", "balanced", "turbo", "energy text"},
		{"D-I3", "energy-efficiency", "data_reuse", "no difference in power"},
		{"D-I4", "balanced", "power_policy", "Figures 4 and 12"},
		{"D-I5", "energy-efficiency", "turbo", "extra power with Turbo"},
		{"D-I6", "max-performance", "power_policy", "Static Max Performance"},
	}
	all := profiles(t)
	for _, c := range tests {
		found := false
		for _, w := range all["dell-11g/"+c.profile].Settings {
			if w.ID != c.setting {
				continue
			}
			text := strings.Join(append(w.Exceptions, w.Note, w.Concerns, w.Applies), "\n")
			if w.Effect != nil {
				text += w.Effect.Text + w.Effect.Place
			}
			found = strings.Contains(text, c.want)
		}
		assert.True(t, found, "%s is not in %s %s", c.mark, c.profile, c.setting)
	}
}

// TestProfileOnOtherMachines checks that other machines get no advice from this table, with the reason.
func TestProfileOnOtherMachines(t *testing.T) {
	e := builtin(t)
	for name, change := range map[string]func(*inventory.System, *population.Result){
		"another vendor": func(s *inventory.System, _ *population.Result) { s.Machine.Vendor = direct("HP") },
		"no PowerEdge": func(s *inventory.System, _ *population.Result) {
			s.Machine.Product = direct("Precision WorkStation T7500")
		},
		"another platform": func(_ *inventory.System, r *population.Result) { platformOf(r, platform.Platform{ID: "naples"}) },
		"platform unknown": func(_ *inventory.System, r *population.Result) { r.Platform = fact.Fact[*platform.Platform]{} },
		"vendor unknown":   func(s *inventory.System, _ *population.Result) { s.Machine.Vendor = fact.Fact[string]{} },
	} {
		t.Run(name, func(t *testing.T) {
			sys, topo := r610("westmere-ep")
			sys.Settings["turbo"] = inventory.Setting{Configured: direct("disabled")}
			change(sys, topo)
			for _, wanted := range []string{"balanced", "dell-11g/balanced"} {
				a := run(t, e, sys, topo, audit.Options{Profile: wanted, Asked: true})
				assert.Nil(t, a.Profile)
				assert.NotEmpty(t, a.ProfileWhy)
				for _, f := range a.Findings {
					if strings.HasPrefix(f.Rule, "setting.") {
						assert.Equal(t, verdict.NotApplicable, f.Result, f.Rule)
						assert.EqualValues(t, a.ProfileWhy, f.Reason)
					}
				}
			}
		})
	}
	_, err := e.Run(&inventory.System{}, &population.Result{}, audit.Options{Profile: "fastest", Asked: true})
	var unknown *audit.UnknownProfileError
	require.ErrorAs(t, err, &unknown)
	assert.Len(t, unknown.Nearest, 3)
}

// TestDellNodeInterleaving checks that the paper's figure and exceptions apply to its machines, and the general rule
// to others.
func TestDellNodeInterleaving(t *testing.T) {
	sys, topo := r610("nehalem-ep")
	sys.Settings["node_interleave"] = inventory.Setting{Effective: direct("enabled")}
	f := findings(run(t, builtin(t), sys, topo, audit.Options{}), "numa.node-interleaving")["machine"]
	assert.Equal(t, verdict.Fail, f.Result)
	assert.Equal(t, verdict.Warning, f.Severity)
	require.NotNil(t, f.Effect)
	assert.Contains(t, f.Effect.Text, "hurt 4 of 9 by 4 to 13 %")
	assert.Contains(t, f.Why, "larger than one processor's memory")
	assert.Contains(t, f.Why, "poor locality")
	assert.Contains(t, f.Why, "not NUMA-aware")
	sys.Machine.Vendor = direct("HP")
	f = findings(run(t, builtin(t), sys, topo, audit.Options{}), "numa.node-interleaving")["machine"]
	assert.Equal(t, verdict.Fail, f.Result)
	assert.Nil(t, f.Effect)
}
