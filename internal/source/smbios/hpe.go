package smbios

import "strings"

// HPEDIMMLocation is HPE's OEM structure of type 202: the position of a slot as it is printed on
// the board. Numbers are those of the structure: they count from 1, and HPE's "unknown" and "not
// applicable" are Unstated.
//
// The structure grew with the server generations: G6 to Gen8 end after Processor, Gen9 has no
// controller and channel. The offsets follow the field order given by OpenDMI, and the published
// tables of Gen10 machines agree with them.
type HPEDIMMLocation struct {
	Handle uint16
	// Device is the handle of the type 17 structure.
	Device    Field[uint16]
	Processor Field[int]
	// Channel is the number within the processor. Controller is numbered across processors in the published
	// Gen10 tables: the second processor has controllers 3 and 4.
	Controller, Channel Field[int]
	// IndexInChannel is the position in the channel, from 0.
	IndexInChannel Field[int]
}

// HPEDIMMLocations decodes the structures of type 202 of HP's and HPE's machines. It returns nil for other
// vendors, which use that type for other purposes. It also supports dmidecode's text, in which these
// structures are printed as bytes.
func (t *Table) HPEDIMMLocations() []HPEDIMMLocation {
	if sys, ok := t.System(); !ok || !isHPE(sys.Manufacturer.Value) {
		return nil
	}
	var out []HPEDIMMLocation
	for s := range t.OfType(typeHPEDIMMLocation) {
		if f := t.fields(s); !f.text {
			out = append(out, f.hpeDIMMLocation())
		}
	}
	return out
}

func (f *fields) hpeDIMMLocation() HPEDIMMLocation {
	return HPEDIMMLocation{
		Handle:         f.s.Handle,
		Device:         f.handle(0x04, "", 0xFFFF),
		Processor:      f.num(0x08, 1, "", 0xFF),
		Controller:     f.num(0x0D, 1, "", 0),
		Channel:        f.num(0x0E, 1, "", 0),
		IndexInChannel: f.num(0x1B, 1, "", -1),
	}
}

// isHPE compares the manufacturer the way dmidecode does before it decodes HPE's OEM structures.
func isHPE(maker string) bool {
	switch strings.TrimRight(maker, " ") {
	case "HP", "HPE", "Hewlett-Packard", "Hewlett Packard Enterprise":
		return true
	}
	return false
}
