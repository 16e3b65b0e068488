package smbios

import "strings"

// HPEDIMMLocation is HPE's OEM structure of type 202, the position of a slot
// as the silk screen counts it. Numbers are as in the structure: from 1, and
// Unstated for its "unknown" and "not applicable". The structure grew with the
// generations: G6 to Gen8 end after Processor, Gen9 has no controller and
// channel. The offsets follow the field order OpenDMI gives; the tables of
// published Gen10 machines agree with them.
type HPEDIMMLocation struct {
	Handle uint16
	// Device is the handle of the type 17 structure.
	Device Field[uint16]
	// Board is Unstated for the system board (FFh).
	Board Field[int]
	// DIMM is the slot number, LogicalDIMM the number in the processor.
	DIMM, LogicalDIMM Field[int]
	Processor         Field[int]
	// Channel is within the processor; Controller counts over the whole machine
	// on the published Gen10 tables (the second processor has 3 and 4).
	Controller, Channel Field[int]
	// InterleaveSet is within the processor.
	InterleaveSet Field[int]
	PartNumber    Text
	// IndexInChannel is the position in the channel, from 0.
	IndexInChannel Field[int]
}

// HPEDIMMLocations decodes the structures of type 202 if the machine is HP's
// or HPE's: other vendors use the number for other things. dmidecode prints
// them as bytes, so that they are read from text as well.
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
		Board:          f.num8(0x06, "", 0xFF),
		DIMM:           f.num8(0x07, "", 0),
		Processor:      f.num8(0x08, "", 0xFF),
		LogicalDIMM:    f.num8(0x09, "", 0),
		Controller:     f.num8(0x0D, "", 0),
		Channel:        f.num8(0x0E, "", 0),
		InterleaveSet:  f.num8(0x19, "", 0),
		PartNumber:     f.str(0x1A, ""),
		IndexInChannel: f.num8(0x1B, "", -1),
	}
}

// isHPE compares the manufacturer as dmidecode does for its OEM structures.
func isHPE(maker string) bool {
	switch strings.TrimRight(maker, " ") {
	case "HP", "HPE", "Hewlett-Packard", "Hewlett Packard Enterprise":
		return true
	}
	return false
}
