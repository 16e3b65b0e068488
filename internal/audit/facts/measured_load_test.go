package facts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/figure"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestGrowthUnderLoad checks that a node's growth is that from one chain to four, of several nodes the minimum and
// the maximum, and that it is unknown while one figure is undecided or missing; a result that cannot be checked
// counts as none.
func TestGrowthUnderLoad(t *testing.T) {
	of := func(node, chains int, ns float64, why string) inventory.LoadedLatency {
		return inventory.LoadedLatency{Figure: figure.Figure{Kind: figure.Latency, Median: ns * 1e-9, Why: why}, Node: node, Threads: 2, Chains: chains}
	}
	two := []inventory.LoadedLatency{of(0, 1, 60, ""), of(0, 2, 91, ""), of(0, 4, 150, ""), of(1, 1, 60, ""), of(1, 4, 180, "")}
	for name, c := range map[string]struct {
		from      inventory.Measurement
		low, high any
		reason    string
	}{
		"two nodes":    {inventory.Measurement{Loaded: two}, 30.0, 40.0, ""},
		"none":         {inventory.Measurement{}, nil, nil, "the latency under load was not measured"},
		"a guest":      {inventory.Measurement{Loaded: two, Unjudged: "a guest"}, nil, nil, "the latency under load was not measured"},
		"another's":    {inventory.Measurement{Loaded: two, Foreign: true}, nil, nil, "the latency under load was not measured"},
		"undecided":    {inventory.Measurement{Loaded: []inventory.LoadedLatency{of(0, 1, 60, ""), of(0, 4, 150, "too noisy")}}, nil, nil, "too noisy"},
		"four missing": {inventory.Measurement{Loaded: two[:2]}, nil, nil, "the latency under load of node 0 was not measured with 4 chains a core"},
	} {
		m := &Machine{sys: &inventory.System{Measurements: []inventory.Measurement{c.from}}}
		for _, v := range []struct {
			got  Value
			want any
		}{{growth(math.Min)(m), c.low}, {growth(math.Max)(m), c.high}} {
			assert.Equal(t, v.want != nil, v.got.Known(), name)
			if v.want != nil {
				assert.InDelta(t, v.want, v.got.v, 1e-9, name)
			} else {
				assert.Equal(t, c.reason, v.got.Reason, name)
			}
		}
	}
}
