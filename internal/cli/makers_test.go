package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// stockKernel is how Linux runs a processor with default settings.
type stockKernel struct {
	name   string
	amd    bool
	policy map[string]string // files of each cpufreq policy
	files  hosttest.Files    // files below the folder of the CPUs
	bias   bool              // each CPU has an energy bias
}

const preferences = "default performance balance_performance balance_power power"

// stockKernels have the defaults of the drivers (Linux Documentation/admin-guide/pm: intel_pstate, intel_epb,
// amd-pstate, cpufreq).
var stockKernels = []stockKernel{
	{name: "intel_pstate active", bias: true,
		policy: map[string]string{"scaling_driver": "intel_pstate", "scaling_governor": "powersave", "energy_performance_preference": "balance_performance", "energy_performance_available_preferences": preferences},
		files:  hosttest.Files{"intel_pstate/status": "active\n", "intel_pstate/no_turbo": "0\n"}},
	{name: "intel_pstate passive", bias: true,
		policy: map[string]string{"scaling_driver": "intel_cpufreq", "scaling_governor": "schedutil"},
		files:  hosttest.Files{"intel_pstate/status": "passive\n", "intel_pstate/no_turbo": "0\n"}},
	{name: "acpi-cpufreq", bias: true,
		policy: map[string]string{"scaling_driver": "acpi-cpufreq", "scaling_governor": "schedutil"},
		files:  hosttest.Files{"cpufreq/boost": "1\n"}},
	{name: "amd_pstate", amd: true,
		policy: map[string]string{"scaling_driver": "amd-pstate-epp", "scaling_governor": "powersave", "energy_performance_preference": "balance_performance", "energy_performance_available_preferences": preferences},
		files:  hosttest.Files{"amd_pstate/status": "active\n", "cpufreq/boost": "1\n"}},
	{name: "acpi-cpufreq on AMD", amd: true,
		policy: map[string]string{"scaling_driver": "acpi-cpufreq", "scaling_governor": "schedutil"},
		files:  hosttest.Files{"cpufreq/boost": "1\n"}},
}

// runs is the tree of a machine whose firmware did what BIOS setup has, below this kernel.
func (k *stockKernel) runs(setup map[string]string) hosttest.Files {
	part, m := hosttest.Sapphire, hosttest.Machine{Sockets: 2, CoresPerSocket: 4, ThreadsPerCore: 2, NodesPerSocket: 1}
	feature, table, unit := "vmx", "DMAR", "dmar0"
	if k.amd {
		part, feature, table, unit = hosttest.Rome, "svm", "IVRS", "ivhd0"
		m.L3PerSocket = 4
	}
	off := func(id string) bool { return setup[id] == "disabled" }
	if off("smt") {
		m.ThreadsPerCore = 1
	}
	if n, ok := map[string]int{"nps2": 2, "nps4": 4, "snc": 2, "snc2": 2, "snc4": 4, "cod": 2}[setup["sub_numa"]]; ok {
		m.NodesPerSocket = n
	}
	f := part.Tree(m)
	if off("c_states") && k.amd { // acpi_idle has what firmware offers; intel_idle has a table of its own
		f = f.Without(slices.Collect(k.deep(m))...)
	}
	if k.amd {
		f[hosttest.CPUDir+"cpuidle/current_driver"] = "acpi_idle\n"
	}
	// Without firmware's list of P-states acpi-cpufreq does not load, and intel_pstate leaves them to firmware that
	// reports to control them.
	fixed := off("p_states") || setup["hwp"] == "oob" && k.policy["scaling_driver"] != "acpi-cpufreq" || k.policy["scaling_driver"] == "acpi-cpufreq" && setup["power_policy"] != "" && setup["power_policy"] != "os_control"
	for cpu := range m.CPUs() {
		if k.bias {
			f[fmt.Sprintf("%scpu%d/power/energy_perf_bias", hosttest.CPUDir, cpu)] = "6\n"
		}
		for name, text := range k.policy {
			if !fixed && (!off("hwp") || !strings.HasPrefix(name, "energy_")) {
				f[fmt.Sprintf("%scpufreq/policy%d/%s", hosttest.CPUDir, cpu, name)] = text + "\n"
			}
		}
	}
	if !fixed {
		for name, text := range k.files {
			f[hosttest.CPUDir+name] = text
		}
	}
	flags := map[string]bool{feature: off("virtualization"), "x2apic": off("x2apic"), "monitor": off("monitor_mwait")}
	if off("turbo") {
		f[hosttest.CPUInfo] = hosttest.WithoutFlag(f[hosttest.CPUInfo], "ida")
		for name, text := range map[string]string{"intel_pstate/no_turbo": "1\n", "cpufreq/boost": "0\n"} {
			if _, there := f[hosttest.CPUDir+name]; there {
				f[hosttest.CPUDir+name] = text
			}
		}
	}
	if off("hwp") || k.amd {
		f[hosttest.CPUInfo] = hosttest.WithoutFlag(f[hosttest.CPUInfo], "hwp")
	}
	for flag, hidden := range flags {
		if !hidden {
			f = hosttest.Flags(f, flag)
		}
	}
	if !off("iommu") {
		f[hosttest.ACPI+table], f["sys/class/iommu/"+unit+"/uevent"] = "", "\n"
	}
	f["proc/sys/kernel/osrelease"] = "6.8.0\n"
	return f
}

