package population

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// rated is a populated slot with a module of this rating; from distinguishes equal ratings.
func rated(mts int, from string) inventory.Slot {
	return inventory.Slot{State: inventory.SlotPopulated, RatedMTs: sure(mts, from)}
}

// atDepth sets the possible numbers of modules on the channel of every slot.
func atDepth(lo, hi int) channelDepths {
	return channelDepths{of: func(int) (int, int) { return lo, hi }, known: lo == hi}
}

// TestSlowestModule checks that the first of the slowest modules decides the speed, including persistent ones in
// other slots, and that a slot without a module limits nothing.
func TestSlowestModule(t *testing.T) {
	proc := &platform.Processor{MaxMTs: 2933}
	expected := func(slots ...inventory.Slot) fact.Fact[Speed] {
		b := &builder{sys: &inventory.System{Slots: slots}}
		pop := &Population{}
		for i := range slots {
			if slots[i].Technology.Or(inventory.DRAM) == inventory.DRAM {
				pop.Slots = append(pop.Slots, i)
			}
		}
		return b.expectedSpeed(pop, proc, atDepth(1, 1))
	}
	persistent := func(s inventory.Slot) inventory.Slot {
		s.Technology = sure(inventory.NVDIMM)
		return s
	}
	empty := persistent(rated(1600, "empty"))
	empty.State = inventory.SlotEmpty
	for name, c := range map[string]struct {
		slots []inventory.Slot
		mts   int
		from  string
	}{
		"one":                  {[]inventory.Slot{rated(2400, "a")}, 2400, "a"},
		"two alike":            {[]inventory.Slot{rated(2400, "a"), rated(2400, "b")}, 2400, "a"},
		"second slower":        {[]inventory.Slot{rated(2666, "a"), rated(2400, "b")}, 2400, "b"},
		"persistent, slower":   {[]inventory.Slot{rated(2933, "a"), persistent(rated(2666, "b"))}, 2666, "b"},
		"persistent, the same": {[]inventory.Slot{rated(2666, "a"), persistent(rated(2666, "b"))}, 2666, "a"},
		"no module":            {[]inventory.Slot{rated(2933, "a"), empty}, 2933, "a"},
	} {
		got := expected(c.slots...)
		assert.Equal(t, c.mts, got.Value.MTs, name)
		assert.Equal(t, c.from, got.From.Raw, name)
	}
	assert.Equal(t, "no DIMMs", expected().Reason)

	other := inventory.System{Slots: []inventory.Slot{rated(2400, "another processor's")}}
	e := expectation{dimm: 2933}
	assert.Nil(t, (&builder{sys: &other}).persistentLimit(&e))
	assert.Equal(t, 2933, e.dimm, "DRAM of another processor is not a persistent module")
}

// TestProcessorsOwnRow checks that the platform's row for a processor is used, then its row for all others, then the
// vendor's table, with less certainty for memory buffers.
func TestProcessorsOwnRow(t *testing.T) {
	for name, c := range map[string]struct {
		rows     map[string]int
		buffered bool
		want     int
		sure     fact.Certainty
	}{
		"its own":         {map[string]int{"X7560": 1066, "*": 800}, true, 1066, fact.Direct},
		"all others":      {map[string]int{"E7520": 978, "*": 800}, true, 800, fact.Direct},
		"none of it":      {map[string]int{"E7520": 978}, true, 1333, fact.Indirect},
		"without buffers": {map[string]int{"E7520": 978}, false, 1333, fact.Direct},
		"without rows":    {nil, true, 1333, fact.Direct},
	} {
		e := expectation{certainty: fact.Direct}
		b := &builder{platform: &platform.Platform{Detail: platform.Detail{Buffered: c.buffered, ProcessorMTs: c.rows}}}
		require.Empty(t, b.processorLimit(&e, &platform.Processor{Number: "X7560", MaxMTs: 1333}, channelDepths{}), name)
		assert.Equal(t, c.want, e.processor, name)
		assert.Equal(t, c.sure, e.certainty, name)
	}
}

