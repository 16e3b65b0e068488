package smbios

import "strings"

// Cache is a processor cache (type 7, DSP0134 7.8). Sizes are mostly totals of
// the socket.
type Cache struct {
	Handle      uint16
	Designation Text
	// Level counts from 1.
	Level             Field[int]
	Enabled, Socketed Field[bool]
	// Mode is "Write Back"; Location "Internal".
	Mode, Location Field[string]
	// Installed and Maximum are in bytes; Installed 0 is not a cache.
	Installed, Maximum Field[int64]
	// Speed is in ns.
	Speed                    Field[int]
	ECC, Type, Associativity Field[string]
}

// Caches decodes the structures of type 7 in table order.
func (t *Table) Caches() []Cache {
	out := make([]Cache, 0, t.Count(typeCache))
	for s := range t.OfType(typeCache) {
		f := t.fields(s)
		c := Cache{Handle: s.Handle, Designation: f.str(0x04, "Socket Designation")}
		c.configuration(&f)
		c.Installed = f.cacheSize(0x17, 0x09, "Installed Size")
		c.Maximum = f.cacheSize(0x13, 0x07, "Maximum Size")
		c.Speed = f.num8(0x0F, "Speed", 0)
		c.ECC = f.word(0x10, "Error Correction Type", &cacheECCTypes)
		c.Type = f.word(0x11, "System Type", &cacheTypes)
		c.Associativity = f.word(0x12, "Associativity", &associativities)
		out = append(out, c)
	}
	return out
}

// configuration reads the bits of the word at 05h.
func (c *Cache) configuration(f *fields) {
	if f.text {
		c.textConfiguration(f)
		return
	}
	if !f.has(0x05, 2) {
		return
	}
	n := f.u16(0x05)
	c.Level = known(n&7 + 1)
	c.Socketed = known(n&(1<<3) != 0)
	c.Location = cacheLocations.field(n >> 5 & 3)
	c.Enabled = known(n&(1<<7) != 0)
	c.Mode = cacheModes.field(n >> 8 & 3)
}

// textConfiguration reads "Enabled, Not Socketed, Level 1".
func (c *Cache) textConfiguration(f *fields) {
	if v, ok := f.line("Configuration"); ok {
		enabled, v, _ := strings.Cut(v, ", ")
		socketed, level, _ := strings.Cut(v, ", ")
		c.Enabled = known(enabled == "Enabled")
		c.Socketed = known(socketed == "Socketed")
		c.Level = parseNum(strings.TrimPrefix(level, "Level "), 0)
	}
	c.Mode = f.textWord("Operational Mode", &cacheModes)
	c.Location = f.textWord("Location", &cacheLocations)
}

// cacheSize reads the doubleword at wide when the structure has it, else the
// word at off. The highest bit says that the unit is 64K instead of 1K.
func (f *fields) cacheSize(wide, off int, label string) Field[int64] {
	switch {
	case f.text:
		return f.textSize(label)
	case f.has(wide, 4):
		n := f.u32(wide)
		return known((n & 0x7FFFFFFF) << (10 + 6*(n>>31)))
	case f.has(off, 2):
		n := int64(f.u16(off))
		return known((n & 0x7FFF) << (10 + 6*(n>>15)))
	}
	return Field[int64]{}
}
