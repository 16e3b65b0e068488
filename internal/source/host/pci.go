package host

import (
	"encoding/binary"
	"errors"
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

// Range is a range of physical addresses: End is the first one after it.
type Range struct{ Start, End uint64 }

// Sizes and offsets of ACPI's CXL Early Discovery Table, in bytes (CXL
// Specification 3.0, 9.17.1; Linux, include/acpi/actbl1.h).
const (
	cedtPath        = "/sys/firmware/acpi/tables/CEDT"
	cedtHeader      = 36
	cedtWindow      = 1 // the record's type: CXL Fixed Memory Window Structure
	cedtWindowStart = 8
	cedtWindowSize  = 16
	cedtWindowLeast = 36
	limitCEDT       = 64 << 10
	// maxWindows is how many of the kernel's root decoders are read; more are Malformed.
	maxWindows = 64
)

// memoryWindows returns the address ranges of CXL memory: firmware's fixed windows, or else the kernel's root
// decoders (Documentation/ABI/testing/sysfs-bus-cxl). Only root can read either.
func (r *reader) memoryWindows(devices fact.Fact[[]string]) fact.Fact[[]Range] {
	table := r.readTable(cedtPath, limitCEDT)
	if table.State != fact.OK {
		// If both fail, the failure that is not just a missing file is reported.
		if decoders := r.rootDecoders(devices); decoders.State == fact.OK || unavailable(table) && !unavailable(decoders) {
			return decoders
		}
		return fact.UnknownFrom[[]Range](table)
	}
	list, err := fixedWindows(table.Value)
	if err != nil {
		return malformedFact[[]Range](table.From, err)
	}
	return fact.Known(list, fact.Direct, r.evidenceAt(table.From.Path, rangesText(list)))
}

func fixedWindows(b []byte) ([]Range, error) {
	if len(b) < cedtHeader || string(b[:4]) != "CEDT" {
		return nil, errors.New("no CXL Early Discovery Table")
	}
	if n := binary.LittleEndian.Uint32(b[4:]); uint64(n) != uint64(len(b)) {
		return nil, fmt.Errorf("%d bytes announced, %d there", n, len(b))
	}
	list := []Range{}
	for at := cedtHeader; at < len(b); {
		record := b[at:]
		if len(record) < 4 {
			return nil, fmt.Errorf("%d bytes after the last record", len(record))
		}
		size := int(binary.LittleEndian.Uint16(record[2:]))
		if size < 4 || size > len(record) {
			return nil, fmt.Errorf("record at %d of %d bytes, table ends at %d", at, size, len(b))
		}
		at += size
		if record[0] != cedtWindow {
			continue
		}
		if size < cedtWindowLeast {
			return nil, fmt.Errorf("window of %d bytes, %d needed", size, cedtWindowLeast)
		}
		start, bytes := binary.LittleEndian.Uint64(record[cedtWindowStart:]), binary.LittleEndian.Uint64(record[cedtWindowSize:])
		if start+bytes <= start {
			return nil, fmt.Errorf("window of 0x%x bytes at 0x%x", bytes, start)
		}
		list = append(list, Range{start, start + bytes})
	}
	return list, nil
}

// rootDecoders returns the windows of the kernel's root decoders, decoder0.N, in order of name. If
// one cannot be read, the list is unknown.
func (r *reader) rootDecoders(devices fact.Fact[[]string]) fact.Fact[[]Range] {
	const dir = "/sys/bus/cxl/devices"
	if devices.State != fact.OK {
		return fact.UnknownFrom[[]Range](devices)
	}
	list := []Range{}
	for _, name := range devices.Value {
		if _, ok := numericSuffix(name, "decoder0."); !ok {
			continue
		}
		start, size := r.numberBase(dir+"/"+name+"/start", 0), r.numberBase(dir+"/"+name+"/size", 0)
		switch {
		case start.State != fact.OK:
			return fact.UnknownFrom[[]Range](start)
		case size.State != fact.OK:
			return fact.UnknownFrom[[]Range](size)
		case len(list) == maxWindows || start.Value < 0 || start.Value+size.Value <= start.Value:
			return malformedFact[[]Range](r.evidenceAt(size.From.Path, start.From.Raw+" "+size.From.Raw), errors.New("no window"))
		}
		list = append(list, Range{uint64(start.Value), uint64(start.Value + size.Value)})
	}
	if len(list) == 0 {
		return unknownFact[[]Range](r.source, &ReadError{Op: "list", Path: dir, State: fact.Absent, Err: errors.New("the kernel has no root decoder")})
	}
	return fact.Known(list, fact.Direct, r.evidenceAt(dir, rangesText(list)))
}

// rangesText writes ranges as /proc/iomem does, with the last address included.
func rangesText(list []Range) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = fmt.Sprintf("%x-%x", w.Start, w.End-1)
	}
	return strings.Join(words, " ")
}
