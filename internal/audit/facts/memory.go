package facts

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

var memoryType = newObjectType("Memory", "the memory of the whole machine", markSlotFields(append([]Field{
	{"installed_bytes", intType, "sum of the DRAM modules in bytes", machineReader(func(m *Machine) Value { return valueOf(m.population.InstalledBytes) })},
	{"visible_bytes", intType, "memory that firmware gave the operating system, or what the kernel uses of it where that is clearly less, in bytes", machineReader(func(m *Machine) Value { return valueOf(m.seenMemory()) })},
	{"visible_share", floatType, "visible divided by installed", machineReader(func(m *Machine) Value {
		installed, visible := valueOf(m.population.InstalledBytes), valueOf(m.sys.Memory.VisibleBytes)
		return deriveValue(func() any {
			return float64(m.sys.Memory.VisibleBytes.Value) / float64(m.population.InstalledBytes.Value)
		}, installed, visible, positiveCapacity(installed))
	})},
	{"withheld_bytes", intType, "memory that firmware gave the kernel and that it does not use, beyond what it leaves alone by itself, in bytes", machineReader(withheldMemory)},
	{"named_modules", textListType, "modules that firmware names in slots of which it counts no memory, in words", machineReader(namedModules)},
	{"corrupted_bytes", intType, "memory that the kernel took away after errors, in bytes (HardwareCorrupted)", machineReader(func(m *Machine) Value { return valueOf(m.sys.Memory.CorruptedBytes) })},
	{"hidden_bytes", intType, "installed memory that the system does not see, in bytes; without a kernel, that firmware gives no addresses to", machineReader(hiddenMemory)},
	{"short_nodes", textListType, "nodes that lack more of the memory of their processor's modules than is normally reserved, in words", machineReader(shortNodes)},
	{"mapped_bytes", intType, "memory that firmware says it gave addresses to (SMBIOS type 19), in bytes", machineReader(func(m *Machine) Value { return valueOf(m.sys.Memory.MappedBytes) })},
	{"unmapped_modules", textListType, "modules without an address range or running speed beside others that have one, where they make up what firmware does not map", machineReader(silentNames)},
	{"module_lost", boolType, "modules without an address range or running speed make up what firmware does not map, and no more is seen", machineReader(moduleLost)},
	{"smallest_bytes", intType, "capacity of the smallest module in bytes", machineReader(smallestModule)},
	{"mirrored", boolType, "half or a third of the installed memory is visible (false: all but the normal reservation)", machineReader(isMirrored)},
	{"options", textListType, "kernel options that take memory away", machineReader(func(m *Machine) Value { return m.memoryLimitOptions() })},
	{"channels", intType, "memory channels of all populated processors", modulesReader(allChannels)},
	{"full", boolType, "every slot that firmware declares holds a module", machineReader(slotsFull)},
	{"filled_alike", boolType, "every slot holds a module like the others, as many for each channel, so that no channel can be empty", machineReader(slotsFilled)},
	{"mapping_doubts", textListType, "what cannot be true together with the places that the slots' labels give", machineReader(mappingDoubts)},
	{"mapping_witnessed", boolType, "of every module a second source names the channel, and speed, ranks and nodes are known, which could contradict it", machineReader(mappingWitnessed)},
	{"stopped_modules", textListType, "modules without a running speed, where firmware states one for others", modulesReader(stoppedModules)},
	{"module_gaps", textListType, "what lacks of modules with channels of their own: empty slots, modules smaller than others, fewer than the processors take", machineReader(moduleGaps)},
	{"populated_slots", intType, "slots that hold DRAM", modulesReader(countSlots(inventory.SlotPopulated))},
	{"empty_slots", intType, "empty slots", modulesReader(countSlots(inventory.SlotEmpty))},
	{"soldered", boolType, "all DRAM is soldered (false: some is in slots)", machineReader(func(m *Machine) Value {
		if p, ok := m.population.Platform.Get(); ok && (p.OwnChannels != "" || p.NoDIMMs && !m.hasListedSlots()) {
			return computedFrom(m.population.Platform, func(*platform.Platform) any { return p.OwnChannels == "" })
		}
		return m.allSoldered()
	})},
	{"persistent", boolType, "NVDIMM or persistent memory is installed", machineReader(hasTechnology(inventory.NVDIMM))},
	{"persistent_bytes", intType, "capacity of the persistent modules in bytes", machineReader(persistentBytes)},
	{"hbm", boolType, "HBM is present", machineReader(hasTechnology(inventory.HBM))},
	{"cxl", boolType, "CXL memory is present", machineReader(hasTechnology(inventory.CXL))},
	{"symmetric", boolType, "all populated processors carry the same layout", modulesReader(func(m *Machine) Value {
		return valueOf(m.population.Symmetric)
	})},
	{"fewer_slots", boolType, "the modules are alike in size, and no processor with fewer of them has an empty slot: the board gives it fewer", machineReader(fewerSlots)},
	{"channels_alike", boolType, "all populated processors have the same capacity on each of their channels, whatever modules make it up", modulesReader(func(m *Machine) Value {
		return valueOf(m.population.ChannelsAlike)
	})},
	{"per_socket", textListType, "what each processor carries, in words", modulesReader(perSocket)},
}, memoryClassFields()...), func(src any) (*Machine, string) {
	m, doubt := src.(*Machine), ""
	for i := range m.population.Populations {
		doubt = cmp.Or(doubt, m.population.Populations[i].MapDoubt)
	}
	return m, doubt
})...)

