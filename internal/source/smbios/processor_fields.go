package smbios

import (
	"encoding/binary"
	"strings"
)

// processorStatus reads the status byte: bit 6 is set if the socket is populated, bits 2:0 are
// the state of the processor.
func (f *fields) processorStatus() (Field[bool], Field[string]) {
	if f.text {
		v, ok := f.line("Status")
		if !ok {
			return Field[bool]{}, Field[string]{}
		}
		if v == "Unpopulated" {
			return known(false), Field[string]{}
		}
		state, ok := strings.CutPrefix(v, "Populated, ")
		if !ok {
			return status[bool](Malformed), Field[string]{}
		}
		if st := textStatus(state); st != Known {
			return known(true), status[string](st)
		}
		return known(true), known(state)
	}
	if !f.has(0x18, 1) {
		return Field[bool]{}, Field[string]{}
	}
	if f.u8(0x18)&(1<<6) == 0 {
		return known(false), Field[string]{}
	}
	return known(true), namedCode("processor state", f.u8(0x18)&7)
}

// count reads a one-byte count; FFh refers to the two-byte field at wide. FFh in a structure that
// is too short for that field, and FFFFh in it, are Malformed. dmidecode prints no line for a count
// of 0, which is Unstated.
func (f *fields) count(off, wide int, label string) Field[int] {
	var n int
	switch {
	case f.text:
		v, ok := f.line(label)
		if !ok && f.has(0x26, 2) {
			return status[int](Unstated)
		}
		if !ok {
			return Field[int]{}
		}
		c := parseNum(v, 0)
		if !c.Known() {
			return c
		}
		n = c.Value
	case !f.has(off, 1):
		return Field[int]{}
	default:
		n = f.u8(off)
		if n == 0xFF && f.has(wide, 2) {
			n = f.u16(wide)
		}
	}
	if n == 0xFF && !f.has(wide, 2) || n == 0xFFFF {
		return status[int](Malformed)
	}
	return numField(n, 0)
}

// threadsEnabled reads a field of SMBIOS 3.6. dmidecode prints it from version 3.6 on, but not when
// it is 0.
func (f *fields) threadsEnabled() Field[int] {
	n := f.num(0x30, 2, "Thread Enabled", 0)
	if f.text && n.Status == Missing && f.has(0x30, 2) && f.dmi >= 306 {
		return status[int](Unstated)
	}
	return n
}

// processorID reads the processor ID, which dmidecode prints as "A5 06 01 00 FF FB EB BF". Zero is
// Unstated.
func (f *fields) processorID() Field[uint64] {
	id := read(f, 0x08, 8, "ID", func(v string) Field[uint64] {
		var buf [16]byte
		b, ok := parseHexRow(buf[:0], v)
		if !ok || len(b) != 8 {
			return status[uint64](Malformed)
		}
		return known(binary.LittleEndian.Uint64(b))
	}, func() Field[uint64] { return known(f.u64(0x08)) })
	if id.Known() && id.Value == 0 {
		return status[uint64](Unstated)
	}
	return id
}
