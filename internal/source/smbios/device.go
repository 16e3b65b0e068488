package smbios

import (
	"iter"
	"strings"
)

// MemoryDevice is a slot, populated or empty, or a soldered or stacked memory device (type 17, DSP0134 7.18).
//
// For an empty slot only the fields up to Detail are read. Firmware leaves meaningless texts and numbers in the others,
// and dmidecode does not print them either from version 3.4 on; Leftovers reads them.
type MemoryDevice struct {
	// Handle identifies the slot; locators can repeat.
	Handle uint16
	// Index is the position in Table.Structures, from 0.
	Index int
	// Array is the handle of the type 16 structure the device belongs to.
	Array Field[uint16]
	// TotalWidth and DataWidth are in bits.
	TotalWidth, DataWidth Field[int]
	// Installed is set if a module is in the slot. It is Unstated if firmware does not know the size (FFFFh).
	Installed Field[bool]
	// Size is in bytes; it is known to be 0 for an empty slot. It is Malformed for values that are no size: 0 KB, an
	// extended size of 0, 32767 MB, and 7FFFh in a structure too short for the extended size.
	Size Field[int64]
	// FormFactor and Type are spelled as dmidecode prints them, such as "DIMM" and "DDR4".
	FormFactor Field[string]
	// Set is the number of the group of devices that must be populated together; 0 if there is none.
	Set Field[int]
	// Locator and BankLocator are firmware's names of the slot and its bank.
	Locator, BankLocator Field[string]
	Type                 Field[string]
	Detail               Field[TypeDetail]
	// Speed is the rated speed in MT/s. Structures shorter than 22h bytes have no ConfiguredSpeed;
	// in them Speed may be the speed at which the module runs.
	Speed                                      Field[int]
	Manufacturer, Serial, AssetTag, PartNumber Field[string]
	Rank                                       Field[int]
	ConfiguredSpeed                            Field[int] // MT/s
	MinVoltage, MaxVoltage, ConfiguredVoltage  Field[int] // mV
	Technology                                 Field[string]
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
			f := t.structureFields(s)
			d.decodeSlot(&f)
			if !d.Installed.Known() || d.Installed.Value {
				d.decodeModule(&f)
			}
			if !yield(&d) {
				return
			}
		}
	}
}

// Leftovers returns the device of an empty slot with what firmware states of a module there nevertheless.
func (t *Table) Leftovers(d *MemoryDevice) MemoryDevice {
	out := *d
	f := t.structureFields(&t.Structures[d.Index])
	out.decodeModule(&f)
	return out
}

func (d *MemoryDevice) decodeSlot(f *fields) {
	d.Array = f.readHandle(0x04, "Array Handle", 0xFFFF)
	d.TotalWidth = f.readWidth(0x08, "Total Width")
	d.DataWidth = f.readWidth(0x0A, "Data Width")
	d.Size, d.Installed = f.readModuleSize()
	d.FormFactor = f.readCode(0x0E, "Form Factor", "form factor")
	// 0, printed as "None", is a known value.
	d.Set = readField(f, 0x0F, 1, "Set", func(v string) Field[int] {
		if v == "None" {
			return knownField(0)
		}
		return parseNum(v, 0xFF)
	}, func() Field[int] { return numField(f.u8(0x0F), 0xFF) })
	d.Locator = f.str(0x10, "Locator")
	d.BankLocator = f.str(0x11, "Bank Locator")
	d.Type = f.readCode(0x12, "Type", "memory type")
	d.Detail = f.readTypeDetail()
}

func (d *MemoryDevice) decodeModule(f *fields) {
	d.Speed = f.readSpeed(0x15, 0x54, "Speed")
	d.Manufacturer = f.str(0x17, "Manufacturer")
	d.Serial = f.str(0x18, "Serial Number")
	d.AssetTag = f.str(0x19, "Asset Tag")
	d.PartNumber = f.str(0x1A, "Part Number")
	d.Rank = readField(f, 0x1B, 1, "Rank", func(v string) Field[int] { return parseNum(v, 0) }, func() Field[int] { return numField(f.u8(0x1B)&0x0F, 0) })
	d.ConfiguredSpeed = f.readSpeed(0x20, 0x58, f.configuredLabel())
	d.MinVoltage = f.readMillivolts(0x22, "Minimum Voltage")
	d.MaxVoltage = f.readMillivolts(0x24, "Maximum Voltage")
	d.ConfiguredVoltage = f.readMillivolts(0x26, "Configured Voltage")
	if f.hasBytes(0x28, 1) {
		d.Technology = f.readCode(0x28, "Memory Technology", "memory technology")
	}
}

