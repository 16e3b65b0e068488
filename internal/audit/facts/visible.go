package facts

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Without a kernel it is the memory without an address from firmware.
func hiddenMemory(m *Machine) Value {
	if !m.visibleMemory().Known() && m.sys.Memory.MappedBytes.Known() {
		return unmappedMemory(m)
	}
	return m.unseenMemory(m.seenMemory())
}

// seenMemory returns the memory that the system sees: what firmware gave the kernel, or what the kernel uses if that
// is clearly less, because of a kernel option, a reservation or offline memory blocks, which firmware's map
// does not show.
func (m *Machine) seenMemory() fact.Fact[int64] {
	visible := m.visibleMemory()
	if !m.isPartlyUnused(visible) {
		return visible
	}
	used := m.usedMemory()
	if o := m.memoryLimitOptions(); o.Known() && len(o.Value.([]string)) > 0 {
		used.More = append(used.More[:len(used.More):len(used.More)], m.sys.NUMA.Options.From)
	}
	return used
}

// usedMemory returns the memory that the kernel uses: MemTotal, and what it reserves for a crash kernel.
func (m *Machine) usedMemory() fact.Fact[int64] {
	used := m.sys.Memory.TotalBytes
	if crash := m.sys.Memory.CrashBytes; used.Known() && crash.Or(0) > 0 {
		used.Value += crash.Value
		used.More = append(used.More[:len(used.More):len(used.More)], crash.From)
	}
	return used
}

// isPartlyUnused reports whether the kernel uses less of the given memory than it normally does.
func (m *Machine) isPartlyUnused(given fact.Fact[int64]) bool {
	used := m.usedMemory()
	return given.Known() && used.Known() && given.Value-used.Value > normalReserve(given.Value)
}

// withheldMemory is 0 up to what the kernel normally reserves.
func withheldMemory(m *Machine) Value {
	given, used := m.visibleMemory(), m.usedMemory()
	return deriveValue(func() any {
		if !m.isPartlyUnused(given) {
			return int64(0)
		}
		return given.Value - used.Value
	}, valueOf(given), valueOf(used))
}

// memoryLimitOptions do not matter if firmware's map shows that the kernel uses all but its reserve (memmap= is for a bad page, too).
func (m *Machine) memoryLimitOptions() Value {
	o := m.memoryOptions()
	if given := m.sys.Memory.MapBytes; o.Known() && given.Known() && m.sys.Memory.TotalBytes.Known() && !m.isPartlyUnused(given) {
		o.Value = []string{}
	}
	return o
}

// A system that sees more than the DIMMs' capacity proves their list incomplete.
func (m *Machine) unseenMemory(seen fact.Fact[int64]) Value {
	installed, visible := valueOf(m.population.InstalledBytes), valueOf(seen)
	return m.unlessIncomplete(deriveValue(func() any {
		return max(0, m.population.InstalledBytes.Value-seen.Value)
	}, installed, visible, positiveCapacity(installed)))
}

// The best figure counts, or otherwise any; one that was rejected (a guest of Xen) is not replaced.
func (m *Machine) visibleMemory() fact.Fact[int64] {
	k := &m.sys.Memory
	if k.VisibleBytes.Known() || k.VisibleBytes.State == fact.Refused {
		return k.VisibleBytes
	}
	return fact.First(k.MapBytes, k.BlockBytes, k.TotalBytes, k.VisibleBytes)
}

func (m *Machine) unlessIncomplete(v Value) Value {
	installed, visible := m.population.InstalledBytes, m.visibleMemory()
	if v.Known() && visible.Value > installed.Value+installed.Value/100 {
		return Value{State: fact.Conflicting, From: v.From, More: v.More,
			Reason: "the system sees " + humanize.Size(visible.Value) + ", more than the " + humanize.Size(installed.Value) + " of the listed modules"}
	}
	return v
}

// Firmware and kernel keep 4 % of the memory or 2 GiB, whichever is larger.
func normalReserve(installed int64) int64 { return max(installed/25, 2<<30) }

