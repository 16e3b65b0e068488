package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/placeholder"
	"memaudit.example/memaudit/internal/source/smbios"
)

// slotsOfTable leaves out devices of arrays that are not system memory (flash, video, cache).
func slotsOfTable(t *smbios.Table) []inventory.Slot {
	foreign, cards := map[uint16]bool{}, map[uint16]bool{}
	for _, a := range t.MemoryArrays() {
		if use, ok := a.Use.Get(); ok && use != systemMemory {
			foreign[a.Handle] = true
		}
		cards[a.Handle] = a.Location.Or("") == cxlCard
	}
	count := t.Count(17)
	out := make([]inventory.Slot, 0, count)
	rows := make(map[uint16]int, count)
	var named []namedModule
	for d := range t.EachMemoryDevice() {
		array, known := d.Array.Get()
		if known && foreign[array] {
			continue
		}
		row := len(out)
		out = out[:row+1] // in place: a slot is large
		s := &out[row]
		at := structureOf(17, d.Handle, t)
		*s = inventory.Slot{Row: row, Handle: inventory.Handle(d.Handle), Array: d.Array.Or(0), State: inventory.SlotUnknown,
			Locator: labelFact(at, "Locator", d.Locator), BankLocator: labelFact(at, "Bank Locator", d.BankLocator),
			DeviceSet: fieldFact(at, "Set", d.Set, fact.Direct), FormFactor: wordFact(at, "Form Factor", d.FormFactor),
			Type: wordFact(at, "Type", d.Type), Technology: memoryTechnology(at, d), Soldered: isSoldered(at, d)}
		if installed, ok := d.Installed.Get(); ok && installed {
			s.State = inventory.SlotPopulated
		} else if ok {
			s.State = inventory.SlotEmpty
		}
		if s.State != inventory.SlotEmpty {
			fillModule(s, at, d)
		}
		if known && cards[array] {
			s.Technology = fact.Known(inventory.CXL, fact.Direct, structureOf(16, array, t).fieldEvidence("Location", cxlCard))
		}
		first, twice := rows[d.Handle]
		if twice && out[first].Array == s.Array && out[first].Locator.Value == s.Locator.Value && out[first].BankLocator.Value == s.BankLocator.Value {
			mergeDuplicate(&out[first], s)
			out = out[:len(out)-1]
			continue
		}
		if !twice {
			rows[d.Handle] = s.Row
		}
		if s.State == inventory.SlotEmpty {
			if n, ok := moduleNamed(row, t, d); ok {
				named = append(named, n)
			}
		}
	}
	markNamed(out, named, t)
	treatAsDRAM(out)
	return withoutDuplicates(out, t.MemoryArrays())
}

// treatAsDRAM changes modules to DRAM that firmware calls something else although others of the same part are DRAM, and
// those that it marks as non-volatile only by a bit of the type detail if it marks every module so (RH2288 V3, BIOS 1.69,
// with plain RDIMMs): no machine runs on NVDIMMs without DRAM.
func treatAsDRAM(slots []inventory.Slot) {
	every, volatile := true, map[string]bool{} // the part numbers of DRAM
	for s := range inventory.Pointers(slots) {
		every = every && (s.State == inventory.SlotEmpty || s.Technology.Or(inventory.Other) == inventory.Flash || nonVolatileByBit(s))
		if s.State != inventory.SlotEmpty && s.Technology.Or(inventory.Other) == inventory.DRAM && s.PartNumber.Known() {
			volatile[s.PartNumber.Value] = true
		}
	}
	for s := range inventory.Pointers(slots) {
		byBit := nonVolatileByBit(s)
		var reason string
		switch {
		case s.State == inventory.SlotEmpty || s.Technology.Known() && s.Technology.Value == inventory.DRAM:
			continue
		case s.Technology.State == fact.Conflicting:
			reason = s.Technology.Reason
		case every && byBit:
			reason = "firmware calls every module non-volatile, and no machine runs without DRAM"
		case volatile[s.PartNumber.Or("")]:
			reason = "firmware calls this module " + cmp.Or(s.Technology.From.Raw, s.Type.Value) + ", and others of the same part DRAM"
		default:
			continue
		}
		said := s.Technology.From
		s.Technology = fact.Known(inventory.DRAM, fact.Indirect, s.Type.From)
		s.NonVolatile = fact.Unknown[bool](fact.Conflicting, reason, "the module's label", said)
		if !byBit {
			s.Type = fact.Unknown[string](fact.Conflicting, reason, "the module's label", said)
		}
	}
}

