// Package collect turns what the sources say into the model: which source
// wins, what they disagree about, and how sure each fact is. It is the one
// place that asks ghw.
package collect

import (
	"slices"

	"github.com/memaudit/memaudit/internal/bios"
	"github.com/memaudit/memaudit/internal/effective"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/partnumber"
	"github.com/memaudit/memaudit/internal/redfish"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/internal/smbios"
)

// Input names the sources of one machine.
type Input struct {
	// Root is the machine's sys and proc trees; nil when only a file is
	// audited. Then nothing of the kernel is known.
	Root *host.Root
	// SMBIOS is a table given as a file; it replaces the root's own.
	SMBIOS *smbios.Table
	// SMBIOSFailed and RootFailed say why a file or tree that was asked for
	// could not be read. The root's own table never stands in for a file.
	SMBIOSFailed, RootFailed *Failure
	// BMC asks the management controller for the machine of an identity; nil
	// when there is none to ask.
	BMC func(redfish.Identity) *redfish.Answer
	// DecodeBMC decodes the controller's settings; nil for the decoder of what
	// a controller sends.
	DecodeBMC func(*redfish.BIOS) (*bios.Export, error)
	// Redacted says that serial numbers and UUIDs are not the machine's own.
	Redacted bool
	// Exports are exports of BIOS settings, read or failed.
	Exports []Export
	// Measurements are results of measurements, which nothing here is made of.
	Measurements []inventory.Measurement
	// Tables gives the vendors' tables of BIOS attributes; asked for when there
	// is an export to translate.
	Tables func() (settings.Tables, error)
	// HostName asks for the machine's name.
	HostName bool
	// PartNumbers gives the patterns of modules' part numbers; nil leaves the
	// numbers unread.
	PartNumbers func() (*partnumber.Table, error)
}

// Failure is an input that could not be read.
type Failure struct {
	State  fact.State
	Detail string
}

// collector is one collection in progress.
type collector struct {
	sys   *inventory.System
	table *smbios.Table
	// given says that the table is a file's, not the root's own.
	given bool
	facts *host.Facts
	root  *host.Root
	msr   *host.MSR
	// failed is the table's failure, rootFailed the tree's.
	failed, rootFailed *Failure
	// joined are the exports of BIOS settings that belong together.
	joined []*joinedExport
}

// Collect reads every source and fills the model. It never fails: what could
// not be read is unknown with its reason.
func Collect(in Input) *inventory.System {
	return collectAll(in).sys
}

// WithExports is Collect, and the exports of BIOS settings behind the
// configured faces beside it.
func WithExports(in Input) (*inventory.System, []Joined) {
	c := collectAll(in)
	all := make([]Joined, 0, len(c.joined))
	for _, j := range c.joined {
		all = append(all, Joined{Path: j.path, Export: j.export, Table: j.table, ByName: j.byName, Foreign: j.foreign, Doubt: j.doubt})
	}
	return c.sys, all
}

func collectAll(in Input) *collector {
	c := &collector{sys: &inventory.System{Redacted: in.Redacted}, table: in.SMBIOS, root: in.Root,
		given: in.SMBIOS != nil || in.SMBIOSFailed != nil, failed: in.SMBIOSFailed, rootFailed: in.RootFailed}
	if in.Root != nil {
		c.facts = host.ReadAll(in.Root)
	}
	c.firmware()
	c.sources()
	if c.table != nil && len(c.table.Structures) == 0 {
		c.table = nil // it says nothing of the machine, not even what it is not
	}
	c.machine()
	if in.HostName && in.Root != nil {
		c.sys.Machine.Host = host.Fact(inventory.SourceHostName, host.ReadHostName(in.Root), fact.Direct)
	}
	c.readRegisters()
	c.kernel()
	c.processors()
	if c.table != nil {
		c.sys.Slots = slots(c.table)
		c.sys.Arrays = arrays(c.table)
		c.hpe()
		c.mapped()
	}
	if in.BMC != nil {
		in.Exports = append(slices.Clone(in.Exports), c.bmc(in.BMC(c.bmcIdentity()), in.DecodeBMC)...)
	}
	c.partNumbers(in.PartNumbers)
	in.Exports = append(slices.Clone(in.Exports), c.firmwareAttributes()...)
	c.exports(&in)
	c.nodes()
	c.secondOpinion()
	c.sys.Settings = effective.Settings(c.judged())
	c.configured()
	c.sys.Measurements = c.measurements(in.Measurements)
	return c
}

// judged is the machine as its settings are judged.
func (c *collector) judged() *effective.Machine {
	return &effective.Machine{System: c.sys, Kernel: c.facts, Registers: c.msr, Privileged: c.privileged(), OwnTable: c.sameMachine(),
		NoKernel: func(what string) fact.Fact[string] { return noKernel[string](c, what) }}
}

// conflict records that two readings of one fact differ.
func (c *collector) conflict(thing string, kept, dropped fact.Evidence, why string) {
	c.sys.Conflicts = append(c.sys.Conflicts, inventory.Conflict{Fact: thing, Kept: kept, Dropped: dropped, Why: why})
}
