package smbios

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Processor is a processor socket, populated or not (type 4, DSP0134 7.5).
type Processor struct {
	Handle      uint16
	Designation Field[string]
	// Type is spelled as dmidecode prints it; the audit counts those of type "Central Processor".
	Type Field[string]
	// Family is the number of the processor family, FamilyName its name as dmidecode prints it. Family is Missing for a
	// name that several numbers have and, in text, for a name that is not in the list.
	Family       Field[int]
	FamilyName   Field[string]
	Manufacturer Field[string]
	// ID holds the eight bytes of the processor ID, the first as the lowest byte: EAX and EDX of
	// CPUID leaf 1 on x86, MIDR or the SoC ID on Arm.
	ID Field[uint64]
	// CPUID holds family, model and stepping; x86 only.
	CPUID     Field[CPUID]
	Version   Field[string]
	Populated Field[bool]
	// State is the state of the processor in a populated socket, such as "Enabled" or "Disabled By BIOS".
	State Field[string]
	// Upgrade is the kind of socket, such as "Socket LGA4677".
	Upgrade Field[string]
	// L1, L2 and L3 are the handles of the cache structures (type 7).
	L1, L2, L3 Field[uint16]
	// CoreCount, CoresEnabled, ThreadCount and ThreadsEnabled are of this processor, not of the
	// machine. On many machines ThreadCount is the number of enabled threads.
	CoreCount, CoresEnabled, ThreadCount, ThreadsEnabled Field[int]
}

// CPUID is the signature of an x86 processor: family and model with their extended parts, and stepping.
type CPUID struct {
	Family, Model, Stepping int
}

// Processors decodes the structures of type 4 in table order.
func (t *Table) Processors() []Processor {
	return decodeAll(t, typeProcessor, func(f *fields) Processor {
		p := Processor{Handle: f.s.Handle}
		p.Designation = f.str(0x04, "Socket Designation")
		p.Type = f.readCode(0x05, "Type", "processor type")
		pos := f.pos
		p.Manufacturer = f.str(0x07, "Manufacturer")
		f.pos = pos
		p.Family, p.FamilyName = f.readFamily(p.Manufacturer, t.Version)
		p.ID = f.processorID()
		p.CPUID = f.readCPUID(&p)
		p.Version = f.str(0x10, "Version")
		p.decodeSocket(f)
		if f.hasBytes(0x23, 1) {
			p.CoreCount = f.readCount(0x23, 0x2A, "Core Count")
			p.CoresEnabled = f.readCount(0x24, 0x2C, "Core Enabled")
			p.ThreadCount = f.readCount(0x25, 0x2E, "Thread Count")
			p.ThreadsEnabled = f.threadsEnabled()
		}
		return p
	})
}

func (p *Processor) decodeSocket(f *fields) {
	p.Populated, p.State = f.processorStatus()
	p.Upgrade = f.readCode(0x19, "Upgrade", "processor upgrade")
	p.L1 = f.readHandle(0x1A, "L1 Cache Handle", 0xFFFF)
	p.L2 = f.readHandle(0x1C, "L2 Cache Handle", 0xFFFF)
	p.L3 = f.readHandle(0x1E, "L3 Cache Handle", 0xFFFF)
}

// processorStatus reads the status byte: bit 6 is set if the socket is populated, bits 2:0 are
// the state of the processor.
func (f *fields) processorStatus() (Field[bool], Field[string]) {
	if f.text {
		v, ok := f.labelledValue("Status")
		if !ok {
			return Field[bool]{}, Field[string]{}
		}
		if v == "Unpopulated" {
			return knownField(false), Field[string]{}
		}
		state, ok := strings.CutPrefix(v, "Populated, ")
		if !ok {
			return withStatus[bool](Malformed), Field[string]{}
		}
		if st := textStatus(state); st != Known {
			return knownField(true), withStatus[string](st)
		}
		return knownField(true), knownField(state)
	}
	if !f.hasBytes(0x18, 1) {
		return Field[bool]{}, Field[string]{}
	}
	if f.u8(0x18)&(1<<6) == 0 {
		return knownField(false), Field[string]{}
	}
	return knownField(true), namedCode("processor state", f.u8(0x18)&7)
}

// readCount reads a one-byte count; FFh refers to the two-byte field at wide. FFh in a structure that is too short for that
// field, and FFFFh in it, are Malformed. dmidecode prints no line for a count of 0, which is Unstated.
func (f *fields) readCount(off, wide int, label string) Field[int] {
	n := f.readNumber(off, 1, label, 0)
	switch {
	case n.Status == Missing && f.text && f.hasBytes(0x26, 2):
		return withStatus[int](Unstated)
	case n.Value == 0xFF && !f.text && f.hasBytes(wide, 2):
		n = numField(f.u16(wide), 0)
	}
	if n.Value == 0xFF && !f.hasBytes(wide, 2) || n.Value == 0xFFFF {
		return withStatus[int](Malformed)
	}
	return n
}

// threadsEnabled reads a field of SMBIOS 3.6. dmidecode prints it from version 3.6 on, but not when it is 0.
func (f *fields) threadsEnabled() Field[int] {
	n := f.readNumber(0x30, 2, "Thread Enabled", 0)
	if f.text && n.Status == Missing && f.hasBytes(0x30, 2) && f.dmi >= 306 {
		return withStatus[int](Unstated)
	}
	return n
}

// processorID reads the processor ID, which dmidecode prints as "A5 06 01 00 FF FB EB BF". Zero is Unstated.
func (f *fields) processorID() Field[uint64] {
	id := readField(f, 0x08, 8, "ID", func(v string) Field[uint64] {
		b, ok := parseHexRow(nil, v)
		if !ok || len(b) != 8 {
			return withStatus[uint64](Malformed)
		}
		return knownField(binary.LittleEndian.Uint64(b))
	}, func() Field[uint64] { return knownField(f.u64(0x08)) })
	if id.Known() && id.Value == 0 {
		return withStatus[uint64](Unstated)
	}
	return id
}

