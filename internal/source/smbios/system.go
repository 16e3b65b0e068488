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
	Vendor, Version, ReleaseDate Field[string]
	// VirtualMachine is a characteristics bit. A cleared bit is not conclusive: many hypervisors do not set it.
	VirtualMachine Field[bool]
}

// BIOS decodes the first structure of type 0; it returns false if there is none.
func (t *Table) BIOS() (BIOS, bool) {
	for s := range t.OfType(typeBIOS) {
		f := t.structureFields(s)
		return BIOS{
			Handle:         s.Handle,
			Vendor:         f.str(0x04, "Vendor"),
			Version:        f.str(0x05, "Version"),
			ReleaseDate:    f.str(0x08, "Release Date"),
			VirtualMachine: f.virtualMachine(),
		}, true
	}
	return BIOS{}, false
}

// virtualMachine reads bit 4 of the second characteristics extension byte.
func (f *fields) virtualMachine() Field[bool] {
	const off = 0x13
	if !f.hasBytes(off, 1) {
		return Field[bool]{}
	}
	if !f.text {
		return knownField(f.u8(off)&(1<<4) != 0)
	}
	// dmidecode prints it from version 2.11 on, and only when it is set.
	if f.dmi < 211 {
		return Field[bool]{}
	}
	if _, ok := f.labelledValue("Characteristics"); !ok {
		return Field[bool]{}
	}
	items := f.s.lines[min(f.pos, len(f.s.lines)):]
	for i := 0; i < len(items) && items[i].item; i++ {
		if items[i].val == "System is a virtual machine" {
			return knownField(true)
		}
	}
	return knownField(false)
}

// System describes the machine (type 1, DSP0134 7.2).
type System struct {
	Handle                                         uint16
	Manufacturer, Product, Version, Serial, Family Field[string]
	UUID                                           Field[string] // lower case, with dashes
}

// System decodes the first structure of type 1; it returns false if there is none.
func (t *Table) System() (System, bool) {
	for s := range t.OfType(typeSystem) {
		f := t.structureFields(s)
		return System{
			Handle:       s.Handle,
			Manufacturer: f.str(0x04, "Manufacturer"),
			Product:      f.str(0x05, "Product Name"),
			Version:      f.str(0x06, "Version"),
			Serial:       f.str(0x07, "Serial Number"),
			UUID:         f.readUUID(0x08, "UUID", t.Version.AtLeast(2, 6)),
			Family:       f.str(0x1A, "Family"),
		}, true
	}
	return System{}, false
}

// readUUID reads a UUID in the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx. From SMBIOS 2.6 on its first
// three fields are little-endian. All bits clear and all bits set are Unstated.
func (f *fields) readUUID(off int, label string, little bool) Field[string] {
	return readField(f, off, 16, label, func(v string) Field[string] {
		if st := textStatus(v); st != Known {
			return withStatus[string](st)
		}
		if len(v) != 36 {
			return withStatus[string](Malformed)
		}
		return knownField(strings.ToLower(v))
	}, func() Field[string] {
		lo, hi := f.u64(off), f.u64(off+8)
		if lo == 0 && hi == 0 || lo == math.MaxUint64 && hi == math.MaxUint64 {
			return withStatus[string](Unstated)
		}
		b := f.s.Data[off : off+16]
		if little {
			b = []byte{b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]}
		}
		return knownField(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
	})
}

// Board is a baseboard, a riser or a blade (type 2, DSP0134 7.3).
type Board struct {
	Handle                        uint16
	Manufacturer, Product, Serial Field[string]
	Type                          Field[string]
}

// Boards decodes the structures of type 2 in table order.
func (t *Table) Boards() []Board {
	return decodeAll(t, typeBoard, func(f *fields) Board {
		return Board{
			Handle:       f.s.Handle,
			Manufacturer: f.str(0x04, "Manufacturer"),
			Product:      f.str(0x05, "Product Name"),
			Serial:       f.str(0x07, "Serial Number"),
			Type:         f.readCode(0x0D, "Type", "board type"),
		}
	})
}

// Chassis is an enclosure (type 3, DSP0134 7.4).
type Chassis struct {
	Handle           uint16
	Serial, AssetTag Field[string]
}

// Chassis decodes the structures of type 3 in table order.
func (t *Table) Chassis() []Chassis {
	return decodeAll(t, typeChassis, func(f *fields) Chassis {
		return Chassis{
			Handle:   f.s.Handle,
			Serial:   f.str(0x07, "Serial Number"),
			AssetTag: f.str(0x08, "Asset Tag"),
		}
	})
}
