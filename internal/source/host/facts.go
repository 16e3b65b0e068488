package host

import (
	"fmt"

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
	return &Facts{
		CPU: cpu, NUMA: numa, PCI: ReadPCI(root, numa), ACPI: ReadACPI(root), Memory: ReadMemory(root),
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

// sourceOf returns the state of a source. It is ok if every needed value is known, partial if at
// least one value is, otherwise that of the first failure. Optional values fail only if their file
// was denied, refused, truncated or malformed, because kernels differ in what they offer.
func sourceOf(name string, needed []stater, optional ...stater) Source {
	var first string
	var firstState fact.State
	good := 0
	note := func(s fact.State, reason string) {
		if first == "" {
			first, firstState = reason, s
		}
	}
	for _, v := range needed {
		if s, reason := v.Outcome(); s == fact.OK {
			good++
		} else {
			note(s, reason)
		}
	}
	missing := len(needed) - good
	bad := 0
	for _, v := range optional {
		switch s, reason := v.Outcome(); s {
		case fact.OK:
			good++
		case fact.Denied, fact.Refused, fact.Truncated, fact.Malformed:
			bad++
			note(s, reason)
		case fact.Absent, fact.Unstated, fact.Unread, fact.Conflicting: // no machine has every one
		}
	}
	return Source{Name: name, State: sourceState(good, missing+bad, firstState), Detail: detail(first, missing+bad)}
}

func sourceState(good, bad int, first fact.State) fact.SourceState {
	switch {
	case bad == 0:
		return fact.SourceOK
	case good > 0:
		return fact.SourcePartial
	default:
		return first.Source()
	}
}

func detail(first string, count int) string {
	if first != "" && count > 1 {
		return fmt.Sprintf("%s, and %d more", first, count-1)
	}
	return first
}
