package plan_test

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// dell13G is what a PowerEdge of the 13th generation states of its setup under
// Performance Per Watt (DAPC), and what it states under Performance, as Dell's
// attribute dependencies have both (knowledge: dell-system-profiles.md, "Written
// values, Intel", columns DAPC and PERF, rows of 13G).
var dell13G = map[string][2]string{
	"power_policy": {"firmware_dynamic", "max_performance"}, "memory_speed": {"max", "max"}, "turbo": {"enabled", "enabled"}, "c1e": {"enabled", "disabled"},
	"c_states": {"enabled", "disabled"}, "patrol_scrub": {"standard", "standard"}, "refresh_rate": {"x1", "x1"}, "monitor_mwait": {"enabled", "enabled"},
	"collaborative_power": {"disabled", "disabled"}, "uncore_frequency": {"dynamic", "maximum"}, "energy_perf_bias": {"balanced_performance", "max_performance"},
	"energy_efficient_turbo": {"enabled", "disabled"},
}

const (
	dapc = "PerfPerWattOptimizedDapc"
	perf = "PerfOptimized"
)

// r730 is such a machine, as an export of its settings shows it.
func r730() *inventory.System {
	cpu := fact.Evidence{Source: inventory.SourceCPU}
	sys := &inventory.System{Machine: inventory.Machine{Vendor: fact.Known("Dell Inc.", fact.Direct, cpu), Product: fact.Known("PowerEdge R730", fact.Direct, cpu)}, Settings: map[string]inventory.Setting{}}
	sys.Sockets = []inventory.Socket{{Handle: -1, Populated: fact.Known(true, fact.Direct, cpu), Vendor: fact.Known("GenuineIntel", fact.Direct, cpu),
		Brand: fact.Known("Intel(R) Xeon(R) CPU E5-2690 v3 @ 2.60GHz", fact.Direct, cpu), Family: fact.Known(6, fact.Direct, cpu), Model: fact.Known(63, fact.Direct, cpu)}}
	for id, values := range dell13G {
		export(sys, id, "", values[0])
	}
	export(sys, "workload_profile", "SysProfile", dapc)
	return sys
}

// export sets a value that an export states.
func export(sys *inventory.System, id, attribute, value string) {
	s := sys.Settings[id]
	s.Configured = fact.Known(value, fact.Direct, fact.Evidence{Source: inventory.SourceBIOS, Field: attribute, Raw: value})
	sys.Settings[id] = s
}

// builtinTables are read once for all tests, changed by none.
var builtinTables = sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) })

// presetOf audits the machine against a profile and asks for the one step.
func presetOf(t *testing.T, sys *inventory.System, o audit.Options) (*verdict.Audit, plan.Advice, bool) {
	t.Helper()
	packs, err := builtin()
	require.NoError(t, err)
	engine := audit.NewEngine(packs).WithTables(builtinTables)
	o.Now = time.Unix(0, 0)
	p := plan.Pipeline{Rules: fs.FS(rules.FS), Role: engine.Role, Derive: func(sys *inventory.System) *population.Result { return population.Derive(sys, rules.FS) },
		Audit: func(sys *inventory.System, topo *population.Result, only func(string) bool) (*verdict.Audit, error) {
			narrow := o
			narrow.Rules = only
			return engine.Run(sys, topo, narrow)
		}}
	topo := p.Derive(sys)
	found, err := p.Audit(sys, topo, nil)
	require.NoError(t, err)
	a, ok := plan.Preset(sys, found, engine.Preset(sys, topo, o), p)
	return found, a, ok
}

