package plan_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/inventory"
)

// TestWhatIf checks the RX600 S6's second half of the boards, with expectations derived by hand.
func TestWhatIf(t *testing.T) {
	p := pipeline(t)
	sys := machine(t, "dell-r710-two-channels")
	found, topo, _ := planned(t, sys, p)
	after, _, err := plan.WhatIf(sys, topo, []plan.Change{
		{Do: plan.Install, To: "dimm_a3", Bytes: 4 << 30}, {Do: plan.Install, To: "0x1102", Bytes: 4 << 30},
	})
	require.ErrorContains(t, err, "DIMM_A3 is not empty")
	require.Nil(t, after)
	after, _, err = plan.WhatIf(sys, topo, []plan.Change{
		{Do: plan.Install, To: "DIMM_A3", Bytes: 4 << 30}, {Do: plan.Install, To: "DIMM_A6", Bytes: 4 << 30},
		{Do: plan.Install, To: "DIMM_B3", Bytes: 4 << 30}, {Do: plan.Install, To: "DIMM_B6", Bytes: 4 << 30},
	})
	require.NoError(t, err)
	out, err := plan.Compare(sys, topo, found, after, p)
	require.NoError(t, err)
	require.Empty(t, out.FindingsNew)
	require.Len(t, out.FindingsGone, 2)
	require.Equal(t, "memory.channel.populated", out.FindingsGone[0].Rule)
	require.Equal(t, int64(25_584_000_000), *out.After.Sockets[1].PeakBytes)
	require.Equal(t, int64(48<<30), *out.After.CapacityBytes)
}

// TestWhatIfSwaps checks that two consecutive moves from one full slot to another and back are a swap, and that any
// other move onto a module is refused, with how to swap.
func TestWhatIfSwaps(t *testing.T) {
	p := pipeline(t)
	sys := machine(t, "dell-r710-two-channels")
	sys.Slots[0].SizeBytes.Value *= 2
	before, topo := sys.Slots[0].SizeBytes.Value, p.Derive(sys)
	there, back := plan.Change{Do: plan.Move, From: "DIMM_A1", To: "DIMM_A2"}, plan.Change{Do: plan.Move, From: "dimm a2", To: "0x1100"}
	after, _, err := plan.WhatIf(sys, topo, []plan.Change{there, back})
	require.NoError(t, err)
	require.Equal(t, []int64{before / 2, before}, []int64{after.Slots[0].SizeBytes.Value, after.Slots[1].SizeBytes.Value})
	require.Equal(t, []string{"DIMM_A1", "DIMM_A2"}, []string{after.Slots[0].Locator.Value, after.Slots[1].Locator.Value}, "labels stay where they are")
	require.Equal(t, before, sys.Slots[0].SizeBytes.Value, "the machine itself is not touched")
	again, _, err := plan.WhatIf(sys, topo, []plan.Change{there, back, back, there})
	require.NoError(t, err)
	require.Equal(t, before, again.Slots[0].SizeBytes.Value)
	const how = "DIMM_A2 is not empty: move or remove its module first, or swap the two: --move A=B --move B=A"
	for _, changes := range [][]plan.Change{
		{there},
		{there, {Do: plan.Move, From: "DIMM_A2", To: "DIMM_A4"}},
		{there, {Do: plan.Move, From: "DIMM_A4", To: "DIMM_A1"}},
		{there, {Do: plan.Remove, From: "DIMM_A2"}},
		{there, {Do: plan.Move, From: "DIMM_A2", To: "DIMM_Z9"}},
	} {
		_, _, err := plan.WhatIf(sys, topo, changes)
		require.EqualError(t, err, how)
	}
	self := plan.Change{Do: plan.Move, From: "DIMM_A1", To: "DIMM_A1"}
	_, _, err = plan.WhatIf(sys, topo, []plan.Change{self, self})
	require.EqualError(t, err, "DIMM_A1 is not empty: move or remove its module first")
}

