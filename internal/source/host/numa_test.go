package host_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

func readNUMA(t testing.TB, f hosttest.Files) *host.NUMA {
	t.Helper()
	return host.ReadNUMA(captured(t, f))
}

const nodes = "sys/devices/system/node/"

func TestReadNUMA(t *testing.T) {
	n := readNUMA(t, hosttest.Machine{Sockets: 2, NodesPerSocket: 2, CoresPerSocket: 4, NodeMiB: 1024}.Files().With(hosttest.Files{
		nodes + "node1/access0/initiators/read_bandwidth":          "120000\n",
		nodes + "node1/access0/initiators/node1":                   hosttest.LinkTo + "../../../node1",
		nodes + "node1/memory_side_cache/index1/size":              "1073741824\n",
		"sys/devices/virtual/memory_tiering/memory_tier4/nodelist": "0-3\n",
	}))
	assert.Equal(t, host.Source{Name: "numa", State: fact.SourceOK}, n.Source)
	assert.Equal(t, []int{0, 1, 2, 3}, n.Online.Value)
	assert.Equal(t, []int{2, 3}, n.Nodes[1].CPUs.Value)
	assert.Equal(t, []int{12, 10, 21, 21}, n.Nodes[1].Distances.Value)
	assert.Equal(t, int64(hosttest.Managed(1, 1024))<<10, n.Nodes[1].MemTotalBytes.Value)
	assert.Equal(t, int64(120000), n.Nodes[1].ReadBandwidth[0].Value)
	assert.Equal(t, fact.Unread, n.Nodes[1].ReadBandwidth[1].State)
	assert.Equal(t, int64(1<<30), n.Nodes[1].SideCaches.Value[0].Value)
	assert.Equal(t, []host.Tier{{Number: 4, Nodes: fact.Known([]int{0, 1, 2, 3}, fact.Direct, fact.At("numa", "/sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0-3"))}}, n.Hints.Tiers.Value)
	assert.Equal(t, fact.Unread, n.Hints.CXL.State)
}

func TestNodesInNumericOrderWithGaps(t *testing.T) {
	f := hosttest.Files{nodes + "online": "0,2,10-11\n", nodes + "has_cpu": "0,2\n", nodes + "has_memory": "0,10-11\n"}
	for _, id := range []string{"0", "2", "10", "11"} {
		f[nodes+"node"+id+"/distance"] = "10 20 20 20\n"
		f[nodes+"node"+id+"/cpulist"], f[nodes+"node"+id+"/meminfo"] = "\n", "Node "+id+" MemTotal: 1024 kB\n"
	}
	f[nodes+"node0/cpulist"], f[nodes+"node2/cpulist"] = "0-3\n", "4-7\n"
	f[nodes+"node2/meminfo"] = "Node 2 MemTotal: 0 kB\n"
	check := func(name string, f hosttest.Files) {
		n := readNUMA(t, f)
		ids := []int{}
		for _, node := range n.Nodes {
			ids = append(ids, node.ID)
		}
		assert.Equal(t, []int{0, 2, 10, 11}, ids, name)
		assert.Equal(t, []int{0, 2}, n.CPUNodes().Value, name)
		assert.Equal(t, []int{0, 10, 11}, n.MemoryNodes().Value, name)
	}
	check("with lists", f)
	check("old capture without lists", f.Without(nodes+"online", nodes+"has_"))
}

// Kernels around 3.x print an empty has_cpu although the nodes have CPUs.
func TestHasCPUThatLies(t *testing.T) {
	f := hosttest.Machine{Sockets: 2, CoresPerSocket: 2}.Files()
	n := readNUMA(t, f.With(hosttest.Files{nodes + "has_cpu": "\n"}))
	assert.Equal(t, fact.Malformed, n.HasCPU.State)
	assert.Equal(t, []int{0, 1}, n.CPUNodes().Value)
	assert.Equal(t, fact.SourcePartial, n.Source.State)
	n = readNUMA(t, f.With(hosttest.Files{nodes + "node1/cpulist": "\n"}))
	assert.Equal(t, fact.Malformed, n.Nodes[1].HasCPU.State, "has_cpu contradicts cpulist")
	assert.Equal(t, fact.Malformed, n.CPUNodes().State)
	n = readNUMA(t, f.With(hosttest.Files{nodes + "node1/cpulist": "\n", nodes + "has_cpu": "0\n"}))
	assert.Equal(t, []int{0}, n.CPUNodes().Value)
}

