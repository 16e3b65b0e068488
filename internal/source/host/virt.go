package host

import (
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// Virtualization holds signs of a guest or a container. internal/collect also checks the DMI strings.
type Virtualization struct {
	// HypervisorFlag is the "hypervisor" flag of /proc/cpuinfo (CPUID.1:ECX[31]); known on x86 only.
	HypervisorFlag fact.Fact[bool]
	// Type is /sys/hypervisor/type, for example "xen". XenFeatures is properties/features; its bit
	// 11 marks the privileged domain, which runs on real hardware but sees a virtual topology.
	Type        fact.Fact[string]
	XenFeatures fact.Fact[uint64]
	// DeviceTree is the first string of /proc/device-tree/hypervisor/compatible: "linux,kvm", "xen,xen-4.17"
	// (Documentation/devicetree/bindings/arm/xen.txt: the version first, "xen,xen" after it).
	DeviceTree fact.Fact[string]
	// Platform and Machine are keys of /proc/cpuinfo on Power: "PowerNV" is the machine itself, "pSeries" what a
	// partition sees (arch/powerpc/platforms: the names of define_machine); QEMU's machines are "emulated by qemu".
	Platform, Machine fact.Fact[string]
	// Model is the name of the board in the device tree, "linux,dummy-virt" and "riscv-virtio,qemu" in guests.
	Model fact.Fact[string]
}

// ReadVirt reads the signs of virtualization. cpu has the flags.
func ReadVirt(root *Root, cpu *CPU) *Virtualization {
	r := newReader(root, inventory.SourceCPU)
	v := &Virtualization{
		Type:       r.text("/sys/hypervisor/type"),
		DeviceTree: r.firstString("/proc/device-tree/hypervisor/compatible"),
		Model:      r.firstString("/sys/firmware/devicetree/base/model"),
	}
	v.Platform, v.Machine = r.powerPlatform(cpu)
	v.HypervisorFlag = fact.Convert(cpu.Flags, func(f map[string]bool) bool { return f["hypervisor"] })
	if v.HypervisorFlag.State == fact.OK {
		v.HypervisorFlag.From.Raw = "flags"
	}
	if v.HypervisorFlag.State == fact.OK && !strings.Contains(cpu.Architecture.Value, "86") {
		v.HypervisorFlag = unknown[bool](r.source, &ReadError{Op: "read", Path: cpuinfo, State: fact.Absent, Err: fmt.Errorf("no such flag on %q", cpu.Architecture.Value)})
	}
	features := r.text("/sys/hypervisor/properties/features")
	v.XenFeatures = fact.UnknownFrom[uint64](features)
	if features.State == fact.OK {
		n, err := strconv.ParseUint(features.Value, 16, 64)
		v.XenFeatures = fact.Known(n, fact.Direct, features.From)
		if err != nil {
			v.XenFeatures = malformed[uint64](features.From, err)
		}
	}
	return v
}

func (r *reader) powerPlatform(cpu *CPU) (platform, machine fact.Fact[string]) {
	keys := cpuinfoKeys{}
	if strings.HasPrefix(cpu.Architecture.Value, "ppc") {
		b, err := r.bytes(cpuinfo, LimitCPUInfo)
		if err != nil {
			return unknown[string](r.source, err), unknown[string](r.source, err)
		}
		keys = kerneltext.ParseCPUInfo(b, true).First
	}
	return keys.text("platform"), keys.text("machine")
}

// firstString reads the first string of a property of the device tree, in which each ends in a NUL
// byte; an empty one is Unstated.
func (r *reader) firstString(path string) fact.Fact[string] {
	b, err := r.line(path, LimitAttribute)
	if err != nil {
		return unknown[string](r.source, err)
	}
	first, _, _ := strings.Cut(string(b), "\x00")
	if first == "" {
		return unknown[string](r.source, &ReadError{Op: "read", Path: path, State: fact.Unstated, Err: ErrUnstated})
	}
	first = strings.ToValidUTF8(first, "\uFFFD")
	return fact.Known(first, fact.Direct, r.at(path, first))
}
