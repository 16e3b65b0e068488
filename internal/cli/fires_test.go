package cli

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// situation is a machine in a state that a rule is made for.
type situation struct {
	name string
	// fails are the rules that it is about, which must fail.
	fails []string
	// check returns the arguments of the check.
	check func(t *testing.T) []string
}

// situations are states of the project's machines that take more than a tree, or hardware that none of them has.
var situations = []situation{
	{"a module moved since it was accepted", []string{"baseline.changed"}, func(t *testing.T) []string {
		return []string{"--root", tree(t, "dell-r610-unbalanced"), "--baseline", saveBaseline(t, "--root", tree(t, "dell-r610-good"))}
	}},
	{"a setting that waits", []string{"settings.pending"}, func(t *testing.T) []string {
		return []string{"--root", tree(t, "dell-r610-good"), "--bios", export(t, exportText)}
	}},
	{"a setting that contradicts the running system", []string{"settings.conflict"}, func(t *testing.T) []string {
		return []string{"--root", tree(t, "dell-r610-good"), "--bios", export(t, "node_interleave: enabled\n")}
	}},
	{"Turbo switched off at run time", []string{"settings.overridden"}, func(t *testing.T) []string {
		return []string{"--root", treeOf(t).With(hosttest.Files{hosttest.CPUDir + "intel_pstate/no_turbo": "1\n",
			hosttest.CPUDir + "cpufreq/policy0/scaling_driver": "intel_pstate\n", hosttest.CPUDir + "cpufreq/policy0/scaling_governor": "powersave\n"}).Write(t)}
	}},
	{"a CXL card of which nothing is mapped", []string{"memory.cxl.used"}, func(t *testing.T) []string {
		return []string{"--root", treeOf(t).With(cxlDevice).Write(t)}
	}},
	{"a kernel told to ignore the nodes", []string{"numa.nodes.used"}, func(t *testing.T) []string {
		node := hosttest.NodeDir
		return []string{"--root", treeOf(t).Without(node + "node1/").With(hosttest.Files{"proc/cmdline": "ro numa=off\n", node + "online": "0\n", node + "has_cpu": "0\n", node + "has_memory": "0\n",
			node + "node0/distance": "10\n"}).Write(t)}
	}},
	{"CPUs that are offline", []string{"processor.online"}, func(t *testing.T) []string {
		return []string{"--root", treeOf(t).With(hosttest.Files{"sys/devices/system/cpu/online": "0-2\n", "sys/devices/system/cpu/offline": "3\n"}).Write(t)}
	}},
	{"memory errors that firmware reports", []string{"memory.errors.corrected", "memory.errors.uncorrected"}, func(t *testing.T) []string {
		log := ""
		for i := range 12 {
			log += fmt.Sprintf("[%5d.000000] {%d}[Hardware Error]: event severity: corrected\n[%5d.000001] {%d}[Hardware Error]:  Error 0, type: corrected\n"+
				"[%5d.000002] {%d}[Hardware Error]:   section_type: memory error\n[%5d.000003] {%d}[Hardware Error]:   DIMM location: not present. DMI handle: 0x1100\n", 600+i, i, 600+i, i, 600+i, i, 600+i, i)
		}
		log += "[ 9000.000000] {99}[Hardware Error]:  Error 0, type: recoverable\n[ 9000.000001] {99}[Hardware Error]:   section_type: memory error\n[ 9000.000002] {99}[Hardware Error]:   fru_text: DIMM_B2\n"
		return []string{"--root", treeOf(t).With(hosttest.Files{"dev/kmsg": log}).Write(t)}
	}},
	{"a page that Linux took away", []string{"memory.pages.offlined"}, func(t *testing.T) []string {
		f := treeOf(t)
		f["proc/meminfo"] += "HardwareCorrupted:    12 kB\n"
		return []string{"--root", f.With(hosttest.Files{"dev/kmsg": "[88231.731904] Memory failure: 0x3f5a7b: recovery action for dirty LRU page: Recovered\n"}).Write(t)}
	}},
	{"persistent modules whose goal setup does not carry out", []string{"memory.persistent.used"}, func(t *testing.T) []string {
		v := machinetest.Varied{Server: machinetest.Servers()["dell-r740"], Sockets: 2, Threads: 1, Files: hosttest.Files{"sys/bus/nd/devices/ndbus0/provider": "ACPI.NFIT\n", "sys/bus/nd/devices/nmem0/id": "8089-a2-1837-00000b7a\n"}}
		for slot := range 24 {
			d := smbiostest.DIMM{Bytes: 16 << 30, Rank: 2, Speed: 2666, Configured: 2666, Manufacturer: "Samsung", Part: "M393A2K43BB1-CTD"}
			switch in := slot % 12; {
			case in == 6 || in == 9:
				d = smbiostest.DIMM{Bytes: 129408 << 20, Technology: 7, Speed: 2666, Configured: 2666, Manufacturer: "Intel", Part: "NMA1XXD128GPS"}
			case in > 6:
				d = smbiostest.DIMM{}
			}
			v.Modules = append(v.Modules, d)
		}
		f := v.Tree()
		f["proc/meminfo"] = "MemTotal:       197421548 kB\n"
		return []string{"--root", f.Write(t), "--bios", export(t, "volatile_memory_mode: 1lm\n")}
	}},
	{"an NVMe without a node", []string{"device.node"}, func(t *testing.T) []string {
		return []string{"--root", treeOf(t).With(pci([4]string{"0000:65:00.0", "0x010802", "0x144d", "-1"})).Write(t)}
	}},
	{"less than Slurm expects", []string{"slurm.node"}, func(t *testing.T) []string {
		file := fileOf(t, "node", "NodeName=n1 RealMemory=64000 Sockets=2 CoresPerSocket=2 ThreadsPerCore=1\n")
		return []string{"--root", treeOf(t).Write(t), "--slurm", file}
	}},
	{"two nodes on one processor and one on the other", []string{"numa.nodes.expected"}, func(t *testing.T) []string {
		node := hosttest.NodeDir
		return []string{"--root", treeOf(t).With(hosttest.Files{node + "online": "0-2\n", node + "has_cpu": "0-2\n", node + "has_memory": "0-1\n",
			node + "node0/cpulist": "0\n", node + "node2/cpulist": "1\n", node + "node2/meminfo": "Node 2 MemTotal: 0 kB\n", node + "node2/distance": "20 20 10\n",
			node + "node0/distance": "10 20 20\n", node + "node1/distance": "20 10 20\n"}).Write(t)}
	}},
	{"a kernel told to leave memory alone", []string{"memory.capacity.visible", "numa.node.memory"}, func(t *testing.T) []string {
		node := hosttest.NodeDir
		return []string{"--root", treeOf(t).With(hosttest.Files{"proc/cmdline": "ro mem=4G\n", "proc/meminfo": "MemTotal: 4063232 kB\n",
			node + "has_memory": "0\n", node + "node0/meminfo": "Node 0 MemTotal: 4063232 kB\n", node + "node1/meminfo": "Node 1 MemTotal: 0 kB\n"}).Write(t)}
	}},
	{"CXL memory in DRAM's tier with DRAM's weight", []string{"numa.tier.distinct", "numa.interleave.weights"}, func(t *testing.T) []string {
		return []string{"--root", withCXLNode(treeOf(t)).Write(t)}
	}},
}

