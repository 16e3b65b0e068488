package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// standing is, for the class of each shape that a unit visits, in the order of the first
// of each class, the shape that leaves most modules in place, the first of equal ones.
func standing(u *memoryUnit, n int, like *twins, worth *slotWorth) (best []string, visited int) {
	at, kept := map[string]int{}, []int{}
	u.each(n, like, false, func(s shape) {
		visited++
		class := u.class(s, &platform.Platform{})
		i, known := at[class]
		switch {
		case !known:
			at[class] = len(best)
			best, kept = append(best, fmt.Sprint(s)), append(kept, worth.of(s))
		case worth.of(s) > kept[i]:
			best[i], kept[i] = fmt.Sprint(s), worth.of(s)
		}
	})
	return best, visited
}

// TestTwinsStandForAll: on boards of up to twelve channels, drawn at random, the shapes
// that are left stand for the same classes, in the same order, as all of them do. In make
// corpus more of them.
func TestTwinsStandForAll(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 7))
	all, left := 0, 0
	boards := 30
	if corpustest.Stage {
		boards = 200
	}
	for range boards {
		u := &memoryUnit{}
		channels, depth, behind, apart := 2+random.IntN(11), 1+random.IntN(2), 1+random.IntN(3), random.IntN(4) == 0
		var w slotWorth
		for c := range channels {
			g := channelGroup{controller: c / behind, ordered: random.IntN(8) > 0, layers: make([][]int, depth-random.IntN(depth+1)/2)}
			if apart { // the controllers take turns
				g.controller = c % behind
			}
			g.filled = random.IntN(2) * random.IntN(len(g.layers)+1)
			below := []int{0}
			for d := range g.layers {
				g.layers[d] = []int{0}
				below = append(below, below[d]+min(max(g.filled-d, 0), 1)*channels)
			}
			u.groups, w.below = append(u.groups, g), append(w.below, below)
		}
		like := u.twins(w.below)
		for n := 1; n <= channels*depth; n++ {
			every, visited := standing(u, n, nil, &w)
			first, fewer := standing(u, n, like, &w)
			require.Equal(t, every, first, "%d modules: %v", n, u.groups)
			all, left = all+visited, left+fewer
		}
	}
	require.Less(t, 3*left, 2*all, "fewer shapes are left")
	t.Logf("%d of %d shapes", left, all)
}

// unitOf is a processor with so many slots on each of its channels, of known order.
func unitOf(depths ...int) *memoryUnit {
	u := &memoryUnit{}
	next := 0
	for _, depth := range depths {
		g := channelGroup{controller: place.Unplaced, ordered: true}
		for range depth {
			g.layers = append(g.layers, []int{next})
			u.slots, next = append(u.slots, next), next+1
		}
		u.groups = append(u.groups, g)
	}
	return u
}

// written are shapes in digits, as depths has them.
func written(shapes []shape) []string {
	var out []string
	for _, s := range shapes {
		out = append(out, s.depths())
	}
	return out
}

// TestShapesOfAProcessor: all ways to fill channels from their first slots on, those that
// fill the first channels first, or last.
func TestShapesOfAProcessor(t *testing.T) {
	u := unitOf(2, 2, 1)
	first := []string{"210", "201", "120", "111", "021"}
	assert.Equal(t, first, written(u.shapes(3)))
	var last []string
	u.each(3, nil, true, func(s shape) { last = append(last, s.depths()) })
	slices.Reverse(last)
	assert.Equal(t, first, last)
	assert.Equal(t, []string{"221"}, written(u.shapes(5)), "all slots")
	assert.Empty(t, u.shapes(6), "more modules than slots")
	assert.Equal(t, []string{"000"}, written(u.shapes(0)))
	// Of unknown order a channel is empty, full, or filled as it is.
	u.groups[0].ordered, u.groups[1].ordered, u.groups[1].filled = false, false, 1
	assert.Equal(t, []string{"210", "201", "021"}, written(u.shapes(3)))
	assert.Len(t, unitOf(3, 3, 3, 3, 3, 3).shapes(5), 216, "six channels of three slots are searched whole")
}

// TestShapesOfManySlots: where the ways are too many those are visited that documents use:
// so many channels filled alike, or all of them and some by one more, and today's.
func TestShapesOfManySlots(t *testing.T) {
	u := unitOf(3, 3, 3, 3, 3, 3, 3, 3)
	for modules, want := range map[int]int{
		2:  28 + 8,       // one on each of two channels, two on one
		4:  70 + 28,      // one on each of four channels, two on each of two
		8:  1 + 70,       // one on all, two on four
		9:  56 + 8,       // three on three, one on all and one more
		12: 28 + 70 + 70, // two on six, three on four, one on all and four more
		24: 1,
		25: 0,
	} {
		shapes := u.shapes(modules)
		assert.Len(t, shapes, want, "%d modules", modules)
		for _, s := range shapes {
			assert.Equal(t, modules, modulesIn(s), "%v", s)
		}
	}
	assert.Equal(t, "11110000", u.shapes(4)[0].depths(), "wide ones first, on the first channels")
	assert.Equal(t, "22211111", u.shapes(11)[0].depths())
	u.groups[0].filled, u.groups[1].filled = 3, 1
	assert.Equal(t, "31000000", u.shapes(4)[98].depths(), "and as it is now")
	assert.Len(t, u.shapes(5), 56, "five on channels alone")
}

// TestPairsInTurn: lockstep pairs behind one controller are filled in turn, and two modules
// at a time; those of another controller are filled for themselves.
func TestPairsInTurn(t *testing.T) {
	u := &memoryUnit{groups: []channelGroup{{controller: 0, ordered: true}, {controller: 0, ordered: true}, {controller: 1, ordered: true}}}
	for i := range u.groups {
		u.groups[i].layers = [][]int{{4 * i, 4*i + 1}, {4*i + 2, 4*i + 3}}
	}
	assert.Equal(t, 2, u.size())
	assert.Empty(t, u.shapes(3))
	assert.Equal(t, []string{"110", "101", "002"}, written(u.shapes(4)), "a pair's second slots wait for the next pair's first")
	assert.Equal(t, []string{"210", "111", "102"}, written(u.shapes(6)))
	assert.Equal(t, 1, (&memoryUnit{groups: []channelGroup{{}}}).size(), "without a slot one would fill nothing")
	assert.Equal(t, 2, (&memoryUnit{groups: []channelGroup{{}, u.groups[0]}}).size())
}

// TestClassesOfShapes: alike are shapes that differ by which of like channels and like
// controllers they use; AMD's channels are told apart by how they interleave.
func TestClassesOfShapes(t *testing.T) {
	u := unitOf(2, 2, 2, 2)
	for i := range u.groups {
		u.groups[i].controller = i / 2
	}
	p := &platform.Platform{}
	class := func(s ...int) string { return u.class(s, p) }
	assert.Equal(t, class(1, 0, 1, 0), class(0, 1, 1, 0))
	assert.Equal(t, class(2, 1, 0, 0), class(0, 0, 1, 2))
	assert.NotEqual(t, class(1, 1, 0, 0), class(1, 0, 1, 0), "behind one controller or two")
	assert.NotEqual(t, class(2, 0, 0, 0), class(1, 1, 0, 0))
	p.Policy = platform.PolicyAMD
	assert.NotEqual(t, class(1, 0, 1, 0), class(0, 1, 1, 0))
	assert.Equal(t, 5, shape{2, 1, 0}.unevenness())
}

// kindsOf is a board's kinds, by their sizes in GiB.
func kindsOf(gib ...int64) []moduleKind {
	var out []moduleKind
	for _, n := range gib {
		out = append(out, moduleKind{traits: traits{bytes: n << 30}})
	}
	return out
}