// TestDepthWithoutPlatform checks that the platform limits nothing with one module on each channel, and may with two.
func TestDepthWithoutPlatform(t *testing.T) {
	b := &builder{sys: &inventory.System{}}
	for depth, known := range map[int]bool{1: true, 2: false, 3: false} {
		got := b.resolveSpeed(&Population{}, &expectation{dimm: 2400, processor: 2400, maxDepth: depth}, atDepth(depth, depth))
		assert.Equal(t, known, got.Known(), depth)
		assert.Equal(t, known, got.Unverified, depth)
	}
}

// TestUnverifiedSpeed checks that an unverified board limit makes the result unverified if it decides, as does
// another vendor's table from the depth at which boards differ.
func TestUnverifiedSpeed(t *testing.T) {
	nobody := false
	own := &platform.Platform{SpeedDependsOnDPC: true}
	own.BoardDepth = 2
	for name, c := range map[string]struct {
		board *platform.Board
		depth int
		want  bool
	}{
		"no board":                       {nil, 1, false},
		"a board that decides":           {&platform.Board{MaxMTs: 2400, Verified: &nobody}, 1, true},
		"one that does not":              {&platform.Board{MaxMTs: 2666, Verified: &nobody}, 1, false},
		"verified":                       {&platform.Board{MaxMTs: 2400}, 1, false},
		"the depth at which they differ": {nil, 2, true},
		"beyond it":                      {nil, 3, true},
	} {
		b := &builder{platform: own, sys: &inventory.System{}}
		e := &expectation{board: c.board, maxDepth: c.depth, platform: speedLimit{lo: unlimited}}
		assert.Equal(t, c.want, b.speedUnverified(e, 2400), name)
	}
}

// TestLimiter checks that the first of equal limits in the order of Speed is named, a board's only if it is below the
// others, and the processor's with several modules only if it is below the modules'.
func TestLimiter(t *testing.T) {
	for name, c := range map[string]struct {
		e    expectation
		want string
	}{
		"board below":            {expectation{dimm: 2666, processor: 2666, board: &platform.Board{MaxMTs: 2400}}, LimitFirmware},
		"board as the others":    {expectation{dimm: 2666, processor: 2666, board: &platform.Board{MaxMTs: 2666}}, LimitNone},
		"depth below the module": {expectation{dimm: 2933, processor: 2666, processorDepth: true, maxDepth: 2}, LimitDPC},
		"depth as the module":    {expectation{dimm: 2666, processor: 2666, processorDepth: true, maxDepth: 2}, LimitNone},
		"module":                 {expectation{dimm: 2400, processor: 2666, processorDepth: true, maxDepth: 2}, LimitDIMM},
		"processor":              {expectation{dimm: 2933, processor: 2666, maxDepth: 2}, LimitProcessor},
	} {
		c.e.platform.lo = unlimited
		assert.Equal(t, c.want, c.e.speed(&platform.Platform{}).Limiter, name)
	}
	e := expectation{maxDepth: 2}
	require.Empty(t, (&builder{}).processorLimit(&e, &platform.Processor{MaxMTs: 4400, MaxMTs2DPC: 4400}, atDepth(2, 2)))
	assert.False(t, e.processorDepth, "as fast with two modules as with one")
}

// TestAlsoNormalDepths checks that the speeds of other boards count at the deepest channel and at the deciding one,
// and that the board's own do not.
func TestAlsoNormalDepths(t *testing.T) {
	p := &platform.Platform{AlsoNormal: map[string][]int{"lenovo-x3550-m5": {2000, 1900, 1800, 1700}}}
	for _, c := range []struct {
		product  string
		deepest  int
		deciding int
		all      []int
		others   []int
	}{
		{"System x3650", 3, 2, []int{1900, 1800}, []int{1900, 1800}},
		{"System x3650", 3, 0, []int{1800}, []int{1800}},
		{"System x3650", 1, 1, []int{2000}, []int{2000}},
		{"System x3550 M5", 3, 1, []int{2000, 1800}, nil},
	} {
		b := &builder{platform: p, product: c.product, productKey: normalizedName(c.product)}
		all, others := b.alsoNormal(&expectation{dimm: 2133, processor: 2133, maxDepth: c.deepest, platform: speedLimit{dpc: c.deciding}}, 2133)
		assert.Equal(t, c.all, all, c)
		assert.ElementsMatch(t, c.others, others, c)
	}
	for key, want := range map[string]bool{"lenovo-x3550-m5": true, "lenovo-x3650-m5": false, "lenovo-system": false, "x3550m5": false, "lenovo": false} {
		assert.Equal(t, want, namesBoard(key, normalizedName("System x3550 M5")), key)
	}
	assert.False(t, namesBoard("lenovo-x3550-m5", ""), "no product is named")
}

