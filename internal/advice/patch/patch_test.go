package patch_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/patch"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/rules"
)

// tables are the vendors' attributes, read once for all tests.
var tables = sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) })

// source decodes an export, with its registry when one is given.
func source(t *testing.T, files ...string) *bios.Export {
	t.Helper()
	in := collect.Input{Tables: tables}
	for _, f := range files {
		e, err := bios.Decode("file", []byte(f))
		require.NoError(t, err)
		in.Exports = append(in.Exports, collect.Export{Source: inventory.SourceBIOS, Path: "file", Export: e})
	}
	_, joined := collect.WithExports(in)
	require.NotEmpty(t, joined)
	j := joined[0]
	require.NotNil(t, j.Export.Table)
	return j.Export
}

// values are the attributes that a change sets, in its order.
func values(p *patch.Patch) []string {
	out := []string{}
	for _, c := range p.Changes {
		out = append(out, c.Attribute.Name+"="+c.To)
	}
	return out
}

func text(t *testing.T, p *patch.Patch, f patch.Form) string {
	t.Helper()
	var b strings.Builder
	p.Fit(f)
	require.NoError(t, p.Write(&b, f))
	return b.String()
}

func open(p *patch.Patch) map[string]string {
	out := map[string]string{}
	for _, n := range p.Open {
		out[n.Setting] = n.Reason
	}
	return out
}

const dellNow = `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Attributes": {"SysProfile": "PerfPerWattOptimizedDapc",
 "ProcPwrPerf": "SysDbpm", "ProcTurboMode": "Enabled", "ProcC1E": "Enabled", "ProcCStates": "Enabled", "MonitorMwait": "Enabled", "LogicalProc": "Enabled",
 "NodeInterleave": "Disabled", "SubNumaCluster": "Disabled"}}`

// The preset comes first and frees what it governs; what it does not govern
// needs no more (OpenManage Server Administrator, System Profile Settings).
func TestMasterComesFirst(t *testing.T) {
	p := patch.Make(source(t, dellNow), patch.Goal{Wants: []patch.Want{{"c_states", []string{"disabled", "c1"}}, {"smt", []string{"disabled"}}, {"turbo", []string{"enabled"}}}})
	assert.Equal(t, []string{"SysProfile=Custom", "ProcCStates=Disabled", "LogicalProc=Disabled"}, values(p))
	assert.Equal(t, []string{"turbo"}, p.Met)
	p = patch.Make(source(t, dellNow), patch.Goal{Wants: []patch.Want{{"smt", []string{"disabled"}}}})
	assert.Equal(t, []string{"LogicalProc=Disabled"}, values(p), "no preset if nothing is locked")
}

// A preset that decides the prefetchers is changed to unlock one of them, and then the others need their own values
// too.
func TestLeavingAPresetThatMeans(t *testing.T) {
	now := `{"AttributeRegistry": "CiscoBiosAttributeRegistry.v1_0_0", "Attributes": {"CPUPerformance": "Enterprise", "HardwarePrefetch": "Disabled", "AdjacentCacheLinePrefetch": "Enabled", "IntelHyperThread": "Enabled"}}`
	registry := `{"Id": "CiscoBiosAttributeRegistry.v1_0_0", "RegistryEntries": {"Attributes": [{"AttributeName": "CPUPerformance", "Value": [{"ValueName": "Enterprise"}, {"ValueName": "Custom"}]},
 {"AttributeName": "AdjacentCacheLinePrefetch", "Value": [{"ValueName": "Enabled"}, {"ValueName": "Disabled"}]}, {"AttributeName": "HardwarePrefetch", "Value": [{"ValueName": "Enabled"}, {"ValueName": "Disabled"}]}]}}`
	goal := patch.Goal{Wants: []patch.Want{{"hw_prefetch", []string{"enabled"}}, {"adjacent_prefetch", []string{"disabled"}}}}
	p := patch.Make(source(t, now, registry), goal)
	assert.Equal(t, []string{"CPUPerformance=Custom", "AdjacentCacheLinePrefetch=Disabled", "HardwarePrefetch=Enabled"}, values(p))
	assert.Empty(t, p.Met)
	p = patch.Make(source(t, now), goal)
	assert.Empty(t, p.Changes, "no Cisco export on record spells Custom")
	assert.Len(t, p.Open, 2)
	own := strings.NewReplacer(`"HardwarePrefetch": "Disabled"`, `"HardwarePrefetch": "Enabled"`, `"AdjacentCacheLinePrefetch": "Enabled"`, `"AdjacentCacheLinePrefetch": "Disabled"`).Replace(now)
	p = patch.Make(source(t, own, registry), goal)
	assert.Equal(t, []string{"CPUPerformance=Custom"}, values(p), "the preset makes of it what is not wanted, and the own values are as wanted")
	assert.Equal(t, []string{"hw_prefetch", "adjacent_prefetch"}, p.Met)
	assert.Empty(t, p.SideEffects)
	p = patch.Make(source(t, own), goal)
	assert.Empty(t, p.Changes)
	assert.Equal(t, map[string]string{"workload_profile": "no export or registry on record shows that CPUPerformance is spelled Custom",
		"adjacent_prefetch": "CPUPerformance = Enterprise makes enabled of it"}, open(p))
}

// One attribute may serve two rows and alter a third setting outside the profile; it is changed once.
func TestOneAttributeForSeveral(t *testing.T) {
	now := `{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "BiosAttributeRegistryU46.v1_2_34", "Attributes": {"WorkloadProfile": "Custom", "MinProcIdlePower": "C6", "EnergyPerfBias": "MaxPerf", "ProcTurbo": "Enabled"}}`
	states := patch.Want{ID: "c_states", Words: []string{"disabled"}}
	p := patch.Make(source(t, now), patch.Goal{Wants: []patch.Want{states, {"c1e", []string{"disabled"}}}})
	assert.Equal(t, []string{"MinProcIdlePower=NoCStates"}, values(p))
	assert.Equal(t, []string{"c1e"}, p.Changes[0].Also)
	assert.Empty(t, p.SideEffects)
	p = patch.Make(source(t, now), patch.Goal{Wants: []patch.Want{states}})
	assert.Equal(t, []patch.Note{{Setting: "c1e", Reason: "MinProcIdlePower = NoCStates decides it too: from enabled to disabled"}}, p.SideEffects)
	p = patch.Make(source(t, now), patch.Goal{Wants: []patch.Want{states, {"c1e", []string{"enabled"}}}})
	assert.Empty(t, p.Changes)
	assert.Contains(t, open(p)["c_states"], "MinProcIdlePower also decides c1e")
}

