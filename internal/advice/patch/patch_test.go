package patch_test

import (
	"encoding/json"
	"fmt"
	"maps"
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
	"memaudit.example/memaudit/internal/tools/corpustest"
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
		require.NoError(t, err, f)
		in.Exports = append(in.Exports, collect.Export{Source: inventory.SourceBIOS, Path: "file", Export: e})
	}
	_, joined := collect.WithExports(in)
	require.NotEmpty(t, joined)
	require.NotNil(t, joined[0].Export.Table)
	return joined[0].Export
}

// goal is a profile by its rows, "smt=disabled" or with several words "c_states=disabled|c1"; "preset=LowLatency" names the
// preset that writes them.
func goal(rows ...string) (g patch.Goal) {
	for _, row := range rows {
		id, words, _ := strings.Cut(row, "=")
		if id == "preset" {
			g.Preset = words
			continue
		}
		g.Wants = append(g.Wants, patch.Want{ID: id, Words: strings.Split(words, "|")})
	}
	return g
}

// outcome is all that a patch says: its changes in their order, then the rows that are met, open and written by a preset, and
// what changes besides.
func outcome(p *patch.Patch) (out []string) {
	for i := range p.Changes {
		c := &p.Changes[i]
		out = append(out, strings.Join(append([]string{c.Attribute.Name + "=" + c.To}, c.Also...), " also for "))
	}
	for _, id := range p.Met {
		out = append(out, "met: "+id)
	}
	for kind, list := range map[string][]patch.Note{"open": p.Open, "written": p.Written, "besides": p.SideEffects} {
		for _, n := range list {
			out = append(out, kind+": "+n.Setting+": "+n.Reason)
		}
	}
	slices.SortStableFunc(out, func(x, y string) int { return rank(x) - rank(y) })
	return out
}

func rank(line string) int {
	kind, _, _ := strings.Cut(line, ":")
	return 1 + slices.Index([]string{"met", "open", "written", "besides"}, kind)
}

func text(t *testing.T, p *patch.Patch, f patch.Form) string {
	t.Helper()
	var b strings.Builder
	p.DropUnsupported(f)
	require.NoError(t, p.Write(&b, f))
	return b.String()
}

// redfish is a Bios resource: its members but the attributes, and these as "Name=Value".
func redfish(head string, attributes ...string) string {
	var pairs []string
	for _, a := range attributes {
		name, value, _ := strings.Cut(a, "=")
		pairs = append(pairs, fmt.Sprintf("%q: %q", name, value))
	}
	return `{` + head + `, "Attributes": {` + strings.Join(pairs, ", ") + `}}`
}

const (
	dellBios   = `"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios"`
	ciscoBios  = `"AttributeRegistry": "CiscoBiosAttributeRegistry.v1_0_0"`
	lenovoBios = `"@odata.id": "/redfish/v1/Systems/1/Bios", "AttributeRegistry": "BiosAttributeRegistry.1.0.0"`
)

// dell is a PowerEdge under a profile, with more attributes.
func dell(profile string, more ...string) string {
	return redfish(dellBios, append([]string{"SysProfile=" + profile, "ProcPwrPerf=SysDbpm", "ProcTurboMode=Enabled", "ProcC1E=Enabled", "ProcCStates=Enabled", "MonitorMwait=Enabled",
		"LogicalProc=Enabled", "NodeInterleave=Disabled", "SubNumaCluster=Disabled"}, more...)...)
}

func hpe(registry string, attributes ...string) string {
	return redfish(`"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "BiosAttributeRegistry`+registry+`"`, attributes...)
}

func lenovo(mode, states string) string {
	return redfish(lenovoBios, "OperatingModes_ChooseOperatingMode="+mode, "Processors_CStates="+states, "Processors_C1EnhancedMode=Enabled", "Processors_HyperThreading=Enabled", "Processors_TurboMode=Enabled")
}

// registry is an attribute registry: "Name: option, option", read-only with a ! before it, with the texts of menu and options
// in brackets.
func registry(id string, attributes ...string) string {
	name := regexp.MustCompile(`^(!?)(\w+)(?: \((.*)\))?$`)
	var list []map[string]any
	for _, a := range attributes {
		head, options, _ := strings.Cut(a, ": ")
		m := name.FindStringSubmatch(head)
		var values []map[string]string
		for option := range strings.SplitSeq(options, ", ") {
			value, text, _ := strings.Cut(strings.TrimSuffix(option, ")"), " (")
			values = append(values, map[string]string{"ValueName": value, "ValueDisplayName": text})
		}
		list = append(list, map[string]any{"AttributeName": m[2], "DisplayName": m[3], "ReadOnly": m[1] != "", "Value": values})
	}
	data, _ := json.Marshal(map[string]any{"Id": id, "RegistryEntries": map[string]any{"Attributes": list}})
	return string(data)
}

