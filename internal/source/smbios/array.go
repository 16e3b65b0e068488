package smbios

import (
	"math"
	"strings"
)

// MemoryArray is a physical memory array (type 16, DSP0134 7.17): a group of slots. Depending on the
// firmware, it is the complete system, a socket, a controller or a riser.
type MemoryArray struct {
	Handle uint16
	// Location, Use and ECC are spelled as dmidecode prints them, for example "System Board Or
	// Motherboard", "System Memory" and "Multi-bit ECC".
	Location, Use, ECC Field[string]
	// MaxCapacity is in bytes.
	MaxCapacity Field[int64]
	// Devices is the number of slots or sockets that firmware announces for the array.
	Devices Field[int]
}

// MemoryArrays decodes the structures of type 16 in table order.
func (t *Table) MemoryArrays() []MemoryArray {
	return decodeAll(t, typeMemoryArray, func(f *fields) MemoryArray {
		return MemoryArray{
			Handle:      f.s.Handle,
			Location:    f.readCode(0x04, "Location", "array location"),
			Use:         f.readCode(0x05, "Use", "array use"),
			ECC:         f.readCode(0x06, "Error Correction Type", "error correction"),
			MaxCapacity: f.maxCapacity(),
			Devices:     f.readNumber(0x0D, 2, "Number Of Devices", -1),
		}
	})
}

// maxCapacity returns the capacity in bytes. The field at 07h counts KB; 80000000h there refers to
// the extended field at 0Fh, which counts bytes. A capacity of 0 is Unstated.
func (f *fields) maxCapacity() Field[int64] {
	n := readField(f, 0x07, 4, "Maximum Capacity", sizeField, func() Field[int64] {
		switch {
		case f.u32(0x07) != 0x80000000:
			return knownField(f.u32(0x07) << 10)
		case !f.hasBytes(0x0F, 8):
			return withStatus[int64](Unstated)
		case f.u64(0x0F) > math.MaxInt64:
			return withStatus[int64](Malformed)
		default:
			return knownField(int64(f.u64(0x0F)))
		}
	})
	if n.Known() && n.Value == 0 {
		return withStatus[int64](Unstated)
	}
	return n
}

// ArrayMapping is a physical address range that belongs to a memory array (type 19, DSP0134 7.20).
type ArrayMapping struct {
	Handle uint16
	// Start and End are physical byte addresses; End is the last byte of the range.
	Start, End Field[uint64]
	// Size is in bytes. It is Malformed when the addresses do not form a range.
	Size Field[int64]
	// Array is the handle of the type 16 structure.
	Array Field[uint16]
}

// ArrayMappings decodes the structures of type 19 in table order.
func (t *Table) ArrayMappings() []ArrayMapping {
	return decodeAll(t, typeArrayMapping, func(f *fields) ArrayMapping {
		m := ArrayMapping{Handle: f.s.Handle}
		m.Start, m.End, m.Size = f.addressRange(0x0F)
		m.Array = f.readHandle(0x0C, "Physical Array Handle", 0xFFFF)
		return m
	})
}

// DeviceMapping is a physical address range that belongs to a memory device (type 20, DSP0134
// 7.21). Its content is often copied boilerplate.
type DeviceMapping struct {
	Handle uint16
	// Start, End and Size have the same meaning as in ArrayMapping.
	Start, End Field[uint64]
	Size       Field[int64]
	// Device is the handle of the type 17 structure.
	Device Field[uint16]
	// InterleavePosition is the device's position in an interleave, from 1. InterleaveDepth is the
	// largest number of consecutive rows of the device that one interleaved transfer accesses. Both
	// are 0 when the device is not interleaved.
	InterleavePosition, InterleaveDepth Field[int]
}

// DeviceMappings decodes the structures of type 20 in table order.
func (t *Table) DeviceMappings() []DeviceMapping {
	return decodeAll(t, typeDeviceMapping, func(f *fields) DeviceMapping {
		m := DeviceMapping{Handle: f.s.Handle}
		m.Start, m.End, m.Size = f.addressRange(0x13)
		m.Device = f.readHandle(0x0C, "Physical Device Handle", 0xFFFF)
		m.InterleavePosition = f.readInterleave(0x11, "Interleave Position")
		m.InterleaveDepth = f.readInterleave(0x12, "Interleaved Data Depth")
		return m
	})
}

