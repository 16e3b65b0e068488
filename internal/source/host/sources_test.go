package host_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

func TestMemory(t *testing.T) {
	f := hosttest.Machine{Sockets: 2, NodeMiB: 4096}.Files()
	m := host.ReadMemory(captured(t, f))
	assert.Equal(t, fact.SourceOK, m.Source.State)
	assert.Equal(t, int64(hosttest.Managed(0, 4096)+hosttest.Managed(1, 4096))<<10, m.TotalBytes.Value)
	assert.Equal(t, int64(8<<30-0x60000), m.MapBytes.Value, "the end of a range is inclusive")
	assert.Equal(t, int64(2<<30), m.BlockSizeBytes.Value, "hexadecimal without 0x")
	assert.Equal(t, 4, m.Blocks.Value)
	assert.Equal(t, fact.Unread, m.OnlineBytes.State, "not read if there is a map")
	f = f.Without("sys/firmware/memmap").With(hosttest.Files{"sys/devices/system/memory/memory3/state": "offline\n"})
	m = host.ReadMemory(captured(t, f))
	assert.Equal(t, int64(6<<30), m.OnlineBytes.Value)
	m = host.ReadMemory(captured(t, f.Without("sys/devices/system/memory/memory2/")))
	assert.Equal(t, int64(4<<30), m.OnlineBytes.Value)
	m = host.ReadMemory(captured(t, f.With(hosttest.Files{"sys/devices/system/memory/memory2/state": ""})))
	assert.Equal(t, fact.Truncated, m.OnlineBytes.State, "one block unknown: no sum")
}

func TestEDACLayouts(t *testing.T) {
	const mc = "sys/devices/system/edac/mc/"
	f := hosttest.Files{
		mc + "mc10/mc_name":     "i10nm\n",
		mc + "mc10/dimm10/size": "32768\n", mc + "mc10/dimm10/dimm_label": "CPU_SrcID#0_MC#0_Chan#1_DIMM#0\n",
		mc + "mc10/dimm10/dimm_location": "channel 1 slot 0 \n", mc + "mc10/dimm10/dimm_edac_mode": "SECDED\n",
		mc + "mc10/dimm10/dimm_mem_type": "Unbuffered-DDR5\n",
		mc + "mc10/dimm10/dimm_ce_count": "7\n", mc + "mc10/dimm10/dimm_ue_count": "-1\n", mc + "mc10/seconds_since_reset": "86400\n", mc + "mc10/ce_noinfo_count": "2\n", mc + "mc10/ue_noinfo_count": "5\n",
		mc + "mc10/dimm2/size": "32768\n", mc + "mc10/csrow0/size_mb": "65536\n",
		mc + "mc2/mc_name": "F17h\n", mc + "mc2/rank0/size": "8192\n", mc + "mc2/rank0/dimm_location": "csrow 0 channel 0 \n",
		mc + "mc3/mc_name": "old\n", mc + "mc3/csrow1/size_mb": "4096\n", mc + "mc3/csrow1/edac_mode": "S4ECD4ED\n", mc + "mc3/csrow1/ch0_dimm_label": "A1\n",
		mc + "power/control": "auto\n",
	}
	e := host.ReadEDAC(captured(t, f))
	require.Len(t, e.Controllers.Value, 3)
	var got []string
	for _, c := range e.Controllers.Value {
		for _, d := range c.Entries.Value {
			got = append(got, fmt.Sprintf("mc%d %s %d MiB %q %s", c.Index, c.Name.Value, d.SizeBytes.Value>>20, d.Location.Value, d.Mode.Value))
		}
	}
	assert.Equal(t, []string{
		`mc2 F17h 8192 MiB "csrow 0 channel 0" `,
		`mc3 old 4096 MiB "csrow 1" S4ECD4ED`,
		`mc10 i10nm 32768 MiB "" `,
		`mc10 i10nm 32768 MiB "channel 1 slot 0" SECDED`,
	}, got)
	last := e.Controllers.Value[2]
	assert.Equal(t, []int64{7, 86400, 2, 5}, []int64{last.Entries.Value[1].Corrected.Value, last.CountedSeconds.Value, last.CorrectedNoInfo.Value, last.UncorrectedNoInfo.Value})
	assert.Equal(t, fact.Unstated, last.Entries.Value[1].Uncorrected.State)
	assert.Equal(t, fact.Absent, last.Entries.Value[0].Corrected.State, "no file, and no 0")
	assert.Equal(t, fact.Unread, e.Controllers.Value[1].Entries.Value[0].Corrected.State, "a csrow is several modules")
	assert.Equal(t, fact.SourceOK, e.Source.State, e.Source.Detail)
}