// TestModulesIntoShapes: how modules of two kinds, one twice as large, are put into two slots
// on each of three channels: slot by slot, the next one to the channel that holds least,
// around those that stay, and with what stays evened out. Kind 0 is the larger.
func TestModulesIntoShapes(t *testing.T) {
	for name, c := range map[string]struct {
		at     []int
		shape  shape
		counts []int
		how    mixStyle
		want   []int // nil where they do not fit
	}{
		"slot by slot":                         {[]int{none, none, none, none, none, none}, shape{2, 2, 1}, []int{2, 3}, layered, []int{0, 1, 0, 1, 1, none}},
		"one is left over":                     {[]int{none, none, none, none, none, none}, shape{2, 2, 0}, []int{2, 3}, layered, nil},
		"one is missing":                       {[]int{none, none, none, none, none, none}, shape{2, 2, 1}, []int{2, 2}, layered, nil},
		"a kind of which there is none":        {[]int{none, none, none, none, none, none}, shape{1, 1, 1}, []int{0, 3}, layered, []int{1, none, 1, none, 1, none}},
		"to the channel that holds least":      {[]int{none, none, none, none, none, none}, shape{1, 2, 2}, []int{2, 3}, leveled, []int{0, none, 0, 1, 1, 1}},
		"level, one is left over":              {[]int{none, none, none, none, none, none}, shape{1, 2, 1}, []int{2, 3}, leveled, nil},
		"level, one is missing":                {[]int{none, none, none, none, none, none}, shape{2, 2, 2}, []int{2, 3}, leveled, nil},
		"around those that stay":               {[]int{none, 1, 0, none, none, none}, shape{2, 1, 2}, []int{3, 2}, staying, []int{0, 1, 0, none, 0, 1}},
		"more of a kind are there than wanted": {[]int{1, 1, 1, none, none, none}, shape{1, 1, 1}, []int{2, 1}, staying, []int{1, none, 0, none, 0, none}},
		"staying, one is left over":            {[]int{0, none, none, none, none, none}, shape{1, 1, 0}, []int{2, 1}, staying, nil},
		"staying, one is missing":              {[]int{0, none, none, none, none, none}, shape{1, 1, 1}, []int{1, 1}, staying, nil},
		"evened":                               {[]int{0, 0, 1, 1, none, none}, shape{2, 2, 0}, []int{2, 2}, evened, []int{0, 1, 0, 1, none, none}},
		"even as it is":                        {[]int{0, 1, 0, 1, none, none}, shape{2, 2, 0}, []int{2, 2}, evened, nil},
		"as even as it gets":                   {[]int{0, 1, 1, none, none, none}, shape{2, 1, 0}, []int{1, 2}, evened, []int{1, 1, 0, none, none, none}},
		"the first of two as full":             {[]int{0, 0, 0, 0, 1, 1}, shape{2, 2, 2}, []int{4, 2}, evened, []int{0, 1, 0, 0, 0, 1}},
		"the first of two as empty":            {[]int{0, 0, 1, 1, 1, 1}, shape{2, 2, 2}, []int{2, 4}, evened, []int{0, 1, 0, 1, 1, 1}},
		"the fullest holds one module":         {[]int{2, none, 0, 0, 1, 1}, shape{1, 2, 2}, []int{2, 2, 1}, evened, nil},
		"nothing to even":                      {[]int{none, none, none, none, none, none}, shape{0, 0, 0}, []int{0, 0}, evened, nil},
	} {
		b := channelled(2, c.at...)
		b.kinds = kindsOf(2, 1, 8)
		into := slices.Repeat([]int{7}, len(c.at)) // of another layout
		fits := b.place(&b.units[0], c.shape, c.counts, c.how, into)
		assert.Equal(t, c.want != nil, fits, name)
		if c.want != nil {
			assert.Equal(t, c.want, into, name)
		}
	}
	// Lockstep pairs take two of a kind.
	b := &board{at: []int{none, none, none, none}, kinds: kindsOf(2, 1)}
	u := &memoryUnit{slots: []int{0, 1, 2, 3}, groups: []channelGroup{{layers: [][]int{{0, 1}}}, {layers: [][]int{{2, 3}}}}}
	into := make([]int, 4)
	assert.False(t, b.place(u, shape{1, 1}, []int{3, 1}, layered, into))
	for _, how := range []mixStyle{layered, leveled, staying} {
		require.True(t, b.place(u, shape{1, 1}, []int{2, 2}, how, into), how.String())
		assert.Equal(t, []int{0, 0, 1, 1}, into, how.String())
	}
}

// TestLevelShapes: channels are level where all that hold anything hold as much.
func TestLevelShapes(t *testing.T) {
	b := channelled(2, none, none, none, none, none, none)
	b.kinds = kindsOf(2, 1)
	for _, c := range []struct {
		shape  shape
		layout []int
		level  bool
	}{
		{shape{1, 2, 0}, []int{0, none, 1, 1, none, none}, true},
		{shape{1, 0, 2}, []int{0, none, none, none, 1, 1}, true},
		{shape{1, 1, 0}, []int{0, none, 1, none, none, none}, false},
		{shape{0, 1, 1}, []int{none, none, 1, none, 0, none}, false},
	} {
		assert.Equal(t, c.level, b.level(&b.units[0], c.shape, c.layout), c)
	}
}

// TestWorthOfSlots: a module that stays is worth more than any number that go out of slots
// which others come into; these count only where a processor gives some up.
func TestWorthOfSlots(t *testing.T) {
	b := channelled(2, 0, 1, none, none)
	u := &b.units[0]
	for _, c := range []struct {
		counts []int
		leaves bool
		below  [][]int
	}{
		{[]int{2, 1}, false, [][]int{{0, 4, 4}, {0, 0, 0}}},
		{[]int{2, 0}, true, [][]int{{0, 5, 6}, {0, 0, 0}}},
		{[]int{0, 2}, true, [][]int{{0, 1, 6}, {0, 0, 0}}},
		{[]int{1, 1}, false, [][]int{{0, 4, 4}, {0, 0, 0}}},
	} {
		assert.Equal(t, c.leaves, b.leaves(u, c.counts), "%v", c.counts)
		w := b.worth(u, c.counts)
		assert.Equal(t, c.below, w.below, "%v", c.counts)
		assert.Equal(t, c.below[0][1]+c.below[1][2], w.of(shape{1, 2}))
	}
	w := b.worth(u, []int{2, 0})
	assert.Equal(t, 5+1, w.kept(b, u, []int{0, 0, none, none}))
	assert.Equal(t, 5, w.kept(b, u, []int{0, none, 0, none}), "what comes into an empty slot is worth nothing")
}

// TestFilledUp: the layout that needs no slot map, a module in every slot: those that are
// there stay, and all of one kind may take their place.
func TestFilledUp(t *testing.T) {
	for name, c := range map[string]struct {
		at, counts, want []int
	}{
		"the rest comes":          {[]int{0, none, 1, none}, []int{2, 2}, []int{0, 0, 1, 1}},
		"of one kind":             {[]int{1, none, 0, 1}, []int{4, 0}, []int{0, 0, 0, 0}},
		"one too few":             {[]int{0, none, 1, none}, []int{2, 1}, nil},
		"one would have to go":    {[]int{0, 0, 1, none}, []int{1, 3}, nil},
		"of the second kind":      {[]int{0, none, none, none}, []int{0, 4}, []int{1, 1, 1, 1}},
		"as it is":                {[]int{0, 1, 0, 1}, []int{2, 2}, []int{0, 1, 0, 1}},
		"three of four of a kind": {[]int{0, 0, 0, 1}, []int{3, 1}, []int{0, 0, 0, 1}},
	} {
		b := channelled(2, c.at...)
		var want []choice
		if c.want != nil {
			want = []choice{{class: "full", layout: c.want}}
		}
		assert.Equal(t, want, b.filledUp(&b.units[0], c.counts), name)
	}
}

