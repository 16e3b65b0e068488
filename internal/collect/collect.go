// Package collect builds the model of a machine from all sources. It decides which source wins, and
// records conflicts and how certain each fact is. No other package uses ghw.
package collect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/collect/effective"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/model/placeholder"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
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
	c.readFirmware()
	c.addSources()
	if c.table != nil && len(c.table.Structures) == 0 {
		c.table = nil // an empty table does not describe the machine
	}
	c.fillIdentity()
	if in.HostName && in.Root != nil {
		c.sys.Machine.Host = host.ReadHostName(in.Root)
	}
	c.readRegisters()
	c.addKernelFacts()
	c.fillSockets()
	if c.table != nil {
		c.sys.Slots = slotsOfTable(c.table)
		inventory.NameSlots(c.sys.Slots)
		c.sys.Arrays = memoryArrays(c.table)
		c.addHPELocations()
		dropMinorityFacts(c.sys.Slots)
		c.mappedMemory()
	}
	if in.BMC != nil {
		in.Exports = append(slices.Clone(in.Exports), c.addBMCAnswer(in.BMC(c.bmcIdentity()), in.DecodeBMC)...)
	}
	c.addEventLogs(in.EventLogs)
	c.partNumbers(in.PartNumbers)
	in.Exports = append(slices.Clone(in.Exports), c.firmwareAttributes()...)
	c.addExports(&in)
	c.addNodes()
	c.compareTable()
	if c.table != nil {
		c.checkArrayUses()
		c.checkModules()
		c.checkListedBytes()
		c.checkMapped()
	}
	c.sys.Settings = effective.Settings(&effective.Machine{System: c.sys, Kernel: c.facts, Registers: c.msr, Privileged: c.isPrivilegedDomain(), OwnTable: c.sameMachine(),
		NoKernel: func(what string) fact.Fact[string] { return noKernel[string](c, what) }})
	c.readConfigured()
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
	c.readFirmware()
	c.fillIdentity()
	return c.sys.Machine.Virtual.Or(false)
}

// Input holds the sources of one machine.
type Input struct {
	// Root is the machine's sys and proc trees, nil if only a file is audited.
	Root *host.Root
	// SMBIOS is a table from a file. It replaces the root's own table.
	SMBIOS *smbios.Table
	// SMBIOSFailed and RootFailed are the reasons why a requested file or tree could not be read.
	// The root's own table is never used in place of the file.
	SMBIOSFailed, RootFailed *Failure
	// BMC reads the BMC of the machine with this identity; nil if no BMC is given.
	BMC func(redfish.Identity) *redfish.Answer
	// DecodeBMC decodes the BMC's settings, by default with bios.DecodeRedfish.
	DecodeBMC func(*redfish.BIOS) (*bios.Export, error)
	// EventLogs are saved event logs of the BMC, including those that could not be read.
	EventLogs []EventLog
	// Redacted is set if serial numbers and UUIDs are replaced by hashes.
	Redacted bool
	// Exports are exports of BIOS settings, including those that could not be read.
	Exports []Export
	// Measurements are measured results. No other fact is derived from them.
	Measurements []inventory.Measurement
	// Slurm is Slurm's description of the node, nil if not given.
	Slurm *inventory.SlurmNode
	// Tables returns the vendors' tables of BIOS attributes. It is called only if there is an
	// export.
	Tables func() (settings.Tables, error)
	// HostName is set if the machine's host name is to be read.
	HostName bool
	// PartNumbers returns the patterns of part numbers; if it is nil, part numbers are not decoded.
	PartNumbers func() (*partnumber.Table, error)
}

// Failure is an input that could not be read.
type Failure struct {
	State  fact.State
	Detail string
}

type collector struct {
	sys   *inventory.System
	table *smbios.Table
	// given is set if the table comes from a file and not from the root.
	given bool
	facts *host.Facts
	root  *host.Root
	msr   *host.MSR
	// failed is the reason why the table could not be read, rootFailed why the tree could not.
	failed, rootFailed *Failure
	// joined are the exports of BIOS settings, with those that belong together joined.
	joined []*Export
}

