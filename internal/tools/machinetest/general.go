package machinetest

import (
	"fmt"
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// general returns the machines that each show one situation, independent of the platform.
func general() []Machine {
	return []Machine{
		R610("dell-r610-good", "Six 4 GiB RDIMMs, one on each channel; node interleaving and SMT off: the test bed of the paper.", []string{"A1", "A2", "A3", "B1", "B2", "B3"}, 1),
		R610("dell-r610-unbalanced", "Socket 1 has two DIMMs on channel 0 and none on channel 2; SMT is on.", []string{"A1", "A2", "A3", "B1", "B2", "B4"}, 2),
		R610("dell-r610-interleaved", "The good machine with node interleaving on: one node, no SRAT.", []string{"A1", "A2", "A3", "B1", "B2", "B3"}, 1).uniform(24 << 10),
		halfEPYC("supermicro-rome-half", "EPYC 7402 with one DIMM on channels A, C, E and G: half of every pair is empty."),
		eightOfTwelve(),
		guest(),
		erring(),
		asked("dell-r760-tdx", "Two Xeon Gold 6554S with 48 GiB modules, eight on the first processor and seven on the second. The kernel's command line asks for TDX, Linux found memory for SGX enclaves on the first processor alone, and one NVMe drive has no NUMA node.",
			Server{Vendor: "Dell Inc.", Product: "PowerEdge R760", Brand: "INTEL(R) XEON(R) GOLD 6554S", Maker: "Intel", ID: [3]int{6, 207, 2}, Channels: 8, Depth: 2, Label: dellNumber(8), Type: ddr5, MTs: 5600},
			smbiostest.DIMM{Bytes: 48 << 30, Rank: 1, Speed: 5600, Configured: 5600, Manufacturer: "Hynix Semiconductor", Part: "HMCGY4MHBRB489N"}, 15, "",
			hosttest.Files{"proc/cmdline": "ro kvm_intel.tdx=1 nohibernate\n", "sys/module/kvm_intel/parameters/tdx": "N\n",
				"dev/kmsg":                               "[    0.731904] x86/tme: not enabled by BIOS\n[    1.284417] sgx: EPC section 0x6070c00000-0x607f7fffff\n[    1.284431] sgx: node1 has both CPUs and memory but doesn't have an EPC section\n",
				"sys/bus/pci/devices/0000:65:00.0/class": "0x010802\n", "sys/bus/pci/devices/0000:65:00.0/vendor": "0x144d\n", "sys/bus/pci/devices/0000:65:00.0/numa_node": "-1\n"}),
		asked("supermicro-genoa-snp", "Two EPYC 9354 with a 24 GiB module on each channel. The kernel's command line asks for SEV-SNP and has the IOMMU in passthrough mode, and Linux took two pages away after an error.",
			Servers()["supermicro-genoa"], smbiostest.DIMM{Bytes: 24 << 30, Rank: 1, Speed: 4800, Configured: 4800, Manufacturer: "Micron Technology", Part: "MTC10F108YS1RC48BB1"}, 24, "HardwareCorrupted:     8 kB\n",
			hosttest.Files{"proc/cmdline": "ro iommu=pt kvm_amd.sev_snp=1\n", "sys/module/kvm_amd/parameters/sev_snp": "N\n",
				"dev/kmsg": "[    0.913377] SNP: IOMMU disabled or configured in passthrough mode, SNP cannot be supported\n[88231.731904] Memory failure: 0x3f5a7b: recovery action for dirty LRU page: Recovered\n"}),
		cxl(),
		logged(),
	}
}

// logged returns a server of which the kernel's counters, its log and the BMC's event log name one module.
func logged() Machine {
	server := Servers()["dell-r740"]
	server.Brand, server.ID, server.MTs = "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz", [3]int{6, 85, 7}, 2933
	return asked("dell-r740-event-log", "Two Xeon Gold 6230 with 32 GiB modules, six on the first processor and five on the second. The kernel could not correct an error of B2 and took a page away, and the BMC's event log says that B2 had too many corrected errors and that its repair at the last restart failed. memaudit and Intel MLC measured the machine.",
		server, smbiostest.DIMM{Bytes: 32 << 30, Rank: 2, Speed: 2933, Configured: 2933, Manufacturer: "Samsung", Part: "M393A4K40CB2-CVF"}, 11, "HardwareCorrupted:     4 kB\n",
		SkylakeEDAC(2, 32<<10).Without("sys/devices/system/edac/mc/mc3/dimm4/").With(hosttest.Files{"sys/devices/system/edac/mc/mc2/dimm2/dimm_ue_count": "1\n",
			"dev/kmsg": "[221363.690017] Memory failure: 0x5f3a7b: recovery action for dirty LRU page: Recovered\n",
			inputs: `{"schema":"memaudit.inputs/v1","tree":true,"controller":{"answer":{"Found":true,"Model":"PowerEdge R740","MatchedBy":"model","LogRead":true,"Events":[
{"Says":"threshold","ID":"MEM0702","Place":"DIMM_B2","Time":"2026-10-29T22:41:07Z","AfterReset":-1187033},
{"Says":"failed","ID":"MEM0805","Place":"DIMM_B2","Time":"2026-11-12T16:26:57Z","AfterReset":97},
{"Says":"uncorrected","ID":"MEM0001","Place":"DIMM_B2","Time":"2026-11-15T03:55:24Z","AfterReset":214004}]}},"measurements":[
{"path":"measured-1.json","tool":"memaudit","at":"2026-11-16T01:13:37Z","product":"PowerEdge R740","figures":[
{"kind":"read","passes":8,"median":112.7e9,"low":112.1e9,"high":113.4e9,"clock":2.9e9,"cpu_node":0,"memory_node":0,"threads":40,"what":"read","like":"a"},
{"kind":"read","passes":8,"median":93.2e9,"low":92.6e9,"high":93.9e9,"clock":2.9e9,"cpu_node":1,"memory_node":1,"threads":40,"what":"read","like":"a"}]},
{"path":"measured-2.txt","tool":"mlc","unjudged":"measured by another tool, whose threads, pages and company on the machine are not known","loaded":[
{"kind":"latency","passes":1,"median":121.7e-9,"low":121.7e-9,"high":121.7e-9,"why":"the tool prints one figure without its passes","node":-1,"load":131.2e9},
{"kind":"latency","passes":1,"median":163.9e-9,"low":163.9e-9,"high":163.9e-9,"why":"the tool prints one figure without its passes","node":-1,"load":214.3e9}]}]}`}))
}

// cxl returns a server whose BIOS setup asks for three modes that exclude each other or that its modules do not carry.
func cxl() Machine {
	server := Server{Vendor: "Lenovo", Product: "ThinkSystem SR630 V4", Brand: "Intel(R) Xeon(R) 6760P", Maker: "Intel", ID: [3]int{6, 173, 1}, Channels: 8, Depth: 1, Type: ddr5, MTs: 6400,
		Label: func(cpu, channel, _ int) (string, string) {
			return fmt.Sprintf("DIMM %d", 16*cpu+[]int{7, 5, 3, 1, 10, 12, 14, 16}[channel]), fmt.Sprintf("CPU %d", cpu+1)
		}}
	const node = hosttest.NodeDir
	return asked("lenovo-sr630v4-cxl", "Two Xeon 6760P with 96 GiB modules, eight on the first processor and seven on the second, and CXL memory on the first. BIOS setup asks for SNC2, mirroring of all memory and heterogeneous interleaving with CXL, and firmware started none of them.",
		server, smbiostest.DIMM{Bytes: 96 << 30, Rank: 2, Speed: 6400, Configured: 6400, Manufacturer: "Micron Technology", Part: "MTC40F2047S1RC64BB1"}, 15, "",
		hosttest.Files{"sys/bus/cxl/devices/mem0/": "", node + "online": "0-2\n", node + "has_cpu": "0-1\n", node + "has_memory": "0-2\n", node + "node2/cpulist": "\n",
			node + "node2/meminfo": "Node 2 MemTotal: 134011228 kB\n", node + "node2/distance": "14 24 10\n", node + "node0/distance": "10 21 14\n", node + "node1/distance": "21 10 24\n",
			inputs: `{"schema":"memaudit.inputs/v1","tree":true,"exports":[{"path":"bios-1.txt","export":{"name":"bios-1.txt","format":"settings","attributes":[
{"Name":"sub_numa","Value":"snc2","Stated":true,"Place":"line 1"},{"Name":"memory_ras_mode","Value":"mirror_full","Stated":true,"Place":"line 2"},
{"Name":"cxl_memory_mode","Value":"heterogeneous","Stated":true,"Place":"line 3"},{"Name":"node_interleave","Value":"disabled","Stated":true,"Place":"line 4"}]}}]}`})
}

// inputs is the member of a capture with what was given beside the machine's own files.
const inputs = host.InputsFolder + "inputs.json"

// asked returns a server of two processors whose setup, kernel, BMC and measurements say more than its modules, with so many equal
// modules, one on each channel first, and a line of /proc/meminfo about pages that Linux took away.
func asked(name, about string, server Server, d smbiostest.DIMM, modules int, corrupted string, files hosttest.Files) Machine {
	v := Varied{Server: server, Sockets: 2, Threads: 2, Files: files}
	slots := server.Channels * server.Depth
	v.Modules = make([]smbiostest.DIMM, 2*slots)
	for i := range modules {
		v.Modules[i/server.Channels*slots+i%server.Channels] = d
	}
	m := v.machine()
	m.Name, m.About, m.Profile = name, about, "balanced"
	m.Files["proc/meminfo"] += corrupted
	return m
}

func eightOfTwelve() Machine {
	server := Servers()["supermicro-genoa"]
	server.Vendor, server.Product, server.Label = "Dell Inc.", "PowerEdge R7625", dellNumber(12)
	return Machine{Name: "dell-r7625-8-of-12", About: "Two EPYC 9354 with eight 32 GiB DIMMs each: four of the twelve channels of both processors are empty.",
		Profile: "balanced", Table: server.Table(func(_, channel, _ int) bool { return channel < 8 }),
		Host:  hosttest.Machine{Sockets: 2, CoresPerSocket: 2, ThreadsPerCore: 2, NodeMiB: 256 << 10, Vendor: "AuthenticAMD", Brand: server.Brand, CPUID: server.ID},
		Files: DMI(server.Vendor, server.Product, "1.0")}
}

func erring() Machine {
	const name, brand = "dell-r740-errors", "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz"
	server := Servers()["dell-r740"]
	m := Machine{Name: name, About: "Twelve modules, one on each channel; the kernel corrected 8317 errors of B4 in three and a half days and could not correct one of A2. SMT is off in firmware, and intel_pstate runs the processors.",
		Profile: "max-performance",
		Table:   server.Table(func(_, _, slot int) bool { return slot == 0 }),
		Host:    hosttest.Machine{Sockets: 2, CoresPerSocket: 2, NodeMiB: 192 << 10, Vendor: "GenuineIntel", Brand: brand, CPUID: server.ID, Policies: true},
		Files:   DMI("Dell Inc.", "PowerEdge R740", "2.12.2").With(SkylakeEDAC(2, 32<<10))}
	m.Files["sys/devices/system/cpu/smt/control"] = "notsupported\n"
	m.Files["sys/devices/system/edac/mc/mc3/dimm0/dimm_ce_count"] = "8317\n"
	m.Files["sys/devices/system/edac/mc/mc0/dimm2/dimm_ue_count"] = "1\n"
	return m
}

// SkylakeEDAC returns the files of skx_edac for processors with two controllers of three channels and a module of this size
// in MiB in the first slot of each channel, after three days and a half without an error.
func SkylakeEDAC(sockets, mib int) hosttest.Files {
	f := hosttest.Files{}
	for mc := range sockets * 2 {
		dir := fmt.Sprintf("sys/devices/system/edac/mc/mc%d/", mc)
		f[dir+"mc_name"] = fmt.Sprintf("Skylake Socket#%d IMC#%d\n", mc/2, mc%2)
		f[dir+"size_mb"] = strconv.Itoa(3*mib) + "\n"
		for _, name := range []string{"ce_count", "ue_count", "ce_noinfo_count", "ue_noinfo_count"} {
			f[dir+name] = "0\n"
		}
		f[dir+"seconds_since_reset"] = "300123\n"
		for channel := range 3 {
			// The driver numbers both slots of a channel; the second is empty.
			at := fmt.Sprintf("%sdimm%d/", dir, 2*channel)
			f[at+"dimm_label"] = fmt.Sprintf("CPU_SrcID#%d_MC#%d_Chan#%d_DIMM#0\n", mc/2, mc%2, channel)
			f[at+"dimm_location"] = fmt.Sprintf("channel %d slot 0 \n", channel)
			f[at+"size"] = strconv.Itoa(mib) + "\n"
			f[at+"dimm_mem_type"], f[at+"dimm_edac_mode"], f[at+"dimm_dev_type"] = "Registered-DDR4\n", "SECDED\n", "x4\n"
			f[at+"dimm_ce_count"], f[at+"dimm_ue_count"] = "0\n", "0\n"
		}
	}
	return f
}

// R610 returns a PowerEdge R610 as in the paper: locators with a trailing space, type 17 of 28 bytes without configured
// speed.
func R610(name, about string, populated []string, threads int) Machine {
	const brand = "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz"
	b := smbiostest.New(2, 6)
	b.BIOS(smbiostest.BIOS{Vendor: "Dell Inc.", Version: "6.6.0", Date: "05/22/2018"})
	b.System(smbiostest.System{Manufacturer: "Dell Inc.", Product: "PowerEdge R610"})
	b.Board(smbiostest.Board{Manufacturer: "Dell Inc.", Product: "0F0XJ6"})
	b.Chassis(smbiostest.Chassis{Manufacturer: "Dell Inc.", Height: 1})
	for _, socket := range []string{"CPU1", "CPU2"} {
		b.CPU(smbiostest.CPU{Socket: socket, Manufacturer: "Intel", Version: brand, ID: hosttest.Signature([3]int{6, 44, 2}), Cores: 6, Enabled: 6, Threads: 6 * threads, Upgrade: 0x19, Characteristics: 4})
	}
	array := b.Array(smbiostest.Array{Devices: 12, MaxBytes: 192 << 30})
	b.NextHandle(0x1100)
	for _, letter := range []string{"A", "B"} {
		for n := 1; n <= 6; n++ {
			b.Slot(smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("DIMM_%s%d ", letter, n), Type: 0x18, Set: byte(n+1) / 2,
				Bytes: 4 << 30, Speed: 1333, Rank: 2, Manufacturer: "00CE00B380CE", Part: "M393B5273CH0-CH9"}, slices.Contains(populated, letter+strconv.Itoa(n)))
		}
	}
	return Machine{Name: name, About: about, Profile: "max-performance", Table: b,
		Host:  hosttest.Machine{Sockets: 2, CoresPerSocket: 2, ThreadsPerCore: threads, NodeMiB: 12 << 10, Vendor: "GenuineIntel", Brand: brand, CPUID: [3]int{6, 44, 2}},
		Files: DMI("Dell Inc.", "PowerEdge R610", "6.6.0")}
}