// TestByManual: the sets of a product's own manual need no slot map: for so many modules of
// one kind these slots, unless the manual discourages them.
func TestByManual(t *testing.T) {
	of := func(change func(*board)) *board {
		b := channelled(2, 0, none, none, none)
		for i := range 4 {
			b.sys.Slots = append(b.sys.Slots, inventory.Slot{Locator: assumed(fmt.Sprintf("DIMM %d", i+1))})
		}
		b.kinds, b.units[0].doubted = kindsOf(2, 1), noSlotMap
		b.sets = &place.Sets{Rows: map[int]place.SetRow{2: {Sets: [][]int{{1, 3}, {2, 4}, {2, 9}}, Grade: "balanced"}, 3: {Sets: [][]int{{1, 2, 3}}, Grade: "unbalanced"}, 4: {Sets: [][]int{{1, 2, 3, 4}}}}}
		change(b)
		return b
	}
	layouts := func(b *board, counts ...int) (out [][]int) {
		for _, c := range b.byManual(&b.units[0], counts) {
			out = append(out, c.layout)
		}
		return out
	}
	as := func(*board) {}
	assert.Equal(t, [][]int{{0, none, 0, none}, {none, 0, none, 0}}, layouts(of(as), 2, 0), "a set with a slot that is not there is none")
	assert.Equal(t, [][]int{{1, none, 1, none}, {none, 1, none, 1}}, layouts(of(as), 0, 2))
	assert.Empty(t, layouts(of(as), 1, 1), "the manual speaks of equal modules")
	assert.Empty(t, layouts(of(as), 0, 0))
	assert.Empty(t, layouts(of(as), 3, 0), "discouraged")
	assert.Empty(t, layouts(of(as), 4, 0), "all slots are filled without a manual")
	assert.Empty(t, layouts(of(func(b *board) { b.sets.Analogous = true }), 2, 0), "a sister's manual")
	assert.Empty(t, layouts(of(func(b *board) { b.sets = nil }), 2, 0))
	assert.Empty(t, layouts(of(func(b *board) { b.units[0].doubted = doubtedMap }), 2, 0))
	classes := map[string]bool{}
	b := of(as)
	b.topo.Platform = assumed(&platform.Platform{})
	for _, c := range append(b.choices(&b.units[0], []int{2, 0}), b.choices(&b.units[0], []int{4, 0})...) {
		classes[c.class] = true
	}
	assert.Equal(t, map[string]bool{"set 0": true, "set 1": true, "full": true}, classes)
}

// sharedBy is a board of processors with so many slots each, on a channel of its own each.
func sharedBy(processors int, kinds []moduleKind, at ...int) *board {
	b := channelled(1, at...)
	b.kinds, b.units = kinds, nil
	per := len(at) / processors
	for i := range processors {
		u := memoryUnit{socket: i}
		for slot := i * per; slot < (i+1)*per; slot++ {
			u.slots, u.groups = append(u.slots, slot), append(u.groups, channelGroup{ordered: true, layers: [][]int{{slot}}})
		}
		b.units = append(b.units, u)
	}
	for _, k := range at {
		if k != none {
			b.kinds[k].count++
		}
	}
	return b
}

// TestSharesOfProcessors: each gets as many of a kind as the others, and what is left over
// goes to those that have most of it.
func TestSharesOfProcessors(t *testing.T) {
	b := sharedBy(2, kindsOf(2, 1), 0, 0, 0, 1, 0, 1, 1, none)
	assert.Equal(t, []int{4, 3}, b.counts())
	assert.Equal(t, [][]int{{3, 1}, {1, 2}}, b.own())
	assert.Equal(t, [][]int{{2, 1}, {2, 2}}, b.spread([]int{4, 3}, nil))
	assert.Equal(t, [][]int{{3, 1}, {2, 1}}, b.spread([]int{5, 2}, nil))
	assert.Equal(t, [][]int{{2, 1}, {2, 2}}, b.spread([]int{4, 3}, []int{0, 1}))
	assert.Equal(t, [][]int{{3, 1}, {2, 2}}, b.spread([]int{5, 3}, []int{0, 1}))
	both := sharedBy(2, kindsOf(1, 1), 0, 1, none, none)
	assert.Equal(t, [][]int{{1, 1}, {0, 0}}, both.spread([]int{1, 1}, nil))
	assert.Equal(t, [][]int{{1, 0}, {0, 1}}, both.spread([]int{1, 1}, []int{0, 1}), "one for each processor")
	assert.Equal(t, [][]int{{0, 1}, {1, 0}}, both.spread([]int{1, 1}, []int{1, 0}))
	assert.Equal(t, 8, b.room())
	assert.Equal(t, int64(11<<30), b.held(b.at))
	pairs := sharedBy(2, kindsOf(1), 0, 0, 0, 0, 0, 0, none, none)
	for i := range pairs.units {
		pairs.units[i].groups = []channelGroup{{layers: [][]int{{4 * i, 4*i + 1}, {4*i + 2, 4*i + 3}}}}
	}
	assert.Equal(t, [][]int{{4}, {2}}, pairs.spread([]int{6}, nil), "pairs stay together")
	assert.Equal(t, [][]int{{5}, {2}}, pairs.spread([]int{7}, nil), "and of an odd one nobody knows better")
	assert.Equal(t, []int{4, 8}, []int{pairs.step(), pairs.room()})
	s := &search{board: b}
	assert.Nil(t, s.even([]int{4, 3}, nil), "three do not part in two")
	assert.Equal(t, [][][]int{{{2, 2}, {2, 2}}}, s.even([]int{4, 3}, []int{0, 1}))
	assert.Equal(t, [][][]int{{{2, 1}, {2, 2}}, {{3, 1}, {1, 2}}}, s.splits([]int{4, 3}), "as evenly as they go, and as it is")
	b.stray = []int{0}
	assert.Equal(t, [][][]int{{{2, 1}, {2, 2}}}, s.splits([]int{4, 3}), "a module behind no processor is one too many for what each has")
	even := sharedBy(2, kindsOf(2, 1), 0, 1, 0, 1)
	assert.Equal(t, [][][]int{{{1, 1}, {1, 1}}}, (&search{board: even}).splits([]int{2, 2}), "once, where that is the same")
	assert.True(t, equalShares([][]int{{1, 2}, {1, 2}}))
	assert.False(t, equalShares([][]int{{1, 2}, {1, 2}, {2, 1}}))
}

// TestWhatMayBeBought: of modules of 2 and 1 GiB in two of four slots, one kind more or both
// levelled; in exchange, what loses no capacity; beside what is there, one kind alone. The
// fewest bytes come first, then the fewest modules.
func TestWhatMayBeBought(t *testing.T) {
	b := channelled(2, 0, none, 1, none)
	b.kinds = kindsOf(2, 1)
	counts := []int{1, 1}
	assert.Equal(t, [][]int{{0, 1}, {1, 0}, {0, 2}, {1, 1}, {2, 0}}, b.purchases(counts))
	assert.Equal(t, [][]int{{1, -1}, {-1, 2}, {-1, 3}, {2, -1}, {3, -1}}, b.exchanges(counts))
	assert.Equal(t, [][]int{{0, 1}, {1, 0}, {0, 2}, {2, 0}}, b.additions(counts))
	assert.Equal(t, [][]int{{1, 0}, {0, 2}}, b.cheapestFirst([][]int{{0, 2}, {0, 0}, {-1, 0}, {1, 0}, {0, 2}}), "what buys nothing is no purchase")
	assert.Equal(t, [][]int{{0, 2}, {-1, 2}}, b.cheapestFirst([][]int{{-1, 2}, {0, 2}}), "and of equal ones those that take out the fewest")
	b.at[1] = 0
	assert.Equal(t, [][]int{{1, -1}, {2, -1}}, b.exchanges([]int{2, 1}), "what only comes is no exchange")
	three := channelled(3, 0, 1, none, 2, 2, none)
	three.kinds = kindsOf(4, 2, 1)
	assert.Contains(t, three.purchases([]int{1, 1, 2}), []int{1, 1, 0}, "two kinds levelled beside one that is even")
	assert.Contains(t, three.exchanges([]int{1, 2, 2}), []int{-1, 2, 0}, "as many bytes come as go")
	unlike := &board{units: []memoryUnit{*unitOf(2, 1)}, kinds: kindsOf(2, 1)}
	assert.Equal(t, [][]int{{1, -1}, {-1, 2}, {2, -1}}, unlike.exchanges(counts), "up to all slots of channels that are not alike")
	two := sharedBy(2, kindsOf(2, 1), 0, none, 1, none)
	assert.Equal(t, [][]int{{1, 1}}, two.purchases([]int{1, 1}), "behind two processors every kind must part in two")
	larger := sharedBy(1, append(kindsOf(2, 1), kindsOf(2)...), 0, 0, 1, 2)
	assert.Equal(t, [][]int{{1, -1, 0}}, larger.enlarged([]int{2, 1, 1}), "of the kind of which there are most")
	alike := sharedBy(1, kindsOf(1), 0, 0, none, none, none)
	assert.Empty(t, alike.exchanges([]int{2}), "of one kind nothing goes for more of it")
	full := channelled(1, 0, 0)
	full.kinds = kindsOf(2)
	assert.Empty(t, full.purchases([]int{2}))
	assert.Empty(t, full.additions([]int{2}))
}

