package plan_test

import (
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

// dell13G is what a PowerEdge of the 13th generation states of its setup under Performance Per Watt (DAPC), and what it states
// under Performance, as Dell's attribute dependencies have both (knowledge: dell-system-profiles.md, "Written values, Intel",
// columns DAPC and PERF, rows of 13G).
var dell13G = map[string][2]string{
	"power_policy": {"firmware_dynamic", "max_performance"}, "memory_speed": {"max", "max"}, "turbo": {"enabled", "enabled"}, "c1e": {"enabled", "disabled"},
	"c_states": {"enabled", "disabled"}, "patrol_scrub": {"standard", "standard"}, "refresh_rate": {"x1", "x1"}, "monitor_mwait": {"enabled", "enabled"},
	"collaborative_power": {"disabled", "disabled"}, "uncore_frequency": {"dynamic", "maximum"}, "energy_perf_bias": {"balanced_performance", "max_performance"},
	"energy_efficient_turbo": {"enabled", "disabled"}, "workload_profile": {"PerfPerWattOptimizedDapc", "PerfOptimized"},
}

const perf = "PerfOptimized"

// r730 is such a machine, as an export of its settings shows it under one of the two.
func r730(column int) *inventory.System {
	cpu := fact.Evidence{Source: inventory.SourceCPU}
	sys := &inventory.System{Machine: inventory.Machine{Vendor: fact.Known("Dell Inc.", fact.Direct, cpu), Product: fact.Known("PowerEdge R730", fact.Direct, cpu)}, Settings: map[string]inventory.Setting{}}
	sys.Sockets = []inventory.Socket{{Handle: -1, Populated: fact.Known(true, fact.Direct, cpu), Vendor: fact.Known("GenuineIntel", fact.Direct, cpu),
		Brand: fact.Known("Intel(R) Xeon(R) CPU E5-2690 v3 @ 2.60GHz", fact.Direct, cpu), Family: fact.Known(6, fact.Direct, cpu), Model: fact.Known(63, fact.Direct, cpu)}}
	for id, values := range dell13G {
		export(sys, id, values[column])
	}
	return sys
}

// export sets a value that an export states.
func export(sys *inventory.System, id, value string) {
	field := ""
	if id == "workload_profile" {
		field = "SysProfile"
	}
	sys.Settings[id] = inventory.Setting{Configured: fact.Known(value, fact.Direct, fact.Evidence{Source: inventory.SourceBIOS, Field: field, Raw: value})}
}

// builtinTables are read once for all tests, changed by none.
var builtinTables = sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) })

// presetOf audits the machine against a profile and asks for the one step.
func presetOf(t *testing.T, sys *inventory.System, o audit.Options) (*verdict.Audit, plan.Advice, bool) {
	t.Helper()
	read, err := packs()
	require.NoError(t, err)
	engine := audit.NewEngine(read).WithTables(builtinTables)
	o.Now = time.Unix(0, 0)
	p := plan.Pipeline{Rules: rules.FS, Role: engine.RoleOfRule, Derive: func(sys *inventory.System) *population.Result { return population.Derive(sys, rules.FS) },
		Audit: func(sys *inventory.System, topo *population.Result, only func(string) bool) (*verdict.Audit, error) {
			narrow := o
			narrow.Rules = only
			return engine.Run(sys, topo, narrow)
		}}
	topo, found := p.Derive(sys), audited(t, sys, p)
	a, ok := plan.ProvePreset(sys, found, engine.FindPresetStep(sys, topo, o), p)
	return found, a, ok
}

