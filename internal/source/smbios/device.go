package smbios

import (
	"iter"
	"strings"
)

// MemoryDevice is a slot, populated or empty, or a soldered or stacked memory device (type 17,
// DSP0134 7.18).
//
// For an empty slot only the fields up to Detail are read. Firmware leaves meaningless texts and
// numbers in the others, and dmidecode does not print them either from version 3.4 on; Leftovers
// reads them.
type MemoryDevice struct {
	// Handle identifies the slot; locators can repeat.
	Handle uint16
	// Index is the position in Table.Structures, from 0.
	Index int
	// Array is the handle of the type 16 structure the device belongs to.
	Array Field[uint16]
	// Error is the handle of a type 18 or 33 structure. It is Unstated with Value NoErrorHandle
	// when firmware reports no error, and with Value ErrorNotProvided when firmware provides no
	// error information.
	Error Field[uint16]
	// TotalWidth and DataWidth are in bits.
	TotalWidth, DataWidth Field[int]
	// Installed tells whether a module is in the slot. It is Unstated when firmware does not know
	// the size (FFFFh).
	Installed Field[bool]
	// Size is in bytes; it is known to be 0 for an empty slot. It is Malformed for values that are
	// no size: 0 KB, an extended size of 0, 32767 MB, and 7FFFh in a structure too short for the
	// extended size.
	Size Field[int64]
	// FormFactor and Type are words as dmidecode prints them, such as "DIMM" and "DDR4".
	FormFactor Field[string]
	// Set is the number of the group of devices that must be populated together; 0 means that the
	// device belongs to none.
	Set Field[int]
	// Locator and BankLocator are firmware's names of the slot and its bank.
	Locator, BankLocator Text
	Type                 Field[string]
	Detail               Field[TypeDetail]
	// Speed is the rated speed in MT/s. Structures shorter than 22h bytes have no ConfiguredSpeed;
	// in them Speed may be the speed at which the module runs.
	Speed                                         Field[int]
	Manufacturer, Serial, AssetTag, PartNumber    Text
	Rank                                          Field[int]
	ConfiguredSpeed                               Field[int] // MT/s
	MinVoltage, MaxVoltage, ConfiguredVoltage     Field[int] // mV
	Technology                                    Field[string]
	OperatingModes                                Field[OperatingModes]
	FirmwareVersion                               Text
	ModuleManufacturer, ControllerManufacturer    Field[JEP106]
	ModuleProduct, ControllerProduct              Field[int]
	NonVolatile, Volatile, CacheSize, LogicalSize Field[int64] // bytes
	// PMIC0 and RCD describe the chips of a DDR5 module (SMBIOS 3.7, DSP0134 7.18.16): the revision
	// field has bit 15 set for an installed chip, its type in bits 11:8 and its revision in bits
	// 7:0. It is 0 for a chip that is not installed.
	PMIC0Manufacturer, RCDManufacturer Field[JEP106]
	PMIC0Revision, RCDRevision         Field[int]
}

// EachMemoryDevice visits the type 17 structures in table order. Each device is valid only until
// the next one is visited: all are decoded into the same variable.
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

// Leftovers returns the device of an empty slot with what firmware states of a module there
// nevertheless.
func (t *Table) Leftovers(d *MemoryDevice) MemoryDevice {
	out := *d
	f := t.fields(&t.Structures[d.Index])
	out.module(&f)
	return out
}

// slot reads the fields that describe the slot, populated or not.
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

// module reads the fields of SMBIOS 2.8 and earlier that describe the module in the slot.
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

// configuredLabel returns dmidecode's label of the configured speed, which was "Configured Clock
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

// TypeDetail holds the type detail bits of DSP0134 7.18.3.
type TypeDetail uint16

// The bits of TypeDetail that the audit uses.
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

// String returns the words of the set bits as dmidecode prints them, "None" without any.
func (d TypeDetail) String() string { return bitString(uint(d), detailWords[:]) }

// OperatingModes holds the memory operating mode capability bits of DSP0134 7.18.7.
type OperatingModes uint16

// modeWords are the words of bits 1 to 5.
var modeWords = [...]string{
	"Other", "Unknown", "Volatile memory", "Byte-accessible persistent memory",
	"Block-accessible persistent memory",
}

// String returns the words of the set bits as dmidecode prints them, "None" without any.
func (m OperatingModes) String() string { return bitString(uint(m), modeWords[:]) }

// bitString joins the words of the set bits, of which words[0] stands for bit 1. Bit 0 is reserved.
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

// parseBits is the inverse of bitString. Words contain spaces, but they always stand in the order
// of their bits.
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

// JEP106 is a manufacturer's number in JEDEC's list JEP106 (DSP0134 7.18.8).
type JEP106 struct {
	// Bank counts from 1. Code is the number in the bank, including its parity bit.
	Bank, Code uint8
}