// odd are situations that only a firmware table shows.
var odd = []situation{
	{"a module without a running speed", []string{"memory.module.running"}, func(t *testing.T) []string {
		return []string{"--smbios", supermicro(t, "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", [3]int{6, 79, 1}, 14, false, 0)}
	}},
	{"a module behind an empty processor socket", []string{"memory.slot.reachable"}, func(t *testing.T) []string {
		return []string{"--smbios", supermicro(t, "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", [3]int{6, 79, 1}, 14, true, 2400)}
	}},
	{"256 logical processors and no IOMMU", []string{"firmware.iommu.processors"}, func(t *testing.T) []string {
		return []string{"--smbios", supermicro(t, "AMD EPYC 7742 64-Core Processor", [3]int{23, 49, 0}, 64, false, 2400),
			"--bios", export(t, "iommu: disabled\n")}
	}},
	{"a slot without memory in which firmware names a module", []string{"memory.module.counted"}, func(t *testing.T) []string {
		b := smbiostest.New(3, 0)
		b.System(smbiostest.System{Manufacturer: "Example", Product: "Server"})
		array := b.Array(smbiostest.Array{Devices: 3})
		b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "A1", Bytes: 16 << 30, Speed: 2400, Manufacturer: "Samsung", Part: "M393A2G40EB1-CRC"})
		b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "A2", Speed: 2400, Manufacturer: "Samsung", Part: "M393A2G40EB1-CRC", Serial: "3A12C0F7"})
		b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "A3"})
		file := fileOf(t, "dump.bin", b.Dump())
		return []string{"--smbios", file}
	}},
	{"as many DDR5 as DDR4 modules", []string{"memory.module.generation"}, func(t *testing.T) []string {
		b := smbiostest.New(3, 2)
		array := b.Array(smbiostest.Array{Devices: 4})
		for n := range 4 {
			b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "A" + strconv.Itoa(n+1), Bytes: 16 << 30, Speed: 3200, Type: [...]uint8{0x1A, 0x22}[n%2]})
		}
		file := fileOf(t, "dump.bin", b.Dump())
		status, out, _ := run(nil, "check", file)
		assert.Equal(t, 3, status, "doubt never makes green")
		assert.Contains(t, strings.Join(strings.Fields(out), " "), "probably firmware states a wrong type for some DIMMs (DDR4 and DDR5)")
		return []string{"--smbios", file}
	}},
	{"distances that cannot be", []string{"numa.distance.plausible"}, func(t *testing.T) []string {
		return []string{"--root", treeOf(t).With(hosttest.Files{hosttest.NodeDir + "node0/distance": "10 5\n"}).Write(t)}
	}},
}