func nonVolatileByBit(s *inventory.Slot) bool {
	return s.Technology.Or(inventory.Other) == inventory.NVDIMM && strings.HasSuffix(s.Technology.From.Field, "Type Detail") &&
		s.Registered.Or(false) && s.Type.Value != "Logical non-volatile device"
}

// withoutDuplicates removes devices that firmware lists a second time, in an array that does not exist,
// with the labels and size of a module in an existing array (some firmware of Phytium's FT-2000/4):
// the copy would count as a second module in one slot. The dangling handle remains among the table's
// problems.
func withoutDuplicates(slots []inventory.Slot, arrays []smbios.MemoryArray) []inventory.Slot {
	listed := map[uint16]bool{}
	for i := range arrays {
		listed[arrays[i].Handle] = true
	}
	type module struct {
		bytes         int64
		locator, bank string
	}
	named := func(s *inventory.Slot) module { return module{s.SizeBytes.Value, s.Locator.Value, s.BankLocator.Value} }
	originals := map[module]bool{}
	for s := range inventory.Pointers(slots) {
		if listed[s.Array] && s.State == inventory.SlotPopulated {
			originals[named(s)] = true
		}
	}
	kept := slots[:0] // in place: a slot is large
	for s := range inventory.Pointers(slots) {
		whole := s.State == inventory.SlotPopulated && s.SizeBytes.Known() && s.Locator.Known() && s.BankLocator.Known()
		if listed[s.Array] || !whole || !originals[named(s)] {
			kept = append(kept, *s)
			kept[len(kept)-1].Row = len(kept) - 1
		}
	}
	return kept
}

// systemMemory is the use of an array with the machine's main memory (DSP0134 7.17.2, 03h).
const systemMemory = "System Memory"

// cxlCard is the location of an array of CXL memory (DSP0134 7.17.1, A4h).
const cxlCard = "CXL Add-on Card"

// labelFact keeps placeholders such as "0" and "NO DIMM": they are the slot's label nevertheless.
func labelFact(s structure, name string, t smbios.Field[string]) fact.Fact[string] {
	f := textFact(s, name, t)
	if f.State == fact.Unstated && t.Value != "" {
		return fact.Known(t.Value, fact.Direct, s.fieldEvidence(name, t.Value))
	}
	return f
}

// wordFact converts an enumerated value to a fact; "Unknown" and "Other" are unstated.
func wordFact(s structure, name string, f smbios.Field[string]) fact.Fact[string] {
	if v, ok := f.Get(); ok && (v == "Unknown" || v == "Other" || v == "<OUT OF SPEC>") {
		return fact.Unknown[string](fact.Unstated, "firmware states "+v+" for "+describeField(s.kind, name), "", s.fieldEvidence(name, v))
	}
	return fieldFact(s, name, f, fact.Direct)
}