func TestDistancesMustFit(t *testing.T) {
	f := hosttest.Machine{Sockets: 2}.Files()
	for _, text := range []string{"10\n", "10 20 30\n", "10 x\n", "\n"} {
		n := readNUMA(t, f.With(hosttest.Files{nodes + "node0/distance": text}))
		assert.Equal(t, fact.Malformed, n.Nodes[0].Distances.State, "%q", text)
		assert.True(t, n.Nodes[1].Distances.Known())
	}
}

func TestACPI(t *testing.T) {
	f := hosttest.Machine{Sockets: 2}.Files()
	a := host.ReadACPI(captured(t, f))
	assert.Equal(t, fact.Known(true, fact.Direct, fact.At("acpi", "/sys/firmware/acpi/tables", "")), a.HasTable("SRAT"))
	a = host.ReadACPI(captured(t, f.Without("sys/firmware/acpi/tables/SRAT")))
	assert.Equal(t, fact.Known(false, fact.Direct, fact.At("acpi", "/sys/firmware/acpi/tables", "")), a.HasTable("SRAT"))
	for name, f := range map[string]hosttest.Files{
		"no folder": f.Without("sys/firmware/acpi"),
		"empty":     f.Without("sys/firmware/acpi").With(hosttest.Files{"sys/firmware/acpi/tables/": ""}),
	} {
		t.Run(name, func(t *testing.T) {
			a = host.ReadACPI(captured(t, f))
			assert.Equal(t, fact.Unread, a.HasTable("SRAT").State)
			assert.Equal(t, fact.SourceAbsent, a.Source.State)
		})
	}
}

// TestNodeWithoutCPUs checks that blocks and linked CPUs are read for nodes that have memory but no CPU online.
func TestNodeWithoutCPUs(t *testing.T) {
	f := hosttest.Nodes(hosttest.Machine{CoresPerSocket: 2}.Files(), "0-1", "", "")
	f[nodes+"node2/meminfo"] = "Node 2 MemTotal: 0 kB\n"
	f[nodes+"has_cpu"], f[nodes+"has_memory"] = "0\n", "0-1\n"
	for id := range 3 {
		f[fmt.Sprintf(nodes+"node%d/memory%d/state", id, 32+id)] = "online\n"
	}
	n := readNUMA(t, f)
	assert.Equal(t, fact.Unread, n.Nodes[0].Blocks.State)
	assert.Equal(t, []int{33}, n.Nodes[1].Blocks.Value)
	assert.True(t, n.Nodes[1].LinkedCPUs.Known())
	assert.Equal(t, fact.Unread, n.Nodes[2].Blocks.State, "no memory")
	unknown := f.Without(nodes+"node1/cpulist", nodes+"has_cpu")
	assert.False(t, readNUMA(t, unknown).Nodes[1].Blocks.Known(), "whether it has CPUs is not known")

	one := f.With(hosttest.Files{nodes + "node0/cpulist": "0\n", nodes + "node1/meminfo": "Node 1 MemTotal: 1 kB\n"})
	assert.True(t, readNUMA(t, one).Nodes[0].HasCPU.Value)
	assert.True(t, readNUMA(t, one).Nodes[1].HasMemory.Value)
	mask := f.Without(nodes + "node0/cpulist").With(hosttest.Files{nodes + "node0/cpumap": "3\n"})
	assert.Equal(t, []int{0, 1}, readNUMA(t, mask).Nodes[0].CPUs.Value)
	mask[nodes+"node0/cpulist"] = "0\n"
	assert.Equal(t, []int{0}, readNUMA(t, mask).Nodes[0].CPUs.Value, "the list comes before the mask")
	assert.Equal(t, fact.Absent, readNUMA(t, f.Without(nodes+"node0/cpulist", nodes+"has_cpu")).Nodes[0].HasCPU.State)
}

