package smbios

import "strings"

// width reads a width in bits. FFFFh is Unstated, and so is 0, which firmware writes for empty
// slots.
func (f *fields) width(off int, label string) Field[int] {
	n := f.num(off, 2, label, 0xFFFF)
	if n.Known() && n.Value == 0 {
		return status[int](Unstated)
	}
	return n
}

// moduleSize reads the size of the module in bytes (DSP0134 7.18.5) and whether a module is
// installed.
func (f *fields) moduleSize() (Field[int64], Field[bool]) {
	if f.text {
		v, ok := f.line("Size")
		switch {
		case !ok:
			return Field[int64]{}, Field[bool]{}
		case v == "No Module Installed" || v == "Not Installed":
			return known[int64](0), known(false)
		}
		size := sizeField(v)
		if size.Status != Known {
			return size, Field[bool]{Status: size.Status, Raw: size.Raw}
		}
		return plausibleSize(size.Value)
	}
	if !f.has(0x0C, 2) {
		return Field[int64]{}, Field[bool]{}
	}
	n := f.u16(0x0C)
	switch {
	case n == 0:
		return known[int64](0), known(false)
	case n == 0xFFFF:
		return status[int64](Unstated), status[bool](Unstated)
	case n == 0x7FFF && !f.has(0x1C, 4):
		return status[int64](Malformed), known(true)
	case n == 0x7FFF:
		return plausibleSize(f.u32(0x1C) & 0x7FFFFFFF << 20)
	case n&0x8000 != 0:
		return plausibleSize(int64(n&0x7FFF) << 10)
	default:
		return plausibleSize(int64(n) << 20)
	}
}

// plausibleSize returns n as the size of an installed module. No module has 0 bytes, 32767 MB
// (7FFFh, the reference to the extended size, read as a size) or more than the extended size can
// express.
func plausibleSize(n int64) (Field[int64], Field[bool]) {
	switch {
	case n == 0:
		return status[int64](Malformed), status[bool](Malformed)
	case n == 0x7FFF<<20, n > maxModuleBytes:
		return status[int64](Malformed), known(true)
	}
	return known(n), known(true)
}

// typeDetail reads the bits of the type detail. No module is registered and unbuffered: such bits are no statement.
func (f *fields) typeDetail() Field[TypeDetail] {
	d := read(f, 0x13, 2, "Type Detail", func(v string) Field[TypeDetail] { return known(TypeDetail(parseBits(v, detailWords[:]))) },
		func() Field[TypeDetail] { return known(TypeDetail(f.u16(0x13) & 0xFFFE)) })
	if d.Value.Has(DetailRegistered | DetailUnbuffered) {
		return status[TypeDetail](Malformed)
	}
	return d
}

// speed reads a speed in MT/s (DSP0134 7.18.4). FFFFh refers to the extended field at ext; versions of dmidecode that do
// not know that field print 65535. dmidecode printed "MHz" before version 3.2, some versions with the cycle time after it
// ("1333 MHz (0.8 ns)").
func (f *fields) speed(off, ext int, label string) Field[int] {
	return read(f, off, 2, label, func(v string) Field[int] {
		n := parseNum(v, 0)
		_, unit, _ := leadingInt(v)
		unit, _, _ = strings.Cut(strings.Trim(unit, " "), " ")
		switch {
		case n.Known() && unit != "MT/s" && unit != "MHz" && unit != "":
			return unreadable[int](v)
		case n.Value == 0xFFFF:
			return status[int](Unstated)
		}
		return n
	}, func() Field[int] {
		switch {
		case f.u16(off) != 0xFFFF:
			return numField(f.u16(off), 0)
		case !f.has(ext, 4):
			return status[int](Unstated)
		default:
			return numField(int(f.u32(ext)&0x7FFFFFFF), 0)
		}
	})
}

// millivolts reads a voltage in mV. dmidecode prints it in volts.
func (f *fields) millivolts(off int, label string) Field[int] {
	return read(f, off, 2, label, func(v string) Field[int] {
		if st := textStatus(v); st != Known {
			return status[int](st)
		}
		volts, rest, ok := leadingInt(v)
		if !ok || volts > 1000 {
			return status[int](Malformed)
		}
		mv := int(volts) * 1000
		if frac, ok := strings.CutPrefix(rest, "."); ok {
			for i, unit := 0, 100; i < len(frac) && frac[i] >= '0' && frac[i] <= '9'; i, unit = i+1, unit/10 {
				mv += int(frac[i]-'0') * unit
			}
		}
		return numField(mv, 0)
	}, func() Field[int] { return numField(f.u16(off), 0) })
}
