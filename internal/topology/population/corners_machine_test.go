package population

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestAlikeByBytes checks that processors with different sums differ whatever their channels have, and that an
// unverified input makes the comparison unverified.
func TestAlikeByBytes(t *testing.T) {
	of := func(sum fact.Fact[int64], channels fact.Fact[[]int64]) Population {
		return Population{Bytes: sum, ChannelBytes: channels, ChannelSlots: make([][]int, len(channels.Value))}
	}
	whole := of(sure[int64](8), sure([]int64{4, 4}))
	for name, c := range map[string]struct {
		pops               []Population
		known, same, doubt bool
	}{
		"alike":               {[]Population{whole, whole}, true, true, false},
		"other sums":          {[]Population{whole, of(sure[int64](12), open[[]int64]("x"))}, true, false, false},
		"other, unverified":   {[]Population{whole, of(doubtful[int64](12), open[[]int64]("x"))}, true, false, true},
		"other, first doubt":  {[]Population{of(doubtful[int64](8), sure([]int64{4, 4})), of(sure[int64](12), open[[]int64]("x"))}, true, false, true},
		"a sum is not known":  {[]Population{whole, of(open[int64]("x"), sure([]int64{4, 4}))}, true, true, false},
		"no sum is known":     {[]Population{of(open[int64]("x"), sure([]int64{4, 4})), whole}, true, true, false},
		"channels not known":  {[]Population{whole, of(sure[int64](8), open[[]int64]("x"))}, false, false, false},
		"other channels":      {[]Population{whole, of(sure[int64](8), sure([]int64{6, 2}))}, true, false, false},
		"in another order":    {[]Population{of(sure[int64](8), sure([]int64{2, 6})), of(sure[int64](8), sure([]int64{6, 2}))}, true, true, false},
		"unverified channels": {[]Population{of(sure[int64](8), doubtful([]int64{4, 4})), whole}, true, true, true},
		"unverified last":     {[]Population{whole, of(sure[int64](8), doubtful([]int64{4, 4}))}, true, true, true},
	} {
		b := &builder{sys: &inventory.System{}}
		got := b.channelsAlike(c.pops)
		assert.Equal(t, [3]bool{c.known, c.same, c.doubt}, [3]bool{got.Known(), got.Value, got.Unverified}, name)
	}
}

// TestRegionsRestOn checks that regions depend on the sizes, the lockstep pairs and the policy, and with a policy by
// controllers on stated controllers of the channels.
func TestRegionsRestOn(t *testing.T) {
	for name, c := range map[string]struct {
		policy      string
		verified    bool
		bytes, lock bool
		stated      bool
		want        bool
	}{
		"stated":             {platform.PolicySymmetricIMC, true, false, false, true, false},
		"sizes":              {platform.PolicySymmetricIMC, true, true, false, true, true},
		"lockstep":           {platform.PolicySymmetricIMC, true, false, true, true, true},
		"platform":           {platform.PolicySymmetricIMC, false, false, false, true, true},
		"controllers":        {platform.PolicySymmetricIMC, true, false, false, false, true},
		"another policy":     {platform.PolicyAny, true, false, false, false, false},
		"another, stated":    {platform.PolicyAny, true, false, false, true, false},
		"another, of nobody": {platform.PolicyAny, false, false, false, true, true},
	} {
		p := &platform.Platform{Policy: c.policy, Verified: c.verified, ChannelsPerSocket: 2}
		b := &builder{platform: p, fact: sure(p), sys: &inventory.System{Slots: make([]inventory.Slot, 1)}, places: make([]place.Placement, 1)}
		pop := &Population{Slots: []int{0}, ChannelBytes: sure([]int64{4, 4}), Lockstep: sure(true)}
		pop.ChannelBytes.Unverified, pop.Lockstep.Unverified = c.bytes, c.lock
		b.fillRegions(pop, &layout{bytes: []int64{4, 4}, dpc: []int{1, 1}, ctrl: []int{0, 0}, ctrls: 1}, c.stated)
		if assert.True(t, pop.Regions.Known(), "%s: %s", name, pop.Regions.Reason) {
			assert.Equal(t, c.want, pop.Regions.Unverified, name)
		}
	}
}

