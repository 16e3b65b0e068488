package smbiostest

import (
	"cmp"
	"math"
)

// BIOS is a structure of type 0.
type BIOS struct {
	Vendor, Version, Date string
	UEFI, VirtualMachine  bool
}

// BIOS appends a structure of type 0.
func (b *Builder) BIOS(v BIOS) uint16 {
	s := newBody(b.length(0, 0x12, step{2, 3, 0x13}, step{2, 4, 0x18}, step{3, 1, 0x1A}))
	s.text(0x04, v.Vendor, v.Version)
	s.text(0x08, v.Date)
	s.u8(0x09, 0xFF) // 16 MiB of ROM
	s.u16(0x18, 16)
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
	s.u32(0x14, 0xFFFFFFFF) // no releases
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
	s.text(0x04, v.Manufacturer, v.Product, v.Version, v.Serial)
	s.put(0x08, v.UUID[:])
	s.u8(0x18, 6)
	s.text(0x19, v.SKU, v.Family)
	return b.add(1, s)
}

// Board is a structure of type 2.
type Board struct {
	Manufacturer, Product, Serial string
	Chassis                       uint16
	// Type is a code of DSP0134 7.3.2; 0 is a motherboard.
	Type byte
}

// Board appends a structure of type 2.
func (b *Builder) Board(v Board) uint16 {
	s := newBody(0x0F)
	s.text(0x04, v.Manufacturer, v.Product, "", v.Serial)
	s.u8(0x09, 1)
	s.u16(0x0B, v.Chassis)
	s.u8(0x0D, cmp.Or(v.Type, 0x0A))
	return b.add(2, s)
}

// Chassis is a structure of type 3.
type Chassis struct {
	Manufacturer, Serial, AssetTag string
	// Height is in rack units.
	Height byte
}

