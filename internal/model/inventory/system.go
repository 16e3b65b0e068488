// Package inventory is memaudit's model of one machine: its values with their evidence and certainty. It does no I/O.
package inventory

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/nullable"
)

// Pointers yields a pointer to each element of a list, whose elements are large or are changed.
func Pointers[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// System is one machine as its sources describe it. collect fills it;
// everything after collect only reads it.
type System struct {
	Machine  Machine
	Sources  []Source
	Firmware Firmware
	Sockets  []Socket
	Arrays   []Array
	Slots    []Slot
	CPU      CPU
	Nodes    []Node
	NUMA     NUMA
	Memory   Memory
	EDAC     []Controller
	// Logged are the memory errors of the kernel's log; not known if the log could not be read.
	Logged fact.Fact[[]LoggedErrors]
	Kernel Kernel
	// PCI are the devices whose NUMA node matters.
	PCI fact.Fact[[]Device]
	// BMCModules are the BMC's modules with error counts that could not be matched to a populated slot; BMCTotal are its
	// error counts for all modules together, nil if it has none.
	BMCModules []ControllerModule
	BMCTotal   *ControllerErrors
	// Events are the entries about memory of the BMC's event log, in the order of time; not known if none was read, and of a
	// log that is cut short those that were read.
	Events fact.Fact[[]MemoryEvent]
	// Slurm is how the scheduler describes the machine; nil if not given.
	Slurm *SlurmNode
	// Settings maps canonical setting IDs to their values.
	Settings map[string]Setting
	// Exports lists the exports of BIOS settings that the settings rest on.
	Exports []Export
	// Conflicts lists what two sources disagree about and which one won.
	Conflicts []Conflict
	// Baseline is the comparison with the accepted hardware; nil if it was not requested.
	Baseline *Baseline
	// Measurements are results of bandwidth and latency; Accepted is the one in the baseline, or nil.
	Measurements []Measurement
	Accepted     *Measurement
	// AcceptedSlots are the handles of the slots that held a module when the baseline
	// was saved; nil without one.
	AcceptedSlots []uint16
	// Redacted is set if serial numbers and UUIDs are hashes of a capture.
	Redacted bool
}

// Running returns the sockets with a processor that is not disabled.
func (s *System) Running() []*Socket {
	var out []*Socket
	for i := range s.Sockets {
		if socket := &s.Sockets[i]; socket.Populated.Or(false) && socket.Enabled.Or(true) {
			out = append(out, socket)
		}
	}
	return out
}

// Source names of docs/interface.md.
const (
	SourceSMBIOS  = "smbios"
	SourceDMIID   = "dmi_id"
	SourceCPU     = "cpu"
	SourceNUMA    = "numa"
	SourceMemory  = "memory"
	SourceCPUIdle = "cpuidle"
	SourceCPUFreq = "cpufreq"
	SourceEDAC    = "edac"
	SourceACPI    = "acpi"
	SourceCmdline = "cmdline"
	SourceMSR     = "msr"
	SourceRedfish = "redfish"
	// SourceEventLog is a saved event log of the BMC.
	SourceEventLog = "event_log"
	// SourceKernelLog is the log of the running kernel.
	SourceKernelLog = "kernel_log"

	// SourceHostName only provides the host name and is not a source of an audit.
	SourceHostName = "hostname"

	SourceFirmwareAttributes = "firmware_attributes"
	SourceBIOS               = "bios"
)

// TablePath is the path in the evidence of SMBIOS fields, also if the table was read from another file.
const TablePath = "/sys/firmware/dmi/tables/DMI"

// Source is the state of one source of the input.
type Source struct {
	Name   string           `json:"name"`
	State  fact.SourceState `json:"state"`
	Detail nullable.String  `json:"detail" jsonschema:"nullable"`
	// NoSuch is set in a report if machines of this architecture have no such source: its absence is not a fault.
	NoSuch bool `json:"-"`
}

// Export is what became of one export of BIOS settings.
type Export struct {
	// Source is the source's name, Path the file or the resource.
	Source string `json:"source"`
	Path   string `json:"path"`
	// Format is the format that was detected.
	Format string `json:"format"`
	// Mapped counts the attributes that have a canonical setting.
	Mapped int `json:"-"`
	// Unmapped are the names of the other attributes; Foreign those of mapped attributes with a value that is not
	// translated. Values are not listed, because they may identify the machine.
	Unmapped []string `json:"attributes"`
	Foreign  []string `json:"untranslated"`
}

// Machine is the identity of the machine. Serial numbers, UUIDs and asset tags are in Identifiers and printed only on
// request.
type Machine struct {
	Vendor  fact.Fact[string] `json:"vendor" jsonschema:"nullable"`
	Product fact.Fact[string] `json:"product" jsonschema:"nullable"`
	BIOS    BIOS              `json:"bios"`
	// Virtual is true in a guest. Hypervisor names it when known.
	Virtual    fact.Fact[bool]   `json:"virtual" jsonschema:"nullable"`
	Hypervisor fact.Fact[string] `json:"hypervisor" jsonschema:"nullable"`
	// Platform is set in a report.
	Platform Platform `json:"platform"`
	// Host is the machine's host name; it is read only on request.
	Host fact.Fact[string] `json:"host,omitzero"`
	// Identifiers are in a report only on request.
	Identifiers Identifiers `json:"identifiers,omitzero"`

	ProductVersion fact.Fact[string] `json:"-"`
	Family         fact.Fact[string] `json:"-"`
	BoardVendor    fact.Fact[string] `json:"-"`
	Board          fact.Fact[string] `json:"-"`
	// BIOSRegistry names the attribute registry that an export of the BIOS
	// settings refers to: "BiosAttributeRegistryU58.v1_2_44".
	BIOSRegistry fact.Fact[string] `json:"-"`
	// Architecture is the kernel's name: x86_64, aarch64.
	Architecture fact.Fact[string] `json:"-"`
}

// BIOS is the firmware's identity, as firmware prints it.
type BIOS struct {
	Vendor  fact.Fact[string] `json:"vendor" jsonschema:"nullable"`
	Version fact.Fact[string] `json:"version" jsonschema:"nullable"`
	Date    fact.Fact[string] `json:"date" jsonschema:"nullable"`
}

// Platform is the recognised processor platform; if there is none, ID and Name are null and Certainty is none.
type Platform struct {
	ID        nullable.String `json:"id" jsonschema:"nullable"`
	Name      nullable.String `json:"name" jsonschema:"nullable"`
	Certainty fact.Certainty  `json:"certainty"`
}

// Identifiers tell this machine from its sisters. They are printed only with --identifiers.
type Identifiers struct {
	SystemSerial  nullable.String `json:"system_serial" jsonschema:"nullable"`
	SystemUUID    nullable.String `json:"system_uuid" jsonschema:"nullable"`
	BoardSerial   nullable.String `json:"board_serial" jsonschema:"nullable"`
	ChassisSerial nullable.String `json:"chassis_serial" jsonschema:"nullable"`
	AssetTag      nullable.String `json:"asset_tag" jsonschema:"nullable"`
}

// Firmware is the quality of the SMBIOS table itself.
type Firmware struct {
	// SMBIOS is true if a table was found, in any state.
	SMBIOS  fact.Fact[bool]
	Version fact.Fact[string]
	// FromFile is set if the table was given as a file, which may have less than the machine's own table.
	FromFile bool
	// Compared is set if a table from a file could be compared with the machine's tree. Doubt lists their differences,
	// because the table may be another machine's, "" if there are none. With a doubt no finding is above info, and there
	// is no advice and no verdict.
	Compared bool
	Doubt    string
	// Problems lists every defect of the table, in table order.
	Problems []Problem
	// Lost is the first defect because of which modules or complete structures may be missing: the table ends early, has
	// bytes that are not a structure, lists less memory than the kernel sees, or has modules with another use. Nil if the
	// list is complete.
	Lost *Problem
	// Short is why a module may be missing from the list although it was not cut off: more memory has addresses than the
	// modules have, one is not DRAM by a single bit, or a memory array announces more devices than the table lists.
	// Some firmware lists filled slots only, some announces more slots than the board has, and a row may be missing. Nil
	// if there is no such reason.
	Short *Problem
}

// LostProcessors returns Lost if processors may also be missing, otherwise nil.
func (f *Firmware) LostProcessors() *Problem {
	if p := f.Lost; p != nil && p.Code != ProblemShort && p.Code != ProblemUse {
		return p
	}
	return nil
}

// Codes of problems that concern the list of modules alone.
const (
	// ProblemShort is a list with less memory than the kernel sees.
	ProblemShort = "memory_short"
	// ProblemUse is an array with modules that has another use than system memory.
	ProblemUse = "array_use"
	// ProblemMapped is firmware's map of more memory than the modules have.
	ProblemMapped = "memory_mapped"
	// ProblemBit is a module that one bit of its type detail alone makes non-volatile.
	ProblemBit = "non_volatile_bit"
)

// Problem is one defect or contradiction of the firmware's table.
type Problem struct {
	// Code is the kind of problem: checksum, truncated, string_index ...
	Code string
	// Text describes the problem and its position, and what was expected.
	Text string
	// Harmless is set if the problem does not affect an audit (a wrong count in the entry point, for instance).
	Harmless bool
}

// DescribeHidden returns a text: things ("modules") may be missing from the table because of the problem.
func (p *Problem) DescribeHidden(what string) string {
	if p.Code == ProblemShort || p.Code == ProblemUse {
		return "the SMBIOS table does not list all memory: " + p.Text
	}
	return "the SMBIOS table is not whole, so that " + what + " may be missing from the list: " + p.Text
}

// DescribeDoubt returns what is in doubt about a list of modules that was not cut off.
func (p *Problem) DescribeDoubt() string {
	if p.Code == ProblemMapped || p.Code == ProblemBit {
		return "the SMBIOS table may be wrong about a module: " + p.Text
	}
	return "the SMBIOS table may not list all slots: " + p.Text
}

// Conflict records that two sources disagree about one thing.
type Conflict struct {
	// Fact names the thing: "sockets", "installed memory".
	Fact string
	// Kept and Dropped are the two readings; Why is the reason why Kept won.
	Kept, Dropped fact.Evidence
	Why           string
}

// Socket is one processor socket, populated or not (SMBIOS type 4; without
// SMBIOS, one physical package of the kernel).
type Socket struct {
	// ID is the number from 0 in the order of the numbers in the designations, or of the type 4 structures if the
	// designations differ in more than numbers.
	ID          int               `json:"id" jsonschema:"minimum=0"`
	Designation fact.Fact[string] `json:"designation" jsonschema:"nullable"`
	Populated   fact.Fact[bool]   `json:"populated" jsonschema:"nullable"`
	// Brand is the processor's brand string.
	Brand    fact.Fact[string] `json:"model" jsonschema:"nullable"`
	Family   fact.Fact[int]    `json:"family" jsonschema:"nullable,minimum=0"`
	Model    fact.Fact[int]    `json:"model_number" jsonschema:"nullable,minimum=0"`
	Stepping fact.Fact[int]    `json:"stepping" jsonschema:"nullable,minimum=0"`
	// Cores, CoresEnabled and Threads count one processor; Threads are its
	// hardware threads. ThreadsEnabled are those that run, which SMBIOS 3.6
	// and later count apart.
	Cores        fact.Fact[int] `json:"cores" jsonschema:"nullable,minimum=1"`
	CoresEnabled fact.Fact[int] `json:"cores_enabled" jsonschema:"nullable,minimum=1"`
	Threads      fact.Fact[int] `json:"threads" jsonschema:"nullable,minimum=1"`
	// MaxMTs is the vendor's highest memory speed; set in a report.
	MaxMTs fact.Fact[int] `json:"max_mts" jsonschema:"nullable,minimum=1"`

	ThreadsEnabled fact.Fact[int] `json:"-"`
	// Handle is the SMBIOS handle, -1 without one.
	Handle       int               `json:"-"`
	Enabled      fact.Fact[bool]   `json:"-"`
	Manufacturer fact.Fact[string] `json:"-"`
	// Series is the product family, "Xeon" (DSP0134 7.5.2).
	Series fact.Fact[string] `json:"-"`
	// Vendor is the CPUID vendor: GenuineIntel, AuthenticAMD; "ARM" for Arm.
	Vendor fact.Fact[string] `json:"-"`
	// Package is the kernel's physical_package_id of this socket.
	Package fact.Fact[int] `json:"-"`
	// Upgrade is the socket type by SMBIOS's code name, "Socket LGA4677".
	Upgrade fact.Fact[string] `json:"-"`
}

// Array is one SMBIOS physical memory array (type 16) used as system memory.
type Array struct {
	Handle uint16
	// ECC is SMBIOS's value: "None", "Single-bit ECC", "Multi-bit ECC".
	ECC     fact.Fact[string]
	Devices fact.Fact[int]
	// MaxBytes is the capacity that firmware states as the highest. Many boards take more.
	MaxBytes fact.Fact[int64]
}

// SlotState is the state of a slot.
type SlotState string

// The states of a slot. A device with unknown size is SlotUnknown, not populated.
const (
	SlotPopulated SlotState = "populated"
	SlotEmpty     SlotState = "empty"
	SlotUnknown   SlotState = "unknown"
)

// Values returns the states.
func (SlotState) Values() []SlotState { return []SlotState{SlotPopulated, SlotEmpty, SlotUnknown} }

// Technology keeps the kinds of memory apart; only DRAM modules in slots take
// part in the population model.
type Technology string

// The technologies of docs/interface.md. Soldered DRAM is DRAM with Slot.Soldered.
const (
	DRAM   Technology = "dram"
	NVDIMM Technology = "nvdimm"
	CXL    Technology = "cxl"
	HBM    Technology = "hbm"
	Flash  Technology = "flash"
	Other  Technology = "other"
)

// Values returns the technologies.
func (Technology) Values() []Technology { return []Technology{DRAM, NVDIMM, CXL, HBM, Flash, Other} }

// Health is a module's health by the BMC (DSP2046 Resource.Health).
type Health string

// Values returns the words of the Redfish schema.
func (Health) Values() []Health { return []Health{"OK", "Warning", "Critical"} }

// ControllerErrors are the BMC's counts of memory errors since the machine's last reset (Redfish MemoryMetrics,
// CurrentPeriod). Alarms are the names of active alarms, "" if there are none.
type ControllerErrors struct {
	Corrected, Uncorrected fact.Fact[int64]
	Alarms                 fact.Fact[string]
}

// ControllerModule is a module under the BMC's own label, with its errors.
type ControllerModule struct {
	Label  string
	Errors ControllerErrors
}

// Slot is one memory device of SMBIOS (type 17): a slot, populated or empty,
// or a soldered or stacked device.
type Slot struct {
	// Handle identifies the slot; locators repeat.
	Handle Handle `json:"handle" jsonschema:"pattern=^0x[0-9A-F]{4}$"`
	// Locator and BankLocator are firmware's labels, trimmed; "" as printed
	// is Unstated.
	Locator     fact.Fact[string] `json:"locator" jsonschema:"nullable"`
	BankLocator fact.Fact[string] `json:"bank_locator" jsonschema:"nullable"`
	State       SlotState         `json:"state"`
	// Place is set in a report.
	Place
	// SizeBytes is the module's capacity in bytes.
	SizeBytes  fact.Fact[int64]      `json:"size_bytes" jsonschema:"nullable,minimum=1"`
	Technology fact.Fact[Technology] `json:"technology" jsonschema:"nullable"`
	// Type and FormFactor are SMBIOS's values: DDR4, DIMM.
	Type       fact.Fact[string] `json:"type" jsonschema:"nullable"`
	FormFactor fact.Fact[string] `json:"form_factor" jsonschema:"nullable"`
	// Registered is true for RDIMM and LRDIMM; LoadReduced for LRDIMM.
	Registered  fact.Fact[bool] `json:"registered" jsonschema:"nullable"`
	NonVolatile fact.Fact[bool] `json:"nonvolatile" jsonschema:"nullable"`
	// Ranks of the module; 0 in the table is Unstated.
	Ranks fact.Fact[int] `json:"ranks" jsonschema:"nullable,minimum=1"`
	// Widths in bits.
	DataWidth  fact.Fact[int] `json:"data_width_bits" jsonschema:"nullable,minimum=1"`
	TotalWidth fact.Fact[int] `json:"total_width_bits" jsonschema:"nullable,minimum=1"`
	// RatedMTs and ConfiguredMTs are in MT/s. SMBIOS up to 2.6 has one speed
	// field only, kept in RatedMTs with certainty Indirect.
	RatedMTs      fact.Fact[int] `json:"rated_mts" jsonschema:"nullable,minimum=1"`
	ConfiguredMTs fact.Fact[int] `json:"configured_mts" jsonschema:"nullable,minimum=1"`
	// Voltages in mV.
	ConfiguredMV fact.Fact[int]    `json:"configured_mv" jsonschema:"nullable,minimum=1"`
	MinMV        fact.Fact[int]    `json:"-"`
	MaxMV        fact.Fact[int]    `json:"-"`
	Manufacturer fact.Fact[string] `json:"manufacturer" jsonschema:"nullable"`
	PartNumber   fact.Fact[string] `json:"part_number" jsonschema:"nullable"`
	// Health is the module's health according to the BMC.
	Health fact.Fact[Health] `json:"health" jsonschema:"nullable"`
	// Errors are the memory errors counted for the module; nil if none are counted or the slot's counter is not known.
	// Set in a report.
	Errors *Errors `json:"errors" jsonschema:"nullable"`
	// Serial and AssetTag identify a part; in a report only with --identifiers.
	Serial   string `json:"serial,omitempty"`
	AssetTag string `json:"asset_tag,omitempty"`

	// Unique is the slot's name if its label is another slot's, too; "" otherwise. NameSlots sets it.
	Unique string `json:"-"`
	// Array is the handle of the type 16 structure it belongs to.
	Array uint16 `json:"-"`
	// Soldered is true for devices that are not modules in a slot (form
	// factors "Die", "Chip", "Row of chips", LPDDR without a DIMM).
	Soldered    fact.Fact[bool] `json:"-"`
	LoadReduced fact.Fact[bool] `json:"-"`
	// DeviceSet is the number of the group of devices that must be populated together; 0 if there is none.
	DeviceSet fact.Fact[int] `json:"-"`
	// Memory is the kind of memory if Type is wrong or not a kind ("DRAM"); "" if Type is right. Set in a report.
	Memory string `json:"-"`
	// BMCErrors are the BMC's error counts for the module; nil if there is no BMC or it has none.
	BMCErrors *ControllerErrors `json:"-"`
	// HPE is the slot's position as HPE's type 202 states it, in numbers from 0.
	HPE *Location `json:"-"`
	// BMC is the slot's position according to the BMC (Redfish MemoryLocation). Depending on the vendor, it counts from 0
	// or 1.
	BMC *Location `json:"-"`
	// Mapped is false for a module that firmware gave no address range (type 20)
	// although it gave its neighbours some.
	Mapped fact.Fact[bool] `json:"-"`
	// Range is the module's first address range (type 20), nil if firmware does not map one.
	Range *Range `json:"-"`
	// Named is set if firmware reports size 0 for the slot but names a module there: the module is mapped out or disabled,
	// or the text is outdated. State is then unknown.
	Named bool `json:"-"`
	// Row is the position of the structure in the table, from 0.
	Row int `json:"-"`
}

// Place is where a slot is, counted from 0 in board order; Channel counts over the complete processor. A number that is
// not known is nil.
type Place struct {
	Socket     *int    `json:"socket" jsonschema:"nullable,minimum=0"`
	Controller *int    `json:"controller" jsonschema:"nullable,minimum=0"`
	Channel    *int    `json:"channel" jsonschema:"nullable,minimum=0"`
	Slot       *int    `json:"slot" jsonschema:"nullable,minimum=0"`
	Mapping    Mapping `json:"mapping"`
}

// Mapping is how a slot's coordinates were derived; Source and Certainty are null if nothing could be derived, and
// Reason is then the reason.
type Mapping struct {
	Source    nullable.String `json:"source" jsonschema:"nullable"`
	Certainty *fact.Certainty `json:"certainty" jsonschema:"nullable"`
	Reason    nullable.String `json:"reason" jsonschema:"nullable"`
	// Doubt is what contradicts the coordinates, both readings.
	Doubt nullable.String `json:"doubt" jsonschema:"nullable"`
}

// ErrorSource is the source of counts of memory errors.
type ErrorSource string

// Values returns the names of the sources.
func (ErrorSource) Values() []ErrorSource {
	return []ErrorSource{SourceEDAC, SourceRedfish, SourceKernelLog}
}

// Errors counts a module's memory errors since the kernel's EDAC driver was loaded, since the machine's last reset (by
// the BMC), or those in the kernel's log that firmware reported.
type Errors struct {
	Corrected   fact.Fact[int64] `json:"corrected" jsonschema:"nullable,minimum=0"`
	Uncorrected fact.Fact[int64] `json:"uncorrected" jsonschema:"nullable,minimum=0"`
	// CountedSeconds is how long errors were counted, in seconds.
	CountedSeconds fact.Fact[int64] `json:"counted_seconds" jsonschema:"nullable,minimum=0"`
	// CorrectedWorstDay is the largest number of corrected errors within 24 hours, known only from the kernel's log.
	CorrectedWorstDay fact.Fact[int64] `json:"-"`
	// Source is the source's name; set in a report.
	Source ErrorSource `json:"source"`
	// By is how the counter was assigned to the slot: label, channel, controller, kernel log, event log, or that every counter
	// of the machine is zero; "" if it was not.
	By string `json:"by,omitempty"`
	// Log are the entries of the BMC's event log about the module, in the order of time.
	Log []LogEntry `json:"log,omitempty"`
}

// Standing returns the entries of the BMC's event log that say something of the module as it is: those of the present run
// or of unknown time, not resolved, and not known to be from before the last repair.
func (e *Errors) Standing() []LogEntry {
	var out []LogEntry
	for _, l := range e.Log {
		switch {
		case l.Says == eventlog.Repaired && l.When != Resolved:
			out = slices.DeleteFunc(out, func(before LogEntry) bool { return before.When != Undated || before.Time != "" })
		case l.When == Current || l.When == Undated:
			out = append(out, l)
		}
	}
	return out
}

// Location is a slot's position according to one source; -1 for unknown numbers. HPE's OEM type 202 has 0 for an unknown
// controller or channel.
type Location struct {
	Processor, Controller, Channel, Index int
	Evidence                              fact.Evidence
}

// Range is a module's first address range (type 20, DSP0134 7.21).
type Range struct {
	// Start is the range's first byte address.
	Start int64
	// Position is the number from 1 in an interleave of Depth rows; 0 if not interleaved or unknown.
	Position, Depth int
}

// CPU is the kernel's view of the processors.
type CPU struct {
	Vendor, Brand           fact.Fact[string]
	Family, Model, Stepping fact.Fact[int]
	// Packages are the distinct physical_package_id of the online CPUs, in
	// numeric order.
	Packages fact.Fact[[]Package]
	// Online, Present are CPU numbers.
	Online, Present fact.Fact[[]int]
	// ThreadsPerCore is the largest number of online siblings of a core.
	ThreadsPerCore fact.Fact[int]
	// SMTControl and SMTActive are /sys/devices/system/cpu/smt/{control,active}.
	SMTControl, SMTActive fact.Fact[string]
	// CPUsPerL3 is the size of the largest group that shares an L3 cache.
	CPUsPerL3 fact.Fact[int]
	// Flags are those of the first CPU in /proc/cpuinfo that rules ask for.
	Flags fact.Fact[map[string]bool]
}

// MaxXAPIC is the number of CPUs that 8-bit IDs can address.
const MaxXAPIC = 255

// Unnumbered lists the present CPUs beyond those that 8-bit IDs can address if all of them are offline.
func (c *CPU) Unnumbered() []int {
	beyond := func(list []int) []int { return list[min(len(list), sort.SearchInts(list, MaxXAPIC)):] }
	if len(beyond(c.Online.Value)) > 0 {
		return nil
	}
	return beyond(c.Present.Value)
}

// Package is one physical package of the kernel, with its online CPUs.
type Package struct {
	// ID is physical_package_id; there may be gaps.
	ID   int
	CPUs []int
	// Cores is the number of cores with at least one CPU online.
	Cores int
}

// NodeKind is the kind of memory of a node.
type NodeKind string

// The kinds of nodes of docs/interface.md.
const (
	NodeDRAM       NodeKind = "dram"
	NodeCPULess    NodeKind = "cpuless"
	NodeMemoryless NodeKind = "memoryless"
	NodeHBM        NodeKind = "hbm"
	NodeCXL        NodeKind = "cxl"
	NodePersistent NodeKind = "persistent"
	NodeGPU        NodeKind = "gpu"
	NodeUnknown    NodeKind = "unknown"
)

// Values returns the kinds.
func (NodeKind) Values() []NodeKind {
	return []NodeKind{NodeDRAM, NodeCPULess, NodeMemoryless, NodeHBM, NodeCXL, NodePersistent, NodeGPU, NodeUnknown}
}

// Node is one online NUMA node of the kernel.
type Node struct {
	ID int
	// Kind is unknown, with the reason, if the kernel's files do not show it.
	Kind fact.Fact[NodeKind]
	// Socket is the id of the socket its CPUs belong to.
	Socket fact.Fact[int]
	CPUs   fact.Fact[[]int]
	// MemoryBytes is the node's MemTotal in bytes.
	MemoryBytes       fact.Fact[int64]
	Distances         fact.Fact[[]int]
	HasCPU, HasMemory fact.Fact[bool]
	// RatedBytesPerSecond is the read bandwidth for the best initiators, as
	// firmware rates it (HMAT, or the device's CDAT), never measured.
	RatedBytesPerSecond fact.Fact[int64]
	// Tier is the kernel's memory tier of the node; a smaller one is faster.
	Tier fact.Fact[int]
	// InterleaveWeight is the node's share of pages under weighted interleaving.
	InterleaveWeight fact.Fact[int]
	// SideCacheBytes is the size of the caches in front of the node's memory;
	// SideCacheOf what they are made of.
	SideCacheBytes fact.Fact[int64]
	SideCacheOf    fact.Fact[Technology]
	// EnclaveBytes is the node's memory for SGX enclaves.
	EnclaveBytes fact.Fact[int64]
}

// NUMA is the machine-wide NUMA state.
type NUMA struct {
	// SRAT and SLIT are set if firmware provides the table, Unread in a capture without sys/firmware/acpi.
	SRAT, SLIT fact.Fact[bool]
	// WeightsAuto is set if the kernel derives interleave weights from rated bandwidths.
	WeightsAuto fact.Fact[bool]
	// CXLDevices counts CXL memory devices, CXLRegions the ranges that the kernel
	// maps to them.
	CXLDevices, CXLRegions fact.Fact[int]
	// PersistentRegions counts the regions of persistent modules that the kernel lists.
	PersistentRegions fact.Fact[int]
	// KernelNUMA is false when /sys/devices/system/node does not exist on a
	// kernel that was read (CONFIG_NUMA=n).
	KernelNUMA fact.Fact[bool]
	// Cmdline is the kernel command line; Options are the options that affect an audit (numa=, acpi=, nosmt, mem=,
	// maxcpus=, ...).
	Cmdline fact.Fact[string]
	Options fact.Fact[[]string]
}

// IgnoresNodes reports whether a kernel option makes the kernel ignore firmware's NUMA nodes. It compares the prefix of
// numa='s value, as the kernel does.
func IgnoresNodes(option string) bool {
	return strings.HasPrefix(option, "numa=off") || strings.HasPrefix(option, "numa=noacpi") || option == "acpi=off" || option == "noacpi"
}

// Memory is what the operating system sees of the memory.
type Memory struct {
	// TotalBytes is MemTotal of /proc/meminfo (after kernel reservations).
	TotalBytes fact.Fact[int64]
	// CorruptedBytes is what the kernel took away after errors (HardwareCorrupted).
	CorruptedBytes fact.Fact[int64]
	// CrashBytes is what the kernel keeps for a crash kernel, which MemTotal leaves out.
	CrashBytes fact.Fact[int64]
	// MapBytes is the "System RAM" of firmware's memory map.
	MapBytes fact.Fact[int64]
	// BlockBytes is the sum of the online memory blocks.
	BlockBytes fact.Fact[int64]
	// VisibleBytes is the best of the three: what firmware gave the kernel.
	VisibleBytes fact.Fact[int64]
	// MappedBytes is the size of the memory that firmware mapped to addresses: the ranges of SMBIOS's type 19, or of type 20
	// if there are none. MappedDoubt is what contradicts it, "" for nothing.
	MappedBytes fact.Fact[int64]
	MappedDoubt string
	// MappedEnd is the first byte address after those ranges.
	MappedEnd int64
}

// SlurmNode is a node as Slurm's configuration has it; a count that is not given is 0.
type SlurmNode struct{ RealMemoryMiB, Sockets, CoresPerSocket, ThreadsPerCore int64 }

// Controller is one EDAC memory controller.
type Controller struct {
	// Index is the N of mcN.
	Index int
	// Name is mc_name: "Skylake Socket#0 IMC#0", "ghes_edac".
	Name fact.Fact[string]
	// DIMMs are the folders dimmN, rankN or csrowN, in numeric order. Only populated ones exist.
	DIMMs []ControllerDIMM
	// CountedSeconds is how long the counters of errors have counted (seconds_since_reset).
	CountedSeconds fact.Fact[int64]
	// Corrected and Uncorrected are all errors of the controller, CorrectedNoInfo and
	// UncorrectedNoInfo those of them that the driver could put down to no module.
	Corrected, Uncorrected             fact.Fact[int64]
	CorrectedNoInfo, UncorrectedNoInfo fact.Fact[int64]
}

// Device is a PCI device.
type Device struct {
	// Address is the kernel's name of it: 0000:17:00.0. Kind is one of the words below.
	Address, Kind string
	// Node is its NUMA node, -1 if firmware names none.
	Node fact.Fact[int]
	// Direct is true for a GPU of NVIDIA's while the kernel's module for GPUDirect RDMA is loaded: network adapters move data to
	// and from its memory.
	Direct fact.Fact[bool]
}

// The kinds of devices.
const (
	DeviceGPU         = "GPU"
	DeviceNetwork     = "network adapter"
	DeviceNVMe        = "NVMe"
	DeviceAccelerator = "accelerator"
)

// Subject names the device.
func (d *Device) Subject() Subject { return Subject{Kind: AboutOther, Name: "device " + d.Address} }

// Kernel is what the kernel shows of features that setup, its command line or a profile asks for.
type Kernel struct {
	// Messages are lines of its log about such features and about pages that it took away.
	Messages fact.Fact[[]string]
	// Options are the options of its command line that ask for such features or prevent them.
	Options fact.Fact[[]string]
	// TDX and SNP are "Y" if KVM can start such guests.
	TDX, SNP fact.Fact[string]
}

// MemoryEvent is an entry about memory of the BMC's event log.
type MemoryEvent struct {
	LogEntry
	// Place is the slot under the name that the message has for it, "" if it names none.
	Place string
	// AfterReset is the time in seconds since the machine's last reset; nil if that is not known.
	AfterReset *int64
}

// LogEntry is what an entry of the BMC's event log says of a module.
type LogEntry struct {
	// Time is the BMC's clock in UTC, by RFC 3339.
	Time nullable.String `json:"time" jsonschema:"nullable"`
	ID   nullable.String `json:"id" jsonschema:"nullable"`
	Says eventlog.Says   `json:"says"`
	When LogTime         `json:"when"`
}

// LogTime is whether an entry is about the machine as it runs now.
type LogTime string

// Current is after the machine's last reset, or not repaired as the BMC says; Undated one of which that is not known.
const (
	Current  LogTime = "current"
	Earlier  LogTime = "earlier"
	Undated  LogTime = "undated"
	Resolved LogTime = "resolved"
)

// Values lists the words.
func (LogTime) Values() []LogTime { return []LogTime{Current, Earlier, Undated, Resolved} }

// LoggedErrors are memory errors in the kernel's log that firmware reported for one module (APEI), under firmware's names of it.
type LoggedErrors struct {
	// Location is bank and slot as SMBIOS names them, FRU firmware's own name, Place its node, card, module and rank; "" if not given.
	Location, FRU, Place string
	// Handle is the slot's SMBIOS handle, -1 if not given.
	Handle int
	// Seconds are the times of the errors since the kernel started.
	Corrected, Uncorrected []int64
}

// ControllerDIMM is one dimmN, rankN or csrow entry below an EDAC controller.
type ControllerDIMM struct {
	// Label is the name given by the driver or edac-ctl; for a csrow it is that of its first channel. Location is for
	// example "channel 0 slot 1".
	Label, Location fact.Fact[string]
	// SizeBytes is the size of the module; for rankN that of one rank, for csrowN that of the row on all its channels.
	SizeBytes fact.Fact[int64]
	// Mode is for example "SECDED".
	Mode fact.Fact[string]
	// Corrected and Uncorrected count memory errors since the driver was loaded.
	Corrected, Uncorrected fact.Fact[int64]
}

// Who can have decided an effective value.
const (
	DecidedFirmware      = "firmware"
	DecidedCommandLine   = "command line"
	DecidedAdministrator = "administrator" // at run time
	DecidedKernel        = "kernel"        // which rewrites part of what firmware left
	DecidedHypervisor    = "hypervisor"
	// DecidedHardware is what firmware disabled or the processor has not: the
	// operating system had no part in it.
	DecidedHardware = "firmware or the processor"
)

// Decider is one of the Decided constants in a document, "" (null) if it is not known.
type Decider string

// Values returns who can have decided.
func (Decider) Values() []Decider {
	return []Decider{DecidedFirmware, DecidedCommandLine, DecidedAdministrator, DecidedKernel, DecidedHypervisor, DecidedHardware}
}

// MarshalJSON writes the word, or null.
func (d Decider) MarshalJSON() ([]byte, error) { return nullable.String(d).MarshalJSON() }

// Setting is one canonical BIOS setting with its three values, none of which replaces another.
type Setting struct {
	// Configured is the value in BIOS setup, Pending the value there after the next boot, Effective the value that the
	// machine runs with.
	Configured, Pending, Effective fact.Fact[string]
	// DecidedBy is who decided the effective value, one of the Decided constants, or unknown.
	DecidedBy fact.Fact[string]
	// GreyedOut is the attribute, with its value, by which BIOS setup does not let it be changed now, by the machine's
	// attribute registry; "" if none does.
	GreyedOut string
	// Overrides are what the running system does to take back what firmware
	// offers.
	Overrides []Override
}

// KernelBias reports whether a reading is an energy bias of 6, which Linux makes
// of firmware's 0 at boot (arch/x86/kernel/cpu/intel_epb.c).
func KernelBias(e fact.Evidence) bool {
	return strings.HasSuffix(e.Path, "/energy_perf_bias") && strings.TrimSpace(e.Raw) == "6"
}

// ClockLimit reports whether a reading is firmware's present limit of the clock, which is not a BIOS setting.
func ClockLimit(e fact.Evidence) bool { return strings.HasSuffix(e.Path, "/bios_limit") }

// Override is one way in which the running system takes back what firmware
// offers.
type Override struct {
	// Found describes the override, with file and value; Undo tells the user how to undo it.
	Found, Undo string
	// By is one of the Decided constants, "" if that does not show.
	By string
	// Value is the canonical value that the override leads to, "" if a profile can ask for none such.
	Value string
	// Saves is set if the override is one only for a profile that asks for performance.
	Saves bool
	// At is the evidence.
	At []fact.Evidence
}

// Handle is the number of an SMBIOS structure.
type Handle uint16

// String writes a handle as docs/interface.md and dmidecode do: "0x000A".
func (h Handle) String() string {
	const digits = "0123456789ABCDEF"
	return string([]byte{'0', 'x', digits[h>>12], digits[h>>8&15], digits[h>>4&15], digits[h&15]})
}

// MarshalText writes the handle into a document.
func (h Handle) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads the handle of a document.
func (h *Handle) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(string(text), "0x"), 16, 16)
	if *h = Handle(n); err == nil && h.String() != string(text) {
		return fmt.Errorf("%q, expected %s", text, h)
	}
	return err
}

