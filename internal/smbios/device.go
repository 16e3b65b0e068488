package smbios

import (
	"iter"
	"strings"
)

// MemoryDevice is a slot, populated or not, or a soldered or stacked device
// (type 17, DSP0134 7.18).
//
// Of an empty slot only the fields up to Detail are read: firmware leaves
// texts and numbers of nothing in the others, and dmidecode from 3.4 on does
// not print them either.
type MemoryDevice struct {
	// Handle identifies the slot; locators repeat.
	Handle uint16
	// Index is the position among the table's structures, from 0.
	Index int
	// Array is the handle of the type 16 structure the device belongs to.
	Array Field[uint16]
	// Error is the handle of a type 18 or 33 structure. Unstated with Value
	// NoErrorHandle means "no error", with ErrorNotProvided "not provided".
	Error Field[uint16]
	// TotalWidth and DataWidth are in bits.
	TotalWidth, DataWidth Field[int]
	// Installed tells whether a module is in the slot; Unstated when firmware
	// does not know the size (FFFFh).
	Installed Field[bool]
	// Size is in bytes; known 0 for an empty slot. Malformed for sizes that are
	// none: 0 kB, an extended size of 0, and 7FFFh in a structure too short
	// for the extended size.
	Size Field[int64]
	// FormFactor and Type are SMBIOS's words: DIMM, DDR4.
	FormFactor Field[string]
	// Set groups devices that must be populated together; 0 means none.
	Set Field[int]
	// Locator and BankLocator are firmware's names of the slot and its bank.
	Locator, BankLocator Text
	Type                 Field[string]
	Detail               Field[TypeDetail]
	// Speed is the rated speed in MT/s. Structures shorter than 22h have no
	// ConfiguredSpeed, and there it may be the running speed.
	Speed                                         Field[int]
	Manufacturer, Serial, AssetTag, PartNumber    Text
	Rank                                          Field[int]
	ConfiguredSpeed                               Field[int]
	MinVoltage, MaxVoltage, ConfiguredVoltage     Field[int] // mV
	Technology                                    Field[string]
	OperatingModes                                Field[OperatingModes]
	FirmwareVersion                               Text
	ModuleManufacturer, ControllerManufacturer    Field[JEP106]
	ModuleProduct, ControllerProduct              Field[int]
	NonVolatile, Volatile, CacheSize, LogicalSize Field[int64] // bytes
	// PMIC0 and RCD identify the chips of a DDR5 module (3.7); the revision is
	// 0 for a chip that is not installed.
	PMIC0Manufacturer, RCDManufacturer Field[JEP106]
	PMIC0Revision, RCDRevision         Field[int]
}

// EachMemoryDevice visits the type 17 structures in table order. All are read in the same
// room: a device holds until the next.
func (t *Table) EachMemoryDevice() iter.Seq[*MemoryDevice] {
	return func(yield func(*MemoryDevice) bool) {
		var d MemoryDevice
		for i := range t.Structures {
			s := &t.Structures[i]
			if s.Type != typeMemoryDevice {
				continue
			}
			d = MemoryDevice{Handle: s.Handle, Index: i}
			f := t.fields(s)
			d.slot(&f)
			if !d.Installed.Known() || d.Installed.Value {
				d.module(&f)
				d.extended(&f)
			}
			if !yield(&d) {
				return
			}
		}
	}
}

// slot reads what holds for the slot itself.
func (d *MemoryDevice) slot(f *fields) {
	d.Array = f.handle(0x04, "Array Handle", 0xFFFF)
	d.Error = f.handle(0x06, "Error Information Handle", ErrorNotProvided)
	d.TotalWidth = f.width(0x08, "Total Width")
	d.DataWidth = f.width(0x0A, "Data Width")
	d.Size, d.Installed = f.moduleSize()
	d.FormFactor = f.word(0x0E, "Form Factor", &formFactors)
	d.Set = f.deviceSet()
	d.Locator = f.str(0x10, "Locator")
	d.BankLocator = f.str(0x11, "Bank Locator")
	d.Type = f.word(0x12, "Type", &memoryTypes)
	d.Detail = f.typeDetail()
}

// module reads what holds for the module in the slot, up to SMBIOS 2.8.
func (d *MemoryDevice) module(f *fields) {
	d.Speed = f.speed(0x15, 0x54, "Speed")
	d.Manufacturer = f.str(0x17, "Manufacturer")
	d.Serial = f.str(0x18, "Serial Number")
	d.AssetTag = f.str(0x19, "Asset Tag")
	d.PartNumber = f.str(0x1A, "Part Number")
	d.Rank = f.rank()
	d.ConfiguredSpeed = f.speed(0x20, 0x58, f.configuredLabel())
	d.MinVoltage = f.millivolts(0x22, "Minimum Voltage")
	d.MaxVoltage = f.millivolts(0x24, "Maximum Voltage")
	d.ConfiguredVoltage = f.millivolts(0x26, "Configured Voltage")
}

