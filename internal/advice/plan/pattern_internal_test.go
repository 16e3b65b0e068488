package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/topology/platform"
)

// drawn is a random board of one processor: up to six channels on up to three controllers.
func drawn(rng *rand.Rand, kinds ...int64) *board {
	controllers := 1 + rng.IntN(3)
	each, depth := 1+rng.IntN(max(1, 6/controllers)), 1+rng.IntN(2)
	u := unitOf(slices.Repeat([]int{depth}, controllers*each)...)
	for i := range u.groups {
		u.groups[i].controller = i / each
	}
	b := &board{units: []memoryUnit{*u}, kinds: kindsOf(kinds...)}
	for range u.slots {
		k := none
		if rng.IntN(2) == 0 {
			k = rng.IntN(len(kinds))
			b.kinds[k].count++
		}
		b.at = append(b.at, k)
	}
	return b
}

// permutations visits the orders of the groups that exchange like groups and like blocks.
func permutations(a *alike, groups int, visit func(to []int)) {
	to, used := make([]int, groups), make([]bool, groups)
	block := func(g int) int {
		return slices.IndexFunc(a.blocks, func(b []int) bool { return slices.Contains(b, g) })
	}
	var fill func(g int)
	fill = func(g int) {
		if g == groups {
			visit(to)
			return
		}
		for h := range groups {
			together := true // groups of one block stay in one
			for i := range g {
				together = together && (block(i) == block(g)) == (block(to[i]) == block(h))
			}
			if !used[h] && together {
				used[h], to[g] = true, h
				fill(g + 1)
				used[h] = false
			}
		}
	}
	fill(0)
}

// TestPatternsAreComplete checks that every layout of up to eight equal modules is one of the patterns with its
// channels and controllers exchanged, and that no two patterns are equal.
func TestPatternsAreComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 1))
	for range 60 {
		b := drawn(rng, 8)
		u := &b.units[0]
		a := u.alike(u.rooms(), &platform.Platform{})
		n := 1 + rng.IntN(min(8, len(u.slots)))
		stands := map[string]int{} // by layout, the pattern that it belongs to
		for i, p := range u.patterns([]int{n}, []int64{8 << 30}, a) {
			permutations(a, len(p), func(to []int) {
				moved := make(pattern, len(p))
				for g, h := range to {
					moved[h] = p[g]
				}
				other, known := stands[fmt.Sprint(moved)]
				require.True(t, !known || other == i, "%v is of two patterns", moved)
				stands[fmt.Sprint(moved)] = i
			})
		}
		every := 0
		var count func(g, left int)
		count = func(g, left int) {
			if g == len(u.groups) {
				every += 1 - min(left, 1)
				return
			}
			for d := 0; d <= min(left, len(u.groups[g].layers)); d++ {
				count(g+1, left-d)
			}
		}
		count(0, n)
		assert.Len(t, stands, every, "%d modules on %d channels", n, len(u.groups))
	}
}

// TestArrangedWithFewestMoves checks that no exchange of equal channels and controllers leaves more modules in place
// than the assignment does.
func TestArrangedWithFewestMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 2))
	for range 40 {
		b := drawn(rng, 16, 8)
		u := &b.units[0]
		like := u.alike(u.rooms(), &platform.Platform{})
		counts := b.counts()
		patterns := u.patterns(b.bySize(counts), b.sizes(), like)
		for _, p := range patterns[:min(len(patterns), 8)] {
			for _, keep := range []bool{false, true} {
				a := &arrangement{board: b, unit: u, alike: like, counts: counts, keep: keep}
				layout := slices.Repeat([]int{none}, len(b.at))
				require.True(t, a.place(p, layout))
				kept, most := 0, 0
				for slot, k := range layout {
					if k != none && k == b.at[slot] {
						kept++
					}
				}
				permutations(like, len(p), func(to []int) {
					stay := 0
					for g, h := range to {
						for d, size := range a.layers(p[g], h) {
							if k := b.at[u.groups[h].layers[d][0]]; size != none && k != none && b.sizeIndex(k) == size {
								stay++
							}
						}
					}
					most = max(most, stay)
				})
				assert.Equal(t, most, kept, "%v to %v", b.at, p)
			}
		}
	}
}

