package facts

import (
	"testing"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// TestSocketFacts checks the facts of a processor's memory, and of the chipset's, which belongs to no processor.
func TestSocketFacts(t *testing.T) {
	chipset, own := channels(1, 1), channels(2, 1)
	chipset.sock = nil
	own.sock = &inventory.Socket{ID: 1, Populated: sure(true), Brand: sure("Xeon X5670")}
	own.m.sys.Nodes = []inventory.Node{{Socket: sure(1), MemoryBytes: sure(int64(5))}, {Socket: sure(0), MemoryBytes: sure(int64(7))},
		{Socket: sure(1), HasCPU: sure(false), MemoryBytes: sure(int64(9))}}
	counted := channels(1, 1)
	counted.pop.DIMMs = fact.Unknown[int](fact.Absent, "the processor of B1 is not known", "")
	homeless := channels(1)
	homeless.m.sys.Nodes = []inventory.Node{{Socket: fact.Unknown[int](fact.Denied, "its CPUs were denied", "")}}
	holdFields(t, "socket", []fieldCase{
		{"the chipset's", "id", chipset, nil, "belongs to the chipset"}, {"the chipset's", "brand", chipset, nil, "belongs to the chipset"},
		{"the chipset's", "populated", chipset, true, ""},
		{"a processor's", "id", own, int64(1), ""}, {"a processor's", "brand", own, "Xeon X5670", ""},
		{"its nodes with processors", "kernel_bytes", own, int64(5), ""},
		{"a node of which the socket is not known", "kernel_bytes", homeless, nil, "its CPUs were denied"},
		{"modules that may be missing", "sizes", counted, nil, "the processor of B1 is not known"},
		{"", "sizes", own, []int64{8 << 30}, ""}, {"", "dpc_max", own, int64(2), ""},
	})
}

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

// TestLockstepOrder checks which slot breaks the order of lockstep pairs, if a document gives one.
func TestLockstepOrder(t *testing.T) {
	of := func(p platform.Platform, faults ...population.OrderFault) *socketFacts {
		s := channels(1, 1)
		s.m.population.Platform = sure(&p)
		s.pop.Lockstep, s.pop.Bytes, s.pop.Order, s.pop.OrderFaults = sure(true), sure(int64(16<<30)), sure(len(faults) == 0), faults
		return s
	}
	documented := platform.Platform{Name: "Example EX", LockstepPairs: true, Detail: platform.Detail{LockstepChannels: [][]int{{0, 1}}}}
	unpaired := documented
	unpaired.LockstepPairs = false
	unread := of(documented)
	unread.m.sys.Slots = nil
	holdFields(t, "socket", []fieldCase{
		{"kept", "lockstep_order", of(documented), []string{}, ""},
		{"broken", "lockstep_order", of(documented, population.OrderFault{Slot: 0, Smaller: place.Unplaced}, population.OrderFault{Slot: 2, Smaller: 0}),
			[]string{"A1 is filled before an earlier position of its controller", "B1 (8 GiB) comes after the smaller A1"}, ""},
		{"no pairs", "lockstep_order", of(unpaired), nil, "no document gives a fill order of lockstep pairs for Example EX"},
		{"no channels", "lockstep_order", of(platform.Platform{Name: "Example EX", LockstepPairs: true}), nil, "no document gives"},
		{"nothing was read", "lockstep_order", unread, nil, ""},
	})
}