// supermicro is a dump of a machine of two sockets with a module in each of four slots per socket; the last module
// runs at the given speed in MT/s, the others at 2400.
func supermicro(t *testing.T, brand string, id [3]int, cores int, secondEmpty bool, last int) string {
	t.Helper()
	b := smbiostest.New(3, 0)
	b.System(smbiostest.System{Manufacturer: "Supermicro", Product: "SYS-1028R-WTRT"})
	b.Board(smbiostest.Board{Manufacturer: "Supermicro", Product: "X10DRW-iT"})
	maker := map[bool]string{true: "Advanced Micro Devices, Inc.", false: "Intel"}[strings.HasPrefix(brand, "AMD")]
	for n := range 2 {
		b.CPU(smbiostest.CPU{Socket: "CPU" + strconv.Itoa(n+1), Manufacturer: maker, Version: brand, ID: hosttest.Signature(id),
			Cores: cores, Enabled: cores, Threads: 2 * cores, Characteristics: 0xFC, Empty: secondEmpty && n == 1})
	}
	array := b.Array(smbiostest.Array{Devices: 8, MaxBytes: 1 << 40})
	for n := range 8 {
		d := smbiostest.DIMM{Array: array, Locator: "P" + strconv.Itoa(n/4+1) + "-DIMM" + string(rune('A'+n)) + "1",
			Bank: "P" + strconv.Itoa(n/4) + "_Node" + strconv.Itoa(n/4) + "_Channel" + strconv.Itoa(n%4) + "_Dimm0", Bytes: 16 << 30, Speed: 2400, Configured: 2400, Rank: 2}
		if n == 7 {
			d.Configured = last
		}
		b.MemoryDevice(d)
	}
	return fileOf(t, "dump.bin", b.Dump())
}

// treeOf are the files of a machine of two processors.
func treeOf(t *testing.T) hosttest.Files {
	t.Helper()
	m := machinetest.Named(t, "dell-r610-good")
	return m.Tree()
}

// cxlDevice is a CXL memory device as the kernel lists it.
var cxlDevice = hosttest.Files{"sys/bus/cxl/devices/mem0/": ""}