// AMD's preset is set to Disabled in addition to HPE's before what it governs (HPE's registry A42: its options are
// read-only while it is set), and never gets the name of a workload profile.
func TestSecondPreset(t *testing.T) {
	now := `{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "BiosAttributeRegistryA42.v1_3_72", "Attributes": {"WorkloadProfile": "Custom", "AMDPerformanceWorkloadProfile": "NICLatencySensitive", "ProcSMT": "Enabled", "Sriov": "Disabled"}}`
	smt := patch.Want{ID: "smt", Words: []string{"disabled"}}
	p := patch.Make(source(t, now), patch.Goal{Wants: []patch.Want{smt}})
	assert.Equal(t, []string{"AMDPerformanceWorkloadProfile=Disabled", "ProcSMT=Disabled"}, values(p))
	p = patch.Make(source(t, strings.Replace(now, "Custom", "LowLatency", 1)), patch.Goal{Wants: []patch.Want{smt}})
	assert.Empty(t, p.Changes, "no machine is so: every other WorkloadProfile sets AMD's to Disabled")
	assert.Equal(t, map[string]string{"amd_workload_profile": "AMDPerformanceWorkloadProfile cannot be changed under WorkloadProfile = LowLatency",
		"smt": "ProcSMT cannot be changed under AMDPerformanceWorkloadProfile = NICLatencySensitive"}, open(p))
	p = patch.Make(source(t, now), patch.Goal{Wants: []patch.Want{{"amd_workload_profile", []string{"Disabled"}}, {"sriov", []string{"enabled"}}, smt}, Preset: "LowLatency"})
	assert.Equal(t, []string{"WorkloadProfile=LowLatency", "ProcSMT=Disabled"}, values(p))
	assert.Equal(t, []patch.Note{{"sriov", "Sriov = Enabled"}, {"amd_workload_profile", "AMDPerformanceWorkloadProfile = Disabled"}}, p.Written)
}

// What another setting locks is not changed by changing that setting unasked
// (registry of the SR670 V2: C1E is gray while C-states are Autonomous).
func TestLockedByAnotherSetting(t *testing.T) {
	now := func(states string) string {
		return `{"@odata.id": "/redfish/v1/Systems/1/Bios", "AttributeRegistry": "BiosAttributeRegistry.1.0.0", "Attributes": {"OperatingModes_ChooseOperatingMode": "CustomMode", "Processors_CStates": "` + states +
			`", "Processors_C1EnhancedMode": "Enabled", "Processors_HyperThreading": "Enabled", "Processors_TurboMode": "Enabled"}}`
	}
	goal := patch.Goal{Wants: []patch.Want{{"c1e", []string{"disabled"}}}}
	p := patch.Make(source(t, now("Autonomous")), goal)
	assert.Empty(t, p.Changes)
	assert.Equal(t, "Processors_C1EnhancedMode cannot be changed under Processors_CStates = Autonomous", open(p)["c1e"])
	assert.Equal(t, []string{"Processors_C1EnhancedMode=Disabled"}, values(patch.Make(source(t, now("Legacy")), goal)))
	goal.Wants = append(goal.Wants, patch.Want{ID: "c_states", Words: []string{"disabled"}})
	assert.Equal(t, []string{"Processors_CStates=Disabled", "Processors_C1EnhancedMode=Disabled"}, values(patch.Make(source(t, now("Autonomous")), goal)), "the setting that frees it first")
	mode := strings.Replace(now("Autonomous"), "CustomMode", "MaximumEfficiency", 1)
	assert.Equal(t, []string{"OperatingModes_ChooseOperatingMode=CustomMode", "Processors_CStates=Disabled", "Processors_C1EnhancedMode=Disabled"}, values(patch.Make(source(t, mode), goal)), "and before it what frees both")
}

// A value that no export, registry or document on record spells is not printed.
func TestUnprovenIsNotPrinted(t *testing.T) {
	slider := `{"Id": "BiosAttributeRegistry.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "DeterminismSlider", "Value": [{"ValueName": "PowerDeterminism"}, {"ValueName": "PerfDeterminism"}]}]}}`
	epyc := `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Attributes": {"SysProfile": "Custom", "DeterminismSlider": "PowerDeterminism", "LogicalProc": "Enabled"}}`
	u := patch.Make(source(t, epyc, slider), patch.Goal{Wants: []patch.Want{{"determinism", []string{"performance"}}}})
	assert.Empty(t, u.Changes, "the table's word is unverified, whatever is on offer")
	assert.Equal(t, map[string]string{"determinism": "memaudit's table of Dell has no proven word of DeterminismSlider for performance"}, open(u))
	now := `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Attributes": {"SysProfile": "Custom", "NumaNodesPerSocket": "1", "LogicalProc": "Enabled", "ProcCStates": "Enabled"}}`
	want := patch.Goal{Wants: []patch.Want{{"sub_numa", []string{"nps4"}}}}
	p := patch.Make(source(t, now), want)
	assert.Empty(t, p.Changes)
	assert.Contains(t, open(p)["sub_numa"], "no export or registry on record shows that NumaNodesPerSocket is spelled 4")
	registry := `{"Id": "BiosAttributeRegistry.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "NumaNodesPerSocket", "Value": [{"ValueName": "1"}, {"ValueName": "4"}]}]}}`
	assert.Equal(t, []string{"NumaNodesPerSocket=4"}, values(patch.Make(source(t, now, registry), want)))
}

// What a form cannot carry is not carried, and what would not act without it
// neither.
func TestFitTakesBackWhatHangsOnIt(t *testing.T) {
	setting := func(name, value string, options ...string) string {
		s := `<Setting name="` + name + `" selectedOption="` + value + `" type="Option"><Information><AvailableOptions>`
		for _, o := range options {
			s += `<Option value="0">` + o + `</Option>`
		}
		return s + `</AvailableOptions></Information></Setting>`
	}
	master := setting("Power Technology", "Energy Efficient", "Disable", "Energy Efficient", "Custom")
	file := func(masters string) string {
		return `<BiosCfg><Menu name="Advanced">` + masters + setting("Enhanced Halt State (C1E)", "Enable", "Disable", "Enable") + setting("Hyper-Threading [ALL]", "Enable", "Disable", "Enable") + `</Menu></BiosCfg>`
	}
	goal := patch.Goal{Wants: []patch.Want{{"c1e", []string{"disabled"}}, {"smt", []string{"disabled"}}}}
	p := patch.Make(source(t, file(master)), goal)
	p.Fit(patch.SUM)
	assert.Equal(t, []string{"Power Technology=Custom", "Enhanced Halt State (C1E)=Disable", "Hyper-Threading [ALL]=Disable"}, values(p))
	for i := range p.Export.Attributes {
		if p.Export.Attributes[i].Name == "Power Technology" {
			p.Export.Attributes[i].Options = nil // as of an export without them
		}
	}
	p.Fit(patch.SUM)
	assert.Equal(t, []string{"Hyper-Threading [ALL]=Disable"}, values(p))
	assert.Contains(t, open(p)["c1e"], "does not decide")
}