// deep are the folders of the idle states below C1.
func (k *stockKernel) deep(m hosttest.Machine) func(func(string) bool) {
	return func(yield func(string) bool) {
		for cpu := range m.CPUs() {
			for state := 2; state < 4; state++ {
				if !yield(fmt.Sprintf("%scpu%d/cpuidle/state%d/", hosttest.CPUDir, cpu, state)) {
					return
				}
			}
		}
	}
}

// maker is a machine with one vendor's names of BIOS options.
type maker struct {
	vendor, product string
	amd             bool
	// tool begins the line with which check changes a setting.
	tool string
	// format is how an export of the attributes is written.
	format func(attributes [][2]string) string
	// Each option with the value that the kinds below need; "" if the machine does not have it.
	turboOff, turboOn, bias, iommu, smt [2]string
}

func redfishJSON(attributes [][2]string) string {
	all := map[string]string{}
	for _, a := range attributes {
		all[a[0]] = a[1]
	}
	text, _ := json.Marshal(map[string]any{"@odata.type": "#Bios.v1_1_0.Bios", "Id": "BIOS", "Attributes": all})
	return string(text)
}

func sumXML(attributes [][2]string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="ISO-8859-1"?><BiosCfg><Menu name="Advanced">`)
	for _, a := range attributes {
		fmt.Fprintf(&b, `<Setting name="%s" selectedOption="%s" type="Option"><Information><AvailableOptions><Option value="0">Disable</Option><Option value="1">Enable</Option></AvailableOptions></Information></Setting>`, a[0], a[1])
	}
	return b.String() + "</Menu></BiosCfg>"
}

var makers = []maker{
	{"Dell Inc.", "PowerEdge R760", false, "racadm: racadm set BIOS.SysProfileSettings.ProcTurboMode Enabled", redfishJSON,
		[2]string{"ProcTurboMode", "Disabled"}, [2]string{"ProcTurboMode", "Enabled"}, [2]string{"EnergyPerformanceBias", "MaxPower"}, [2]string{}, [2]string{"LogicalProc", "Enabled"}},
	{"Dell Inc.", "PowerEdge R6525", true, "racadm: racadm set BIOS.SysProfileSettings.ProcTurboMode Enabled", redfishJSON,
		[2]string{"ProcTurboMode", "Disabled"}, [2]string{"ProcTurboMode", "Enabled"}, [2]string{}, [2]string{"IommuSupport", "Enabled"}, [2]string{"LogicalProc", "Enabled"}},
	{"HPE", "ProLiant DL380 Gen11", false, "ilorest: ilorest set ProcTurbo=Enabled", redfishJSON,
		[2]string{"ProcTurbo", "Disabled"}, [2]string{"ProcTurbo", "Enabled"}, [2]string{"EnergyPerfBias", "MaxPerf"}, [2]string{"IntelProcVtd", "Enabled"}, [2]string{"ProcHyperthreading", "Enabled"}},
	{"HPE", "ProLiant DL385 Gen10 Plus", true, "ilorest: ilorest set ProcAMDBoost=Enabled", redfishJSON,
		[2]string{"ProcAMDBoost", "Disabled"}, [2]string{"ProcAMDBoost", "Enabled"}, [2]string{}, [2]string{"ProcAmdIoVt", "Enabled"}, [2]string{"ProcSMT", "Enabled"}},
	{"Lenovo", "ThinkSystem SR650 V3", false, "Processors_TurboMode", redfishJSON,
		[2]string{"Processors_TurboMode", "Disabled"}, [2]string{"Processors_TurboMode", "Enabled"}, [2]string{"Power_PlatformControlledType", "MaximumPerformance"}, [2]string{"DevicesandIOPorts_IntelVTforDirectedIOVTd", "Enabled"}, [2]string{"Processors_HyperThreading", "Enabled"}},
	{"Lenovo", "ThinkSystem SR645", true, "Processors_CorePerformanceBoost", redfishJSON,
		[2]string{"Processors_CorePerformanceBoost", "Disabled"}, [2]string{"Processors_CorePerformanceBoost", "Enabled"}, [2]string{}, [2]string{"DevicesandIOPorts_IOMMU", "Enabled"}, [2]string{"Processors_SMTMode", "Enabled"}},
	{"Cisco Systems Inc", "UCSC-C240-M7SX", false, "IntelTurboBoostTech", redfishJSON,
		[2]string{"IntelTurboBoostTech", "Disabled"}, [2]string{"IntelTurboBoostTech", "Enabled"}, [2]string{"CpuEngPerfBias", "Performance"}, [2]string{"IntelVTD", "Enabled"}, [2]string{"IntelHyperThread", "Enabled"}},
	{"Supermicro", "SYS-621U-TNR", false, `sum: edit: set "Turbo Mode" to Enable`, sumXML,
		[2]string{"Turbo Mode", "Disable"}, [2]string{"Turbo Mode", "Enable"}, [2]string{"ENERGY_PERF_BIAS_CFG mode", "Maximum Performance"}, [2]string{"Intel® VT for Directed I/O (VT-d)", "Enable"}, [2]string{"Hyper-Threading [ALL]", "Enable"}},
}

// wanted is a site's profile of what the kinds below disable.
const wanted = `profiles:
  - id: site/wanted
    intent: [hpc]
    title: what the test wants
    citation: {vendor: Site, title: Table}
    settings:
      turbo: {want: enabled, level: warning}
      smt: {want: enabled, level: warning}
      iommu: {want: enabled, level: warning}
      energy_perf_bias: {want: max_performance, level: warning}
`

// settingsJudged are the findings about settings, by rule and subject.
func settingsJudged(t *testing.T, m *maker, f hosttest.Files, attributes ...[2]string) map[string]string {
	t.Helper()
	args := []string{"check", "--root", f.With(machinetest.DMI(m.vendor, m.product, "1.0")).Write(t), "--rules", writeFile(t, filepath.Join(t.TempDir(), "wanted.yaml"), []byte(wanted)),
		"--profile", "site/wanted", "--format", "json", "--fail-on", "never"}
	if len(attributes) > 0 {
		args = append(args, "--bios", export(t, m.format(attributes)))
	}
	_, out, errs := run(nil, args...)
	doc := decoded[struct {
		Findings []struct {
			Rule, Subject, Result, Severity, Found, Reason, Remedy string
			CausedBy                                               string `json:"caused_by"`
		}
	}](t, out, errs)
	judged := map[string]string{}
	for _, x := range doc.Findings {
		if strings.HasPrefix(x.Rule, "setting") {
			key := x.Rule
			if id, ok := strings.CutPrefix(x.Subject, "setting "); ok && strings.HasPrefix(key, "settings.") {
				key += " " + id
			}
			judged[key] = x.Result + " " + x.Severity + ": " + x.Found + x.Reason + " | " + x.Remedy + " | " + x.CausedBy
		}
	}
	return judged
}

// TestKindsOfEveryVendor checks each kind of report from the field on every vendor's machine, with each stock kernel.
func TestKindsOfEveryVendor(t *testing.T) {
	t.Parallel()
	for i := range makers {
		m := &makers[i]
		for k := range slices.Values(stockKernels) {
			if k.amd != m.amd {
				continue
			}
			t.Run(m.vendor+" "+m.product+", "+k.name, func(t *testing.T) {
				t.Parallel()
				tree := func() hosttest.Files { return k.runs(nil) }
				turboOff := tree()
				if k.policy["scaling_driver"] == "acpi-cpufreq" || k.amd {
					turboOff[hosttest.CPUDir+"cpufreq/boost"] = "0\n"
				} else {
					turboOff[hosttest.CPUDir+"intel_pstate/no_turbo"] = "1\n"
				}
				t.Run("an energy bias that the kernel rewrites is no conflict", func(t *testing.T) {
					if m.bias[0] == "" {
						t.Skip("the machine has no energy bias")
					}
					got := settingsJudged(t, m, tree(), m.bias)
					assert.NotContains(t, got["settings.conflict energy_perf_bias"], "fail")
					assert.Contains(t, got["setting.energy_perf_bias"], "pass")
				})
				t.Run("Turbo that is off at run time fails without an export, and is one problem", func(t *testing.T) {
					got := settingsJudged(t, m, turboOff)
					assert.Contains(t, got["setting.turbo"], "fail warning")
					if strings.HasPrefix(got["settings.overridden turbo"], "fail") {
						assert.Contains(t, got["setting.turbo"], "| settings.overridden")
					}
				})
				t.Run("what holds the clock is told although BIOS setup has Turbo off, which has its own cause", func(t *testing.T) {
					f := k.runs(map[string]string{"turbo": "disabled"})
					for path := range f {
						if strings.HasSuffix(path, "/scaling_governor") {
							f[path] = "userspace\n"
						}
					}
					got := settingsJudged(t, m, f, m.turboOff)
					assert.Contains(t, got["settings.overridden turbo"], "fail warning")
					assert.NotContains(t, got["setting.turbo"], "settings.overridden")
				})
				t.Run("what takes Turbo back is named, not BIOS setup", func(t *testing.T) {
					got := settingsJudged(t, m, turboOff, m.turboOn)
					said := got["settings.overridden turbo"] + got["settings.conflict turbo"]
					assert.Contains(t, said, "fail warning")
					assert.NotContains(t, said+got["setting.turbo"], m.tool)
				})
				t.Run("an IOMMU that the command line turns off is not sought in BIOS setup", func(t *testing.T) {
					if m.iommu[0] == "" {
						t.Skip("the document of the machine has no such option")
					}
					option := "intel_iommu=off"
					if k.amd {
						option = "amd_iommu=off"
					}
					got := settingsJudged(t, m, hosttest.Notes(hosttest.Options(tree(), option).Without("sys/class/iommu/"), "names\t/sys/class/iommu"), m.iommu)
					assert.Contains(t, got["settings.overridden iommu"], "fail warning: the kernel's command line has "+option)
					assert.NotContains(t, got["settings.overridden iommu"]+got["setting.iommu"], m.iommu[0])
				})
				t.Run("the way to change a setting is the maker's own", func(t *testing.T) {
					assert.Contains(t, settingsJudged(t, m, tree(), m.turboOff)["setting.turbo"], m.tool)
				})
				t.Run("nosmt is named", func(t *testing.T) {
					off := tree()
					for path := range off {
						if strings.HasSuffix(path, "/topology/thread_siblings_list") {
							cpu, _, _ := strings.Cut(off[path], ",")
							off[path] = strings.TrimSpace(cpu) + "\n"
						}
					}
					off[hosttest.CPUDir+"smt/control"], off[hosttest.CPUDir+"smt/active"] = "off\n", "0\n"
					got := settingsJudged(t, m, hosttest.Options(off, "nosmt"), m.smt)
					assert.Contains(t, got["settings.overridden smt"], "fail warning: the kernel's command line has nosmt")
				})
			})
		}
	}
}

// TestStockDistribution checks that servers as they are delivered give no warning about settings under distributions as
// they are installed, whose drivers choose the energy bias, the preference and the idle states.
func TestStockDistribution(t *testing.T) {
	t.Parallel()
	intel := map[string][3]string{ // maker, product, what BIOS setup has
		"dell":       {"Dell Inc.", "PowerEdge R760", `{"SysProfile":"PerfPerWattOptimizedDapc","ProcTurboMode":"Enabled","ProcCStates":"Enabled","ProcC1E":"Enabled","LogicalProc":"Enabled","EnergyPerformanceBias":"BalancedPerformance","ProcX2Apic":"Enabled","NodeInterleave":"Disabled","SubNumaCluster":"Disabled","ProcVirtualization":"Enabled"}`},
		"hpe":        {"HPE", "ProLiant DL380 Gen11", `{"WorkloadProfile":"GeneralPowerEfficientCompute","ProcHyperthreading":"Enabled","ProcTurbo":"Enabled","EnergyPerfBias":"BalancedPerf","PowerRegulator":"DynamicPowerSavings","MinProcIdlePower":"C6","MinProcIdlePkgState":"C6Retention","IntelProcVtd":"Enabled","ProcX2Apic":"Enabled","SubNumaClustering":"Disabled"}`},
		"lenovo":     {"Lenovo", "ThinkSystem SR650 V3", `{"OperatingModes_ChooseOperatingMode":"MaximumEfficiency","Processors_HyperThreading":"Enabled","Processors_TurboMode":"Enabled","Processors_CStates":"Legacy","Processors_C1EnhancedMode":"Enabled","Processors_SNC":"Disabled","Power_PowerPerformanceBias":"PlatformControlled","Power_PlatformControlledType":"Efficiency_FavorPerformance"}`},
		"cisco":      {"Cisco Systems Inc", "UCSC-C220-M7S", `{"IntelHyperThread":"enabled","IntelTurboBoostTech":"enabled","CpuEngPerfBias":"balanced-performance","ProcessorCState":"enabled","ProcessorC1E":"enabled","ProcessorC6Report":"enabled","IntelVTD":"enabled","SNC":"disabled"}`},
		"supermicro": {"Supermicro", "SYS-620U-TNR", "Hyper-Threading [ALL]: Enable\nTurbo Mode: Enable\nEnhanced Halt State (C1E): Enable\nCPU C6 report: Auto\nPower Performance Tuning: OS Controls EPB\nENERGY_PERF_BIAS_CFG Mode: Balanced Performance\nSNC: Disable\n"},
	}
	amd := map[string][3]string{
		"dell":       {"Dell Inc.", "PowerEdge R7615", `{"SysProfile":"PerfPerWattOptimizedDapc","ProcTurboMode":"Enabled","ProcCStates":"Enabled","LogicalProc":"Enabled","NumaNodesPerSocket":"1","IommuSupport":"Enabled","ProcX2Apic":"Enabled","ProcVirtualization":"Enabled"}`},
		"hpe":        {"HPE", "ProLiant DL325 Gen10 Plus", `{"WorkloadProfile":"GeneralPowerEfficientCompute","ProcSMT":"Enabled","ProcAMDBoost":"Enabled","MinProcIdlePower":"C6","NumaMemoryDomainsPerSocket":"Auto","ProcAmdIoVt":"Enabled","ProcX2Apic":"Auto","PowerRegulator":"OsControl"}`},
		"lenovo":     {"Lenovo", "ThinkSystem SR635 V3", `{"OperatingModes_ChooseOperatingMode":"MaximumEfficiency","Memory_NUMANodesperSocket":"NPS1","Processors_CPPC":"Enabled","Processors_CorePerformanceBoost":"Enabled","Processors_SMTMode":"Enabled","Processors_SVMMode":"Enabled","DevicesandIOPorts_IOMMU":"Enabled"}`},
		"cisco":      {"Cisco Systems Inc", "UCSC-C225-M6S", `{"CbsCpuSmtCtrl":"Enabled","CbsCmnCpuGlobalCstateCtrl":"Auto","CbsCmnGnbNbIOMMU":"Auto","CbsDfCmnDramNps":"Auto","SvmMode":"Enabled"}`},
		"supermicro": {"Supermicro", "AS -1115CS-TNR", `{"CorePerformanceBoost_00CC":"Auto","IOMMU_00EA":"Auto","NUMANodesPerSocket_703E":"NPS1","SMTControl_00CB":"Auto","SVMMode_00D8":"Enabled"}`},
	}
	systems := map[string][4]string{ // driver, governor, preference, bias
		"rhel, tuned throughput-performance": {"intel_pstate", "performance", "performance", "0"},
		"rhel, tuned off":                    {"intel_pstate", "performance", "performance", "6"},
		"rhel 10, tuned off":                 {"intel_pstate", "powersave", "balance_performance", "6"},
		"ubuntu, debian, sles":               {"intel_pstate", "powersave", "balance_performance", "7"},
		"intel_pstate passive":               {"intel_cpufreq", "schedutil", "balance_performance", "6"},
		"intel, acpi-cpufreq":                {"acpi-cpufreq", "ondemand", "", "6"},
		"amd_pstate active, tuned":           {"amd-pstate-epp", "performance", "performance", ""},
		"amd_pstate active":                  {"amd-pstate-epp", "powersave", "balance_performance", ""},
		"amd_pstate passive or guided":       {"amd-pstate", "schedutil", "", ""},
		"amd, acpi-cpufreq":                  {"acpi-cpufreq", "ondemand", "", ""},
	}
	for name, s := range systems {
		part, exports := hosttest.Sapphire, intel
		if s[3] == "" {
			part, exports = hosttest.Rome, amd
		}
		for vendor, x := range exports {
			text := x[2]
			if text[0] == '{' {
				text = `{"@odata.type":"#Bios.v1_2_0.Bios","Id":"Bios","Attributes":` + text + `}`
			}
			t.Run(vendor+", "+name, func(t *testing.T) {
				_, out, errs := run(nil, "check", "--root", installed(part, x, s).Write(t), "--bios", writeFile(t, filepath.Join(t.TempDir(), "bios.json"), []byte(text)), "--format", "json")
				doc := decoded[report.Report](t, out, errs)
				for _, f := range doc.Findings {
					if f.Result == "fail" && f.Severity != "info" {
						assert.NotRegexp(t, "^settings?[.]", f.Rule, "%s %s: %s", f.Rule, f.Subject, f.Found)
					}
				}
			})
		}
	}
}

// installed is a machine of a maker under a distribution's kernel.
func installed(part hosttest.Part, maker [3]string, system [4]string) hosttest.Files {
	f := part.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 2, ThreadsPerCore: 2, Policies: true})
	f["sys/devices/virtual/dmi/id/sys_vendor"], f["sys/devices/virtual/dmi/id/product_name"] = maker[0]+"\n", maker[1]+"\n"
	for n := range 8 {
		policy, cpu := fmt.Sprintf("sys/devices/system/cpu/cpufreq/policy%d/", n), fmt.Sprintf("sys/devices/system/cpu/cpu%d/", n)
		f[policy+"scaling_driver"], f[policy+"scaling_governor"] = system[0]+"\n", system[1]+"\n"
		delete(f, policy+"energy_performance_preference")
		if system[2] != "" {
			f[policy+"energy_performance_preference"] = system[2] + "\n"
		}
		if system[3] != "" {
			f[cpu+"power/energy_perf_bias"] = system[3] + "\n"
		}
		for i, state := range []string{"POLL", "C1", "C1E", "C6"} {
			dir := fmt.Sprintf("%scpuidle/state%d/", cpu, i)
			f[dir+"name"], f[dir+"disable"], f[dir+"default_status"] = state+"\n", "0\n", "enabled\n"
		}
	}
	f["sys/devices/system/cpu/cpuidle/current_driver"] = "intel_idle\n"
	f = hosttest.Flags(f, "x2apic vmx svm")
	f[hosttest.ACPI+"DMAR"] = ""
	if system[3] == "" {
		delete(f, hosttest.ACPI+"DMAR")
		f[hosttest.ACPI+"IVRS"], f["sys/class/iommu/ivhd0/"] = "", ""
		f["sys/devices/system/cpu/cpuidle/current_driver"] = "acpi_idle\n"
	}
	return f
}

// TestPatchThatMakesWorse checks that a preset is not taken away where an option below it, whose word is not known, would
// then act against the profile.
func TestPatchThatMakesWorse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bios.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"@odata.type":"#Bios.v1_2_0.Bios","Id":"Bios","Attributes":{"OperatingModes_ChooseOperatingMode":"Efficiency_FavorPerformance",`+
		`"Processors_CPUPstateControl":"Autonomous","Processors_CStates":"Legacy","Processors_HyperThreading":"Enabled"}}`), 0o600))
	root := installed(hosttest.Sapphire, [3]string{"Lenovo", "ThinkSystem SR650 V3"}, [4]string{"intel_pstate", "powersave", "balance_performance", "6"}).Write(t)
	_, out, errs := run(nil, "profiles", "patch", "workloads/vsphere-intel", "--root", root, "--bios", file)
	assert.NotContains(t, out, "OperatingModes_ChooseOperatingMode", errs)
	assert.Contains(t, errs, "power_policy would be firmware_dynamic")
}