// TestListsOfNodes checks that a list that cannot be read contradicts nothing, and that a list may hold one node.
func TestListsOfNodes(t *testing.T) {
	f := hosttest.Nodes(hosttest.Machine{CoresPerSocket: 2}.Files(), "0-1", "")
	assert.Equal(t, fact.Malformed, readNUMA(t, f.With(hosttest.Files{nodes + "has_memory": "0\n"})).HasMemory.State)
	assert.Equal(t, fact.Absent, readNUMA(t, f.Without(nodes+"has_memory")).HasMemory.State)
	noCPUs := f.With(hosttest.Files{nodes + "has_cpu": "0\n"})
	assert.Equal(t, []int{0}, readNUMA(t, noCPUs).HasCPU.Value, "node 1 has none by its own file")

	one := hosttest.Nodes(hosttest.Machine{CoresPerSocket: 2}.Files(), "0-1")
	assert.Equal(t, []int{0}, readNUMA(t, one).Online.Value)
	assert.Equal(t, []int{0}, readNUMA(t, one.Without(nodes+"online")).Online.Value)
	assert.Equal(t, fact.Malformed, readNUMA(t, one.With(hosttest.Files{nodes + "online": "\n"})).Online.State)
	assert.Equal(t, fact.Malformed, readNUMA(t, one.With(hosttest.Files{nodes + "online": "0-1024\n"})).Online.State)
	assert.Len(t, readNUMA(t, hosttest.Files{nodes + "online": "0-1023\n"}).Online.Value, 1024)
	none := readNUMA(t, hosttest.Files{nodes + "possible": "0\n"})
	assert.Equal(t, fact.Absent, none.Online.State, "no folder of a node either")
	refused := hosttest.Notes(hosttest.Files{}, "refused\t/sys/devices/system/node\tlist\tinput/output error")
	assert.Equal(t, fact.Refused, readNUMA(t, refused).Online.State)
}

