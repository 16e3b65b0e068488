package smbios

import (
	"slices"
	"strings"
)

// family reads the processor family, its number and its name (DSP0134 7.5.2). FEh refers to the
// two-byte field at 28h.
func (f *fields) family(maker Field[string], v Version) (Field[int], Field[string]) {
	if f.text {
		return f.textFamily()
	}
	if !f.has(0x06, 1) {
		return Field[int]{}, Field[string]{}
	}
	n := f.u8(0x06)
	// SMBIOS 2.0 used 30h for two families.
	if n == 0x30 && v == (Version{Major: 2}) && isMaker(maker, "Intel") {
		return known(0x0C), known("Pentium Pro")
	}
	if n == 0xFE && f.has(0x28, 2) {
		n = f.u16(0x28)
	}
	if n == familyCore2OrK7 {
		return known(n), known(core2OrK7(maker))
	}
	name := namedCode("processor family", n)
	if ambiguousFamily(name.Value) {
		return Field[int]{}, name
	}
	return known(n), name
}

const familyCore2OrK7 = 0xBE

func core2OrK7(maker Field[string]) string {
	switch {
	case isMaker(maker, "Intel"):
		return "Core 2"
	case isMaker(maker, "AMD"):
		return "K7"
	}
	return "Core 2 or K7"
}

func isMaker(maker Field[string], name string) bool {
	v := maker.Value
	return strings.Contains(v, name) || strings.HasPrefix(strings.ToLower(v), strings.ToLower(name))
}

func ambiguousFamily(word string) bool { return word == "ARM" }

func (f *fields) textFamily() (Field[int], Field[string]) {
	v, ok := f.line("Family")
	switch {
	case !ok:
		return Field[int]{}, Field[string]{}
	case v == "Unknown":
		return known(2), status[string](Unstated)
	case textStatus(v) != Known:
		return Field[int]{}, status[string](textStatus(v))
	case slices.Contains([]string{"Core 2", "K7", "Core 2 or K7"}, v):
		return known(familyCore2OrK7), known(v)
	case ambiguousFamily(v):
		return Field[int]{}, known(v)
	}
	if n, ok := wordLists()["processor family"].codes[v]; ok {
		return known(n), known(v)
	}
	return Field[int]{}, known(v)
}
