package place

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestLoggedErrors checks that errors in the kernel's log count for the slot that firmware names, by handle, by bank
// and slot or by the part's name; for no slot if it names none; and not at all if an EDAC driver counts.
func TestLoggedErrors(t *testing.T) {
	text := func(s string) fact.Fact[string] { return fact.Known(s, fact.Direct, fact.Evidence{}) }
	slot := func(handle uint16, bank, locator string) inventory.Slot {
		return inventory.Slot{Handle: handle, Locator: text(locator), BankLocator: text(bank), State: inventory.SlotPopulated}
	}
	const hour = 3600
	sys := &inventory.System{Slots: []inventory.Slot{slot(0x1100, "NODE 0", "A1"), slot(0x1101, "NODE 1", "A1"), slot(0x1102, "NODE 1", "B1"), slot(0x1103, "NODE 1", "C1")}}
	sys.Logged = fact.Known([]inventory.LoggedErrors{
		{Handle: 0x1100, Corrected: []int64{1 * hour, 20 * hour, 30 * hour}},
		{Handle: -1, Location: "NODE 1 A1", Uncorrected: []int64{7}},
		{Handle: -1, FRU: "B1", Corrected: []int64{8}},
		{Handle: -1, FRU: "A1", Corrected: []int64{9}}, // two slots have the name
		{Handle: -1, Place: "node 1, card 0", Corrected: []int64{10}},
	}, fact.Direct, fact.Evidence{})
	places := make([]Placement, len(sys.Slots))
	slots, stray := JoinErrors(sys, nil, places)
	a1 := slots[0]
	assert.Equal(t, ByLog, a1.By)
	assert.Equal(t, []int64{3, 2, 30 * hour}, []int64{a1.Corrected.Value, a1.CorrectedWorstDay.Value, a1.CountedSeconds.Value}, "20 and 30 hours are within a day")
	assert.False(t, a1.Uncorrected.Known(), "the log shows at least so many: none is not zero")
	assert.Equal(t, int64(1), slots[1].Uncorrected.Value)
	assert.Equal(t, int64(1), slots[2].Corrected.Value)
	assert.False(t, slots[3].Corrected.Known(), "no line in the log does not mean no error")
	var labels []string
	for _, s := range stray {
		labels = append(labels, s.Label)
	}
	assert.Equal(t, []string{"A1", "node 1, card 0"}, labels)

	sys.EDAC = []inventory.Controller{{DIMMs: []inventory.ControllerDIMM{{Label: text("unknown"), Corrected: fact.Known(int64(0), fact.Direct, fact.Evidence{})}}}}
	slots, stray = JoinErrors(sys, nil, places)
	assert.NotEqual(t, ByLog, slots[0].By)
	assert.Len(t, stray, 1)
}
