package host

import (
	"errors"
	"fmt"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

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
	PCI     fact.Fact[[]inventory.Device]
	SMBIOS  *SMBIOS
	// KernelLog is not read if the processor has the hypervisor flag, because a guest's memory map is made
	// by the hypervisor.
	KernelLog *KernelLog
	// FirmwareAttributes exist on desktop and mobile machines.
	FirmwareAttributes *FirmwareAttributes
}

// ReadAll reads all Facts. It returns no error: each value has the reason why it could not be read.
func ReadAll(root *Root) *Facts {
	cpu, numa := ReadCPU(root), ReadNUMA(root)
	virt := ReadVirt(root, cpu)
	log := noKernelLog(&ReadError{Op: "read", Path: kernelLog, State: fact.Refused, Err: errors.New("a hypervisor makes up the memory of its guest")})
	if !virt.HypervisorFlag.Value {
		log = ReadKernelLog(root)
	}
	return &Facts{
		CPU: cpu, NUMA: numa, PCI: ReadPCI(root, numa), ACPI: ReadACPI(root), Memory: ReadMemory(root),
		CPUIdle: ReadCPUIdle(root, cpu), CPUFreq: ReadCPUFreq(root, cpu), EDAC: ReadEDAC(root),
		Cmdline: ReadCmdline(root), DMIID: ReadDMIID(root), Virt: virt, KernelLog: log,
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
	if f.FirmwareAttributes.IsPresent() {
		list = append(list, f.FirmwareAttributes.Source)
	}
	return list
}

// Source is the state of one source.
type Source struct {
	// Name is one of the source names of docs/interface.md: "cpu", "numa", "memory" ...
	Name  string
	State fact.SourceState
	// Detail lists what is missing and why, "" if State is ok.
	Detail string
}

type stater interface {
	Outcome() (state fact.State, reason string)
}

// summariseSource returns the state of a source. It is ok if every needed value is known, partial if at
// least one value is, otherwise that of the first failure. Optional values fail only if their file
// was denied, refused, truncated or malformed, because kernels differ in what they offer.
func summariseSource(name string, needed []stater, optional ...stater) Source {
	var first string
	var firstState fact.State
	good, bad := 0, 0
	failing := []fact.State{fact.Denied, fact.Refused, fact.Truncated, fact.Malformed}
	for i, v := range append(needed, optional...) {
		switch s, reason := v.Outcome(); {
		case s == fact.OK:
			good++
		case i < len(needed) || slices.Contains(failing, s):
			if bad++; first == "" {
				first, firstState = reason, s
			}
		}
	}
	s := Source{Name: name, State: fact.SourceOK, Detail: first}
	switch {
	case bad == 0:
	case good > 0:
		s.State = fact.SourcePartial
	default:
		s.State = firstState.Source()
	}
	if first != "" && bad > 1 {
		s.Detail += fmt.Sprintf(", and %d more", bad-1)
	}
	return s
}