// sumFile is a file of SUM with settings of one menu, each with its options.
func sumFile(settings ...string) string {
	return `<BiosCfg><Menu name="Advanced">` + strings.Join(settings, "") + `</Menu></BiosCfg>`
}

func sumSetting(name, value string, options ...string) string {
	return `<Setting name="` + name + `" selectedOption="` + value + `" type="Option"><Information><AvailableOptions><Option value="0">` +
		strings.Join(options, `</Option><Option value="0">`) + `</Option></AvailableOptions></Information></Setting>`
}

// TestOpenRowHasNoChanges checks that no change of a row is made if one of them is impossible, because the
// export locks it or the format cannot express it.
func TestOpenRowHasNoChanges(t *testing.T) {
	now := `{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "BiosAttributeRegistryA43.v1_2_52", "Attributes": {"WorkloadProfile": "Custom", "DeterminismControl": "DeterminismCtrlAuto", "PerformanceDeterminism": "PerformanceDeterministic"}}`
	registry := `{"Id": "BiosAttributeRegistryA43.v1_2_52", "RegistryEntries": {"Attributes": [{"AttributeName": "PerformanceDeterminism", "ReadOnly": true,
 "Value": [{"ValueName": "PerformanceDeterministic"}, {"ValueName": "PowerDeterministic"}]}]}}`
	goal := patch.Goal{Wants: []patch.Want{{"determinism", []string{"power"}}}}
	p := patch.Make(source(t, now, registry), goal)
	assert.Empty(t, p.Changes)
	assert.Equal(t, map[string]string{"determinism": "PerformanceDeterminism cannot be changed now, the export says (read-only)"}, open(p))
	control, slider := sumSetting("Determinism Control", "Auto", "Auto", "Manual"), sumSetting("Determinism Slider", "Auto", "Auto", "Power", "Performance")
	p = patch.Make(source(t, sumFile(control, slider)), goal)
	p.Fit(patch.SUM)
	assert.Equal(t, []string{"Determinism Control=Manual", "Determinism Slider=Power"}, values(p))
	p = patch.Make(source(t, sumFile(control, slider, slider)), goal)
	p.Fit(patch.SUM)
	assert.Empty(t, p.Changes)
	assert.Equal(t, map[string]string{"determinism": "SUM's file identifies Determinism Slider from its namesakes by their order: change it in an export of the whole"}, open(p))
}

// TestPresetThatCannotBeChanged checks that a setting is not changed if the preset that locks it stays, and is not
// reported as written by a preset that is not selected.
func TestPresetThatCannotBeChanged(t *testing.T) {
	registry := func(readOnly string) string {
		return `{"Id": "BiosAttributeRegistry.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "SysProfile", "ReadOnly": ` + readOnly + `,
 "Value": [{"ValueName": "PerfPerWattOptimizedDapc"}, {"ValueName": "PerfOptimized"}, {"ValueName": "Custom"}]}]}}`
	}
	states, smt := patch.Want{ID: "c_states", Words: []string{"disabled"}}, patch.Want{ID: "smt", Words: []string{"disabled"}}
	preset := func(name string) patch.Want { return patch.Want{ID: "workload_profile", Words: []string{name}} }
	readOnly := "SysProfile cannot be changed now, the export says (read-only)"
	locked := "ProcCStates cannot be changed under SysProfile = PerfPerWattOptimizedDapc"
	for name, c := range map[string]struct {
		now, registry string
		wants         []patch.Want
		changes       []string
		written       []patch.Note
		open          map[string]string
	}{
		"chosen":                {dellNow, registry("false"), []patch.Want{preset("PerfOptimized"), states, smt}, []string{"SysProfile=PerfOptimized", "LogicalProc=Disabled"}, []patch.Note{{"c_states", "ProcCStates = Disabled"}}, map[string]string{}},
		"not to be left":        {dellNow, registry("true"), []patch.Want{states, smt}, []string{"LogicalProc=Disabled"}, nil, map[string]string{"workload_profile": readOnly, "c_states": locked}},
		"not to be left for it": {dellNow, registry("true"), []patch.Want{preset("Custom"), states, smt}, []string{"LogicalProc=Disabled"}, nil, map[string]string{"workload_profile": readOnly, "c_states": locked}},
		"not to be chosen":      {dellNow, registry("true"), []patch.Want{preset("PerfOptimized"), states, smt}, []string{"LogicalProc=Disabled"}, nil, map[string]string{"workload_profile": readOnly, "c_states": readOnly}},
		"not on offer": {dellNow, registry("false"), []patch.Want{preset("DenseCfgOptimized"), states, smt}, []string{"LogicalProc=Disabled"}, nil,
			map[string]string{"workload_profile": "SysProfile offers PerfPerWattOptimizedDapc, PerfOptimized, Custom here, not DenseCfgOptimized", "c_states": locked}},
		"not on offer, and left already": {strings.Replace(dellNow, "PerfPerWattOptimizedDapc", "Custom", 1), registry("false"), []patch.Want{preset("DenseCfgOptimized"), states, smt}, []string{"ProcCStates=Disabled", "LogicalProc=Disabled"}, nil,
			map[string]string{"workload_profile": "SysProfile offers PerfPerWattOptimizedDapc, PerfOptimized, Custom here, not DenseCfgOptimized"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := patch.Make(source(t, c.now, c.registry), patch.Goal{Wants: c.wants})
			assert.Equal(t, c.changes, values(p))
			assert.Equal(t, c.written, p.Written)
			assert.Equal(t, c.open, open(p))
		})
	}
	file := sumFile(sumSetting("Power Technology", "Custom", "Disable", "Energy Efficient", "Custom"), sumSetting("Turbo Mode", "Enable", "Disable", "Enable"))
	p := patch.Make(source(t, file), patch.Goal{Wants: []patch.Want{preset("Energy Efficient"), {"turbo", []string{"disabled"}}}})
	p.Fit(patch.SUM)
	assert.Equal(t, []string{"Power Technology=Energy Efficient"}, values(p))
	assert.Equal(t, []patch.Note{{"turbo", "Turbo Mode = Disable"}}, p.Written)
	p.Changes[0].Attribute.Options = nil // as of an export without them
	p.Fit(patch.SUM)
	assert.Empty(t, p.Changes)
	assert.Empty(t, p.Written)
	reason := "SUM's file identifies Power Technology from its namesakes by their order: change it in an export of the whole"
	assert.Equal(t, map[string]string{"workload_profile": reason, "turbo": reason}, open(p))
}

