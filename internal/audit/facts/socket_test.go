package facts

import (
	"testing"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/topology/population"
)

// TestSharesAndOrder checks that a share is measured only if a document measured this layout, and that an order is
// documented only if one could be followed.
func TestSharesAndOrder(t *testing.T) {
	share := 0.78
	measured, modelled, ungraded := channels(1, 1), channels(1, 1), channels(1, 1)
	measured.pop.Relative = sure(population.Share{Value: &share, Low: 0.5, High: 1, By: "the population model", Document: "Example"})
	modelled.pop.Relative = sure(population.Share{Low: 0.5, High: 1})
	ungraded.pop.Relative = fact.Unknown[population.Share](fact.Absent, "no policy is documented", "")
	holdFields(t, "socket", []fieldCase{
		{"", "share_measured", measured, 0.78, ""}, {"", "share_source", measured, "Example", ""},
		{"by the model alone", "share_measured", modelled, nil, "no document measured this layout"},
		{"", "share_low", modelled, 0.5, ""},
		{"not graded", "share_measured", ungraded, nil, "no policy is documented"},
	})
	followed, none, unplaced := channels(1, 1), channels(1, 1), channels(1, 1)
	followed.pop.Order = sure(false)
	none.pop.Order = fact.Unknown[bool](fact.Absent, "no document", "")
	unplaced.pop.Order, unplaced.pop.DPC = none.pop.Order, fact.Unknown[[]int](fact.Absent, "no place", "")
	open := channels(1, 1)
	open.pop.Order = fact.Unknown[bool](fact.Unstated, "B2 states no size", "")
	holdFields(t, "socket", []fieldCase{
		{"broken", "order_documented", followed, true, ""}, {"no document", "order_documented", none, false, ""},
		{"no place either", "order_documented", unplaced, nil, "no document"}, {"not known whether it is kept", "order_documented", open, nil, "states no size"},
	})
}
