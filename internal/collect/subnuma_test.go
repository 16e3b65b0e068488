package collect_test

import (
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/host/hosttest"
)

// divided is a machine of so many nodes and L3 caches a socket.
func divided(p part, sockets, nodes, l3 int) hosttest.Files {
	cores := max(nodes, l3)
	if cores%nodes != 0 || cores%l3 != 0 {
		cores = nodes * l3
	}
	return p.tree(hosttest.Machine{Sockets: sockets, NodesPerSocket: nodes, CoresPerSocket: cores, ThreadsPerCore: 2, L3PerSocket: l3})
}

// TestSubNUMA holds the mode against the decision table of nodes a socket
// against CPUs for each L3 cache, row by row.
func TestSubNUMA(t *testing.T) {
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	memoryOnly := nodes(divided(skylake, 2, 1, 1), "0,2", "1,3", "").With(hosttest.Files{nodeDir + "has_cpu": "0-1\n"})
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  wanted[string]
	}{
		{"Intel n=1", divided(skylake, 2, 1, 1), is("off", direct)},
		{"Intel n=1 without any such mode", divided(westmere, 2, 1, 1), is("off", direct)},
		{"Haswell n=1", divided(haswell, 2, 1, 1), is("off", corroborated)},
		{"Broadwell n=1", divided(broadwell, 2, 1, 1), is("off", corroborated)},
		{"Intel n=1, model not captured", divided(skylake, 2, 1, 1).With(hosttest.Files{cpuinfo: "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu\n"}), is("off", corroborated)},
		{"Skylake n=2, one L3", divided(skylake, 2, 2, 1), is("snc2", direct)},
		{"Sapphire Rapids n=4, one L3", divided(sapphire, 2, 4, 1), is("snc4", direct)},
		{"Granite Rapids n=3, one L3", divided(granite, 1, 3, 1), is("snc3", direct)},
		{"n=5 is no mode", divided(sapphire, 1, 5, 1), not[string](fact.Conflicting, "no known mode")},
		{"two dies a package are no SNC", divided(skylake, 2, 2, 2), not[string](fact.Conflicting, "no known mode")},
		{"n=2 on a processor without any mode", divided(ivybridge, 2, 2, 1), not[string](fact.Conflicting, "no known mode")},
		{"Haswell n=2, split L3", divided(haswell, 2, 2, 2), is("cod", corroborated)},
		{"Haswell n=2, L3 as CPUID has it", divided(haswell, 2, 2, 1), is("cod", corroborated)},
		{"Broadwell n=2", divided(broadwell, 2, 2, 2), is("cod", corroborated)},
		{"Haswell n=4", divided(haswell, 2, 4, 2), not[string](fact.Conflicting, "no known mode")},
		{"Intel n=2, model not captured", divided(skylake, 2, 2, 1).With(hosttest.Files{cpuinfo: "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu\n"}), not[string](fact.Absent, "cpu family")},
		{"Intel n=2, caches not captured", cacheless(divided(skylake, 2, 2, 1)), not[string](fact.Unread, "not in this capture")},

		{"Zen n=1", divided(rome, 2, 1, 8), is("nps1", corroborated)},
		{"Zen n=1, one L3: L3 as NUMA looks the same", divided(rome, 1, 1, 1), is("nps1", indirect)},
		{"Zen S=2 N=1 no SRAT", nodes(divided(rome, 2, 1, 2), "0-7").Without(acpi + "SRAT"), is("nps0", corroborated)},
		{"Zen S=2 N=1 SRAT", nodes(divided(rome, 2, 1, 2), "0-7"), is("nps0", indirect)},
		{"Zen S=2 N=1 SRAT not captured", nodes(divided(rome, 2, 1, 2), "0-7").Without("sys/firmware/acpi/"), is("nps0", indirect)},
		{"Zen n=2 of 8 L3", divided(rome, 2, 2, 8), is("nps2", corroborated)},
		{"Zen n=4 of 8 L3", divided(rome, 1, 4, 8), is("nps4", corroborated)},
		{"Zen n=8 of 8 L3", divided(rome, 1, 8, 8), not[string](fact.Refused, "hides the NPS mode")},
		{"Zen n=2 of 2 L3", divided(rome, 1, 2, 2), not[string](fact.Conflicting, "NPS2 or L3 cache as NUMA domain")},
		{"Zen n=4 of 4 L3", divided(rome, 1, 4, 4), not[string](fact.Conflicting, "NPS4 or L3 cache as NUMA domain")},
		{"Zen n=3 of 6 L3", divided(rome, 1, 3, 6), not[string](fact.Conflicting, "no known mode")},
		{"Zen n=2, caches not captured", cacheless(divided(rome, 1, 2, 8)), not[string](fact.Unread, "not in this capture")},
		{"Naples n=4, a die each", divided(naples, 2, 4, 8), is("nps4", corroborated)},
		{"Naples n=4, one L3 a die", divided(naples, 2, 4, 4), is("nps4", corroborated)},
		{"Opteron n=1", divided(k8, 2, 1, 1), is("off", corroborated)},
		{"Opteron n=2, two dies", divided(fam10h, 2, 2, 2), is("off", corroborated)},
		{"Opteron n=4", divided(fam10h, 1, 4, 2), not[string](fact.Absent, "have no name")},
		{"Arm n=1", divided(arm, 1, 1, 1), is("off", corroborated)},
		{"Arm n=2", divided(arm, 1, 2, 1), not[string](fact.Absent, "have no name")},
		{"vendor not captured", divided(skylake, 2, 1, 1).Without(cpuinfo), not[string](fact.Unread, "/proc/cpuinfo")},

		{"the sockets differ", nodes(divided(skylake, 2, 2, 1), "0,4", "1,5", "2-3,6-7"), not[string](fact.Conflicting, "the sockets differ")},
		{"interleaved Intel", nodes(divided(skylake, 2, 1, 1), "0-3").Without(acpi + "SRAT"), not[string](fact.Conflicting, "several sockets")},
		{"a node without CPUs aside", memoryOnly, is("off", direct)},
		{"CPUs offline", divided(skylake, 2, 2, 1).With(hosttest.Files{cpuDir + "present": "0-9\n"}), not[string](fact.Conflicting, "2 of 10 CPUs are offline")},
		{"present CPUs not captured, none offline", divided(skylake, 2, 2, 1).Without(cpuDir + "present"), is("snc2", direct)},
		{"present and offline CPUs not captured", divided(skylake, 2, 2, 1).Without(cpuDir+"present", cpuDir+"offline"), not[string](fact.Absent, "cpu/present")},
		{"online CPUs malformed", divided(skylake, 2, 2, 1).With(hosttest.Files{cpuDir + "online": "all\n"}), not[string](fact.Malformed, "cpu/online")},
		{"nr_cpus", options(divided(skylake, 2, 1, 1), "nr_cpus=4"), not[string](fact.Refused, "limits the CPUs")},
		{"maxcpus", options(divided(skylake, 2, 1, 1), "maxcpus=4"), not[string](fact.Refused, "limits the CPUs")},
		{"numa=off", options(nodes(divided(skylake, 1, 1, 1), "0-1"), "numa=off"), not[string](fact.Refused, "command line changes")},
		{"numa=fake", options(divided(skylake, 2, 2, 1), "numa=fake=4"), not[string](fact.Refused, "numa=fake")},
		{"options not captured, several nodes", divided(skylake, 2, 1, 1).Without(cmdline), is("off", direct)},
		{"options not captured, one node", divided(skylake, 1, 1, 1).Without(cmdline), not[string](fact.Unread, "command line is not known")},
		{"options not captured, one node, no SRAT", divided(skylake, 1, 1, 1).Without(cmdline, acpi+"SRAT"), is("off", direct)},
		{"options not captured, NPS0 or numa=off", nodes(divided(rome, 2, 1, 2), "0-7").Without(cmdline), not[string](fact.Unread, "command line is not known")},
		{"guest", flags(divided(skylake, 2, 2, 1), "hypervisor"), not[string](fact.Refused, "hypervisor makes up")},
		{"guest or not is not known", divided(skylake, 2, 2, 1).Without(cpuinfo, "sys/class/dmi", "sys/devices/virtual/dmi"), not[string](fact.Unread, "whether this is a virtual machine")},
		{"nodes not captured", divided(skylake, 2, 2, 1).Without(nodeDir), not[string](fact.Unread, "nodes were not read")},
		{"no node folder", notes(divided(skylake, 2, 2, 1).Without(nodeDir), "absent\t/sys/devices/system/node"), not[string](fact.Absent, "CONFIG_NUMA")},
		{"no node has CPUs", nodes(divided(skylake, 1, 1, 1), "").With(hosttest.Files{nodeDir + "has_cpu": "\n"}), not[string](fact.Conflicting, "no node has CPUs")},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.check(t, effective(collected(t, c.files), "sub_numa"))
		})
	}
}