func fillModule(out *inventory.Slot, s structure, d *smbios.MemoryDevice) {
	out.SizeBytes = fieldFact(s, "Size", d.Size, fact.Direct)
	out.Ranks = fieldFact(s, "Rank", d.Rank, fact.Direct)
	out.DataWidth = fieldFact(s, "Data Width", d.DataWidth, fact.Indirect)
	out.TotalWidth = fieldFact(s, "Total Width", d.TotalWidth, fact.Indirect)
	// A structure without the configured speed (SMBIOS up to 2.6) has a single one, which is the rated speed on some firmware
	// and the running one on other firmware.
	certainty := fact.Direct
	if d.ConfiguredSpeed.Status == smbios.Missing {
		certainty = fact.Indirect
	}
	rated, configured := fieldFact(s, "Speed", d.Speed, certainty), fieldFact(s, "Configured Memory Speed", d.ConfiguredSpeed, fact.Direct)
	if !configured.Known() {
		configured.KnownBy = fact.ConfiguredSpeed
	}
	kind := d.Type.Or("")
	ratedIsClock, configuredIsClock := ddr.Clocks(kind, rated.Or(0), configured.Or(0))
	out.RatedMTs = rejectSpeed(rated, kind, ratedIsClock, "the module's label")
	out.ConfiguredMTs = rejectSpeed(configured, kind, configuredIsClock, "the BMC's memory inventory")
	out.MinMV = fieldFact(s, "Minimum Voltage", d.MinVoltage, fact.Direct)
	out.MaxMV = fieldFact(s, "Maximum Voltage", d.MaxVoltage, fact.Direct)
	out.ConfiguredMV = fieldFact(s, "Configured Voltage", d.ConfiguredVoltage, fact.Direct)
	out.Manufacturer = textFact(s, "Manufacturer", d.Manufacturer)
	out.PartNumber = textFact(s, "Part Number", d.PartNumber)
	out.Serial, out.AssetTag = d.Serial.Or(""), d.AssetTag.Or("")
	out.Registered = typeDetailBits(s, d, smbios.DetailRegistered|smbios.DetailLRDIMM)
	out.LoadReduced = typeDetailBits(s, d, smbios.DetailLRDIMM)
	out.NonVolatile = typeDetailBits(s, d, smbios.DetailNonVolatile)
}

// rejectSpeed makes a speed unknown if it may be a clock in MHz (ddr.Clocks), or is far from every data rate of the
// module's type.
func rejectSpeed(f fact.Fact[int], kind string, clock bool, knownBy fact.Input) fact.Fact[int] {
	shown := cmp.Or(kind, "memory")
	switch {
	case clock:
		return fact.Unknown[int](fact.Malformed, "the speed looks like a clock in MHz, not like transfers ("+fmt.Sprint(f.Value)+" for "+shown+")", knownBy, f.From)
	case f.Known() && ddr.Impossible(kind, f.Value):
		return fact.Unknown[int](fact.Malformed, fmt.Sprint(f.Value)+" is not a speed that "+shown+" can have", "", f.From)
	default:
		return f // overclocked, or the type is wrong
	}
}

// typeDetailBits is unknown if firmware sets none of the bits for registered, unbuffered and load-reduced.
func typeDetailBits(s structure, d *smbios.MemoryDevice, bits smbios.TypeDetail) fact.Fact[bool] {
	switch v, ok := d.Detail.Get(); {
	case !ok:
		return unknownField[bool](s, "Type Detail", d.Detail.Status)
	case bits != smbios.DetailNonVolatile && v&(smbios.DetailRegistered|smbios.DetailUnbuffered|smbios.DetailLRDIMM) == 0:
		return fact.Unknown[bool](fact.Unstated, "firmware does not state whether a module is registered", "", s.fieldEvidence("Type Detail", v.String()))
	default:
		return fact.Known(v&bits != 0, fact.Direct, s.fieldEvidence("Type Detail", v.String()))
	}
}