// TestPresetOfCodes checks AMI firmware whose names and values are codes: the texts of its registry are used, for the
// preset as for the options under it.
func TestPresetOfCodes(t *testing.T) {
	registry := func(readOnly string) string {
		return `{"Id": "BiosAttributeRegistry.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "PMS001", "DisplayName": "Power Technology",
 "Value": [{"ValueName": "0", "ValueDisplayName": "Disable"}, {"ValueName": "1", "ValueDisplayName": "Energy Efficient"}, {"ValueName": "2", "ValueDisplayName": "Custom"}]},
 {"AttributeName": "PMS002", "DisplayName": "Turbo Mode", "ReadOnly": ` + readOnly + `, "Value": [{"ValueName": "0", "ValueDisplayName": "Disable"}, {"ValueName": "1", "ValueDisplayName": "Enable"}]}]}}`
	}
	now := func(power string) string {
		return `{"@odata.id": "/redfish/v1/Systems/Self/Bios", "AttributeRegistry": "BiosAttributeRegistry.v1", "Attributes": {"PMS001": "` + power + `", "PMS002": "1"}}`
	}
	turbo, preset := patch.Want{ID: "turbo", Words: []string{"disabled"}}, patch.Want{ID: "workload_profile", Words: []string{"Custom"}}
	for name, c := range map[string]struct {
		now, registry string
		wants         []patch.Want
		changes, met  []string
	}{
		"left already":          {now("2"), registry("false"), []patch.Want{turbo}, []string{"PMS002=0"}, nil},
		"left already, as told": {now("2"), registry("false"), []patch.Want{preset, turbo}, []string{"PMS002=0"}, []string{"workload_profile"}},
		"to be left":            {now("1"), registry("false"), []patch.Want{turbo}, []string{"PMS001=2", "PMS002=0"}, nil},
		"to be left, as told":   {now("1"), registry("true"), []patch.Want{preset, turbo}, []string{"PMS001=2", "PMS002=0"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := patch.Make(source(t, c.now, c.registry), patch.Goal{Wants: c.wants})
			assert.Equal(t, c.changes, values(p))
			assert.Equal(t, c.met, p.Met)
			assert.Empty(t, p.Open)
		})
	}
}

// TestOneOptionDecidesTwo checks that an option is not set to enable another one if the profile has a row that its
// present value satisfies (SUM hides Turbo Mode while SpeedStep is off, and that alone is max_performance).
func TestOneOptionDecidesTwo(t *testing.T) {
	file := sumFile(sumSetting("SpeedStep (P-States)", "Disable", "Disable", "Enable"), sumSetting("Turbo Mode", "Enable", "Disable", "Enable"))
	power, turbo := patch.Want{ID: "power_policy", Words: []string{"max_performance"}}, patch.Want{ID: "turbo", Words: []string{"enabled"}}
	p := patch.Make(source(t, file), patch.Goal{Wants: []patch.Want{turbo}})
	assert.Equal(t, []string{"SpeedStep (P-States)=Enable"}, values(p))
	p = patch.Make(source(t, file), patch.Goal{Wants: []patch.Want{power, turbo}})
	assert.Empty(t, p.Changes)
	assert.Equal(t, []string{"power_policy"}, p.Met)
	assert.Equal(t, map[string]string{"turbo": "under SpeedStep (P-States) = Disable Turbo Mode does not decide"}, open(p))
}

// What waits for the next boot counts as done.
func TestPendingIsDone(t *testing.T) {
	pending := `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios/Settings", "Attributes": {"LogicalProc": "Disabled"}}`
	p := patch.Make(source(t, dellNow, pending), patch.Goal{Wants: []patch.Want{{"smt", []string{"disabled"}}}})
	assert.Empty(t, p.Changes)
	assert.Equal(t, []string{"smt"}, p.Met)
	assert.Empty(t, text(t, p, patch.Racadm))
}

// Values are spelled as the registry offers them; a row whose value is not offered is left open with the values that
// are.
func TestSpelledAsOffered(t *testing.T) {
	registry := `{"Id": "BiosAttributeRegistry.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "SubNumaCluster", "Value": [{"ValueName": "Disabled"}, {"ValueName": "2-Way"}]},
 {"AttributeName": "MonitorMwait", "ReadOnly": true, "Value": [{"ValueName": "Enabled"}, {"ValueName": "Disabled"}]}]}}`
	wants := patch.Goal{Wants: []patch.Want{{"sub_numa", []string{"snc2"}}, {"node_interleave", []string{"disabled"}}, {"xpt_prefetch", []string{"enabled"}}}}
	p := patch.Make(source(t, dellNow, registry), wants)
	assert.Equal(t, []string{"SubNumaCluster=2-Way"}, values(p))
	assert.Equal(t, "the export has no attribute for it", open(p)["xpt_prefetch"])
	p = patch.Make(source(t, dellNow, strings.Replace(registry, `, {"ValueName": "2-Way"}`, "", 1)), wants)
	assert.Empty(t, p.Changes)
	assert.Contains(t, open(p)["sub_numa"], "SubNumaCluster offers Disabled here")
	locked := patch.Make(source(t, strings.Replace(dellNow, "PerfPerWattOptimizedDapc", "Custom", 1), registry), patch.Goal{Wants: []patch.Want{{"monitor_mwait", []string{"disabled"}}}})
	assert.Empty(t, locked.Changes)
	assert.Contains(t, open(locked)["monitor_mwait"], "read-only")
	freed := patch.Make(source(t, dellNow, registry), patch.Goal{Wants: []patch.Want{{"monitor_mwait", []string{"disabled"}}}})
	assert.Equal(t, []string{"SysProfile=Custom", "MonitorMwait=Disabled"}, values(freed), "read-only under its master, which changes")
}

// Dell's forms: commands with the job that makes them act, a profile to import
// and the body of a request.
func TestFormsOfDell(t *testing.T) {
	goal := patch.Goal{Wants: []patch.Want{{"c_states", []string{"disabled"}}}}
	p := patch.Make(source(t, dellNow), goal)
	assert.Equal(t, `# workload_profile: SysProfile, PerfPerWattOptimizedDapc -> Custom
racadm set BIOS.SysProfileSettings.SysProfile Custom
# c_states: ProcCStates, Enabled -> Disabled
racadm set BIOS.SysProfileSettings.ProcCStates Disabled
racadm jobqueue create BIOS.Setup.1-1
`, text(t, p, patch.Racadm))
	assert.JSONEq(t, `{"@Redfish.SettingsApplyTime": {"ApplyTime": "OnReset"}, "Attributes": {"SysProfile": "Custom", "ProcCStates": "Disabled"}}`, text(t, p, patch.Redfish))
	e, err := bios.Decode("scp", []byte(text(t, p, patch.SCP)))
	require.NoError(t, err)
	assert.Equal(t, bios.SCPXML, e.Format)
	assert.Equal(t, [][2]string{{"SysProfile", "Custom"}, {"ProcCStates", "Disabled"}}, pairs(e))
}

