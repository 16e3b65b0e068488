package effective_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// divided is a machine with the given numbers of nodes and L3 caches per socket.
func divided(p hosttest.Part, sockets, nodes, l3 int) hosttest.Files {
	cores := max(nodes, l3)
	if cores%nodes != 0 || cores%l3 != 0 {
		cores = nodes * l3
	}
	return p.Tree(hosttest.Machine{Sockets: sockets, NodesPerSocket: nodes, CoresPerSocket: cores, ThreadsPerCore: 2, L3PerSocket: l3})
}

// TestSubNUMA checks the mode against the decision table of nodes a socket
// against CPUs for each L3 cache, row by row.
func TestSubNUMA(t *testing.T) {
	t.Parallel()
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	memoryOnly := hosttest.Nodes(divided(hosttest.Skylake, 2, 1, 1), "0,2", "1,3", "").With(hosttest.Files{hosttest.NodeDir + "has_cpu": "0-1\n"})
	runValues(t, "sub_numa", []valueCase{
		{"Intel n=1", divided(hosttest.Skylake, 2, 1, 1), want.Is("off", direct)},
		{"Intel n=1 without any such mode", divided(hosttest.Westmere, 2, 1, 1), want.Is("off", direct)},
		{"Haswell n=1", divided(hosttest.Haswell, 2, 1, 1), want.Is("off", corroborated)},
		{"Broadwell n=1", divided(hosttest.Broadwell, 2, 1, 1), want.Is("off", corroborated)},
		{"Intel n=1, model not captured", divided(hosttest.Skylake, 2, 1, 1).With(hosttest.Files{hosttest.CPUInfo: "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu\n"}), want.Is("off", corroborated)},
		{"Skylake n=2, one L3", divided(hosttest.Skylake, 2, 2, 1), want.Is("snc2", direct)},
		{"Sapphire Rapids n=4, one L3", divided(hosttest.Sapphire, 2, 4, 1), want.Is("snc4", direct)},
		{"Granite Rapids n=3, one L3", divided(hosttest.Granite, 1, 3, 1), want.Is("snc3", direct)},
		{"n=5 is not a mode", divided(hosttest.Sapphire, 1, 5, 1), want.Not[string](fact.Conflicting, "no known mode")},
		{"two dies a package are no SNC", divided(hosttest.Skylake, 2, 2, 2), want.Not[string](fact.Conflicting, "no known mode")},
		{"n=2 on a processor without any mode", divided(hosttest.Ivybridge, 2, 2, 1), want.Not[string](fact.Conflicting, "no known mode")},
		{"Haswell n=2, split L3", divided(hosttest.Haswell, 2, 2, 2), want.Is("cod", corroborated)},
		{"Haswell n=2, L3 as CPUID has it", divided(hosttest.Haswell, 2, 2, 1), want.Is("cod", corroborated)},
		{"Broadwell n=2", divided(hosttest.Broadwell, 2, 2, 2), want.Is("cod", corroborated)},
		{"Haswell n=4", divided(hosttest.Haswell, 2, 4, 2), want.Not[string](fact.Conflicting, "no known mode")},
		{"Intel n=2, model not captured", divided(hosttest.Skylake, 2, 2, 1).With(hosttest.Files{hosttest.CPUInfo: "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu\n"}), want.Not[string](fact.Absent, "cpu family")},
		{"Intel n=2, caches not captured", cacheless(divided(hosttest.Skylake, 2, 2, 1)), want.Not[string](fact.Unread, "not in this capture")},

		{"Zen n=1", divided(hosttest.Rome, 2, 1, 8), want.Is("nps1", corroborated)},
		{"Zen n=1, one L3: L3 as NUMA looks the same", divided(hosttest.Rome, 1, 1, 1), want.Is("nps1", indirect)},
		{"Zen S=2 N=1 no SRAT", hosttest.Nodes(divided(hosttest.Rome, 2, 1, 2), "0-7").Without(hosttest.ACPI + "SRAT"), want.Is("nps0", corroborated)},
		{"Zen S=2 N=1 SRAT", hosttest.Nodes(divided(hosttest.Rome, 2, 1, 2), "0-7"), want.Is("nps0", indirect)},
		{"Zen S=2 N=1 SRAT not captured", hosttest.Nodes(divided(hosttest.Rome, 2, 1, 2), "0-7").Without("sys/firmware/acpi/"), want.Is("nps0", indirect)},
		{"Zen, two nodes over both sockets are no NPS0", hosttest.Nodes(divided(hosttest.Rome, 2, 1, 2), "0-3", "4-7"), want.Not[string](fact.Conflicting, "sockets")},
		{"Zen, the node's CPUs not captured", nodeless(hosttest.Nodes(divided(hosttest.Rome, 2, 1, 2), "0-7")), want.Not[string](fact.Absent, "node0/cpulist")},
		{"Zen n=2 of 8 L3", divided(hosttest.Rome, 2, 2, 8), want.Is("nps2", corroborated)},
		{"Zen n=4 of 8 L3", divided(hosttest.Rome, 1, 4, 8), want.Is("nps4", corroborated)},
		{"Zen n=8 of 8 L3", divided(hosttest.Rome, 1, 8, 8), want.Not[string](fact.Refused, "hides the NPS mode")},
		{"Zen n=2 of 2 L3", divided(hosttest.Rome, 1, 2, 2), want.Not[string](fact.Conflicting, "NPS2 or L3 cache as NUMA domain")},
		{"Zen n=4 of 4 L3", divided(hosttest.Rome, 1, 4, 4), want.Not[string](fact.Conflicting, "NPS4 or L3 cache as NUMA domain")},
		{"Zen n=3 of 6 L3", divided(hosttest.Rome, 1, 3, 6), want.Not[string](fact.Conflicting, "no known mode")},
		{"Zen n=2, caches not captured", cacheless(divided(hosttest.Rome, 1, 2, 8)), want.Not[string](fact.Unread, "not in this capture")},
		{"Naples n=4, a die each", divided(hosttest.Naples, 2, 4, 8), want.Is("nps4", corroborated)},
		{"Naples n=4, one L3 a die", divided(hosttest.Naples, 2, 4, 4), want.Is("nps4", corroborated)},
		{"Opteron n=1", divided(hosttest.K8, 2, 1, 1), want.Is("off", corroborated)},
		{"Opteron n=2, two dies", divided(hosttest.Fam10h, 2, 2, 2), want.Is("off", corroborated)},
		{"EPYC n=5 of 5 L3, one more than NPS makes", divided(hosttest.Rome, 1, 5, 5), want.Not[string](fact.Refused, "hides the NPS mode")},
		{"Opteron n=3", divided(hosttest.Fam10h, 1, 3, 3), want.Not[string](fact.Absent, "3 nodes a socket have no name")},
		{"Opteron n=4", divided(hosttest.Fam10h, 1, 4, 2), want.Not[string](fact.Absent, "have no name")},
		{"Arm n=1", divided(hosttest.Arm, 1, 1, 1), want.Is("off", corroborated)},
		{"Arm n=2", divided(hosttest.Arm, 1, 2, 1), want.Not[string](fact.Absent, "have no name")},
		{"vendor not captured", divided(hosttest.Skylake, 2, 1, 1).Without(hosttest.CPUInfo), want.Not[string](fact.Unread, "/proc/cpuinfo")},

		{"the sockets differ", hosttest.Nodes(divided(hosttest.Skylake, 2, 2, 1), "0,4", "1,5", "2-3,6-7"), want.Not[string](fact.Conflicting, "the sockets differ")},
		{"interleaved Intel", hosttest.Nodes(divided(hosttest.Skylake, 2, 1, 1), "0-3").Without(hosttest.ACPI + "SRAT"), want.Not[string](fact.Conflicting, "several sockets")},
		{"a node without CPUs aside", memoryOnly, want.Is("off", direct)},
		{"CPUs offline", divided(hosttest.Skylake, 2, 2, 1).With(hosttest.Files{hosttest.CPUDir + "present": "0-9\n"}), want.Not[string](fact.Conflicting, "2 of 10 CPUs are offline")},
		{"one of 14 CPUs offline, in two nodes", hosttest.Nodes(hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, NodesPerSocket: 1, CoresPerSocket: 13, ThreadsPerCore: 1, L3PerSocket: 1}), "0-6", "7-12").With(hosttest.Files{hosttest.CPUDir + "present": "0-13\n"}), want.Is("snc2", direct)},
		{"one CPU of an EPYC offline", divided(hosttest.Rome, 1, 4, 8).With(hosttest.Files{hosttest.CPUDir + "present": "0-16\n"}), want.Is("nps4", corroborated)},
		{"present CPUs not captured, none offline", divided(hosttest.Skylake, 2, 2, 1).Without(hosttest.CPUDir + "present"), want.Is("snc2", direct)},
		{"present CPUs not captured, one offline", divided(hosttest.Skylake, 2, 2, 1).Without(hosttest.CPUDir + "present").With(hosttest.Files{hosttest.CPUDir + "offline": "8\n"}), want.Not[string](fact.Absent, "cpu/present")},
		{"present and offline CPUs not captured", divided(hosttest.Skylake, 2, 2, 1).Without(hosttest.CPUDir+"present", hosttest.CPUDir+"offline"), want.Not[string](fact.Absent, "cpu/present")},
		{"online CPUs malformed", divided(hosttest.Skylake, 2, 2, 1).With(hosttest.Files{hosttest.CPUDir + "online": "all\n"}), want.Not[string](fact.Malformed, "cpu/online")},
		{"nr_cpus", hosttest.Options(divided(hosttest.Skylake, 2, 1, 1), "nr_cpus=4"), want.Not[string](fact.Refused, "limits the CPUs")},
		{"maxcpus", hosttest.Options(divided(hosttest.Skylake, 2, 1, 1), "maxcpus=4"), want.Not[string](fact.Refused, "limits the CPUs")},
		{"numa=off", hosttest.Options(hosttest.Nodes(divided(hosttest.Skylake, 1, 1, 1), "0-1"), "numa=off"), want.Not[string](fact.Refused, "command line changes")},
		{"numa=fake", hosttest.Options(divided(hosttest.Skylake, 2, 2, 1), "numa=fake=4"), want.Not[string](fact.Refused, "numa=fake")},
		{"options not captured, several nodes", divided(hosttest.Skylake, 2, 1, 1).Without(hosttest.Cmdline), want.Is("off", direct)},
		{"options not captured, one node", divided(hosttest.Skylake, 1, 1, 1).Without(hosttest.Cmdline), want.Not[string](fact.Unread, "command line is not known")},
		{"options not captured, one node, no SRAT", divided(hosttest.Skylake, 1, 1, 1).Without(hosttest.Cmdline, hosttest.ACPI+"SRAT"), want.Is("off", direct)},
		{"options not captured, NPS0 or numa=off", hosttest.Nodes(divided(hosttest.Rome, 2, 1, 2), "0-7").Without(hosttest.Cmdline), want.Not[string](fact.Unread, "command line is not known")},
		{"guest", hosttest.Flags(divided(hosttest.Skylake, 2, 2, 1), "hypervisor"), want.Not[string](fact.Refused, "hypervisor makes up")},
		{"guest or not is not known", divided(hosttest.Skylake, 2, 2, 1).Without(hosttest.CPUInfo, "sys/class/dmi", "sys/devices/virtual/dmi"), want.Not[string](fact.Unread, "whether this is a virtual machine")},
		{"nodes not captured", divided(hosttest.Skylake, 2, 2, 1).Without(hosttest.NodeDir), want.Not[string](fact.Unread, "nodes were not read")},
		{"no node folder", hosttest.Notes(divided(hosttest.Skylake, 2, 2, 1).Without(hosttest.NodeDir), "absent\t/sys/devices/system/node"), want.Not[string](fact.Absent, "CONFIG_NUMA")},
		{"no node has CPUs", hosttest.Nodes(divided(hosttest.Skylake, 1, 1, 1), "").With(hosttest.Files{hosttest.NodeDir + "has_cpu": "\n"}), want.Not[string](fact.Conflicting, "no node has CPUs")},
	})
}