// withCXLNode adds 128 GiB of CXL memory by its driver as node 2, which firmware
// rates at a fifth of DRAM.
func withCXLNode(f hosttest.Files) hosttest.Files {
	const (
		node    = hosttest.NodeDir
		weights = "sys/kernel/mm/mempolicy/weighted_interleave/"
		device  = "platform/ACPI0017:00/root0/decoder0.0/region0/dax_region0/dax0.0"
		rated   = "/access0/initiators/read_bandwidth"
		linked  = "/access0/initiators/node0"
	)
	return f.With(cxlDevice).With(hosttest.Files{
		node + "online": "0-2\n", node + "possible": "0-2\n", node + "has_cpu": "0-1\n", node + "has_memory": "0-2\n",
		node + "node0/distance": "10 21 14\n", node + "node1/distance": "21 10 24\n", node + "node2/distance": "14 24 10\n",
		node + "node2/cpulist": "\n", node + "node2/meminfo": "Node 2 MemTotal: 134217728 kB\n",
		node + "node0" + rated: "200000\n", node + "node1" + rated: "200000\n", node + "node2" + rated: "40000\n",
		node + "node0" + linked: hosttest.LinkTo + "../../../node0", node + "node1" + linked: hosttest.LinkTo + "../../../node0",
		node + "node2" + linked:                                    hosttest.LinkTo + "../../../node0",
		"sys/bus/cxl/devices/region0/":                             "",
		"sys/bus/dax/devices/dax0.0":                               hosttest.LinkTo + "../../../devices/" + device,
		"sys/devices/" + device + "/target_node":                   "2\n",
		"sys/devices/" + device + "/driver":                        hosttest.LinkTo + "../../../../bus/dax/drivers/kmem",
		"sys/devices/virtual/memory_tiering/memory_tier4/nodelist": "0-2\n",
		weights + "node0":                                          "1\n", weights + "node1": "1\n", weights + "node2": "1\n", weights + "auto": "false\n",
	})
}

// TestSituations checks that each triggers the rules that it is about.
func TestSituations(t *testing.T) {
	t.Parallel()
	for _, s := range slices.Concat(situations, odd, beside) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			_, out, errs := run(nil, append([]string{"check", "--format", "json", "--fail-on", "never"}, s.check(t)...)...)
			var failing []string
			for _, f := range verdictsOf(t, out) {
				if f.Result == "fail" {
					failing = append(failing, f.Rule)
				}
			}
			assert.Subset(t, failing, s.fails, errs)
		})
	}
}

// TestRemedyByCause checks that a fix names the cause that the machine shows. A BIOS update for an HMAT is suggested
// only without one, and no DIMMs are suggested for a node that an option empties.
func TestRemedyByCause(t *testing.T) {
	t.Parallel()
	unrated := withCXLNode(treeOf(t))
	delete(unrated, hosttest.NodeDir+"node2/access0/initiators/read_bandwidth")
	for _, c := range []struct {
		check               []string
		rule, subject, want string
	}{
		{situationOf(t, "CXL memory in DRAM's tier with DRAM's weight"), "numa.tier.distinct", "node 2", "with a Linux before 6.12 run a newer one"},
		{[]string{"--root", unrated.Write(t)}, "numa.tier.distinct", "node 2", "update the BIOS"},
		{situationOf(t, "a kernel told to leave memory alone"), "memory.capacity.visible", "machine", "boot without mem=4G"},
		{situationOf(t, "a kernel told to leave memory alone"), "numa.node.memory", "node 1", "boot without mem=4G"},
		{situationOf(t, "a kernel told to ignore the nodes"), "numa.nodes.used", "machine", "take numa=off off the command line"},
	} {
		_, out, errs := run(nil, append([]string{"check", "--format", "json", "--fail-on", "never"}, c.check...)...)
		doc := decoded[struct {
			Findings []struct{ Rule, Subject, Result, Remedy string }
		}](t, out, errs)
		judged := false
		for _, f := range doc.Findings {
			if f.Rule == c.rule && f.Subject == c.subject {
				judged = true
				assert.Equal(t, "fail", f.Result, c.rule)
				assert.Contains(t, f.Remedy, c.want, c.rule)
			}
		}
		assert.True(t, judged, c.rule)
	}
}

// situationOf returns the arguments of the check of a situation.
func situationOf(t *testing.T, name string) []string {
	t.Helper()
	at := slices.IndexFunc(situations, func(s situation) bool { return s.name == name })
	require.NotEqual(t, -1, at, name)
	return situations[at].check(t)
}

