package collect_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// TestNodeKinds distinguishes memory tiers.
func TestNodeKinds(t *testing.T) {
	// Nodes 0 and 1 have CPUs, node 2 memory only.
	tiers := func(p hosttest.Part) hosttest.Files {
		f := hosttest.Nodes(p.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 2}), "0-1", "2-3", "")
		return f.With(hosttest.Files{hosttest.NodeDir + "has_cpu": "0-1\n"})
	}
	dax := hosttest.Files{"sys/bus/dax/devices/dax0.0/target_node": "2\n", "sys/bus/dax/devices/dax0.0/numa_node": "0\n"}
	cxl := cxlCard
	offline := hosttest.Files{"sys/devices/system/cpu/present": "0-4\n", "sys/devices/system/cpu/possible": "0-4\n", "sys/devices/system/cpu/online": "0-3\n", "sys/devices/system/cpu/offline": "4\n"}
	dram := inventory.NodeDRAM
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  []inventory.NodeKind
	}{
		{"two nodes", hosttest.Skylake.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 2}), []inventory.NodeKind{dram, dram}},
		{"without memory", tiers(hosttest.Skylake).With(hosttest.Files{hosttest.NodeDir + "node1/meminfo": "Node 1 MemTotal: 0 kB\n", hosttest.NodeDir + "has_memory": "0,2\n"}), []inventory.NodeKind{dram, inventory.NodeMemoryless, inventory.NodeCPULess}},
		{"without CPUs", tiers(hosttest.Skylake), []inventory.NodeKind{dram, dram, inventory.NodeCPULess}},
		{"with CPUs that are offline", tiers(hosttest.Skylake).With(offline).With(hosttest.Files{hosttest.NodeDir + "node2/cpu4/topology": "", hosttest.NodeDir + "node2/memory9/online": "1\n"}), []inventory.NodeKind{dram, dram, dram}},
		{"CPUs of another node are offline", tiers(hosttest.Skylake).With(offline).With(hosttest.Files{hosttest.NodeDir + "node2/memory9/online": "1\n"}), []inventory.NodeKind{dram, dram, inventory.NodeCPULess}},
		{"nobody knows whose CPUs are offline", tiers(hosttest.Skylake).With(offline), []inventory.NodeKind{dram, dram, inventory.NodeUnknown}},
		{"HBM or not", tiers(hosttest.CPUMax), []inventory.NodeKind{dram, dram, inventory.NodeUnknown}},
		{"CXL", tiers(hosttest.Skylake).With(dax).With(cxl), []inventory.NodeKind{dram, dram, inventory.NodeCXL}},
		{"persistent memory as RAM", tiers(hosttest.Skylake).With(dax), []inventory.NodeKind{dram, dram, inventory.NodeCPULess}},
		{"CXL of another node", tiers(hosttest.Skylake).With(cxl), []inventory.NodeKind{dram, dram, inventory.NodeCPULess}},
		{"neither", tiers(hosttest.Skylake).With(hosttest.Files{hosttest.NodeDir + "node2/meminfo": "Node 2 MemTotal: 0 kB\n", hosttest.NodeDir + "has_memory": "0-1\n"}), []inventory.NodeKind{dram, dram, inventory.NodeUnknown}},
		{"memory not captured", tiers(hosttest.Skylake).Without(hosttest.NodeDir+"node2/meminfo", hosttest.NodeDir+"has_memory"), []inventory.NodeKind{dram, dram, inventory.NodeUnknown}},
		{"CPUs not captured", tiers(hosttest.Skylake).Without(hosttest.NodeDir+"node2/cpulist", hosttest.NodeDir+"has_cpu"), []inventory.NodeKind{dram, dram, inventory.NodeUnknown}},
		{"lists left empty by old kernels", tiers(hosttest.Skylake).With(hosttest.Files{hosttest.NodeDir + "has_cpu": "\n"}), []inventory.NodeKind{dram, dram, inventory.NodeCPULess}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []inventory.NodeKind
			for _, n := range collecttest.Collected(t, c.files).Nodes {
				got = append(got, n.Kind.Or(inventory.NodeUnknown))
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// memoryOnly is a machine of two processors with a node each, and nodes without CPUs of the given sizes in MiB.
func memoryOnly(p hosttest.Part, mib ...int) hosttest.Files {
	lists := append([]string{"0-1", "2-3"}, make([]string, len(mib))...)
	f := hosttest.Nodes(p.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 2}), lists...)
	f = f.With(hosttest.Files{hosttest.NodeDir + "has_cpu": "0-1\n"})
	for i, size := range mib {
		f[fmt.Sprintf("%snode%d/meminfo", hosttest.NodeDir, i+2)] = fmt.Sprintf("Node %d MemTotal: %d kB\n", i+2, size<<10)
	}
	return f
}