func pairs(e *bios.Export) [][2]string {
	var out [][2]string
	for _, a := range e.Attributes {
		out = append(out, [2]string{a.Name, a.Value})
	}
	return out
}

// HPE's conrep, Lenovo's OneCLI and Supermicro's SUM take files and names in their own formats.
func TestFormsOfOthers(t *testing.T) {
	for _, c := range []struct {
		name, export string
		want         patch.Want
		form         patch.Form
		made         [][2]string
		command      string
	}{
		{"conrep", `<Conrep originating_platform="ProLiant DL380p Gen8" originating_family="P70"><Section name="Intel_Hyperthreading">Enabled</Section><Section name="HP_Power_Regulator">HP_Static_High_Performance_Mode</Section></Conrep>`,
			patch.Want{ID: "smt", Words: []string{"disabled"}}, patch.Conrep, [][2]string{{"Intel_Hyperthreading", "Disabled"}}, ""},
		{"conrep by the text of setup", `<Conrep originating_platform="ProLiant DL380p Gen8" originating_family="P70"><Section name="Intel_Hyperthreading">Enabled</Section><Section name="Adjacent_Sector_Prefetch">Enabled</Section></Conrep>`,
			patch.Want{ID: "adjacent_prefetch", Words: []string{"disabled"}}, patch.Conrep, [][2]string{{"Adjacent_Sector_Prefetch", "Disabled"}}, ""},
		{"sum", `<BiosCfg><Menu name="Advanced"><Menu name="CPU Configuration"><Setting name="Hyper-Threading [ALL]" selectedOption="Enable" type="Option"><Information><AvailableOptions><Option value="0">Disable</Option><Option value="1">Enable</Option></AvailableOptions></Information></Setting></Menu></Menu></BiosCfg>`,
			patch.Want{ID: "smt", Words: []string{"disabled"}}, patch.SUM, [][2]string{{"Hyper-Threading [ALL]", "Disable"}}, ""},
		{"onecli", "Lenovo XClarity Essentials OneCLI\nProcessors.HyperThreading=Enable\nProcessors.TurboMode=Enable\nMemory.SocketInterleave=NUMA\n",
			patch.Want{ID: "smt", Words: []string{"disabled"}}, patch.OneCLI, nil, "onecli config set Processors.HyperThreading Disable --override\n"},
		{"syscfg", "logicproc=enable\nnodeinterleave=disable\n",
			patch.Want{ID: "smt", Words: []string{"disabled"}}, patch.Syscfg, nil, "syscfg --logicproc=disable\n"},
		{"syscfg beside an attribute of the same name", "nodeinterleave=enable\n",
			patch.Want{ID: "node_interleave", Words: []string{"disabled"}}, patch.Syscfg, nil, "syscfg --nodeinterleave=disable\n"},
		{"syscfg's power profile", "logicproc=enable\nprofile=osctl\n",
			patch.Want{ID: "power_policy", Words: []string{"firmware_dynamic"}}, patch.Syscfg, nil, "syscfg power -profile=apc --setuppwdoverride\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := patch.Make(source(t, c.export), patch.Goal{Wants: []patch.Want{c.want}})
			out := text(t, p, c.form)
			require.NotEmpty(t, out, "%v", p.Open)
			if c.command != "" {
				assert.True(t, strings.HasSuffix(out, c.command), out)
				return
			}
			e, err := bios.Decode(c.name, []byte(out))
			require.NoError(t, err, out)
			assert.Equal(t, c.made, pairs(e))
		})
	}
}

// TestGroupsOfRacadm checks that the group printed by racadm is used whatever menu the registry has for the
// attribute, else the table's. The menu of an export in another format is not a group.
func TestGroupsOfRacadm(t *testing.T) {
	registry := `{"Id": "BiosAttributeRegistry.v1_0_0", "RegistryEntries": {"Attributes": [{"AttributeName": "ProcC1E", "MenuPath": "./SysProfileSettingsRef",
 "Value": [{"ValueName": "Enabled"}, {"ValueName": "Disabled"}]}]}}`
	instance := `<n1:DCIM_BIOSEnumeration><n1:AttributeName>%s</n1:AttributeName><n1:CurrentValue>%s</n1:CurrentValue><n1:GroupDisplayName>System Profile Settings</n1:GroupDisplayName></n1:DCIM_BIOSEnumeration>`
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"a group that is not the table's": {[]string{"[Key=BIOS.Setup.1-1#OtherSettings]\nSysProfile=Custom\nProcC1E=Enabled\n"}, "BIOS.OtherSettings.ProcC1E Disabled"},
		"with the registry":               {[]string{"[Key=BIOS.Setup.1-1#SysProfileSettings]\nSysProfile=Custom\nProcC1E=Enabled\n", registry}, "BIOS.SysProfileSettings.ProcC1E Disabled"},
		"without a key line":              {[]string{"SysProfile=Custom\nProcC1E=Enabled\n", registry}, "BIOS.SysProfileSettings.ProcC1E Disabled"},
		"not a name":                      {[]string{"[Key=BIOS.Setup.1-1#A; reboot]\nSysProfile=Custom\nProcC1E=Enabled\n"}, "'BIOS.A; reboot.ProcC1E' Disabled"},
		"WS-Man": {[]string{`<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:n1="http://schemas.dell.com/wbem/wscim/1/cim-schema/2/DCIM_BIOSEnumeration"><s:Body>` +
			fmt.Sprintf(instance, "SysProfile", "Custom") + fmt.Sprintf(instance, "ProcC1E", "Enabled") + `</s:Body></s:Envelope>`}, "BIOS.SysProfileSettings.ProcC1E Disabled"},
	} {
		t.Run(name, func(t *testing.T) {
			p := patch.Make(source(t, c.files...), patch.Goal{Wants: []patch.Want{{"c1e", []string{"disabled"}}}})
			assert.Equal(t, "# c1e: ProcC1E, Enabled -> Disabled\nracadm set "+c.want+"\nracadm jobqueue create BIOS.Setup.1-1\n", text(t, p, patch.Racadm))
		})
	}
}

// A value is one word of a shell whatever is in it, and a form is not printed
// with names that its tool does not know.
func TestQuotingAndFit(t *testing.T) {
	now := strings.Replace(dellNow, `"NodeInterleave": "Disabled"`, `"NodeInterleave": "Disabled", "Odd": "x"`, 1)
	p := patch.Make(source(t, now), patch.Goal{Wants: []patch.Want{{"workload_profile", []string{"it's; rm -rf /\nx"}}}})
	out := text(t, p, patch.Racadm)
	assert.Contains(t, out, `racadm set BIOS.SysProfileSettings.SysProfile 'it'\''s; rm -rf / x'`+"\n")
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		assert.Regexp(t, `^(# |racadm )`, line)
	}
	_, err := patch.Choose(p.Export, "conrep")
	require.ErrorContains(t, err, "expected one of redfish, racadm, scp")
	batch, err := bios.Decode("batch", []byte("set uEFI.TurboModeEnable Enable\n"))
	require.NoError(t, err)
	_, err = patch.Choose(batch, "")
	assert.ErrorContains(t, err, "what is to be set, not what is set")
}