// TestTierHints checks what distinguishes nodes of GPUs, CXL and persistent memory from DRAM.
func TestTierHints(t *testing.T) {
	const gpus, weights, dax = "proc/driver/nvidia/gpus/", "sys/kernel/mm/mempolicy/weighted_interleave/", "sys/bus/dax/devices/"
	base := hosttest.Nodes(hosttest.Machine{CoresPerSocket: 2}.Files(), "0-1", "")
	read := func(more hosttest.Files) host.TierHints { return readNUMA(t, base.With(more)).Hints }
	list := "names\t/proc/driver/nvidia/gpus\t0000:01:00.0\t0000:02:00.0"
	status := hosttest.Files{gpus + "0000:01:00.0/numa_status": "Node: 1\nStatus: online\n", gpus + "0000:02:00.0/numa_status": "Node: 2\nStatus: offline\n"}
	h := read(hosttest.Notes(status, list))
	assert.Equal(t, []int{1}, h.GPUs.Value)
	h = read(hosttest.Notes(status, list, "denied\t/"+gpus+"0000:02:00.0/numa_status\tread\tpermission denied"))
	assert.Equal(t, fact.Denied, h.GPUs.State, "the GPU whose file was denied may have a node")
	h = read(hosttest.Notes(status, list, "absent\t/"+gpus+"0000:02:00.0/numa_status\tread\tno such file or directory"))
	assert.Equal(t, []int{1}, h.GPUs.Value)
	assert.Equal(t, fact.Unread, read(nil).GPUs.State)
	many := hosttest.Files{}
	for i := range 65 {
		if i == 64 {
			assert.Len(t, read(many).GPUs.Value, 64)
		}
		many[fmt.Sprintf("%s0000:%02x:00.0/numa_status", gpus, i)] = "Node: 1\nStatus: online\n"
	}
	assert.Equal(t, fact.Malformed, read(many).GPUs.State, "not the first 64 for all")

	h = read(hosttest.Files{weights + "node0": "4\n", weights + "node1": "1\n", weights + "auto": "true\n"})
	assert.True(t, h.Weights.Auto.Known() && h.Weights.Auto.Value)
	assert.Equal(t, int64(4), h.Weights.Nodes[0].Value)
	h = read(hosttest.Files{weights + "node0": "4\n"})
	assert.True(t, h.Weights.Auto.Known() && !h.Weights.Auto.Value, "a kernel without the file")
	assert.Equal(t, fact.Unread, read(nil).Weights.Auto.State)
	assert.Empty(t, read(nil).Weights.Nodes)
	assert.Equal(t, fact.Denied, read(hosttest.Notes(hosttest.Files{}, "denied\t/sys/kernel/mm/mempolicy/weighted_interleave\tlist\tpermission denied")).Weights.Auto.State)

	const tier = "sys/devices/virtual/memory_tiering/memory_tier4/"
	assert.Equal(t, []int{1}, read(hosttest.Files{tier + "nodes": "1\n"}).Tiers.Value[0].Nodes.Value)
	assert.Equal(t, []int{0}, read(hosttest.Files{tier + "nodelist": "0\n", tier + "nodes": "1\n"}).Tiers.Value[0].Nodes.Value)

	h = read(hosttest.Files{dax + "dax0.0": hosttest.LinkTo + "../../../devices/platform/hmem.0/dax0.0", "sys/devices/platform/hmem.0/dax0.0/target_node": "0\n"})
	require.Len(t, h.DAX.Value, 1)
	assert.Equal(t, "../../../devices/platform/hmem.0/dax0.0", h.DAX.Value[0].Origin.Value)
	assert.True(t, h.DAX.Value[0].Target.Known(), "node 0")
	assert.False(t, h.DAX.Value[0].Driver.Known())
	assert.Equal(t, fact.Unread, read(nil).DAX.State)
	many = hosttest.Files{}
	for i := range 257 {
		many[fmt.Sprintf("%sdax%d.0/target_node", dax, i)] = "1\n"
	}
	assert.Equal(t, fact.Malformed, read(many).DAX.State)
}

// TestKernelWithoutNodes checks that files below the missing folder are absent with its reason.
func TestKernelWithoutNodes(t *testing.T) {
	n := readNUMA(t, hosttest.Notes(hosttest.Files{"proc/cmdline": "\n"}, "absent\t/sys/devices/system/node\tlist\tno such file or directory"))
	assert.True(t, n.Directory.Known() && !n.Directory.Value)
	require.ErrorContains(t, n.Online.Err, "CONFIG_NUMA=n")
	require.ErrorContains(t, n.Hints.CXL.Err, "CONFIG_NUMA=n")
}

// TestSiblingLists checks that a damaged list is not replaced by the mask.
func TestSiblingLists(t *testing.T) {
	f := hosttest.Machine{CoresPerSocket: 2}.Files()
	c := readCPU(t, f.With(hosttest.Files{cpuFile(0, "topology/thread_siblings_list"): "x\n", cpuFile(0, "topology/thread_siblings"): "1\n"}))
	assert.Equal(t, fact.Malformed, c.Cores.State)
	c = readCPU(t, f.Without(cpuFile(0, "topology/thread_siblings_list")).With(hosttest.Files{cpuFile(0, "topology/thread_siblings"): "1\n"}))
	assert.Equal(t, 2, c.Cores.Value)
	assert.Equal(t, "/"+cpuFile(0, "topology/thread_siblings"), c.Cores.From.Path, "the first")
}

