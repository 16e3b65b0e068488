package smbios

import (
	"slices"
	"strings"
)

// cpuid decodes the x86 signature from the processor ID. In a text without an ID it reads the line
// "Signature".
func (f *fields) cpuid(p *Processor) Field[CPUID] {
	if p.ID.Status == Missing && f.text {
		return f.signature()
	}
	if !isX86(p) {
		return Field[CPUID]{}
	}
	if p.ID.Status != Known {
		return status[CPUID](p.ID.Status)
	}
	eax := uint32(p.ID.Value)
	if eax == 0 {
		return status[CPUID](Unstated)
	}
	base := int(eax >> 8 & 0xF)
	c := CPUID{Family: base, Model: int(eax >> 4 & 0xF), Stepping: int(eax & 0xF)}
	if base == 0xF {
		c.Family += int(eax >> 20 & 0xFF)
	}
	if base == 0xF || base == 6 {
		c.Model |= int(eax >> 12 & 0xF0)
	}
	return known(c)
}

// signature reads "Type 0, Family 6, Model 62, Stepping 4", with or without the type.
func (f *fields) signature() Field[CPUID] {
	v, ok := f.line("Signature")
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
	return known(c)
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
	return slices.ContainsFunc(x86Makers[:], func(m string) bool { return strings.Contains(p.Manufacturer.Value, m) })
}

var x86Makers = [...]string{"Intel", "INTEL", "AMD", "Advanced Micro", "Hygon", "HYGON", "Zhaoxin", "Centaur"}

// x86Families lists the ranges of families with the CPUID instruction (DSP0134 7.5.2).
var x86Families = [...][2]int{
	{0x06, 0x06}, {0x0B, 0x16}, {0x18, 0x1D}, {0x1F, 0x1F}, {0x28, 0x2F}, {0x38, 0x3F}, {0x46, 0x4F},
	{0x66, 0x68}, {0x6A, 0x6B}, {0x78, 0x7A}, {0x83, 0x8F}, {0xA1, 0xB3}, {0xB5, 0xB7}, {0xB9, 0xC7},
	{0xCD, 0xCF}, {0xD2, 0xDB}, {0xDD, 0xE0}, {0xE4, 0xEF}, {0x12C, 0x12E}, {0x140, 0x140},
}
