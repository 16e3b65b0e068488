// Package collect builds the model of a machine from all sources. It decides which source wins, and
// records conflicts and how certain each fact is. No other package uses ghw.
package collect

import (
	"slices"

	"memaudit.example/memaudit/internal/collect/effective"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
)

// Collect reads every source and builds the model. It returns no error: a value that could not be
// read is unknown, with the reason.
func Collect(in Input) *inventory.System {
	sys, _ := WithExports(in)
	return sys
}

// WithExports does the same as Collect, and also returns the exports of BIOS settings from which the
// configured values were read, joined with those that belong to them.
func WithExports(in Input) (*inventory.System, []*Export) {
	c := &collector{sys: &inventory.System{Redacted: in.Redacted}, table: in.SMBIOS, root: in.Root,
		given: in.SMBIOS != nil || in.SMBIOSFailed != nil, failed: in.SMBIOSFailed, rootFailed: in.RootFailed}
	if in.Root != nil {
		c.facts = host.ReadAll(in.Root)
	}
	c.firmware()
	c.sources()
	if c.table != nil && len(c.table.Structures) == 0 {
		c.table = nil // an empty table does not describe the machine
	}
	c.machine()
	if in.HostName && in.Root != nil {
		c.sys.Machine.Host = host.ReadHostName(in.Root)
	}
	c.readRegisters()
	c.kernel()
	c.processors()
	if c.table != nil {
		c.sys.Slots = slotsOfTable(c.table)
		inventory.NameSlots(c.sys.Slots)
		c.sys.Arrays = arrays(c.table)
		c.hpe()
		equalParts(c.sys.Slots)
		c.mappedMemory()
	}
	if in.BMC != nil {
		in.Exports = append(slices.Clone(in.Exports), c.bmc(in.BMC(c.bmcIdentity()), in.DecodeBMC)...)
	}
	c.eventLogs(in.EventLogs)
	c.partNumbers(in.PartNumbers)
	in.Exports = append(slices.Clone(in.Exports), c.firmwareAttributes()...)
	c.exports(&in)
	c.nodes()
	c.compareTable()
	if c.table != nil {
		c.checkArrayUses()
		c.checkModules()
		c.checkListedBytes()
		c.checkMapped()
	}
	machine := &effective.Machine{System: c.sys, Kernel: c.facts, Registers: c.msr, Privileged: c.privileged(), OwnTable: c.sameMachine()}
	if f := c.rootFailed; f != nil {
		reason := fact.Unknown[string](f.State, f.Detail, "")
		machine.NoTree = &reason
	}
	c.sys.Settings = effective.Settings(machine)
	c.configured()
	c.sys.Slurm = in.Slurm
	c.sys.Measurements = c.measurements(in.Measurements)
	return c.sys, c.joined
}

// IsGuest reports whether a tree is that of a virtual machine. It reads only the CPU's flags, the
// kernel's hypervisor files and firmware's identity.
func IsGuest(root *host.Root) bool {
	cpu := host.ReadCPU(root)
	c := &collector{sys: &inventory.System{}, root: root,
		facts: &host.Facts{CPU: cpu, Virt: host.ReadVirt(root, cpu), DMIID: host.ReadDMIID(root), SMBIOS: host.ReadSMBIOS(root)}}
	c.firmware()
	c.machine()
	return c.sys.Machine.Virtual.Or(false)
}
