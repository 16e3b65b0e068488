package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

// TestStockDistribution checks that servers as they are delivered give no warning about settings under distributions as
// they are installed, whose drivers choose the energy bias, the preference and the idle states.
func TestStockDistribution(t *testing.T) {
	t.Parallel()
	exports := map[string][3]string{ // maker, product, what BIOS setup has
		"dell":       {"Dell Inc.", "PowerEdge R760", `{"SysProfile":"PerfPerWattOptimizedDapc","ProcTurboMode":"Enabled","ProcCStates":"Enabled","ProcC1E":"Enabled","LogicalProc":"Enabled","EnergyPerformanceBias":"BalancedPerformance","ProcX2Apic":"Enabled","NodeInterleave":"Disabled","SubNumaCluster":"Disabled","ProcVirtualization":"Enabled"}`},
		"hpe":        {"HPE", "ProLiant DL380 Gen11", `{"WorkloadProfile":"GeneralPowerEfficientCompute","ProcHyperthreading":"Enabled","ProcTurbo":"Enabled","EnergyPerfBias":"BalancedPerf","PowerRegulator":"DynamicPowerSavings","MinProcIdlePower":"C6","MinProcIdlePkgState":"C6Retention","IntelProcVtd":"Enabled","ProcX2Apic":"Enabled","SubNumaClustering":"Disabled"}`},
		"lenovo":     {"Lenovo", "ThinkSystem SR650 V3", `{"OperatingModes_ChooseOperatingMode":"MaximumEfficiency","Processors_HyperThreading":"Enabled","Processors_TurboMode":"Enabled","Processors_CStates":"Legacy","Processors_C1EnhancedMode":"Enabled","Processors_SNC":"Disabled","Power_PowerPerformanceBias":"PlatformControlled","Power_PlatformControlledType":"Efficiency_FavorPerformance"}`},
		"cisco":      {"Cisco Systems Inc", "UCSC-C220-M7S", `{"IntelHyperThread":"enabled","IntelTurboBoostTech":"enabled","CpuEngPerfBias":"balanced-performance","ProcessorCState":"enabled","ProcessorC1E":"enabled","ProcessorC6Report":"enabled","IntelVTD":"enabled","SNC":"disabled"}`},
		"supermicro": {"Supermicro", "SYS-620U-TNR", "Hyper-Threading [ALL]: Enable\nTurbo Mode: Enable\nEnhanced Halt State (C1E): Enable\nCPU C6 report: Auto\nPower Performance Tuning: OS Controls EPB\nENERGY_PERF_BIAS_CFG Mode: Balanced Performance\nSNC: Disable\n"},
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
	for vendor, x := range exports {
		file := filepath.Join(t.TempDir(), "bios.json")
		text := x[2]
		if text[0] == '{' {
			text = `{"@odata.type":"#Bios.v1_2_0.Bios","Id":"Bios","Attributes":` + text + `}`
		}
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		for name, s := range systems {
			part := hosttest.Sapphire
			if s[3] == "" {
				part = hosttest.Rome
			}
			root := installed(part, x, s).Write(t)
			t.Run(vendor+", "+name, func(t *testing.T) {
				_, out, errs := run(nil, "check", "--root", root, "--bios", file, "--format", "json")
				var doc report.Report
				require.NoError(t, json.Unmarshal([]byte(out), &doc), errs)
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
		var doc report.Report
		require.NoError(t, json.Unmarshal([]byte(out), &doc), errs)
		assert.Equal(t, asked, doc.Profile != nil && strings.Contains(string(doc.Profile.Part), "second-hand"), out[:400])
	}
}
