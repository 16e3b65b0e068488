package collect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

// TestNodeSockets checks that each node gets the one socket of its CPUs.
func TestNodeSockets(t *testing.T) {
	two := hosttest.Machine{Sockets: 2, CoresPerSocket: 2}
	swapped := hosttest.Nodes(hosttest.Skylake.Tree(two), "2-3", "0-1")
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  []want.Fact[int]
	}{
		{"in order", hosttest.Skylake.Tree(two), []want.Fact[int]{want.Is(0, fact.Direct), want.Is(1, fact.Direct)}},
		{"by CPUs, not by number", swapped, []want.Fact[int]{want.Is(1, fact.Direct), want.Is(0, fact.Direct)}},
		{"two nodes a socket", hosttest.Nodes(hosttest.Skylake.Tree(two), "0", "1", "2", "3"), []want.Fact[int]{want.Is(0, fact.Direct), want.Is(0, fact.Direct), want.Is(1, fact.Direct), want.Is(1, fact.Direct)}},
		{"over both", hosttest.Nodes(hosttest.Skylake.Tree(two), "0-3"), []want.Fact[int]{want.Not[int](fact.Conflicting, "several sockets")}},
		{"no CPUs", hosttest.Nodes(hosttest.Skylake.Tree(two), "0-3", ""), []want.Fact[int]{want.Not[int](fact.Conflicting, "several sockets"), want.Not[int](fact.Absent, "no CPUs")}},
		{"list malformed", hosttest.Nodes(hosttest.Skylake.Tree(two), "x"), []want.Fact[int]{want.Not[int](fact.Malformed, "cpulist")}},
		{"packages not captured", hosttest.Skylake.Tree(two).Without(hosttest.CPUDir+"cpu", hosttest.CPUInfo), []want.Fact[int]{want.Not[int](fact.Absent, "sockets of the node's CPUs"), want.Not[int](fact.Absent, "sockets of the node's CPUs")}},
		{"firmware runs another number", collecttest.Table(hosttest.Skylake.Tree(two), sockets(fitted)), []want.Fact[int]{want.Not[int](fact.Absent, "sockets of the node's CPUs"), want.Not[int](fact.Absent, "sockets of the node's CPUs")}},
		{"behind an empty socket", collecttest.Table(hosttest.Skylake.Tree(two), sockets(empty, fitted, fitted)), []want.Fact[int]{want.Is(1, fact.Direct), want.Is(2, fact.Direct)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := collecttest.Collected(t, c.files)
			require.Len(t, sys.Nodes, len(c.want))
			for i, w := range c.want {
				w.Check(t, sys.Nodes[i].Socket)
			}
		})
	}
}

// TestVisibleMemory picks what firmware gave the kernel.
func TestVisibleMemory(t *testing.T) {
	const gib = int64(1) << 30
	// Two ranges of 4 GiB together, and MemTotal below.
	base := hosttest.Skylake.Tree(hosttest.Machine{CoresPerSocket: 1}).Without("sys/firmware/memmap/", "proc/meminfo").With(hosttest.Files{
		"sys/firmware/memmap/0/start": "0x0\n", "sys/firmware/memmap/0/end": "0x7fffffff\n", "sys/firmware/memmap/0/type": "System RAM\n",
		"sys/firmware/memmap/1/start": "0x80000000\n", "sys/firmware/memmap/1/end": "0xffffffff\n", "sys/firmware/memmap/1/type": "Reserved\n",
		"sys/firmware/memmap/2/start": "0x100000000\n", "sys/firmware/memmap/2/end": "0x17fffffff\n", "sys/firmware/memmap/2/type": "System RAM\n",
		"proc/meminfo": "MemTotal: 4000000 kB\n",
	})
	blocks := hosttest.Files{"sys/devices/system/memory/block_size_bytes": "80000000\n",
		"sys/devices/system/memory/memory0/state": "online\n", "sys/devices/system/memory/memory2/state": "online\n"}
	small := hosttest.Files{"sys/firmware/memmap/2/type": "Reserved\n"}
	total := int64(4000000) << 10
	for _, c := range []struct {
		name     string
		files    hosttest.Files
		want     want.Fact[int64]
		conflict bool
	}{
		{"firmware's map", base, want.Is(4*gib, fact.Direct), false},
		{"the map goes before the blocks", base.With(blocks), want.Is(4*gib, fact.Direct), false},
		{"blocks without a map", base.Without("sys/firmware/memmap/").With(blocks), want.Is(4*gib, fact.Direct), false},
		{"a map of less than the kernel manages", base.With(small), want.Is(total, fact.Corroborated), true},
		{"blocks in place of such a map", base.With(small).With(blocks), want.Is(4*gib, fact.Corroborated), true},
		{"the total alone", base.Without("sys/firmware/memmap/"), want.Is(total, fact.Corroborated), false},
		{"a map alone", base.Without("proc/meminfo"), want.Is(4*gib, fact.Direct), false},
		{"a word that the kernel never prints", base.With(hosttest.Files{"sys/firmware/memmap/1/type": "Sysem RAM\n"}), want.Is(total, fact.Corroborated), false},
		{"nothing", base.Without("sys/firmware/memmap/", "proc/meminfo"), want.Not[int64](fact.Unread, "meminfo"), false},
		{"the total denied", hosttest.Notes(base.Without("sys/firmware/memmap/", "proc/meminfo"), "denied\t/proc/meminfo"), want.Not[int64](fact.Denied, "meminfo"), false},
		{"privileged domain of Xen", base.With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "b21\n"}), want.Not[int64](fact.Refused, "Xen"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := collecttest.Collected(t, c.files)
			c.want.Check(t, sys.Memory.VisibleBytes)
			assert.Equal(t, c.conflict, len(sys.Conflicts) == 1, "%v", sys.Conflicts)
			if c.conflict {
				assert.Equal(t, "visible memory", sys.Conflicts[0].Fact)
			}
		})
	}
}