// beside are machines with additional input: a measured file, an export of settings, a BMC.
var beside = []situation{
	{"a socket that reads less than its twin", []string{"measure.socket.asymmetric"}, func(t *testing.T) []string {
		return []string{"--root", tree(t, "dell-r610-good"), "--measured", measuredFile(t, "PowerEdge R610", 12, 20e9, 14e9)}
	}},
	{"memory that was faster when it was accepted", []string{"measure.baseline.dropped"}, func(t *testing.T) []string {
		root := tree(t, "dell-r610-good")
		return []string{"--root", root, "--measured", measuredFile(t, "PowerEdge R610", 12, 17e9, 17e9),
			"--baseline", saveBaseline(t, "--root", root, "--measured", measuredFile(t, "PowerEdge R610", 12, 20e9, 20e9))}
	}},
	{"a node that reads half of its peak", []string{"measure.bandwidth.share"}, func(t *testing.T) []string {
		const brand = "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz"
		return []string{"--root", tree(t, "dell-r610-good"), "--smbios", supermicro(t, brand, [3]int{6, 62, 4}, 10, false, 2400),
			"--measured", measuredFile(t, "SYS-1028R-WTRT", 20, 25e9, 25e9)}
	}},
	{"a table of another machine", []string{"firmware.smbios.own"}, func(t *testing.T) []string {
		return []string{"--root", tree(t, "dell-r610-good"), "--smbios", supermicro(t, "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", [3]int{6, 79, 1}, 14, true, 2400)}
	}},
	{"a module without a running speed whose memory is missing", []string{"memory.module.working", "memory.capacity.visible"}, func(t *testing.T) []string {
		return []string{"--root", fiveModules(t, smbiostest.DIMM{Bytes: 16 << 30, Speed: 2666, Manufacturer: "Samsung", Part: "M393A2K40CB2-CTD"})}
	}},
	{"a module that the BMC calls broken", []string{"memory.module.health"}, func(t *testing.T) []string {
		controller := bmcWith(t, map[string]string{
			"/redfish/v1/":                 `{"RedfishVersion":"1.6.0","Systems":{"@odata.id":"/redfish/v1/Systems"}}`,
			"/redfish/v1/Systems":          `{"Members":[{"@odata.id":"/redfish/v1/Systems/1"}]}`,
			"/redfish/v1/Systems/1":        `{"Manufacturer":"Dell Inc.","Model":"PowerEdge R610","Memory":{"@odata.id":"/redfish/v1/Systems/1/Memory"}}`,
			"/redfish/v1/Systems/1/Memory": `{"Members":[{"@odata.id":"/redfish/v1/Systems/1/Memory/1"}]}`,
			"/redfish/v1/Systems/1/Memory/1": `{"Id":"1","DeviceLocator":"DIMM_A1","CapacityMiB":4096,"MemoryDeviceType":"DDR3",
				"Status":{"State":"Enabled","Health":"Critical"}}`,
		})
		return []string{"--root", tree(t, "dell-r610-good"), "--redfish", controller, "--redfish-insecure",
			"--redfish-credentials", private(t, "username: auditor\npassword: s3cr3t\n")}
	}},
	{"a SOCAMM module that is missing", []string{"memory.module.complete"}, func(t *testing.T) []string {
		return []string{"--smbios", fileOf(t, "vera.txt", vera(1, "CAMM", 192, 192, 192, 192, 192, 192, 192, 0))}
	}},
	{"a NUMA part without memory", []string{"numa.subnuma.symmetric"}, func(t *testing.T) []string {
		return []string{"--smbios", supermicro(t, "AMD EPYC 7742 64-Core Processor", [3]int{23, 49, 0}, 64, false, 2400),
			"--bios", export(t, "sub_numa: nps4\n")}
	}},
}

// measuredBeside is measuredFile beside a dump: each node names its socket.
func measuredBeside(t *testing.T, s machinetest.Server, threads int, rates ...float64) []string {
	t.Helper()
	dump := fileOf(t, "dump.bin", s.Table(func(_, _, slot int) bool { return slot == 0 }).Dump())
	file := measuredFile(t, s.Product, threads, rates...)
	text := contentOf(t, file)
	for node := range rates {
		text = bytes.Replace(text, []byte(`"socket": null`), []byte(`"socket": `+strconv.Itoa(node)), 1)
	}
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return []string{"--smbios", dump, "--measured", file}
}

