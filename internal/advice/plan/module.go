package plan

import (
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// moveModule puts a module into a slot. What belongs to the slot stays: handle,
// array, labels, stated positions, the place in the table. Which addresses it
// gets only the next boot shows.
func moveModule(to, module *inventory.Slot) {
	slot := *to
	*to = *module
	to.Handle, to.Array, to.Row, to.HPE, to.BMC = slot.Handle, slot.Array, slot.Row, slot.HPE, slot.BMC
	to.Locator, to.BankLocator, to.Unique, to.DeviceSet = slot.Locator, slot.BankLocator, slot.Unique, slot.DeviceSet
	to.FormFactor, to.Range = slot.FormFactor, nil
	if !slot.FormFactor.Known() {
		to.FormFactor = module.FormFactor
	}
}

func clearSlot(s *inventory.Slot) {
	slot := *s
	*s = inventory.Slot{
		Handle: slot.Handle, Array: slot.Array, Row: slot.Row, HPE: slot.HPE, BMC: slot.BMC,
		Locator: slot.Locator, BankLocator: slot.BankLocator, Unique: slot.Unique, DeviceSet: slot.DeviceSet, FormFactor: slot.FormFactor,
		Soldered: slot.Soldered, Technology: slot.Technology, State: inventory.SlotEmpty,
	}
}

const nextBoot = "only the next boot shows"

func unread() fact.Fact[int] {
	return fact.Unknown[int](fact.Unread, nextBoot, "")
}