// TestUnowned checks that the first module without a processor makes every count unknown and is named in the reason,
// and that an empty slot does not.
func TestUnowned(t *testing.T) {
	slot := func(state inventory.SlotState, name string) inventory.Slot {
		return inventory.Slot{State: state, Locator: sure(name), Technology: sure(inventory.DRAM), SizeBytes: sure[int64](8)}
	}
	sys := &inventory.System{Slots: []inventory.Slot{slot(inventory.SlotPopulated, "A1"), slot(inventory.SlotEmpty, "A2"),
		slot(inventory.SlotPopulated, "B1"), slot(inventory.SlotPopulated, "B2")}}
	b := &builder{sys: sys, unowned: -1, places: []place.Placement{{Socket: 0}, {Socket: place.Unplaced}, {Socket: place.Unplaced, Reason: "no map"},
		{Socket: place.Unplaced, Reason: "another"}}}
	pops := []Population{{Socket: 0}}
	for i := range sys.Slots[:2] {
		b.assign(i, pops)
	}
	assert.Equal(t, -1, b.unowned)
	b.count(&pops[0])
	assert.Equal(t, 1, pops[0].DIMMs.Value)
	b.assign(2, pops)
	b.assign(3, pops)
	assert.Equal(t, 2, b.unowned)
	b.count(&pops[0])
	assert.Contains(t, pops[0].DIMMs.Reason, "B1")
	assert.Contains(t, pops[0].DIMMs.Reason, ": no map")
	b.places[2].Reason = ""
	b.count(&pops[0])
	assert.NotContains(t, pops[0].DIMMs.Reason, ":")
	for _, n := range []int{2, 1} {
		b.places = b.places[:n]
		b.count(&pops[0])
		assert.Contains(t, pops[0].DIMMs.Reason, "B1")
	}
	first := &builder{sys: sys, unowned: -1}
	first.assign(0, pops)
	first.assign(2, pops)
	assert.Equal(t, 0, first.unowned, "without any placement the first module is the one")
	assert.Equal(t, "the chipset", ownerName(place.Unplaced))
	assert.Equal(t, "socket 0", ownerName(0))
}

// TestCertaintyOfCounts checks that a count has the certainty of its modules' processors, that an unverified map
// makes channels doubtful but not processors, and that the chipset has all modules.
func TestCertaintyOfCounts(t *testing.T) {
	for _, c := range []struct {
		at   place.Placement
		fsb  bool
		want fact.Certainty
	}{
		{place.Placement{Certainty: fact.Direct}, false, fact.Direct},
		{place.Placement{Certainty: fact.Indirect}, false, fact.Indirect},
		{place.Placement{Certainty: fact.Indirect, Unverified: true}, false, fact.Direct},
		{place.Placement{Certainty: fact.Indirect, Socket: place.Unplaced}, false, fact.Direct},
		{place.Placement{Certainty: fact.Indirect}, true, fact.Direct},
	} {
		b := &builder{sys: &inventory.System{Slots: []inventory.Slot{{State: inventory.SlotPopulated, SizeBytes: sure[int64](8), Technology: sure(inventory.DRAM)}}},
			places: []place.Placement{c.at}, unowned: -1, frontSideBus: c.fsb}
		pop := &Population{Slots: []int{0}}
		b.count(pop)
		assert.Equal(t, c.want, pop.DIMMs.Certainty, c)
		assert.Equal(t, c.want, pop.Bytes.Certainty, c)
	}
}

// TestPolicyByControllers checks that the regions are unknown without controllers, and that a single one has all
// channels.
func TestPolicyByControllers(t *testing.T) {
	p := &platform.Platform{Policy: platform.PolicySymmetricIMC}
	for name, c := range map[string]struct {
		l     layout
		known bool
	}{
		"one":      {layout{bytes: []int64{4, 4}, ctrl: []int{0, 0}, ctrls: 1}, true},
		"two":      {layout{bytes: []int64{4, 4}, ctrl: []int{0, 1}, ctrls: 2}, true},
		"none":     {layout{bytes: []int64{4, 4}, ctrl: []int{0, 0}}, false},
		"not told": {layout{bytes: []int64{4, 4}, ctrls: 2}, false},
	} {
		_, known := c.l.regions(p)
		assert.Equal(t, c.known, known, name)
	}
	assert.Equal(t, []int{1}, takingControllers(1))
	assert.Equal(t, []int{2, 1}, takingControllers(2))
	assert.Equal(t, []int{4, 2, 1}, takingControllers(4))
}