// shortNodes describes the nodes that lack more of their processor's modules than is normally reserved.
func shortNodes(m *Machine) Value {
	out, facts := []string{}, []Value{}
	for i := range m.population.Populations {
		s := m.ofSocket(&m.population.Populations[i])
		nodes, _ := s.kernelNodes()
		has := kernelBytes(s)
		if facts = append(facts, has, valueOf(s.pop.Bytes)); !has.Known() {
			continue
		}
		names := make([]string, len(nodes))
		for j := range nodes {
			names[j] = strconv.Itoa(nodes[j].ID)
		}
		if seen, all := has.Value.(int64), s.pop.Bytes.Value; len(nodes) > 0 && all-seen > normalReserve(all) {
			word, verb := "node ", " has "
			if len(nodes) > 1 {
				word, verb = "nodes ", " have "
			}
			out = append(out, word+sentenceList(names)+verb+humanize.Size(seen)+" of "+humanize.Size(all))
		}
	}
	if len(facts) == 0 {
		return m.noPopulation()
	}
	return deriveValue(func() any { return out }, facts...)
}

// Half or a third of the memory is visible then. Any other share (rank sparing, a failed DIMM, a kernel option) is unknown.
func isMirrored(m *Machine) Value {
	h := m.unseenMemory(m.visibleMemory())
	if !h.Known() {
		return h
	}
	installed := m.population.InstalledBytes.Value
	lost := h.Value.(int64)
	if lost <= normalReserve(installed) {
		h.Value = false
		return h
	}
	if o := m.memoryOptions(); o.Known() && len(o.Value.([]string)) > 0 {
		return MissingValue(fact.Refused, "a kernel option limits usable memory: "+sentenceList(o.Value.([]string)), "boot without the option")
	}
	for _, parts := range []int64{2, 3} {
		visible := installed - lost
		if visible <= installed/parts && visible >= installed/parts-normalReserve(installed/parts) {
			h.Value = true
			return h
		}
	}
	return Value{State: fact.Absent, From: h.From, More: h.More, KnownBy: fact.BIOSExportPassed,
		Reason: humanize.Size(lost) + " of " + humanize.Size(installed) + " are missing, which is neither a normal reservation nor a mirror"}
}

func (m *Machine) memoryOptions() Value {
	return computedFrom(m.sys.NUMA.Options, func(options []string) any {
		out := []string{}
		for _, o := range options {
			if strings.HasPrefix(o, "mem=") || strings.HasPrefix(o, "memmap=") {
				out = append(out, o)
			}
		}
		return out
	})
}

// The values of SMBIOS (DSP0134 7.17) for the error correction of an array.
const (
	eccNone   = "None"
	eccParity = "Parity"
)

func (m *Machine) noArray() Value {
	if m.hasListedSlots() {
		return MissingValue(fact.Absent, "SMBIOS lists memory devices without an array that would declare their error correction", "load the platform's EDAC driver")
	}
	return m.noPopulation()
}

func unmappedMemory(m *Machine) Value {
	v := withoutAddress(m)
	if reason := m.sys.Memory.MappedDoubt; reason != "" {
		v = withDoubt(v, &fact.Doubt{Reason: reason, KnownBy: fact.LiveKernel})
	}
	return v
}

// Firmware's map is accepted if all is mapped but what is normally reserved, and if the difference is that of whole DIMMs; any
// other total is as often an error of the map as missing memory.
func withoutAddress(m *Machine) Value {
	installed, mapped := valueOf(m.population.InstalledBytes), valueOf(m.sys.Memory.MappedBytes)
	v := deriveValue(func() any { return max(0, m.population.InstalledBytes.Value-m.sys.Memory.MappedBytes.Value) }, installed, mapped, positiveCapacity(installed))
	if !v.Known() {
		return v
	}
	doubt := func(reason string) Value {
		v.Value, v.State, v.Reason, v.KnownBy = nil, fact.Conflicting, reason, fact.LiveKernel
		return v
	}
	total, given := m.population.InstalledBytes.Value, m.sys.Memory.MappedBytes.Value
	lost, silent := v.Value.(int64), m.silentModules()
	var silentBytes int64
	for _, i := range silent {
		silentBytes += m.sys.Slots[i].SizeBytes.Or(0)
	}
	account := "firmware maps " + humanize.Size(given) + " of " + humanize.Size(total)
	doubted := m.doubtedLoss(lost, silent)
	switch {
	case given > total+total/100:
		return doubt(account + ", more than the listed modules hold")
	case lost <= normalReserve(total) && (lost == 0 || doubted != ""):
		return v
	case doubted != "":
		return doubt(account + doubted)
	case silentBytes == lost:
		v.Certainty = fact.Corroborated
		for _, i := range silent {
			said := valueOf(m.sys.Slots[i].Mapped)
			addSources(&v, &said)
		}
	case slices.ContainsFunc(m.sys.Slots, func(s inventory.Slot) bool { return s.HoldsDRAM() && s.SizeBytes.Or(0) == lost }):
		return doubt(account + ", one module less, and no module is without an address range or a running speed beside its neighbours")
	}
	return v
}