func memoryTechnology(s structure, d *smbios.MemoryDevice) fact.Fact[inventory.Technology] {
	known := func(t inventory.Technology, field, raw string) fact.Fact[inventory.Technology] {
		return fact.Known(t, fact.Direct, s.fieldEvidence(field, raw))
	}
	typ, tech := d.Type.Or(""), d.Technology.Or("")
	switch detail := d.Detail.Or(0); {
	case strings.HasPrefix(typ, "HBM") && strings.Contains(d.FormFactor.Or(""), "DIMM"):
		return fact.Unknown[inventory.Technology](fact.Conflicting, "firmware calls a DIMM "+typ+", which is on the processor's package", "the module's label", s.fieldEvidence("Type", typ))
	case typ == "Logical non-volatile device" && (tech == "DRAM" || !s.version.AtLeast(3, 2)): // the version that has this type first
		return fact.Unknown[inventory.Technology](fact.Conflicting, "firmware calls DRAM a non-volatile device", "the module's label", s.fieldEvidence("Type", typ))
	case typ == "Flash" || isROM(d):
		return known(inventory.Flash, "Type", typ)
	case strings.HasPrefix(typ, "HBM"):
		return known(inventory.HBM, "Type", typ)
	case strings.Contains(strings.ToUpper(d.Locator.Or("")), "CXL"):
		return known(inventory.CXL, "Locator", d.Locator.Value)
	case strings.HasPrefix(tech, "NVDIMM") || strings.HasPrefix(tech, "Intel Optane") || strings.HasPrefix(tech, "Intel persistent"):
		return known(inventory.NVDIMM, "Memory Technology", tech)
	case typ == "Logical non-volatile device" || detail.Has(smbios.DetailNonVolatile):
		return known(inventory.NVDIMM, "Type Detail", detail.String())
	case typ == "ROM" || typ == "EPROM" || typ == "EEPROM" || typ == "FEPROM":
		return known(inventory.Flash, "Type", typ)
	case tech == "DRAM":
		return known(inventory.DRAM, "Memory Technology", tech)
	case typ == "" || typ == "Unknown" || typ == "Other" || typ == "<OUT OF SPEC>":
		// Many old boards state neither; their slots hold DRAM.
		return fact.Known(inventory.DRAM, fact.Indirect, s.fieldEvidence("Type", typ))
	default:
		return known(inventory.DRAM, "Type", typ)
	}
}

// isROM recognises the BIOS chip, which some boards list among the memory devices. A DIMM is never a ROM, whatever its label.
func isROM(d *smbios.MemoryDevice) bool {
	if strings.Contains(d.FormFactor.Or(""), "DIMM") {
		return false
	}
	loc, bank := strings.ToUpper(d.Locator.Or("")), strings.ToUpper(d.BankLocator.Or(""))
	return loc == "BIOS" || loc == "SYSTEM ROM" || loc == "ROM0" || strings.HasPrefix(bank, "ROM")
}

func isSoldered(s structure, d *smbios.MemoryDevice) fact.Fact[bool] {
	form, ok := d.FormFactor.Get()
	if !ok {
		return unknownField[bool](s, "Form Factor", d.FormFactor.Status)
	}
	typ := d.Type.Or("")
	if form == "Other" && !strings.HasPrefix(typ, "LPDDR") {
		return fact.UnknownFrom[bool](wordFact(s, "Form Factor", d.FormFactor))
	}
	chip := form == "Die" || form == "Chip" || form == "Row Of Chips" ||
		(strings.HasPrefix(typ, "LPDDR") && !strings.Contains(form, "DIMM") && !strings.Contains(form, "CAMM"))
	return fact.Known(chip, fact.Direct, s.fieldEvidence("Form Factor", form))
}

// mergeDuplicate merges two descriptions of one slot. A handle identifies one structure (DSP0134 6.1.2),
// so two structures with the same handle and labels are one slot; fields that differ become unknown.
func mergeDuplicate(s, other *inventory.Slot) {
	if s.State != other.State {
		s.State = inventory.SlotUnknown
	}
	markConflict(&s.SizeBytes, other.SizeBytes)
	markConflict(&s.Technology, other.Technology)
	markConflict(&s.Soldered, other.Soldered)
	markConflict(&s.Type, other.Type)
	markConflict(&s.FormFactor, other.FormFactor)
	markConflict(&s.Registered, other.Registered)
	markConflict(&s.LoadReduced, other.LoadReduced)
	markConflict(&s.NonVolatile, other.NonVolatile)
	markConflict(&s.Ranks, other.Ranks)
	markConflict(&s.DataWidth, other.DataWidth)
	markConflict(&s.TotalWidth, other.TotalWidth)
	markConflict(&s.RatedMTs, other.RatedMTs)
	markConflict(&s.ConfiguredMTs, other.ConfiguredMTs)
	markConflict(&s.MinMV, other.MinMV)
	markConflict(&s.MaxMV, other.MaxMV)
	markConflict(&s.ConfiguredMV, other.ConfiguredMV)
	markConflict(&s.DeviceSet, other.DeviceSet)
	markConflict(&s.Manufacturer, other.Manufacturer)
	markConflict(&s.PartNumber, other.PartNumber)
	if s.Serial != other.Serial {
		s.Serial = ""
	}
	if s.AssetTag != other.AssetTag {
		s.AssetTag = ""
	}
}