// rated adds firmware's ratings in MiB/s, by node.
func rated(f hosttest.Files, mibs ...int) hosttest.Files {
	for id, v := range mibs {
		dir := fmt.Sprintf("%snode%d/access0/initiators/", hosttest.NodeDir, id)
		f[dir+"read_bandwidth"], f[dir+"node0"] = strconv.Itoa(v)+"\n", hosttest.LinkTo+"../../../node0"
	}
	return f
}

// daxFrom adds a node's dax device below a path, used as RAM.
func daxFrom(f hosttest.Files, node int, path string) hosttest.Files {
	name := fmt.Sprintf("dax%d.0", node)
	own := "sys/devices/" + path + "/" + name + "/"
	f["sys/bus/dax/devices/"+name] = hosttest.LinkTo + "../../../devices/" + path + "/" + name
	f[own+"target_node"], f[own+"driver"] = strconv.Itoa(node)+"\n", hosttest.LinkTo+"../../bus/dax/drivers/kmem"
	return f
}

const (
	cxlPath  = "platform/ACPI0017:00/root0/decoder0.0/region0/dax_region0"
	hmemPath = "platform/hmem.0"
	nvPath   = "LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0/region1/dax1.1"
)

// A capture without a list does not show that the list is empty.
var (
	cxlCard = hosttest.Files{"sys/bus/cxl/devices/mem0/": "", "sys/bus/nd/devices/": "", "proc/driver/nvidia/gpus/": ""}
	gib     = 1024 // in MiB
)

// window is a CEDT with one window of CXL memory, 16 GiB from 64 GiB on, and memory
// blocks of 1 GiB.
var window = hosttest.Files{"sys/firmware/acpi/tables/CEDT": hosttest.CEDT([2]uint64{0x1000000000, 0x400000000})}

// at gives a node memory blocks of 1 GiB with these numbers.
func at(f hosttest.Files, node int, blocks ...int) hosttest.Files {
	f["sys/devices/system/memory/block_size_bytes"] = "40000000\n"
	for _, k := range blocks {
		f[fmt.Sprintf("%snode%d/memory%d", hosttest.NodeDir, node, k)] = fmt.Sprintf("%s../../memory/memory%d", hosttest.LinkTo, k)
	}
	return f
}

