package population

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// exBoard is a platform of two lockstep channels that pair up.
func exBoard(pairs ...[]int) *platform.Platform {
	return &platform.Platform{LockstepPairs: true, Detail: platform.Detail{LockstepChannels: pairs}, ChannelsPerSocket: 2, Verified: true, MaxDPC: 2}
}

// alikeSlots builds modules with a size each, at these positions of their channels.
func alikeSlots(sizes []int64, positions ...int) *builder {
	b := &builder{sys: &inventory.System{}}
	for i, size := range sizes {
		b.sys.Slots = append(b.sys.Slots, inventory.Slot{Locator: sure(string(rune('A' + i))), SizeBytes: sure(size), Ranks: sure(2), Type: sure("DDR3"),
			TotalWidth: sure(72), Registered: sure(true), State: inventory.SlotPopulated})
		b.places = append(b.places, place.Placement{Slot: positions[i]})
	}
	return b
}

// TestPairingKnown checks that channels are paired on a documented board, or if all of them are populated alike, and
// not otherwise nor on a platform without pairs.
func TestPairingKnown(t *testing.T) {
	no, pair := false, []int{0, 1}
	board, unread := &platform.Board{}, &platform.Board{Verified: &no}
	one, two := [][]int{{0}, {1}}, [][]int{{0}, nil}
	for name, c := range map[string]struct {
		p            *platform.Platform
		board        *platform.Board
		slots        [][]int
		sizes        []int64
		known, doubt bool
	}{
		"board":           {exBoard(pair), board, two, nil, true, false},
		"unverified":      {exBoard(pair), unread, two, nil, true, true},
		"no platform":     {nil, board, two, nil, false, false},
		"no pairs":        {&platform.Platform{Detail: platform.Detail{LockstepChannels: [][]int{pair}}}, board, two, nil, false, false},
		"pairs not named": {exBoard(), board, two, nil, false, false},
		"alike":           {exBoard(pair), nil, one, []int64{8, 8}, true, false},
		"other sizes":     {exBoard(pair), nil, one, []int64{8, 16}, false, false},
		"one empty":       {exBoard(pair), nil, two, []int64{8, 8}, false, false},
		"all empty":       {exBoard(pair), nil, make([][]int, 2), nil, false, false},
		"fewer channels":  {exBoard(pair), nil, [][]int{{0}}, []int64{8}, false, false},
	} {
		b := alikeSlots(c.sizes, 0, 0)
		b.platform, b.lockstepBoard = c.p, c.board
		known, doubt := b.pairing(&Population{ChannelSlots: c.slots})
		assert.Equal(t, [2]bool{c.known, c.doubt}, [2]bool{known, doubt}, name)
	}
}

// TestComparedPairs checks that a pair that does not name two channels of the population is not compared, and that a
// comparison has the certainty of the board's document and the counts.
func TestComparedPairs(t *testing.T) {
	no := false
	for name, c := range map[string]struct {
		pairs         [][]int
		board, counts bool // verified
		same, doubt   bool
	}{
		"differ":           {[][]int{{0, 1}}, true, true, false, false},
		"of one":           {[][]int{{0}}, true, true, true, false},
		"of three":         {[][]int{{0, 1, 2}}, true, true, true, false},
		"not there":        {[][]int{{0, 2}}, true, true, true, false},
		"not there, first": {[][]int{{2, 0}}, true, true, true, false},
		"board in doubt":   {[][]int{{0, 1}}, false, true, false, true},
		"counts in doubt":  {[][]int{{0, 1}}, true, false, false, true},
	} {
		b := alikeSlots([]int64{8, 16}, 0, 0)
		b.platform, b.lockstepBoard = exBoard(c.pairs...), &platform.Board{}
		if !c.board {
			b.lockstepBoard.Verified = &no
		}
		pop := &Population{ChannelSlots: [][]int{{0}, {1}}, DPC: sure([]int{1, 1})}
		pop.DPC.Unverified = !c.counts
		b.comparePairs(pop)
		assert.Equal(t, [3]bool{true, c.same, c.doubt}, [3]bool{pop.Lockstep.Known(), pop.Lockstep.Value, pop.Lockstep.Unverified}, name)
	}
}

// TestHemisphereNeedsModules checks that both controllers have the same DIMMs, and at least one.
func TestHemisphereNeedsModules(t *testing.T) {
	for n, want := range map[int]bool{0: false, 1: true, 2: true} {
		c := Controller{DIMMs: n, Layout: "x"}
		pop := &Population{Controllers: sure([]Controller{c, c})}
		(&builder{}).hemisphere(pop)
		assert.Equal(t, want, pop.Hemisphere.Value, n)
	}
}

// TestPartners checks that the DIMM without a partner is named, whichever channel it is on, and that with an unknown
// position the pairing is unknown.
func TestPartners(t *testing.T) {
	b := alikeSlots([]int64{8, 8, 8, 8}, 0, 0, 1, place.Unplaced)
	for name, c := range map[string]struct {
		x, y       []int
		diff, open string
	}{
		"alike":        {[]int{0}, []int{1}, "", ""},
		"more first":   {[]int{0, 2}, []int{1}, "C has no partner", ""},
		"more second":  {[]int{0}, []int{1, 2}, "C has no partner", ""},
		"none first":   {nil, []int{1}, "B has no partner", ""},
		"none second":  {[]int{1}, nil, "B has no partner", ""},
		"other places": {[]int{0}, []int{2}, "A and C differ in position", ""},
		"first open":   {[]int{3}, []int{0}, "", "whether D and A are alike in position is not known"},
		"second open":  {[]int{0}, []int{3}, "", "whether A and D are alike in position is not known"},
	} {
		diff, open := b.pairDiffers(c.x, c.y)
		assert.Equal(t, [2]string{c.diff, c.open}, [2]string{diff, open}, name)
	}
}

