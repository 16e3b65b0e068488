package collect_test

import (
	"testing"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
)

var twoSockets = hosttest.Machine{Sockets: 2, CoresPerSocket: 2}

// interleaved is the machine as firmware that interleaves the nodes shows it:
// one node, no SRAT.
func interleaved(p part) hosttest.Files {
	return nodes(p.tree(twoSockets), "0-3").Without(acpi+"SRAT", acpi+"SLIT")
}

// TestNodeInterleave holds the verdict against the decision table of sockets
// S, nodes with CPUs N, SRAT and options, row by row.
func TestNodeInterleave(t *testing.T) {
	four := hosttest.Machine{Sockets: 4, CoresPerSocket: 1}
	guest := func(f hosttest.Files) hosttest.Files { return flags(f, "hypervisor") }
	noKernelNUMA := func(f hosttest.Files) hosttest.Files {
		return notes(f.Without(nodeDir), "absent\t/sys/devices/system/node")
	}
	sratOff := interleaved(skylake)
	withSRAT := nodes(skylake.tree(twoSockets), "0-3")
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  wanted[string]
	}{
		{"S=1", skylake.tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4}), not[string](fact.Absent, "one processor")},
		{"S=2 N=1 front-side bus, NetBurst", interleaved(nocona), not[string](fact.Absent, "one memory controller outside")},
		{"S=2 N=1 front-side bus, before Core 2", interleaved(sossaman), not[string](fact.Absent, "one memory controller outside")},
		{"S=2 N=1 front-side bus, Core 2", interleaved(harper), not[string](fact.Absent, "one memory controller outside")},
		{"S=2 N=1 front-side bus, Dunnington", interleaved(dunning), not[string](fact.Absent, "one memory controller outside")},

		{"S=2 N=2 SRAT", skylake.tree(twoSockets), is("disabled", fact.Direct)},
		{"S=2 N=4 SRAT, two dies a socket", fam10h.tree(hosttest.Machine{Sockets: 2, NodesPerSocket: 2, CoresPerSocket: 2}), is("disabled", fact.Direct)},
		{"S=2 N=2 no SRAT, K8", k8.tree(twoSockets).Without(acpi + "SRAT"), is("disabled", fact.Corroborated)},
		{"S=2 N=2 no SRAT, family 10h", fam10h.tree(twoSockets).Without(acpi + "SRAT"), is("disabled", fact.Corroborated)},
		{"S=2 N=2 no SRAT, a processor that needs one", skylake.tree(twoSockets).Without(acpi + "SRAT"), is("disabled", fact.Indirect)},
		{"S=2 N=2 SRAT not captured", skylake.tree(twoSockets).Without("sys/firmware/acpi/"), is("disabled", fact.Corroborated)},
		{"S=2 N=2 but a node spans the sockets", nodes(skylake.tree(twoSockets), "0-2", "3"), not[string](fact.Conflicting, "node 0 spans sockets")},

		{"S=2 N=1 SRAT not captured", sratOff.Without("sys/firmware/acpi/"), is("enabled", fact.Indirect)},
		{"S=2 N=1 SRAT hidden by a container runtime", notes(sratOff.Without("sys/firmware/"), "denied\t/sys/firmware"), is("enabled", fact.Indirect)},
		{"S=2 N=1 no SRAT", sratOff, is("enabled", fact.Corroborated)},
		{"S=2 N=1 no SRAT, AMD", interleaved(rome), is("enabled", fact.Corroborated)},
		{"S=2 N=1 no SRAT, K8", interleaved(k8), is("enabled", fact.Corroborated)},
		{"S=2 N=1 no SRAT, options not captured", sratOff.Without(cmdline), is("enabled", fact.Indirect)},
		{"S=2 N=1 neither SRAT nor options captured", sratOff.Without(cmdline, "sys/firmware/acpi/"), not[string](fact.Unread, "may be the kernel's choice")},
		{"S=2 N=1 no SRAT, processor not captured", sratOff.Without(cpuinfo), not[string](fact.Unread, "model is not known")},
		{"S=2 N=1 SRAT", withSRAT, not[string](fact.Conflicting, "hands over an SRAT")},
		{"S=2 N=1 SRAT, options not captured", withSRAT.Without(cmdline), not[string](fact.Conflicting, "hands over an SRAT")},
		{"S=2 N=0", sratOff.With(hosttest.Files{nodeDir + "node0/cpulist": "\n", nodeDir + "has_cpu": "\n"}), not[string](fact.Conflicting, "no node has CPUs")},

		{"S=2 N=1 numa=off SRAT", options(withSRAT, "numa=off"), is("disabled", fact.Indirect)},
		{"S=2 N=1 numa=noacpi SRAT", options(withSRAT, "numa=noacpi"), is("disabled", fact.Indirect)},
		{"S=2 N=1 numa=off in quotes", options(withSRAT, `"numa=off"`), is("disabled", fact.Indirect)},
		{"S=2 N=1 numa=off no SRAT", options(sratOff, "numa=off"), not[string](fact.Refused, "turns NUMA off")},
		{"S=2 N=1 acpi=off", options(sratOff.Without("sys/firmware/acpi/"), "acpi=off"), not[string](fact.Refused, "turns NUMA off")},
		{"S=2 N=1 an option behind -- is init's", options(sratOff, "-- numa=off"), is("enabled", fact.Corroborated)},
		{"S=2 N=1 numa=nohmat is no reason", options(sratOff, "numa=nohmat"), is("enabled", fact.Corroborated)},

		{"S=4 N=2", nodes(skylake.tree(four), "0-1", "2-3"), not[string](fact.Conflicting, "2 nodes for 4 sockets")},
		{"S=4 N=2 no SRAT", nodes(skylake.tree(four), "0-1", "2-3").Without(acpi + "SRAT"), not[string](fact.Conflicting, "2 nodes for 4 sockets")},
		{"guest with two nodes", guest(skylake.tree(twoSockets)), not[string](fact.Refused, "hypervisor makes up")},
		{"guest with one node", guest(sratOff), not[string](fact.Refused, "hypervisor makes up")},
		{"guest or not is not known", skylake.tree(twoSockets).Without(cpuinfo, "sys/class/dmi", "sys/devices/virtual/dmi"), not[string](fact.Unread, "whether this is a virtual machine")},
		{"privileged domain of Xen", sratOff.With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "00000b21\n"}), not[string](fact.Refused, "Xen makes up")},

		{"no node folder, SRAT", noKernelNUMA(withSRAT), is("disabled", fact.Indirect)},
		{"no node folder, no SRAT", noKernelNUMA(sratOff), is("enabled", fact.Indirect)},
		{"no node folder, no SRAT, K8 needs none", noKernelNUMA(interleaved(k8)), not[string](fact.Absent, "no NUMA support")},
		{"no node folder, no SRAT, processor not captured", noKernelNUMA(sratOff.Without(cpuinfo)), not[string](fact.Absent, "no NUMA support")},
		{"no node folder, SRAT not captured", noKernelNUMA(sratOff.Without("sys/firmware/acpi/")), not[string](fact.Absent, "no NUMA support")},
		{"node folder not captured", sratOff.Without(nodeDir), not[string](fact.Unread, "nodes were not read")},
		{"node folder denied", notes(sratOff.Without(nodeDir), "denied\t/sys/devices/system/node"), not[string](fact.Denied, "denied")},
		{"list of nodes malformed", sratOff.With(hosttest.Files{nodeDir + "online": "zero\n"}), not[string](fact.Malformed, "node/online")},
		{"a node's CPUs not captured", skylake.tree(twoSockets).Without(nodeDir+"node1/cpu", nodeDir+"has_cpu"), not[string](fact.Absent, "node/has_cpu")},
		{"packages not captured", skylake.tree(twoSockets).Without(cpuDir+"cpu", cpuinfo), not[string](fact.Unread, "not in this capture")},

		{"numa=fake", options(skylake.tree(twoSockets), "numa=fake=2"), not[string](fact.Refused, "numa=fake")},
		{"numa=fake, options not captured", nodes(skylake.tree(twoSockets), "0-3", "0-3").Without(cmdline), not[string](fact.Conflicting, "one CPU is in several nodes")},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.check(t, effective(collected(t, c.files), "node_interleave"))
		})
	}
}