// readInterleave reads a number for which dmidecode prints no line when it is 0.
func (f *fields) readInterleave(off int, label string) Field[int] {
	n := f.readNumber(off, 1, label, 0xFF)
	if f.text && n.Status == Missing && f.hasBytes(off, 1) {
		return knownField(0)
	}
	return n
}

// addressRange reads the start and end addresses at 04h and 08h, which count KB. FFFFFFFFh at 04h
// refers to the two extended addresses at ext, which count bytes.
func (f *fields) addressRange(ext int) (start, end Field[uint64], size Field[int64]) {
	switch {
	case f.text:
		start, end = f.textAddress("Starting Address"), f.textAddress("Ending Address")
		if start.Status == Malformed {
			end = start
		}
	case !f.hasBytes(0x04, 8):
		return start, end, size
	case f.u32(0x04) != math.MaxUint32:
		start, end = knownField(uint64(f.u32(0x04))<<10), knownField(uint64(f.u32(0x08))<<10|0x3FF)
	case f.hasBytes(ext, 16):
		start, end = knownField(f.u64(ext)), knownField(f.u64(ext+8))
	default:
		start, end = withStatus[uint64](Malformed), withStatus[uint64](Malformed)
	}
	return start, end, rangeSize(start, end)
}

// extendedStart is the address in bytes for FFFFFFFFh KB, the value that means "see the extended field".
const extendedStart = math.MaxUint32 << 10

// textAddress reads a printed address. dmidecode prints a 'k' after addresses from the extended
// fields although they are in bytes.
func (f *fields) textAddress(label string) Field[uint64] {
	v, ok := f.labelledValue(label)
	if !ok {
		return Field[uint64]{}
	}
	n, ok := parseHex(v)
	if !ok || n == extendedStart {
		return withStatus[uint64](Malformed)
	}
	return knownField(n)
}

// rangeSize returns the size of the range in bytes. Ranges that dmidecode calls invalid, and those
// whose size it computes with an overflow, are Malformed.
func rangeSize(start, end Field[uint64]) Field[int64] {
	switch {
	case start.Status == Missing || end.Status == Missing:
		return Field[int64]{}
	case !start.Known() || !end.Known() || end.Value <= start.Value:
		return withStatus[int64](Malformed)
	}
	n := end.Value - start.Value
	if n >= math.MaxInt64 || start.Value == 0 && n == extendedStart|0x3FF {
		return withStatus[int64](Malformed)
	}
	return knownField(int64(n) + 1)
}

// errorNotProvided is the value of an error handle for "no information about errors is provided".
const errorNotProvided = 0xFFFE

// HPEDIMMLocation is HPE's OEM structure of type 202: the position of a slot as it is printed on the board. Numbers are
// those of the structure: they count from 1, and HPE's "unknown" and "not applicable" are Unstated.
//
// The structure grew with the server generations: G6 to Gen8 end after Processor, Gen9 has no controller and channel.
// The offsets follow the field order given by OpenDMI, and the published tables of Gen10 machines agree with them.
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
	sys, _ := t.System()
	switch strings.TrimRight(sys.Manufacturer.Value, " ") { // as dmidecode compares it
	case "HP", "HPE", "Hewlett-Packard", "Hewlett Packard Enterprise":
	default:
		return nil
	}
	var out []HPEDIMMLocation
	for s := range t.OfType(typeHPEDIMMLocation) {
		if f := t.structureFields(s); !f.text {
			out = append(out, HPEDIMMLocation{
				Handle:         s.Handle,
				Device:         f.readHandle(0x04, "", 0xFFFF),
				Processor:      f.readNumber(0x08, 1, "", 0xFF),
				Controller:     f.readNumber(0x0D, 1, "", 0),
				Channel:        f.readNumber(0x0E, 1, "", 0),
				IndexInChannel: f.readNumber(0x1B, 1, "", -1),
			})
		}
	}
	return out
}
