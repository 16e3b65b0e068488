package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// TestChannelsOf checks that the channels have the certainty of their slots' places, and are unknown if one is.
func TestChannelsOf(t *testing.T) {
	m := NewMachine(&inventory.System{Slots: []inventory.Slot{{Handle: 1}, {Handle: 2}, {Handle: 3}}},
		&population.Result{Placements: []place.Placement{
			{Channel: 0, Certainty: fact.Direct}, {Channel: 1, Certainty: fact.Indirect, Unverified: true}, {Channel: place.Unplaced, Reason: "no label"}}})
	one, two := m.channelsOf([]uint16{1}), m.channelsOf([]uint16{1, 2})
	assert.Equal(t, []any{int64(1), fact.Direct, false}, []any{one.v, one.Certainty, one.Unverified})
	assert.Equal(t, []any{int64(2), fact.Indirect, true}, []any{two.v, two.Certainty, two.Unverified})
	assert.Equal(t, "no label", m.channelsOf([]uint16{1, 3}).Reason)
	assert.Equal(t, "the machine has no slot 0x000A today", m.channelsOf([]uint16{10}).Reason)
}