// TestPreset checks that one step replaces six, and that its promise equals an audit of a machine with the values that Dell's
// firmware writes.
func TestPreset(t *testing.T) {
	asked := audit.Options{Profile: "max-performance", Asked: true}
	_, a, ok := presetOf(t, r730(0), asked)
	require.True(t, ok)
	var cures []string
	for _, f := range a.Cures {
		cures = append(cures, strings.TrimPrefix(f.Rule, "setting."))
	}
	slices.Sort(cures)
	assert.Equal(t, []string{"c1e", "c_states", "energy_efficient_turbo", "energy_perf_bias", "power_policy", "uncore_frequency"}, cures)
	assert.Equal(t, []plan.Step{{Do: plan.Set, Setting: "workload_profile", Value: perf, Tool: "racadm", Menu: a.Steps[0].Menu, FromSlot: -1, ToSlot: -1, LikeSlot: -1,
		Command: "racadm set BIOS.SysProfileSettings.SysProfile PerfOptimized; racadm jobqueue create BIOS.Setup.1-1; reboot"}}, a.Steps)
	found, _, again := presetOf(t, r730(1), asked)
	assert.False(t, again, "nothing is left to do")
	for _, f := range found.Findings {
		if a.CuresFinding(f.Rule, f.Subject) {
			assert.EqualValues(t, "pass", f.Result, f.Rule)
		}
	}
	for _, f := range a.Reaches.Findings {
		assert.False(t, strings.HasPrefix(f.Rule, "setting."), f.Rule)
	}
}

// TestPresetUnproven checks that nothing uncertain is advised.
func TestPresetUnproven(t *testing.T) {
	asked := audit.Options{Profile: "max-performance", Asked: true}
	preset := func(change func(*inventory.Setting)) func(*inventory.System) {
		return func(sys *inventory.System) {
			s := sys.Settings["workload_profile"]
			change(&s)
			sys.Settings["workload_profile"] = s
		}
	}
	for name, c := range map[string]struct {
		options audit.Options
		change  func(*inventory.System)
	}{
		"nobody asked for the profile":        {audit.Options{Profile: "max-performance"}, func(*inventory.System) {}},
		"the present preset is not known":     {asked, func(s *inventory.System) { delete(s.Settings, "workload_profile") }},
		"the preset may be another machine's": {asked, preset(func(s *inventory.Setting) { s.Configured.Certainty = fact.Indirect })},
		"the preset waits for the next boot":  {asked, preset(func(s *inventory.Setting) { s.Pending = fact.Known(perf, fact.Direct, fact.Evidence{}) })},
		"the document covers other machines":  {asked, func(s *inventory.System) { s.Machine.Product.Value = "PowerEdge FX99" }},
		"one row shows in the running system alone": {asked, func(s *inventory.System) {
			at := fact.Evidence{Source: inventory.SourceCPUFreq}
			s.Settings["c1e"] = inventory.Setting{Configured: fact.Unknown[string](fact.Unread, "an excerpt", ""), Effective: fact.Known("enabled", fact.Direct, at), DecidedBy: fact.Known(inventory.DecidedFirmware, fact.Direct, at)}
		}},
		"one row fails and no more": {asked, func(s *inventory.System) {
			*s = *r730(1)
			export(s, "workload_profile", dell13G["workload_profile"][0])
			export(s, "turbo", "disabled")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sys := r730(0)
			c.change(sys)
			_, _, ok := presetOf(t, sys, c.options)
			assert.False(t, ok)
		})
	}
}

// TestApplyPreset checks that a setting that the document leaves open is unknown after the step, and the machine itself stays.
func TestApplyPreset(t *testing.T) {
	sys := r730(0)
	export(sys, "sub_numa", "cod")
	after := plan.ApplyPreset(sys, &verdict.PresetStep{Setting: "workload_profile", Preset: perf, Writes: map[string]string{"sub_numa": "off", "numa_group": "flat"}, Silent: []string{"c1e"}})
	assert.Equal(t, []string{"off", perf, "cod"}, []string{after.Settings["sub_numa"].Configured.Value, after.Settings["workload_profile"].Configured.Value, sys.Settings["sub_numa"].Configured.Value})
	assert.False(t, after.Settings["c1e"].Configured.Known())
	assert.NotContains(t, after.Settings, "numa_group")
}
