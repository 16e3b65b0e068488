package population

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestShareOfOneRegion checks that a region has the share of its ways, whatever the other regions.
func TestShareOfOneRegion(t *testing.T) {
	assert.Equal(t, Share{Low: 0.5, High: 0.5}, channelShare([]Region{{Bytes: 12, Ways: 1}}, []int64{8, 4}, 2))
}

// TestPlainShareNeedsCounts checks that a share without interleaving needs modules, the number of channels and the
// number of modules on each, and that there is none on a front-side bus.
func TestPlainShareNeedsCounts(t *testing.T) {
	one := func() *Population {
		return &Population{Slots: []int{0}, ChannelsTotal: sure(4), ChannelsPopulated: sure(1), DPC: sure([]int{1, 0, 0, 0}),
			ChannelSlots: [][]int{{0}, nil, nil, nil}, RunningMTs: sure(2400)}
	}
	share := func(b *builder, pop *Population, best int) fact.Fact[Share] {
		b.sys = &inventory.System{Slots: make([]inventory.Slot, 1)}
		return b.plainShare(pop, best)
	}
	of := &platform.Platform{}
	got := share(&builder{platform: of}, one(), 2400)
	assert.InDelta(t, 0.25, got.Value.Low, 1e-9)
	assert.Equal(t, shareByModel, got.Value.Source())
	assert.False(t, got.Unverified)
	got = share(&builder{platform: of}, one(), 0)
	assert.Equal(t, shareByChannels, got.Value.Source(), "the processor's highest speed is not known")

	for name, change := range map[string]func(*builder, *Population){
		"channels":    func(_ *builder, pop *Population) { pop.ChannelsTotal = open[int]("x") },
		"modules":     func(_ *builder, pop *Population) { pop.DPC = open[[]int]("x") },
		"no platform": func(b *builder, _ *Population) { b.platform = nil },
		"bus":         func(b *builder, _ *Population) { b.frontSideBus = true },
	} {
		b, pop := &builder{platform: of}, one()
		change(b, pop)
		assert.False(t, share(b, pop, 2400).Known(), name)
	}
	for name, doubt := range map[string]func(*Population){
		"channels": func(pop *Population) { pop.ChannelsTotal.Unverified = true },
		"modules":  func(pop *Population) { pop.DPC.Unverified = true },
	} {
		pop := one()
		doubt(pop)
		assert.True(t, share(&builder{platform: of}, pop, 2400).Unverified, name)
	}
}

// TestBestSpeed checks that the fastest of the platform's rows, its board and observed speeds lower the processor's
// maximum, and that nothing raises it.
func TestBestSpeed(t *testing.T) {
	proc := func(observed int) *platform.Processor {
		return &platform.Processor{MaxMTs: 2933, ObservedMTs: observed}
	}
	for name, c := range map[string]struct {
		rows     map[string][]int
		board    *platform.Board
		observed int
		want     int
	}{
		"processor":       {nil, nil, 0, 2933},
		"rows":            {map[string][]int{"a": {2400}, "b": nil, "c": {2666}}, nil, 0, 2666},
		"one row":         {map[string][]int{"a": {2400}}, nil, 0, 2400},
		"rows beyond it":  {map[string][]int{"a": {3200, 2400}}, nil, 0, 2933},
		"an empty row":    {map[string][]int{"a": {}}, nil, 0, 2933},
		"board":           {nil, &platform.Board{MaxMTs: 2666}, 0, 2666},
		"observed":        {nil, nil, 2400, 2400},
		"lowest of these": {map[string][]int{"a": {2133}}, &platform.Board{MaxMTs: 2666}, 2400, 2133},
	} {
		p := &platform.Platform{}
		p.Speeds = c.rows
		got, ok := (&builder{platform: p, board: c.board}).bestSpeed(proc(c.observed))
		assert.True(t, ok, name)
		assert.Equal(t, c.want, got, name)
	}
	_, ok := (&builder{}).bestSpeed(&platform.Processor{})
	assert.False(t, ok, "no speed of the processor is known")
}

// TestClockWithoutBest checks that there is no share if the best speed is unknown.
func TestClockWithoutBest(t *testing.T) {
	b := &builder{platform: &platform.Platform{}}
	for _, c := range []struct {
		running fact.Fact[int]
		best    int
		share   float64
		ok      bool
	}{{sure(2400), 2400, 1, true}, {sure(1200), 2400, 0.5, true}, {sure(2400), 0, 1, false}, {open[int]("x"), 2400, 1, false}} {
		share, ok := b.clockShare(&Population{RunningMTs: c.running}, c.best)
		assert.InDelta(t, c.share, share, 1e-9)
		assert.Equal(t, c.ok, ok, c)
	}
}

// TestNamesOfEqualModules checks that documents measured equal modules in one region; modules of other sizes or ranks
// are another layout.
func TestNamesOfEqualModules(t *testing.T) {
	module := func(bytes int64, ranks int) inventory.Slot {
		return inventory.Slot{SizeBytes: sure(bytes), Ranks: sure(ranks)}
	}
	names := func(regions int, slots ...inventory.Slot) layoutNames {
		b := &builder{sys: &inventory.System{Slots: slots}}
		return b.names(&Population{Slots: []int{0, 1}, DPC: sure([]int{1, 1}), RunningMTs: sure(2934)}, make([]Region, regions))
	}
	alike := names(1, module(8, 2), module(8, 2))
	require.NotEmpty(t, alike.best)
	assert.Equal(t, "0/2, 1 per channel, 2933 MT/s", alike.clocked)
	for name, got := range map[string]layoutNames{
		"sizes":       names(1, module(8, 2), module(4, 2)),
		"ranks":       names(1, module(8, 2), module(8, 1)),
		"two regions": names(2, module(8, 2), module(8, 2)),
	} {
		assert.Empty(t, got, name)
	}
}
