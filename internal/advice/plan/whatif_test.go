package plan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// TestWhatIf checks an R710 with one channel of three empty, with expectations derived by hand.
func TestWhatIf(t *testing.T) {
	p := pipeline(t)
	sys := machine(t, "dell-r710-two-channels")
	topo, found := p.Derive(sys), audited(t, sys, p)
	var changes []plan.Change
	for _, slot := range []string{"dimm_a3", "DIMM_A6", "DIMM_B3", "DIMM_B6"} {
		changes = append(changes, plan.Change{Do: plan.Install, To: slot, Bytes: 4 << 30})
	}
	after, _, err := plan.WhatIf(sys, topo, changes)
	require.NoError(t, err)
	out, err := plan.Compare(sys, topo, found, after, p)
	require.NoError(t, err)
	assert.Empty(t, out.FindingsNew)
	require.Len(t, out.FindingsGone, 2)
	assert.Equal(t, "memory.channel.populated", out.FindingsGone[0].Rule)
	assert.Equal(t, []int64{25_584_000_000, 48 << 30}, []int64{*out.After.Sockets[1].PeakBytes, *out.After.CapacityBytes})
}

// TestSlowMemoryStaysSlow checks that an R610 whose memory runs slower than expected still does after any steps: nothing is
// moved for a clock, the promise is for the running one, and a comparison without changes shows none.
func TestSlowMemoryStaysSlow(t *testing.T) {
	p := pipeline(t)
	sys := paper("dell-r610-good", dimms(1, 2)...).where(func(s *inventory.Slot) {
		s.ConfiguredMTs = fact.Known(800, fact.Direct, fact.Evidence{})
	}, func(string) bool { return true })(t)
	c := hold(t, sys, p)
	assert.Contains(t, hasResult(c.found), "memory.speed.expected fail")
	require.NotEmpty(t, c.made.Advice)
	for _, a := range c.made.Advice {
		for _, s := range a.Reaches.Sockets {
			assert.Equal(t, []int{800, 0}, []int{*s.ClockMTs, int(*s.PeakBytes % (800_000_000 * 8))})
		}
	}
	same, err := plan.Compare(sys, c.topo, c.found, plan.ApplySteps(sys, nil), p)
	require.NoError(t, err)
	assert.Equal(t, same.Before.Sockets, same.After.Sockets)
	assert.Empty(t, append(same.FindingsNew, same.FindingsGone...))
}

// hasResult are the results of rules, each once.
func hasResult(found *verdict.Audit) map[string]bool {
	out := map[string]bool{}
	for i := range found.Findings {
		out[found.Findings[i].Rule+" "+string(found.Findings[i].Result)] = true
	}
	return out
}

// TestWhatIfSwaps checks that two consecutive moves from one full slot to another and back are a swap, and that any other move
// onto a module is refused, with how to swap.
func TestWhatIfSwaps(t *testing.T) {
	sys := machine(t, "dell-r710-two-channels")
	sys.Slots[0].SizeBytes.Value *= 2
	before, topo := sys.Slots[0].SizeBytes.Value, pipeline(t).Derive(sys)
	there, back := plan.Change{Do: plan.Move, From: "DIMM_A1", To: "DIMM_A2"}, plan.Change{Do: plan.Move, From: "dimm a2", To: "0x1100"}
	after, _, err := plan.WhatIf(sys, topo, []plan.Change{there, back})
	require.NoError(t, err)
	assert.Equal(t, []int64{before / 2, before, before}, []int64{after.Slots[0].SizeBytes.Value, after.Slots[1].SizeBytes.Value, sys.Slots[0].SizeBytes.Value})
	assert.Equal(t, []string{"DIMM_A1", "DIMM_A2"}, []string{label(&after.Slots[0]), label(&after.Slots[1])}, "labels stay where they are")
	again, _, err := plan.WhatIf(sys, topo, []plan.Change{there, back, back, there})
	require.NoError(t, err)
	assert.Equal(t, before, again.Slots[0].SizeBytes.Value)
	const how = "DIMM_A2 is not empty: move or remove its module first, or swap the two: --move A=B --move B=A"
	for _, second := range []plan.Change{
		{}, {Do: plan.Move, From: "DIMM_A2", To: "DIMM_A4"}, {Do: plan.Move, From: "DIMM_A4", To: "DIMM_A1"}, {Do: plan.Remove, From: "DIMM_A2"}, {Do: plan.Move, From: "DIMM_A2", To: "DIMM_Z9"},
	} {
		_, _, err := plan.WhatIf(sys, topo, []plan.Change{there, second})
		require.EqualError(t, err, how, second)
	}
	self := plan.Change{Do: plan.Move, From: "DIMM_A1", To: "DIMM_A1"}
	_, _, err = plan.WhatIf(sys, topo, []plan.Change{self, self})
	assert.EqualError(t, err, "DIMM_A1 is not empty: move or remove its module first")
}