func TestWhatIfRefuses(t *testing.T) {
	p := pipeline(t)
	for _, c := range []struct {
		machine string
		change  plan.Change
		says    string
	}{
		{"dell-r710-two-channels", plan.Change{Do: plan.Move, From: "DIMM_A3", To: "DIMM_A6"}, "DIMM_A3 holds no module to move"},
		{"dell-r710-two-channels", plan.Change{Do: plan.Remove, From: "DIM_A1"}, `no slot "DIM_A1" (the nearest is "DIMM_A1")`},
		{"dell-r710-two-channels", plan.Change{Do: plan.Move, From: "DIMM_A1", To: "DIMM_A2"}, "DIMM_A2 is not empty"},
		{"dell-r710-two-channels", plan.Change{Do: plan.Remove, From: "1"}, `slot "1" is 2 slots: say DIMM_A1, DIMM_B1`},
		{"dell-r710-two-channels", plan.Change{Do: plan.Remove, From: "B10"}, `no slot "B10" (the nearest is "DIMM_B1")`},
		{"dell-r710-two-channels", plan.Change{Do: plan.Remove, From: "0x11FF"}, `no slot "0x11FF" (the nearest is "0x110`},
		{"dell-r710-two-channels", plan.Change{Do: plan.Remove, From: "DIMM_A1,DIMM_A2"}, "for several slots repeat the option"},
		{"dell-r710-two-channels", plan.Change{Do: plan.Remove, From: " "}, "a slot has no name"},
		{"fujitsu-rx600s6-class1", plan.Change{Do: plan.Remove, From: "DIMM-1A"}, "is 8 slots: say CPU1-MEM-A DIMM-1A"},
	} {
		sys := machine(t, c.machine)
		_, _, err := plan.WhatIf(sys, p.Derive(sys), []plan.Change{c.change})
		require.ErrorContains(t, err, c.says)
	}
}

// TestWhatIfNames checks that slots are found as people write them, if only one matches.
func TestWhatIfNames(t *testing.T) {
	p := pipeline(t)
	sys := machine(t, "dell-r710-two-channels")
	for _, name := range []string{"DIMM_A1", "dimm_a1", " DIMM_A1 ", "'DIMM_A1'", `"DIMM_A1"`, "DIMM A1", "dimm-a1", "DIMMA1", "A1", "a-1", "0x1100", "0X1100", "1100", "slot 0x1100 (DIMM_A1)"} {
		after, _, err := plan.WhatIf(sys, p.Derive(sys), []plan.Change{{Do: plan.Remove, From: name}})
		require.NoError(t, err, name)
		require.Equal(t, inventory.SlotEmpty, after.Slots[0].State, name)
	}
}

// TestWhatIfLike checks that a new module is like the one on its channel, else like one of its processor, and that
// the chosen one is named if those of its size differ.
func TestWhatIfLike(t *testing.T) {
	p := pipeline(t)
	sys := server(t, "dell-r740", firstSlots)
	topo := p.Derive(sys)
	_, taken, err := plan.WhatIf(sys, topo, []plan.Change{{Do: plan.Install, To: "A9", Bytes: sys.Slots[0].SizeBytes.Value}})
	require.NoError(t, err)
	require.Empty(t, taken, "all modules are alike")
	at := func(slot string) int {
		i := slices.IndexFunc(sys.Slots, func(s inventory.Slot) bool { return s.Locator.Or("") == slot })
		require.GreaterOrEqual(t, i, 0)
		return i
	}
	for slot, n := range map[string]int{"A3": 4, "B1": 1, "B2": 1, "B3": 1, "B4": 1, "B5": 1, "B6": 1} {
		sys.Slots[at(slot)].Ranks.Value = n
	}
	for slot, want := range map[string]struct {
		ranks int
		like  string
	}{"A9": {4, "A3"}, "A7": {2, "A1"}, "B9": {1, "B3"}} {
		after, taken, err := plan.WhatIf(sys, topo, []plan.Change{{Do: plan.Install, To: slot, Bytes: sys.Slots[0].SizeBytes.Value}})
		require.NoError(t, err)
		require.Equal(t, want.ranks, after.Slots[at(slot)].Ranks.Value, slot)
		require.Len(t, taken, 1)
		require.Contains(t, taken[0], "the one in "+slot+" is taken to be like that in "+want.like+": ")
	}
}

// TestSizeOfModule checks the sizes that exist: powers of two, and modules of 24-Gbit chips.
func TestSizeOfModule(t *testing.T) {
	for size, made := range map[int64]bool{512 << 20: true, 4 << 30: true, 12 << 30: true, 24 << 30: true, 96 << 30: true, 256 << 30: true,
		3 << 30: false, 6 << 30: false, 20 << 30: false, 384 << 30: false, 2 << 40: false} {
		require.Equal(t, made, plan.SizeOfModule(size), size)
	}
}
