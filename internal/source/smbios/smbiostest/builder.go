// Package smbiostest builds synthetic SMBIOS tables of machines, for tests and for demonstration data.
//
//	b := smbiostest.New(3, 2)
//	b.System(smbiostest.System{Manufacturer: "Example", Product: "Server"})
//	array := b.Array(smbiostest.Array{Devices: 1})
//	b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "DIMM_A1", Bytes: 32 << 30})
//	os.WriteFile("machine.bin", b.Dump(), 0o644)
//
// The structures have the lengths of the SMBIOS version (DSP0134 clause 7), so
// that an old version really lacks the newer fields.
package smbiostest

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// Kind is the kind of entry point.
type Kind uint8

// The entry points; SM3 from version 3.0 on and SM before are the defaults.
const (
	SM3 Kind = iota + 1 // _SM3_, 64-bit
	SM                  // _SM_, 32-bit
	DMI                 // _DMI_, legacy
)

// Builder collects the structures of one table. The zero Builder is not usable; see New.
type Builder struct {
	// Kind, and Count and TableLength when not 0, go into the entry point.
	Kind        Kind
	Count       int
	TableLength int
	// NoEnd leaves out the end marker.
	NoEnd bool

	major, minor int
	table        []byte
	n            int
	next         uint16
	ended        bool
}

// Clone returns a copy of the builder.
func (b *Builder) Clone() *Builder {
	own := *b
	own.table = bytes.Clone(b.table)
	return &own
}

// New starts a table of this SMBIOS version.
func New(major, minor int) *Builder {
	b := &Builder{Kind: SM3, major: major, minor: minor}
	if major < 3 {
		b.Kind = SM
	}
	return b
}

// NextHandle sets the handle of the structure added next; those after it count on.
func (b *Builder) NextHandle(handle uint16) *Builder {
	b.next = handle
	return b
}

// Add appends a structure with the next handle and returns that handle. body
// is the formatted area after the four bytes of the header.
func (b *Builder) Add(typ uint8, body []byte, strings ...string) uint16 {
	handle := b.next
	b.next++
	b.table = append(b.table, typ, byte(4+len(body)), byte(handle), byte(handle>>8))
	b.table = append(b.table, body...)
	for _, s := range strings {
		b.table = append(append(b.table, s...), 0)
	}
	if len(strings) == 0 {
		b.table = append(b.table, 0)
	}
	b.table = append(b.table, 0)
	b.n++
	b.ended = b.ended || typ == 127
	return handle
}

// Raw appends bytes as they are: garbage, padding, half a structure.
func (b *Builder) Raw(bytes ...byte) *Builder {
	b.table = append(b.table, bytes...)
	return b
}

// End appends the end marker now; without it Table appends it.
func (b *Builder) End() uint16 { return b.Add(127, nil) }

// finished returns a copy with the end marker, unless it is disabled. The builder itself is not changed, so
// parallel tests can share one.
func (b *Builder) finished() *Builder {
	out := b.Clone()
	if !out.NoEnd && !out.ended {
		out.End()
	}
	return out
}

// Table returns the structure table, as /sys/firmware/dmi/tables/DMI has it.
func (b *Builder) Table() []byte {
	return b.finished().table
}

// EntryPoint returns the entry point as in sysfs's smbios_entry_point, with the table's address as in Dump.
func (b *Builder) EntryPoint() []byte {
	b = b.finished()
	count, length := cmp.Or(b.Count, b.n), cmp.Or(b.TableLength, len(b.table))
	switch b.Kind {
	case SM3:
		return b.entryPoint64(length)
	case SM:
		return b.entryPoint32(length, count)
	case DMI:
		return b.legacy(length, count)
	}
	return nil
}

// Dump returns the entry point and, from offset 32 on, the table, as `dmidecode --dump-bin` writes them.
func (b *Builder) Dump() []byte {
	out := make([]byte, 0x20)
	copy(out, b.EntryPoint())
	return append(out, b.Table()...)
}

func (b *Builder) entryPoint64(length int) []byte {
	ep := make([]byte, 0x18)
	copy(ep, "_SM3_")
	ep[0x06], ep[0x07], ep[0x08], ep[0x0A] = 0x18, byte(b.major), byte(b.minor), 1
	binary.LittleEndian.PutUint32(ep[0x0C:], uint32(length))
	ep[0x10] = 0x20
	ep[0x05] = -sum(ep)
	return ep
}

func (b *Builder) entryPoint32(length, count int) []byte {
	ep := make([]byte, 0x1F)
	copy(ep, "_SM_")
	ep[0x05], ep[0x06], ep[0x07] = 0x1F, byte(b.major), byte(b.minor)
	binary.LittleEndian.PutUint16(ep[0x08:], 0xFF)
	copy(ep[0x10:], b.legacy(length, count))
	ep[0x04] = -sum(ep)
	return ep
}

func (b *Builder) legacy(length, count int) []byte {
	ep := make([]byte, 0x0F)
	copy(ep, "_DMI_")
	binary.LittleEndian.PutUint16(ep[0x06:], uint16(length))
	ep[0x08] = 0x20
	binary.LittleEndian.PutUint16(ep[0x0C:], uint16(count))
	ep[0x0E] = byte(b.major<<4 | b.minor&0xF)
	ep[0x05] = -sum(ep)
	return ep
}

func sum(b []byte) (s byte) {
	for _, c := range b {
		s += c
	}
	return s
}

// length picks the length of a structure by version: the last of steps that the version reaches.
func (b *Builder) length(want int, first int, steps ...step) int {
	if want != 0 {
		return want
	}
	for _, s := range steps {
		if b.major > s.major || b.major == s.major && b.minor >= s.minor {
			first = s.length
		}
	}
	return first
}

type step struct{ major, minor, length int }

type body struct {
	b       []byte
	strings []string
}

func newBody(length int) *body { return &body{b: make([]byte, length)} }

func (s *body) u8(off int, v byte)    { s.put(off, []byte{v}) }
func (s *body) u16(off int, v uint16) { s.put(off, binary.LittleEndian.AppendUint16(nil, v)) }
func (s *body) u32(off int, v uint32) { s.put(off, binary.LittleEndian.AppendUint32(nil, v)) }
func (s *body) u64(off int, v uint64) { s.put(off, binary.LittleEndian.AppendUint64(nil, v)) }

// put writes a field if the structure has it.
func (s *body) put(off int, v []byte) {
	if off+len(v) <= len(s.b) {
		copy(s.b[off:], v)
	}
}

// text adds strings for the fields from off on that the structure has; "" is string number 0.
func (s *body) text(off int, values ...string) {
	for i, v := range values {
		if v != "" && off+i < len(s.b) {
			s.strings = append(s.strings, v)
			s.b[off+i] = byte(len(s.strings))
		}
	}
}

func (b *Builder) add(typ uint8, s *body) uint16 { return b.Add(typ, s.b[4:], s.strings...) }