// TestAssign checks that the sum of the Hungarian method is the maximum over all orders.
func TestAssign(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 3))
	for range 200 {
		n := 1 + rng.IntN(5)
		value := make([][]int, n)
		for i := range value {
			for range n {
				value[i] = append(value[i], rng.IntN(50)-20)
			}
		}
		sum := func(to []int) (out int) {
			for i, j := range to {
				out += value[i][j]
			}
			return out
		}
		best := -1 << 30
		one := &alike{rooms: make([]room, n), blocks: [][]int{make([]int, 0)}}
		for i := range n {
			one.blocks[0] = append(one.blocks[0], i)
		}
		permutations(one, n, func(to []int) { best = max(best, sum(to)) })
		assert.Equal(t, best, sum(assign(value)), "%v", value)
	}
}

// TestLockstepPairsInTurn checks that the pairs of a controller are populated alternately, first slots first.
func TestLockstepPairsInTurn(t *testing.T) {
	u := &memoryUnit{}
	for g := range 4 { // two pairs behind each of two controllers, two layers of two slots
		group := channelGroup{controller: g / 2, ordered: true}
		for range 2 {
			n := len(u.slots)
			group.layers = append(group.layers, []int{n, n + 1})
			u.slots = append(u.slots, n, n+1)
		}
		u.groups = append(u.groups, group)
	}
	var got []string
	for _, p := range u.patterns([]int{8}, []int64{1 << 30}, u.alike(u.rooms(), &platform.Platform{})) {
		got = append(got, fmt.Sprint(p.depths()))
	}
	assert.Equal(t, []string{"[1 1 1 1]", "[2 1 1 0]", "[2 2 0 0]"}, got)
	assert.Empty(t, u.patterns([]int{7}, []int64{1 << 30}, u.alike(u.rooms(), &platform.Platform{})), "no complete pair")
}

// TestStocks checks the modules that two processors may have in common, the cheapest first: their own modules stay,
// and missing ones are of a kind that they have.
func TestStocks(t *testing.T) {
	b := sharedBy(2, kindsOf(16, 8), 1, none, none, none, 1, 0, none, none)
	b.population.Platform = assumed(&platform.Platform{})
	var prices []string
	for _, x := range b.stocks() {
		if x.left == 0 {
			prices = append(prices, fmt.Sprint(x.split, x.bought, x.crossing))
		}
	}
	assert.Equal(t, "[[1 1] [1 1]] 1 0", prices[0])
	cheap, expensive := &stock{bought: 1, left: 3}, &stock{bought: 1, bytes: 1}
	assert.Negative(t, cheap.compare(expensive))
	assert.Equal(t, [][]int{{0, 1}, {1, 1}}, b.own())
	hand := b.fromInstalled()
	assert.Equal(t, [][]int{{0, 1}, {1, 1}}, hand[0].split)
	assert.Len(t, hand, len(slices.CompactFunc(slices.Clone(hand), func(x, y *stock) bool { return fmt.Sprint(x.split) == fmt.Sprint(y.split) })))
	bare := sharedBy(2, kindsOf(8), 0, 0, 0, none, none, none, none, none)
	assert.Equal(t, [][][]int{{{2}, {1}}}, bare.splitsForEmpty())
}

// TestUndominated checks that an element that is not better than another in any respect is dropped.
func TestUndominated(t *testing.T) {
	of := func(bought, warning int, low float64) *candidate {
		return &candidate{stock: &stock{bought: bought}, score: layoutScore{warning: warning, units: clocked(low)}}
	}
	cheap, fast, both, worse := of(1, 1, 20), of(4, 0, 40), of(5, 0, 60), of(5, 0, 40)
	assert.Equal(t, []*candidate{cheap, fast, both}, undominated([]*candidate{cheap, fast, both, worse}))
	assert.Len(t, undominated([]*candidate{cheap, of(1, 1, 20)}), 2, "equals stay")
}

// sharedBy is a board of processors with the given number of slots, each on its own channel.
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
