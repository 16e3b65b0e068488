package plan

import (
	"strconv"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

// SlotName is a slot's label, with the bank's if labels repeat, or its handle.
func SlotName(sys *inventory.System, slot int) string {
	name := sys.Slots[slot].Name()
	if sys.Slots[slot].Locator.Or("") == "" {
		return name
	}
	if bank := BankLabel(sys, slot); bank != "" {
		return name + " (" + bank + ")"
	}
	return name
}

// BankLabel is the bank's label of a slot whose own label another slot has too; "" if the label is unique.
func BankLabel(sys *inventory.System, slot int) string {
	l := sys.Slots[slot].Locator.Or("")
	for i := range sys.Slots {
		if i != slot && sys.Slots[i].Locator.Or("") == l {
			return sys.Slots[slot].BankLocator.Or("")
		}
	}
	return ""
}

// moduleWords describes a module to buy, by firmware's data of a similar one.
func moduleWords(s *inventory.Slot) string {
	out := humanize.Size(s.SizeBytes.Or(0))
	if t, ok := s.Type.Get(); ok {
		out += " " + t
	}
	if r, ok := s.Ranks.Get(); ok {
		out += " of " + strconv.Itoa(r) + " rank"
		if r != 1 {
			out += "s"
		}
	}
	return out
}
