package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/plan"
)

// TestWhatIf: the RX600 S6's second half of the boards, by hand.
func TestWhatIf(t *testing.T) {
	p := pipeline(t)
	sys := machine(t, "dell-r710-two-channels")
	found, topo, _ := planned(t, sys, p)
	after, err := plan.WhatIf(sys, []plan.Change{
		{Do: plan.Install, To: "dimm_a3", Bytes: 4 << 30}, {Do: plan.Install, To: "0x1102", Bytes: 4 << 30},
	})
	require.ErrorContains(t, err, "DIMM_A3 is not empty")
	require.Nil(t, after)
	after, err = plan.WhatIf(sys, []plan.Change{
		{Do: plan.Install, To: "DIMM_A3", Bytes: 4 << 30}, {Do: plan.Install, To: "DIMM_A6", Bytes: 4 << 30},
		{Do: plan.Install, To: "DIMM_B3", Bytes: 4 << 30}, {Do: plan.Install, To: "DIMM_B6", Bytes: 4 << 30},
	})
	require.NoError(t, err)
	out, err := plan.Compare(topo, found, after, p)
	require.NoError(t, err)
	require.Empty(t, out.New)
	require.Len(t, out.Gone, 4) // and the order, which goes on with slot 3
	require.Equal(t, "memory.slot.order", out.Gone[3].Rule)
	require.Equal(t, "memory.channel.populated", out.Gone[0].Rule)
	require.Equal(t, int64(25_584_000_000), out.After.Sockets[1].Peak.Value)
	require.Equal(t, int64(48<<30), out.After.Bytes.Value)
}

func TestWhatIfRefuses(t *testing.T) {
	for _, c := range []struct {
		machine string
		change  plan.Change
		says    string
	}{
		{"dell-r710-two-channels", plan.Change{Do: plan.Move, From: "DIMM_A3", To: "DIMM_A6"}, "DIMM_A3 holds no module to move"},
		{"dell-r710-two-channels", plan.Change{Do: plan.Remove, From: "DIM_A1"}, `no slot "DIM_A1" (the nearest is "DIMM_A1")`},
		{"dell-r710-two-channels", plan.Change{Do: plan.Move, From: "DIMM_A1", To: "DIMM_A2"}, "DIMM_A2 is not empty"},
		{"fujitsu-rx600s6-class1", plan.Change{Do: plan.Remove, From: "DIMM-1A"}, "is 8 slots: say CPU1-MEM-A/DIMM-1A"},
	} {
		_, err := plan.WhatIf(machine(t, c.machine), []plan.Change{c.change})
		require.ErrorContains(t, err, c.says)
	}
}