// TestKindOfItsOwn: processors with one size of unlike modules each get more of the kind that
// they have most of; a size that one of them has not is brought to nobody.
func TestKindOfItsOwn(t *testing.T) {
	kinds := func() []moduleKind { return kindsOf(8, 8, 4) }
	b := sharedBy(2, kinds(), 1, none, none, 0, 2, none)
	purchases, splits := b.ownKinds()
	assert.Equal(t, [][]int{{1, 1, -1}, {2, 2, -1}}, purchases)
	assert.Equal(t, [][][]int{{{0, 2, 0}, {2, 0, 0}}}, splits["[1 1 -1]"])
	b.stray = []int{0}
	purchases, _ = b.ownKinds()
	assert.Empty(t, purchases)
	purchases, _ = sharedBy(2, kindsOf(32, 8, 8), 1, none, none, 2, 0, none).ownKinds()
	assert.Equal(t, [][]int{{-1, 2, 2}}, purchases, "no capacity is lost, all slots are used")
	purchases, _ = sharedBy(2, kinds(), 0, 2, none, 0, 2, none).ownKinds()
	assert.Empty(t, purchases, "both have most of the same")
	has := []int{1, 2, 5}
	assert.Equal(t, []int{1, 3, 2}, []int{b.mostOf(8<<30, has), b.modulesOf(8<<30, has), b.mostOf(4<<30, has)})
	assert.Equal(t, none, b.mostOf(16<<30, has))
	assert.Equal(t, none, b.mostOf(8<<30, []int{0, 0, 1}))
	assert.Equal(t, 0, b.mostOf(8<<30, []int{2, 2, 1}), "of as many the first")
}

// TestMends: a layout mends something where less fails, or as much that is milder, and
// breaks nothing: no new warning, no remark that becomes one, no order of slots that was
// kept, no channel given up for nothing. What was decided stays so.
func TestMends(t *testing.T) {
	role := func(rule string) verdict.Role { return verdict.Role{Layout: rule != "speed", Order: rule == "order"} }
	fails := func(list ...Finding) *verdict.Audit {
		out := &verdict.Audit{}
		for _, f := range list {
			out.Findings = append(out.Findings, verdict.Finding{Rule: f.Rule, Subject: f.Subject, Severity: verdict.Severity(f.Severity), Result: verdict.Fail})
		}
		return out
	}
	topo := func(peaks ...int64) *population.Result {
		out := &population.Result{}
		for _, v := range peaks {
			out.Populations = append(out.Populations, population.Population{Peak: assumed(v)})
		}
		return out
	}
	a, again, b := Finding{"a", "socket 0", "warning"}, Finding{"a", "socket 1", "warning"}, Finding{"b", "machine", "info"}
	s := &search{pipeline: Pipeline{Role: role}}
	s.before = s.judge(fails(a, again, b).Findings, topo(50, 50))
	assert.Equal(t, []int{0, 2, 1}, []int{s.before.critical, s.before.warning, s.before.info})
	for _, c := range []struct {
		name  string
		after []Finding
		peaks []int64
		mends bool
	}{
		{"all", nil, []int64{50, 50}, true}, {"nothing", []Finding{a, again, b}, []int64{50, 50}, false}, {"the remark", []Finding{a, again}, []int64{50, 50}, true},
		{"another remark in the stead of one", []Finding{a, again, {"c", "machine", "info"}}, []int64{50, 50}, false},
		{"one of two", []Finding{a, b}, []int64{50, 50}, true}, {"a new warning", []Finding{{"c", "machine", "warning"}}, []int64{50, 50}, false},
		{"the remark becomes a warning", []Finding{{"b", "machine", "warning"}}, []int64{50, 50}, false}, {"a new remark", []Finding{a, {"c", "machine", "info"}}, []int64{50, 50}, true},
		{"the order", []Finding{a, {"order", "machine", "info"}}, []int64{50, 50}, false}, {"a critical one", []Finding{{"c", "machine", "critical"}}, []int64{50, 50}, false},
		{"a channel for nothing", nil, []int64{50, 40}, false}, {"where the clock is not known", nil, nil, true},
	} {
		after := s.judge(fails(c.after...).Findings, topo(c.peaks...))
		assert.Equal(t, c.mends, s.mends(&after), c.name)
		assert.Equal(t, c.mends, s.accepts(&after), c.name)
	}
	told := func(result verdict.Result) layoutScore {
		return s.judge([]verdict.Finding{{Rule: "uniform", Subject: "machine", Result: result, Reason: "no ranks"}, {Rule: "speed", Subject: "machine", Result: verdict.Unknown}}, topo(50, 50))
	}
	for _, c := range []struct {
		before, after verdict.Result
		accepted      bool
	}{
		{verdict.Pass, verdict.Unknown, false}, {verdict.Pass, verdict.Error, false}, {verdict.Fail, verdict.Unknown, false}, {verdict.Unknown, verdict.Unknown, true},
		{verdict.NotApplicable, verdict.Unknown, true}, {verdict.Pass, verdict.NotApplicable, true},
	} {
		s.unproven, s.before = "", told(c.before)
		s.before.warning, s.before.fails = 1, append(s.before.fails, a)
		after := told(c.after)
		assert.Equal(t, c.accepted, s.accepts(&after), "%+v", c)
		assert.Equal(t, c.accepted, s.unproven == "", "%+v", c)
	}
	unknown := s.judge(nil, &population.Result{Populations: []population.Population{{Peak: assumed(int64(50))}, {}}})
	assert.Zero(t, unknown.peak, "one clock that is not known leaves all")
	assert.Equal(t, int64(100), s.judge(nil, topo(50, 50)).peak)
	s.board = &board{topo: &population.Result{}}
	s.board.topo.Platform = assumed(&platform.Platform{})
	assert.False(t, s.ratedBelow())
	s.board.topo.Platform.Value.RatedBelow, s.before.warning = true, 0
	assert.True(t, s.ratedBelow())
	s.before.warning = 1
	assert.False(t, s.ratedBelow(), "what fails at warning is worth modules all the same")
}