// dependent is a synthetic registry in Dell's form: Turbo is locked unless the profile is Custom, C1E while C-states
// are Autonomous, and the patrol scrub unless the profile is Custom and C-states are Disabled.
const dependent = `{"@odata.type": "#AttributeRegistry.v1_3_0.AttributeRegistry", "Id": "BiosAttributeRegistry.v1_0_0", "RegistryEntries": {"Attributes": [
  {"AttributeName": "SysProfile", "Value": [{"ValueName": "Custom"}, {"ValueName": "PerfOptimized"}]},
  {"AttributeName": "ProcTurboMode", "Value": [{"ValueName": "Enabled"}, {"ValueName": "Disabled"}]},
  {"AttributeName": "ProcC1E", "Value": [{"ValueName": "Enabled"}, {"ValueName": "Disabled"}]},
  {"AttributeName": "ProcCStates", "Value": [{"ValueName": "Enabled"}, {"ValueName": "Disabled"}, {"ValueName": "Autonomous"}]},
  {"AttributeName": "MemPatrolScrub", "ReadOnly": true, "Value": [{"ValueName": "Standard"}, {"ValueName": "Disabled"}]}],
 "Dependencies": [
  {"Type": "Map", "DependencyFor": "ProcTurboMode", "Dependency": {"MapFrom": [{"MapFromAttribute": "SysProfile", "MapFromProperty": "CurrentValue", "MapFromCondition": "NEQ", "MapFromValue": "Custom"}],
   "MapToAttribute": "ProcTurboMode", "MapToProperty": "ReadOnly", "MapToValue": true}},
  {"Type": "Map", "DependencyFor": "ProcC1E", "Dependency": {"MapFrom": [{"MapFromAttribute": "ProcCStates", "MapFromProperty": "CurrentValue", "MapFromCondition": "EQU", "MapFromValue": "Autonomous"}],
   "MapToAttribute": "ProcC1E", "MapToProperty": "GrayOut", "MapToValue": true}},
  {"Type": "Map", "DependencyFor": "MemPatrolScrub", "Dependency": {"MapFrom": [{"MapFromAttribute": "SysProfile", "MapFromProperty": "CurrentValue", "MapFromCondition": "EQU", "MapFromValue": "Custom"},
    {"MapTerms": "AND", "MapFromAttribute": "ProcCStates", "MapFromProperty": "CurrentValue", "MapFromCondition": "EQU", "MapFromValue": "Disabled"}],
   "MapToAttribute": "MemPatrolScrub", "MapToProperty": "ReadOnly", "MapToValue": false}}]}}`

// TestRegistrysDependencies checks that a locked attribute is changed only after what it depends on.
func TestRegistrysDependencies(t *testing.T) {
	now := func(profile, states string) string {
		return `{"@odata.type": "#Bios.v1_0_0.Bios", "@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "AttributeRegistry": "BiosAttributeRegistry.v1_0_0", "Attributes": {
 "SysProfile": "` + profile + `", "ProcTurboMode": "Enabled", "ProcC1E": "Enabled", "ProcCStates": "` + states + `", "MemPatrolScrub": "Standard"}}`
	}
	want := func(ids ...string) patch.Goal {
		var g patch.Goal
		for _, id := range ids {
			g.Wants = append(g.Wants, patch.Want{ID: id, Words: []string{"disabled"}})
		}
		return g
	}
	p := patch.Make(source(t, now("PerfOptimized", "Enabled"), dependent), want("turbo"))
	assert.Equal(t, []string{"SysProfile=Custom", "ProcTurboMode=Disabled"}, values(p))
	p = patch.Make(source(t, now("Custom", "Autonomous"), dependent), want("patrol_scrub", "c1e", "c_states"))
	assert.Equal(t, []string{"ProcCStates=Disabled", "MemPatrolScrub=Disabled", "ProcC1E=Disabled"}, values(p))
	p = patch.Make(source(t, now("Custom", "Autonomous"), dependent), want("patrol_scrub", "c1e"))
	assert.Empty(t, p.Changes)
	assert.Contains(t, open(p)["c1e"], "ProcC1E cannot be changed while ProcCStates is as it is")
	assert.Contains(t, open(p)["patrol_scrub"], "read-only")
}

// workloads are the columns of the tables copied from HPE's registries: what each workload profile writes.
func workloads(t *testing.T, system string) (names []string, writes map[string]map[string]string, factory map[string]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "profiles", "hpe-"+system+".tsv"))
	require.NoError(t, err)
	writes, factory = map[string]map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case names == nil:
			names = cells[2:]
		default:
			factory[cells[0]] = cells[1]
			for i, c := range cells[2:] {
				if writes[names[i]] == nil {
					writes[names[i]] = map[string]string{}
				}
				if c != "." && c != "" {
					writes[names[i]][cells[0]] = c
				}
			}
		}
	}
	return names, writes, factory
}

// TestWorkloadProfilesReachTheirRows checks for every workload profile of every registry in the project that a
// machine with factory settings, changed by the patch and then by the firmware according to the registry, has every
// row of the profile, and that everything else is unchanged.
func TestWorkloadProfilesReachTheirRows(t *testing.T) {
	all, err := tables()
	require.NoError(t, err)
	hpe := all.Of("HPE")
	reached := 0
	for _, system := range []string{"u46", "u58", "u68", "u71", "u72", "a42", "a43", "a47"} {
		names, writes, factory := workloads(t, system)
		for _, name := range names {
			factory["WorkloadProfile"] = "Custom"
			var goal patch.Goal
			goal.Preset = name
			for attribute, value := range writes[name] {
				for _, m := range hpe.Find(attribute) {
					known, _ := settings.Lookup(m.ID)
					if word, ok := m.Attr.Canonical(known, value); ok && m.ID != "adddc" { // one attribute, memory_ras_mode's too
						goal.Wants = append(goal.Wants, patch.Want{ID: m.ID, Words: []string{word}})
						break
					}
				}
			}
			src := source(t, resource(t, factory))
			p := patch.Make(src, goal)
			if len(p.Changes) == 0 {
				assert.Len(t, p.Met, len(goal.Wants)+boolInt(slices.Contains(p.Met, "workload_profile")), "%s %s", system, name)
				continue
			}
			assert.Empty(t, p.Open, "%s %s", system, name)
			assert.Equal(t, []string{"WorkloadProfile=" + name}, values(p))
			after := map[string]string{}
			for k, v := range factory {
				after[k] = v
			}
			for k, v := range writes[name] {
				after[k] = v
			}
			after["WorkloadProfile"] = name
			then := patch.Make(source(t, resource(t, after)), goal)
			assert.Empty(t, then.Changes, "%s %s", system, name)
			assert.Empty(t, then.Open, "%s %s", system, name)
			reached++
		}
	}
	assert.Greater(t, reached, 70, "8 registries of 12 workload profiles")
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// resource is a Bios resource of HPE.
func resource(t *testing.T, attributes map[string]string) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "BiosAttributeRegistryU46.v1_2_34", "Attributes": attributes})
	require.NoError(t, err)
	return string(data)
}