func markConflict[T comparable](f *fact.Fact[T], other fact.Fact[T]) {
	if f.Known() == other.Known() && (!f.Known() || f.Value == other.Value) {
		return
	}
	*f = fact.Unknown[T](fact.Conflicting, "two structures with the slot's handle state different things", "", append(f.Evidence(), other.Evidence()...)...)
}

// dropMinorityFacts makes what firmware states of a module unknown if most modules of the same size and part number differ from
// it: they are equal (all of 1,103 kinds of modules in linuxhw/DMI but one). Without a majority no value is taken.
func dropMinorityFacts(slots []inventory.Slot) {
	type kind struct {
		vendor, part string
		bytes        int64
	}
	kinds := map[kind][]*inventory.Slot{}
	for i := range slots {
		if s := &slots[i]; s.State == inventory.SlotPopulated && s.PartNumber.Known() && s.SizeBytes.Known() {
			k := kind{s.Manufacturer.Or(""), s.PartNumber.Value, s.SizeBytes.Value}
			kinds[k] = append(kinds[k], s)
		}
	}
	for _, equal := range kinds {
		takeMajority(equal, "type", func(s *inventory.Slot) *fact.Fact[string] { return &s.Type })
		takeMajority(equal, "rated speed", func(s *inventory.Slot) *fact.Fact[int] { return &s.RatedMTs })
		takeMajority(equal, "number of ranks", func(s *inventory.Slot) *fact.Fact[int] { return &s.Ranks })
		takeMajority(equal, "data width", func(s *inventory.Slot) *fact.Fact[int] { return &s.DataWidth })
		takeMajority(equal, "total width", func(s *inventory.Slot) *fact.Fact[int] { return &s.TotalWidth })
		takeMajority(equal, "register", func(s *inventory.Slot) *fact.Fact[bool] { return &s.Registered })
		takeMajority(equal, "load reduction", func(s *inventory.Slot) *fact.Fact[bool] { return &s.LoadReduced })
		takeMajority(equal, "form", func(s *inventory.Slot) *fact.Fact[bool] { return &s.Soldered })
	}
}

func takeMajority[T comparable](equal []*inventory.Slot, what string, of func(*inventory.Slot) *fact.Fact[T]) {
	counts, stated := map[T]int{}, 0
	for _, s := range equal {
		if v, ok := of(s).Get(); ok {
			counts[v]++
			stated++
		}
	}
	if len(counts) < 2 {
		return
	}
	for _, s := range equal {
		if f := of(s); f.Known() && 2*counts[f.Value] <= stated {
			*f = fact.Unknown[T](fact.Conflicting, fmt.Sprintf("%s and another module have the part number %s, and firmware states another %s for each (%s here)",
				s.Name(), s.PartNumber.Value, what, f.From.Raw), "the module's label", f.Evidence()...)
		}
	}
}

// namedModule is a module that firmware names in a slot whose size is 0.
type namedModule struct {
	row                  int
	vendor, part, serial string
	mts                  int
	device               smbios.MemoryDevice
}

// moduleNamed returns the module that firmware describes in an empty slot: its rated or configured speed, and beside it its vendor and part
// number, or its ranks, or its part number alone. Firmware sets the size of a disabled module to 0 and leaves its other
// fields. A single leftover is common in a slot that is really empty: a speed alone, or a text such as
// "Array1_PartNumber1" without a speed.
func moduleNamed(row int, t *smbios.Table, d *smbios.MemoryDevice) (namedModule, bool) {
	left := t.Leftovers(d)
	n := namedModule{row: row, vendor: statedText(left.Manufacturer), part: statedText(left.PartNumber), serial: statedText(left.Serial), device: left,
		mts: left.Speed.Or(left.ConfiguredSpeed.Or(0))}
	return n, n.mts > 0 && (n.part != "" || left.Rank.Known())
}