// TestRunningSpeed checks that the slowest module's speed is used, with the evidence of the first of the slowest and
// the lowest certainty, and that it is unknown if one is.
func TestRunningSpeed(t *testing.T) {
	at := func(mts int, from string) inventory.Slot { return inventory.Slot{ConfiguredMTs: sure(mts, from)} }
	guess := at(2933, "guess")
	guess.ConfiguredMTs.Certainty = fact.Indirect
	for name, c := range map[string]struct {
		slots []inventory.Slot
		want  fact.Fact[int]
	}{
		"none":          {nil, open[int]("no DIMMs")},
		"one":           {[]inventory.Slot{at(2400, "a")}, sure(2400, "a")},
		"first slower":  {[]inventory.Slot{at(2400, "a"), at(2666, "b")}, sure(2400, "a")},
		"second slower": {[]inventory.Slot{at(2666, "a"), at(2400, "b")}, sure(2400, "b")},
		"alike":         {[]inventory.Slot{at(2400, "a"), at(2400, "b")}, sure(2400, "a")},
		"one not known": {[]inventory.Slot{at(2400, "a"), {ConfiguredMTs: open[int]("not stated")}}, open[int]("not stated")},
		"one is 0":      {[]inventory.Slot{at(2400, "a"), at(0, "b")}, fact.Fact[int]{}},
		"less sure":     {[]inventory.Slot{at(2400, "a"), guess}, fact.Known(2400, fact.Indirect, fact.Evidence{Raw: "a"})},
	} {
		slots := make([]int, len(c.slots))
		for i := range slots {
			slots[i] = i
		}
		got := runningSpeed(&inventory.System{Slots: c.slots}, slots)
		if name == "one is 0" {
			assert.Equal(t, fact.Unstated, got.State, name)
			continue
		}
		assert.Equal(t, c.want, got, name)
	}
}

// TestSpeedOfNothing checks that a speed of 0 is none.
func TestSpeedOfNothing(t *testing.T) {
	s := inventory.Slot{Type: sure("DDR4"), RatedMTs: sure(0), ConfiguredMTs: sure(0)}
	assert.False(t, runningSpeed(&inventory.System{Slots: []inventory.Slot{s}}, []int{0}).Known())
	assert.Equal(t, "the rated speed of a DIMM is 0", ratedSpeed(&s).Reason)
}

// TestBoardDecidesWithinTolerance checks that the expected speed under another printed name is not treated as another
// board's.
func TestBoardDecidesWithinTolerance(t *testing.T) {
	s := Speed{MTs: 2933, OtherBoards: []int{2933 - ddr.Tolerance}}
	assert.False(t, s.BoardDecides(2933-ddr.Tolerance))
	assert.True(t, s.BoardDecides(2933-ddr.Tolerance-1))
}