// Name returns the name of the slot that no other slot has: its label, both labels, or its handle if it has none.
func (s *Slot) Name() string {
	return cmp.Or(s.Unique, s.Locator.Or(""), "slot "+s.Handle.String())
}

// NameSlots sets Unique of the slots whose label repeats: both labels, the bank's first unless it is the DIMM's
// (P0 CHANNEL A DIMM 0, and CPU0 DIMM01 where the bank is DIMM01). Slots with equal labels get their handle, too, unless
// the labels are equal to each other: NO DIMM is no place.
func NameSlots(slots []Slot) {
	locators, both := map[string]int{}, map[string]int{}
	for i := range slots {
		locator, bank := slots[i].Locator.Or(""), slots[i].BankLocator.Or("")
		locators[locator]++
		both[locator+"\n"+bank]++
	}
	for i := range slots {
		s := &slots[i]
		locator, bank := s.Locator.Or(""), s.BankLocator.Or("")
		if locator == "" || locators[locator] == 1 || locator == bank {
			continue
		}
		words := []string{bank, locator}
		if strings.HasPrefix(bank, "DIMM") && !strings.Contains(locator, "DIMM") {
			words = []string{locator, bank}
		}
		s.Unique = strings.TrimSpace(strings.Join(words, " "))
		if both[locator+"\n"+bank] > 1 {
			s.Unique += " (" + s.Handle.String() + ")"
		}
	}
}

// HoldsDRAM reports whether a module is in the slot and is DRAM, as one of unknown technology is taken for.
func (s *Slot) HoldsDRAM() bool {
	return s.State == SlotPopulated && s.Technology.Or(DRAM) == DRAM
}

// Unsized returns the reason why the size of the memory in a slot of unknown state is unknown.
func (s *Slot) Unsized() string {
	if s.SizeBytes.State == fact.Conflicting && s.SizeBytes.Reason != "" {
		return s.SizeBytes.Reason
	}
	return "the size field of " + s.Name() + " says unknown"
}

// NoFirmwareTables reports an architecture whose kernel knows neither SMBIOS nor ACPI (Linux: config DMI and
// ARCH_SUPPORTS_ACPI are not selected there): its firmware hands over a device tree, or nothing.
func NoFirmwareTables(architecture string) bool {
	return strings.HasPrefix(architecture, "ppc") || strings.HasPrefix(architecture, "s390")
}