// sum is a file of SUM with settings of one menu: "Name: value of option, option", or without options.
func sum(settings ...string) string {
	out := `<BiosCfg><Menu name="Advanced"><Menu name="CPU Configuration">`
	for _, s := range settings {
		name, value, _ := strings.Cut(s, ": ")
		value, options, of := strings.Cut(value, " of ")
		out += `<Setting name="` + name + `" selectedOption="` + value + `" type="Option"><Information>`
		if of {
			out += `<AvailableOptions><Option value="0">` + strings.ReplaceAll(options, ", ", `</Option><Option value="0">`) + `</Option></AvailableOptions>`
		}
		out += `</Information></Setting>`
	}
	return out + `</Menu></Menu></BiosCfg>`
}

// TestMake checks what is changed, in which order, and what stays as it is and why: nothing is guessed.
func TestMake(t *testing.T) {
	const dapc = "PerfPerWattOptimizedDapc"
	profiles := func(readOnly string) string {
		return registry("BiosAttributeRegistry.v1", readOnly+"SysProfile: PerfPerWattOptimizedDapc, PerfOptimized, Custom")
	}
	enterprise := redfish(ciscoBios, "CPUPerformance=Enterprise", "HardwarePrefetch=Disabled", "AdjacentCacheLinePrefetch=Enabled", "IntelHyperThread=Enabled")
	own := redfish(ciscoBios, "CPUPerformance=Enterprise", "HardwarePrefetch=Enabled", "AdjacentCacheLinePrefetch=Disabled", "IntelHyperThread=Enabled")
	cisco := registry("CiscoBiosAttributeRegistry.v1_0_0", "CPUPerformance: Enterprise, Custom", "AdjacentCacheLinePrefetch: Enabled, Disabled", "HardwarePrefetch: Enabled, Disabled")
	u46 := hpe("U46.v1_2_34", "WorkloadProfile=Custom", "MinProcIdlePower=C6", "EnergyPerfBias=MaxPerf", "ProcTurbo=Enabled")
	a42 := func(profile string) string {
		return hpe("A42.v1_3_72", "WorkloadProfile="+profile, "AMDPerformanceWorkloadProfile=NICLatencySensitive", "ProcSMT=Enabled", "Sriov=Disabled")
	}
	a43 := hpe("A43.v1_2_52", "WorkloadProfile=Custom", "DeterminismControl=DeterminismCtrlAuto", "PerformanceDeterminism=PerformanceDeterministic")
	power, turbo := "Power Technology: Energy Efficient of Disable, Energy Efficient, Custom", "Turbo Mode: Enable of Disable, Enable"
	c1e, smt := "Enhanced Halt State (C1E): Enable of Disable, Enable", "Hyper-Threading [ALL]: Enable of Disable, Enable"
	control, slider := "Determinism Control: Auto of Auto, Manual", "Determinism Slider: Auto of Auto, Power, Performance"
	ami := func(power string) string {
		return redfish(`"@odata.id": "/redfish/v1/Systems/Self/Bios", "AttributeRegistry": "BiosAttributeRegistry.v1"`, "PMS001="+power, "PMS002=1")
	}
	codes := func(readOnly string) string {
		return registry("BiosAttributeRegistry.v1", "PMS001 (Power Technology): 0 (Disable), 1 (Energy Efficient), 2 (Custom)", readOnly+"PMS002 (Turbo Mode): 0 (Disable), 1 (Enable)")
	}
	offered := registry("BiosAttributeRegistry.v1", "SubNumaCluster: Disabled, 2-Way", "!MonitorMwait: Enabled, Disabled")
	x13 := func(value string) []string {
		return []string{redfish(`"@odata.id": "/redfish/v1/Systems/1/Bios", "Oem": {"Supermicro": {}}, "AttributeRegistry": "R"`, "CPUC6Report_3D22="+value),
			registry("R", "CPUC6Report_3D22 (CPU C6 Report): 0 (Disable), 1 (Enable), 255 (Auto)")}
	}
	determinism := redfish(dellBios, "SysProfile=Custom", "DeterminismSlider=PowerDeterminism", "LogicalProc=Enabled")
	nps := redfish(dellBios, "SysProfile=Custom", "NumaNodesPerSocket=1", "LogicalProc=Enabled", "ProcCStates=Enabled")
	state := func(profile, states string) string {
		return redfish(`"@odata.type": "#Bios.v1_0_0.Bios", `+dellBios+`, "AttributeRegistry": "BiosAttributeRegistry.v1_0_0"`, "SysProfile="+profile, "ProcTurboMode=Enabled", "ProcC1E=Enabled", "ProcCStates="+states, "MemPatrolScrub=Standard")
	}
	governed := func(ids ...string) (out []string) {
		for _, id := range ids {
			out = append(out, "besides: "+id+": the preset governs it too, and the profile does not say what it writes")
		}
		return out
	}
	for _, c := range []struct {
		name  string
		files []string
		goal  patch.Goal
		// form is set if what it cannot express is dropped.
		form patch.Form
		want []string
	}{
		// A preset comes before what it locks (OpenManage Server Administrator, System Profile Settings), and stays if nothing is locked.
		{"the preset first", []string{dell(dapc)}, goal("c_states=disabled|c1", "smt=disabled", "turbo=enabled"), "",
			[]string{"SysProfile=Custom", "ProcCStates=Disabled", "LogicalProc=Disabled", "met: turbo"}},
		{"no preset for what it does not govern", []string{dell(dapc)}, goal("smt=disabled"), "", []string{"LogicalProc=Disabled"}},
		{"leaving a preset that decides: the others need their values", []string{enterprise, cisco}, goal("hw_prefetch=enabled", "adjacent_prefetch=disabled"), "",
			[]string{"CPUPerformance=Custom", "AdjacentCacheLinePrefetch=Disabled", "HardwarePrefetch=Enabled"}},
		{"no Cisco export on record spells Custom", []string{enterprise}, goal("hw_prefetch=enabled", "adjacent_prefetch=disabled"), "",
			[]string{
				"met: hw_prefetch",
				"open: workload_profile: no export or registry on record shows that CPUPerformance is spelled Custom",
				"open: adjacent_prefetch: AdjacentCacheLinePrefetch cannot be changed under CPUPerformance = Enterprise",
			}},
		{"own values as wanted take effect", []string{own, cisco}, goal("hw_prefetch=enabled", "adjacent_prefetch=disabled"), "",
			[]string{"CPUPerformance=Custom", "met: hw_prefetch", "met: adjacent_prefetch"}},
		{"own values as wanted, and no Custom", []string{own}, goal("hw_prefetch=enabled", "adjacent_prefetch=disabled"), "",
			[]string{"met: hw_prefetch", "open: workload_profile: no export or registry on record shows that CPUPerformance is spelled Custom", "open: adjacent_prefetch: CPUPerformance = Enterprise makes enabled of it"}},
		{"a preset is chosen", []string{dell(dapc), profiles("")}, goal("workload_profile=PerfOptimized", "c_states=disabled", "smt=disabled"), "",
			append([]string{"SysProfile=PerfOptimized", "LogicalProc=Disabled", "written: c_states: ProcCStates = Disabled"}, governed("power_policy", "turbo", "c1e", "monitor_mwait")...)},
		{"a preset is not to be left", []string{dell(dapc), profiles("!")}, goal("c_states=disabled", "smt=disabled"), "",
			[]string{"LogicalProc=Disabled", "open: workload_profile: SysProfile cannot be changed now, the export says (read-only)", "open: c_states: ProcCStates cannot be changed under SysProfile = PerfPerWattOptimizedDapc"}},
		{"a preset is not to be left for it", []string{dell(dapc), profiles("!")}, goal("workload_profile=Custom", "c_states=disabled", "smt=disabled"), "",
			[]string{"LogicalProc=Disabled", "open: workload_profile: SysProfile cannot be changed now, the export says (read-only)", "open: c_states: ProcCStates cannot be changed under SysProfile = PerfPerWattOptimizedDapc"}},
		{"a preset is not to be chosen", []string{dell(dapc), profiles("!")}, goal("workload_profile=PerfOptimized", "c_states=disabled", "smt=disabled"), "",
			[]string{"LogicalProc=Disabled", "open: workload_profile: SysProfile cannot be changed now, the export says (read-only)", "open: c_states: SysProfile cannot be changed now, the export says (read-only)"}},
		{"a preset is not on offer", []string{dell(dapc), profiles("")}, goal("workload_profile=DenseCfgOptimized", "c_states=disabled", "smt=disabled"), "",
			[]string{
				"LogicalProc=Disabled",
				"open: workload_profile: SysProfile offers PerfPerWattOptimizedDapc, PerfOptimized, Custom here, not DenseCfgOptimized",
				"open: c_states: ProcCStates cannot be changed under SysProfile = PerfPerWattOptimizedDapc",
			}},
		{"a preset is not on offer, and left already", []string{dell("Custom"), profiles("")}, goal("workload_profile=DenseCfgOptimized", "c_states=disabled", "smt=disabled"), "",
			[]string{"ProcCStates=Disabled", "LogicalProc=Disabled", "open: workload_profile: SysProfile offers PerfPerWattOptimizedDapc, PerfOptimized, Custom here, not DenseCfgOptimized"}},
		{"one of several presets is set", []string{dell("DenseCfgOptimized")}, goal("workload_profile=PerfOptimized|DenseCfgOptimized"), "", []string{"met: workload_profile"}},
		{"none of several presets is set: the first", []string{dell(dapc)}, goal("workload_profile=PerfOptimized|DenseCfgOptimized"), "",
			append([]string{"SysProfile=PerfOptimized"}, governed("power_policy", "turbo", "c_states", "c1e", "monitor_mwait")...)},
		{"the row decides, not the writer of the others", []string{dell(dapc)}, goal("workload_profile=PerfOptimized|DenseCfgOptimized", "preset="+dapc), "",
			append([]string{"SysProfile=PerfOptimized"}, governed("power_policy", "turbo", "c_states", "c1e", "monitor_mwait")...)},
		// HPE's registry A42: AMD's options are read-only while its own preset is set; any other WorkloadProfile sets that to Disabled.
		{"a second preset is left too", []string{a42("Custom")}, goal("smt=disabled"), "", []string{"AMDPerformanceWorkloadProfile=Disabled", "ProcSMT=Disabled"}},
		{"a second preset under one that stays", []string{a42("LowLatency")}, goal("smt=disabled"), "",
			[]string{"open: amd_workload_profile: AMDPerformanceWorkloadProfile cannot be changed under WorkloadProfile = LowLatency", "open: smt: ProcSMT cannot be changed under AMDPerformanceWorkloadProfile = NICLatencySensitive"}},
		{"a preset that writes the second one", []string{a42("Custom")}, goal("amd_workload_profile=Disabled", "sriov=enabled", "smt=disabled", "preset=LowLatency"), "",
			[]string{"WorkloadProfile=LowLatency", "ProcSMT=Disabled", "written: sriov: Sriov = Enabled", "written: amd_workload_profile: AMDPerformanceWorkloadProfile = Disabled"}},
		{"a second preset before the one that writes rows", []string{redfish(ciscoBios, "CPUPerformance=Enterprise", "CPUPowerManagement=Performance", "IntelTurboBoostTech=Enabled", "DcuIpPrefetch=Disabled", "IntelHyperThread=Enabled")},
			goal("workload_profile=High Throughput", "dcu_ip_prefetch=disabled", "turbo=enabled"), "",
			[]string{"CPUPowerManagement=Custom", "CPUPerformance=High Throughput", "met: turbo", "written: dcu_ip_prefetch: DcuIpPrefetch = Disabled"}},
		// AMI firmware whose names and values are codes: the texts of its registry are used.
		{"codes, the preset left already", []string{ami("2"), codes("")}, goal("turbo=disabled"), "", []string{"PMS002=0"}},
		{"codes, the preset left already, as told", []string{ami("2"), codes("")}, goal("workload_profile=Custom", "turbo=disabled"), "", []string{"PMS002=0", "met: workload_profile"}},
		{"codes, the preset to be left", []string{ami("1"), codes("")}, goal("turbo=disabled"), "", []string{"PMS001=2", "PMS002=0"}},
		{"codes, the preset to be left, as told", []string{ami("1"), codes("!")}, goal("workload_profile=Custom", "turbo=disabled"), "", []string{"PMS001=2", "PMS002=0"}},
		// One attribute for several settings.
		{"one attribute for two rows", []string{u46}, goal("c_states=disabled", "c1e=disabled"), "", []string{"MinProcIdlePower=NoCStates also for c1e"}},
		{"one attribute, and a setting outside the profile", []string{u46}, goal("c_states=disabled"), "",
			[]string{"MinProcIdlePower=NoCStates", "besides: c1e: MinProcIdlePower = NoCStates decides it too: from enabled to disabled"}},
		{"one attribute, and a row that it would break", []string{u46}, goal("c_states=disabled", "c1e=enabled"), "",
			[]string{"met: c1e", "open: c_states: MinProcIdlePower also decides c1e, which the profile wants otherwise"}},
		{"SUM hides Turbo Mode while SpeedStep is off", []string{sum("SpeedStep (P-States): Disable of Disable, Enable", turbo)}, goal("turbo=enabled"), "",
			[]string{"SpeedStep (P-States)=Enable", "met: turbo", "besides: power_policy: what it comes to is no longer known, it was max_performance"}},
		{"SpeedStep off is wanted", []string{sum("SpeedStep (P-States): Disable of Disable, Enable", turbo)}, goal("power_policy=max_performance", "turbo=enabled"), "",
			[]string{"met: power_policy", "open: turbo: under SpeedStep (P-States) = Disable Turbo Mode does not decide"}},
		// What another setting locks (registry of the SR670 V2: C1E is gray while C-states are Autonomous).
		{"locked by a setting that nobody asked for", []string{lenovo("CustomMode", "Autonomous")}, goal("c1e=disabled"), "",
			[]string{"open: c1e: Processors_C1EnhancedMode cannot be changed under Processors_CStates = Autonomous"}},
		{"not locked", []string{lenovo("CustomMode", "Legacy")}, goal("c1e=disabled"), "", []string{"Processors_C1EnhancedMode=Disabled"}},
		{"what frees it first", []string{lenovo("CustomMode", "Autonomous")}, goal("c1e=disabled", "c_states=disabled"), "",
			[]string{"Processors_CStates=Disabled", "Processors_C1EnhancedMode=Disabled"}},
		{"before it what frees both", []string{lenovo("MaximumEfficiency", "Autonomous")}, goal("c1e=disabled", "c_states=disabled"), "",
			[]string{"OperatingModes_ChooseOperatingMode=CustomMode", "Processors_CStates=Disabled", "Processors_C1EnhancedMode=Disabled", "besides: turbo: Processors_TurboMode = Enabled acts from then on: enabled"}},
		{"a registry's dependency on the profile", []string{state("PerfOptimized", "Enabled"), dependent}, goal("turbo=disabled"), "", []string{"SysProfile=Custom", "ProcTurboMode=Disabled"}},
		{"a registry's dependency on two", []string{state("Custom", "Autonomous"), dependent}, goal("patrol_scrub=disabled", "c1e=disabled", "c_states=disabled"), "",
			[]string{"ProcCStates=Disabled", "MemPatrolScrub=Disabled", "ProcC1E=Disabled"}},
		{"a registry's dependency on what nobody asked for", []string{state("Custom", "Autonomous"), dependent}, goal("patrol_scrub=disabled", "c1e=disabled"), "",
			[]string{"open: patrol_scrub: MemPatrolScrub cannot be changed now, the export says (read-only)", "open: c1e: ProcC1E cannot be changed while ProcCStates is as it is, the registry says"}},
		// How values are spelled.
		{"a word of the table that is unverified, whatever is on offer", []string{determinism, registry("BiosAttributeRegistry.v1", "DeterminismSlider: PowerDeterminism, PerfDeterminism")}, goal("determinism=performance"), "",
			[]string{"open: determinism: memaudit's table of Dell has no proven word of DeterminismSlider for performance"}},
		{"a value that nothing on record spells", []string{nps}, goal("sub_numa=nps4"), "",
			[]string{"open: sub_numa: no export or registry on record shows that NumaNodesPerSocket is spelled 4: the attribute registry, given with a further --bios, decides"}},
		{"a value that the registry spells", []string{nps, registry("BiosAttributeRegistry.v1", "NumaNodesPerSocket: 1, 4")}, goal("sub_numa=nps4"), "", []string{"NumaNodesPerSocket=4"}},
		{"as offered", []string{dell(dapc), offered}, goal("sub_numa=snc2", "node_interleave=disabled", "xpt_prefetch=enabled"), "",
			[]string{"SubNumaCluster=2-Way", "met: node_interleave", "open: xpt_prefetch: the export has no attribute for it"}},
		{"not offered", []string{dell(dapc), registry("BiosAttributeRegistry.v1", "SubNumaCluster: Disabled")}, goal("sub_numa=snc2"), "",
			[]string{"open: sub_numa: SubNumaCluster offers Disabled here, none of which is known to be snc2"}},
		{"read-only", []string{dell("Custom"), offered}, goal("monitor_mwait=disabled"), "", []string{"open: monitor_mwait: MonitorMwait cannot be changed now, the export says (read-only)"}},
		{"read-only under a preset that changes", []string{dell(dapc), offered}, goal("monitor_mwait=disabled"), "", []string{"SysProfile=Custom", "MonitorMwait=Disabled"}},
		{"options by number, the resource by text: Auto", x13("Auto"), goal("c_states=disabled"), "", []string{"CPUC6Report_3D22=Disable"}},
		{"options by number, the resource by number", x13("255"), goal("c_states=disabled"), "", []string{"CPUC6Report_3D22=0"}},
		{"what waits for the next boot is done", []string{dell(dapc), redfish(`"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios/Settings"`, "LogicalProc=Disabled")}, goal("smt=disabled"), patch.Racadm,
			[]string{"met: smt"}},
		// A row is changed whole or not at all, also by what a form can express.
		{"one of two attributes is read-only", []string{a43, registry("BiosAttributeRegistryA43.v1_2_52", "!PerformanceDeterminism: PerformanceDeterministic, PowerDeterministic")}, goal("determinism=power"), "",
			[]string{"open: determinism: PerformanceDeterminism cannot be changed now, the export says (read-only)"}},
		{"both attributes", []string{sum(control, slider)}, goal("determinism=power"), patch.SUM, []string{"Determinism Control=Manual", "Determinism Slider=Power"}},
		{"one of two has a namesake", []string{sum(control, slider, slider)}, goal("determinism=power"), patch.SUM,
			[]string{"open: determinism: SUM's file identifies Determinism Slider from its namesakes by their order: change it in an export of the whole"}},
		{"SUM takes the preset", []string{sum(power, c1e, smt)}, goal("c1e=disabled", "smt=disabled"), patch.SUM,
			[]string{"Power Technology=Custom", "Enhanced Halt State (C1E)=Disable", "Hyper-Threading [ALL]=Disable"}},
		{"SUM cannot take the preset, nor what would not act without it", []string{sum(power, power, c1e, smt)}, goal("c1e=disabled", "smt=disabled"), patch.SUM,
			[]string{"Hyper-Threading [ALL]=Disable", "open: c1e: under Power Technology = Energy Efficient Enhanced Halt State (C1E) does not decide"}},
		{"SUM takes the chosen preset", []string{sum("Power Technology: Custom of Disable, Energy Efficient, Custom", turbo)}, goal("workload_profile=Energy Efficient", "turbo=disabled"), patch.SUM,
			[]string{"Power Technology=Energy Efficient", "written: turbo: Turbo Mode = Disable"}},
		{"SUM cannot take the chosen preset: it writes nothing", []string{sum("Power Technology: Custom", turbo)}, goal("workload_profile=Energy Efficient", "turbo=disabled"), patch.SUM,
			[]string{
				"open: workload_profile: SUM's file identifies Power Technology from its namesakes by their order: change it in an export of the whole",
				"open: turbo: SUM's file identifies Power Technology from its namesakes by their order: change it in an export of the whole",
			}},
		{"OneCLI spells one of two of Lenovo's Redfish names", []string{redfish(`"@odata.id": "/redfish/v1/Systems/1/Bios", "Oem": {"Lenovo": {}}`, "Processors_TurboMode=Enable", "Processors_L1StreamHWPrefetcher=Enable")},
			goal("turbo=disabled", "l1_stream_prefetch=disabled"), patch.OneCLI,
			[]string{"Processors_TurboMode=Disable", "open: l1_stream_prefetch: no known document or export shows how OneCLI spells Processors_L1StreamHWPrefetcher and Disable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := patch.Make(source(t, c.files...), c.goal)
			if c.form != "" {
				p.DropUnsupported(c.form)
			}
			assert.Equal(t, c.want, outcome(p))
		})
	}
}