// cacheless takes the caches away.
func cacheless(f hosttest.Files) hosttest.Files {
	out := hosttest.Files{}
	for path, content := range f {
		if !strings.Contains(path, "/cache/") {
			out[path] = content
		}
	}
	return out
}

// TestL3AsNUMA: more nodes than any NPS mode has say that each L3 cache is one.
func TestL3AsNUMA(t *testing.T) {
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  wanted[string]
	}{
		{"n=8 of 8 L3", divided(rome, 2, 8, 8), is("enabled", fact.Corroborated)},
		{"n=1 of 8 L3", divided(rome, 2, 1, 8), is("disabled", fact.Corroborated)},
		{"n=4 of 8 L3", divided(rome, 1, 4, 8), is("disabled", fact.Corroborated)},
		{"n=4 of 4 L3", divided(rome, 1, 4, 4), not[string](fact.Conflicting, "both can make")},
		{"n=1 of 1 L3", divided(rome, 1, 1, 1), not[string](fact.Conflicting, "both can make")},
		{"caches not captured", cacheless(divided(rome, 1, 2, 8)), not[string](fact.Unread, "not in this capture")},
		{"guest", flags(divided(rome, 2, 8, 8), "hypervisor"), not[string](fact.Refused, "hypervisor makes up")},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.check(t, effective(collected(t, c.files), "l3_as_numa"))
		})
	}
	_, there := collected(t, divided(skylake, 1, 1, 1)).Settings["l3_as_numa"]
	assert.False(t, there, "a setting of AMD's")
}
