package plan

import (
	"encoding/binary"
	"slices"

	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// shape says for each group of a unit how many of its layers hold modules: its depth.
type shape []int

// mostShapes is the number of shapes, of any number of modules, up to which a unit is searched whole.
// Of a larger one only the shapes are tried that documents use (regular), and at most so many.
const mostShapes = 4096

// size is the number of modules of a layer: the channels of a group.
func (u *memoryUnit) size() int {
	for _, g := range u.groups {
		if len(g.layers) > 0 {
			return len(g.layers[0])
		}
	}
	return 1
}

// shapes lists the shapes of n modules in a unit, as each visits them.
func (u *memoryUnit) shapes(n int) []shape {
	var out []shape
	u.each(n, nil, false, func(s shape) { out = append(out, slices.Clone(s)) })
	return out
}

// each visits the allowed shapes of n modules in a unit; none if n is not a whole number of layers.
// With like only the first of the shapes that differ by exchanged twins is visited. Shapes that fill
// the first groups come first, or with rising last. visit must not keep the shape.
func (u *memoryUnit) each(n int, like *twins, rising bool, visit func(shape)) {
	if n%u.size() != 0 {
		return
	}
	n /= u.size()
	total := 1
	for _, g := range u.groups {
		total = min(total*(len(g.layers)+1), mostShapes+1)
	}
	seen := 0
	allowed := func(s shape) {
		if seen <= mostShapes && u.allows(s) {
			seen++
			visit(s)
		}
	}
	if total <= mostShapes {
		visitShapes(u, n, like, rising, allowed)
		return
	}
	u.regular(n, func(s shape) {
		if like == nil || like.falls(s) {
			allowed(s)
		}
	})
}

// allows tells whether every group can be filled to its depth: an ordered one to any, another only if
// it is empty, full or as deep as now. Lockstep pairs must be filled inTurn as well.
func (u *memoryUnit) allows(s shape) bool {
	for i, d := range s {
		g := &u.groups[i]
		if d > len(g.layers) || !g.ordered && d != 0 && d != len(g.layers) && d != g.filled {
			return false
		}
	}
	return u.size() == 1 || u.inTurn(s)
}

// inTurn reports whether the lockstep pairs of every controller are filled in
// turn: the first slots of the first pair, of the second, then the second slots
// (Fujitsu, Westmere-EX: 1B-1D, 1A-1C, 2B-2D, 2A-2C on every board).
func (u *memoryUnit) inTurn(s shape) bool {
	for i := 1; i < len(s); i++ {
		if u.groups[i].controller == u.groups[i-1].controller && (s[i] > s[i-1] || s[i] < s[i-1]-1) {
			return false
		}
	}
	return true
}

// visitShapes visits all shapes of n layers, those that fill the first groups first or, with
// rising, last; of twins those that fall, where they are given.
func visitShapes(u *memoryUnit, n int, like *twins, rising bool, visit func(shape)) {
	s := make(shape, len(u.groups))
	behind := make([]int, len(s)+1) // what the groups from one on take
	for i := len(s) - 1; i >= 0; i-- {
		behind[i] = behind[i+1] + len(u.groups[i].layers)
	}
	var fill func(at, left int)
	fill = func(at, left int) {
		if like != nil && !like.fallsTo(s, at) {
			return
		}
		if at == len(s) {
			visit(s)
			return
		}
		least, most := max(0, left-behind[at+1]), min(left, len(u.groups[at].layers))
		for d := least; d <= most; d++ {
			s[at] = most - (d - least)
			if rising {
				s[at] = d
			}
			fill(at+1, left-s[at])
		}
		s[at] = 0
	}
	if n <= behind[0] {
		fill(0, n)
	}
}

// regular visits the shapes that put n layers evenly over k groups, for every k that divides n, those
// that put them over all groups with the rest on some, and today's if that has n layers.
func (u *memoryUnit) regular(n int, visit func(shape)) {
	groups := len(u.groups)
	for k := min(n, groups); k > 0; k-- {
		if n%k == 0 {
			subsets(groups, k, func(in []bool) { visit(depths(in, n/k, 0)) })
		}
	}
	if rest := n % groups; n > groups && rest > 0 {
		subsets(groups, rest, func(in []bool) { visit(depths(in, n/groups+1, n/groups)) })
	}
	current := make(shape, groups)
	sum := 0
	for i, g := range u.groups {
		current[i] = g.filled
		sum += g.filled
	}
	if sum == n {
		visit(current)
	}
}

func depths(in []bool, yes, no int) shape {
	s := make(shape, len(in))
	for i, b := range in {
		s[i] = no
		if b {
			s[i] = yes
		}
	}
	return s
}

// subsets visits the subsets of k out of n.
func subsets(n, k int, visit func([]bool)) {
	in := make([]bool, n)
	var pick func(at, left int)
	pick = func(at, left int) {
		if left > n-at {
			return
		}
		if at == n {
			visit(in)
			return
		}
		if left > 0 {
			in[at] = true
			pick(at+1, left-1)
			in[at] = false
		}
		pick(at+1, left)
	}
	pick(0, k)
}

// class returns the name of a shape's class: how many groups of each depth every controller has, in
// any order of the controllers. On platforms with AMD's policy, whose channels are not all alike, it
// is that of the depths which interleave in the same way.
func (u *memoryUnit) class(s shape, p *platform.Platform) string {
	if p.Policy == platform.PolicyAMD {
		return shape(population.EquivalentDepths(p, s)).depths()
	}
	u.settle()
	counts := make([]uint64, u.controllers)
	for i, d := range s {
		counts[u.controller[i]] += 1 << (depthBits * d)
	}
	slices.Sort(counts)
	name := make([]byte, 0, 8*len(counts))
	for _, n := range counts {
		name = binary.BigEndian.AppendUint64(name, n)
	}
	return string(name)
}

// depthBits is the room for a number of groups; a processor has fewer than 32.
const depthBits = 5

// depths writes one digit for each group; no channel is deeper than nine.
func (s shape) depths() string {
	text := make([]byte, 0, len(s))
	for _, d := range s {
		text = append(text, byte('0'+d))
	}
	return string(text)
}

// unevenness is least where the modules are spread most evenly.
func (s shape) unevenness() int {
	n := 0
	for _, d := range s {
		n += d * d
	}
	return n
}

// twins are groups of a unit that are alike in all that distinguishes layouts of one kind of module:
// their controller, how many layers they have, whether they are ordered and what the layers hold now.
// Shapes that differ by exchanged twins are of one class and leave as many modules in place, so that
// the first one is tried for all: six of twelve like channels are one shape, not 924.
type twins struct {
	// group is for each group the nearest one before it that is its twin, none if there is none.
	group []int
	// blocks are the controllers' groups, one controller after the other; empty if the groups of a
	// controller are not side by side. A block's twin is the nearest one before it that is alike,
	// group by group.
	blocks []groupBlock
	// of is the block of each group.
	of []int
}

// groupBlock is one controller's groups, from the first to the one before end.
type groupBlock struct{ first, end, twin int }

// twins finds the groups that are alike; below is what the layers of each are worth.
func (u *memoryUnit) twins(below [][]int) *twins {
	u.settle()
	alike := func(i, j int) bool {
		g, h := &u.groups[i], &u.groups[j]
		return len(g.layers) == len(h.layers) && g.ordered == h.ordered && g.filled == h.filled && slices.Equal(below[i], below[j])
	}
	t := &twins{group: make([]int, len(u.groups))}
	for i := range u.groups {
		t.group[i] = none
		for j := i - 1; j >= 0 && t.group[i] == none; j-- {
			if u.controller[j] == u.controller[i] && alike(i, j) {
				t.group[i] = j
			}
		}
	}
	for i := range u.groups {
		if i == 0 || u.controller[i] != u.controller[i-1] {
			t.blocks = append(t.blocks, groupBlock{first: i, end: i, twin: none})
		}
		t.blocks[len(t.blocks)-1].end++
		t.of = append(t.of, len(t.blocks)-1)
	}
	if len(t.blocks) != u.controllers {
		t.blocks = nil
	}
	for i := range t.blocks {
		b := &t.blocks[i]
		for j := i - 1; j >= 0 && b.twin == none; j-- {
			same := t.blocks[j].end-t.blocks[j].first == b.end-b.first
			for n := 0; same && n < b.end-b.first; n++ {
				same = alike(b.first+n, t.blocks[j].first+n)
			}
			if same {
				b.twin = j
			}
		}
	}
	return t
}

// falls tells whether a shape is the first of those that differ from it by exchanged twins: from twin
// to twin the depths never rise. Today's shape falls, because twins hold the same now.
func (t *twins) falls(s shape) bool {
	for at := range s {
		if !t.fallsTo(s, at+1) {
			return false
		}
	}
	return true
}

// fallsTo is the part of falls that depends on the groups before this index and is decided by the
// last of them.
func (t *twins) fallsTo(s shape, before int) bool {
	if before == 0 {
		return true
	}
	at := before - 1
	if j := t.group[at]; j != none && s[at] > s[j] {
		return false
	}
	if len(t.blocks) == 0 {
		return true
	}
	b := &t.blocks[t.of[at]]
	if b.end != before || b.twin == none {
		return true
	}
	twin := &t.blocks[b.twin]
	return slices.Compare(s[b.first:b.end], s[twin.first:twin.end]) <= 0
}