// TestMeasuredShare checks reads of servers sold now beside a dump: what healthy ones reach passes, less does not, and fewer
// threads than the source's are not checked.
func TestMeasuredShare(t *testing.T) {
	t.Parallel()
	servers := machinetest.Servers()
	emeraldRapids := servers["dell-r660"]
	emeraldRapids.Brand, emeraldRapids.ID, emeraldRapids.MTs = "INTEL(R) XEON(R) PLATINUM 8592+", [3]int{6, 207, 2}, 5600
	cascadeLake := servers["dell-r740"]
	cascadeLake.Brand, cascadeLake.ID, cascadeLake.MTs = "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz", [3]int{6, 85, 7}, 2933
	for _, c := range []struct {
		name    string
		server  machinetest.Server
		threads int
		rates   []float64
		want    []string
	}{
		{"Sapphire Rapids", servers["dell-r660"], 32, []float64{231e9, 187e9}, []string{"pass", "fail"}},
		{"Sapphire Rapids with few threads", servers["dell-r660"], 16, []float64{231e9, 204e9}, []string{"not_applicable"}},
		{"Emerald Rapids", emeraldRapids, 64, []float64{266e9, 231e9}, []string{"pass", "fail"}},
		{"Cascade Lake", cascadeLake, 20, []float64{105.9e9, 93e9}, []string{"pass", "fail"}},
		{"Genoa, whose caches a dump does not show", servers["supermicro-genoa"], 32, []float64{343e9, 301e9}, []string{"unknown", "unknown"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, out, errs := run(nil, append([]string{"check", "--format", "json", "--fail-on", "never"}, measuredBeside(t, c.server, c.threads, c.rates...)...)...)
			var got []string
			for _, f := range verdictsOf(t, out) {
				if f.Rule == "measure.bandwidth.share" {
					got = append(got, f.Result)
				}
			}
			assert.Equal(t, c.want, got, errs)
			doc := decoded[report.Report](t, out)
			assert.Equal(t, *doc.Inventory.Population.Sockets[1].Socket, *doc.Measured[0].Figures[len(doc.Measured[0].Figures)-1].CPUNode)
			assert.Equal(t, doc.Inventory.Population.Sockets[0].PeakBytes.Value, *doc.Measured[0].Figures[0].Peak)
		})
	}
}

// TestMeasuredChannel checks trees of EPYC whose level 3 caches Linux shows: full processors at the lowest that healthy ones
// reach pass, and one that reads what ten of its twelve channels give is told. One channel of twelve is within the tenth that
// the figures leave, and within what two healthy processors may differ.
func TestMeasuredChannel(t *testing.T) {
	t.Parallel()
	genoa := machinetest.Servers()["supermicro-genoa"]
	turin := genoa
	turin.Product, turin.Brand, turin.ID, turin.MTs = "AS -2126HS-TN", "AMD EPYC 9355 32-Core Processor", [3]int{26, 2, 1}, 6400
	for _, c := range []struct {
		name   string
		server machinetest.Server
		read   float64
	}{{"Genoa", genoa, 343e9}, {"Turin", turin, 492e9}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			full := machinetest.Machine{Table: c.server.Table(func(_, _, _ int) bool { return true }), Files: machinetest.DMI(c.server.Vendor, c.server.Product, "3.4"),
				Host: hosttest.Machine{Sockets: 2, CoresPerSocket: 32, L3PerSocket: 8, NodeMiB: 386742, Vendor: "AuthenticAMD", Brand: c.server.Brand, CPUID: c.server.ID}}
			root := full.Tree().Write(t)
			for second, want := range map[float64]map[string]string{c.read: {}, c.read * 10 / 12: {"measure.socket.asymmetric": "warning", "measure.bandwidth.share": "info"}} {
				_, out, errs := run(nil, "check", "--format", "json", "--fail-on", "never", "--root", root, "--measured", measuredFile(t, c.server.Product, 32, c.read, second))
				got := map[string]string{}
				for _, f := range verdictsOf(t, out) {
					if strings.HasPrefix(f.Rule, "measure.") && f.Result == "fail" {
						got[f.Rule] = f.Severity
					}
					assert.NotEqual(t, "measure.bandwidth.share unknown", f.Rule+" "+f.Result)
				}
				assert.Equal(t, want, got, errs)
			}
		})
	}
}

