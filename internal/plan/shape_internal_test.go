package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/platform"
)

// standing is, for the class of each shape that a unit visits, in the order of the first
// of each class, the shape that leaves most modules in place, the first of equal ones.
func standing(u *unit, n int, like *twins, worth *worth) (best []string, visited int) {
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
// that are left stand for the same classes, in the same order, as all of them do.
func TestTwinsStandForAll(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 7))
	all, left := 0, 0
	for range 100 {
		u := &unit{}
		channels, depth, behind, apart := 2+random.IntN(11), 1+random.IntN(2), 1+random.IntN(3), random.IntN(4) == 0
		var w worth
		for c := range channels {
			g := group{controller: c / behind, ordered: random.IntN(8) > 0, layers: make([][]int, depth-random.IntN(depth+1)/2)}
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
func unitOf(depths ...int) *unit {
	u := &unit{}
	next := 0
	for _, depth := range depths {
		g := group{controller: place.Unplaced, ordered: true}
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
	u := &unit{groups: []group{{controller: 0, ordered: true}, {controller: 0, ordered: true}, {controller: 1, ordered: true}}}
	for i := range u.groups {
		u.groups[i].layers = [][]int{{4 * i, 4*i + 1}, {4*i + 2, 4*i + 3}}
	}
	assert.Equal(t, 2, u.size())
	assert.Empty(t, u.shapes(3))
	assert.Equal(t, []string{"110", "101", "002"}, written(u.shapes(4)), "a pair's second slots wait for the next pair's first")
	assert.Equal(t, []string{"210", "111", "102"}, written(u.shapes(6)))
	assert.Equal(t, 1, (&unit{groups: []group{{}}}).size(), "without a slot one would fill nothing")
	assert.Equal(t, 2, (&unit{groups: []group{{}, u.groups[0]}}).size())
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
func kindsOf(gib ...int64) []kind {
	var out []kind
	for _, n := range gib {
		out = append(out, kind{traits: traits{bytes: n << 30}})
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
		how    style
		want   []int // nil where they do not fit
	}{
		"slot by slot":                         {[]int{none, none, none, none, none, none}, shape{2, 2, 1}, []int{2, 3}, layered, []int{0, 1, 0, 1, 1, none}},
		"one is left over":                     {[]int{none, none, none, none, none, none}, shape{2, 2, 0}, []int{2, 3}, layered, nil},
		"one is missing":                       {[]int{none, none, none, none, none, none}, shape{2, 2, 1}, []int{2, 2}, layered, nil},
		"a kind of which there is none":        {[]int{none, none, none, none, none, none}, shape{1, 1, 1}, []int{0, 3}, layered, []int{1, none, 1, none, 1, none}},
		"to the channel that holds least":      {[]int{none, none, none, none, none, none}, shape{1, 2, 2}, []int{2, 3}, level, []int{0, none, 0, 1, 1, 1}},
		"level, one is left over":              {[]int{none, none, none, none, none, none}, shape{1, 2, 1}, []int{2, 3}, level, nil},
		"level, one is missing":                {[]int{none, none, none, none, none, none}, shape{2, 2, 2}, []int{2, 3}, level, nil},
		"around those that stay":               {[]int{none, 1, 0, none, none, none}, shape{2, 1, 2}, []int{3, 2}, staying, []int{0, 1, 0, none, 0, 1}},
		"more of a kind are there than wanted": {[]int{1, 1, 1, none, none, none}, shape{1, 1, 1}, []int{2, 1}, staying, []int{1, none, 0, none, 0, none}},
		"staying, one is left over":            {[]int{0, none, none, none, none, none}, shape{1, 1, 0}, []int{2, 1}, staying, nil},
		"staying, one is missing":              {[]int{0, none, none, none, none, none}, shape{1, 1, 1}, []int{1, 1}, staying, nil},
		"evened":                               {[]int{0, 0, 1, 1, none, none}, shape{2, 2, 0}, []int{2, 2}, evened, []int{0, 1, 0, 1, none, none}},
		"even as it is":                        {[]int{0, 1, 0, 1, none, none}, shape{2, 2, 0}, []int{2, 2}, evened, nil},
		"as even as it gets":                   {[]int{0, 1, 1, none, none, none}, shape{2, 1, 0}, []int{1, 2}, evened, []int{1, 1, 0, none, none, none}},
		"nothing to even":                      {[]int{none, none, none, none, none, none}, shape{0, 0, 0}, []int{0, 0}, evened, nil},
	} {
		b := channelled(2, c.at...)
		b.kinds = kindsOf(2, 1)
		into := slices.Repeat([]int{7}, len(c.at)) // of another layout
		fits := b.place(&b.units[0], c.shape, c.counts, c.how, into)
		assert.Equal(t, c.want != nil, fits, name)
		if c.want != nil {
			assert.Equal(t, c.want, into, name)
		}
	}
	// Lockstep pairs take two of a kind.
	b := &board{at: []int{none, none, none, none}, kinds: kindsOf(2, 1)}
	u := &unit{slots: []int{0, 1, 2, 3}, groups: []group{{layers: [][]int{{0, 1}}}, {layers: [][]int{{2, 3}}}}}
	into := make([]int, 4)
	assert.False(t, b.place(u, shape{1, 1}, []int{3, 1}, layered, into))
	for _, how := range []style{layered, level, staying} {
		require.True(t, b.place(u, shape{1, 1}, []int{2, 2}, how, into), how.String())
		assert.Equal(t, []int{0, 0, 1, 1}, into, how.String())
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
		b.kinds, b.units[0].doubted = kindsOf(2, 1), noMap
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