// TestOrderOfLockstepBoards checks that slots without a channel must be empty, and that the order has the certainty
// of the board's document and the counts.
func TestOrderOfLockstepBoards(t *testing.T) {
	no := false
	for name, c := range map[string]struct{ board, counts bool }{"verified": {true, true}, "board": {false, true}, "counts": {true, false}, "neither": {}} {
		b := alikeSlots([]int64{8}, 0)
		b.platform, b.lockstepBoard = exBoard([]int{0, 1}, []int{1, 0}), &platform.Board{}
		if !c.board {
			b.lockstepBoard.Verified = &no
		}
		pop := &Population{ChannelSlots: [][]int{{0}}, DPC: sure([]int{1})}
		pop.DPC.Unverified = !c.counts
		b.exOrderKept(pop)
		assert.True(t, pop.Order.Value, name)
		assert.Equal(t, !c.board || !c.counts, pop.Order.Unverified, name)
		assert.Equal(t, place.Unplaced, b.slotAt(pop, 1, 0), name)
		assert.Equal(t, 0, b.slotAt(pop, 0, 0), name)
	}
	b := alikeSlots(nil)
	b.platform, b.lockstepBoard = exBoard(), &platform.Board{}
	pop := &Population{DPC: sure([]int{})}
	b.exOrderKept(pop)
	assert.Empty(t, pop.OrderFaults)
}

// TestLogicalChannels checks four pairs of two channels each; the document's shorthand names the fuller controller
// first, and the first of equal ones (Fujitsu, Memory Performance of Westmere-EX based Systems, 2011).
func TestLogicalChannels(t *testing.T) {
	whole := [][]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}}
	for name, c := range map[string]struct {
		pairs [][]int
		dpc   []int
		want  string
		bytes bool
	}{
		"full":              {whole, []int{2, 2, 2, 2, 2, 2, 2, 2}, "2-2|2-2", true},
		"equal controllers": {whole, []int{2, 2, 0, 0, 1, 1, 1, 1}, "2-0|1-1", true},
		"fuller first":      {whole, []int{1, 1, 0, 0, 2, 2, 1, 1}, "2-1|1-0", true},
		"unequal pair":      {whole, []int{2, 1, 0, 0, 1, 1, 1, 1}, "", true},
		"three pairs":       {whole[:3], []int{2, 2, 2, 2, 2, 2, 2, 2}, "", false},
		"channel too far":   {[][]int{{0, 1}, {2, 3}, {4, 5}, {6, 8}}, []int{2, 2, 2, 2, 2, 2, 2, 2}, "", false},
		"first too far":     {[][]int{{0, 1}, {2, 3}, {4, 5}, {8, 6}}, []int{2, 2, 2, 2, 2, 2, 2, 2}, "", false},
		"both too far":      {[][]int{{0, 1}, {2, 3}, {4, 5}, {9, 9}}, []int{2, 2, 2, 2, 2, 2, 2, 2}, "", false},
		"pair of one":       {[][]int{{0, 1}, {2, 3}, {4, 5}, {6}}, []int{2, 2, 2, 2, 2, 2, 2, 2}, "", true},
	} {
		l := &layout{dpc: c.dpc, bytes: make([]int64, len(c.dpc))}
		assert.Equal(t, c.want, l.exShorthand(exBoard(c.pairs...)), name)
		_, ok := l.pairBytes(exBoard(c.pairs...))
		assert.Equal(t, c.bytes, ok, name)
	}
	_, ok := (&layout{bytes: make([]int64, 8)}).pairBytes(exBoard([]int{0, 1}, []int{2, 3}, []int{4, 5}, []int{6, place.Unplaced}))
	assert.False(t, ok, "a channel that is none")
}

// TestLevelsOfRegions checks that a document's levels are used if it measured every region, and that there is none
// without regions.
func TestLevelsOfRegions(t *testing.T) {
	pair, four := segmentName([]int{0}), segmentName([]int{0, 1, 2, 3})
	b := &builder{platform: &platform.Platform{}, measured: []*platform.Measurement{{Layouts: map[string]float64{pair: 0.25, four: 0.9}}}}
	for name, c := range map[string]struct {
		segments  []Region
		low, high float64
	}{
		"none":         {nil, 0.5, 0.5},
		"one":          {[]Region{{Channels: []int{0}}}, 0.25, 0.25},
		"two":          {[]Region{{Channels: []int{0, 1, 2, 3}}, {Channels: []int{0}}}, 0.25, 0.9},
		"not measured": {[]Region{{Channels: []int{0}}, {Channels: []int{0, 1}}}, 0.5, 0.5},
	} {
		s := Share{Low: 0.5, High: 0.5}
		b.pairLevels(&s, c.segments)
		assert.Equal(t, [2]float64{c.low, c.high}, [2]float64{s.Low, s.High}, name)
	}
}
