package host

import (
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
	return &Kernel{Release: newReader(root, "").text("/proc/sys/kernel/osrelease"),
		TDX: r.text("/sys/module/kvm_intel/parameters/tdx"), SNP: r.text("/sys/module/kvm_amd/parameters/sev_snp")}
}

// hostNameFile is the kernel's name of the machine (proc(5)): that of the reader's
// own UTS namespace, so that a container reads its own.
const hostNameFile = "/proc/sys/kernel/hostname"

// ReadHostName reads the machine's name. No other function does, because the name identifies the
// machine; it is called only on request.
func ReadHostName(root *Root) fact.Fact[string] {
	return newReader(root, inventory.SourceHostName).text(hostNameFile)
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
	b, err := r.line("/proc/cmdline", LimitList)
	if err != nil {
		c.Line = unknown[string](r.source, err)
	} else {
		line := strings.ToValidUTF8(string(b), "\uFFFD")
		c.Line = fact.Known(line, fact.Direct, r.at("/proc/cmdline", line))
		c.Options = kerneltext.ParseCmdline(line)
	}
	c.Source = sourceOf("cmdline", []stater{c.Line})
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
	return &Devices{IOMMUs: r.names("/sys/class/iommu"), KVM: r.text("/sys/devices/virtual/misc/kvm/dev")}
}