// nodeless removes the lists of the nodes' CPUs.
func nodeless(f hosttest.Files) hosttest.Files {
	return f.Without(hosttest.NodeDir+"node0/cpulist", hosttest.NodeDir+"node0/cpumap")
}

// cacheless removes the caches.
func cacheless(f hosttest.Files) hosttest.Files {
	out := hosttest.Files{}
	for path, content := range f {
		if !strings.Contains(path, "/cache/") {
			out[path] = content
		}
	}
	return out
}

// TestL3AsNUMA checks that more nodes than in any NPS mode mean that each L3 cache is a node.
func TestL3AsNUMA(t *testing.T) {
	t.Parallel()
	runValues(t, "l3_as_numa", []valueCase{
		{"n=8 of 8 L3", divided(hosttest.Rome, 2, 8, 8), want.Is("enabled", fact.Corroborated)},
		{"n=5 of 5 L3, one more than NPS makes", divided(hosttest.Rome, 1, 5, 5), want.Is("enabled", fact.Corroborated)},
		{"n=1 of 8 L3", divided(hosttest.Rome, 2, 1, 8), want.Is("disabled", fact.Corroborated)},
		{"n=4 of 8 L3", divided(hosttest.Rome, 1, 4, 8), want.Is("disabled", fact.Corroborated)},
		{"n=1 of 8 L3, one CPU offline", divided(hosttest.Rome, 2, 1, 8).With(hosttest.Files{hosttest.CPUDir + "present": "0-32\n"}), want.Is("disabled", fact.Corroborated)},
		{"n=4 of 4 L3", divided(hosttest.Rome, 1, 4, 4), want.Not[string](fact.Conflicting, "both can make")},
		{"n=1 of 1 L3", divided(hosttest.Rome, 1, 1, 1), want.Not[string](fact.Conflicting, "both can make")},
		{"caches not captured", cacheless(divided(hosttest.Rome, 1, 2, 8)), want.Not[string](fact.Unread, "not in this capture")},
		{"guest", hosttest.Flags(divided(hosttest.Rome, 2, 8, 8), "hypervisor"), want.Not[string](fact.Refused, "hypervisor makes up")},
	})
	_, there := collecttest.Collected(t, divided(hosttest.Skylake, 1, 1, 1)).Settings["l3_as_numa"]
	assert.False(t, there, "a setting of AMD's")
}

