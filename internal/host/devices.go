package host

// Devices are kernel devices that show that a feature of the platform is in use.
type Devices struct {
	// IOMMUs are the units in /sys/class/iommu, sorted: "dmar0", "ivhd1", "smmu3.0x0000". Intel's
	// exist only while the kernel translates addresses (linux drivers/iommu/intel/dmar.c).
	IOMMUs Value[[]string]
	// KVM is the device number of /dev/kvm, which exists only if the kernel found the processor's
	// virtualization switched on.
	KVM Value[string]
}

// ReadDevices looks for the devices.
func ReadDevices(root *Root) *Devices {
	r := newReader(root)
	return &Devices{IOMMUs: r.names("/sys/class/iommu"), KVM: r.text("/sys/devices/virtual/misc/kvm/dev")}
}