func memoryClassFields() []Field {
	class := func(f func(c population.Class) any) func(any) Value {
		return machineReader(func(m *Machine) Value { return computedFrom(m.population.Class, f) })
	}
	return []Field{
		{"ecc_on", boolType, "memory errors are corrected", machineReader(eccCorrects)},
		{"errors_counted", boolType, "the kernel or the BMC counts memory errors", machineReader(countsErrors)},
		{"erring_modules", textListType, "modules on which the kernel counted an error", modulesReader(erringModules)},
		{"class", textType, "the machine's worst class", class(func(c population.Class) any { return c.Name })},
		{"class_best", textType, "the best class of the same document", class(func(c population.Class) any { return c.Best })},
		{"class_documented", boolType, "the class is one of the platform's document", class(func(c population.Class) any { return c.Documented })},
		{"class_discouraged", boolType, "the document discourages the layout", class(func(c population.Class) any { return c.Discouraged })},
		{"ecc_declared", textListType, "error correction that the memory arrays in use declare", machineReader(func(m *Machine) Value {
			var facts []Value
			for _, a := range m.usedArrays() {
				facts = append(facts, valueOf(a.ECC))
			}
			if len(facts) == 0 || m.sys.Firmware.Lost != nil {
				return m.noArray()
			}
			return gatherValues[string](facts)
		})},
		{"ecc_modules", boolType, "every DRAM module has check bits", modulesReader(eccModules)},
		{"some_checked", boolType, "a DRAM module has check bits", modulesReader(someChecked)},
		{"unchecked_modules", textListType, "DRAM modules without check bits", modulesReader(uncheckedModules)},
		{"edac_modes", textListType, "error correction modes that the EDAC driver reports", machineReader(edacModes)},
		{"edac_native", boolType, "a driver of the memory controller itself is loaded, which it is only with error correction on", machineReader(edacNative)},
		{"generations", textListType, "generations of the modules as firmware states them (DDR4); more than one is in doubt", modulesReader(generations)},
		{"several_voltages", boolType, "the modules are of a generation that has more than one supply voltage (DDR4 has 1.2 V, DDR5 1.1 V)", modulesReader(severalVoltages)},
		{"min_mv", intListType, "distinct lowest voltages of the modules in mV", modulesReader(func(m *Machine) Value {
			return gatherModules[int64](m, func(s *inventory.Slot) Value { return valueOf(s.MinMV) })
		})},
		{"configured_mv", intListType, "distinct configured voltages in mV", modulesReader(func(m *Machine) Value {
			return gatherModules[int64](m, func(s *inventory.Slot) Value { return valueOf(s.ConfiguredMV) })
		})},
	}
}

// Each has its own voltage and its own connector, so firmware is wrong about one of several.
func generations(m *Machine) Value {
	var stated []Value
	for _, s := range m.eachDRAMModule() {
		word := ddr.Generation(s.Type.Or(s.Type.From.Raw))
		if word == "" {
			continue
		}
		stated = append(stated, Value{Value: word, State: fact.OK, Certainty: fact.Indirect, From: s.Type.From})
	}
	all := gatherValues[string](stated)
	if words, _ := all.Value.([]string); len(words) > 1 {
		return withDoubt(all, &fact.Doubt{Reason: "which of them is right is not known", KnownBy: "the module's label"})
	}
	for _, s := range m.eachDRAMModule() {
		if !s.Type.Known() {
			return valueOf(s.Type)
		}
	}
	return all
}