// interleaved is the machine as firmware that interleaves the nodes shows it:
// one node, no SRAT.
func interleaved(p hosttest.Part) hosttest.Files {
	return hosttest.Nodes(p.Tree(hosttest.TwoSockets), "0-3").Without(hosttest.ACPI+"SRAT", hosttest.ACPI+"SLIT")
}

// TestNodeInterleave checks the verdict against the decision table of sockets
// S, nodes with CPUs N, SRAT and options, row by row.
func TestNodeInterleave(t *testing.T) {
	t.Parallel()
	four := hosttest.Machine{Sockets: 4, CoresPerSocket: 1}
	guest := func(f hosttest.Files) hosttest.Files { return hosttest.Flags(f, "hypervisor") }
	noKernelNUMA := func(f hosttest.Files) hosttest.Files {
		return hosttest.Notes(f.Without(hosttest.NodeDir), "absent\t/sys/devices/system/node")
	}
	xen := hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "00000b21\n"}
	sratOff := interleaved(hosttest.Skylake)
	withSRAT := hosttest.Nodes(hosttest.Skylake.Tree(hosttest.TwoSockets), "0-3")
	runValues(t, "node_interleave", []valueCase{
		{"S=1", hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4}), want.Not[string](fact.Absent, "one processor")},
		{"S=2 N=1 front-side bus, NetBurst", interleaved(hosttest.Nocona), want.Not[string](fact.Absent, "one memory controller outside")},
		{"S=2 N=1 front-side bus, before Core 2", interleaved(hosttest.Sossaman), want.Not[string](fact.Absent, "one memory controller outside")},
		{"S=2 N=1 front-side bus, Core 2", interleaved(hosttest.Harper), want.Not[string](fact.Absent, "one memory controller outside")},
		{"S=2 N=1 front-side bus, Dunnington", interleaved(hosttest.Dunning), want.Not[string](fact.Absent, "one memory controller outside")},

		{"S=2 N=2 SRAT", hosttest.Skylake.Tree(hosttest.TwoSockets), want.Is("disabled", fact.Direct)},
		{"S=2 N=4 SRAT, two dies a socket", hosttest.Fam10h.Tree(hosttest.Machine{Sockets: 2, NodesPerSocket: 2, CoresPerSocket: 2}), want.Is("disabled", fact.Direct)},
		{"S=2 N=2 no SRAT, K8", hosttest.K8.Tree(hosttest.TwoSockets).Without(hosttest.ACPI + "SRAT"), want.Is("disabled", fact.Corroborated)},
		{"S=2 N=2 no SRAT, family 10h", hosttest.Fam10h.Tree(hosttest.TwoSockets).Without(hosttest.ACPI + "SRAT"), want.Is("disabled", fact.Corroborated)},
		{"S=2 N=2 no SRAT, a processor that needs one", hosttest.Skylake.Tree(hosttest.TwoSockets).Without(hosttest.ACPI + "SRAT"), want.Is("disabled", fact.Indirect)},
		{"S=2 N=2 SRAT not captured", hosttest.Skylake.Tree(hosttest.TwoSockets).Without("sys/firmware/acpi/"), want.Is("disabled", fact.Corroborated)},
		{"S=2 N=2 but a node spans the sockets", hosttest.Nodes(hosttest.Skylake.Tree(hosttest.TwoSockets), "0-2", "3"), want.Not[string](fact.Conflicting, "node 0 spans sockets")},

		{"S=2 N=1 SRAT not captured", sratOff.Without("sys/firmware/acpi/"), want.Is("enabled", fact.Indirect)},
		{"S=2 N=1 SRAT hidden by a container runtime", hosttest.Notes(sratOff.Without("sys/firmware/"), "denied\t/sys/firmware"), want.Is("enabled", fact.Indirect)},
		{"S=2 N=1 no SRAT", sratOff, want.Is("enabled", fact.Corroborated)},
		{"S=2 N=1 no SRAT, AMD", interleaved(hosttest.Rome), want.Is("enabled", fact.Corroborated)},
		{"S=2 N=1 no SRAT, K8", interleaved(hosttest.K8), want.Is("enabled", fact.Corroborated)},
		{"S=2 N=1 no SRAT, options not captured", sratOff.Without(hosttest.Cmdline), want.Is("enabled", fact.Indirect)},
		{"S=2 N=1 neither SRAT nor options captured", sratOff.Without(hosttest.Cmdline, "sys/firmware/acpi/"), want.Not[string](fact.Unread, "may be the kernel's choice")},
		{"S=2 N=1 no SRAT, processor not captured", sratOff.Without(hosttest.CPUInfo), want.Not[string](fact.Unread, "model is not known")},
		{"S=2 N=1 SRAT", withSRAT, want.Not[string](fact.Conflicting, "hands over an SRAT")},
		{"S=2 N=1 SRAT, options not captured", withSRAT.Without(hosttest.Cmdline), want.Not[string](fact.Conflicting, "hands over an SRAT")},
		{"S=2 N=0", sratOff.With(hosttest.Files{hosttest.NodeDir + "node0/cpulist": "\n", hosttest.NodeDir + "has_cpu": "\n"}), want.Not[string](fact.Conflicting, "no node has CPUs")},

		{"S=2 N=1 numa=off SRAT", hosttest.Options(withSRAT, "numa=off"), want.Is("disabled", fact.Indirect)},
		{"S=2 N=1 numa=noacpi SRAT", hosttest.Options(withSRAT, "numa=noacpi"), want.Is("disabled", fact.Indirect)},
		{"S=2 N=1 numa=off in quotes", hosttest.Options(withSRAT, `"numa=off"`), want.Is("disabled", fact.Indirect)},
		{"S=2 N=1 numa=off no SRAT", hosttest.Options(sratOff, "numa=off"), want.Not[string](fact.Refused, "turns NUMA off")},
		{"S=2 N=1 acpi=off", hosttest.Options(sratOff.Without("sys/firmware/acpi/"), "acpi=off"), want.Not[string](fact.Refused, "turns NUMA off")},
		{"S=2 N=1 an option behind -- is init's", hosttest.Options(sratOff, "-- numa=off"), want.Is("enabled", fact.Corroborated)},
		{"S=2 N=1 numa=nohmat is not a reason", hosttest.Options(sratOff, "numa=nohmat"), want.Is("enabled", fact.Corroborated)},

		{"S=4 N=2", hosttest.Nodes(hosttest.Skylake.Tree(four), "0-1", "2-3"), want.Not[string](fact.Conflicting, "2 nodes for 4 sockets")},
		{"S=4 N=2 no SRAT", hosttest.Nodes(hosttest.Skylake.Tree(four), "0-1", "2-3").Without(hosttest.ACPI + "SRAT"), want.Not[string](fact.Conflicting, "2 nodes for 4 sockets")},
		{"guest with two nodes", guest(hosttest.Skylake.Tree(hosttest.TwoSockets)), want.Not[string](fact.Refused, "hypervisor makes up")},
		{"guest with one node", guest(sratOff), want.Not[string](fact.Refused, "hypervisor makes up")},
		{"guest or not is not known", hosttest.Skylake.Tree(hosttest.TwoSockets).Without(hosttest.CPUInfo, "sys/class/dmi", "sys/devices/virtual/dmi"), want.Not[string](fact.Unread, "whether this is a virtual machine")},
		{"guest with one processor", guest(hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4})), want.Not[string](fact.Refused, "hypervisor makes up")},
		{"privileged domain of Xen with one processor", hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4}).With(xen), want.Not[string](fact.Refused, "Xen makes up")},
		{"privileged domain of Xen", sratOff.With(xen), want.Not[string](fact.Refused, "Xen makes up")},

		{"no node folder, SRAT", noKernelNUMA(withSRAT), want.Is("disabled", fact.Indirect)},
		{"no node folder, no SRAT", noKernelNUMA(sratOff), want.Is("enabled", fact.Indirect)},
		{"no node folder, no SRAT, K8 needs none", noKernelNUMA(interleaved(hosttest.K8)), want.Not[string](fact.Absent, "no NUMA support")},
		{"no node folder, no SRAT, processor not captured", noKernelNUMA(sratOff.Without(hosttest.CPUInfo)), want.Not[string](fact.Absent, "no NUMA support")},
		{"no node folder, SRAT not captured", noKernelNUMA(sratOff.Without("sys/firmware/acpi/")), want.Not[string](fact.Absent, "no NUMA support")},
		{"node folder not captured", sratOff.Without(hosttest.NodeDir), want.Not[string](fact.Unread, "nodes were not read")},
		{"node folder denied", hosttest.Notes(sratOff.Without(hosttest.NodeDir), "denied\t/sys/devices/system/node"), want.Not[string](fact.Denied, "denied")},
		{"list of nodes malformed", sratOff.With(hosttest.Files{hosttest.NodeDir + "online": "zero\n"}), want.Not[string](fact.Malformed, "node/online")},
		{"a node's CPUs not captured", hosttest.Skylake.Tree(hosttest.TwoSockets).Without(hosttest.NodeDir+"node1/cpu", hosttest.NodeDir+"has_cpu"), want.Not[string](fact.Absent, "node/has_cpu")},
		{"packages not captured", hosttest.Skylake.Tree(hosttest.TwoSockets).Without(hosttest.CPUDir+"cpu", hosttest.CPUInfo), want.Not[string](fact.Unread, "not in this capture")},

		{"numa=fake", hosttest.Options(hosttest.Skylake.Tree(hosttest.TwoSockets), "numa=fake=2"), want.Not[string](fact.Refused, "numa=fake")},
		{"numa=fake, options not captured", hosttest.Nodes(hosttest.Skylake.Tree(hosttest.TwoSockets), "0-3", "0-3").Without(hosttest.Cmdline), want.Not[string](fact.Conflicting, "one CPU is in several nodes")},
	})
}

// TestNodeInterleaveOfFile checks that nodes are unknown with an SMBIOS file.
func TestNodeInterleaveOfFile(t *testing.T) {
	t.Parallel()
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	for _, name := range []string{"CPU1", "CPU2"} {
		b.CPU(smbiostest.CPU{Socket: name, Manufacturer: "Intel(R) Corporation", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(),
			Cores: 2, Enabled: 2, Threads: 2, Characteristics: 4})
	}
	sys := collecttest.Decoded(t, b)
	for _, id := range []string{"node_interleave", "sub_numa"} {
		want.Not[string](fact.Unread, "SMBIOS file only").Check(t, sys.Settings[id].Effective)
	}
}