// dependent is a synthetic registry in Dell's form: Turbo is locked unless the profile is Custom, C1E while C-states are
// Autonomous, and the patrol scrub unless the profile is Custom and C-states are Disabled.
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

// TestForms checks the change in the format of each tool: commands with the job that makes them act, files that are read back,
// the group that racadm printed whatever menu the registry has for the attribute, and else the table's. The menu of an export in
// another format is not a group.
func TestForms(t *testing.T) {
	menu := `{"Id": "BiosAttributeRegistry.v1_0_0", "RegistryEntries": {"Attributes": [{"AttributeName": "ProcC1E", "MenuPath": "./SysProfileSettingsRef", "Value": [{"ValueName": "Enabled"}, {"ValueName": "Disabled"}]}]}}`
	wsman := func(name, value string) string {
		return `<n1:DCIM_BIOSEnumeration><n1:AttributeName>` + name + `</n1:AttributeName><n1:CurrentValue>` + value + `</n1:CurrentValue><n1:GroupDisplayName>System Profile Settings</n1:GroupDisplayName></n1:DCIM_BIOSEnumeration>`
	}
	const racadm, c1e = "SysProfile=Custom\nProcC1E=Enabled\n", "# c1e: ProcC1E, Enabled -> Disabled\nracadm set "
	const job = " Disabled\nracadm jobqueue create BIOS.Setup.1-1\n"
	conrep := func(section string) string {
		return `<Conrep originating_platform="ProLiant DL380p Gen8" originating_family="P70"><Section name="Intel_Hyperthreading">Enabled</Section><Section name="` + section + `">Enabled</Section></Conrep>`
	}
	for _, c := range []struct {
		name  string
		files []string
		goal  patch.Goal
		form  patch.Form
		want  string
	}{
		{"racadm", []string{dell("PerfPerWattOptimizedDapc")}, goal("c_states=disabled"), patch.Racadm, "# workload_profile: SysProfile, PerfPerWattOptimizedDapc -> Custom\nracadm set BIOS.SysProfileSettings.SysProfile Custom\n" +
			"# c_states: ProcCStates, Enabled -> Disabled\nracadm set BIOS.SysProfileSettings.ProcCStates" + job},
		{"Dell's Redfish", []string{dell("PerfPerWattOptimizedDapc")}, goal("c_states=disabled"), patch.Redfish,
			"{\n  \"@Redfish.SettingsApplyTime\": {\"ApplyTime\": \"OnReset\"},\n  \"Attributes\": {\n    \"SysProfile\": \"Custom\",\n    \"ProcCStates\": \"Disabled\"\n  }\n}\n"},
		{"ilorest commits with the last", []string{hpe("U46.v1_2_34", "WorkloadProfile=Custom", "ProcTurbo=Enabled", "ProcHyperthreading=Enabled")}, goal("turbo=disabled", "smt=disabled"), patch.ILORest,
			"# turbo: ProcTurbo, Enabled -> Disabled\nilorest set ProcTurbo=Disabled --select Bios.\n# smt: ProcHyperthreading, Enabled -> Disabled\nilorest set ProcHyperthreading=Disabled --select Bios. --commit\n"},
		{"racadm, a group that is not the table's", []string{"[Key=BIOS.Setup.1-1#OtherSettings]\n" + racadm}, goal("c1e=disabled"), patch.Racadm, c1e + "BIOS.OtherSettings.ProcC1E" + job},
		{"racadm with the registry", []string{"[Key=BIOS.Setup.1-1#SysProfileSettings]\n" + racadm, menu}, goal("c1e=disabled"), patch.Racadm, c1e + "BIOS.SysProfileSettings.ProcC1E" + job},
		{"racadm without a key line", []string{racadm, menu}, goal("c1e=disabled"), patch.Racadm, c1e + "BIOS.SysProfileSettings.ProcC1E" + job},
		{"racadm, not a name", []string{"[Key=BIOS.Setup.1-1#A; reboot]\n" + racadm}, goal("c1e=disabled"), patch.Racadm, c1e + "'BIOS.A; reboot.ProcC1E'" + job},
		{"WS-Man", []string{`<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:n1="http://schemas.dell.com/wbem/wscim/1/cim-schema/2/DCIM_BIOSEnumeration"><s:Body>` + wsman("SysProfile", "Custom") + wsman("ProcC1E", "Enabled") + `</s:Body></s:Envelope>`},
			goal("c1e=disabled"), patch.Racadm, c1e + "BIOS.SysProfileSettings.ProcC1E" + job},
		{"a value is one word of a shell", []string{dell("Custom", "Odd=x")}, goal("workload_profile=it's; rm -rf /\nx"), patch.Racadm, "# workload_profile: SysProfile, Custom -> it's; rm -rf / x\nracadm set BIOS.SysProfileSettings.SysProfile 'it'\\''s; rm -rf / x'\nracadm jobqueue create BIOS.Setup.1-1\n"},
		{"OneCLI", []string{"Lenovo XClarity Essentials OneCLI\nProcessors.HyperThreading=Enable\nProcessors.TurboMode=Enable\nMemory.SocketInterleave=NUMA\n"}, goal("smt=disabled"), patch.OneCLI,
			"# smt: Processors.HyperThreading, Enable -> Disable\nonecli config set Processors.HyperThreading Disable --override\n"},
		{"OneCLI by Redfish names", []string{redfish(`"@odata.id": "/redfish/v1/Systems/1/Bios", "Oem": {"Lenovo": {}}`, "Processors_TurboMode=Enable")}, goal("turbo=disabled"), patch.OneCLI,
			"# turbo: Processors_TurboMode, Enable -> Disable\nonecli config set Processors.TurboMode Disable --override\n"},
		{"OneCLI of a later generation", []string{redfish(`"@odata.id": "/redfish/v1/Systems/1/Bios", "Oem": {"Lenovo": {}}`, "Processors_HyperThreading=Enabled")}, goal("smt=disabled"), patch.OneCLI,
			"# smt: Processors_HyperThreading, Enabled -> Disabled\nonecli config set Processors.HyperThreading Disabled --override\n"},
		{"syscfg", []string{"logicproc=enable\nnodeinterleave=disable\n"}, goal("smt=disabled"), patch.Syscfg, "# smt: logicproc, enable -> disable\nsyscfg --logicproc=disable\n"},
		{"syscfg beside an attribute of the same name", []string{"nodeinterleave=enable\n"}, goal("node_interleave=disabled"), patch.Syscfg, "# node_interleave: nodeinterleave, enable -> disable\nsyscfg --nodeinterleave=disable\n"},
		{"syscfg's power profile", []string{"logicproc=enable\nprofile=osctl\n"}, goal("power_policy=firmware_dynamic"), patch.Syscfg, "# power_policy: profile, osctl -> apc\nsyscfg power -profile=apc --setuppwdoverride\n"},
		{"a Server Configuration Profile", []string{dell("PerfPerWattOptimizedDapc")}, goal("c_states=disabled"), patch.SCP, "SysProfile=Custom ProcCStates=Disabled"},
		{"conrep", []string{conrep("HP_Power_Regulator")}, goal("smt=disabled"), patch.Conrep, "Intel_Hyperthreading=Disabled"},
		{"conrep by the text of setup", []string{conrep("Adjacent_Sector_Prefetch")}, goal("adjacent_prefetch=disabled"), patch.Conrep, "Adjacent_Sector_Prefetch=Disabled"},
		{"SUM", []string{sum("Hyper-Threading [ALL]: Enable of Disable, Enable")}, goal("smt=disabled"), patch.SUM, "Hyper-Threading [ALL]=Disable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := text(t, patch.Make(source(t, c.files...), c.goal), c.form)
			if strings.HasPrefix(out, "<") { // a file is read back
				e, err := bios.Decode(c.name, []byte(out))
				require.NoError(t, err)
				var pairs []string
				for _, a := range e.Attributes {
					pairs = append(pairs, a.Name+"="+a.Value)
				}
				out = strings.Join(pairs, " ")
			}
			assert.Equal(t, c.want, out)
		})
	}
}