// TestMemoryOnlyNodes checks the kind of nodes without CPUs by the kernel's documents and drivers; the
// processor's brand alone is not conclusive.
func TestMemoryOnlyNodes(t *testing.T) {
	hbm, cxl, plain, open := inventory.NodeHBM, inventory.NodeCXL, inventory.NodeCPULess, inventory.NodeUnknown
	for _, c := range []struct {
		name      string
		files     hosttest.Files
		want      []inventory.NodeKind
		certainty fact.Certainty
	}{
		{"Xeon Max, flat: as much as both processors carry", memoryOnly(hosttest.CPUMax, 64*gib, 64*gib), []inventory.NodeKind{hbm, hbm}, fact.Corroborated},
		{"Xeon Max, flat, beside a node without CPUs and memory", memoryOnly(hosttest.CPUMax, 64*gib, 64*gib, 0).With(hosttest.Files{hosttest.NodeDir + "has_memory": "0-3\n"}), []inventory.NodeKind{hbm, hbm, open}, 0},
		{"Xeon Max, flat, one node with an unknown amount", memoryOnly(hosttest.CPUMax, 128*gib, 0).Without(hosttest.NodeDir + "node3/meminfo"), []inventory.NodeKind{open, open}, fact.None},
		{"Xeon Max, as many nodes as processors of another size", memoryOnly(hosttest.CPUMax, 256*gib, 256*gib), []inventory.NodeKind{open, open}, fact.None},
		{"Xeon Max, one node as large as both processors' memory", memoryOnly(hosttest.CPUMax, 128*gib), []inventory.NodeKind{open}, fact.None},
		{"Xeon Max with a CXL card that firmware onlined", memoryOnly(hosttest.CPUMax, 256*gib).With(cxlCard), []inventory.NodeKind{open}, fact.None},
		{"Xeon Max, flat, and a CXL card by its driver", daxFrom(memoryOnly(hosttest.CPUMax, 64*gib, 64*gib, 256*gib).With(cxlCard), 4, cxlPath), []inventory.NodeKind{hbm, hbm, cxl}, 0},
		{"Xeon Max, flat, soft-reserved, and a CXL card", daxFrom(daxFrom(memoryOnly(hosttest.CPUMax, 64*gib, 64*gib).With(cxlCard), 2, hmemPath), 3, hmemPath), []inventory.NodeKind{hbm, hbm}, fact.Corroborated},
		{"Xeon Max, rated fast", rated(memoryOnly(hosttest.CPUMax, 16*gib), 200_000, 200_000, 400_000), []inventory.NodeKind{hbm}, fact.Corroborated},
		{"Xeon Max, rated half as fast again", rated(memoryOnly(hosttest.CPUMax, 16*gib), 200_000, 200_000, 300_000), []inventory.NodeKind{hbm}, fact.Corroborated},
		{"Xeon Max, rated a little slower than that", rated(memoryOnly(hosttest.CPUMax, 16*gib), 200_000, 200_000, 299_999), []inventory.NodeKind{open}, fact.None},
		{"Xeon Max, rated slow", rated(memoryOnly(hosttest.CPUMax, 64*gib, 64*gib), 200_000, 200_000, 50_000, 50_000), []inventory.NodeKind{open, open}, fact.None},
		{"CXL by its driver", daxFrom(memoryOnly(hosttest.Skylake, 256*gib), 2, cxlPath), []inventory.NodeKind{cxl}, fact.Direct},
		{"CXL by its host bridge alone", daxFrom(memoryOnly(hosttest.Skylake, 256*gib), 2, "platform/ACPI0017:00/root0"), []inventory.NodeKind{cxl}, fact.Direct},
		{"CXL by its driver's name alone", daxFrom(memoryOnly(hosttest.Skylake, 256*gib), 2, "platform/cxl_test/region0"), []inventory.NodeKind{cxl}, fact.Direct},
		{"CXL by its region alone", daxFrom(memoryOnly(hosttest.Skylake, 256*gib), 2, "platform/root0/dax_region0"), []inventory.NodeKind{cxl}, fact.Direct},
		{"which processors are online is not known", memoryOnly(hosttest.Skylake, 256*gib).Without("sys/devices/system/cpu/online"), []inventory.NodeKind{plain}, fact.Direct},
		{"CXL that firmware set apart", daxFrom(memoryOnly(hosttest.Skylake, 256*gib).With(cxlCard), 2, hmemPath), []inventory.NodeKind{cxl}, fact.Corroborated},
		{"CXL that firmware onlined, rated slow", rated(memoryOnly(hosttest.Skylake, 256*gib).With(cxlCard), 200_000, 200_000, 40_000), []inventory.NodeKind{cxl}, fact.Corroborated},
		{"a CXL card and a node, nothing more", memoryOnly(hosttest.Skylake, 256*gib).With(cxlCard), []inventory.NodeKind{plain}, fact.Direct},
		{"a range set apart, no card", daxFrom(memoryOnly(hosttest.Skylake, 256*gib), 2, hmemPath), []inventory.NodeKind{plain}, fact.Direct},
		{"persistent memory as RAM beside a CXL card", daxFrom(memoryOnly(hosttest.Skylake, 512*gib).With(cxlCard), 2, nvPath), []inventory.NodeKind{inventory.NodePersistent}, fact.Direct},
		{"CXL that firmware set apart, where NVDIMMs cannot be listed", daxFrom(memoryOnly(hosttest.Skylake, 256*gib).With(cxlCard).Without("sys/bus/nd/devices/"), 2, hmemPath), []inventory.NodeKind{plain}, fact.Direct},
		{"CXL that firmware set apart, where a GPU's state cannot be read", daxFrom(memoryOnly(hosttest.Skylake, 256*gib).With(cxlCard), 2, hmemPath).With(hosttest.Files{
			"proc/driver/nvidia/gpus/0009:01:00.0/numa_status/": ""}), []inventory.NodeKind{plain}, fact.Direct},
		{"CXL that firmware onlined, in a window of the CEDT", at(memoryOnly(hosttest.Skylake, 256*gib), 2, 64).With(window), []inventory.NodeKind{cxl}, fact.Direct},
		{"the same on a Xeon Max", at(memoryOnly(hosttest.CPUMax, 256*gib), 2, 64).With(window), []inventory.NodeKind{cxl}, fact.Direct},
		{"Xeon Max, flat, and CXL that firmware onlined", at(at(at(memoryOnly(hosttest.CPUMax, 64*gib, 64*gib, 256*gib), 2, 4), 3, 6), 4, 64).With(window).With(cxlCard), []inventory.NodeKind{hbm, hbm, cxl}, 0},
		{"the kernel's decoder, where the CEDT cannot be read", at(memoryOnly(hosttest.Skylake, 256*gib), 2, 64).With(cxlCard).With(hosttest.Files{
			"sys/bus/cxl/devices/decoder0.0/start": "0x1000000000\n", "sys/bus/cxl/devices/decoder0.0/size": "0x400000000\n"}), []inventory.NodeKind{cxl}, fact.Direct},
		{"beside the window", at(memoryOnly(hosttest.Skylake, 256*gib), 2, 63).With(window), []inventory.NodeKind{plain}, fact.Direct},
		{"a block behind the window", at(memoryOnly(hosttest.Skylake, 256*gib), 2, 80).With(window), []inventory.NodeKind{plain}, fact.Direct},
		{"one block inside and one beside", at(memoryOnly(hosttest.Skylake, 256*gib), 2, 63, 64).With(window), []inventory.NodeKind{plain}, fact.Direct},
		{"set apart beside a CXL card, and no CXL by its address", daxFrom(at(memoryOnly(hosttest.Skylake, 256*gib), 2, 4).With(window).With(cxlCard), 2, hmemPath), []inventory.NodeKind{plain}, fact.Direct},
		{"rated slow beside a CXL card, and no CXL by its address", rated(at(memoryOnly(hosttest.Skylake, 256*gib), 2, 4).With(window).With(cxlCard), 200_000, 200_000, 40_000), []inventory.NodeKind{plain}, fact.Direct},
		{"Xeon Max, one node that is no CXL by its address and no HBM by its size", at(memoryOnly(hosttest.CPUMax, 256*gib), 2, 4).With(window), []inventory.NodeKind{open}, fact.None},
		{"rated fast on a processor without HBM", rated(memoryOnly(hosttest.Skylake, 64*gib), 200_000, 200_000, 400_000), []inventory.NodeKind{plain}, fact.Direct},
		{"a GPU's memory", memoryOnly(hosttest.Skylake, 96*gib).With(hosttest.Files{
			"proc/driver/nvidia/gpus/0009:01:00.0/numa_status": "Node:      2\nStatus:    online\nAddress:   40000000000\nSize:      1800000000\n"}), []inventory.NodeKind{inventory.NodeGPU}, fact.Direct},
		{"a GPU's memory that is offline", memoryOnly(hosttest.Skylake, 96*gib).With(hosttest.Files{
			"proc/driver/nvidia/gpus/0009:01:00.0/numa_status": "Node:      2\nStatus:    offline\n"}), []inventory.NodeKind{plain}, fact.Direct},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes := collecttest.Collected(t, c.files).Nodes
			var got []inventory.NodeKind
			for _, n := range nodes[2:] {
				got = append(got, n.Kind.Or(inventory.NodeUnknown))
				if c.certainty > 0 {
					assert.Equal(t, c.certainty, n.Kind.Certainty)
				}
				assert.True(t, n.Kind.Known() || n.Kind.Reason != "")
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// TestTierFacts checks ratings, tiers, weights and caches of a node.
func TestTierFacts(t *testing.T) {
	const weights = "sys/kernel/mm/mempolicy/weighted_interleave/"
	f := rated(memoryOnly(hosttest.Skylake, 256*gib), 200_000, 0, 40_000).With(hosttest.Files{
		"sys/devices/virtual/memory_tiering/memory_tier4/nodelist": "0-1\n",
		"sys/devices/virtual/memory_tiering/memory_tier22/nodes":   "2\n",
		weights + "node0": "5\n", weights + "node2": "1\n", weights + "auto": "true\n",
		"sys/bus/cxl/devices/region0/": "", "sys/bus/cxl/devices/mem0/": "", "sys/bus/cxl/devices/mem1/": "", "sys/bus/cxl/devices/memory/": "",
		hosttest.NodeDir + "node1/memory_side_cache/index1/size": "68719476736\n",
	})
	sys := collecttest.Collected(t, f)
	n := sys.Nodes
	want.Is(int64(200_000<<20), fact.Indirect).Check(t, n[0].RatedBytesPerSecond)
	want.Not[int64](fact.Unstated, "rates the node's bandwidth with 0").Check(t, n[1].RatedBytesPerSecond)
	want.Is(4, fact.Direct).Check(t, n[1].Tier)
	want.Is(22, fact.Direct).Check(t, n[2].Tier)
	want.Is(5, fact.Direct).Check(t, n[0].InterleaveWeight)
	want.Not[int](fact.Absent, "lists no interleave weight").Check(t, n[1].InterleaveWeight)
	want.Is(true, fact.Direct).Check(t, sys.NUMA.WeightsAuto)
	want.Is(2, fact.Direct).Check(t, sys.NUMA.CXLDevices)
	want.Is(1, fact.Direct).Check(t, sys.NUMA.CXLRegions)
	want.Is(int64(64<<30), fact.Direct).Check(t, n[1].SideCacheBytes)
	want.Not[inventory.Technology](fact.Absent, "is not known").Check(t, n[1].SideCacheOf)

	older := collecttest.Collected(t, f.Without(weights+"auto"))
	want.Is(false, fact.Direct).Check(t, older.NUMA.WeightsAuto)
	none := collecttest.Collected(t, f.Without(weights))
	assert.False(t, none.NUMA.WeightsAuto.Known())
	want.Not[int](fact.Unread, "weighted_interleave: unread").Check(t, none.Nodes[0].InterleaveWeight)
}

// TestSideCache checks that Optane's memory mode is detected by its two kinds of modules, and HBM by the processor.
func TestSideCache(t *testing.T) {
	cache := hosttest.Files{hosttest.NodeDir + "node0/memory_side_cache/index1/size": "103079215104\n"}
	b := smbiostest.New(3, 2)
	array := b.Array(smbiostest.Array{Devices: 2})
	b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 16 << 30})
	b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 128 << 30, Type: typeLogical, Technology: techOptane})
	two := hosttest.Machine{Sockets: 2, CoresPerSocket: 2}
	optane := collecttest.Collected(t, collecttest.Table(hosttest.Skylake.Tree(two), b).With(cache)).Nodes[0]
	want.Is(inventory.DRAM, fact.Corroborated).Check(t, optane.SideCacheOf)
	hbm := collecttest.Collected(t, hosttest.CPUMax.Tree(two).With(cache)).Nodes[0]
	want.Is(inventory.HBM, fact.Corroborated).Check(t, hbm.SideCacheOf)
	assert.False(t, collecttest.Collected(t, hosttest.Skylake.Tree(two)).Nodes[0].SideCacheOf.Known())
}