// readCPUID decodes the x86 signature from the processor ID. In a text without an ID it reads the line "Signature".
func (f *fields) readCPUID(p *Processor) Field[CPUID] {
	if p.ID.Status == Missing && f.text {
		return f.readSignature()
	}
	if !isX86(p) {
		return Field[CPUID]{}
	}
	if p.ID.Status != Known {
		return withStatus[CPUID](p.ID.Status)
	}
	eax := uint32(p.ID.Value)
	if eax == 0 {
		return withStatus[CPUID](Unstated)
	}
	base := int(eax >> 8 & 0xF)
	c := CPUID{Family: base, Model: int(eax >> 4 & 0xF), Stepping: int(eax & 0xF)}
	if base == 0xF {
		c.Family += int(eax >> 20 & 0xFF)
	}
	if base == 0xF || base == 6 {
		c.Model |= int(eax >> 12 & 0xF0)
	}
	return knownField(c)
}

// readSignature reads "Type 0, Family 6, Model 62, Stepping 4", with or without the type.
func (f *fields) readSignature() Field[CPUID] {
	v, ok := f.labelledValue("Signature")
	if !ok {
		return Field[CPUID]{}
	}
	var c CPUID
	for part := range strings.SplitSeq(v, ", ") {
		name, num, _ := strings.Cut(part, " ")
		n, _, ok := leadingInt(num)
		if !ok {
			return Field[CPUID]{} // an Arm signature
		}
		switch name {
		case "Family":
			c.Family = int(n)
		case "Model":
			c.Model = int(n)
		case "Stepping":
			c.Stepping = int(n)
		}
	}
	if c.Family == 0 {
		return Field[CPUID]{}
	}
	return knownField(c)
}

// isX86 reports whether the processor ID is a CPUID signature, by the family or, if that is missing,
// "Other", "Unknown" or undefined, by the manufacturer.
func isX86(p *Processor) bool {
	if p.Family.Value > 2 && p.FamilyName.Known() {
		return slices.ContainsFunc(x86Families[:], func(run [2]int) bool { return run[0] <= p.Family.Value && p.Family.Value <= run[1] })
	}
	if strings.HasPrefix(p.FamilyName.Value, "ARM") {
		return false
	}
	makers := []string{"Intel", "INTEL", "AMD", "Advanced Micro", "Hygon", "HYGON", "Zhaoxin", "Centaur"}
	return slices.ContainsFunc(makers, func(m string) bool { return strings.Contains(p.Manufacturer.Value, m) })
}

// x86Families lists the ranges of families with the CPUID instruction (DSP0134 7.5.2).
var x86Families = [...][2]int{
	{0x06, 0x06}, {0x0B, 0x16}, {0x18, 0x1D}, {0x1F, 0x1F}, {0x28, 0x2F}, {0x38, 0x3F}, {0x46, 0x4F},
	{0x66, 0x68}, {0x6A, 0x6B}, {0x78, 0x7A}, {0x83, 0x8F}, {0xA1, 0xB3}, {0xB5, 0xB7}, {0xB9, 0xC7},
	{0xCD, 0xCF}, {0xD2, 0xDB}, {0xDD, 0xE0}, {0xE4, 0xEF}, {0x12C, 0x12E}, {0x140, 0x140},
}

// readFamily reads the processor family, its number and its name (DSP0134 7.5.2). FEh refers to the two-byte field at 28h.
func (f *fields) readFamily(maker Field[string], v Version) (Field[int], Field[string]) {
	if f.text {
		return f.readTextFamily()
	}
	if !f.hasBytes(0x06, 1) {
		return Field[int]{}, Field[string]{}
	}
	n := f.u8(0x06)
	// SMBIOS 2.0 used 30h for two families.
	if n == 0x30 && v == (Version{Major: 2}) && isMaker(maker, "Intel") {
		return knownField(0x0C), knownField("Pentium Pro")
	}
	if n == 0xFE && f.hasBytes(0x28, 2) {
		n = f.u16(0x28)
	}
	if n == familyCore2OrK7 {
		switch {
		case isMaker(maker, "Intel"):
			return knownField(n), knownField("Core 2")
		case isMaker(maker, "AMD"):
			return knownField(n), knownField("K7")
		}
		return knownField(n), knownField("Core 2 or K7")
	}
	name := namedCode("processor family", n)
	if name.Value == "ARM" { // of several numbers
		return Field[int]{}, name
	}
	return knownField(n), name
}

const familyCore2OrK7 = 0xBE

func isMaker(maker Field[string], name string) bool {
	v := maker.Value
	return strings.Contains(v, name) || strings.HasPrefix(strings.ToLower(v), strings.ToLower(name))
}

func (f *fields) readTextFamily() (Field[int], Field[string]) {
	v, ok := f.labelledValue("Family")
	switch {
	case !ok:
		return Field[int]{}, Field[string]{}
	case v == "Unknown":
		return knownField(2), withStatus[string](Unstated)
	case textStatus(v) != Known:
		return Field[int]{}, withStatus[string](textStatus(v))
	case slices.Contains([]string{"Core 2", "K7", "Core 2 or K7"}, v):
		return knownField(familyCore2OrK7), knownField(v)
	}
	if n, ok := wordLists()["processor family"].codes[v]; ok && v != "ARM" {
		return knownField(n), knownField(v)
	}
	return Field[int]{}, knownField(v)
}

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