// TestWhatMayGo: modules may be taken out, or exchanged for fewer bytes, where no more than a
// quarter of the capacity goes; for nothing only where a document names the number that
// stays as one to have, and that of today not.
func TestWhatMayGo(t *testing.T) {
	of := func(recommended []int, sets *place.Sets, gib ...int64) *board {
		b := channelled(2, 0, 0, 0, none, 0, none)
		b.kinds, b.sets = kindsOf(gib...), sets
		b.topo.Platform = assumed(&platform.Platform{RecommendedDIMMs: recommended})
		return b
	}
	graded := func(grade string) *place.Sets { return &place.Sets{Rows: map[int]place.SetRow{3: {Grade: grade}}} }
	assert.Equal(t, [][]int{{-1}}, of([]int{3, 6}, nil, 1).removals([]int{4}), "a quarter of four")
	assert.Empty(t, of([]int{3, 4, 6}, nil, 1).removals([]int{4}), "four are as good by the document")
	assert.Empty(t, of([]int{2, 6}, nil, 1).removals([]int{4}), "two would be half of it")
	assert.Empty(t, of(nil, nil, 1).removals([]int{4}), "no document")
	assert.Equal(t, [][]int{{-1}}, of(nil, graded("balanced"), 1).removals([]int{4}))
	assert.Empty(t, of(nil, graded("supported"), 1).removals([]int{4}))
	b := of([]int{3}, nil, 2, 1, 1)
	b.at = []int{0, 1, 2, none, 0, none}
	assert.Empty(t, b.removals([]int{2, 1, 1}), "three of two sizes are not even")
	b.kinds = kindsOf(1, 1, 1)
	assert.Equal(t, [][]int{{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}}, b.removals([]int{2, 1, 1}), "of one size they are")

	shared := channelled(2, 0, none, 0, none, none, none, 0, 0, 0, none, 0, none) // two behind one processor, four behind the other
	whole := shared.units[0]
	shared.units = []memoryUnit{{slots: whole.slots[:6], groups: whole.groups[:3]}, {slots: whole.slots[6:], groups: whole.groups[3:]}}
	shared.topo.Platform = assumed(&platform.Platform{RecommendedDIMMs: []int{3}})
	assert.Empty(t, shared.removals([]int{6}), "to take nothing out is none")
	less := channelled(2, 0, 0, 0, 1)
	less.kinds = kindsOf(2, 1)
	assert.Equal(t, [][]int{{-1, 1}}, less.reductions([]int{3, 1}), "six of seven GiB stay")
	assert.Empty(t, less.reductions([]int{1, 2}), "what gives up nothing is no reduction")
	less.kinds = kindsOf(3, 2)
	assert.Equal(t, [][]int{{-1, 1}}, less.reductions([]int{3, 1}))
	less.kinds = kindsOf(4, 1)
	assert.Equal(t, [][]int{{-1, 1}}, less.reductions([]int{3, 1}), "a whole quarter, rounded down")
	less.kinds = kindsOf(5, 1)
	assert.Equal(t, [][]int{{-1, 1}}, less.reductions([]int{3, 1}))
	less.kinds = kindsOf(9, 1)
	assert.Empty(t, less.reductions([]int{3, 1}), "8 of 28 are more than a quarter")
}

// TestLikeChannelsOfThoseThatStay: of the layouts after which all channels hold the same bytes
// one leaves every module where it is: a third module joins the smaller one of two (a
// Satellite L750 of the SMBIOS archives was told to swap them first), and of four more on four
// channels the larger join the smaller (an HP xw8400).
func TestLikeChannelsOfThoseThatStay(t *testing.T) {
	for _, c := range []struct {
		name             string
		at, counts, want []int
	}{
		{"one more", []int{1, none, 0, none}, []int{1, 2}, []int{1, 1, 0, none}},
		{"one more on the other side", []int{0, none, 1, none}, []int{1, 2}, []int{0, none, 1, 1}},
		{"four more", []int{0, none, 0, none, 1, none, 1, none}, []int{4, 4}, []int{0, 1, 0, 1, 1, 0, 1, 0}},
	} {
		b := channelled(2, c.at...)
		b.kinds = kindsOf(4, 2)
		b.topo = &population.Result{Platform: assumed(&platform.Platform{})}
		for i := range b.units[0].groups {
			b.units[0].groups[i].ordered = true
		}
		var layouts [][]int
		for _, way := range b.choices(&b.units[0], c.counts) {
			layouts = append(layouts, way.layout)
		}
		assert.Contains(t, layouts, c.want, c.name)
	}
}

// TestWhatIsDear: more than half as many modules as are installed are dear, and so is what is
// not known. What buys fewer comes first; what buys more for nothing is left out.
func TestWhatIsDear(t *testing.T) {
	buying := func(installs, exchanges int) *candidate {
		c := &candidate{layout: []int{0, 0, 0, 0}, steps: []Step{{Do: Move}, {Do: Remove}}}
		for range installs {
			c.steps = append(c.steps, Step{Do: Install})
		}
		for range exchanges {
			c.steps = append(c.steps, Step{Do: Exchange})
		}
		return c
	}
	b := channelled(1, 0, 0, 0, 0)
	b.kinds = kindsOf(1)
	b.kinds[0].count = 4
	s := &search{board: b}
	assert.Equal(t, 3, buying(2, 1).buys())
	assert.True(t, s.isDear(nil))
	assert.False(t, s.isDear(buying(1, 1)))
	assert.True(t, s.isDear(buying(1, 2)))
	one, two, three := buying(1, 0), buying(0, 2), buying(3, 0)
	assert.Equal(t, []*candidate{one, two, three}, addCandidate(addCandidate(addCandidate(addCandidate(nil, two), three), one), nil))
	smaller := &search{board: &board{kinds: kindsOf(4, 2)}}
	two.score.bytes = 6 << 30
	assert.Equal(t, [][]int{{1, 0}, {0, 2}, {-2, 1}}, smaller.fewerThan(two, [][]int{{1, 0}, {1, 1}, {0, 2}, {-2, 1}, {3, -1}}), "as many that are smaller, too")
	two.score.bytes = 0
	assert.Len(t, smaller.fewerThan(nil, [][]int{{1, 0}, {9, 9}}), 2)
	for _, c := range []struct {
		name       string
		first      func(*candidate)
		worthwhile int
	}{
		{"no more for more", func(*candidate) {}, 1},
		{"less fails", func(c *candidate) { c.score.info = 1 }, 2},
		{"more bandwidth", func(c *candidate) { c.score.reach = bandwidth{channels: -1} }, 2},
		{"the capacity is kept", func(c *candidate) { c.layout = []int{0, 0, 0, none} }, 2},
	} {
		first := buying(1, 0)
		c.first(first)
		assert.Len(t, s.worthwhile([]*candidate{first, two}), c.worthwhile, c.name)
	}
	warned := &candidate{score: layoutScore{warning: 1}}
	assert.Same(t, one, milder(one, warned))
	assert.Same(t, one, milder(warned, one))
	assert.Same(t, one, milder(one, nil))
	assert.Same(t, one, milder(nil, one))
	assert.Same(t, one, milder(one, two), "of equal ones the first")
	assert.Same(t, one, cheaper(two, one))
	assert.Same(t, one, cheaper(one, two))
	other := buying(0, 2)
	assert.Same(t, two, cheaper(two, other), "of as many the first")
	assert.Same(t, two, cheaper(two, nil))
	worse := &candidate{steps: two.steps, score: layoutScore{critical: 1}}
	assert.Same(t, warned, cheaper(worse, warned), "buys none, and less fails")
	assert.Same(t, two, cheaper(two, warned), "it leaves more failing")

	severe := layoutScore{warning: 1}
	for _, c := range []struct {
		name   string
		before layoutScore
		bought []*candidate
		move   *candidate
		much   bool
	}{
		{"a quarter of four", severe, []*candidate{one, three}, nil, false}, {"two of four", severe, []*candidate{two, three}, nil, true},
		{"nothing mends it", severe, nil, nil, true}, {"moving does", severe, nil, one, false}, {"moving does a part", severe, []*candidate{two}, one, true},
		{"only a remark", layoutScore{info: 1}, []*candidate{three}, nil, false}, {"a remark that nothing mends", layoutScore{info: 1}, nil, nil, false},
	} {
		s.before = c.before
		assert.Equal(t, c.much, s.isMuch(c.bought, c.move), c.name)
	}

	s.afterPurchase(nil, []int{1})
	assert.Empty(t, s.tried, "what was not tried to its end is tried again")
	s.trials = 1
	s.afterPurchase(nil, []int{1})
	assert.Len(t, s.tried, 1)

	moving := func(change func(*candidate)) *candidate {
		c := &candidate{steps: two.steps, score: layoutScore{moves: 2, info: 1, reach: bytesPerSecond(9)}}
		change(c)
		return c
	}
	asked := moving(func(c *candidate) { c.score.moves = 3 })
	for name, c := range map[string]struct {
		o        *candidate
		replaces bool
	}{
		"fewer are handled":   {moving(func(*candidate) {}), true},
		"less fails, too":     {moving(func(c *candidate) { c.score.info = 0 }), true},
		"it reaches more":     {moving(func(c *candidate) { c.score.reach = bytesPerSecond(10) }), true},
		"as many are handled": {moving(func(c *candidate) { c.score.moves = 3 }), false},
		"one more is bought":  {moving(func(c *candidate) { c.steps = three.steps }), false},
		"more fails":          {moving(func(c *candidate) { c.score.warning = 1 }), false},
		"it reaches less":     {moving(func(c *candidate) { c.score.reach = bytesPerSecond(8) }), false},
		"there is none":       {nil, false},
	} {
		assert.Equal(t, c.replaces, c.o.replaces(asked, &board{}), name)
	}
	// Of two that handle as many that is better which mixes fewer kinds of one size.
	pair := sharedBy(2, append(kindsOf(2, 1), kindsOf(2)...), 0, 1, 2, none, 0, none, none, none)
	alike, mixing := moving(func(c *candidate) { c.layout = []int{0, 1, none, none, 2, 1, none, none} }), moving(func(c *candidate) { c.layout = []int{0, 1, 2, none, 0, none, none, none} })
	assert.Equal(t, []int{0, 1}, []int{pair.mixed(alike.layout), pair.mixed(mixing.layout)})
	assert.True(t, alike.replaces(mixing, pair))
	assert.False(t, mixing.replaces(alike, pair))
}

