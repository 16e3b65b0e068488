package effective_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/source/host/hosttest"
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
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  want.Fact[string]
	}{
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
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.Check(t, collecttest.Effective(collecttest.Collected(t, c.files), "sub_numa"))
		})
	}
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
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  want.Fact[string]
	}{
		{"n=8 of 8 L3", divided(hosttest.Rome, 2, 8, 8), want.Is("enabled", fact.Corroborated)},
		{"n=5 of 5 L3, one more than NPS makes", divided(hosttest.Rome, 1, 5, 5), want.Is("enabled", fact.Corroborated)},
		{"n=1 of 8 L3", divided(hosttest.Rome, 2, 1, 8), want.Is("disabled", fact.Corroborated)},
		{"n=4 of 8 L3", divided(hosttest.Rome, 1, 4, 8), want.Is("disabled", fact.Corroborated)},
		{"n=1 of 8 L3, one CPU offline", divided(hosttest.Rome, 2, 1, 8).With(hosttest.Files{hosttest.CPUDir + "present": "0-32\n"}), want.Is("disabled", fact.Corroborated)},
		{"n=4 of 4 L3", divided(hosttest.Rome, 1, 4, 4), want.Not[string](fact.Conflicting, "both can make")},
		{"n=1 of 1 L3", divided(hosttest.Rome, 1, 1, 1), want.Not[string](fact.Conflicting, "both can make")},
		{"caches not captured", cacheless(divided(hosttest.Rome, 1, 2, 8)), want.Not[string](fact.Unread, "not in this capture")},
		{"guest", hosttest.Flags(divided(hosttest.Rome, 2, 8, 8), "hypervisor"), want.Not[string](fact.Refused, "hypervisor makes up")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.Check(t, collecttest.Effective(collecttest.Collected(t, c.files), "l3_as_numa"))
		})
	}
	_, there := collecttest.Collected(t, divided(hosttest.Skylake, 1, 1, 1)).Settings["l3_as_numa"]
	assert.False(t, there, "a setting of AMD's")
}