// Chassis appends a structure of type 3.
func (b *Builder) Chassis(v Chassis) uint16 {
	s := newBody(b.length(0, 0x09, step{2, 1, 0x0D}, step{2, 3, 0x15}, step{2, 7, 0x16}))
	s.text(0x04, v.Manufacturer)
	s.u8(0x05, 0x17) // rack mount chassis
	s.text(0x07, v.Serial, v.AssetTag)
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
	s.text(0x04, v.Socket)
	s.u8(0x05, 3)
	family := cmp.Or(v.Family, 0xB3)
	if s.u8(0x06, byte(family)); family > 0xFD {
		s.u8(0x06, 0xFE)
	}
	s.u16(0x28, family)
	s.text(0x07, v.Manufacturer)
	s.u64(0x08, v.ID)
	s.text(0x10, v.Version)
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

// Array is a structure of type 16.
type Array struct {
	// Location, Use and ECC are codes of DSP0134 7.17; 0 is system board, system memory and multi-bit ECC.
	Location, Use, ECC byte
	// MaxBytes is the capacity; 0 is 1 TiB.
	MaxBytes int64
	Devices  int
}

// Array appends a structure of type 16.
func (b *Builder) Array(v Array) uint16 {
	s := newBody(b.length(0, 0x0F, step{2, 7, 0x17}))
	s.u8(0x04, cmp.Or(v.Location, 3))
	s.u8(0x05, cmp.Or(v.Use, 3))
	s.u8(0x06, cmp.Or(v.ECC, 6))
	v.MaxBytes = cmp.Or(v.MaxBytes, 1<<40)
	if kb := v.MaxBytes >> 10; kb < 0x80000000 {
		s.u32(0x07, uint32(kb))
	} else {
		s.u32(0x07, 0x80000000)
		s.u64(0x0F, uint64(v.MaxBytes))
	}
	s.u16(0x0B, 0xFFFE) // no handle of errors
	s.u16(0x0D, uint16(v.Devices))
	return b.add(16, s)
}

// DIMM is a structure of type 17.
type DIMM struct {
	Array uint16
	// Error is a handle; 0 is "not provided".
	Error uint16
	// Bytes is the size; 0 is an empty slot.
	Bytes int64
	// SizeUnknown makes the size field FFFFh; RawSize, when not 0, makes it anything.
	SizeUnknown bool
	RawSize     uint16
	// TotalBits and DataBits are widths; 0 is 72 and 64 for a populated slot.
	TotalBits, DataBits int
	// FormFactor, Type and Technology are codes of DSP0134 7.18; 0 is DIMM,
	// DDR4 and DRAM. Detail 0 is "Synchronous Registered (Buffered)".
	FormFactor, Type, Technology byte
	Detail                       uint16
	Set                          byte
	Locator, Bank                string
	// Speed and Configured are in MT/s; 0 is unknown. From 65535 on they are in the extended fields.
	Speed, Configured                    int
	Manufacturer, Serial, AssetTag, Part string
	Rank                                 byte
	// MinMV, MaxMV and ConfiguredMV are in mV.
	MinMV, MaxMV, ConfiguredMV int
	// Modes are the bits of DSP0134 7.18.7; 0 is volatile memory.
	Modes    uint16
	Firmware string
	// ManufacturerID is a JEP106 code as in DSP0134 7.18.8.
	ManufacturerID uint16
	// NonVolatile is a portion in bytes; 0 makes all of the module volatile.
	NonVolatile int64
	// Length overrides the length of the structure.
	Length int
}

// Slot appends a structure of type 17 for a slot of a memory board, which holds the module only if it is filled.
func (b *Builder) Slot(v DIMM, filled bool) {
	if !filled {
		v = DIMM{Array: v.Array, Locator: v.Locator, Bank: v.Bank, Type: v.Type, Set: v.Set}
	}
	b.MemoryDevice(v)
}

// MemoryDevice appends a structure of type 17.
func (b *Builder) MemoryDevice(v DIMM) uint16 {
	s := newBody(b.length(v.Length, 0x15, step{2, 3, 0x1B}, step{2, 6, 0x1C}, step{2, 7, 0x22},
		step{2, 8, 0x28}, step{3, 2, 0x54}, step{3, 3, 0x5C}, step{3, 7, 0x64}))
	populated := v.Bytes != 0 || v.SizeUnknown || v.RawSize != 0
	s.u16(0x04, v.Array)
	s.u16(0x06, cmp.Or(v.Error, 0xFFFE))
	s.width(0x08, v.TotalBits, 72, populated)
	s.width(0x0A, v.DataBits, 64, populated)
	s.moduleSize(v)
	s.u8(0x0E, cmp.Or(v.FormFactor, 9))
	s.u8(0x0F, v.Set)
	s.text(0x10, v.Locator, v.Bank)
	if populated {
		v.Type, v.Detail = cmp.Or(v.Type, 0x1A), cmp.Or(v.Detail, 1<<7|1<<13)
	}
	s.u8(0x12, cmp.Or(v.Type, 2))
	s.u16(0x13, cmp.Or(v.Detail, 1<<2))
	s.speed(0x15, 0x54, v.Speed)
	s.text(0x17, v.Manufacturer, v.Serial, v.AssetTag, v.Part)
	s.u8(0x1B, v.Rank)
	s.speed(0x20, 0x58, v.Configured)
	s.u16(0x22, uint16(v.MinMV))
	s.u16(0x24, uint16(v.MaxMV))
	s.u16(0x26, uint16(v.ConfiguredMV))
	if !populated {
		return b.add(17, s)
	}
	s.u8(0x28, cmp.Or(v.Technology, 3))
	s.u16(0x29, cmp.Or(v.Modes, 1<<3))
	s.text(0x2B, v.Firmware)
	s.u16(0x2C, v.ManufacturerID)
	s.u64(0x34, uint64(v.NonVolatile))
	if v.NonVolatile == 0 {
		s.u64(0x3C, uint64(v.Bytes))
	}
	s.u16(0x5E, 0xFF00)
	s.u16(0x62, 0xFF00)
	return b.add(17, s)
}

func (s *body) width(off, bits, def int, populated bool) {
	if !populated {
		def = 0xFFFF
	}
	s.u16(off, uint16(cmp.Or(bits, def)))
}

// moduleSize writes the size in MB, in KB if it is not a multiple of a MB, or as the extended size from 32767 MB on.
func (s *body) moduleSize(v DIMM) {
	mb := v.Bytes >> 20
	switch {
	case v.RawSize != 0:
		s.u16(0x0C, v.RawSize)
	case v.SizeUnknown:
		s.u16(0x0C, 0xFFFF)
	case v.Bytes&(1<<20-1) != 0:
		s.u16(0x0C, 0x8000|uint16(v.Bytes>>10))
	case mb < 0x7FFF:
		s.u16(0x0C, uint16(mb))
	default:
		s.u16(0x0C, 0x7FFF)
		s.u32(0x1C, uint32(mb))
	}
}

func (s *body) speed(off, ext, mts int) {
	if mts < 0xFFFF {
		s.u16(off, uint16(mts))
		return
	}
	s.u16(off, 0xFFFF)
	s.u32(ext, uint32(mts))
}

// Mapping is a structure of type 19.
type Mapping struct {
	Array uint16
	// Start and End are byte addresses; End is the last byte.
	Start, End uint64
	// Width is the number of devices in a row; 0 is 1.
	Width byte
}

// Mapping appends a structure of type 19.
func (b *Builder) Mapping(v Mapping) uint16 {
	s := newBody(b.length(0, 0x0F, step{2, 7, 0x1F}))
	if v.End>>10 >= math.MaxUint32 {
		s.u32(0x04, math.MaxUint32)
		s.u32(0x08, math.MaxUint32)
		s.u64(0x0F, v.Start)
		s.u64(0x17, v.End)
	} else {
		s.u32(0x04, uint32(v.Start>>10))
		s.u32(0x08, uint32(v.End>>10))
	}
	s.u16(0x0C, v.Array)
	s.u8(0x0E, cmp.Or(v.Width, 1))
	return b.add(19, s)
}

// DeviceMapping is a structure of type 20.
type DeviceMapping struct {
	// Device is the handle of the type 17 structure, Mapping of the type 19.
	Device, Mapping uint16
	// Start and End are byte addresses; End is the last byte.
	Start, End uint64
	// Position in an interleave of Depth rows; 0 is not interleaved.
	Position, Depth byte
}

// DeviceMapping appends a structure of type 20, in the form of SMBIOS 2.1 to
// 2.6 with addresses in KiB, or of 2.7.
func (b *Builder) DeviceMapping(v DeviceMapping) uint16 {
	s := newBody(b.length(0, 0x13, step{2, 7, 0x23}))
	s.u32(0x04, uint32(v.Start>>10))
	s.u32(0x08, uint32(v.End>>10))
	s.u16(0x0C, v.Device)
	s.u16(0x0E, v.Mapping)
	s.u8(0x10, 1)
	s.u8(0x11, v.Position)
	s.u8(0x12, v.Depth)
	return b.add(20, s)
}
