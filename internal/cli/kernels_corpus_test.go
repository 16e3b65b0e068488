//go:build corpus

package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// stockKernel is how Linux runs a processor if its administrator changes nothing.
type stockKernel struct {
	name   string
	amd    bool
	policy map[string]string // files of each cpufreq policy
	files  hosttest.Files    // files below the folder of the CPUs
	bias   bool              // each CPU has an energy bias
}

const preferences = "default performance balance_performance balance_power power"

// stockKernels have the values that the drivers give themselves (Linux
// Documentation/admin-guide/pm: intel_pstate, intel_epb, amd-pstate, cpufreq).
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
	part, m := hosttest.Sapphire, hosttest.Machine{Sockets: 2, CoresPerSocket: 8, ThreadsPerCore: 2, NodesPerSocket: 1}
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
	// Without firmware's list of P-states acpi-cpufreq does not load, and intel_pstate leaves them to firmware that says it scales them.
	fixed := off("p_states") || setup["hwp"] == "oob" && k.policy["scaling_driver"] != "acpi-cpufreq" || k.policy["scaling_driver"] == "acpi-cpufreq" && setup["power_policy"] != "" && setup["power_policy"] != "os_control"
	for cpu := range m.CPUs() {
		if k.bias {
			f[fmt.Sprintf("%scpu%d/power/energy_perf_bias", hosttest.CPUDir, cpu)] = "6\n"
		}
		for name, text := range k.policy {
			if !fixed && !(off("hwp") && strings.HasPrefix(name, "energy_")) {
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

// vendorOf is sys_vendor of the machine that an export is of.
func vendorOf(file string) string {
	for part, vendor := range map[string]string{"/dell": "Dell Inc.", "/hp": "HPE", "/cray": "HPE", "/cisco": "Cisco Systems Inc", "/lenovo": "Lenovo",
		"/supermicro": "Supermicro", "/gigabyte": "GIGABYTE", "/zt": "ZTSYSTEMS"} {
		if strings.Contains(file, part) {
			return vendor
		}
	}
	return ""
}

// TestStockKernelsContradictNoExport puts every export of the corpus beside kernels
// that nobody has changed, on a machine whose firmware does what the export says.
// No setting contradicts BIOS setup but those that a kernel rewrites, which are
// notes that say so.
func TestStockKernelsContradictNoExport(t *testing.T) {
	b := newPatchBench(t)
	counts := map[string]int{}
	for i := range patchables {
		p := &patchables[i]
		file := corpustest.Dir(t, p.file)
		alone := b.stand(t, p, readFile(t, file))
		setup := map[string]string{}
		for id, s := range alone.sys.Settings {
			setup[id] = s.Configured.Or("")
		}
		e, err := bios.Decode(file, []byte(readFile(t, file)))
		require.NoError(t, err)
		amd := slices.Contains([]string{"rome", "milan", "genoa"}, p.platform)
		for k := range slices.Values(stockKernels) {
			if k.amd != amd {
				continue
			}
			tree := k.runs(setup).With(machinetest.DMI(vendorOf(p.file), p.product, "1.0"))
			root, err := host.OpenDir(tree.Write(t))
			require.NoError(t, err)
			sys, joined := collect.WithExports(collect.Input{Root: root, Tables: func() (settings.Tables, error) { return b.tables, nil }, Exports: []collect.Export{{Source: inventory.SourceBIOS, Path: file, Export: e}}})
			require.False(t, joined[0].Foreign, p.file)
			result, err := b.engine.Run(sys, population.Derive(sys, rules.FS), audit.Options{})
			require.NoError(t, err)
			for _, f := range result.Findings {
				if f.Rule != "settings.conflict" {
					continue
				}
				counts["settings compared, "+string(f.Result)]++
				if f.Result == verdict.Fail {
					counts["rewritten by the kernel: "+f.Subject]++
					assert.True(t, f.Severity == verdict.Info && strings.Contains(f.Found, "decided by the kernel"), "%s, %s: %v: %s", p.file, k.name, f.Subject, f.Found)
				}
			}
		}
	}
	corpustest.LogCounts(t, "conflicts", counts)
	assert.Greater(t, counts["settings compared, pass"], 500)
}
