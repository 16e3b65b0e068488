package smbiostest

import "cmp"

// BIOS is a structure of type 0.
type BIOS struct {
	Vendor, Version, Date string
	// ROMBytes is rounded to the field's unit; 0 is 16 MiB.
	ROMBytes             int64
	UEFI, VirtualMachine bool
}

// BIOS appends a structure of type 0.
func (b *Builder) BIOS(v BIOS) uint16 {
	s := newBody(b.length(0, 0x12, step{2, 3, 0x13}, step{2, 4, 0x18}, step{3, 1, 0x1A}))
	s.str(0x04, v.Vendor)
	s.str(0x05, v.Version)
	s.str(0x08, v.Date)
	size := cmp.Or(v.ROMBytes, 16<<20)
	if s.u8(0x09, byte(size>>16-1)); size >= 16<<20 {
		s.u8(0x09, 0xFF)
		s.u16(0x18, uint16(size>>20))
	}
	s.u64(0x0A, 0x80) // PCI
	s.u8(0x12, 1)     // ACPI
	var ext byte = 1  // boot specification
	if v.UEFI {
		ext |= 1 << 3
	}
	if v.VirtualMachine {
		ext |= 1 << 4
	}
	s.u8(0x13, ext)
	s.u16(0x14, 0xFFFF)
	s.u16(0x16, 0xFFFF)
	return b.add(0, s)
}

// System is a structure of type 1.
type System struct {
	Manufacturer, Product, Version, Serial, SKU, Family string
	UUID                                                [16]byte
}

// System appends a structure of type 1.
func (b *Builder) System(v System) uint16 {
	s := newBody(b.length(0, 0x08, step{2, 1, 0x19}, step{2, 4, 0x1B}))
	s.str(0x04, v.Manufacturer)
	s.str(0x05, v.Product)
	s.str(0x06, v.Version)
	s.str(0x07, v.Serial)
	if len(s.b) > 0x18 {
		copy(s.b[0x08:], v.UUID[:])
	}
	s.u8(0x18, 6)
	s.str(0x19, v.SKU)
	s.str(0x1A, v.Family)
	return b.add(1, s)
}

// Board is a structure of type 2.
type Board struct {
	Manufacturer, Product, Version, Serial string
	Chassis                                uint16
	// Type is a code of DSP0134 7.3.2; 0 is a motherboard.
	Type byte
}

// Board appends a structure of type 2.
func (b *Builder) Board(v Board) uint16 {
	s := newBody(0x0F)
	s.str(0x04, v.Manufacturer)
	s.str(0x05, v.Product)
	s.str(0x06, v.Version)
	s.str(0x07, v.Serial)
	s.u8(0x09, 1)
	s.u16(0x0B, v.Chassis)
	s.u8(0x0D, cmp.Or(v.Type, 0x0A))
	return b.add(2, s)
}

// Chassis is a structure of type 3.
type Chassis struct {
	Manufacturer, Version, Serial, AssetTag string
	// Type is a code of DSP0134 7.4.1; 0 is a rack mount chassis.
	Type byte
	// Height is in rack units.
	Height byte
}

// Chassis appends a structure of type 3.
func (b *Builder) Chassis(v Chassis) uint16 {
	s := newBody(b.length(0, 0x09, step{2, 1, 0x0D}, step{2, 3, 0x15}, step{2, 7, 0x16}))
	s.str(0x04, v.Manufacturer)
	s.u8(0x05, cmp.Or(v.Type, 0x17))
	s.str(0x06, v.Version)
	s.str(0x07, v.Serial)
	s.str(0x08, v.AssetTag)
	for off := 0x09; off <= 0x0C; off++ {
		s.u8(off, 3)
	}
	s.u8(0x11, v.Height)
	return b.add(3, s)
}

// CPU is a structure of type 4.
type CPU struct {
	Socket, Manufacturer, Version string
	// Empty makes an unpopulated socket.
	Empty bool
	// State is bits 2:0 of the status; 0 is enabled.
	State byte
	// Family is a code of DSP0134 7.5.2; 0 is Xeon.
	Family uint16
	// ID is CPUID 1, EAX in the low half and EDX in the high one.
	ID uint64
	// MHz is the current speed and MaxMHz the highest; 0 is unknown.
	MHz, MaxMHz int
	// Upgrade is a code of DSP0134 7.5.5; 0 is "Other".
	Upgrade byte
	// Cores, Enabled and Threads are numbers of the processor; 0 is unknown.
	Cores, Enabled, Threads int
	// ThreadsEnabled is stated from version 3.6 on.
	ThreadsEnabled int
	// Characteristics are the bits of DSP0134 7.5.9.
	Characteristics uint16
	// L1 is the handle of a cache; 0 for none.
	L1 uint16
	// Length overrides the length of the structure.
	Length int
}

// CPU appends a structure of type 4.
func (b *Builder) CPU(v CPU) uint16 {
	s := newBody(b.length(v.Length, 0x1A, step{2, 1, 0x20}, step{2, 3, 0x23}, step{2, 5, 0x28},
		step{2, 6, 0x2A}, step{3, 0, 0x30}, step{3, 6, 0x32}))
	s.str(0x04, v.Socket)
	s.u8(0x05, 3)
	family := cmp.Or(v.Family, 0xB3)
	if s.u8(0x06, byte(family)); family > 0xFD {
		s.u8(0x06, 0xFE)
	}
	s.u16(0x28, family)
	s.str(0x07, v.Manufacturer)
	s.u64(0x08, v.ID)
	s.str(0x10, v.Version)
	s.u8(0x11, 0x80|18)
	s.u16(0x12, 100)
	s.u16(0x14, uint16(v.MaxMHz))
	s.u16(0x16, uint16(v.MHz))
	if !v.Empty {
		s.u8(0x18, 1<<6|cmp.Or(v.State, 1))
	}
	s.u8(0x19, cmp.Or(v.Upgrade, 1))
	for i, h := range [...]uint16{v.L1, 0, 0} {
		s.u16(0x1A+2*i, cmp.Or(h, 0xFFFF))
	}
	for i, n := range [...]int{v.Cores, v.Enabled, v.Threads} {
		s.u8(0x23+i, byte(min(n, 0xFF)))
		s.u16(0x2A+2*i, uint16(n))
	}
	s.u16(0x26, v.Characteristics)
	s.u16(0x30, uint16(v.ThreadsEnabled))
	return b.add(4, s)
}
