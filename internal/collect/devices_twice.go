package collect

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/placeholder"
	"memaudit.example/memaudit/internal/source/smbios"
)

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
	for n := range inventory.Each(named) {
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
	for s := range inventory.Each(slots) {
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