// TestWhatIfNames checks that slots are found as people write them if only one matches, and what is said if none or several do.
func TestWhatIfNames(t *testing.T) {
	remove := func(sys *inventory.System, name string) (*inventory.System, error) {
		after, _, err := plan.WhatIf(sys, pipeline(t).Derive(sys), []plan.Change{{Do: plan.Remove, From: name}})
		return after, err
	}
	r710, rx600, r740 := machine(t, "dell-r710-two-channels"), machine(t, "fujitsu-rx600s6-class1"), server(t, "dell-r740", firstSlots)
	for _, name := range []string{"DIMM_A1", "dimm_a1", " DIMM_A1 ", "'DIMM_A1'", `"DIMM_A1"`, "DIMM A1", "dimm-a1", "DIMMA1", "A1", "a-1", "0x1100", "0X1100", "1100", "slot 0x1100 (DIMM_A1)"} {
		after, err := remove(r710, name)
		if assert.NoError(t, err, name) {
			assert.Equal(t, inventory.SlotEmpty, after.Slots[0].State, name)
		}
	}
	for _, c := range []struct {
		sys        *inventory.System
		name, says string
	}{
		{r710, "DIMM_A3", "DIMM_A3 holds no module to remove"},
		{r710, "DIM_A1", `no slot "DIM_A1" (the nearest is "DIMM_A1")`},
		{r710, "1", `slot "1" is 2 slots: say DIMM_A1; DIMM_B1`},
		{r710, "B10", `no slot "B10" (the nearest is "DIMM_B1")`},
		{r710, "0x11FF", `no slot "0x11FF" (the nearest is "0x110`},
		{r710, "DIMM_A1,DIMM_A2", "for several slots repeat the option"},
		{r710, " ", "a slot has no name"},
		{r740, "1", `slot "1" is 2 slots: say A1; B1`},
		{rx600, "DIMM-1A", "is 8 slots: say CPU1-MEM-A DIMM-1A"},
	} {
		_, err := remove(c.sys, c.name)
		assert.ErrorContains(t, err, c.says)
	}
}

// TestWhatIfLike checks that a new module is like the one on its channel, else like one of its processor, and that the chosen
// one is named if those of its size differ.
func TestWhatIfLike(t *testing.T) {
	sys := server(t, "dell-r740", firstSlots)
	topo, bytes := pipeline(t).Derive(sys), sys.Slots[0].SizeBytes.Value
	_, taken, err := plan.WhatIf(sys, topo, []plan.Change{{Do: plan.Install, To: "A9", Bytes: bytes}})
	require.NoError(t, err)
	require.Empty(t, taken, "all modules are alike")
	each(t, sys, func(s *inventory.Slot) { s.Ranks.Value = 4 }, "A3")
	each(t, sys, func(s *inventory.Slot) { s.Ranks.Value = 1 }, "B1", "B2", "B3", "B4", "B5", "B6")
	for to, want := range map[string]struct {
		ranks int
		like  string
	}{"A9": {4, "A3"}, "A7": {2, "A1"}, "B9": {1, "B3"}} {
		t.Run(to, func(t *testing.T) {
			after, taken, err := plan.WhatIf(sys, topo, []plan.Change{{Do: plan.Install, To: to, Bytes: bytes}})
			require.NoError(t, err)
			assert.Equal(t, want.ranks, slotAt(t, after, to).Ranks.Value)
			require.Len(t, taken, 1)
			assert.Contains(t, taken[0], "the one in "+to+" is taken to be like that in "+want.like+": ")
		})
	}
}

// TestSizeOfModule checks the sizes that exist: powers of two, and modules of 24-Gbit chips.
func TestSizeOfModule(t *testing.T) {
	for size, made := range map[int64]bool{512 << 20: true, 4 << 30: true, 12 << 30: true, 96 << 30: true, 256 << 30: true, 3 << 30: false, 6 << 30: false, 20 << 30: false, 384 << 30: false, 2 << 40: false} {
		assert.Equal(t, made, plan.SizeOfModule(size), size)
	}
}

// TestMemoryKind checks which kind of memory is bought if firmware, the platform's document and the rated speed differ.
func TestMemoryKind(t *testing.T) {
	for _, c := range []struct {
		why, stated, documented string
		mts                     int
		want                    string
	}{
		{"a speed that is none of the kind's changes nothing", "DDR4", "DDR4", 2600, "DDR4"},
		{"a CELSIUS R670 calls DDR3 modules DDR2", "DDR2", "DDR3", 1333, "DDR3"},
		{"a speed of both kinds decides nothing", "DDR2", "DDR3", 800, ""},
		{"boards for Haswell-EP with DDR3 exist", "DDR3", "DDR4", 1333, "DDR3"},
		{"an RH1288 V3 says DRAM", "DRAM", "DDR4", 2400, "DDR4"},
		{"firmware says nothing, nor the speed", "", "DDR3", 0, "DDR3"},
		{"a speed that the document's kind has not", "", "DDR3", 2400, ""},
		{"fully buffered modules are not DDR2 that another board takes", "DDR2", "DDR2 FB-DIMM", 667, "DDR2 FB-DIMM"},
		{"no document", "DDR5", "", 4800, "DDR5"},
		{"no document, no kind", "RAM", "", 1333, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := inventory.Slot{Type: fact.Known(c.stated, fact.Direct, fact.Evidence{}), RatedMTs: fact.Known(c.mts, fact.Direct, fact.Evidence{})}
			assert.Equal(t, c.want, plan.MemoryKind(c.documented, &s))
		})
	}
}
