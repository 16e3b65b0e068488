package collect

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/smbios"
)

// contradicted joins two descriptions of one slot. A handle names one structure (DSP0134 6.1.2), so
// two structures with the same handle and labels are one slot; what they do not agree on becomes
// unknown.
func contradicted(s, other *inventory.Slot) {
	if s.State != other.State {
		s.State = inventory.SlotUnknown
	}
	contradict(&s.SizeBytes, other.SizeBytes)
	contradict(&s.Technology, other.Technology)
	contradict(&s.Soldered, other.Soldered)
	contradict(&s.Type, other.Type)
	contradict(&s.FormFactor, other.FormFactor)
	contradict(&s.Registered, other.Registered)
	contradict(&s.LoadReduced, other.LoadReduced)
	contradict(&s.NonVolatile, other.NonVolatile)
	contradict(&s.Ranks, other.Ranks)
	contradict(&s.DataWidth, other.DataWidth)
	contradict(&s.TotalWidth, other.TotalWidth)
	contradict(&s.RatedMTs, other.RatedMTs)
	contradict(&s.ConfiguredMTs, other.ConfiguredMTs)
	contradict(&s.MinMV, other.MinMV)
	contradict(&s.MaxMV, other.MaxMV)
	contradict(&s.ConfiguredMV, other.ConfiguredMV)
	contradict(&s.DeviceSet, other.DeviceSet)
	contradict(&s.Manufacturer, other.Manufacturer)
	contradict(&s.PartNumber, other.PartNumber)
	if s.Serial != other.Serial {
		s.Serial = ""
	}
	if s.AssetTag != other.AssetTag {
		s.AssetTag = ""
	}
}

// contradict makes a fact unknown if two structures with one handle state different values, or only
// one of them states a value.
func contradict[T comparable](f *fact.Fact[T], other fact.Fact[T]) {
	if f.Known() == other.Known() && (!f.Known() || f.Value == other.Value) {
		return
	}
	*f = fact.Unknown[T](fact.Conflicting, "two structures with the slot's handle state different things", "", append(f.Evidence(), other.Evidence()...)...)
}

// namedModule is a module that firmware names in a slot whose size is 0.
type namedModule struct {
	row                 int
	maker, part, serial string
	device              smbios.MemoryDevice
}

// moduleNamed returns the module that firmware names in an empty slot: maker, part number and speed
// are stated. Firmware that maps a module out, or that finds it disabled, gives it the size 0 and
// leaves the rest. Single leftovers are common in slots that are really empty: a speed, a text such
// as "Array1_PartNumber1" without a speed.
func moduleNamed(row int, t *smbios.Table, d *smbios.MemoryDevice) (namedModule, bool) {
	left := t.Leftovers(d)
	n := namedModule{row: row, maker: statedText(left.Manufacturer), part: statedText(left.PartNumber), serial: statedText(left.Serial), device: left}
	return n, n.maker != "" && n.part != "" && left.Speed.Known()
}

// statedText returns a text of firmware; "" stands for a placeholder and for a text without a letter
// or digit.
func statedText(t smbios.Text) string {
	v := strings.TrimSpace(t.Or(""))
	if smbios.Placeholder(v) || !strings.ContainsFunc(v, isWordRune) {
		return ""
	}
	return v
}

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// countNamed makes the state of slots unknown in which firmware names a module but counts no memory,
// unless it prints such texts for every slot.
func countNamed(slots []inventory.Slot, named []namedModule, t *smbios.Table) {
	var real []*namedModule
	for i := range named {
		if !standing(slots, named, &named[i]) {
			real = append(real, &named[i])
		}
	}
	for _, n := range real {
		s := &slots[n.row]
		at := structureOf(17, s.Handle, t)
		module(s, at, &n.device)
		s.State, s.Named = inventory.SlotUnknown, true
		s.SizeBytes = fact.Unknown[int64](fact.Conflicting,
			fmt.Sprintf("firmware counts no memory in %s and names a module there (%s %s, %d MT/s)", s.Name(), n.maker, n.part, n.device.Speed.Value),
			"a look into the slot, or the firmware's event log, which says whether it disabled the module", at.evidence("Size", "0"))
	}
}

// standing tells whether the text is one that firmware always prints and not a module's: numbered
// like the slot ("Mfg 1", "SODIMM001"), or one part number in all slots, filled or not, of two makers
// or of two modules with one serial number (Phytium FT-2000/4).
func standing(slots []inventory.Slot, named []namedModule, n *namedModule) bool {
	others, everywhere, impossible := 0, true, false
	numbered := func(maker, part, serial string) bool {
		others++
		everywhere = everywhere && part == n.part
		impossible = impossible || maker != n.maker || serial != "" && serial == n.serial
		return maker != n.maker && part != n.part && unnumbered(maker) == unnumbered(n.maker) && unnumbered(part) == unnumbered(n.part)
	}
	for i := range slots {
		if s := &slots[i]; s.State == inventory.SlotPopulated && numbered(s.Manufacturer.Or(""), s.PartNumber.Or(""), s.Serial) {
			return true
		}
	}
	for i := range named {
		if o := &named[i]; o != n && numbered(o.maker, o.part, o.serial) {
			return true
		}
	}
	return everywhere && impossible && len(slots) == others+1
}

// unnumbered returns a text without its digits.
func unnumbered(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}