// TestLeftWhereTheyAre: what each processor has and what is bought, where new modules of one
// kind bring all to the numbers of a layout that moves some.
func TestLeftWhereTheyAre(t *testing.T) {
	as := func() *board {
		return sharedBy(2, kindsOf(2, 1), 0, 0, 1, none, none, none, none, none)
	}
	install := slices.Repeat([]Step{{Do: Install}}, 3)
	layout := []int{0, 0, none, 0, 1, 0, 0, none}
	moved := func() *candidate { return &candidate{layout: layout, steps: install, score: layoutScore{moves: 4}} }
	assert.Equal(t, []addition{{[][]int{{2, 1}, {3, 0}}, []int{3, 0}}}, as().addedTo(moved()))
	one := sharedBy(2, kindsOf(2, 1), 0, none, 0, 0)
	assert.Equal(t, []addition{{[][]int{{2, 0}, {2, 0}}, []int{1, 0}}}, one.ofOneKind(nil, &candidate{layout: []int{0, 0, 0, 0}, steps: install[:1]}), "one is bought")
	// Of two kinds of one size each processor gets the one that it has.
	two := sharedBy(2, append(kindsOf(2), kindsOf(2)...), 0, 0, none, none, 1, 1, none, none)
	bought := &candidate{layout: []int{0, 0, 1, none, 0, 1, 1, none}, steps: []Step{{Do: Install, Like: 0}, {Do: Install, Like: 4}}, score: layoutScore{moves: 2}}
	assert.Equal(t, []addition{{[][]int{{3, 0}, {0, 3}}, []int{1, 1}}}, two.addedTo(bought))
	for name, change := range map[string]func(*board, *candidate){
		"nothing moves":                func(_ *board, c *candidate) { c.score.moves = 3 },
		"a module behind no processor": func(b *board, _ *candidate) { b.stray = []int{2} },
		"nothing is bought": func(_ *board, c *candidate) {
			c.layout, c.steps = []int{0, none, none, none, 0, 1, none, none}, nil
		},
		"a processor would have to give up": func(_ *board, c *candidate) { c.layout = []int{0, 0, none, none, 0, 1, 0, 0} },
	} {
		b, c := as(), moved()
		change(b, c)
		assert.Empty(t, b.addedTo(c), name)
	}
	assert.Empty(t, as().addedTo(nil))
	s := &search{board: as()}
	assert.Equal(t, [][][]int{{{3, 1}, {1, 0}}}, s.added([]int{2, 0}))
	s.board.stray = []int{2}
	assert.Nil(t, s.added([]int{2, 0}))
}

// scripted is a search over the moves of one module to the other slots of a board, of
// which the rules say what stands for the slot that it is in: the first for none.
func scripted(says ...[]Finding) (*search, []proposal) {
	at := make([]int, len(says))
	for i := range at[1:] {
		at[1+i] = none
	}
	s := &search{board: channelled(1, at...), trials: mostMoved}
	s.board.sys.Slots = make([]inventory.Slot, len(says))
	s.board.sys.Slots[0] = inventory.Slot{State: inventory.SlotPopulated, SizeBytes: assumed(int64(1 << 30))}
	judgedBy(s, func(slots []inventory.Slot) (out []Finding) {
		for i := range says {
			if slots[i].State == inventory.SlotPopulated {
				out = append(out, says[i]...)
			}
		}
		return out
	})
	var proposals []proposal
	for to := 1; to < len(says); to++ {
		layout := slices.Repeat([]int{none}, len(says))
		layout[to] = 0
		proposals = append(proposals, proposal{layout: layout, steps: []Step{{Do: Move, From: 0, To: to, Like: none}}, topo: s.board.topo})
	}
	return s, proposals
}

// judgedBy has the rules say of a machine what says does, also as it is.
func judgedBy(s *search, says func([]inventory.Slot) []Finding) {
	s.pipeline.Role = func(string) verdict.Role { return verdict.Role{Layout: true} }
	s.pipeline.Verdicts = func(sys *inventory.System, _ *population.Result, rules func(string) bool) (*verdict.Audit, error) {
		out := &verdict.Audit{}
		for _, f := range says(sys.Slots) {
			if rules(f.Rule) {
				out.Findings = append(out.Findings, verdict.Finding{Rule: f.Rule, Subject: f.Subject, Severity: verdict.Severity(f.Severity), Result: verdict.Fail})
			}
		}
		return out, nil
	}
	before, _ := s.pipeline.Verdicts(s.board.sys, nil, s.pipeline.AboutLayout)
	s.before = s.judge(before.Findings, s.board.topo)
	s.suspect(s.before.fails)
}

// searched is a search over the modules of one kind that processors have, judged by says.
func searched(says func([]inventory.Slot) []Finding, processors int, at ...int) *search {
	s := &search{board: sharedBy(processors, kindsOf(1), at...), trials: mostMoved}
	s.board.topo.Platform = assumed(&platform.Platform{})
	s.board.sys.Slots = make([]inventory.Slot, len(at))
	for i, k := range at {
		if k != none {
			s.board.sys.Slots[i] = inventory.Slot{State: inventory.SlotPopulated, SizeBytes: assumed(int64(1 << 30))}
		}
	}
	judgedBy(s, says)
	return s
}

// dealt is one over two modules and four slots of two processors; says is by the number of
// modules behind the second one.
func dealt(says map[int][]Finding, at ...int) *search {
	return searched(func(slots []inventory.Slot) []Finding {
		return says[len(slices.DeleteFunc(slices.Clone(slots[2:]), func(s inventory.Slot) bool { return s.State != inventory.SlotPopulated }))]
	}, 2, at...)
}