// TestEntriesOfSMBIOS checks names that are not structures, and invalid positions.
func TestEntriesOfSMBIOS(t *testing.T) {
	const dir = "sys/firmware/dmi/entries/"
	one := hosttest.Files{dir + "255-0/raw": "a", dir + "255-0/position": "1048576\n"}
	s := host.ReadSMBIOS(captured(t, one.With(hosttest.Files{dir + "256-0/raw": "b", dir + "x-0/raw": "c", dir + "1-x/raw": "d"})))
	assert.Equal(t, []host.SMBIOSEntry{{Type: 255, Position: 1 << 20, Data: []byte("a")}}, s.Entries.Value)
	for _, position := range []string{"-1\n", "1048577\n", "x\n", ""} {
		s = host.ReadSMBIOS(captured(t, one.With(hosttest.Files{dir + "255-0/position": position})))
		require.Len(t, s.Entries.Value, 1)
		assert.Equal(t, -1, s.Entries.Value[0].Position, position)
	}
	s = host.ReadSMBIOS(captured(t, one.With(hosttest.Files{dir + "255-0/position": "0\n"})))
	assert.Equal(t, 0, s.Entries.Value[0].Position)
	assert.Equal(t, fact.Malformed, host.ReadSMBIOS(captured(t, hosttest.Files{"sys/firmware/dmi/entries/": ""}.With(hosttest.Files{"sys/firmware/dmi/x": ""}))).Entries.State)
}

// TestFlagOfAGuest checks that the flag is known only on x86, with its location.
func TestFlagOfAGuest(t *testing.T) {
	f := hosttest.Machine{CoresPerSocket: 1}.Files()
	read := func(f hosttest.Files) *host.Virtualization {
		root := captured(t, f)
		return host.ReadVirt(root, host.ReadCPU(root))
	}
	v := read(f)
	assert.True(t, v.HypervisorFlag.Known() && !v.HypervisorFlag.Value)
	assert.Equal(t, "flags", v.HypervisorFlag.From.Raw, "not the complete line")
	v = read(f.Without("proc/cpuinfo"))
	assert.Equal(t, fact.Unread, v.HypervisorFlag.State)
	assert.Empty(t, v.HypervisorFlag.From.Raw)
}

// TestRecordOfARedactedCapture checks that redacted data stays redacted, and that each query has its own result.
func TestRecordOfARedactedCapture(t *testing.T) {
	files := small.Files()
	again := func(root *host.Root, redact host.Redact) *host.Root {
		rec := root.Record()
		host.ReadAll(root)
		_, err := root.Stat("/sys/devices/system/cpu")
		require.NoError(t, err)
		_, err = root.Stat("/sys/devices/system/cpu/none")
		require.Error(t, err)
		var out bytes.Buffer
		require.NoError(t, rec.Write(&out, time.Unix(1, 0), redact, nil))
		return open(t, out.Bytes())
	}
	plain := again(captured(t, files), nil)
	assert.False(t, plain.Redacted())
	kind, err := plain.Stat("/sys/devices/system/cpu")
	require.NoError(t, err)
	assert.Equal(t, host.KindDir, kind)
	_, err = plain.Stat("/sys/devices/system/cpu/none")
	assert.Equal(t, fact.Absent, host.StateOf(err))
	all := func(_ string, data []byte) ([]byte, bool) { return data, true }
	redacted := again(captured(t, files), all)
	assert.True(t, redacted.Redacted())
	assert.True(t, again(redacted, nil).Redacted())

	cpuinfo := func(path string, data []byte) ([]byte, bool) { return data, path != "/proc/cpuinfo" }
	left := again(captured(t, files), cpuinfo)
	assert.Equal(t, fact.Denied, host.ReadCPU(left).Brand.State)
	_, err = left.ReadFile("/proc/cpuinfo")
	assert.Equal(t, fact.Denied, host.StateOf(err))
}

// TestRecordOfAListing checks that a capture of a complete tree shows what is missing in a folder, and a partial one
// does not.
func TestRecordOfAListing(t *testing.T) {
	for note, want := range map[string]string{"names": "names\t/sys/bus/nd/devices\tndbus0\n", "some": "some\t/sys/bus/nd/devices\tndbus0\n"} {
		root := captured(t, hosttest.Notes(small.Files(), note+"\t/sys/bus/nd/devices\tndbus0", "denied\t/sys/bus/cxl/devices\tlist\tpermission denied"))
		rec := root.Record()
		host.ReadNUMA(root)
		var out bytes.Buffer
		require.NoError(t, rec.Write(&out, time.Unix(1, 0), nil, nil))
		replayed := open(t, out.Bytes())
		b, err := replayed.ReadLimit("/memaudit-notes", 1<<20)
		require.NoError(t, err)
		assert.Contains(t, string(b), want)
		_, err = replayed.ReadDir("/sys/bus/cxl/devices")
		assert.Equal(t, fact.Denied, host.StateOf(err))
	}
}