// severalVoltages is false if every DIMM is of a generation with one supply voltage: 1.2 V for DDR4 (JEDEC
// JESD79-4), 1.1 V for DDR5 (JESD79-5). DDR3 has 1.5, 1.35 and 1.25 V (JESD79-3-1, -2), FB-DIMMs have two.
func severalVoltages(m *Machine) Value {
	v := gatherModules[string](m, func(s *inventory.Slot) Value { return valueOf(s.Type) })
	if !v.Known() {
		return v
	}
	several := false
	for _, memory := range v.Value.([]string) {
		several = several || memory != "DDR4" && memory != "DDR5"
	}
	v.Value = several
	return v
}

func namedModules(m *Machine) Value {
	var sizes []Value
	names := []string{}
	for i := range m.sys.Slots {
		s := &m.sys.Slots[i]
		if !s.Named {
			continue
		}
		sizes = append(sizes, Value{Value: true, State: fact.OK, Certainty: fact.Indirect, From: s.SizeBytes.From, More: s.PartNumber.Evidence()})
		names = append(names, m.sys.Slots[i].Name()+": "+s.Manufacturer.Or("")+" "+s.PartNumber.Or(""))
	}
	if len(names) == 0 && !m.hasListedSlots() {
		return m.noPopulation()
	}
	return deriveValue(func() any { return names }, sizes...)
}

func countSlots(state inventory.SlotState) func(m *Machine) Value {
	return func(m *Machine) Value {
		n := 0
		for i := range m.sys.Slots {
			s := &m.sys.Slots[i]
			if s.State == inventory.SlotUnknown {
				return MissingValue(fact.Unstated, s.Unsized(), s.SizeBytes.KnownBy)
			}
			if s.State == state && (state != inventory.SlotPopulated || s.HoldsDRAM()) {
				n++
			}
		}
		return PlainValue(n)
	}
}

// anySlot is true if f is true for a slot, false if it is false for all, and otherwise unknown.
func (m *Machine) anySlot(f func(s *inventory.Slot) Value) Value {
	if !m.hasListedSlots() {
		return m.noPopulation()
	}
	out := PlainValue(false)
	for i := range m.sys.Slots {
		switch v := f(&m.sys.Slots[i]); {
		case v.Value == true:
			return v
		case !v.Known():
			out = v
		}
	}
	return out
}

// allSoldered is true if every DRAM module is soldered, false if one is not or there is none, and otherwise unknown. A
// board with slots for full-size DIMMs has no soldered memory, nor is an empty slot of unknown form a chip.
func (m *Machine) allSoldered() Value {
	if !m.hasListedSlots() {
		return m.noPopulation()
	}
	out := PlainValue(false)
	for _, s := range m.eachDRAMModule() {
		switch v := soldered(s); {
		case v.Value == false:
			return v
		case out.Known():
			out = v
		}
	}
	if p, ok := m.population.Platform.Get(); ok && p.NoDIMMs {
		return out // an empty device of its table is a place for chips, too
	}
	for i := range m.sys.Slots {
		form := m.sys.Slots[i].FormFactor.Or("module")
		if out.Value == true && m.sys.Slots[i].State == inventory.SlotEmpty && form != "SODIMM" && (form == "module" || strings.HasSuffix(form, "DIMM")) {
			return MissingValue(fact.Conflicting, "firmware calls the memory soldered, and "+m.sys.Slots[i].Name()+" is a slot for a "+form, "a look at the board")
		}
	}
	return out
}

// soldered distinguishes chips on the board from DIMMs. A device without a form factor but with a DIMM label is
// a DIMM.
func soldered(s *inventory.Slot) Value {
	if !s.Soldered.Known() && strings.Contains(strings.ToUpper(s.Locator.Or("")), "DIMM") {
		return PlainValue(false)
	}
	return valueOf(s.Soldered)
}

func hasTechnology(t inventory.Technology) func(m *Machine) Value {
	return func(m *Machine) Value {
		return m.anySlot(func(s *inventory.Slot) Value {
			if s.State != inventory.SlotPopulated {
				return PlainValue(false)
			}
			return computedFrom(s.Technology, func(have inventory.Technology) any { return have == t })
		})
	}
}

func persistentBytes(m *Machine) Value {
	var sum Value
	total := int64(0)
	for i := range m.sys.Slots {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotPopulated && s.Technology.Or("") == inventory.NVDIMM {
			total += s.SizeBytes.Or(0)
			if sum = computedFrom(s.SizeBytes, func(int64) any { return total }); !sum.Known() {
				break
			}
		}
	}
	return sum
}