// TestIdleStatesInUse checks that idle states which Linux uses fail a row that wants them off, whatever BIOS setup has, and
// that the fix holds a step in Linux.
func TestIdleStatesInUse(t *testing.T) {
	t.Parallel()
	root := installed(hosttest.Sapphire, [3]string{"Dell Inc.", "PowerEdge R760"}, [4]string{"intel_pstate", "performance", "performance", "0"}).Write(t)
	for _, word := range []string{"Disabled", "Enabled"} {
		_, out, errs := run(nil, "check", "--root", root, "--profile", "low-latency", "--format", "json",
			"--bios", export(t, redfishJSON([][2]string{{"ProcCStates", word}, {"ProcC1E", word}, {"SysProfile", "Custom"}})))
		doc := decoded[report.Report](t, out, errs)
		failed := map[string]string{}
		for _, f := range doc.Findings {
			if f.Result == "fail" {
				failed[f.Rule] = string(f.Remedy)
			}
		}
		assert.Contains(t, failed, "setting.c_states", word)
		assert.Contains(t, failed["setting.c1e"], "cpupower idle-set", word)
	}
}

// TestPartOfADocument checks that the verdict says how much of its document the profile that was asked for holds.
func TestPartOfADocument(t *testing.T) {
	t.Parallel()
	root := installed(hosttest.Sapphire, [3]string{"Lenovo", "ThinkSystem SR650 V3"}, [4]string{"intel_pstate", "powersave", "power", "6"}).Write(t)
	for _, asked := range []bool{true, false} {
		args := []string{"check", "--root", root}
		if asked {
			args = append(args, "--profile", "workloads/vsphere-intel")
		}
		_, out, errs := run(nil, append(args, "--format", "json")...)
		doc := decoded[report.Report](t, out, errs)
		assert.Equal(t, asked, doc.Profile != nil && strings.Contains(string(doc.Profile.Part), "second-hand"), out[:400])
	}
}
