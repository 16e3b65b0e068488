package facts

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// A module that is wider than its data has check bits. One with an unknown width is in neither.
func (m *Machine) splitByCheckBits() (with, without []int, read []Value) {
	for i, s := range m.eachDRAMModule() {
		read = append(read, valueOf(s.TotalWidth), valueOf(s.DataWidth))
		switch total, data := s.TotalWidth.Or(0), s.DataWidth.Or(0); {
		case !s.TotalWidth.Known() || !s.DataWidth.Known():
		case total > data:
			with = append(with, i)
		case total == data:
			without = append(without, i)
		}
	}
	return with, without, read
}

func eccModules(m *Machine) Value {
	with, _, read := m.splitByCheckBits()
	return deriveValue(func() any { return len(read) > 0 && 2*len(with) == len(read) }, read...)
}

// One module with check bits shows that error correction is wanted, whatever the platform's documents require.
func someChecked(m *Machine) Value {
	with, _, read := m.splitByCheckBits()
	if len(with) > 0 {
		s := &m.sys.Slots[with[0]]
		read = []Value{valueOf(s.TotalWidth), valueOf(s.DataWidth)}
	}
	return deriveValue(func() any { return len(with) > 0 }, read...)
}

// uncheckedModules names the DRAM modules that are as wide as their data, if another one of the machine is
// wider. Whole series of boards report 64 bits for registered ECC modules, so that equal widths prove nothing.
func uncheckedModules(m *Machine) Value {
	_, without, read := m.splitByCheckBits()
	if 2*len(without) == len(read) && len(without) > 0 {
		return MissingValue(fact.Unstated, "firmware states no check bits for any module, as it does on boards full of ECC modules, too", "the modules' part numbers")
	}
	return deriveValue(func() any { return m.slotNames(without) }, read...)
}

func edacModes(m *Machine) Value {
	facts := []Value{}
	for _, c := range m.sys.EDAC {
		for _, d := range c.DIMMs {
			facts = append(facts, valueOf(d.Mode))
		}
	}
	if len(facts) == 0 {
		return MissingValue(fact.Absent, "no EDAC driver reports a memory controller", "load the platform's EDAC driver")
	}
	return gatherValues[string](facts)
}

// edacNative is true if a memory-controller driver other than ghes_edac is loaded: they load only with error
// correction enabled (linux 6.12, drivers/edac: skx, i10nm, sb, amd64).
func edacNative(m *Machine) Value {
	facts := []Value{}
	if len(m.sys.EDAC) == 0 {
		facts = append(facts, MissingValue(fact.Absent, "no EDAC driver reports a memory controller", "load the platform's EDAC driver"))
	}
	native := false
	for _, c := range m.sys.EDAC {
		facts = append(facts, valueOf(c.Name))
		native = native || (c.Name.Known() && c.Name.Value != "ghes_edac")
	}
	return deriveValue(func() any { return native }, facts...)
}

// usedArrays returns the arrays with DRAM; all of them if no module refers to an array. Firmware reports "None"
// for the empty array of a second CPU.
func (m *Machine) usedArrays() []inventory.Array {
	var out []inventory.Array
	for _, a := range m.sys.Arrays {
		for _, s := range m.eachDRAMModule() {
			if s.Array == a.Handle {
				out = append(out, a)
				break
			}
		}
	}
	if out == nil {
		return m.sys.Arrays
	}
	return out
}

// eccCorrects reports whether errors are corrected. A driver of the memory controller loads only with
// correction on and is the best evidence; next an array that reports none; a reported correction alone is
// indirect evidence.
func eccCorrects(m *Machine) Value {
	native := edacNative(m)
	if native.Value == true {
		modes := edacModes(m)
		list, _ := modes.Value.([]string)
		native.Value = !slices.Contains(list, eccNone)
		native.Certainty = min(native.Certainty, fact.Direct)
		return native
	}
	if len(m.sys.Arrays) == 0 {
		return m.noArray()
	}
	facts := []Value{}
	for _, a := range m.usedArrays() {
		v := valueOf(a.ECC)
		if v.Value == eccNone || v.Value == eccParity {
			return deriveValue(func() any { return false }, v)
		}
		if v.Known() && !slices.Contains([]string{"Single-bit ECC", "Multi-bit ECC", "CRC"}, v.Value.(string)) {
			return MissingValue(fact.Unstated, "firmware calls the error correction "+v.Value.(string), "load the platform's EDAC driver")
		}
		facts = append(facts, v)
	}
	if m.sys.Firmware.Lost != nil {
		return m.noPopulation()
	}
	out := deriveValue(func() any { return true }, facts...)
	if out.Known() {
		out.Certainty = min(out.Certainty, fact.Indirect)
	}
	return out
}
