package host_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

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
	assert.Equal(t, []string{"intel_pstate", "powersave"}, []string{c.First.Driver.Value, c.First.Governor.Value})
	assert.Equal(t, []string{"powersave", "performance"}, valuesOf(&c.Governors))
	assert.Equal(t, 64, c.Governors.Read)
	assert.False(t, c.Governors.UniformValue().Known())
	assert.Equal(t, "intel_pstate", c.Drivers.UniformValue().Value)
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
	assert.Equal(t, "intel_pstate", c.Drivers.UniformValue().Value, c.Drivers.Failed)
	assert.Equal(t, fact.SourceOK, c.Source.State, c.Source.Detail)

	root = captured(t, f.With(hosttest.Files{"sys/devices/system/cpu/online": "0-2\n"}))
	c = host.ReadCPUFreq(root, host.ReadCPU(root))
	assert.Equal(t, 3, c.Policies.Value, "a policy of a CPU that runs is not left out")
	assert.False(t, c.Drivers.UniformValue().Known())

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
	assert.Empty(t, f.CPU.Representatives())
}

// plainRegisters is a plain file with registers at their numbers; later ones overwrite earlier ones.
func plainRegisters(pairs ...uint64) string {
	var out []byte
	for i := 0; i < len(pairs); i += 2 {
		at := int(pairs[i])
		if len(out) < at+8 {
			out = append(out, make([]byte, at+8-len(out))...)
		}
		binary.LittleEndian.PutUint64(out[at:], pairs[i+1])
	}
	return string(out)
}

// sapphires is a machine with two Sapphire Rapids sockets.
func sapphires() hosttest.Files {
	return hosttest.Machine{Sockets: 2, CoresPerSocket: 2}.Files()
}

func readMSR(root *host.Root) *host.MSR { return host.ReadMSR(root, host.ReadCPU(root)) }

// TestMSROfPlainFiles checks that an unpacked tree may hold the files of /dev/cpu as plain files, and that a value
// that may come from a hole or a neighbouring register is not used.
func TestMSROfPlainFiles(t *testing.T) {
	dir := sapphires().Write(t)
	for _, c := range []struct {
		name     string
		content  string
		register uint32
		state    fact.State
		value    uint64
	}{
		{"a register alone", plainRegisters(0x1FC, 0x2004005b), host.MSRPowerCtl, fact.OK, 0x2004005b},
		{"a hole", plainRegisters(0x1FC, 0x2), host.MSRPackageCst, fact.Unread, 0},
		{"behind the end", plainRegisters(0x1A0, 0x850089), host.MSRPowerCtl, fact.Unread, 0},
		{"prefetchers alone", plainRegisters(0x1A4, 0xF), host.MSRPrefetch, fact.OK, 0xF},
		{"prefetchers alone are no upper half", plainRegisters(0x1A4, 0x40), host.MSRMiscEnable, fact.Unread, 0},
		{"upper half or prefetchers", plainRegisters(0x1A0, 0x4000850089, 0x1FC, 2), host.MSRPrefetch, fact.Unread, 0},
		{"prefetchers or upper half", plainRegisters(0x1A0, 0x4000850089, 0x1FC, 2), host.MSRMiscEnable, fact.Unread, 0},
		{"an upper half that ends the file", plainRegisters(0x1A0, 0x4000850089), host.MSRMiscEnable, fact.OK, 0x4000850089},
		{"no upper half", plainRegisters(0x1A0, 0x850089), host.MSRMiscEnable, fact.OK, 0x850089},
		{"empty", "", host.MSRPowerCtl, fact.Unread, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			registers := hosttest.Files{"dev/cpu/0/msr": c.content}
			registers.WriteTo(t, dir)
			for _, root := range []*host.Root{captured(t, sapphires().With(registers)), openDir(t, dir)} {
				got := readMSR(root).Readings[c.register][0]
				assert.Equal(t, c.state, got.State, "%v", got.Err)
				assert.Equal(t, c.value, got.Value)
				assert.Equal(t, "/dev/cpu/0/msr", got.From.Path)
			}
		})
	}
}

