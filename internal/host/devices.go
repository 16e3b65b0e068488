package host

// Devices are the kernel's devices that stand for a feature of the platform in
// use.
type Devices struct {
	// IOMMUs are the units of /sys/class/iommu, sorted: "dmar0", "ivhd1",
	// "smmu3.0x0000". Intel's are there only while the kernel translates
	// (linux drivers/iommu/intel/dmar.c).
	IOMMUs Value[[]string]
	// KVM is the device number of /dev/kvm: it exists only where the kernel's
	// hypervisor found the processor's virtualization switched on.
	KVM Value[string]
}

// ReadDevices looks for the devices.
func ReadDevices(root *Root) *Devices {
	r := newReader(root)
	return &Devices{IOMMUs: r.names("/sys/class/iommu"), KVM: r.text("/sys/devices/virtual/misc/kvm/dev")}
}
