package smbios

import (
	"fmt"
	"math"
	"strings"
)

// BIOS describes the firmware (type 0, DSP0134 7.1).
type BIOS struct {
	Handle uint16
	// ReleaseDate is mm/dd/yyyy in current firmware and has any form in old firmware.
	Vendor, Version, ReleaseDate Text
	// ROMSize is in bytes.
	ROMSize Field[int64]
	// UEFI and VirtualMachine are characteristics bits. A cleared VirtualMachine proves nothing:
	// many hypervisors do not set it.
	UEFI, VirtualMachine Field[bool]
	// Revision is the release of the BIOS as "major.minor", ControllerRevision that of the embedded
	// controller or BMC.
	Revision, ControllerRevision Field[string]
}

// BIOS decodes the first structure of type 0; it returns false if there is none.
func (t *Table) BIOS() (BIOS, bool) {
	for s := range t.OfType(typeBIOS) {
		f := t.fields(s)
		b := BIOS{
			Handle:      s.Handle,
			Vendor:      f.str(0x04, "Vendor"),
			Version:     f.str(0x05, "Version"),
			ReleaseDate: f.str(0x08, "Release Date"),
			ROMSize:     f.romSize(),
		}
		b.UEFI, b.VirtualMachine = f.biosBits()
		b.Revision = f.revision(0x14, "BIOS Revision")
		b.ControllerRevision = f.revision(0x16, "Firmware Revision")
		return b, true
	}
	return BIOS{}, false
}

// romSize returns the size in bytes. The field at 09h counts 64 KB units from 0; FFh refers to the
// extended field at 18h, whose bits 13:0 count MB or GB, as bits 15:14 say. A size of 0 is
// Unstated.
func (f *fields) romSize() Field[int64] {
	var n Field[int64]
	switch {
	case f.text:
		n = f.textSize("ROM Size")
	case !f.has(0x09, 1):
		return n
	case f.u8(0x09) != 0xFF || !f.has(0x18, 2):
		n = known(int64(f.u8(0x09)+1) << 16)
	case f.u16(0x18)>>14 > 1:
		return status[int64](Malformed)
	default:
		n = known(int64(f.u16(0x18)&0x3FFF) << (20 + 10*(f.u16(0x18)>>14)))
	}
	if n.Known() && n.Value == 0 {
		return status[int64](Unstated)
	}
	return n
}

// biosBits reads bits 3 and 4 of the second characteristics extension byte.
func (f *fields) biosBits() (uefi, vm Field[bool]) {
	const off = 0x13
	if !f.text {
		return f.flag(off, 1<<3), f.flag(off, 1<<4)
	}
	// dmidecode prints them from version 2.11 on, and only when they are set.
	if !f.has(off, 1) || f.dmi < 211 {
		return uefi, vm
	}
	if _, ok := f.line("Characteristics"); !ok {
		return uefi, vm
	}
	uefi, vm = known(false), known(false)
	for _, l := range f.items() {
		switch l.val {
		case "UEFI is supported":
			uefi.Value = true
		case "System is a virtual machine":
			vm.Value = true
		}
	}
	return uefi, vm
}

// revision reads two bytes as "major.minor". It is Unstated when one of them is FFh; dmidecode then
// prints no line.
func (f *fields) revision(off int, label string) Field[string] {
	// dmidecode prints neither revision unless the structure has all four bytes.
	if !f.has(0x17, 1) {
		return Field[string]{}
	}
	if f.text {
		v, ok := f.line(label)
		if !ok {
			return status[string](Unstated)
		}
		return known(v)
	}
	if f.u8(off) == 0xFF || f.u8(off+1) == 0xFF {
		return status[string](Unstated)
	}
	return known(fmt.Sprintf("%d.%d", f.u8(off), f.u8(off+1)))
}

// System describes the machine (type 1, DSP0134 7.2).
type System struct {
	Handle                                      uint16
	Manufacturer, Product, Version, Serial, SKU Text
	Family                                      Text
	UUID                                        Field[string] // lower case, with dashes
	WakeUp                                      Field[string]
}

// System decodes the first structure of type 1; it returns false if there is none.
func (t *Table) System() (System, bool) {
	for s := range t.OfType(typeSystem) {
		f := t.fields(s)
		return System{
			Handle:       s.Handle,
			Manufacturer: f.str(0x04, "Manufacturer"),
			Product:      f.str(0x05, "Product Name"),
			Version:      f.str(0x06, "Version"),
			Serial:       f.str(0x07, "Serial Number"),
			UUID:         f.uuid(0x08, "UUID", t.Version.AtLeast(2, 6)),
			WakeUp:       f.word(0x18, "Wake-up Type", &wakeUpTypes),
			SKU:          f.str(0x19, "SKU Number"),
			Family:       f.str(0x1A, "Family"),
		}, true
	}
	return System{}, false
}

