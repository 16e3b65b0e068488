package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
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
	assert.Equal(t, int64(120000), n.Nodes[1].Access[0].ReadBandwidth.Value)
	assert.Equal(t, fact.Unread, n.Nodes[1].Access[1].ReadBandwidth.State)
	assert.Equal(t, int64(1<<30), n.Nodes[1].SideCaches.Value[0].SizeBytes.Value)
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
	assert.Equal(t, fact.Known(true, fact.Direct, fact.At("acpi", "/sys/firmware/acpi/tables", "")), a.Has("SRAT"))
	a = host.ReadACPI(captured(t, f.Without("sys/firmware/acpi/tables/SRAT")))
	assert.Equal(t, fact.Known(false, fact.Direct, fact.At("acpi", "/sys/firmware/acpi/tables", "")), a.Has("SRAT"))
	for name, f := range map[string]hosttest.Files{
		"no folder": f.Without("sys/firmware/acpi"),
		"empty":     f.Without("sys/firmware/acpi").With(hosttest.Files{"sys/firmware/acpi/tables/": ""}),
	} {
		a = host.ReadACPI(captured(t, f))
		assert.Equal(t, fact.Unread, a.Has("SRAT").State, name)
		assert.Equal(t, fact.SourceAbsent, a.Source.State, name)
	}
}