// extended reads the fields of SMBIOS 3.2 and later.
func (d *MemoryDevice) extended(f *fields) {
	if !f.has(0x28, 1) {
		return
	}
	d.Technology = f.word(0x28, "Memory Technology", &technologies)
	d.OperatingModes = f.operatingModes()
	d.FirmwareVersion = f.str(0x2B, "Firmware Version")
	d.ModuleManufacturer = f.jep106(0x2C, "Module Manufacturer ID")
	d.ModuleProduct = f.productID(0x2E, "Module Product ID")
	d.ControllerManufacturer = f.jep106(0x30, "Memory Subsystem Controller Manufacturer ID")
	d.ControllerProduct = f.productID(0x32, "Memory Subsystem Controller Product ID")
	d.NonVolatile = f.size64(0x34, "Non-Volatile Size")
	d.Volatile = f.size64(0x3C, "Volatile Size")
	d.CacheSize = f.size64(0x44, "Cache Size")
	d.LogicalSize = f.size64(0x4C, "Logical Size")
	if !f.has(0x5C, 8) {
		return
	}
	ddr5 := d.Type.Value == "DDR5" || d.Type.Value == "LPDDR5"
	d.PMIC0Manufacturer = f.jep106(0x5C, "PMIC0 Manufacturer ID")
	d.PMIC0Revision = f.chip(0x5E, "PMIC0", ddr5)
	d.RCDManufacturer = f.jep106(0x60, "RCD Manufacturer ID")
	d.RCDRevision = f.chip(0x62, "RCD", ddr5)
}

// configuredLabel is the label of the configured speed: "Configured Clock
// Speed" before dmidecode 3.2.
func (f *fields) configuredLabel() string {
	const now = "Configured Memory Speed"
	if !f.text {
		return now
	}
	if _, ok := f.line(now); ok {
		f.pos-- // found again at once
		return now
	}
	return "Configured Clock Speed"
}

// TypeDetail are the bits of DSP0134 7.18.3.
type TypeDetail uint16

// The bits of TypeDetail the audit asks for.
const (
	DetailNonVolatile TypeDetail = 1 << 12
	DetailRegistered  TypeDetail = 1 << 13
	DetailUnbuffered  TypeDetail = 1 << 14
	DetailLRDIMM      TypeDetail = 1 << 15
)

// detailWords are the words of bits 1 to 15.
var detailWords = [...]string{
	"Other", "Unknown", "Fast-paged", "Static Column", "Pseudo-static",
	"RAMBus", "Synchronous", "CMOS", "EDO", "Window DRAM", "Cache DRAM",
	"Non-Volatile", "Registered (Buffered)", "Unbuffered (Unregistered)",
	"LRDIMM",
}

// Has tells whether all bits of b are set.
func (d TypeDetail) Has(b TypeDetail) bool { return d&b == b }

// String gives the words as dmidecode prints them.
func (d TypeDetail) String() string { return bitString(uint(d), detailWords[:]) }

// OperatingModes are the bits of DSP0134 7.18.7.
type OperatingModes uint16

// modeWords are the words of bits 1 to 5.
var modeWords = [...]string{
	"Other", "Unknown", "Volatile memory", "Byte-accessible persistent memory",
	"Block-accessible persistent memory",
}

// String gives the words as dmidecode prints them.
func (m OperatingModes) String() string { return bitString(uint(m), modeWords[:]) }

// bitString joins the words of the bits from 1 on.
func bitString(bits uint, words []string) string {
	var out []string
	for i, w := range words {
		if bits&(2<<i) != 0 {
			out = append(out, w)
		}
	}
	if out == nil {
		return "None"
	}
	return strings.Join(out, " ")
}

// parseBits is the inverse of bitString. Words have spaces in them, but their
// order is fixed.
func parseBits(v string, words []string) uint {
	var bits uint
	for i, w := range words {
		if rest, ok := strings.CutPrefix(v, w); ok && (rest == "" || rest[0] == ' ') {
			bits |= 2 << i
			v = strings.TrimLeft(rest, " ")
		}
	}
	return bits
}

// JEP106 is a manufacturer's number in JEDEC's list JEP106.
type JEP106 struct {
	// Bank counts from 1; Code is the number in the bank with its parity bit.
	Bank, Code uint8
}
