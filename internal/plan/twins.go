package plan

import "slices"

// twins are groups of a unit that are alike in all that tells the shapes of modules of one
// kind apart: their controller, how many layers they have and what these hold now. Shapes
// that differ by twins exchanged are of one class and leave as many modules in place, so
// that the first one stands for all: six of twelve like channels are one shape, not 924.
type twins struct {
	// group is for each group the next one before it that is its twin, none without.
	group []int
	// blocks are the controllers' groups, one controller after the other; empty where
	// those of a controller do not lie side by side. A block's twin is the next one before
	// it that is group by group alike.
	blocks []block
	// of is the block of each group.
	of []int
	// current is the shape of today.
	current shape
}

// block is one controller's groups, from the first to the one before end.
type block struct{ first, end, twin int }

// twins finds the groups that are alike; below is what the layers of each are worth.
func (u *unit) twins(below [][]int) *twins {
	u.settle()
	alike := func(i, j int) bool {
		g, h := &u.groups[i], &u.groups[j]
		return len(g.layers) == len(h.layers) && g.ordered == h.ordered && g.filled == h.filled && slices.Equal(below[i], below[j])
	}
	t := &twins{group: make([]int, len(u.groups)), current: make(shape, len(u.groups))}
	for i := range u.groups {
		t.current[i] = u.groups[i].filled
		t.group[i] = none
		for j := i - 1; j >= 0 && t.group[i] == none; j-- {
			if u.controller[j] == u.controller[i] && alike(i, j) {
				t.group[i] = j
			}
		}
	}
	for i := range u.groups {
		if i == 0 || u.controller[i] != u.controller[i-1] {
			t.blocks = append(t.blocks, block{first: i, end: i, twin: none})
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

// rises reports whether the groups before one, as far as a shape is filled, may be of the
// first of the shapes that differ by twins exchanged, where those that rise come first.
func (t *twins) rises(s shape, before int) bool {
	at := before - 1
	if at < 0 {
		return true
	}
	if j := t.group[at]; j != none && s[at] < s[j] {
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
	return slices.Compare(s[b.first:b.end], s[twin.first:twin.end]) >= 0
}

// falls reports whether a shape is the first of those that differ from it by twins
// exchanged where those that fall come first, or is today's, which comes by itself.
func (t *twins) falls(s shape) bool {
	if slices.Equal(s, t.current) {
		return true
	}
	for i, j := range t.group {
		if j != none && s[i] > s[j] {
			return false
		}
	}
	for i := range t.blocks {
		b := &t.blocks[i]
		if b.twin == none {
			continue
		}
		if twin := &t.blocks[b.twin]; slices.Compare(s[b.first:b.end], s[twin.first:twin.end]) > 0 {
			return false
		}
	}
	return true
}
