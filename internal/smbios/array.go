package smbios

import "math"

// MemoryArray is a physical memory array (type 16, DSP0134 7.17): the slots of
// a system, a socket, a controller or a riser, as firmware likes.
type MemoryArray struct {
	Handle uint16
	// Location, Use and ECC are SMBIOS's words: "System Board Or Motherboard",
	// "System Memory", "Multi-bit ECC".
	Location, Use, ECC Field[string]
	// MaxCapacity is in bytes.
	MaxCapacity Field[int64]
	// Error is a handle as in MemoryDevice.
	Error Field[uint16]
	// Devices is the number of slots.
	Devices Field[int]
}

// MemoryArrays decodes the structures of type 16 in table order.
func (t *Table) MemoryArrays() []MemoryArray {
	out := make([]MemoryArray, 0, t.Count(typeMemoryArray))
	for s := range t.OfType(typeMemoryArray) {
		f := t.fields(s)
		out = append(out, MemoryArray{
			Handle:      s.Handle,
			Location:    f.word(0x04, "Location", &arrayLocations),
			Use:         f.word(0x05, "Use", &arrayUses),
			ECC:         f.word(0x06, "Error Correction Type", &eccTypes),
			MaxCapacity: f.maxCapacity(),
			Error:       f.handle(0x0B, "Error Information Handle", ErrorNotProvided),
			Devices:     f.num16(0x0D, "Number Of Devices", -1),
		})
	}
	return out
}

// maxCapacity reads the capacity in KB or, for 80000000h, in bytes from the
// extended field. A capacity of 0 says nothing.
func (f *fields) maxCapacity() Field[int64] {
	var n Field[int64]
	switch {
	case f.text:
		n = f.textSize("Maximum Capacity")
	case !f.has(0x07, 4):
		return n
	case f.u32(0x07) != 0x80000000:
		n = known(f.u32(0x07) << 10)
	case !f.has(0x0F, 8):
		return status[int64](Unstated)
	case f.u64(0x0F) > math.MaxInt64:
		return status[int64](Malformed)
	default:
		n = known(int64(f.u64(0x0F)))
	}
	if n.Known() && n.Value == 0 {
		return status[int64](Unstated)
	}
	return n
}

// ArrayMapping is an address range of an array (type 19, DSP0134 7.20).
type ArrayMapping struct {
	Handle uint16
	// Start and End are physical byte addresses; End is the last byte.
	Start, End Field[uint64]
	// Size is in bytes; Malformed when the addresses make no range.
	Size Field[int64]
	// Array is the handle of the type 16 structure.
	Array Field[uint16]
	// PartitionWidth is the number of devices that form a row.
	PartitionWidth Field[int]
}

// ArrayMappings decodes the structures of type 19 in table order.
func (t *Table) ArrayMappings() []ArrayMapping {
	out := make([]ArrayMapping, 0, t.Count(typeArrayMapping))
	for s := range t.OfType(typeArrayMapping) {
		f := t.fields(s)
		m := ArrayMapping{Handle: s.Handle}
		m.Start, m.End, m.Size = f.addressRange(0x0F)
		m.Array = f.handle(0x0C, "Physical Array Handle", 0xFFFF)
		m.PartitionWidth = f.num8(0x0E, "Partition Width", -1)
		out = append(out, m)
	}
	return out
}

// DeviceMapping is an address range of a device (type 20, DSP0134 7.21), often
// copied boilerplate.
type DeviceMapping struct {
	Handle uint16
	// Start, End and Size are as in ArrayMapping.
	Start, End Field[uint64]
	Size       Field[int64]
	// Device is the handle of the type 17 structure, Mapping of the type 19.
	Device, Mapping Field[uint16]
	// Row is the position in the row, from 1.
	Row Field[int]
	// InterleavePosition and InterleaveDepth are 0 for "not interleaved".
	InterleavePosition, InterleaveDepth Field[int]
}

// DeviceMappings decodes the structures of type 20 in table order.
func (t *Table) DeviceMappings() []DeviceMapping {
	out := make([]DeviceMapping, 0, t.Count(typeDeviceMapping))
	for s := range t.OfType(typeDeviceMapping) {
		f := t.fields(s)
		m := DeviceMapping{Handle: s.Handle}
		m.Start, m.End, m.Size = f.addressRange(0x13)
		m.Device = f.handle(0x0C, "Physical Device Handle", 0xFFFF)
		m.Mapping = f.handle(0x0E, "Memory Array Mapped Address Handle", 0xFFFF)
		m.Row = f.num8(0x10, "Partition Row Position", 0xFF)
		if m.Row.Known() && m.Row.Value == 0 {
			m.Row = status[int](Malformed) // reserved
		}
		m.InterleavePosition = f.interleave(0x11, "Interleave Position")
		m.InterleaveDepth = f.interleave(0x12, "Interleaved Data Depth")
		out = append(out, m)
	}
	return out
}

// interleave reads a number whose 0 dmidecode does not print.
func (f *fields) interleave(off int, label string) Field[int] {
	n := f.num8(off, label, 0xFF)
	if f.text && n.Status == Missing && f.has(off, 1) {
		return known(0)
	}
	return n
}

// addressRange reads the addresses at 04h and 08h in KB, or for FFFFFFFFh those
// at ext in bytes.
func (f *fields) addressRange(ext int) (start, end Field[uint64], size Field[int64]) {
	switch {
	case f.text:
		start, end = f.textAddress("Starting Address"), f.textAddress("Ending Address")
		if start.Status == Malformed {
			end = start
		}
	case !f.has(0x04, 8):
		return start, end, size
	case f.u32(0x04) != math.MaxUint32:
		start, end = known(uint64(f.u32(0x04))<<10), known(uint64(f.u32(0x08))<<10|0x3FF)
	case f.has(ext, 16):
		start, end = known(f.u64(ext)), known(f.u64(ext+8))
	default:
		start, end = status[uint64](Malformed), status[uint64](Malformed)
	}
	return start, end, rangeSize(start, end)
}

// extendedStart is what FFFFFFFFh, "see the extended field", reads as.
const extendedStart = math.MaxUint32 << 10

// textAddress reads a printed address. dmidecode puts a 'k' after addresses
// from the extended fields, which are in bytes nevertheless.
func (f *fields) textAddress(label string) Field[uint64] {
	v, ok := f.line(label)
	if !ok {
		return Field[uint64]{}
	}
	n, ok := parseHex(v)
	if !ok || n == extendedStart {
		return status[uint64](Malformed)
	}
	return known(n)
}

// rangeSize refuses the ranges dmidecode calls invalid or wraps around on.
func rangeSize(start, end Field[uint64]) Field[int64] {
	switch {
	case start.Status == Missing || end.Status == Missing:
		return Field[int64]{}
	case !start.Known() || !end.Known() || end.Value <= start.Value:
		return status[int64](Malformed)
	}
	n := end.Value - start.Value
	if n >= math.MaxInt64 || start.Value == 0 && n == extendedStart|0x3FF {
		return status[int64](Malformed)
	}
	return known(int64(n) + 1)
}

// The values of MemoryDevice.Error and MemoryArray.Error that are not handles.
const (
	ErrorNotProvided = 0xFFFE
	NoErrorHandle    = 0xFFFF
)
