package host

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// Kernel is the operating system's kernel.
type Kernel struct {
	// Release is /proc/sys/kernel/osrelease, "6.18.44".
	Release fact.Fact[string]
	// TDX and SNP are parameters of the modules kvm_intel and kvm_amd: "Y" if guests with encrypted memory can be started.
	TDX, SNP fact.Fact[string]
}

// ReadKernel reads the kernel's release and the parameters.
func ReadKernel(root *Root) *Kernel {
	r := newReader(root, inventory.SourceMemory)
	return &Kernel{Release: newReader(root, "").readText("/proc/sys/kernel/osrelease"),
		TDX: r.readText("/sys/module/kvm_intel/parameters/tdx"), SNP: r.readText("/sys/module/kvm_amd/parameters/sev_snp")}
}

// ReadHostName reads the machine's name (proc(5)); in a container that is its own. No other function does, because the name
// identifies the machine; it is called only on request.
func ReadHostName(root *Root) fact.Fact[string] {
	return newReader(root, inventory.SourceHostName).readText("/proc/sys/kernel/hostname")
}

// Cmdline is the kernel command line.
type Cmdline struct {
	Source Source
	// Line is /proc/cmdline, trimmed.
	Line fact.Fact[string]
	// Options are the options in order; for most of them the last one applies.
	Options []kerneltext.Option
}

// ReadCmdline reads /proc/cmdline.
func ReadCmdline(root *Root) *Cmdline {
	r := newReader(root, inventory.SourceCmdline)
	c := &Cmdline{}
	b, err := r.readLine("/proc/cmdline", LimitList)
	if err != nil {
		c.Line = unknownFact[string](r.source, err)
	} else {
		line := strings.ToValidUTF8(string(b), "\uFFFD")
		c.Line = fact.Known(line, fact.Direct, r.evidenceAt("/proc/cmdline", line))
		c.Options = kerneltext.ParseCmdline(line)
	}
	c.Source = summariseSource("cmdline", []stater{c.Line})
	return c
}

// Devices are kernel devices that show that a feature of the platform is in use.
type Devices struct {
	// IOMMUs are the units in /sys/class/iommu, sorted: "dmar0", "ivhd1", "smmu3.0x0000". Intel's
	// exist only while the kernel translates addresses (linux drivers/iommu/intel/dmar.c).
	IOMMUs fact.Fact[[]string]
	// KVM is the device number of /dev/kvm, which exists only if the kernel found the processor's
	// virtualization switched on.
	KVM fact.Fact[string]
}

// ReadDevices looks for the devices.
func ReadDevices(root *Root) *Devices {
	r := newReader(root, inventory.SourceACPI)
	return &Devices{IOMMUs: r.listNames("/sys/class/iommu"), KVM: r.readText("/sys/devices/virtual/misc/kvm/dev")}
}

// kernelLog is the device of the kernel's log (Documentation/ABI/testing/dev-kmsg). Reading it
// needs CAP_SYSLOG if kernel.dmesg_restrict is set.
const kernelLog = "/dev/kmsg"

// KernelLog is what the kernel reported at boot and shows in no file.
type KernelLog struct {
	// Mirrored is the memory that the EFI memory map marks as more reliable, and all memory, both
	// in bytes. It is Absent if the message is not in the log (any more).
	Mirrored fact.Fact[kerneltext.MirroredMemory]
	// MemoryErrors are those that firmware reported to the kernel (APEI) and that are still in the log, in order. The list may be empty.
	MemoryErrors fact.Fact[[]kerneltext.MemoryError]
	// Messages tell how features of the platform came up and which pages were taken away (kerneltext.Reported). The list may be
	// empty: the log forgets old messages.
	Messages fact.Fact[[]string]
}

func noKernelLog(err *ReadError) *KernelLog {
	return &KernelLog{unknownFact[kerneltext.MirroredMemory](inventory.SourceMemory, err), unknownFact[[]kerneltext.MemoryError](inventory.SourceKernelLog, err), unknownFact[[]string](inventory.SourceKernelLog, err)}
}

// ReadKernelLog reads the kernel's messages. In a capture they are a plain file.
func ReadKernelLog(root *Root) *KernelLog {
	r := newReader(root, inventory.SourceKernelLog)
	b, err := r.readBytes(kernelLog, 4<<20)
	if err != nil {
		return noKernelLog(err)
	}
	out := &KernelLog{MemoryErrors: fact.Known(kerneltext.ParseMemoryErrors(string(b)), fact.Direct, r.evidenceAt(kernelLog, "")),
		Messages: fact.Known(kerneltext.Messages(string(b)), fact.Direct, r.evidenceAt(kernelLog, ""))}
	for line := range bytes.Lines(b) {
		if m, ok := kerneltext.ParseMirrored(string(line)); ok {
			out.Mirrored = fact.Known(m, fact.Direct, fact.At(inventory.SourceMemory, kernelLog, strings.TrimSpace(string(line))))
			return out
		}
	}
	out.Mirrored = unknownFact[kerneltext.MirroredMemory](inventory.SourceMemory, &ReadError{Op: "parse", Path: kernelLog, State: fact.Absent,
		Err: errors.New("the kernel log has no line about mirrored memory, or no longer")})
	return out
}

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
		Type:       r.readText("/sys/hypervisor/type"),
		DeviceTree: r.firstString("/proc/device-tree/hypervisor/compatible"),
		Model:      r.firstString("/sys/firmware/devicetree/base/model"),
	}
	v.Platform, v.Machine = r.powerPlatform(cpu)
	v.HypervisorFlag = fact.Convert(cpu.Flags, func(f map[string]bool) bool { return f["hypervisor"] })
	if v.HypervisorFlag.State == fact.OK {
		v.HypervisorFlag.From.Raw = "flags"
	}
	if v.HypervisorFlag.State == fact.OK && !strings.Contains(cpu.Architecture.Value, "86") {
		v.HypervisorFlag = unknownFact[bool](r.source, &ReadError{Op: "read", Path: cpuinfo, State: fact.Absent, Err: fmt.Errorf("no such flag on %q", cpu.Architecture.Value)})
	}
	v.XenFeatures = parsedText(r, "/sys/hypervisor/properties/features", func(text string) (uint64, error) { return strconv.ParseUint(text, 16, 64) })
	return v
}

func (r *reader) powerPlatform(cpu *CPU) (platform, machine fact.Fact[string]) {
	keys := &cpuinfoKeys{}
	if strings.HasPrefix(cpu.Architecture.Value, "ppc") {
		b, err := r.readBytes(cpuinfo, LimitCPUInfo)
		keys = &cpuinfoKeys{kerneltext.ParseCPUInfo(b, true).First, err}
	}
	return keys.firstText("platform"), keys.firstText("machine")
}

// firstString reads the first string of a property of the device tree, in which each ends in a NUL
// byte; an empty one is Unstated.
func (r *reader) firstString(path string) fact.Fact[string] {
	b, err := r.readLine(path, LimitAttribute)
	if err != nil {
		return unknownFact[string](r.source, err)
	}
	first, _, _ := strings.Cut(string(b), "\x00")
	if first == "" {
		return unknownFact[string](r.source, &ReadError{Op: "read", Path: path, State: fact.Unstated, Err: ErrUnstated})
	}
	first = strings.ToValidUTF8(first, "\uFFFD")
	return fact.Known(first, fact.Direct, r.evidenceAt(path, first))
}