// doubtedLoss returns why it is doubtful that firmware maps so much less than is installed; "" if it may be so.
func (m *Machine) doubtedLoss(lost int64, silent []int) string {
	switch {
	case m.sys.Memory.MappedEnd <= 4*gibibyte:
		return " and no address above 4 GiB: it does not list the rest"
	case lost%(64*gibibyte) == 0 && m.sys.Memory.MappedBytes.Value < 64*gibibyte:
		return ", which is what 36 address bits leave of it"
	case !m.sumOfModules(lost):
		return ", and the difference is not the size of whole modules"
	}
	if name := m.listedTwice(silent); name != "" {
		return ", but " + name + " is listed twice"
	}
	return ""
}

const gibibyte = int64(1) << 30

// maxSums limits the capacities that sumOfModules keeps: DIMMs of one machine have few sizes.
const maxSums = 1 << 14

func (m *Machine) sumOfModules(bytes int64) bool {
	sums := map[int64]bool{0: true}
	for _, s := range m.eachDRAMModule() {
		var more []int64
		for sum := range sums {
			if next := sum + s.SizeBytes.Value; next <= bytes {
				more = append(more, next)
			}
		}
		for _, sum := range more {
			sums[sum] = true
		}
		if len(sums) > maxSums {
			return false
		}
	}
	return sums[bytes]
}

// Firmware must report an address range or a running speed for others.
func (m *Machine) silentModules() []int {
	var out []int
	running, ranged := false, false
	for _, s := range m.eachDRAMModule() {
		running, ranged = running || s.ConfiguredMTs.Known(), ranged || s.Mapped.Or(false)
	}
	for i, s := range m.eachDRAMModule() {
		stopped, outside := s.ConfiguredMTs.State == fact.Unstated, s.Mapped.Known() && !s.Mapped.Value
		if running && stopped || ranged && outside {
			out = append(out, i)
		}
	}
	return out
}

// listedTwice names a DIMM without an address range that has both labels of another one, or one of them and an
// array that does not exist: Phytium's FT-2000/4 lists a DIMM a second time like that.
func (m *Machine) listedTwice(silent []int) string {
	for _, i := range silent {
		s := &m.sys.Slots[i]
		for j, o := range m.eachDRAMModule() {
			if i == j || !s.Locator.Known() || !s.BankLocator.Known() {
				continue
			}
			locator, bank := s.Locator.Value == o.Locator.Value, s.BankLocator.Value == o.BankLocator.Value
			if locator && bank || (locator || bank) && !m.hasArray(s.Array) && m.hasArray(o.Array) {
				return m.sys.Slots[i].Name()
			}
		}
	}
	return ""
}

func (m *Machine) hasArray(handle uint16) bool {
	return slices.ContainsFunc(m.sys.Arrays, func(a inventory.Array) bool { return a.Handle == handle })
}

// silentNames names the DIMMs missing from firmware's map, if they add up to the memory that is not mapped.
func silentNames(m *Machine) Value {
	v := unmappedMemory(m)
	if !v.Known() {
		return v
	}
	v.Value = []string{}
	if v.Certainty == fact.Corroborated {
		v.Value = m.slotNames(m.silentModules())
	}
	return v
}

// moduleLost reports whether DIMMs missing from firmware's map add up to what it does not map, and the system
// sees no more than the rest: one DIMM of many is lost even if it is smaller than what is normally reserved.
func moduleLost(m *Machine) Value {
	v, unseen := unmappedMemory(m), hiddenMemory(m)
	return deriveValue(func() any { return v.Certainty == fact.Corroborated && unseen.Value.(int64) >= v.Value.(int64) }, v, unseen)
}

// smallestModule returns the capacity of the smallest DIMM in bytes: less hidden memory than that is ignored.
func smallestModule(m *Machine) Value {
	sizes := gatherModules[int64](m, func(s *inventory.Slot) Value { return valueOf(s.SizeBytes) })
	if all, known := sizes.Value.([]int64); known && len(all) == 0 {
		return m.noPopulation()
	} else if known {
		sizes.Value = all[0]
	}
	return sizes
}

