package smbios

import "strings"

// cpuid decodes the x86 signature from the processor ID or, without one, from
// the line dmidecode made of it.
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

// signature reads "Type 0, Family 6, Model 62, Stepping 4" and the same
// without its type.
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
			return Field[CPUID]{} // Arm's
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

// isX86 tells whether the ID is CPUID's. Where the family does not say it, the
// manufacturer must.
func isX86(p *Processor) bool {
	if p.Family.Known() && p.Family.Value > 2 {
		return x86Family(p.Family.Value)
	}
	if p.FamilyName.Known() && strings.HasPrefix(p.FamilyName.Value, "ARM") {
		return false
	}
	maker := p.Manufacturer.Value
	for _, m := range [...]string{"Intel", "INTEL", "AMD", "Advanced Micro", "Hygon", "HYGON", "Zhaoxin", "Centaur", "CentaurHauls"} {
		if strings.Contains(maker, m) {
			return true
		}
	}
	return false
}

// x86Family tells whether a family of DSP0134 7.5.2 has the CPUID instruction.
func x86Family(n int) bool {
	switch {
	case n >= 0x06 && n <= 0x06, n >= 0x0B && n <= 0x1F && n != 0x1E, n >= 0x28 && n <= 0x2F:
		return true
	case n >= 0x38 && n <= 0x3F, n >= 0x46 && n <= 0x4F, n >= 0x66 && n <= 0x6B && n != 0x69, n >= 0x78 && n <= 0x7A:
		return true
	case n >= 0x83 && n <= 0x8F, n >= 0xA1 && n <= 0xB3, n >= 0xB5 && n <= 0xB7, n >= 0xB9 && n <= 0xC7:
		return true
	case n >= 0xCD && n <= 0xCF, n >= 0xD2 && n <= 0xEF, n >= 0x12C && n <= 0x140:
		return true
	}
	return false
}