// The label of the configured speed was "Configured Clock Speed" before dmidecode 3.2.
func (f *fields) configuredLabel() string {
	const now = "Configured Memory Speed"
	if !f.text {
		return now
	}
	pos := f.pos
	_, ok := f.labelledValue(now)
	if f.pos = pos; ok {
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

// detailWords are the names of bits 1 to 15. Bit 0 is reserved.
var detailWords = [...]string{
	"Other", "Unknown", "Fast-paged", "Static Column", "Pseudo-static",
	"RAMBus", "Synchronous", "CMOS", "EDO", "Window DRAM", "Cache DRAM",
	"Non-Volatile", "Registered (Buffered)", "Unbuffered (Unregistered)",
	"LRDIMM",
}

// Has reports whether all bits of b are set.
func (d TypeDetail) Has(b TypeDetail) bool { return d&b == b }

// String returns the names of the set bits as dmidecode prints them, "None" if no bit is set.
func (d TypeDetail) String() string {
	var out []string
	for i, w := range detailWords {
		if d&(2<<i) != 0 {
			out = append(out, w)
		}
	}
	if out == nil {
		return "None"
	}
	return strings.Join(out, " ")
}

// parseTypeDetail is the inverse of String. Names contain spaces, but are always in the order of their bits.
func parseTypeDetail(v string) Field[TypeDetail] {
	var bits TypeDetail
	for i, w := range detailWords {
		if rest, ok := strings.CutPrefix(v, w); ok && (rest == "" || rest[0] == ' ') {
			bits |= 2 << i
			v = strings.TrimLeft(rest, " ")
		}
	}
	return knownField(bits)
}

// readWidth reads a width in bits. FFFFh is Unstated, and so is 0, which firmware writes for empty slots.
func (f *fields) readWidth(off int, label string) Field[int] {
	n := f.readNumber(off, 2, label, 0xFFFF)
	if n.Known() && n.Value == 0 {
		return withStatus[int](Unstated)
	}
	return n
}

// readModuleSize reads the size of the module in bytes (DSP0134 7.18.5) and whether a module is installed.
func (f *fields) readModuleSize() (Field[int64], Field[bool]) {
	if f.text {
		v, ok := f.labelledValue("Size")
		switch {
		case !ok:
			return Field[int64]{}, Field[bool]{}
		case v == "No Module Installed" || v == "Not Installed":
			return knownField[int64](0), knownField(false)
		}
		size := sizeField(v)
		if size.Status != Known {
			return size, Field[bool]{Status: size.Status, Raw: size.Raw}
		}
		return plausibleSize(size.Value)
	}
	if !f.hasBytes(0x0C, 2) {
		return Field[int64]{}, Field[bool]{}
	}
	switch n := f.u16(0x0C); {
	case n == 0:
		return knownField[int64](0), knownField(false)
	case n == 0xFFFF:
		return withStatus[int64](Unstated), withStatus[bool](Unstated)
	case n == 0x7FFF && !f.hasBytes(0x1C, 4):
		return withStatus[int64](Malformed), knownField(true)
	case n == 0x7FFF:
		return plausibleSize(f.u32(0x1C) & 0x7FFFFFFF << 20)
	case n&0x8000 != 0:
		return plausibleSize(int64(n&0x7FFF) << 10)
	default:
		return plausibleSize(int64(n) << 20)
	}
}

// plausibleSize returns n as the size of an installed module. No module has 0 bytes, 32767 MB (7FFFh, the reference to
// the extended size, read as a size) or more than the extended size can express.
func plausibleSize(n int64) (Field[int64], Field[bool]) {
	switch {
	case n == 0:
		return withStatus[int64](Malformed), withStatus[bool](Malformed)
	case n == 0x7FFF<<20, n > maxModuleBytes:
		return withStatus[int64](Malformed), knownField(true)
	}
	return knownField(n), knownField(true)
}

// readTypeDetail reads the bits of the type detail. No module is registered and unbuffered: such bits are no statement.
func (f *fields) readTypeDetail() Field[TypeDetail] {
	d := readField(f, 0x13, 2, "Type Detail", parseTypeDetail,
		func() Field[TypeDetail] { return knownField(TypeDetail(f.u16(0x13) & 0xFFFE)) })
	if d.Value.Has(DetailRegistered | DetailUnbuffered) {
		return withStatus[TypeDetail](Malformed)
	}
	return d
}

// readSpeed reads a speed in MT/s (DSP0134 7.18.4). FFFFh refers to the extended field at ext; versions of dmidecode that do
// not know that field print 65535. dmidecode printed "MHz" before version 3.2, some versions with the cycle time after it
// ("1333 MHz (0.8 ns)").
func (f *fields) readSpeed(off, ext int, label string) Field[int] {
	return readField(f, off, 2, label, func(v string) Field[int] {
		n := parseNum(v, 0)
		_, unit, _ := leadingInt(v)
		unit, _, _ = strings.Cut(strings.Trim(unit, " "), " ")
		switch {
		case n.Known() && unit != "MT/s" && unit != "MHz" && unit != "":
			return unreadableField[int](v)
		case n.Value == 0xFFFF:
			return withStatus[int](Unstated)
		}
		return n
	}, func() Field[int] {
		switch {
		case f.u16(off) != 0xFFFF:
			return numField(f.u16(off), 0)
		case !f.hasBytes(ext, 4):
			return withStatus[int](Unstated)
		default:
			return numField(int(f.u32(ext)&0x7FFFFFFF), 0)
		}
	})
}

// readMillivolts reads a voltage in mV. dmidecode prints it in volts.
func (f *fields) readMillivolts(off int, label string) Field[int] {
	return readField(f, off, 2, label, func(v string) Field[int] {
		if st := textStatus(v); st != Known {
			return withStatus[int](st)
		}
		volts, rest, ok := leadingInt(v)
		if !ok || volts > 1000 {
			return withStatus[int](Malformed)
		}
		mv := int(volts) * 1000
		if frac, ok := strings.CutPrefix(rest, "."); ok {
			for i, unit := 0, 100; i < len(frac) && frac[i] >= '0' && frac[i] <= '9'; i, unit = i+1, unit/10 {
				mv += int(frac[i]-'0') * unit
			}
		}
		return numField(mv, 0)
	}, func() Field[int] { return numField(f.u16(off), 0) })
}
