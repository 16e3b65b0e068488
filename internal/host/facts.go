package host

// Facts is everything this package reads of one machine.
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
	// KernelLog is read on real machines only: a guest has no EFI of its own to
	// report.
	KernelLog *KernelLog
	// FirmwareAttributes are there on desktops and mobile machines only.
	FirmwareAttributes *FirmwareAttributes
}

// ReadAll reads everything. It never fails: what could not be read says so.
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

// Sources lists the state of every source, in a fixed order; of those that most
// machines do not have, where they are.
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
