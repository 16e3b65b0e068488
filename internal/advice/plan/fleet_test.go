package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestNothingLowered checks that whatever a server of the fleet gives up, the class and the bandwidth of its
// processors stay and nothing new fails, and that a server with one module on each channel gives up nothing.
func TestNothingLowered(t *testing.T) {
	p := pipeline(t)
	gave := 0
	for name, s := range machinetest.Servers() {
		for depth := range s.Depth {
			sys := server(t, name, func(_, _, slot int) bool { return slot <= depth })
			found, topo, made := planned(t, sys, p)
			stake := plan.ForFleet(sys, topo, found, made, p, nil, 0)
			require.Empty(t, stake.Takes, name)
			g := stake.GivesUp
			if g == nil {
				continue
			}
			gave++
			require.Positive(t, depth, "%s gives up modules of full channels", name)
			require.Zero(t, g.Count(plan.Install)+g.Count(plan.Exchange), name)
			after, err := p.Audit(plan.Apply(sys, g.Steps), p.Derive(plan.Apply(sys, g.Steps)), p.AboutLayout)
			require.NoError(t, err)
			was := map[string]bool{}
			for _, f := range found.Findings {
				was[f.Rule+f.Subject.String()] = f.Result == "fail"
			}
			for _, f := range after.Findings {
				require.False(t, f.Result == "fail" && !was[f.Rule+f.Subject.String()], "%s: %s fails for %s", name, f.Rule, f.Subject.String())
			}
			for i, socket := range g.Reaches.Sockets {
				require.LessOrEqual(t, string(socket.Class), topo.Populations[i].Class.Value.Name, name)
			}
			require.GreaterOrEqual(t, g.Times, 1.0, name)
			require.Nil(t, plan.ForFleet(sys, topo, found, made, p, nil, topo.InstalledBytes.Value).GivesUp, "%s goes below its floor", name)
		}
	}
	require.Positive(t, gave)
}
