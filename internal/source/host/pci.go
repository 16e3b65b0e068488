package host

import (
	"fmt"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

const pciDir = "/sys/bus/pci/devices"

// deviceKinds are the beginnings of PCI class codes (PCI Code and ID Assignment Specification) of devices whose distance to
// memory matters.
var deviceKinds = map[string]string{"0x02": inventory.DeviceNetwork, "0x03": inventory.DeviceGPU, "0x0108": inventory.DeviceNVMe, "0x12": inventory.DeviceAccelerator}

// ReadPCI lists GPUs, network adapters, NVMe and accelerators with their NUMA nodes
// (Documentation/ABI/testing/sysfs-bus-pci), in the order of their addresses. Virtual functions are left out: they are where
// their device is. It is Unread on a machine with one node, where the nodes say nothing.
func ReadPCI(root *Root, n *NUMA) fact.Fact[[]inventory.Device] {
	r := newReader(root, inventory.SourceNUMA)
	withCPUs := 0
	for i := range n.Nodes {
		if n.Nodes[i].HasCPU.Value {
			withCPUs++
		}
	}
	if withCPUs < 2 {
		return unknownFact[[]inventory.Device](r.source, &ReadError{Op: "list", Path: pciDir, State: fact.Unread, Err: fmt.Errorf("%d NUMA nodes with CPUs", withCPUs)})
	}
	names := r.listNames(pciDir)
	if names.State != fact.OK || len(names.Value) > 1<<14 { // a server with many virtual functions has two thousand
		return fact.UnknownFrom[[]inventory.Device](names)
	}
	out := []inventory.Device{}
	for _, name := range names.Value {
		if d, ok := r.readDevice(name); ok {
			out = append(out, d)
		}
	}
	return fact.Known(out, fact.Direct, r.evidenceAt(pciDir, ""))
}

func (r *reader) readDevice(name string) (inventory.Device, bool) {
	dir := pciDir + "/" + name
	class := r.readText(dir + "/class").Value
	for code, kind := range deviceKinds {
		if !strings.HasPrefix(class, code) {
			continue
		}
		vendor := ""
		if kind == inventory.DeviceGPU {
			vendor = r.readText(dir + "/vendor").Value
		}
		// Nothing computes on the graphics of BMCs (ASPEED, Matrox).
		if r.hasFolder(dir+"/physfn").Value || vendor == "0x1a03" || vendor == "0x102b" {
			return inventory.Device{}, false
		}
		direct := fact.Known(false, fact.Direct, r.evidenceAt(dir+"/vendor", vendor))
		if vendor == "0x10de" { // NVIDIA
			if direct = r.hasFolder("/sys/module/nvidia_peermem"); !direct.Value {
				direct = fact.First(r.hasFolder("/sys/module/nv_peer_mem"), direct)
			}
		}
		return inventory.Device{Address: name, Kind: kind, Direct: direct, Node: fact.Convert(r.readNumber(dir+"/numa_node"), func(n int64) int { return int(n) })}, true
	}
	return inventory.Device{}, false
}