func hasUnknownSize(s *inventory.Slot) bool {
	return s.State == inventory.SlotUnknown && !s.Named && s.SizeBytes.State == fact.Unstated && s.Technology.Or(inventory.DRAM) == inventory.DRAM &&
		s.Type.Known() && (s.Manufacturer.Known() || s.PartNumber.Known())
}

func (m *Machine) suspectModules() []int {
	out := m.silentModules()
	for i := range m.sys.Slots {
		if hasUnknownSize(&m.sys.Slots[i]) {
			out = append(out, i)
		}
	}
	return out
}

// A suspect module without a size counts as the smallest other.
func (m *Machine) workingMemory() (working Value, suspect int64, sizeless bool) {
	var facts []Value
	var sum, least int64
	suspects := m.suspectModules()
	for i, s := range m.eachDRAMModule() {
		facts = append(facts, valueOf(s.SizeBytes))
		n := s.SizeBytes.Or(0)
		if least == 0 || n < least {
			least = n
		}
		if slices.Contains(suspects, i) {
			suspect += n
		} else {
			sum += n
		}
	}
	for i := range m.sys.Slots {
		switch s := &m.sys.Slots[i]; {
		case hasUnknownSize(s):
			suspect, sizeless = suspect+least, true
		case s.State == inventory.SlotUnknown:
			facts = append(facts, MissingValue(fact.Unstated, s.Unsized(), s.SizeBytes.KnownBy))
		}
	}
	if len(facts) == 0 {
		return m.noPopulation(), 0, false
	}
	return deriveValue(func() any { return sum }, facts...), suspect, sizeless
}

// suspectMemoryIdle is true if the memory of all suspect modules is missing and no more, false if none of it is. What a working machine
// would reserve of that size proves nothing, unless firmware's own map leaves just these modules out.
func (m *Machine) suspectMemoryIdle() Value {
	working, suspect, sizeless := m.workingMemory()
	if v := unmappedMemory(m); v.Known() && v.Certainty == fact.Corroborated && (!m.visibleMemory().Known() || moduleLost(m).Value == true) {
		v.Value = true
		return v
	}
	if !m.visibleMemory().Known() && !sizeless {
		out := deriveValue(func() any { return false }, unmappedMemory(m), working)
		if mapped, ok := m.sys.Memory.MappedBytes.Get(); ok && out.Known() {
			if all := working.Value.(int64) + suspect; all-mapped > normalReserve(all) || mapped > all {
				return MissingValue(fact.Conflicting, "the memory that firmware maps is neither that of all modules nor that without "+sentenceList(m.slotNames(m.suspectModules())), "the BMC's event log")
			}
		}
		return out
	}
	seen := m.seenMemory()
	if !m.visibleMemory().Known() {
		if reason := m.sys.Memory.MappedDoubt; reason != "" {
			return MissingValue(fact.Conflicting, reason, fact.LiveKernel)
		}
		if seen = m.sys.Memory.MappedBytes; m.sys.Memory.MappedEnd <= 4*gibibyte {
			seen = fact.Unknown[int64](fact.Absent, "firmware maps no address above 4 GiB", "run memaudit on the machine itself")
		}
	}
	out := deriveValue(func() any { return false }, working, valueOf(seen), positiveCapacity(working))
	if !out.Known() {
		return out
	}
	if o := m.memoryLimitOptions(); o.Known() && len(o.Value.([]string)) > 0 {
		return MissingValue(fact.Refused, "a kernel option limits usable memory: "+sentenceList(o.Value.([]string)), "boot without the option")
	}
	sum := working.Value.(int64)
	switch lost := sum + suspect - seen.Value; {
	case seen.Value <= sum+sum/100 && lost > normalReserve(sum+suspect) && sum-seen.Value <= normalReserve(sum):
		out.Value, out.Certainty = true, min(out.Certainty, fact.Corroborated)
		return out
	case lost <= normalReserve(sum+suspect) && suspect > normalReserve(sum+suspect):
		return out
	default:
		return MissingValue(fact.Conflicting, "the memory that the system does not see is not just that of "+sentenceList(m.slotNames(m.suspectModules())), "the BMC's event log")
	}
}