func TestCPUFreqDiffers(t *testing.T) {
	m := hosttest.Machine{Sockets: 2, CoresPerSocket: 100, Policies: true}
	f := m.Files().With(hosttest.Files{
		"sys/devices/system/cpu/cpufreq/policy199/scaling_governor":                            "performance\n",
		cpuFile(100, "power/energy_perf_bias"):                                                 "0\n",
		"sys/devices/system/cpu/cpufreq/boost":                                                 "1\n",
		"sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/max_freq_khz":         "2400000\n",
		"sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/initial_max_freq_khz": "2500000\n",
	})
	root := host.Capture(f).Root()
	c := host.ReadCPUFreq(root, host.ReadCPU(root))
	assert.Equal(t, 200, c.Policies.Value)
	assert.Equal(t, "intel_pstate", c.First.Driver.Value)
	assert.Equal(t, []string{"powersave", "performance"}, valuesOf(&c.Governors))
	assert.Equal(t, 64, c.Governors.Read)
	assert.False(t, c.Governors.Uniform().Known())
	assert.Equal(t, "intel_pstate", c.Drivers.Uniform().Value)
	assert.Equal(t, []string{"6", "0"}, valuesOf(&c.EPB))
	assert.True(t, c.Boost.Value)
	assert.False(t, c.NoTurbo.Value)
	assert.True(t, c.NoTurbo.Known())
	assert.Equal(t, int64(2500000), c.Uncore.Value[0].InitialMaxKHz.Value)
	assert.Equal(t, fact.SourceOK, c.Source.State, c.Source.Detail)
}

// TestOddFrequencies puts odd contents into each file of a policy whose clock is limited: nothing panics, no base
// frequency is made up, and the other files are read as before.
func TestOddFrequencies(t *testing.T) {
	const policy = "sys/devices/system/cpu/cpufreq/policy0/"
	f := hosttest.Machine{CoresPerSocket: 2}.Files().With(hosttest.Files{
		policy + "scaling_driver": "acpi-cpufreq\n", policy + "scaling_governor": "ondemand\n", policy + "cpuinfo_max_freq": "2301000\n",
		policy + "scaling_max_freq": "1700000\n", policy + "scaling_available_frequencies": "2301000 2300000 1700000 1200000 \n", policy + "bios_limit": "2301000\n",
	})
	read := func(f hosttest.Files) *host.CPUFreq {
		root := host.Capture(f).Root()
		return host.ReadCPUFreq(root, host.ReadCPU(root))
	}
	whole := read(f)
	require.Len(t, whole.Caps, 1)
	assert.Equal(t, int64(2300000), whole.Caps[0].Base.Value)
	for name := range f {
		if !strings.HasPrefix(name, policy) {
			continue
		}
		for _, odd := range []string{"", "\n", "\v\n", "\f", "\x00", "\v\f \v\n", "99999999999999999999\n", "-1\n", "9223372036854775807\n", "<unsupported>\n", "\xff\xfe\n"} {
			c := read(f.With(hosttest.Files{name: odd, cpuFile(0, "acpi_cppc/nominal_freq"): "9223372036854775807\n"}))
			for _, limit := range c.Caps {
				if name != policy+"scaling_available_frequencies" {
					assert.Equal(t, int64(2300000), limit.Base.Value, "%s %q", name, odd)
				} else if limit.Base.Known() {
					assert.Equal(t, strings.TrimSpace(odd), strconv.FormatInt(limit.Base.Value, 10))
				}
			}
		}
	}
}

