package host

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
)

// Virtualization holds signs of a guest or a container. What DMI strings mean is decided in
// internal/collect.
type Virtualization struct {
	// HypervisorFlag is the "hypervisor" flag of /proc/cpuinfo
	// (CPUID.1:ECX[31]); known on x86 only.
	HypervisorFlag Value[bool]
	// Type is /sys/hypervisor/type, for example "xen". XenFeatures is properties/features; its bit
	// 11 marks the privileged domain, which runs on real hardware but sees a virtual topology.
	Type        Value[string]
	XenFeatures Value[uint64]
	// DeviceTree is /proc/device-tree/hypervisor/compatible, if that is one string; Malformed if it
	// is several, as under Xen.
	DeviceTree Value[string]
	// FirmwareMasked is true if /sys/firmware is an empty folder in an otherwise complete tree, as
	// container runtimes make it.
	FirmwareMasked bool
	// Lockdown is the kernel's lockdown mode, the word in brackets: "none",
	// "integrity", "confidentiality".
	Lockdown Value[string]
}

// ReadVirt reads the signs of virtualization. cpu has the flags.
func ReadVirt(root *Root, cpu *CPU) *Virtualization {
	r := newReader(root)
	v := &Virtualization{
		Type:           r.text("/sys/hypervisor/type"),
		DeviceTree:     r.text("/proc/device-tree/hypervisor/compatible"),
		FirmwareMasked: root.firmwareMasked() != nil,
		Lockdown:       r.bracketed("/sys/kernel/security/lockdown"),
	}
	v.HypervisorFlag = derive(cpu.Flags, func(f map[string]bool) bool { return f["hypervisor"] })
	if v.HypervisorFlag.State == fact.OK {
		v.HypervisorFlag.Raw = "flags"
	}
	if v.HypervisorFlag.State == fact.OK && !strings.Contains(cpu.Architecture.V, "86") {
		v.HypervisorFlag = unknown[bool](&ReadError{Op: "read", Path: cpuinfo, State: fact.Absent, Err: fmt.Errorf("no such flag on %q", cpu.Architecture.V)})
	}
	features := r.text("/sys/hypervisor/properties/features")
	v.XenFeatures = unknownAs[uint64](features)
	if features.State == fact.OK {
		n, err := strconv.ParseUint(features.V, 16, 64)
		v.XenFeatures = known(n, features.Path, features.Raw)
		if err != nil {
			v.XenFeatures = malformed[uint64](features.Path, features.Raw, err)
		}
	}
	return v
}

// bracketed reads the chosen word of a file such as "always [madvise] never".
func (r *reader) bracketed(path string) Value[string] {
	v := r.text(path)
	if v.State != fact.OK {
		return v
	}
	_, rest, ok := strings.Cut(v.V, "[")
	word, _, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return malformed[string](path, v.Raw, fmt.Errorf("no choice in brackets"))
	}
	return known(word, path, v.Raw)
}