// halfEPYC returns a server with one EPYC 7402 and a DIMM on every other channel.
func halfEPYC(name, about string) Machine {
	const brand = "AMD EPYC 7402 24-Core Processor"
	b := smbiostest.New(3, 2)
	b.BIOS(smbiostest.BIOS{Vendor: "American Megatrends Inc.", Version: "2.4", Date: "12/29/2021"})
	b.System(smbiostest.System{Manufacturer: "Supermicro", Product: "AS -1014S-WTRT"})
	b.Board(smbiostest.Board{Manufacturer: "Supermicro", Product: "H12SSW-NT"})
	b.CPU(smbiostest.CPU{Socket: "CPU", Manufacturer: "Advanced Micro Devices, Inc.", Version: brand, Family: 0x6B, ID: hosttest.Signature([3]int{23, 49, 0}), Cores: 24, Enabled: 24, Threads: 48, Upgrade: 0x37, Characteristics: 0xFC})
	array := b.Array(smbiostest.Array{Devices: 8, MaxBytes: 2 << 40})
	for ch := range 8 {
		letter := string(rune('A' + ch))
		b.Slot(smbiostest.DIMM{Array: array, Locator: "DIMM" + letter + "1", Bank: fmt.Sprintf("P0_Node0_Channel%d_Dimm0", ch), MinMV: 1200, MaxMV: 1200, ConfiguredMV: 1200,
			Bytes: 32 << 30, Speed: 3200, Configured: 3200, Rank: 2, Manufacturer: "Samsung", Part: "M393A4K40DB3-CWE"}, ch%2 == 0)
	}
	return Machine{Name: name, About: about, Profile: "balanced", Table: b,
		Host:  hosttest.Machine{Sockets: 1, CoresPerSocket: 2, ThreadsPerCore: 2, L3PerSocket: 2, NodeMiB: 128 << 10, Vendor: "AuthenticAMD", Brand: brand, CPUID: [3]int{23, 49, 0}},
		Files: DMI("Supermicro", "AS -1014S-WTRT", "2.4")}
}

func guest() Machine {
	return Machine{Name: "guest-without-smbios", About: "A KVM guest whose hypervisor hands out no SMBIOS.", Profile: "balanced",
		Host:    hosttest.Machine{Sockets: 1, CoresPerSocket: 2, NodeMiB: 4 << 10, Vendor: "GenuineIntel", Brand: "Intel(R) Xeon(R) Processor"},
		Files:   hosttest.Files{},
		Without: []string{"sys/class/dmi", "sys/devices/virtual/dmi", "sys/firmware/acpi/tables/S", "sys/firmware/acpi/tables/HMAT"}}
}