// TestModulesForTheEmptyProcessor: a processor without a module gets some of one kind, of one
// other processor that keeps as many at least; the fewest come first, four are the most. Not
// where a module is behind no processor that is known.
func TestModulesForTheEmptyProcessor(t *testing.T) {
	two := sharedBy(2, kindsOf(2, 1), 0, 0, 0, 1, none, none, none, none)
	assert.Equal(t, [][][]int{{{2, 1}, {1, 0}}, {{3, 0}, {0, 1}}, {{1, 1}, {2, 0}}}, two.reliefs())
	two.stray = []int{0}
	assert.Empty(t, two.reliefs())
	for n, most := range map[int]int{1: 0, 2: 1, 3: 1, 4: 2, 7: 3, 8: 4, 10: 4} {
		at := slices.Repeat([]int{none}, 20)
		for i := range n {
			at[i] = 0
		}
		assert.Len(t, sharedBy(2, kindsOf(1), at...).reliefs(), most, "%d modules", n)
	}
	three := sharedBy(3, kindsOf(1), 0, 0, 0, none, none, none, none, none, none)
	assert.Equal(t, [][][]int{{{1}, {1}, {1}}}, three.reliefs(), "one for each of both")
	assert.Empty(t, sharedBy(2, kindsOf(1), 0, 0, 0, none).reliefs(), "each has some")
}

// TestRelieved: moving modules to an empty processor is taken where it is better than what
// else is known, and not tried where that leaves nothing severe.
func TestRelieved(t *testing.T) {
	bare, warned, remark := Finding{"a", "machine", "critical"}, Finding{"b", "machine", "warning"}, Finding{"c", "machine", "info"}
	says := map[int][]Finding{0: {bare, remark}, 1: {remark}}
	s := dealt(says, 0, 0, none, none)
	c := s.relieved(nil)
	require.NotNil(t, c)
	assert.Equal(t, 1, c.score.info)
	for name, k := range map[string]struct {
		best  layoutScore
		taken bool
	}{
		"worse": {layoutScore{warning: 1}, true}, "as good": {layoutScore{info: 1, moves: c.score.moves, reach: c.score.reach}, false}, "nothing severe": {layoutScore{info: 2}, false},
	} {
		s, best := dealt(says, 0, 0, none, none), &candidate{score: k.best}
		assert.Equal(t, k.taken, s.relieved(best) != best, name)
	}
	best := &candidate{score: layoutScore{critical: 1, info: 1, moves: c.score.moves, reach: c.score.reach}}
	s = dealt(map[int][]Finding{0: {bare, warned, remark}, 1: {bare, remark}}, 0, 0, none, none)
	assert.Same(t, best, s.relieved(best), "what is as good")
	s = dealt(map[int][]Finding{0: {bare}, 1: {bare}}, 0, 0, none, none)
	assert.Same(t, best, s.relieved(best), "what mends nothing")

	// At the price of a warning where something critical is gone.
	s = dealt(says, 0, 0, none, none)
	assert.NotNil(t, s.shared([]int{2}))
	s = dealt(map[int][]Finding{0: {bare, warned}, 1: {bare}}, 0, 0, none, none)
	assert.Nil(t, s.shared([]int{2}), "what is critical stays")
	s = dealt(says, 0, none, none, none)
	assert.Nil(t, s.shared([]int{1}), "the other one would have none")
}

// TestBestOfUnequalShares: of moves the least changed layout is tried as well, of a purchase
// only the best.
func TestBestOfUnequalShares(t *testing.T) {
	bare, warned, remark := Finding{"a", "machine", "critical"}, Finding{"b", "machine", "warning"}, Finding{"c", "machine", "info"}
	tried := func(extra []int) int {
		s := searched(func(slots []inventory.Slot) []Finding {
			switch {
			case slots[4].State != inventory.SlotPopulated:
				return []Finding{bare, remark}
			case slots[6].State != inventory.SlotPopulated:
				return []Finding{warned, remark}
			default:
				return []Finding{remark}
			}
		}, 2, 0, 0, 0, 0, none, none, none, none)
		for i := range s.board.units[1].groups {
			s.board.units[1].groups[i].controller = i / 2 // two modules behind one controller or behind both
		}
		best := s.best([][][]int{{{3}, {2}}}, extra)
		require.NotNil(t, best)
		assert.Equal(t, []int{0, none, 0, none}, best.layout[4:])
		return mostMoved - s.trials
	}
	assert.Equal(t, 1, tried(nil)-tried([]int{0}))
}

// TestExcuses: a lenient search takes a failure that another subject had before, as severe.
func TestExcuses(t *testing.T) {
	s := &search{before: layoutScore{fails: []Finding{{"a", "socket 1", "warning"}}}, lenient: true}
	for f, want := range map[Finding]bool{{"a", "socket 0", "warning"}: true, {"a", "socket 0", "critical"}: false, {"b", "socket 1", "warning"}: false} {
		assert.Equal(t, want, s.excuses(f), f)
	}
	s.lenient = false
	assert.False(t, s.excuses(Finding{"a", "socket 0", "warning"}))
}

// TestPartThatHelps: half as many modules at most, for more bandwidth than before.
func TestPartThatHelps(t *testing.T) {
	of := func(buys int, reach float64) *candidate {
		return &candidate{steps: slices.Repeat([]Step{{Do: Install}}, buys), score: layoutScore{reach: bytesPerSecond(reach)}}
	}
	for _, c := range []struct {
		part  *candidate
		helps bool
	}{{of(2, 9), true}, {of(3, 9), false}, {of(1, 9), true}, {of(2, 8), false}, {nil, false}} {
		assert.Equal(t, c.helps, c.part.helps(of(4, 10), &layoutScore{reach: bytesPerSecond(8)}))
	}
}

// TestBestOfLayouts: the first of those that mend as much, before any that mend less; what
// mends all ends the search, and what speaks against a purchase is kept.
func TestBestOfLayouts(t *testing.T) {
	warned, other := Finding{"a", "machine", "warning"}, Finding{"b", "machine", "warning"}
	remark, another := Finding{"c", "machine", "info"}, Finding{"d", "machine", "info"}
	for _, c := range []struct {
		name  string
		after [][]Finding
		// slot is where the module goes, 0 for nowhere; least where it goes when nothing
		// has to be mended; tried how many are asked for.
		slot, least, tried int
	}{
		{"of equal ones the first", [][]Finding{{remark}, {another}}, 1, 1, 2},
		{"the better one behind", [][]Finding{{remark}, {}}, 2, 2, 2},
		{"nothing after the best", [][]Finding{{}, {remark}, {}}, 1, 1, 1},
		{"what mends nothing", [][]Finding{{warned}, {warned, remark}}, 0, 1, 2},
		{"what breaks something", [][]Finding{{other}, {warned}}, 0, 1, 2},
	} {
		s, proposals := scripted(append([][]Finding{{warned}}, c.after...)...)
		at := 0
		if best := s.bestOf(proposals, nil); best != nil {
			at = slices.Index(best.layout, 0)
		}
		assert.Equal(t, []int{c.slot, c.tried}, []int{at, mostMoved - s.trials}, c.name)
		s, proposals = scripted(append([][]Finding{{warned}}, c.after...)...)
		assert.Equal(t, c.least, slices.Index(s.leastFailing(proposals).layout, 0), c.name)
	}

	s, proposals := scripted([]Finding{warned, other, remark}, []Finding{warned}, []Finding{warned, other, remark, another}, nil)
	require.NotNil(t, s.bestOf(proposals, []int{0}))
	assert.Equal(t, [][]string{{"a"}, {"a", "b"}}, s.stays, "what leaves a warning, and what is not taken")
	s, proposals = scripted([]Finding{warned, other}, []Finding{remark}, []Finding{remark, another})
	require.NotNil(t, s.bestOf(proposals, []int{0}))
	assert.Equal(t, [][]string{{"c"}}, s.stays, "what is no better than another is not taken")

	s, proposals = scripted([]Finding{warned}, []Finding{warned}, []Finding{warned}, []Finding{warned}, []Finding{warned})
	assert.Nil(t, s.bestOf(proposals, []int{0}))
	assert.False(t, s.cut, "no more than a purchase may have")
	s, proposals = scripted([]Finding{warned}, []Finding{warned}, []Finding{warned}, []Finding{warned}, []Finding{warned}, nil)
	assert.Nil(t, s.bestOf(proposals, []int{0}))
	assert.True(t, s.cut)
}