// TestPoliciesOfOfflineCPUs checks CPUs that are offline because SMT is off: the kernel keeps the folders of the
// second threads and refuses to read their files, which does not affect the online CPUs.
func TestPoliciesOfOfflineCPUs(t *testing.T) {
	const policy = "sys/devices/system/cpu/cpufreq/policy"
	notes := "memaudit-notes 1\n"
	for _, n := range []string{"2", "3"} {
		for _, file := range []string{"scaling_driver", "scaling_governor", "energy_performance_preference"} {
			notes += "refused\t/" + policy + n + "/" + file + "\tread\tdevice or resource busy\n"
		}
	}
	f := hosttest.Machine{CoresPerSocket: 2, ThreadsPerCore: 2, Policies: true}.Files().With(hosttest.Files{
		"memaudit-notes": notes, "sys/devices/system/cpu/online": "0-1\n", "sys/devices/system/cpu/offline": "2-3\n"})
	root := captured(t, f)
	c := host.ReadCPUFreq(root, host.ReadCPU(root))
	assert.Equal(t, 2, c.Policies.Value)
	assert.Equal(t, "intel_pstate", c.Drivers.Uniform().Value, c.Drivers.Failed)
	assert.Equal(t, fact.SourceOK, c.Source.State, c.Source.Detail)

	root = captured(t, f.With(hosttest.Files{"sys/devices/system/cpu/online": "0-2\n"}))
	c = host.ReadCPUFreq(root, host.ReadCPU(root))
	assert.Equal(t, 3, c.Policies.Value, "a policy of a CPU that runs is not left out")
	assert.False(t, c.Drivers.Uniform().Known())

	root = captured(t, f.With(hosttest.Files{"memaudit-notes": "memaudit-notes 1\n"}))
	c = host.ReadCPUFreq(root, host.ReadCPU(root))
	assert.Equal(t, 4, c.Policies.Value, "a policy named by an offline CPU may have others that run")

	root = captured(t, f.With(hosttest.Files{"sys/devices/system/cpu/online": "x\n"}))
	c = host.ReadCPUFreq(root, host.ReadCPU(root))
	assert.Equal(t, 4, c.Policies.Value, "which CPUs run is not known")
}

func TestNoTurboIsNeverADefault(t *testing.T) {
	f := hosttest.Machine{Policies: true}.Files()
	for _, text := range []string{"", "\n", "2\n", "on\n", "-1\n"} {
		root := captured(t, f.With(hosttest.Files{"sys/devices/system/cpu/intel_pstate/no_turbo": text}))
		assert.NotEqual(t, fact.OK, host.ReadCPUFreq(root, host.ReadCPU(root)).NoTurbo.State, "%q", text)
	}
}

func TestOldCPUFreq(t *testing.T) {
	f := hosttest.Machine{CoresPerSocket: 3}.Files()
	for cpu := range 3 {
		f[cpuFile(cpu, "cpufreq/scaling_driver")], f[cpuFile(cpu, "cpufreq/scaling_governor")] = "acpi-cpufreq\n", "ondemand\n"
	}
	root := captured(t, f)
	c := host.ReadCPUFreq(root, host.ReadCPU(root))
	assert.Equal(t, 3, c.Policies.Value)
	assert.Equal(t, "acpi-cpufreq", c.First.Driver.Value)
}

func TestCPUIdle(t *testing.T) {
	f := hosttest.Machine{Sockets: 2, CoresPerSocket: 2}.Files().With(hosttest.Files{
		cpuFile(3, "cpuidle/state3/disable"): "1\n", cpuFile(0, "cpuidle/state3/default_status"): "disabled\n",
		"sys/module/intel_idle/parameters/max_cstate": "9\n",
	})
	root := captured(t, f)
	c := host.ReadCPUIdle(root, host.ReadCPU(root))
	assert.Equal(t, "intel_idle", c.Driver.Value)
	require.Len(t, c.States.Value, 4)
	assert.Equal(t, "C6", c.States.Value[3].Name.Value)
	assert.Equal(t, "disabled", c.States.Value[3].DefaultStatus.Value)
	assert.False(t, c.States.Value[3].Disabled.Value)
	assert.Equal(t, []string{"0 0 0 0", "0 0 0 1"}, valuesOf(&c.Disabled))
	assert.Equal(t, []string{"POLL C1 C1E C6"}, valuesOf(&c.Names))
	assert.Equal(t, int64(9), c.IntelIdleMax.Value)
	assert.Equal(t, fact.Unread, c.ProcessorMax.State)
}