// TestCXLWindows checks the windows of the kernel's example of a flexible configuration
// (Documentation/driver-api/cxl/platform/example-configurations/flexible.rst: two host bridges, a window over both
// and one of each), that the firmware's table takes precedence over the kernel's decoders, and invalid tables.
func TestCXLWindows(t *testing.T) {
	const gib = 1 << 30
	complete := hosttest.CEDT([2]uint64{0x1000000000, 16 * gib}, [2]uint64{0x1400000000, 4 * gib})
	decoders := hosttest.Files{
		"sys/bus/cxl/devices/decoder0.0/start": "0x2080000000\n", "sys/bus/cxl/devices/decoder0.0/size": "0x780000000\n",
		"sys/bus/cxl/devices/decoder1.0/start": "0x0\n", "sys/bus/cxl/devices/mem0/": "",
	}
	const table = "sys/firmware/acpi/tables/CEDT"
	cut := func(at int, b ...byte) hosttest.Files {
		out := []byte(complete)
		copy(out[at:], b)
		return hosttest.Files{table: string(out)}
	}
	two := []host.Range{{0x1000000000, 0x1400000000}, {0x1400000000, 0x1500000000}}
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  []host.Range
		state fact.State
		why   string
	}{
		{"table", hosttest.Files{table: complete}, two, fact.OK, ""},
		{"table beside decoders", hosttest.Files{table: complete}.With(decoders), two, fact.OK, ""},
		{"table without a window", hosttest.Files{table: hosttest.CEDT()}, []host.Range{}, fact.OK, ""},
		{"decoders of the root port alone", decoders, []host.Range{{0x2080000000, 0x2800000000}}, fact.OK, ""},
		{"a decoder that cannot be read", decoders.Without("sys/bus/cxl/devices/decoder0.0/size"), nil, fact.Unread, ""},
		{"neither", hosttest.Files{}, nil, fact.Unread, ""},
		{"cut short", hosttest.Files{table: complete[:len(complete)-8]}, nil, fact.Malformed, "announced"},
		{"another table", cut(0, 'S', 'R', 'A', 'T'), nil, fact.Malformed, "no CXL Early Discovery Table"},
		{"a record without a length", cut(36+2, 0, 0), nil, fact.Malformed, "record at 36 of 0 bytes"},
		{"a record behind the end", cut(36+2, 255, 255), nil, fact.Malformed, "record at 36 of 65535 bytes"},
		{"a window of nothing", cut(36+32+16, make([]byte, 8)...), nil, fact.Malformed, "window of 0x0 bytes"},
		{"a window over the end of all addresses", cut(36+32+16, 255, 255, 255, 255, 255, 255, 255, 255), nil, fact.Malformed, "window of 0xffffffffffffffff bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 1}).Without("sys/firmware/acpi/").With(c.files)
			got := host.ReadNUMA(host.Capture(tree).Root()).Hints.Windows
			assert.Equal(t, c.state, got.State)
			assert.Equal(t, c.want, got.Value)
			if c.why != "" {
				assert.ErrorContains(t, got.Err, c.why)
			}
		})
	}
}

// FuzzCXLWindows checks that windows are valid ranges and that no table causes a panic.
func FuzzCXLWindows(f *testing.F) {
	f.Add([]byte(hosttest.CEDT([2]uint64{1 << 36, 1 << 34})))
	f.Add([]byte(strings.Repeat("CEDT", 20)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 8 {
			binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
		}
		windows := host.ReadNUMA(host.Capture(hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 1}).With(hosttest.Files{
			"sys/firmware/acpi/tables/CEDT": string(b)})).Root()).Hints.Windows
		require.True(t, windows.State == fact.OK || windows.Value == nil)
		for _, w := range windows.Value {
			require.Less(t, w.Start, w.End)
		}
	})
}