func (c *collector) recordConflict(thing string, kept, dropped fact.Evidence, why string) {
	c.sys.Conflicts = append(c.sys.Conflicts, inventory.Conflict{Fact: thing, Kept: kept, Dropped: dropped, Why: why})
}

// noKernel is for an audit of an SMBIOS file alone, or of a machine whose tree could not be read.
func noKernel[T any](c *collector, what string) fact.Fact[T] {
	if f := c.rootFailed; f != nil {
		return fact.Unknown[T](f.State, f.Detail, "")
	}
	return fact.Unknown[T](fact.Unread, what+" is the kernel's, and this input is an SMBIOS file only", fact.LiveBesideFile)
}

// EventLog is one saved event log. A capture stores its path and content.
type EventLog struct {
	Path string `json:"path"`
	// Log is nil if it could not be read; Failed is then the reason.
	Log    *redfish.SavedLog `json:"log"`
	Failed *Failure          `json:"-"`
}

// Export is one input with BIOS settings, whether or not it could be read. A capture stores its path and content.
type Export struct {
	// Source is the name of the source in docs/interface.md, Path the name of the file or the path
	// of the resource.
	Source string `json:"-"`
	Path   string `json:"path"`
	// Export is nil if it could not be read; Failed is then the reason.
	Export *bios.Export `json:"export"`
	Failed *Failure     `json:"-"`
	// Doubt is the reason why it may belong to another machine, "" if there is none.
	Doubt string `json:"-"`
	// Foreign is set if it most likely belongs to another machine: it names another vendor
	// or model. No finding based on it goes above info.
	Foreign bool `json:"-"`
	// proven is set if the export's vendor is certain: by the format, by the document's content, by
	// two names or by the machine's own vendor. Only then is a setting that the export does not list
	// one that the machine does not offer.
	proven bool
}

type structure struct {
	kind int
	// name is the start of its evidence, for example "type 17 0x1101 ".
	name string
	// version is the table's version, for the reason why a field is missing.
	version smbios.Version
}

func structureOf(kind int, handle uint16, t *smbios.Table) structure {
	return structure{kind, fmt.Sprintf("type %d %s ", kind, inventory.Handle(handle).String()), t.Version}
}

// fieldEvidence names one field, for example "type 17 0x1101 Speed".
func (s structure) fieldEvidence(field, raw string) fact.Evidence {
	return fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: s.name + field, Raw: raw}
}

func fieldFact[T any](s structure, name string, f smbios.Field[T], c fact.Certainty) fact.Fact[T] {
	if f.Status == smbios.Known {
		return fact.Known(f.Value, c, s.fieldEvidence(name, fmt.Sprint(f.Value)))
	}
	if f.Raw != "" {
		return fact.Unknown[T](fact.Malformed, describeField(s.kind, name)+" cannot be read: "+strconv.Quote(f.Raw), "", s.fieldEvidence(name, f.Raw))
	}
	return unknownField[T](s, name, f.Status)
}

func unknownField[T any](s structure, name string, status smbios.Status) fact.Fact[T] {
	what := describeField(s.kind, name)
	state, reason := fact.Absent, "this SMBIOS table has no field for "+what
	switch {
	case status == smbios.Unstated:
		state, reason = fact.Unstated, "firmware does not state "+what
	case status == smbios.Malformed:
		state, reason = fact.Malformed, "SMBIOS holds no valid value of "+what
	case s.version.Known():
		reason = fmt.Sprintf("SMBIOS %d.%d has no field for %s here", s.version.Major, s.version.Minor, what)
	}
	return fact.Unknown[T](state, reason, "", s.fieldEvidence(name, ""))
}

func describeField(kind int, name string) string {
	what := strings.ToLower(name)
	if name == "ID" {
		what = name
	}
	switch kind {
	case 17:
		return "a module's " + what
	case 4:
		return "a processor's " + what
	default:
		return what
	}
}

// textFact converts a string to a fact; a placeholder is unstated.
func textFact(s structure, name string, t smbios.Field[string]) fact.Fact[string] {
	if t.Known() && placeholder.Is(t.Value) {
		return fact.Unknown[string](fact.Unstated, "firmware leaves a placeholder for "+describeField(s.kind, name), "", s.fieldEvidence(name, t.Value))
	}
	return fieldFact(s, name, t, fact.Direct)
}
