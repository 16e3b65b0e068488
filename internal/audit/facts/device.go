package facts

import (
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

type deviceFacts struct {
	m *Machine
	d *inventory.Device
}

var deviceType = newObjectType("Device", "a GPU, network adapter, NVMe or accelerator of a machine with several NUMA nodes",
	Field{"address", textType, "the kernel's name of it: 0000:17:00.0", typedReader(func(x *deviceFacts) Value { return PlainValue(x.d.Address) })},
	Field{"kind", textType, "GPU, network adapter, NVMe or accelerator", typedReader(func(x *deviceFacts) Value { return PlainValue(x.d.Kind) })},
	Field{"node", intType, "its NUMA node; -1 if firmware names none", typedReader(func(x *deviceFacts) Value { return valueOf(x.d.Node) })},
	Field{"node_has_memory", boolType, "its node has memory", typedReader(func(x *deviceFacts) Value {
		return deriveValue(func() any {
			n := x.m.nodeByNumber(x.d.Node.Value)
			return n != nil && n.HasMemory.Value
		}, x.nodeValues(x.d)...)
	})},
	Field{"gpudirect", boolType, "a GPU of NVIDIA's, and the kernel's module for GPUDirect RDMA is loaded (nvidia_peermem)", typedReader(func(x *deviceFacts) Value { return valueOf(x.d.Direct) })},
	Field{"apart", textType, "of a GPU: the sockets of all network adapters, if all GPUs are on one socket and they are on others; empty otherwise", typedReader((*deviceFacts).distantAdapters)},
)

func (m *Machine) nodeByNumber(id int) *inventory.Node {
	i := slices.IndexFunc(m.sys.Nodes, func(n inventory.Node) bool { return n.ID == id })
	if i < 0 {
		return nil
	}
	return &m.sys.Nodes[i]
}

func (x *deviceFacts) nodeValues(d *inventory.Device) []Value {
	out := []Value{valueOf(d.Node)}
	if n := x.m.nodeByNumber(d.Node.Or(-1)); n != nil {
		out = append(out, valueOf(n.HasMemory))
	}
	return out
}

func (x *deviceFacts) distantAdapters() Value {
	from := []Value{valueOf(x.d.Node)}
	on := map[string][]int{}
	for i := range x.m.sys.PCI.Value {
		d := &x.m.sys.PCI.Value[i]
		n := x.m.nodeByNumber(d.Node.Or(-1))
		if n == nil {
			continue
		}
		from = append(from, valueOf(d.Node), valueOf(n.Socket))
		if !slices.Contains(on[d.Kind], n.Socket.Value) {
			on[d.Kind] = append(on[d.Kind], n.Socket.Value)
		}
	}
	return deriveValue(func() any {
		gpus, adapters := on[inventory.DeviceGPU], on[inventory.DeviceNetwork]
		if x.d.Kind != inventory.DeviceGPU || len(gpus) != 1 || len(adapters) == 0 || slices.Contains(adapters, gpus[0]) {
			return ""
		}
		var words []string
		for _, socket := range adapters {
			words = append(words, "socket "+strconv.Itoa(socket))
		}
		return humanize.List(words)
	}, from...)
}

// The devices are those whose NUMA node matters. None is known of a machine with one node.
func (m *Machine) deviceSubjects(add func(inventory.Subject, any)) Value {
	for i := range m.sys.PCI.Value {
		d := &m.sys.PCI.Value[i]
		add(d.Subject(), &deviceFacts{m, d})
	}
	return knownEmpty("no GPU, network adapter, NVMe or accelerator of a machine with several NUMA nodes is part of this input")
}