func gatherModules[T int64 | string](m *Machine, f func(s *inventory.Slot) Value) Value {
	var facts []Value
	for _, s := range m.eachDRAMModule() {
		facts = append(facts, f(s))
	}
	return gatherValues[T](facts)
}

// stoppedModules names the DIMMs without a running speed, if firmware reports one for others. It is unknown if
// firmware reports none at all, or has no field for it.
func stoppedModules(m *Machine) Value {
	var stated []Value
	names := []string{}
	missing := MissingValue(fact.Absent, "no DRAM module is listed", "")
	for i, s := range m.eachDRAMModule() {
		switch speed := valueOf(s.ConfiguredMTs); {
		case speed.Known():
			stated = append(stated, speed)
		case s.ConfiguredMTs.State == fact.Unstated:
			names = append(names, m.sys.Slots[i].Name())
			missing = speed
		default:
			return speed
		}
	}
	if len(stated) == 0 {
		return missing
	}
	return deriveValue(func() any { return names }, stated...)
}

// perSocket describes the memory of every CPU: "socket 0: 6 DIMMs, 24 GiB".
func perSocket(m *Machine) Value {
	var facts []Value
	out := []string{}
	for _, p := range m.population.Populations {
		facts = append(facts, valueOf(p.DIMMs), valueOf(p.Bytes))
		words := inventory.SocketSubject(p.Socket).String() + ": " + humanize.Plural(p.DIMMs.Or(0), "DIMM") + ", " + humanize.Size(p.Bytes.Or(0))
		if p.ChannelsPopulated.Known() && p.DIMMs.Or(0) > 0 {
			words += " on " + humanize.Plural(p.ChannelsPopulated.Value, "channel")
		}
		out = append(out, words)
	}
	if len(facts) == 0 {
		return m.noPopulation()
	}
	return deriveValue(func() any { return out }, facts...)
}

// moduleGaps names what is missing of modules that have channels of their own: an empty slot, a module smaller
// than the largest, fewer modules than the processors take. Firmware may list packages or all memory as one
// entry instead; then equal rows do not show the number of modules.
func moduleGaps(m *Machine) Value {
	p, ok := m.population.Platform.Get()
	switch {
	case !ok:
		return valueOf(m.population.Platform)
	case p.OwnChannels == "":
		return PlainValue([]string{})
	case !m.hasListedSlots():
		return m.noPopulation()
	}
	from := []Value{valueOf(m.population.Platform)}
	gaps := []string{}
	rows, largest := 0, int64(0)
	for i := range m.sys.Slots {
		s := &m.sys.Slots[i]
		switch {
		case s.Technology.Or(inventory.DRAM) != inventory.DRAM:
			continue
		case s.State == inventory.SlotUnknown:
			return MissingValue(fact.Unstated, s.Unsized(), s.SizeBytes.KnownBy)
		case s.State == inventory.SlotEmpty:
			gaps = append(gaps, m.sys.Slots[i].Name()+" is empty")
		default:
			from = append(from, valueOf(s.SizeBytes))
			largest = max(largest, s.SizeBytes.Or(0))
		}
		rows++
	}
	for i, s := range m.eachDRAMModule() {
		if s.SizeBytes.Or(0) < largest {
			gaps = append(gaps, m.sys.Slots[i].Name()+" has "+humanize.Size(s.SizeBytes.Or(0))+", others have "+humanize.Size(largest))
		}
	}
	processors := len(m.population.Populations)
	want := p.ModulesPerSocket * processors
	if len(gaps) > 0 || want == 0 || rows == want {
		return deriveValue(func() any { return gaps }, from...)
	}
	if each := rows / processors; rows > want || rows%processors == 0 && bits.OnesCount(uint(each)) == 1 {
		return MissingValue(fact.Absent, fmt.Sprintf("firmware lists %s for %s, and no document says whether each is one %s module", humanize.Plural(rows, "device"), humanize.Plural(processors, "processor"), p.OwnChannels), "")
	}
	gaps = append(gaps, fmt.Sprintf("%s for the %d places of %s", humanize.Plural(rows, p.OwnChannels+" module"), want, humanize.Plural(processors, "processor")))
	out := deriveValue(func() any { return gaps }, from...)
	out.Unverified = out.Unverified || slices.Contains(p.Unverified, "modules_per_socket")
	return out
}

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
