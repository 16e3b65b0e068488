package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
)

// TestNamesOfSlots checks that a slot is found by every name in reports, and that an ambiguous name finds none.
func TestNamesOfSlots(t *testing.T) {
	sys := &inventory.System{Slots: []inventory.Slot{
		{Handle: 0x40, Locator: assumed("DIMM 1"), BankLocator: assumed("NODE 0")}, {Handle: 0x41, Locator: assumed("DIMM-1")},
		{Handle: 0x42, BankLocator: assumed("NODE 1")}, {Handle: 0x43, Locator: assumed("A10")},
		{Handle: 0x44, Locator: assumed("PROC 1 DIMM 4D")}, {Handle: 0x45, Locator: assumed("PROC 2 DIMM 4D")},
		{Handle: 0x46, Locator: assumed("P1-DIMMB2")}, {Handle: 0x47, Locator: assumed("--")},
	}}
	assert.Equal(t, []string{"DIMM 1", "0x0040", "NODE 0/DIMM 1"}, slotNames(sys, 0))
	assert.Equal(t, []string{"DIMM-1", "0x0041"}, slotNames(sys, 1))
	assert.Equal(t, []string{"0x0042"}, slotNames(sys, 2), "a bank alone is not a name")
	for name, slot := range map[string]int{
		"dimm 1": 0, "DIMM-1": 1, "node 0/dimm 1": 0, "0X42": 2, "0x0042": 2, "0042": 2, "slot 0x0043 (A10)": 3, "a-10": 3, "10": 3,
		"1/4D": 4, "PROC 2 4D": 5, "2-dimm4d": 5, "B2": 6, "P1 B2": 6, "DIMMB2": 6,
	} {
		found, err := findSlot(sys, name)
		require.NoError(t, err, name)
		assert.Equal(t, slot, found, name)
	}
	for name, says := range map[string]string{
		"dimm1":    `slot "dimm1" is 2 slots: say DIMM 1, DIMM-1`,
		"4D":       `slot "4D" is 2 slots: say PROC 1 DIMM 4D, PROC 2 DIMM 4D`,
		"":         "a slot has no name",
		"A1":       `no slot "A1" (the nearest is "A10")`,
		"0":        `no slot "0" (the nearest is`, // not the end of a number
		"0x52":     `(the nearest is "0x0042")`,
		"DIMM 1,2": "for several slots repeat the option",
	} {
		_, err := findSlot(sys, name)
		require.ErrorContains(t, err, says)
	}
	assert.Empty(t, closest(&inventory.System{}, "A1"))
	assert.Equal(t, ` (the nearest is "0x0042")`, closest(&inventory.System{Slots: sys.Slots[2:3]}, "A1"), "a slot that has no other name is named by its handle")
	repeated := &inventory.System{Slots: []inventory.Slot{{Handle: 1, Locator: assumed("D")}, {Handle: 2, Locator: assumed("D")}}}
	_, err := findSlot(repeated, "d")
	require.ErrorContains(t, err, `slot "d" is 2 slots: say 0x0001, 0x0002`)
}
