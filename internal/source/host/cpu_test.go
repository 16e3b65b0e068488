package host_test

import (
	"fmt"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

func readCPU(t testing.TB, f hosttest.Files) *host.CPU {
	t.Helper()
	return host.ReadCPU(captured(t, f))
}

func cpuFile(cpu int, rest string) string {
	return fmt.Sprintf("sys/devices/system/cpu/cpu%d/%s", cpu, rest)
}

func TestReadCPU(t *testing.T) {
	m := hosttest.Machine{Sockets: 2, NodesPerSocket: 2, CoresPerSocket: 4, ThreadsPerCore: 2, L3PerSocket: 2, Alternate: true}
	c := readCPU(t, m.Files())
	assert.Equal(t, host.Source{Name: "cpu", State: fact.SourceOK}, c.Source)
	assert.Equal(t, []inventory.Package{
		{ID: 0, CPUs: []int{0, 2, 4, 6, 8, 10, 12, 14}, Cores: 4},
		{ID: 1, CPUs: []int{1, 3, 5, 7, 9, 11, 13, 15}, Cores: 4},
	}, c.Packages.Value)
	assert.Equal(t, 8, c.Cores.Value)
	assert.Equal(t, 2, c.ThreadsPerCore.Value)
	assert.Equal(t, 4, c.CPUsPerL3().Value)
	assert.Equal(t, "on", c.SMTControl.Value)
	assert.Equal(t, []int{0, 14, 1, 15}, c.Representatives())
	assert.Equal(t, "GenuineIntel", c.Vendor.Value)
	assert.Equal(t, []int{6, 143, 8}, []int{c.Family.Value, c.Model.Value, c.Stepping.Value})
	assert.True(t, c.Flags.Value["ida"])
	assert.Equal(t, "x86_64", c.Architecture.Value)
}

func TestOfflineThreads(t *testing.T) {
	f := hosttest.Machine{Sockets: 2, CoresPerSocket: 2, ThreadsPerCore: 2}.Files()
	f["sys/devices/system/cpu/online"] = "0-4\n" // CPU 4 is the sibling of CPU 0
	f["sys/devices/system/cpu/offline"] = "5-7\n"
	c := readCPU(t, f)
	assert.Equal(t, 4, c.Cores.Value)
	assert.Equal(t, 2, c.ThreadsPerCore.Value, "the largest over online CPUs")
	assert.Equal(t, []int{5, 6, 7}, c.Offline.Value)
}

func TestPackagesNotFromLists(t *testing.T) {
	base := hosttest.Machine{Sockets: 2, CoresPerSocket: 4}.Files()
	t.Run("the list names the node, two of one id", func(t *testing.T) {
		f := base.With(nil)
		for cpu := range 8 {
			list := fmt.Sprintf("%d-%d\n", cpu/2*2, cpu/2*2+1)
			f[cpuFile(cpu, "topology/package_cpus_list")] = list
		}
		assert.Equal(t, []inventory.Package{{ID: 0, CPUs: []int{0, 1, 2, 3}, Cores: 4}, {ID: 1, CPUs: []int{4, 5, 6, 7}, Cores: 4}}, readCPU(t, f).Packages.Value)
	})
	t.Run("one list with two ids", func(t *testing.T) {
		f := base.With(nil)
		for cpu := range 8 {
			f[cpuFile(cpu, "topology/package_cpus_list")] = "0-7\n"
		}
		assert.Len(t, readCPU(t, f).Packages.Value, 2)
	})
	t.Run("overlapping lists", func(t *testing.T) {
		f := base.With(hosttest.Files{cpuFile(4, "topology/package_cpus_list"): "3-7\n"})
		assert.Len(t, readCPU(t, f).Packages.Value, 2, "then every CPU is asked")
	})
	t.Run("id -1", func(t *testing.T) {
		f := base.With(nil)
		for cpu := range 8 {
			f[cpuFile(cpu, "topology/physical_package_id")] = "-1\n"
		}
		c := readCPU(t, f)
		assert.Equal(t, fact.Unstated, c.Packages.State)
		assert.Equal(t, fact.SourcePartial, c.Source.State)
		assert.Equal(t, 8, c.Cores.Value)
	})
}

func TestCoresNotFromBrokenLists(t *testing.T) {
	base := hosttest.Machine{Sockets: 1, CoresPerSocket: 4, ThreadsPerCore: 2}.Files()
	for name, list := range map[string]string{"overlap": "0,5\n", "not itself": "3\n", "garbage": "x\n"} {
		t.Run(name, func(t *testing.T) {
			c := readCPU(t, base.With(hosttest.Files{cpuFile(1, "topology/thread_siblings_list"): list}))
			assert.Equal(t, fact.Malformed, c.Cores.State)
			assert.Equal(t, fact.Malformed, c.ThreadsPerCore.State)
			assert.Equal(t, fact.Malformed, c.Packages.State, "%s: no package with a core count that is none")
		})
	}
}

func TestOldKernelMasks(t *testing.T) {
	f := hosttest.Machine{Sockets: 2, CoresPerSocket: 2, ThreadsPerCore: 2}.Files().Without("sys/devices/system/cpu/online")
	for cpu := range 8 {
		for _, list := range []string{"thread_siblings_list", "core_cpus_list", "package_cpus_list", "core_siblings_list"} {
			delete(f, cpuFile(cpu, "topology/"+list))
		}
		core := cpu % 4
		f[cpuFile(cpu, "topology/thread_siblings")] = fmt.Sprintf("00000000,%08x\n", 0x11<<core)
		f[cpuFile(cpu, "topology/core_siblings")] = fmt.Sprintf("00000000,%08x\n", 0x33<<(core/2*2))
	}
	c := readCPU(t, f)
	assert.Equal(t, hosttest.Seq(0, 7, 1), c.Online.Value, "from the topology folders")
	assert.Equal(t, []inventory.Package{{ID: 0, CPUs: []int{0, 1, 4, 5}, Cores: 2}, {ID: 1, CPUs: []int{2, 3, 6, 7}, Cores: 2}}, c.Packages.Value)
	assert.Equal(t, 2, c.ThreadsPerCore.Value)
}

func TestOnlyCPUInfo(t *testing.T) {
	all := hosttest.Machine{Sockets: 2, CoresPerSocket: 2, ThreadsPerCore: 2}.Files()
	c := readCPU(t, hosttest.Files{"proc/cpuinfo": all["proc/cpuinfo"]})
	assert.Equal(t, hosttest.Seq(0, 7, 1), c.Online.Value)
	assert.Equal(t, []inventory.Package{{ID: 0, CPUs: []int{0, 1, 4, 5}, Cores: 2}, {ID: 1, CPUs: []int{2, 3, 6, 7}, Cores: 2}}, c.Packages.Value)
	assert.Equal(t, 4, c.Cores.Value)
	assert.Equal(t, 2, c.ThreadsPerCore.Value)
	assert.Equal(t, fact.Unread, c.L3.State)
	arm := readCPU(t, hosttest.Files{"proc/cpuinfo": "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\nCPU revision\t: 1\n"})
	assert.Equal(t, "ARM", arm.Vendor.Value)
	assert.Equal(t, 0xd0c, arm.Model.Value)
	assert.Equal(t, "aarch64", arm.Architecture.Value)
	assert.NotEqual(t, fact.OK, arm.Packages.State, "cpuinfo of Arm names no packages")
	assert.NotEqual(t, fact.OK, arm.ThreadsPerCore.State)
}

// TestArchitectureOfCPUInfo checks that an architecture that kernels before 6.1 do not name is recognised by keys of
// cpuinfo that only it prints.
func TestArchitectureOfCPUInfo(t *testing.T) {
	for want, cpuinfo := range map[string]string{
		"x86_64":  "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu lm\n",
		"i686":    "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu\n",
		"aarch64": "processor\t: 0\nCPU architecture: 8\n",
		"s390x":   "vendor_id       : IBM/S390\n# processors    : 2\nfeatures\t: esan3 zarch\nprocessor 0: version = FF,  machine = 2817\n",
		"ppc64":   "processor\t: 0\ncpu\t\t: POWER7 (architected), altivec supported\nclock\t\t: 3864.000000MHz\nrevision\t: 2.1 (pvr 003f 0201)\n",
		"":        "processor\t: 0\nhart\t\t: 3\nisa\t\t: rv64imafdc\n",
	} {
		assert.Equal(t, want, readCPU(t, hosttest.Files{"proc/cpuinfo": cpuinfo}).Architecture.Value, cpuinfo)
	}
}

func TestL3IsFoundByLevel(t *testing.T) {
	f := hosttest.Machine{Sockets: 2, CoresPerSocket: 2}.Files()
	for cpu := range 4 {
		// Level 3 at index 2, and a level 2 cache of code at index 3.
		f[cpuFile(cpu, "cache/index2/level")], f[cpuFile(cpu, "cache/index3/level")] = "3\n", "2\n"
		f[cpuFile(cpu, "cache/index2/shared_cpu_list")] = f[cpuFile(cpu, "cache/index3/shared_cpu_list")]
		f[cpuFile(cpu, "cache/index3/shared_cpu_list")] = fmt.Sprintln(cpu)
	}
	assert.Equal(t, [][]int{{0, 1}, {2, 3}}, readCPU(t, f).L3.Value)
	for cpu := range 4 {
		f[cpuFile(cpu, "cache/index2/level")] = "2\n"
	}
	c := readCPU(t, f)
	assert.Equal(t, fact.Absent, c.L3.State, "without an L3 there is no group")
}

func TestSMTFilesMissing(t *testing.T) {
	c := readCPU(t, hosttest.Machine{CoresPerSocket: 2}.Files().Without("sys/devices/system/cpu/smt"))
	assert.Equal(t, fact.Unread, c.SMTControl.State)
	assert.Equal(t, fact.SourceOK, c.Source.State, "kernels before 4.19 have none")
}

// packages is a tree with n processors, each in a package of its own.
func packages(n int) hosttest.Files {
	f := hosttest.Files{"sys/devices/system/cpu/online": fmt.Sprintf("0-%d\n", n-1), "sys/devices/system/node/online": "0\n"}
	for i := range n {
		at := fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/", i)
		for _, name := range []string{"thread_siblings_list", "package_cpus_list", "physical_package_id"} {
			f[at+name] = strconv.Itoa(i) + "\n"
		}
	}
	return f
}

// TestOversized checks that a tree with more processors, packages or nodes than Linux supports is refused by name,
// and that the largest supported one (in make corpus) is not.
func TestOversized(t *testing.T) {
	check := func(f hosttest.Files) error { return host.CheckSize(host.Capture(f).Root()) }
	if corpustest.Stage { // the largest take a second
		require.NoError(t, check(packages(1024)))
		require.NoError(t, check(hosttest.Machine{Sockets: 8, CoresPerSocket: 512, ThreadsPerCore: 2}.Files()))
	}
	err := check(packages(1025))
	require.ErrorIs(t, err, host.ErrOversized)
	require.ErrorContains(t, err, "1025 processor packages, at most 1024 are read")
	err = check(hosttest.Files{"sys/devices/system/cpu/online": "0-8192\n"})
	require.ErrorContains(t, err, "8193 processors online, at most 8192 are read")
	nodes := hosttest.Files{"sys/devices/system/cpu/online": "0\n"}
	for i := range 1025 {
		nodes[fmt.Sprintf("sys/devices/system/node/node%d/meminfo", i)] = "x\n"
	}
	require.ErrorContains(t, check(nodes), "1025 memory nodes, at most 1024 are read")
}

// blameless removes the causes of unknown values and the details of sources, which name an errno or the capture;
// states, values, paths and texts stay.
func blameless(f *host.Facts) *host.Facts {
	strip(reflect.ValueOf(f))
	return f
}

func strip(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		strip(v.Elem())
	case reflect.Struct:
		if s, ok := v.Addr().Interface().(*host.Source); ok {
			s.Detail = ""
			return
		}
		for i := range v.NumField() {
			strip(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			strip(v.Index(i))
		}
	case reflect.Interface: // the error of a fact, whose reason is compared
		v.SetZero()
	default:
	}
}

// workstation are the attributes of one driver as the kernel shows them: the entry of the class is a link to a
// virtual device.
func workstation() hosttest.Files {
	const dev = "sys/devices/virtual/firmware-attributes/thinklmi/attributes/"
	return hosttest.Files{
		"sys/class/firmware-attributes/thinklmi": hosttest.LinkTo + "../../devices/virtual/firmware-attributes/thinklmi",
		dev + "NUMA/current_value":               "Auto;[Optional:NPS1,NPS2,NPS4,Auto][Status:ShowOnly]\n",
		dev + "NUMA/display_name":                "NUMA\n",
		dev + "SMT/type":                         "enumeration\n",
		dev + "SMT/current_value":                "Enabled\n",
		dev + "SMT/possible_values":              "Disabled;Enabled;\n",
		dev + "SerialNumber/type":                "string\n",
		dev + "SerialNumber/current_value":       "PF000001\n",
		dev + "pending_reboot":                   "1\n",
		dev + "save_settings":                    "single\n",
		"sys/class/firmware-attributes/":         "",
		"sys/devices/system/cpu/online":          "0-3\n",
	}
}

func readFirmware(t *testing.T, files hosttest.Files) *host.FirmwareAttributes {
	t.Helper()
	root, err := host.OpenDir(files.Write(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return host.ReadFirmwareAttributes(root)
}

func TestFirmwareAttributes(t *testing.T) {
	f := readFirmware(t, workstation())
	assert.Equal(t, host.Source{Name: "firmware_attributes", State: fact.SourceOK}, f.Source)
	require.Len(t, f.Drivers.Value, 1)
	d := f.Drivers.Value[0]
	assert.Equal(t, "thinklmi", d.Name)
	assert.True(t, d.PendingReboot.Known() && d.PendingReboot.Value)
	require.Len(t, d.Attributes.Value, 3)
	numa, smt, serial := d.Attributes.Value[0], d.Attributes.Value[1], d.Attributes.Value[2]
	assert.Equal(t, "Auto", numa.Current.Value, "the options are not part of the value")
	assert.Equal(t, []string{"NPS1", "NPS2", "NPS4", "Auto"}, numa.Possible)
	assert.Equal(t, "/sys/class/firmware-attributes/thinklmi/attributes/NUMA/current_value", numa.Current.From.Path)
	assert.Equal(t, "Enabled", smt.Current.Value)
	assert.Equal(t, []string{"Disabled", "Enabled"}, smt.Possible)
	assert.False(t, serial.Current.Known(), "a text identifies a machine: its value is not read")
}

// TestOptionsInTheValue checks that only the values after "Optional:" are options, and that the driver's own list
// precedes it.
func TestOptionsInTheValue(t *testing.T) {
	const dev = "sys/devices/virtual/firmware-attributes/thinklmi/attributes/A/"
	for value, want := range map[string][]string{
		"On;[Optional:On,Off]\n":                            {"On", "Off"},
		"On;[Status:ShowOnly][Optional:On,Off]\n":           {"On", "Off"},
		"On;[Status:ShowOnly]\n":                            nil,
		"SATA 1:Network 1;[Excluded from boot order:USB]\n": nil,
		"On\n": nil,
	} {
		a := readFirmware(t, workstation().With(hosttest.Files{dev + "current_value": value})).Drivers.Value[0].Attributes.Value[0]
		assert.Equal(t, want, a.Possible, value)
		assert.NotContains(t, a.Current.Value, ";", value)
		a = readFirmware(t, workstation().With(hosttest.Files{dev + "current_value": value, dev + "possible_values": "Yes;No\n"})).Drivers.Value[0].Attributes.Value[0]
		assert.Equal(t, []string{"Yes", "No"}, a.Possible, value)
	}
}

// TestFirmwareAttributesAbsent checks that a machine without the class has no source for it, and that values that
// cannot be read make the source partial.
func TestFirmwareAttributesAbsent(t *testing.T) {
	f := readFirmware(t, hosttest.Files{"sys/devices/system/cpu/online": "0\n"})
	assert.False(t, f.IsPresent())

	files := workstation()
	const dev = "sys/devices/virtual/firmware-attributes/thinklmi/attributes/"
	f = readFirmware(t, files.With(hosttest.Files{dev + "SMT/current_value": "", dev + "pending_reboot": "maybe\n"}))
	assert.Equal(t, fact.SourcePartial, f.Source.State)
	assert.Contains(t, f.Source.Detail, "SMT/current_value")
	assert.Equal(t, fact.Malformed, f.Drivers.Value[0].PendingReboot.State)
}