// workloads are the columns of the tables copied from HPE's registries: what each workload profile writes.
func workloads(t *testing.T, system string) (names []string, writes map[string]map[string]string, factory map[string]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpustest.Root(t), "testdata", "profiles", "hpe-"+system+".tsv"))
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
	hpe := all.FindTable("HPE")
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
				met := slices.DeleteFunc(p.Met, func(id string) bool { return id == "workload_profile" })
				assert.Len(t, met, len(goal.Wants), "%s %s", system, name)
				continue
			}
			assert.Empty(t, p.Open, "%s %s", system, name)
			require.Len(t, p.Changes, 1)
			assert.Equal(t, name, p.Changes[0].To)
			after := maps.Clone(factory)
			maps.Copy(after, writes[name])
			after["WorkloadProfile"] = name
			then := patch.Make(source(t, resource(t, after)), goal)
			assert.Empty(t, then.Changes, "%s %s", system, name)
			assert.Empty(t, then.Open, "%s %s", system, name)
			reached++
		}
	}
	assert.Greater(t, reached, 70, "8 registries of 12 workload profiles")
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
	e := &bios.Export{Format: bios.Redfish, Vendor: bios.Dell, Table: &settings.Table{}}
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
		t.Run(c.want, func(t *testing.T) { assert.Equal(t, c.want, patch.HowToApply(c.form, &c.export)) })
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
			got, err := patch.ChooseForm(&c.export, string(f))
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