// TestFormsAreSafe checks that every format stays well-formed, whatever an export's attributes are named.
func TestFormsAreSafe(t *testing.T) {
	hostile := `a"b<c>&'$(x)--` + "\n" + `d`
	e := &bios.Export{Format: bios.Redfish, Vendor: bios.Dell}
	p := &patch.Patch{Export: e, Changes: []patch.Change{{Setting: "smt", Attribute: &bios.Attribute{Name: hostile, Menu: hostile, Options: []string{"x"}}, Group: "BIOS.G$(x); y", From: hostile, To: hostile}}}
	assert.True(t, json.Valid([]byte(text(t, p, patch.Redfish))))
	for _, f := range []patch.Form{patch.SCP, patch.Conrep, patch.SUM} {
		got, err := bios.Decode("x", []byte(text(t, p, f)))
		require.NoError(t, err, f)
		require.Len(t, got.Attributes, 1)
	}
	comment := regexp.MustCompile(`(?s)<!--(.*?)-->`)
	for _, m := range comment.FindAllStringSubmatch(text(t, p, patch.SCP), -1) {
		assert.NotContains(t, m[1], "--")
	}
	for _, f := range []patch.Form{patch.Racadm, patch.ILORest, patch.OneCLI} {
		for _, line := range strings.Split(strings.TrimSpace(text(t, p, f)), "\n") {
			assert.Regexp(t, `^(# |racadm |ilorest |onecli )`, line)
		}
	}
	oneLine := strings.ReplaceAll(hostile, "\n", " ")
	for _, c := range []struct {
		form   patch.Form
		vendor string
		want   []string
	}{
		{patch.Racadm, bios.Dell, []string{"racadm", "set", "BIOS.G$(x); y." + oneLine, oneLine, "racadm", "jobqueue", "create", "BIOS.Setup.1-1"}},
		{patch.ILORest, bios.HPE, []string{"ilorest", "set", oneLine + "=" + oneLine, "--select", "Bios.", "--commit"}},
		{patch.OneCLI, bios.Lenovo, []string{"onecli", "config", "set", oneLine, oneLine, "--override"}},
		{patch.OneCLI, bios.IBM, []string{"asu", "set", oneLine, oneLine}},
	} {
		if e.Vendor = c.vendor; c.form == patch.OneCLI {
			e.Format = bios.ASU
		}
		assert.Equal(t, c.want, shellReads(t, text(t, p, c.form)), c.form)
	}
}

// shellReads returns the words into which sh splits all commands, without running any.
func shellReads(t *testing.T, commands string) []string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine to check the commands against")
	}
	run := exec.Command(sh, "-s")
	run.Stdin, run.Dir = strings.NewReader(regexp.MustCompile(`(?m)^([^#\n])`).ReplaceAllString(commands, `printf '%s\0' $1`)), t.TempDir()
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestHowToApply checks where a body is sent and which command takes a file.
func TestHowToApply(t *testing.T) {
	at := "/redfish/v1/Systems/1/Bios/Pending"
	for _, c := range []struct {
		form   patch.Form
		export bios.Export
		want   string
	}{
		{patch.Redfish, bios.Export{Vendor: bios.HPE}, "PATCH the settings object of the Bios resource"},
		{patch.Redfish, bios.Export{Vendor: bios.HPE, Settings: at}, "PATCH " + at},
		{patch.Redfish, bios.Export{Vendor: bios.Lenovo, Settings: at}, "PATCH " + at + " and the header If-Match: *"},
		{patch.SCP, bios.Export{}, "an import of the Server Configuration Profile"},
		{patch.SUM, bios.Export{}, "sum -c ChangeBiosCfg --file FILE"},
		{patch.Conrep, bios.Export{}, "the conrep of its Scripting Toolkit"},
		{patch.Racadm, bios.Export{}, "these commands"},
	} {
		assert.Equal(t, c.want, patch.HowToApply(c.form, &c.export))
	}
}

// TestChoose checks the usual format of an export, and those whose tools know its names.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		export bios.Export
		forms  []patch.Form // the usual one first, none where no change is known
	}{
		{bios.Export{Format: bios.Racadm, Vendor: bios.Dell}, []patch.Form{patch.Racadm, patch.SCP, patch.Redfish}},
		{bios.Export{Format: bios.WSMan, Vendor: bios.Dell}, []patch.Form{patch.Racadm, patch.SCP, patch.Redfish}},
		{bios.Export{Format: bios.SCPXML, Vendor: bios.Dell}, []patch.Form{patch.SCP, patch.Racadm, patch.Redfish}},
		{bios.Export{Format: bios.SCPJSON, Vendor: bios.Dell}, []patch.Form{patch.SCP, patch.Racadm, patch.Redfish}},
		{bios.Export{Format: bios.Redfish, Vendor: bios.Dell}, []patch.Form{patch.Redfish, patch.Racadm, patch.SCP}},
		{bios.Export{Format: bios.Redfish, Vendor: bios.HPE}, []patch.Form{patch.Redfish, patch.ILORest}},
		{bios.Export{Format: bios.Redfish, Vendor: bios.Lenovo}, []patch.Form{patch.Redfish, patch.OneCLI}},
		{bios.Export{Format: bios.ILORest, Vendor: bios.HPE}, []patch.Form{patch.ILORest, patch.Redfish}},
		{bios.Export{Format: bios.ASU, Vendor: bios.Lenovo}, []patch.Form{patch.OneCLI}},
		{bios.Export{Format: bios.SUMXML, Vendor: bios.Supermicro}, []patch.Form{patch.SUM}},
		{bios.Export{Format: bios.Conrep, Vendor: bios.HPE}, []patch.Form{patch.Conrep}},
		{bios.Export{Format: bios.DellSyscfg, Vendor: bios.Dell}, []patch.Form{patch.Syscfg}},
		{bios.Export{Format: "other"}, nil},
		{bios.Export{Format: bios.UCSXML, Vendor: bios.Cisco, PendingOnly: true}, nil},
		{bios.Export{Format: bios.Redfish, Vendor: bios.Dell, PendingOnly: true}, nil},
	} {
		for _, f := range []patch.Form{"", patch.Racadm, patch.SCP, patch.Redfish, patch.ILORest, patch.OneCLI, patch.SUM, patch.Conrep} {
			got, err := patch.Choose(&c.export, string(f))
			if len(c.forms) == 0 || f != "" && !slices.Contains(c.forms, f) {
				require.Error(t, err, "%s as %s", c.export.Format, f)
				continue
			}
			require.NoError(t, err)
			want := f
			if f == "" {
				want = c.forms[0]
			}
			assert.Equal(t, want, got, "%s as %s", c.export.Format, f)
		}
	}
}