// uuid reads a UUID in the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx. From SMBIOS 2.6 on its first
// three fields are little-endian. All bits clear and all bits set are Unstated.
func (f *fields) uuid(off int, label string, little bool) Field[string] {
	if f.text {
		v, ok := f.line(label)
		if !ok {
			return Field[string]{}
		}
		if st := textStatus(v); st != Known {
			return status[string](st)
		}
		if len(v) != 36 {
			return status[string](Malformed)
		}
		return known(strings.ToLower(v))
	}
	if !f.has(off, 16) {
		return Field[string]{}
	}
	lo, hi := f.u64(off), f.u64(off+8)
	if lo == 0 && hi == 0 || lo == math.MaxUint64 && hi == math.MaxUint64 {
		return status[string](Unstated)
	}
	b := f.s.Data[off : off+16]
	if little {
		b = []byte{b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9],
			b[10], b[11], b[12], b[13], b[14], b[15]}
	}
	return known(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

// Board is a baseboard, a riser or a blade (type 2, DSP0134 7.3). Chassis is the handle of the type
// 3 structure.
type Board struct {
	Handle                                           uint16
	Manufacturer, Product, Version, Serial, AssetTag Text
	Location                                         Text
	Chassis                                          Field[uint16]
	Type                                             Field[string]
}

// Boards decodes the structures of type 2 in table order.
func (t *Table) Boards() []Board {
	out := make([]Board, 0, t.Count(typeBoard))
	for s := range t.OfType(typeBoard) {
		f := t.fields(s)
		out = append(out, Board{
			Handle:       s.Handle,
			Manufacturer: f.str(0x04, "Manufacturer"),
			Product:      f.str(0x05, "Product Name"),
			Version:      f.str(0x06, "Version"),
			Serial:       f.str(0x07, "Serial Number"),
			AssetTag:     f.str(0x08, "Asset Tag"),
			Location:     f.str(0x0A, "Location In Chassis"),
			Chassis:      f.handle(0x0B, "Chassis Handle", 0xFFFF),
			Type:         f.word(0x0D, "Type", &boardTypes),
		})
	}
	return out
}

// Chassis is an enclosure (type 3, DSP0134 7.4).
type Chassis struct {
	Handle                                       uint16
	Manufacturer, Version, Serial, AssetTag, SKU Text
	Type                                         Field[string]
	// PowerState and ThermalState are the states that firmware saw at the last boot.
	PowerState, ThermalState Field[string]
	// Height is in rack units.
	Height     Field[int]
	PowerCords Field[int]
}

// Chassis decodes the structures of type 3 in table order.
func (t *Table) Chassis() []Chassis {
	out := make([]Chassis, 0, t.Count(typeChassis))
	for s := range t.OfType(typeChassis) {
		f := t.fields(s)
		out = append(out, Chassis{
			Handle:       s.Handle,
			Manufacturer: f.str(0x04, "Manufacturer"),
			Type:         f.chassisType(),
			Version:      f.str(0x06, "Version"),
			Serial:       f.str(0x07, "Serial Number"),
			AssetTag:     f.str(0x08, "Asset Tag"),
			PowerState:   f.word(0x0A, "Power Supply State", &chassisStates),
			ThermalState: f.word(0x0B, "Thermal State", &chassisStates),
			Height:       f.height(),
			PowerCords:   f.num8(0x12, "Number Of Power Cords", 0),
			SKU:          f.chassisSKU(),
		})
	}
	return out
}

// chassisType reads bits 6:0; bit 7 says whether there is a chassis lock.
func (f *fields) chassisType() Field[string] {
	if f.text {
		return f.textWord("Type", &chassisTypes)
	}
	if !f.has(0x05, 1) {
		return Field[string]{}
	}
	return chassisTypes.field(f.u8(0x05) & 0x7F)
}

// height reads the height only if the field after it, the number of power cords, exists. In
// structures of 12h bytes firmware has counted wrong: the byte at 11h is a letter of the first
// string.
func (f *fields) height() Field[int] {
	if !f.has(0x12, 1) {
		return Field[int]{}
	}
	return f.num8(0x11, "Height", 0)
}

// chassisSKU reads the SKU number, which follows the contained elements.
func (f *fields) chassisSKU() Text {
	if f.text {
		return f.str(0, "SKU Number")
	}
	if !f.has(0x14, 1) {
		return Text{}
	}
	return f.str(0x15+f.u8(0x13)*f.u8(0x14), "SKU Number")
}