// TestWays checks that the instructions that a report prints for a setting equal the patch's change, with what must
// be done before.
func TestWays(t *testing.T) {
	src := source(t, `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Attributes": {"SysProfile": "PerfPerWattOptimizedDapc", "ProcTurboMode": "Disabled", "LogicalProc": "Enabled"}}`)
	made := patch.Make(src, patch.Goal{Wants: []patch.Want{{ID: "turbo", Words: []string{"enabled"}}, {ID: "smt", Words: []string{"disabled"}}, {ID: "numa_group", Words: []string{"flat"}}}})
	before, ways, reason := made.Instructions("turbo", settings.Change{Product: "PowerEdge R650", Platform: "ice-lake-sp"})
	assert.Equal(t, []string{"first set SysProfile to Custom: it is PerfPerWattOptimizedDapc, which governs the setting"}, before)
	assert.Empty(t, reason)
	require.NotEmpty(t, ways)
	assert.Contains(t, fmt.Sprint(ways), "racadm set BIOS.SysProfileSettings.ProcTurboMode Enabled")
	before, ways, _ = made.Instructions("smt", settings.Change{Platform: "ice-lake-sp"})
	assert.Empty(t, before)
	assert.Contains(t, fmt.Sprint(ways), "racadm set BIOS.ProcSettings.LogicalProc Disabled")
	_, ways, reason = made.Instructions("numa_group", settings.Change{})
	assert.Empty(t, ways)
	assert.Equal(t, "the export has no attribute for it", reason)
}