// TestTypedAsTheMachineDoes checks a registry that names options by number although the resource shows their texts:
// the change is spelled like the resource (Supermicro X13), with numbers only if the resource has numbers.
func TestTypedAsTheMachineDoes(t *testing.T) {
	registry := `{"Id": "R", "RegistryEntries": {"Attributes": [{"AttributeName": "CPUC6Report_3D22", "DisplayName": "CPU C6 Report", "Type": "Enumeration",
		"Value": [{"ValueName": "0", "ValueDisplayName": "Disable"}, {"ValueName": "1", "ValueDisplayName": "Enable"}, {"ValueName": "255", "ValueDisplayName": "Auto"}]}]}}`
	for now, want := range map[string]string{"Auto": "Disable", "Enable": "Disable", "255": "0"} {
		src := source(t, `{"@odata.id": "/redfish/v1/Systems/1/Bios", "Oem": {"Supermicro": {}}, "AttributeRegistry": "R", "Attributes": {"CPUC6Report_3D22": "`+now+`"}}`, registry)
		made := patch.Make(src, patch.Goal{Wants: []patch.Want{{ID: "c_states", Words: []string{"disabled"}}}})
		if assert.Len(t, made.Changes, 1, "%s: %v", now, made.Open) {
			assert.Equal(t, want, made.Changes[0].To, now)
		}
	}
}

// TestOneCLIOfRedfish checks that Lenovo's Redfish names are translated to OneCLI's if an export of it shows both,
// and that the rest is left open.
func TestOneCLIOfRedfish(t *testing.T) {
	src := source(t, `{"@odata.id": "/redfish/v1/Systems/1/Bios", "Oem": {"Lenovo": {}}, "Attributes": {"Processors_TurboMode": "Enable", "Processors_L1StreamHWPrefetcher": "Enable"}}`)
	made := patch.Make(src, patch.Goal{Wants: []patch.Want{{ID: "turbo", Words: []string{"disabled"}}, {ID: "l1_stream_prefetch", Words: []string{"disabled"}}}})
	require.Len(t, made.Changes, 2, "%v", made.Open)
	out := text(t, made, patch.OneCLI)
	assert.Contains(t, out, "onecli config set Processors.TurboMode Disable --override")
	assert.NotContains(t, out, "L1Stream")
	require.Len(t, made.Open, 1)
	assert.Contains(t, made.Open[0].Reason, "how OneCLI spells")
}

// TestWays checks that the instructions that a report prints for a setting equal the patch's change, with what must
// be done before.
func TestWays(t *testing.T) {
	src := source(t, `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Attributes": {"SysProfile": "PerfPerWattOptimizedDapc", "ProcTurboMode": "Disabled", "LogicalProc": "Enabled"}}`)
	made := patch.Make(src, patch.Goal{Wants: []patch.Want{{ID: "turbo", Words: []string{"enabled"}}, {ID: "smt", Words: []string{"disabled"}}, {ID: "numa_group", Words: []string{"flat"}}}})
	before, ways, reason := made.Ways("turbo", settings.Change{Product: "PowerEdge R650", Platform: "ice-lake-sp"})
	assert.Equal(t, []string{"first set SysProfile to Custom: it is PerfPerWattOptimizedDapc, which governs the setting"}, before)
	assert.Empty(t, reason)
	require.NotEmpty(t, ways)
	assert.Contains(t, fmt.Sprint(ways), "racadm set BIOS.SysProfileSettings.ProcTurboMode Enabled")
	before, ways, _ = made.Ways("smt", settings.Change{Platform: "ice-lake-sp"})
	assert.Empty(t, before)
	assert.Contains(t, fmt.Sprint(ways), "racadm set BIOS.ProcSettings.LogicalProc Disabled")
	_, ways, reason = made.Ways("numa_group", settings.Change{})
	assert.Empty(t, ways)
	assert.Equal(t, "the export has no attribute for it", reason)
}

// TestPresetOfSeveralNames checks that a row with several values of a preset is satisfied by each of them, and that
// the first is selected if none is set.
func TestPresetOfSeveralNames(t *testing.T) {
	names := patch.Want{ID: "workload_profile", Words: []string{"PerfOptimized", "DenseCfgOptimized"}}
	p := patch.Make(source(t, strings.Replace(dellNow, "PerfPerWattOptimizedDapc", "DenseCfgOptimized", 1)), patch.Goal{Wants: []patch.Want{names}})
	assert.Empty(t, p.Changes)
	assert.Equal(t, []string{"workload_profile"}, p.Met)
	p = patch.Make(source(t, dellNow), patch.Goal{Wants: []patch.Want{names}})
	assert.Equal(t, []string{"SysProfile=PerfOptimized"}, values(p))
	p = patch.Make(source(t, dellNow), patch.Goal{Wants: []patch.Want{names}, Preset: "PerfPerWattOptimizedDapc"})
	assert.Equal(t, []string{"SysProfile=PerfOptimized"}, values(p), "the row decides, not the writer of the others")
}

// TestTwoPresets checks that the change of a second preset may precede that of the one that writes rows, and that
// only the latter is reported to write them; it does not write what the second one governs.
func TestTwoPresets(t *testing.T) {
	now := `{"AttributeRegistry": "CiscoBiosAttributeRegistry.v1_0_0", "Attributes": {"CPUPerformance": "Enterprise", "CPUPowerManagement": "Performance", "IntelTurboBoostTech": "Enabled",
 "DcuIpPrefetch": "Disabled", "IntelHyperThread": "Enabled"}}`
	p := patch.Make(source(t, now), patch.Goal{Wants: []patch.Want{{"workload_profile", []string{"High Throughput"}}, {"dcu_ip_prefetch", []string{"disabled"}}, {"turbo", []string{"enabled"}}}})
	assert.Equal(t, []string{"CPUPowerManagement=Custom", "CPUPerformance=High Throughput"}, values(p))
	require.NotNil(t, p.Preset)
	assert.Equal(t, "High Throughput", p.Preset.To)
	assert.Equal(t, []patch.Note{{"dcu_ip_prefetch", "DcuIpPrefetch = Disabled"}}, p.Written)
	assert.Equal(t, []string{"turbo"}, p.Met)
	assert.Empty(t, p.Open)
}
