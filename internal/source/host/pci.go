package host

import (
	"fmt"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

const (
	pciDir = "/sys/bus/pci/devices"
	// maxPCI is beyond any machine; a server with many virtual functions has two thousand.
	maxPCI = 1 << 14
)

// deviceKinds are the beginnings of PCI class codes (PCI Code and ID Assignment Specification) of devices whose distance to
// memory matters.
var deviceKinds = map[string]string{"0x02": inventory.DeviceNetwork, "0x03": inventory.DeviceGPU, "0x0108": inventory.DeviceNVMe, "0x12": inventory.DeviceAccelerator}

// consoles are the vendors of the graphics of BMCs (ASPEED, Matrox), which nothing computes on.
var consoles = [...]string{"0x1a03", "0x102b"}

const nvidia = "0x10de"

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
		return unknown[[]inventory.Device](r.source, &ReadError{Op: "list", Path: pciDir, State: fact.Unread, Err: fmt.Errorf("%d NUMA nodes with CPUs", withCPUs)})
	}
	names := r.names(pciDir)
	if names.State != fact.OK || len(names.Value) > maxPCI {
		return fact.UnknownFrom[[]inventory.Device](names)
	}
	out := []inventory.Device{}
	for _, name := range names.Value {
		if d, ok := r.device(name); ok {
			out = append(out, d)
		}
	}
	return fact.Known(out, fact.Direct, r.at(pciDir, ""))
}

func (r *reader) device(name string) (inventory.Device, bool) {
	dir := pciDir + "/" + name
	class := r.text(dir + "/class").Value
	for code, kind := range deviceKinds {
		if !strings.HasPrefix(class, code) {
			continue
		}
		vendor := ""
		if kind == inventory.DeviceGPU {
			vendor = r.text(dir + "/vendor").Value
		}
		if r.isDir(dir+"/physfn").Value || vendor == consoles[0] || vendor == consoles[1] {
			return inventory.Device{}, false
		}
		direct := fact.Known(false, fact.Direct, r.at(dir+"/vendor", vendor))
		if vendor == nvidia {
			if direct = r.isDir("/sys/module/nvidia_peermem"); !direct.Value {
				direct = fact.First(r.isDir("/sys/module/nv_peer_mem"), direct)
			}
		}
		return inventory.Device{Address: name, Kind: kind, Direct: direct, Node: fact.Convert(r.number(dir+"/numa_node"), func(n int64) int { return int(n) })}, true
	}
	return inventory.Device{}, false
}