func failing(found []verdict.Ref) []string {
	var out []string
	for _, f := range found {
		if id, ok := strings.CutPrefix(f.Rule, "setting."); ok {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// One step instead of six: its promise equals an audit of a machine with the values that Dell's firmware writes.
func TestPresetOfDell(t *testing.T) {
	asked := audit.Options{Profile: "max-performance", Asked: true}
	_, a, ok := presetOf(t, r730(), asked)
	require.True(t, ok)
	assert.Equal(t, []string{"c1e", "c_states", "energy_efficient_turbo", "energy_perf_bias", "power_policy", "uncore_frequency"}, failing(a.Cures))
	require.Len(t, a.Steps, 1)
	step := a.Steps[0]
	assert.Equal(t, "racadm", step.Tool)
	assert.Equal(t, "racadm set BIOS.SysProfileSettings.SysProfile PerfOptimized; racadm jobqueue create BIOS.Setup.1-1; reboot", step.Command)
	assert.Equal(t, perf, step.Value)
	assert.Empty(t, failing(plan.Refs(a.Reaches.Findings)))

	then := r730()
	for id, values := range dell13G {
		export(then, id, "", values[1])
	}
	export(then, "workload_profile", "SysProfile", perf)
	found, _, again := presetOf(t, then, asked)
	assert.False(t, again, "nothing is left to do")
	for _, f := range found.Findings {
		if a.CuresFinding(f.Rule, f.Subject) {
			assert.EqualValues(t, "pass", f.Result, f.Rule)
		}
	}
}

// TestPresetUnproven checks that nothing uncertain is advised.
func TestPresetUnproven(t *testing.T) {
	asked := audit.Options{Profile: "max-performance", Asked: true}
	for name, c := range map[string]struct {
		options audit.Options
		change  func(*inventory.System)
	}{
		"nobody asked for the profile":    {audit.Options{Profile: "max-performance"}, func(*inventory.System) {}},
		"the present preset is not known": {asked, func(s *inventory.System) { delete(s.Settings, "workload_profile") }},
		"the preset may be another machine's": {asked, func(s *inventory.System) {
			w := s.Settings["workload_profile"]
			w.Configured.Certainty = fact.Indirect
			s.Settings["workload_profile"] = w
		}},
		"the preset waits for the next boot": {asked, func(s *inventory.System) {
			w := s.Settings["workload_profile"]
			w.Pending = fact.Known(perf, fact.Direct, fact.Evidence{})
			s.Settings["workload_profile"] = w
		}},
		"the document covers other machines": {asked, func(s *inventory.System) {
			s.Machine.Product = fact.Known("PowerEdge FX99", fact.Direct, fact.Evidence{})
		}},
		"one row shows in the running system alone": {asked, func(s *inventory.System) {
			at := fact.Evidence{Source: inventory.SourceCPUFreq}
			s.Settings["c1e"] = inventory.Setting{Configured: fact.Unknown[string](fact.Unread, "an excerpt", ""), Effective: fact.Known("enabled", fact.Direct, at), DecidedBy: fact.Known(inventory.DecidedFirmware, fact.Direct, at)}
		}},
		"one row fails and no more": {asked, func(s *inventory.System) {
			for id, values := range dell13G {
				export(s, id, "", values[1])
			}
			export(s, "turbo", "", "disabled")
		}},
	} {
		sys := r730()
		c.change(sys)
		_, _, ok := presetOf(t, sys, c.options)
		assert.False(t, ok, name)
	}
}

// TestPresetOnLayout checks that rules about the memory's appearance are promised neither way if a preset changes it,
// because only the next boot shows it.
func TestPresetOnLayout(t *testing.T) {
	sys := r730()
	sys.Settings["sub_numa"] = inventory.Setting{}
	export(sys, "sub_numa", "", "cod")
	step := &verdict.PresetStep{Setting: "workload_profile", Preset: perf, Writes: map[string]string{"sub_numa": "off"}, Silent: []string{"c1e"}}
	after := plan.ApplyPreset(sys, step)
	assert.Equal(t, "off", after.Settings["sub_numa"].Configured.Value)
	assert.False(t, after.Settings["c1e"].Configured.Known(), "the document does not say")
	assert.Equal(t, "cod", sys.Settings["sub_numa"].Configured.Value, "the machine itself stays")
	assert.Equal(t, slices.Sorted(maps.Keys(sys.Settings)), slices.Sorted(maps.Keys(after.Settings)))
}