// TestSideCacheUnread checks that a cache with a malformed size does not count as 0 bytes.
func TestSideCacheUnread(t *testing.T) {
	two := hosttest.Skylake.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 2})
	cache := hosttest.Files{hosttest.NodeDir + "node0/memory_side_cache/index1/size": "much\n"}
	want.Not[int64](fact.Malformed, "much").Check(t, collecttest.Collected(t, two.With(cache)).Nodes[0].SideCacheBytes)
}

// TestVisibleWithoutOthers checks that memory of a CXL card is not compared with the modules.
func TestVisibleWithoutOthers(t *testing.T) {
	f := daxFrom(memoryOnly(hosttest.Skylake, 256*gib), 2, cxlPath).Without("sys/firmware/memmap/", "proc/meminfo").With(hosttest.Files{
		"proc/meminfo": fmt.Sprintf("MemTotal: %d kB\n", (256+2)<<20)})
	want.Is(int64(2<<30), fact.Corroborated).Check(t, collecttest.Collected(t, f).Memory.VisibleBytes)
}

// TestMemoryOfAnUnknownAmount checks that a GPU node of unknown size is not subtracted.
func TestMemoryOfAnUnknownAmount(t *testing.T) {
	files := memoryOnly(hosttest.Skylake, 96*gib).With(hosttest.Files{
		"proc/driver/nvidia/gpus/0009:01:00.0/numa_status": "Node:      2\nStatus:    online\nAddress:   40000000000\nSize:      1800000000\n"})
	whole, open := collecttest.Collected(t, files), collecttest.Collected(t, files.Without(hosttest.NodeDir+"node2/meminfo"))
	assert.Contains(t, whole.Memory.VisibleBytes.From.Raw, ", without node 2")
	assert.NotContains(t, open.Memory.VisibleBytes.From.Raw, "without node")
	assert.Equal(t, whole.Memory.VisibleBytes.Value+96<<30, open.Memory.VisibleBytes.Value)
}

// TestProcessorsOfNodes checks that a node in has_cpu with an empty CPU list has an unknown kind,
// because its CPUs may be offline.
func TestProcessorsOfNodes(t *testing.T) {
	nodes := collecttest.Collected(t, memoryOnly(hosttest.Skylake, 256*gib).With(hosttest.Files{hosttest.NodeDir + "has_cpu": "0-2\n"})).Nodes
	want.Is(true, fact.Direct).Check(t, nodes[0].HasCPU)
	want.Not[bool](fact.Malformed, "lists node 2, but").Check(t, nodes[2].HasCPU)
	want.Not[inventory.NodeKind](fact.Malformed, "lists node 2, but").Check(t, nodes[2].Kind)
}