// TestNodeInterleaveEvidence: the verdict names every file it rests on, also
// the one that is missing.
func TestNodeInterleaveEvidence(t *testing.T) {
	want := []string{"/sys/devices/system/node/has_cpu", "/sys/devices/system/cpu/cpu0/topology/physical_package_id",
		"/sys/firmware/acpi/tables", "/proc/cmdline"}
	for _, f := range []hosttest.Files{skylake.tree(twoSockets), interleaved(skylake), interleaved(skylake).Without("sys/firmware/acpi/")} {
		face := effective(collected(t, f), "node_interleave")
		assert.Equal(t, want, paths(face.Evidence()))
	}
}

// TestNodeInterleaveBySMBIOSModel: without /proc/cpuinfo firmware's word for
// the processor keeps a front-side bus apart from interleaving.
func TestNodeInterleaveBySMBIOSModel(t *testing.T) {
	for _, c := range []struct {
		p    part
		want wanted[string]
	}{
		{harper, not[string](fact.Absent, "one memory controller outside")},
		{skylake, is("enabled", fact.Corroborated)},
	} {
		f := table(interleaved(c.p).Without(cpuinfo), twoProcessors(c.p))
		c.want.check(t, effective(collected(t, f), "node_interleave"))
	}
}

// TestNodeInterleaveMissingProcessor: firmware runs two processors, the kernel
// CPUs of one.
func TestNodeInterleaveMissingProcessor(t *testing.T) {
	f := table(skylake.tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 2}), twoProcessors(skylake))
	not[string](fact.Conflicting, "SMBIOS lists 2 running processors").check(t, effective(collected(t, f), "node_interleave"))
}

// TestNodeInterleaveOfFile: an SMBIOS file says nothing about nodes.
func TestNodeInterleaveOfFile(t *testing.T) {
	sys := decoded(t, twoProcessors(skylake))
	for _, id := range []string{"node_interleave", "sub_numa"} {
		not[string](fact.Unread, "SMBIOS file only").check(t, effective(sys, id))
	}
}

// twoProcessors is a table with two processors of this kind.
func twoProcessors(p part) *smbiostest.Builder {
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	for _, name := range []string{"CPU1", "CPU2"} {
		b.CPU(smbiostest.CPU{Socket: name, Manufacturer: manufacturer(p), Version: p.brand, ID: p.signature(), Cores: 2, Enabled: 2, Threads: 2, Characteristics: 4})
	}
	return b
}

func manufacturer(p part) string {
	if p.vendor == "GenuineIntel" {
		return "Intel(R) Corporation"
	}
	return "Advanced Micro Devices, Inc."
}

// signature is CPUID 1 EAX.
func (p part) signature() uint64 {
	base := min(p.family, 15)
	return uint64(p.model&15<<4 | base<<8 | p.model>>4<<16 | (p.family-base)<<20)
}