func statedText(t smbios.Field[string]) string {
	if placeholder.Is(t.Or("")) {
		return ""
	}
	return strings.TrimSpace(t.Or(""))
}

// markNamed makes the state of a slot unknown if firmware names a module there but reports size 0,
// unless it prints such texts for every slot. A machine runs from some module: without any other, each of these may be one.
func markNamed(slots []inventory.Slot, named []namedModule, t *smbios.Table) {
	var real []*namedModule
	none := !slices.ContainsFunc(slots, func(s inventory.Slot) bool {
		return s.State == inventory.SlotPopulated && s.Technology.Or("") == inventory.DRAM
	})
	for n := range inventory.Pointers(named) {
		if none || n.vendor != "" && n.part != "" && !isBoilerplate(slots, named, n) || clearsEmpty(slots, named, n) {
			real = append(real, n)
		}
	}
	for _, n := range real { // after all are checked: filling in a slot changes the result for others
		s := &slots[n.row]
		at := structureOf(17, uint16(s.Handle), t)
		fillModule(s, at, &n.device)
		s.State, s.Named = inventory.SlotUnknown, true
		s.SizeBytes = fact.Unknown[int64](fact.Conflicting,
			fmt.Sprintf("firmware counts no memory in %s and names a module there (%s%d MT/s)", s.Name(), n.describeModule(), n.mts),
			"a look into the slot, or the firmware's event log, which says whether it disabled the module", at.fieldEvidence("Size", "0"))
	}
}

func (n *namedModule) describeModule() string {
	words := append(strings.Fields(n.vendor), strings.Fields(n.part)...)
	if r, ok := n.device.Rank.Get(); ok && n.part == "" {
		words = append(words, humanize.Plural(r, "rank"))
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " ") + ", "
}

// clearsEmpty reports whether firmware leaves these fields unset in another empty slot of the array: what it states in this
// one is then a module's, unless it could not run with those that are there. What all empty slots have proves nothing.
func clearsEmpty(slots []inventory.Slot, named []namedModule, n *namedModule) bool {
	bare := 0
	registered := n.device.Detail.Or(0)&(smbios.DetailRegistered|smbios.DetailLRDIMM) != 0
	for i := range slots {
		switch s := &slots[i]; {
		case s.State == inventory.SlotPopulated && s.Registered.Known() && s.Registered.Value != registered:
			return false
		case s.State == inventory.SlotEmpty && s.Array == slots[n.row].Array:
			bare++
		}
	}
	for i := range named {
		if slots[named[i].row].Array == slots[n.row].Array {
			bare--
		}
	}
	return n.device.Rank.Known() && bare > 0
}

// isBoilerplate reports whether firmware prints this text in any slot, with or without a module: numbered
// like the slots ("Mfg 1", "SODIMM001"), equal to the text of a populated slot without a serial number in either, or the same part number in all slots for different vendors or
// for two modules with the same serial number (Phytium FT-2000/4).
func isBoilerplate(slots []inventory.Slot, named []namedModule, n *namedModule) bool {
	others, everywhere, impossible := 0, true, false
	numbered := func(vendor, part, serial string) bool {
		others++
		everywhere = everywhere && part == n.part
		impossible = impossible || vendor != n.vendor || serial != "" && serial == n.serial
		return vendor != n.vendor && part != n.part && withoutDigits(vendor) == withoutDigits(n.vendor) && withoutDigits(part) == withoutDigits(n.part)
	}
	for s := range inventory.Pointers(slots) {
		if s.State != inventory.SlotPopulated {
			continue
		}
		vendor, part := s.Manufacturer.Or(""), s.PartNumber.Or("")
		if numbered(vendor, part, s.Serial) || vendor == n.vendor && part == n.part && s.Serial == "" && n.serial == "" {
			return true
		}
	}
	for i := range named {
		if o := &named[i]; o != n && numbered(o.vendor, o.part, o.serial) {
			return true
		}
	}
	return everywhere && impossible && len(slots) == others+1
}

func withoutDigits(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r >= '0' && r <= '9' }), "")
}