// TestMSRScope checks that the first CPU of each package is read, and for core registers the last one too.
func TestMSRScope(t *testing.T) {
	m := readMSR(captured(t, sapphires()))
	cpus := func(register uint32) (out [][2]int) {
		for _, r := range m.Readings[register] {
			out = append(out, [2]int{r.Package, r.CPU})
		}
		return out
	}
	assert.Equal(t, [][2]int{{0, 0}, {1, 2}}, cpus(host.MSRMiscEnable))
	assert.Equal(t, [][2]int{{0, 0}, {0, 1}, {1, 2}, {1, 3}}, cpus(host.MSRPrefetch))
	assert.Equal(t, [][2]int{{0, 0}, {0, 1}, {1, 2}, {1, 3}}, cpus(host.MSRLLCPrefetch))
	assert.Empty(t, cpus(host.MSRHWCR), "a register of AMD's")
}

// TestMSRSource checks the state of the source.
func TestMSRSource(t *testing.T) {
	f := sapphires()
	value := plainRegisters(0x1FC, 0x2)
	all := hosttest.Files{}
	for _, n := range []string{"0", "1", "2", "3"} {
		all["dev/cpu/"+n+"/msr"] = plainRegisters(0x1FC, 0x2, 0x1A4, 0xF)
	}
	denied := "memaudit-notes 1\n"
	for _, n := range []string{"0", "1", "2", "3"} {
		denied += "denied\t/dev/cpu/" + n + "/msr\n"
	}
	for _, c := range []struct {
		name   string
		files  hosttest.Files
		state  fact.SourceState
		detail string
	}{
		{"all", f.With(all), fact.SourceOK, ""},
		{"one package", f.With(hosttest.Files{"dev/cpu/0/msr": value}), fact.SourcePartial, "/dev/cpu/1/msr"},
		{"not captured", f, fact.SourceAbsent, "not in this capture"},
		{"denied", f.With(hosttest.Files{"memaudit-notes": denied}), fact.SourceDenied, "as the capture notes"},
		{"a processor without documented registers", f.With(hosttest.Files{"proc/cpuinfo": "processor : 0\nvendor_id : GenuineIntel\ncpu family : 15\nmodel : 4\nflags : fpu\n"}), fact.SourceAbsent, "no register of this processor is documented here"},
		{"packages not known", f.With(hosttest.Files{"sys/devices/system/cpu/cpu0/topology/physical_package_id": "x\n"}), fact.SourceMalformed, "physical_package_id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := readMSR(captured(t, c.files))
			assert.Equal(t, c.state, m.Source.State, m.Source.Detail)
			assert.Contains(t, m.Source.Detail, c.detail)
		})
	}
	for _, values := range [][2]string{{"0x80000000", "0x80838f3811400"}} {
		const register = "0xce"
		hidden := f.With(hosttest.Files{"memaudit-notes": "memaudit-notes 1\nmsr\t/dev/cpu/2/msr\t" + register + "\t" + values[0] + "\n"})
		m := readMSR(captured(t, hidden))
		assert.Equal(t, fact.SourceRefused, m.Source.State, "a hypervisor that hides itself")
		assert.Contains(t, m.Source.Detail, "as in virtual machines")
		assert.Empty(t, m.Readings)
		real := f.With(hosttest.Files{"memaudit-notes": "memaudit-notes 1\nmsr\t/dev/cpu/2/msr\t" + register + "\t" + values[1] + "\n"})
		assert.NotEmpty(t, readMSR(captured(t, real)).Readings)
	}
	m := host.RefuseMSR("a guest")
	assert.Equal(t, fact.SourceRefused, m.Source.State)
	assert.Empty(t, m.Readings)
}

// TestMSRDevices checks that devices in an unpacked tree are not read: the MSR driver's would show the running
// machine's registers, and other devices are unrelated.
func TestMSRDevices(t *testing.T) {
	dir := sapphires().Write(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "dev/cpu/0"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "dev/cpu/1"), 0o755))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "dev/cpu/1/msr"), 0o644))
	if err := unix.Mknod(filepath.Join(dir, "dev/cpu/0/msr"), unix.S_IFCHR|0o644, int(unix.Mkdev(202, 0))); err != nil {
		t.Skipf("no right to make a device: %v", err)
	}
	m := readMSR(openDir(t, dir))
	require.ErrorContains(t, m.Readings[host.MSRPrefetch][0].Err, "registers of the running machine")
	assert.Equal(t, fact.Refused, m.Readings[host.MSRPrefetch][1].State, "a FIFO")
	require.NoError(t, os.Remove(filepath.Join(dir, "dev/cpu/0/msr")))
	require.NoError(t, unix.Mknod(filepath.Join(dir, "dev/cpu/0/msr"), unix.S_IFCHR|0o644, int(unix.Mkdev(1, 5))))
	m = readMSR(openDir(t, dir))
	require.ErrorContains(t, m.Readings[host.MSRPrefetch][0].Err, "device 1:5 is not the registers of CPU 0")
}

