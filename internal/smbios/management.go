package smbios

import (
	"fmt"
	"strings"
)

// IPMIDevice announces a BMC (type 38, DSP0134 7.39).
type IPMIDevice struct {
	Handle    uint16
	Interface Field[string]
	// Version is the IPMI version, "2.0".
	Version Field[string]
	// BaseAddress is the I/O port, memory address or SMBus address by Space:
	// "I/O", "Memory-mapped", "SMBus".
	BaseAddress Field[uint64]
	Space       Field[string]
}

// IPMIDevices decodes the structures of type 38 in table order.
func (t *Table) IPMIDevices() []IPMIDevice {
	out := make([]IPMIDevice, 0, t.Count(typeIPMI))
	for s := range t.OfType(typeIPMI) {
		f := t.fields(s)
		d := IPMIDevice{Handle: s.Handle, Interface: f.word(0x04, "Interface Type", &ipmiInterfaces)}
		if f.text {
			d.Version = f.textWord("Specification Version", &wordList{})
			d.textAddress(&f)
		} else if f.has(0x08, 8) {
			d.Version = known(fmt.Sprintf("%d.%d", f.u8(0x05)>>4, f.u8(0x05)&0xF))
			d.address(&f)
		}
		out = append(out, d)
	}
	return out
}

// address reads the base address: bit 0 says I/O, and bit 4 of the modifier is
// the real bit 0.
func (d *IPMIDevice) address(f *fields) {
	if d.Interface.Value == ipmiInterfaces.words[4] {
		d.BaseAddress, d.Space = known(uint64(f.u8(0x08)>>1)), known("SMBus")
		return
	}
	n := f.u64(0x08)
	d.Space = known("Memory-mapped")
	if n&1 != 0 {
		d.Space = known("I/O")
	}
	n &^= 1
	if f.has(0x10, 1) {
		n |= uint64(f.u8(0x10) >> 4 & 1)
	}
	d.BaseAddress = known(n)
}

// textAddress reads "0x0000000000000CA2 (I/O)".
func (d *IPMIDevice) textAddress(f *fields) {
	v, ok := f.line("Base Address")
	if !ok {
		return
	}
	n, ok := parseHex(v)
	_, space, ok2 := strings.Cut(v, "(")
	if !ok || !ok2 {
		d.BaseAddress, d.Space = status[uint64](Bad), status[string](Bad)
		return
	}
	d.BaseAddress, d.Space = known(n), known(strings.TrimSuffix(space, ")"))
}

// OnboardDevice is a device on the board (type 41, DSP0134 7.42).
type OnboardDevice struct {
	Handle      uint16
	Designation Text
	Type        Field[string]
	Enabled     Field[bool]
	Instance    Field[int]
	// BusAddress is the PCI address, "0000:01:00.0".
	BusAddress Field[string]
}

// OnboardDevices decodes the structures of type 41 in table order.
func (t *Table) OnboardDevices() []OnboardDevice {
	out := make([]OnboardDevice, 0, t.Count(typeOnboard))
	for s := range t.OfType(typeOnboard) {
		f := t.fields(s)
		d := OnboardDevice{Handle: s.Handle, Designation: f.str(0x04, "Reference Designation")}
		if f.text {
			d.Type = f.textWord("Type", &onboardTypes)
			if v, ok := f.line("Status"); ok {
				d.Enabled = known(v == "Enabled")
			}
		} else if f.has(0x05, 1) {
			d.Type = onboardTypes.field(f.u8(0x05) & 0x7F)
			d.Enabled = f.flag(0x05, 0x80)
		}
		d.Instance = f.num8(0x06, "Type Instance", -1)
		d.BusAddress = f.busAddress(0x07)
		out = append(out, d)
	}
	return out
}

// busAddress reads segment, bus and device with function; all ones are none,
// and dmidecode leaves out the line.
func (f *fields) busAddress(off int) Field[string] {
	if !f.has(off, 4) {
		return Field[string]{}
	}
	if f.text {
		v, ok := f.line("Bus Address")
		if !ok {
			return status[string](Unstated)
		}
		return known(v)
	}
	if f.u32(off) == 0xFFFFFFFF {
		return status[string](Unstated)
	}
	return known(fmt.Sprintf("%04x:%02x:%02x.%x", f.u16(off), f.u8(off+2), f.u8(off+3)>>3, f.u8(off+3)&7))
}

// TPM is a trusted platform module (type 43, DSP0134 7.44).
type TPM struct {
	Handle uint16
	// Vendor are up to four letters: "INTC", "NTC".
	Vendor Text
	// Version is the TPM's specification, "2.0"; Firmware its revision.
	Version, Firmware Field[string]
	Description       Text
}

// TPMs decodes the structures of type 43 in table order.
func (t *Table) TPMs() []TPM {
	out := make([]TPM, 0, t.Count(typeTPM))
	for s := range t.OfType(typeTPM) {
		f := t.fields(s)
		d := TPM{Handle: s.Handle}
		if f.text {
			d.Vendor = f.str(0x04, "Vendor ID")
			d.Version = f.textWord("Specification Version", &wordList{})
			d.Firmware = f.textWord("Firmware Revision", &wordList{})
		} else if f.has(0x0A, 4) {
			vendor, _, _ := strings.Cut(string(s.Data[0x04:0x08]), "\x00")
			d.Vendor = binaryString(vendor)
			d.Version = known(fmt.Sprintf("%d.%d", f.u8(0x08), f.u8(0x09)))
			d.Firmware = f.tpmFirmware()
		}
		d.Description = f.str(0x12, "Description")
		out = append(out, d)
	}
	return out
}

func (f *fields) tpmFirmware() Field[string] {
	switch f.u8(0x08) {
	case 1:
		return known(fmt.Sprintf("%d.%d", f.u8(0x0C), f.u8(0x0D)))
	case 2:
		return known(fmt.Sprintf("%d.%d", f.u16(0x0C), f.u16(0x0A)))
	}
	return Field[string]{}
}

// Firmware is one entry of the firmware inventory (type 45, DSP0134 7.46).
type Firmware struct {
	Handle                                       uint16
	Name, Version, ID, ReleaseDate, Manufacturer Text
	LowestSupported                              Text
	// ImageSize is in bytes.
	ImageSize Field[int64]
	State     Field[string]
	Updatable Field[bool]
}

// Firmwares decodes the structures of type 45 in table order.
func (t *Table) Firmwares() []Firmware {
	out := make([]Firmware, 0, t.Count(typeFirmware))
	for s := range t.OfType(typeFirmware) {
		f := t.fields(s)
		out = append(out, Firmware{
			Handle:          s.Handle,
			Name:            f.str(0x04, "Firmware Component Name"),
			Version:         f.str(0x05, "Firmware Version"),
			ID:              f.str(0x07, "Firmware ID"),
			ReleaseDate:     f.str(0x09, "Release Date"),
			Manufacturer:    f.str(0x0A, "Manufacturer"),
			LowestSupported: f.str(0x0B, "Lowest Supported Firmware Version"),
			ImageSize:       f.size64(0x0C, "Image Size"),
			Updatable:       f.updatable(),
			State:           f.word(0x16, "State", &firmwareStates),
		})
	}
	return out
}

func (f *fields) updatable() Field[bool] {
	if !f.text {
		return f.flag(0x14, 1)
	}
	if _, ok := f.line("Characteristics"); ok {
		for _, l := range f.items() {
			if v, ok := strings.CutPrefix(l.val, "Updatable: "); ok {
				return known(v == "Yes")
			}
		}
	}
	return Field[bool]{}
}