func TestSMBIOS(t *testing.T) {
	const dmi = "sys/firmware/dmi/"
	s := host.ReadSMBIOS(captured(t, hosttest.Files{dmi + "tables/DMI": "\x00\x01table", dmi + "tables/smbios_entry_point": "_SM3_"}))
	assert.Equal(t, []byte("\x00\x01table"), s.Table.Value)
	assert.Equal(t, []byte("_SM3_"), s.EntryPoint.Value)
	assert.Equal(t, fact.SourceOK, s.Source.State)
	s = host.ReadSMBIOS(captured(t, hosttest.Files{dmi + "tables/DMI": ""}))
	assert.Equal(t, fact.Truncated, s.Table.State)
	s = host.ReadSMBIOS(captured(t, hosttest.Files{dmi + "tables/DMI": strings.Repeat("x", host.LimitSMBIOS+1)}))
	assert.Equal(t, fact.Truncated, s.Table.State)
	assert.Len(t, s.Partial, host.LimitSMBIOS, "what could be read is not lost")
	entries := hosttest.Files{}
	for i, name := range []string{"17-1", "4-0", "17-0"} {
		entries[dmi+"entries/"+name+"/raw"], entries[dmi+"entries/"+name+"/position"] = name, fmt.Sprintln(i)
	}
	s = host.ReadSMBIOS(captured(t, entries))
	assert.Equal(t, []host.SMBIOSEntry{
		{Type: 17, Instance: 1, Position: 0, Data: []byte("17-1")}, {Type: 4, Instance: 0, Position: 1, Data: []byte("4-0")}, {Type: 17, Instance: 0, Position: 2, Data: []byte("17-0")},
	}, s.Entries.Value)
	assert.Equal(t, fact.SourcePartial, s.Source.State)
	s = host.ReadSMBIOS(captured(t, entries.Without(dmi+"entries/4-0/position")))
	assert.Equal(t, []int{4, 17, 17}, []int{s.Entries.Value[0].Type, s.Entries.Value[1].Type, s.Entries.Value[2].Type}, "by type without a position")
	s = host.ReadSMBIOS(captured(t, entries.With(hosttest.Files{dmi + "entries/4-0/raw": ""})))
	assert.Equal(t, fact.Truncated, s.Entries.State, "a table with a hole would lie")
}

func TestDMIID(t *testing.T) {
	f := hosttest.Machine{}.Files().With(hosttest.Files{"sys/devices/virtual/dmi/id/product_name": " R630 \n\x00", "sys/devices/virtual/dmi/id/bios_date": "\n"})
	d := host.ReadDMIID(captured(t, f))
	assert.Equal(t, "R630", d.Product.Value)
	assert.Equal(t, fact.Unstated, d.BIOSDate.State)
	assert.Equal(t, fact.Absent, d.ProductSerial.State)
	assert.Equal(t, fact.SourceOK, d.Source.State)
}

func TestVirt(t *testing.T) {
	f := hosttest.Machine{}.Files()
	read := func(f hosttest.Files) *host.Virtualization {
		root := captured(t, f)
		return host.ReadVirt(root, host.ReadCPU(root))
	}
	v := read(f.With(hosttest.Files{
		"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "00000800\n",
		"proc/cpuinfo": strings.ReplaceAll(f["proc/cpuinfo"], " lm ", " lm hypervisor "),
	}))
	assert.True(t, v.HypervisorFlag.Value)
	assert.Equal(t, "xen", v.Type.Value)
	assert.Equal(t, uint64(1<<11), v.XenFeatures.Value)
	v = read(f)
	assert.True(t, v.HypervisorFlag.Known())
	assert.False(t, v.HypervisorFlag.Value)
	v = read(hosttest.Files{"proc/cpuinfo": "processor : 0\nFeatures : fp\nCPU architecture: 8\n"})
	assert.False(t, v.HypervisorFlag.Known(), "Arm has no such flag")
	const compatible = "proc/device-tree/hypervisor/compatible"
	assert.Equal(t, "xen,xen-4.17", read(f.With(hosttest.Files{compatible: "xen,xen-4.17\x00xen,xen\x00"})).DeviceTree.Value, "the first of several")
	assert.Equal(t, fact.Unstated, read(f.With(hosttest.Files{compatible: " \n"})).DeviceTree.State)
}

func TestCmdline(t *testing.T) {
	c := host.ReadCmdline(captured(t, hosttest.Files{"proc/cmdline": "numa=on quiet numa=off\n"}))
	assert.Equal(t, "numa=on quiet numa=off", c.Line.Value)
	require.Len(t, c.Options, 3)
	assert.Equal(t, kerneltext.Option{Key: "numa", Value: "off", Raw: "numa=off"}, c.Options[2], "in the line's order: the last one counts")
}

// valuesOf are the different values of a sample.
func valuesOf(s *host.Sampled) (values []string) {
	for _, f := range s.Distinct {
		values = append(values, f.Value)
	}
	return values
}

func TestNothingAtAll(t *testing.T) {
	f := host.ReadAll(openDir(t, hosttest.Files{"sys/": ""}.Write(t)))
	for _, s := range f.Sources() {
		assert.Equal(t, fact.SourceAbsent, s.State, s.Name)
		assert.Contains(t, s.Detail, "not in this capture", s.Name)
	}
	var zero fact.Fact[int]
	assert.False(t, zero.Known(), "the zero value is not known")
	assert.Empty(t, f.CPU.Sample())
}