// TestPlatformLimit checks that the first of the slowest modules selects the row.
func TestPlatformLimit(t *testing.T) {
	p := &platform.Platform{SpeedDependsOnDPC: true}
	p.Speeds = map[string][]int{"rdimm-1r": {2400, 2133}, "rdimm-2r": {2400, 2133}, "rdimm-4r": {1866, 1600}}
	of := func(ranks int) inventory.Slot { return inventory.Slot{Registered: sure(true), Ranks: sure(ranks)} }
	sys := &inventory.System{Slots: []inventory.Slot{of(1), of(2), of(4)}}
	assert.Equal(t, speedLimit{lo: 2133, hi: 2133, kind: "rdimm-1r", dpc: 2}, platformLimit(p, sys, []int{0, 1}, atDepth(2, 2)))
	assert.Equal(t, speedLimit{lo: 2133, hi: 2133, kind: "rdimm-2r", dpc: 2}, platformLimit(p, sys, []int{1, 0}, atDepth(2, 2)))
	assert.Equal(t, speedLimit{lo: 1600, hi: 1866, kind: "rdimm-4r", dpc: 2}, platformLimit(p, sys, []int{0, 2}, atDepth(1, 2)))
	p.Speeds = map[string][]int{"rdimm": {2400, 2400}}
	assert.Equal(t, speedLimit{lo: 2400, hi: 2400, kind: "rdimm", dpc: 1}, platformLimit(p, sys, []int{0}, atDepth(1, 2)))
	for _, field := range []string{"speeds", "speeds 1"} {
		p.Unverified = map[string]bool{field: true}
		assert.True(t, platformLimit(p, sys, []int{0}, atDepth(1, 1)).indirect, field)
	}
	p.Unverified = map[string]bool{"speeds 2": true}
	assert.False(t, platformLimit(p, sys, []int{0}, atDepth(1, 1)).indirect, "another depth")
}

// TestUndocumentedKind checks a kind without a row: one module of one rank or two on a channel is not slowed; others
// are unknown, with the reason.
func TestUndocumentedKind(t *testing.T) {
	rows := map[string][]int{"lrdimm": {2400, 2400}}
	free, why := speedLimit{lo: unlimited, hi: unlimited}, func(reason string) speedLimit { return speedLimit{reason: reason} }
	guessed := free
	guessed.indirect = true
	unstated := why("firmware does not say what kind of DIMM P0 is, on which the speed of X depends")
	undocumented := why("no document gives the speed of X for this kind of DIMM")
	for name, c := range map[string]struct {
		rows       map[string][]int
		registered fact.Fact[bool]
		ranks      int
		depth      int
		want       speedLimit
	}{
		"no table, one":        {nil, sure(true), 2, 1, free},
		"no table, two":        {nil, sure(true), 2, 2, why("no document gives the speed of X with 2 DIMMs per channel")},
		"one rank":             {rows, sure(true), 1, 1, guessed},
		"two ranks":            {rows, sure(true), 2, 1, guessed},
		"three ranks":          {rows, sure(true), 3, 1, undocumented},
		"two modules":          {rows, sure(true), 2, 2, undocumented},
		"ranks not stated":     {rows, sure(true), 0, 1, unstated},
		"two, ranks not known": {rows, sure(true), 0, 2, unstated},
	} {
		p := &platform.Platform{SpeedDependsOnDPC: true}
		p.Name, p.Speeds = "X", c.rows
		s := inventory.Slot{Registered: c.registered, Ranks: sure(c.ranks), Locator: sure("P0")}
		assert.Equal(t, c.want, slotLimit(p, &s, c.depth, c.depth), name)
	}
	p := &platform.Platform{SpeedDependsOnDPC: true}
	p.Name, p.Speeds = "X", map[string][]int{"mrdimm": {8800}}
	assert.Equal(t, unstated, slotLimit(p, &inventory.Slot{Registered: open[bool]("x"), Ranks: sure(4), Locator: sure("P0")}, 1, 1))
	assert.Equal(t, unstated, slotLimit(p, &inventory.Slot{Registered: open[bool]("x"), Ranks: sure(1), Locator: sure("P0")}, 2, 2))
}

// TestWhyVoltage checks that the voltage is named if the same kind is faster at 1.5 V.
func TestWhyVoltage(t *testing.T) {
	p := &platform.Platform{}
	p.Speeds = map[string][]int{"rdimm-1r-1.35v": {1333}, "rdimm-1r-1.5v": {1600}, "rdimm-2r-1.35v": {1333}, "rdimm-2r-1.5v": {1333}, "rdimm-4r": {1066}}
	for kind, want := range map[string]string{"rdimm-1r-1.35v": LimitVoltage, "rdimm-2r-1.35v": LimitRanks, "rdimm-4r": LimitRanks} {
		got, _ := speedLimit{lo: p.Speeds[kind][0], kind: kind, dpc: 1}.limiter(p)
		assert.Equal(t, want, got, kind)
	}
}
