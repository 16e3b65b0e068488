package effective_test

import (
	"testing"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

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
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  want.Fact[string]
	}{
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
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.Check(t, collecttest.Effective(collecttest.Collected(t, c.files), "node_interleave"))
		})
	}
}

// TestNodeInterleaveBySMBIOSModel checks that without /proc/cpuinfo the processor's name in SMBIOS distinguishes a
// front-side bus from interleaving.
func TestNodeInterleaveBySMBIOSModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    hosttest.Part
		want want.Fact[string]
	}{
		{hosttest.Harper, want.Not[string](fact.Absent, "one memory controller outside")},
		{hosttest.Skylake, want.Is("enabled", fact.Corroborated)},
	} {
		f := collecttest.Table(interleaved(c.p).Without(hosttest.CPUInfo), twoProcessors(c.p))
		c.want.Check(t, collecttest.Effective(collecttest.Collected(t, f), "node_interleave"))
	}
}

// TestNodeInterleaveOfFile checks that nodes are unknown with an SMBIOS file.
func TestNodeInterleaveOfFile(t *testing.T) {
	t.Parallel()
	sys := collecttest.Decoded(t, twoProcessors(hosttest.Skylake))
	for _, id := range []string{"node_interleave", "sub_numa"} {
		want.Not[string](fact.Unread, "SMBIOS file only").Check(t, collecttest.Effective(sys, id))
	}
}

// twoProcessors is a table with two processors of this kind.
func twoProcessors(p hosttest.Part) *smbiostest.Builder {
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	for _, name := range []string{"CPU1", "CPU2"} {
		b.CPU(smbiostest.CPU{Socket: name, Manufacturer: manufacturer(p), Version: p.Brand, ID: p.Signature(), Cores: 2, Enabled: 2, Threads: 2, Characteristics: 4})
	}
	return b
}

func manufacturer(p hosttest.Part) string {
	if p.Vendor == "GenuineIntel" {
		return "Intel(R) Corporation"
	}
	return "Advanced Micro Devices, Inc."
}
