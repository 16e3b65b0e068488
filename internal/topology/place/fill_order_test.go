package place

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/rules"
)

// TestFillOrder checks which slot of a channel is first in the boards' documents: the blue one, or that farthest from
// the processor, is the second of the S1200SP and the first of the others.
func TestFillOrder(t *testing.T) {
	at := &Placement{}
	for board, labels := range map[string][]string{
		"S1200SP":   {"DIMM_A2", "DIMM_A1"},
		"S2400EP":   {"DIMM_F1", "DIMM_F2"},
		"S2600COE":  {"DIMM_H1", "DIMM_H2"},
		"S2600CW":   {"DIMM_E1", "DIMM_E2"},
		"S2600WTTR": {"DIMM_C1", "DIMM_C2", "DIMM_C3"},
		"S5000PAL0": {"ONBOARD DIMM_D1", "ONBOARD DIMM_D2"},
		"S5000PSL":  {"ONBOARD DIMM_B1", "ONBOARD DIMM_B2"},
		"S5500BC":   {"DIMM_D1", "DIMM_D2"},
		"S5520UR":   {"DIMM_F1", "DIMM_F2"},
		"MD80-TM0":  {"DIMM_P1_E0", "DIMM_P1_E1", "DIMM_P1_E2"},
		"MP30-AR0":  {"DIMM_P0_C0", "DIMM_P0_C1"},
		"MU70-SU0":  {"DIMM_P0_B0", "DIMM_P0_B1", "DIMM_P0_B2"},
		"MW50-SV0":  {"DIMM_P0_D0", "DIMM_P0_D1"},
		"S2600WT2R": {"DIMM_A1", "DIMM_A2", "DIMM_A3"},
	} {
		o := ReadFillOrder(rules.FS, &inventory.Machine{Board: known(board), Product: known("ParX T404i G6 Server")})
		require.NotNil(t, o, board)
		for turn, label := range labels {
			assert.Equal(t, turn, o.Turn(label, at), "%s %s", board, label)
		}
		assert.Contains(t, o.Source, ", ")
	}
	// No document that was read describes these, whatever their labels.
	for _, board := range []string{"S1200RP", "S1200BTL", "S2600WFT", "W2600CR", "S5500HCV", "X11SSL-F", "X8DTU", "S2600CW2"} {
		assert.Nil(t, ReadFillOrder(rules.FS, &inventory.Machine{Board: known(board), Product: known(board)}), board)
	}
	assert.NotNil(t, ReadFillOrder(rules.FS, &inventory.Machine{Product: known("S1200SP")}), "firmware may name the board as the product")
	assert.Nil(t, ReadFillOrder(rules.FS, &inventory.Machine{}))
	assert.Nil(t, ReadFillOrder(nil, &inventory.Machine{Board: known("S1200SP")}))
	assert.Nil(t, ReadFillOrder(fstest.MapFS{}, &inventory.Machine{Board: known("S1200SP")}))
}

// TestTurn checks that a label is the document's with another channel; any other label, and a slot with an uncertain
// place, has no position in the order.
func TestTurn(t *testing.T) {
	at := &Placement{}
	intel, digits := &FillOrder{labels: []string{"DIMM_A1", "DIMM_A2"}}, &FillOrder{labels: []string{"DIMM1B", "DIMM1A"}}
	for _, c := range []struct {
		order *FillOrder
		label string
		want  int
	}{
		{intel, "DIMM_A1", 0},
		{intel, "DIMM_H2", 1},
		{intel, " dimm_h2 ", 1},
		{intel, "CPU2_DIMM_A2", 1},
		{intel, "ONBOARD DIMM_A2", 1},
		{intel, "XDIMM_A2", Unplaced},
		{intel, "2DIMM_A2", Unplaced},
		{intel, "ZDIMM_A2", Unplaced},
		{intel, "aDIMM_A2", Unplaced},
		{intel, "DIMM_Z2", 1},
		{intel, "DIMM_A3", Unplaced},
		{intel, "DIMM_12", Unplaced},
		{intel, "DIMM_-2", Unplaced},
		{intel, "DIMM_AA2", Unplaced},
		{intel, "ChannelA-DIMM1", Unplaced},
		{intel, "A1", Unplaced},
		{intel, "", Unplaced},
		{digits, "DIMM4A", 1},
		{digits, "DIMM4B", 0},
		{digits, "P1_DIMM4b", 0},
		{digits, "DIMMAB", Unplaced},
		{nil, "DIMM_A1", Unplaced},
		{&FillOrder{labels: []string{"1"}}, "DIMM_A1", Unplaced},
	} {
		assert.Equal(t, c.want, c.order.Turn(c.label, at), c.label)
	}
	for name, unsure := range map[string]Placement{
		"no channel": {Channel: Unplaced}, "no slot": {Slot: Unplaced}, "not verified": {Unverified: true}, "doubted": {Doubt: "two in one place"},
	} {
		assert.Equal(t, Unplaced, intel.Turn("DIMM_A1", &unsure), name)
	}
}