// TestLayoutsRanked: of two layouts that with more bandwidth comes first, whatever it takes;
// as many are derived as may be, and no more.
func TestLayoutsRanked(t *testing.T) {
	sys := collecttest.Read(t, "two channels", machinetest.Named(t, "dell-r710-two-channels").Table.Dump())
	for i := range sys.Slots {
		if name := sys.Slots[i].Locator.Or(""); name == "DIMM_A2" || name == "DIMM_A5" { // both modules on one channel
			clearSlot(&sys.Slots[i])
		}
	}
	b, why := newBoard(sys, population.Derive(sys, rules.FS))
	require.Empty(t, why)
	better := slices.Clone(b.at)
	from := slices.IndexFunc(sys.Slots, func(s inventory.Slot) bool { return s.Locator.Or("") == "DIMM_A4" })
	to := slices.IndexFunc(sys.Slots, func(s inventory.Slot) bool { return s.Locator.Or("") == "DIMM_A2" })
	require.NotEqual(t, none, b.at[from])
	better[from], better[to] = none, better[from]
	s := &search{board: b}
	assert.Equal(t, better, s.ranked([][]int{b.at, better})[0].layout)
	assert.Len(t, s.ranked(slices.Repeat([][]int{b.at}, mostDerived)), mostDerived)
	assert.False(t, s.cut)
	assert.Len(t, s.ranked(slices.Repeat([][]int{b.at}, mostDerived+1)), mostDerived)
	assert.True(t, s.cut)
}

// TestWhyNothing: why no layout is proven, the nearest reason first.
func TestWhyNothing(t *testing.T) {
	s := &search{board: channelled(2, 0, none)}
	s.board.units[0].groups[0].ordered = true
	s.board.topo.Platform = assumed(&platform.Platform{})
	assert.Equal(t, "no other layout of these modules, or with more of their kind, passes the rules", s.why())
	s.cut = true
	assert.Equal(t, "more layouts are possible than were tried, and none of those tried passes the rules", s.why())
	s.board.topo.Platform.Value.RatedBelow = true
	assert.Contains(t, s.why(), "the processor's maker rates it below")
	g := &s.board.units[0].groups[0]
	g.ordered = false
	assert.Equal(t, unordered, s.why())
	s.either = "moving one would do, but " + unordered
	assert.Equal(t, s.either, s.why())
	g.layers = g.layers[:1]
	assert.Contains(t, s.why(), "rates it below", "one slot has no order")
	g.layers = nil
	assert.Equal(t, "firmware's table names no slot of some channels", s.why())
	s.board.units[0].doubted = noSlotMap
	assert.Equal(t, noSlotMap, s.why())
	s.unproven = "memory.dimm.uniform could not be told"
	assert.Equal(t, "of the best layout memory.dimm.uniform could not be told", s.why())
}

// TestNotFilledForWant: no more modules than are installed are bought for want of a document
// alone; where each channel has one slot all of them are wanted, and so are fewer.
func TestNotFilledForWant(t *testing.T) {
	s := &search{board: channelled(2, 0, none, none, none)}
	s.board.topo.Populations = []population.Population{{Slots: []int{0}, EmptySlots: []int{1, 2, 3}, ChannelsTotal: assumed(2)}}
	three := &candidate{steps: slices.Repeat([]Step{{Do: Install}}, 3)}
	one := &candidate{steps: three.steps[:1]}
	assert.True(t, s.filledForWant(three, []int{1}))
	assert.False(t, s.filledForWant(one, []int{1}), "as many as are there")
	s.board.topo.Populations[0].ChannelsTotal.Value = 4
	assert.False(t, s.filledForWant(three, []int{1}), "a slot a channel")
	s.board.topo.Populations[0].ChannelsTotal.Value = 2
	for i := range s.board.units[0].groups {
		s.board.units[0].groups[i].ordered = true
	}
	assert.False(t, s.filledForWant(three, []int{1}), "a document has the order")
}

// TestOneForEachClass: of the layouts that are alike that one stands for all which leaves most
// modules in place: of equal modules the first of such, of unlike ones that on the last
// channels.
func TestOneForEachClass(t *testing.T) {
	layouts := func(b *board, counts ...int) (out [][]int) {
		b.topo.Platform, b.kinds = assumed(&platform.Platform{}), kindsOf(2, 1)
		for i := range b.units[0].groups {
			b.units[0].groups[i].ordered = true
		}
		for _, c := range b.choices(&b.units[0], counts) {
			out = append(out, c.layout)
		}
		return out
	}
	assert.Equal(t, [][]int{{0, 0, none}}, layouts(channelled(1, 0, none, none), 2, 0))
	assert.Equal(t, [][]int{{0, none, 0}}, layouts(channelled(1, none, none, 0), 2, 0), "the first that leaves it")
	assert.Contains(t, layouts(channelled(1, 0, none, none), 1, 1), []int{0, none, 1})
	assert.NotContains(t, layouts(channelled(1, 0, none, none), 1, 1), []int{0, 1, none})
	assert.Contains(t, layouts(channelled(2, 1, 1, 0, none), 1, 2), []int{1, 1, 0, none}, "all stay")
	assert.Len(t, layouts(channelled(2, 0, 0, none, none), 2, 0), 2, "both on one channel, or one on each")
	// Unlike modules are put into a shape in three ways here. On AMD's channels each shape is
	// of its own: which of them interleave is decided by what they hold.
	b := channelled(1, none, none, none)
	require.Len(t, layouts(b, 1, 1), 3)
	b.topo.Platform.Value.Policy = platform.PolicyAMD
	assert.Len(t, b.choices(&b.units[0], []int{1, 1}), 9)
	// Where the maker's table lists the sets, which of like channels are used is no matter of taste.
	listed := func(sets ...[]int) *board {
		b := channelled(1, none, none, none)
		for i := range 3 {
			b.sys.Slots = append(b.sys.Slots, inventory.Slot{Locator: assumed(fmt.Sprintf("DIMM %d", i+1))})
		}
		b.sets = &place.Sets{Rows: map[int]place.SetRow{2: {Sets: sets, Source: "manual"}}}
		return b
	}
	assert.Equal(t, [][]int{{0, none, 0}}, layouts(listed([]int{1, 3}), 2, 0))
	assert.Equal(t, [][]int{{0, 0, none}}, layouts(listed([]int{2, 3}, []int{1, 3}, []int{1, 2}), 2, 0), "of several that on the first channels")
}

// TestFewShapesOfLikeChannels: six of twelve like channels are one shape, not 924; of six
// controllers with two channels each they are four: by how many have both, and how many one.
func TestFewShapesOfLikeChannels(t *testing.T) {
	visited := func(u *memoryUnit, n int) int {
		var w slotWorth // nothing is there that could stay
		for _, g := range u.groups {
			w.below = append(w.below, make([]int, len(g.layers)+1))
		}
		_, count := standing(u, n, u.twins(w.below), &w)
		return count
	}
	bare := func(u *memoryUnit, behind int) *memoryUnit {
		for i := range u.groups {
			u.groups[i].controller = i / behind
		}
		return u
	}
	twelve := []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	assert.Len(t, unitOf(twelve...).shapes(6), 924)
	assert.Equal(t, 1, visited(bare(unitOf(twelve...), 12), 6))
	assert.Equal(t, 4, visited(bare(unitOf(twelve...), 2), 6))
	// Too many to be searched whole: two on six of eight, three on four, one on all and one more on four.
	deep := []int{3, 3, 3, 3, 3, 3, 3, 3}
	assert.Equal(t, 3, visited(bare(unitOf(deep...), 8), 12))
	today := bare(unitOf(deep...), 8)
	for i := range 4 {
		today.groups[i].filled = 3
	}
	// Four channels that are full now and four empty ones are told apart: 3 + 5 + 5, and today's.
	assert.Equal(t, 14, visited(today, 12))
}