// TestLoadedCurve checks the curve of Intel MLC on two Genoa processors: 500 ns bound reads and 660 ns reads and writes, and
// what is beyond is compared with what others measured on the platform.
func TestLoadedCurve(t *testing.T) {
	t.Parallel()
	const curve = "Intel(R) Memory Latency Checker - v3.11b\nMeasuring Loaded Latencies for the system\nUsing %s traffic type\nInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n" +
		" 00000\t%s\t 712345.6\n 00300\t121.93\t 458765.4\n 20000\t108.11\t 9123.4\n"
	server := machinetest.Servers()["supermicro-genoa"]
	m := machinetest.Machine{Table: server.Table(func(_, _, _ int) bool { return true }), Files: machinetest.DMI(server.Vendor, server.Product, "3.4"),
		Host: hosttest.Machine{Sockets: 2, CoresPerSocket: 32, L3PerSocket: 8, NodeMiB: 386742, Vendor: "AuthenticAMD", Brand: server.Brand, CPUID: server.ID}}
	root := m.Tree().Write(t)
	for _, c := range []struct{ traffic, worst, result, found string }{
		{"Read-only", "471.82", "pass", ""},
		{"Read-only", "2013.7", "fail", "Intel MLC, reads: 122 ns at half of the peak, 2014 ns at most"},
		{"Read-write", "657.31", "pass", ""},
		{"Read-write", "688.02", "fail", "Intel MLC, reads and writes: 122 ns at half of the peak, 688 ns at most"},
	} {
		t.Run(c.traffic+" "+c.worst, func(t *testing.T) {
			file := fileOf(t, "mlc.txt", fmt.Appendf(nil, curve, c.traffic, c.worst))
			_, out, errs := run(nil, "check", "--format", "json", "--fail-on", "never", "--root", root, "--measured", file)
			doc := decoded[report.Report](t, out, errs)
			at := slices.IndexFunc(doc.Findings, func(f verdict.Finding) bool { return f.Rule == "measure.latency.loaded" })
			f := doc.Findings[at]
			assert.Equal(t, []string{c.result, c.found}, []string{string(f.Result), string(f.Found)})
			_, text, _ := run(nil, "check", "--fail-on", "never", "--root", root, "--measured", file)
			assert.Contains(t, text, "latency under a load of 458.8 GB/s, reads"+map[bool]string{true: " and writes"}[c.traffic != "Read-only"]+" 121.9 ns")
			assert.Contains(t, text, c.worst[:len(c.worst)-1])
			assert.NotContains(t, text, "108.1 ns", "the unloaded end of the curve")
			assert.Equal(t, c.result == "fail", strings.HasPrefix(string(f.Expected), "reads 118 to 128 ns at half of the peak"))
			_, page, _ := run(nil, "check", "--format", "html", "--fail-on", "never", "--root", root, "--measured", file)
			_, series, _ := run(nil, "check", "--format", "prometheus", "--fail-on", "never", "--root", root, "--measured", file)
			assert.Contains(t, series, `memaudit_measured_loaded_latency_seconds{load="half"} 1.2193e-07`)
			for out, documented := range map[string]string{strings.Join(strings.Fields(text), " "): "121.9 ns, 118 to 128 ns on EPYC 9354P (University of Utah", page: "340 to 494 ns on EPYC 9354P", series: `memaudit_documented_loaded_latency_seconds{bound="high",load="highest"} 4.94e-07`} {
				assert.Equal(t, c.traffic == "Read-only", strings.Contains(out, documented), documented)
			}
		})
	}
}

// private is a file that only its owner may read.
func private(t *testing.T, text string) string {
	t.Helper()
	return fileOf(t, "private.yaml", text)
}

// measuredFile is the output of memaudit measure for a machine whose nodes read this many bytes per second, in seven
// passes that agree.
func measuredFile(t *testing.T, product string, threads int, rates ...float64) string {
	t.Helper()
	huge, quiet := true, 0.0
	r := measure.Result{Schema: measure.Schema, GeneratedAt: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC).Format(time.RFC3339),
		Machine: []byte(`{"product":` + strconv.Quote(product) + `}`), Kernel: measure.Kernels, HugePages: &huge, Notes: []string{}}
	for node, rate := range rates {
		c := measure.Cell{CPUNode: node, MemoryNode: node, Threads: threads}
		for pass := range 7 {
			seconds := float64(threads)
			c.Passes = append(c.Passes, measure.Pass{Kind: figure.Read, Value: rate * (1 + float64(pass)/1000), Wall: seconds, CPU: seconds,
				Steal: &quiet, Stall: &quiet, Foreign: &quiet, Clock: 8e8})
		}
		r.Nodes = append(r.Nodes, c)
	}
	text, err := r.Encode()
	require.NoError(t, err)
	return fileOf(t, "measured.json", text)
}

// bmcWith is a BMC without sessions that has the resources, by path and query.
func bmcWith(t *testing.T, resources map[string]string) string {
	t.Helper()
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := resources[r.URL.RequestURI()]
		if !ok || r.Method != http.MethodGet {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, body)
	}))
	service.Config.ErrorLog = log.New(io.Discard, "", 0)
	service.StartTLS()
	t.Cleanup(service.Close)
	return service.URL
}
