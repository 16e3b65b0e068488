//go:build corpus

package population

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// fieldTally counts what Derive makes of real machines.
type fieldTally struct {
	machines, graded          int
	whole, fewer, several     int
	classes, unknown, product map[string]int
}

func (c *fieldTally) add(t *testing.T, name string, sys *inventory.System, r *Result) {
	c.machines++
	checkResult(t, name, sys, r)
	if !r.Class.Known() {
		c.unknown[r.Class.Reason]++
	} else {
		c.classes[r.Class.Value.Name]++
	}
	for i := range r.Populations {
		p := &r.Populations[i]
		regions, ok := p.Regions.Get()
		if !ok {
			continue
		}
		c.graded++
		switch n := len(p.DPC.Value); {
		case len(regions) > 1:
			c.several++
		case regions[0].Ways == n:
			c.whole++
		default:
			c.fewer++
		}
		return
	}
}

// checkResult checks what must be true of every machine.
func checkResult(t *testing.T, name string, sys *inventory.System, r *Result) {
	require.Len(t, r.Placements, len(sys.Slots), name)
	require.Len(t, r.Processors, len(sys.Sockets), name)
	for i := range r.Populations {
		p := &r.Populations[i]
		if d, ok := p.DPC.Get(); ok {
			sum := 0
			for _, n := range d {
				sum += n
			}
			require.Equal(t, p.DIMMs.Value, sum, name)
			require.Len(t, d, p.ChannelsTotal.Value, name)
		}
		if regions, ok := p.Regions.Get(); ok {
			var sum int64
			for _, g := range regions {
				sum += g.Bytes
				require.LessOrEqual(t, g.Ways, p.ChannelsTotal.Value, name)
			}
			require.Equal(t, p.Bytes.Value, sum, name)
		}
		if s, ok := p.Relative.Get(); ok {
			require.LessOrEqual(t, s.Low, s.High+1e-9, name)
			require.LessOrEqual(t, s.High, 1.0+1e-9, name)
		}
		for _, f := range []struct {
			known  bool
			reason string
		}{{p.DIMMs.Known(), p.DIMMs.Reason}, {p.ChannelsTotal.Known(), p.ChannelsTotal.Reason}, {p.DPC.Known(), p.DPC.Reason},
			{p.Regions.Known(), p.Regions.Reason}, {p.Class.Known(), p.Class.Reason}, {p.Speed.Known(), p.Speed.Reason},
			{p.Controllers.Known(), p.Controllers.Reason}, {p.RunningMTs.Known(), p.RunningMTs.Reason}, {p.Peak.Known(), p.Peak.Reason},
			{p.Relative.Known(), p.Relative.Reason}, {p.Lockstep.Known(), p.Lockstep.Reason}, {p.Order.Known(), p.Order.Reason}} {
			require.True(t, f.known || f.reason != "", "%s: an unknown fact without a reason", name)
		}
	}
}

// TestFieldPopulations compares the shape of real populations with the
// prevalence that the population model found in the same collection: 41 % of
// the machines have one region over all channels, 45 % one over fewer, 14 %
// unequal channels.
func TestFieldPopulations(t *testing.T) {
	c := fieldTally{classes: map[string]int{}, unknown: map[string]int{}, product: map[string]int{}}
	collecttest.Each(t, corpustest.Servers, func(name string, sys *inventory.System) {
		c.add(t, name, sys, Derive(sys, rules.FS))
	})
	t.Logf("%d machines, %d graded: %.1f %% one region over all channels, %.1f %% over fewer, %.1f %% several", c.machines, c.graded,
		100*float64(c.whole)/float64(c.graded), 100*float64(c.fewer)/float64(c.graded), 100*float64(c.several)/float64(c.graded))
	t.Log(c.classes)
	corpustest.LogCounts(t, "unknown", c.unknown)
	assert.InDelta(t, 0.41, float64(c.whole)/float64(c.graded), 0.06)
	assert.InDelta(t, 0.45, float64(c.fewer)/float64(c.graded), 0.06)
	assert.InDelta(t, 0.14, float64(c.several)/float64(c.graded), 0.06)
}

// TestDeriveSurvives runs everything else of the corpus: clients, guests and damaged tables.
func TestDeriveSurvives(t *testing.T) {
	n := 0
	try := func(name string, sys *inventory.System) {
		checkResult(t, name, sys, Derive(sys, rules.FS))
		n++
	}
	for _, archive := range []string{corpustest.Others, corpustest.Workstations} {
		collecttest.Each(t, archive, try)
	}
	for _, path := range corpustest.Glob(t, "dmidecode-text/*.txt") {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		try(path, collecttest.Read(t, path, data))
	}
	t.Logf("%d machines", n)
	require.Positive(t, n)
}