// TestOptions checks that options that affect an audit are kept.
func TestOptions(t *testing.T) {
	n := collecttest.Collected(t, hosttest.Options(oneSocket(), `quiet numa=off "mem=4G" mitigations=auto,nosmt memhp_default_state=online nosmt=force crashkernel=319M -- maxcpus=1`)).NUMA
	want.Is([]string{"numa=off", "mem=4G", "mitigations=auto,nosmt", "nosmt=force", "crashkernel=319M"}, fact.Direct).Check(t, n.Options)
	want.Is([]string{}, fact.Direct).Check(t, collecttest.Collected(t, oneSocket()).NUMA.Options)
	want.Not[[]string](fact.Unread, "cmdline").Check(t, collecttest.Collected(t, oneSocket().Without(hosttest.Cmdline)).NUMA.Options)
}

// TestFirmwareTables checks that a missing name means something only in a captured folder.
func TestFirmwareTables(t *testing.T) {
	n := collecttest.Collected(t, oneSocket().Without(hosttest.ACPI+"SLIT")).NUMA
	want.Is(true, fact.Direct).Check(t, n.SRAT)
	want.Is(false, fact.Direct).Check(t, n.SLIT)
	n = collecttest.Collected(t, oneSocket().Without("sys/firmware/acpi/")).NUMA
	want.Not[bool](fact.Unread, "acpi/tables").Check(t, n.SRAT)
	n = collecttest.Collected(t, hosttest.Notes(oneSocket().Without("sys/firmware/acpi/"), "absent\t/sys/firmware/acpi/tables")).NUMA
	want.Not[bool](fact.Absent, "acpi/tables").Check(t, n.SRAT)
}

// TestEDAC checks the kernel's controllers; data that their drivers copy from SMBIOS are indirect.
func TestEDAC(t *testing.T) {
	const mc = "sys/devices/system/edac/mc/mc1/"
	files := oneSocket().With(hosttest.Files{mc + "mc_name": "Skylake Socket#0 IMC#1\n", mc + "size_mb": "16384\n",
		mc + "dimm0/dimm_label": "CPU_SrcID#0_MC#1_Chan#0_DIMM#0\n", mc + "dimm0/dimm_location": "channel 0 slot 0\n", mc + "dimm0/size": "16384\n",
		mc + "dimm0/dimm_mem_type": "Registered-DDR4\n", mc + "dimm0/dimm_edac_mode": "SECDED\n", mc + "dimm0/dimm_dev_type": "x4\n"})
	sys := collecttest.Collected(t, files)
	require.Len(t, sys.EDAC, 1)
	c := sys.EDAC[0]
	assert.Equal(t, 1, c.Index)
	want.Is("Skylake Socket#0 IMC#1", fact.Direct).Check(t, c.Name)
	require.Len(t, c.DIMMs, 1)
	want.Is("CPU_SrcID#0_MC#1_Chan#0_DIMM#0", fact.Direct).Check(t, c.DIMMs[0].Label)
	want.Is("channel 0 slot 0", fact.Direct).Check(t, c.DIMMs[0].Location)
	want.Is(int64(16<<30), fact.Direct).Check(t, c.DIMMs[0].SizeBytes)
	want.Is("SECDED", fact.Indirect).Check(t, c.DIMMs[0].Mode)
	assert.Empty(t, collecttest.Collected(t, oneSocket()).EDAC)
}

// TestWithoutKernel checks that with an SMBIOS file alone every kernel fact has a reason.
func TestWithoutKernel(t *testing.T) {
	sys := collect.Collect(collect.Input{SMBIOS: collecttest.Parsed(t, fourDIMMs().Dump())})
	for _, reason := range []string{
		sys.NUMA.SRAT.Reason, sys.NUMA.SLIT.Reason, sys.NUMA.KernelNUMA.Reason, sys.NUMA.Cmdline.Reason, sys.NUMA.Options.Reason,
		sys.Memory.TotalBytes.Reason, sys.Memory.MapBytes.Reason, sys.Memory.BlockBytes.Reason, sys.Memory.VisibleBytes.Reason,
		sys.CPU.Packages.Reason, sys.CPU.ThreadsPerCore.Reason, sys.CPU.SMTControl.Reason, sys.CPU.SMTActive.Reason,
		sys.CPU.CPUsPerL3.Reason, sys.CPU.Online.Reason, sys.CPU.Present.Reason,
	} {
		assert.Contains(t, reason, "this input is an SMBIOS file only")
	}
	assert.Empty(t, sys.Nodes)
	assert.Empty(t, sys.EDAC)
	assert.Len(t, sys.Sources, 1)
}