// TestMSRRecorded checks that a capture returns the same registers, including refused ones and those one byte apart.
func TestMSRRecorded(t *testing.T) {
	f := sapphires().With(hosttest.Files{"memaudit-notes": "memaudit-notes 1\n" +
		"msr\t/dev/cpu/0/msr\t0x1a0\t0x4000850089\nmsr\t/dev/cpu/0/msr\t0x1a4\t0xf\nmsr\t/dev/cpu/0/msr\t0x1fc\trefused\nmsr\t/dev/cpu/2/msr\t0x1a0\t0x0\n"})
	root := captured(t, f)
	rec := root.Record()
	want := readMSR(root)
	assert.Equal(t, uint64(0x4000850089), want.Readings[host.MSRMiscEnable][0].Value)
	assert.Equal(t, uint64(0xf), want.Readings[host.MSRPrefetch][0].Value)
	assert.Equal(t, fact.Refused, want.Readings[host.MSRPowerCtl][0].State)
	assert.Equal(t, fact.OK, want.Readings[host.MSRMiscEnable][1].State, "0 is a value where it was noted")
	require.ErrorContains(t, want.Readings[host.MSREnergyBias][0].Err, "not in this capture", "another register of this CPU was noted")
	host.ReadAll(root)
	var out bytes.Buffer
	require.NoError(t, rec.Write(&out, time.Unix(1, 0), nil, nil))
	got := readMSR(open(t, out.Bytes()))
	for register, readings := range want.Readings {
		for i, r := range readings {
			assert.Equal(t, r.State, got.Readings[register][i].State, "0x%x", register)
			assert.Equal(t, r.Value, got.Readings[register][i].Value, "0x%x", register)
		}
	}
}

// TestGenerations checks the processors whose registers differ.
func TestGenerations(t *testing.T) {
	for _, c := range []struct {
		vendor        string
		family, model int
		want          host.Generation
	}{
		{"GenuineIntel", 6, 26, host.GenNehalem}, {"GenuineIntel", 6, 47, host.GenNehalem}, {"GenuineIntel", 6, 62, host.GenSandyBridge},
		{"GenuineIntel", 6, 79, host.GenHaswell}, {"GenuineIntel", 6, 85, host.GenSkylake}, {"GenuineIntel", 6, 106, host.GenIcelake},
		{"GenuineIntel", 6, 207, host.GenSapphire}, {"GenuineIntel", 6, 173, host.GenGranite}, {"GenuineIntel", 6, 23, host.GenOther},
		{"GenuineIntel", 6, 175, host.GenSierra}, {"GenuineIntel", 6, 221, host.GenSierra}, {"GenuineIntel", 19, 1, host.GenDiamond}, {"GenuineIntel", 19, 2, host.GenOther},
		{"GenuineIntel", 6, 95, host.GenOther}, {"GenuineIntel", 15, 4, host.GenOther}, {"AuthenticAMD", 23, 49, host.GenZen},
		{"AuthenticAMD", 25, 1, host.GenZen}, {"AuthenticAMD", 25, 33, host.GenZen}, {"AuthenticAMD", 25, 17, host.GenZen4}, {"AuthenticAMD", 25, 97, host.GenZen4},
		{"AuthenticAMD", 26, 2, host.GenZen4}, {"HygonGenuine", 24, 0, host.GenZen}, {"AuthenticAMD", 21, 2, host.GenOpteron}, {"AuthenticAMD", 16, 9, host.GenOther},
		{"ARM", 8, 3340, host.GenOther},
	} {
		cpu := &host.CPU{Identity: host.Identity{Vendor: fact.Fact[string]{Value: c.vendor, State: fact.OK},
			Family: fact.Fact[int]{Value: c.family, State: fact.OK}, Model: fact.Fact[int]{Value: c.model, State: fact.OK}}}
		assert.Equal(t, c.want, cpu.Generation(), "%+v", c)
	}
	assert.Equal(t, host.GenOther, (&host.CPU{}).Generation())
}

func TestMain(m *testing.M) {
	hosttest.InMemory()
	os.Exit(m.Run())
}
