package host

// Facts is what every audit reads of one machine. Registers (ReadMSR) and the machine's name
// (ReadHostName) are read separately.
type Facts struct {
	CPU     *CPU
	NUMA    *NUMA
	ACPI    *ACPI
	Memory  *Memory
	CPUIdle *CPUIdle
	CPUFreq *CPUFreq
	EDAC    *EDAC
	Cmdline *Cmdline
	DMIID   *DMIID
	Virt    *Virtualization
	Kernel  *Kernel
	Devices *Devices
	SMBIOS  *SMBIOS
	// KernelLog is not read if the processor says that it is a guest's, because a guest's memory
	// map is its hypervisor's.
	KernelLog *KernelLog
	// FirmwareAttributes exist on desktop and mobile machines.
	FirmwareAttributes *FirmwareAttributes
}

// ReadAll reads all Facts. It returns no error: each value says why it could not be read.
func ReadAll(root *Root) *Facts {
	cpu := ReadCPU(root)
	virt := ReadVirt(root, cpu)
	return &Facts{
		CPU: cpu, NUMA: ReadNUMA(root), ACPI: ReadACPI(root), Memory: ReadMemory(root),
		CPUIdle: ReadCPUIdle(root, cpu), CPUFreq: ReadCPUFreq(root, cpu), EDAC: ReadEDAC(root),
		Cmdline: ReadCmdline(root), DMIID: ReadDMIID(root), Virt: virt, KernelLog: kernelLogOf(root, virt),
		Kernel: ReadKernel(root), Devices: ReadDevices(root), SMBIOS: ReadSMBIOS(root),
		FirmwareAttributes: ReadFirmwareAttributes(root),
	}
}

// Sources returns the state of every source in a fixed order. The firmware attributes, which most
// machines do not have, are included only if they are Present.
func (f *Facts) Sources() []Source {
	list := []Source{
		f.SMBIOS.Source, f.DMIID.Source, f.CPU.Source, f.NUMA.Source, f.Memory.Source,
		f.CPUIdle.Source, f.CPUFreq.Source, f.EDAC.Source, f.ACPI.Source, f.Cmdline.Source,
	}
	if f.FirmwareAttributes.Present() {
		list = append(list, f.FirmwareAttributes.Source)
	}
	return list
}
