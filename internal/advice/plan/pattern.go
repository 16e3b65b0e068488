package plan

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// column is how many modules of each size a group holds, by the index of the size, the largest first.
type column []int

// pattern has a column for each group of a unit. Patterns that differ only in the assignment of columns to equal
// channels and controllers are one pattern: arrange chooses the channels.
type pattern []column

// Bounds of the patterns of one share: how many there are at most, and how many partial ones are
// looked at. The most even ones are found first.
const (
	mostPatterns = 1024
	mostPartial  = 20_000
)

// room is the set of depths to which a group may be filled: bit d is set if d of its layers may be.
type room uint64

func (r room) greatestDepth() int { return bits.Len64(uint64(r)) - 1 }

func (u *memoryUnit) layerWidth() int {
	for _, g := range u.groups {
		if len(g.layers) > 0 {
			return len(g.layers[0])
		}
	}
	return 1
}

// On a full board one whose fill order is not known is emptied or stays: steps by channels cannot say which module is taken out.
func (b *board) roomsOfGroups(u *memoryUnit) []room {
	out := make([]room, len(u.groups))
	for i, g := range u.groups {
		out[i] = 1<<(len(g.layers)+1) - 1
		if !b.partial && !g.ordered {
			out[i] = 1 | 1<<len(g.layers)
		}
	}
	return out
}

// controllerGroups are the groups of each controller; each group is one if channels are not alike.
func (u *memoryUnit) controllerGroups(apart bool) [][]int {
	u.indexGroups()
	out := make([][]int, u.controllers)
	for g, c := range u.controller {
		out[c] = append(out[c], g)
	}
	if !apart {
		return out
	}
	out = out[:0]
	for g := range u.groups {
		out = append(out, []int{g})
	}
	return out
}

// alike are the groups and blocks that may change places in a pattern.
type alike struct {
	rooms  []room
	blocks [][]int
	// apart is set if the platform distinguishes every channel from the others; paired if those of a controller are
	// filled alternately, so that only complete blocks can be equal.
	apart, paired bool
}

func (u *memoryUnit) comparableGroups(rooms []room, p *platform.Platform) *alike {
	apart := p.Policy == platform.PolicyAMD
	return &alike{rooms: rooms, blocks: u.controllerGroups(apart), apart: apart, paired: u.layerWidth() > 1}
}

func (a *alike) isEqualGroup(i, j int) bool {
	return i == j || !a.apart && !a.paired && a.rooms[i] == a.rooms[j]
}

func (a *alike) isEqualBlock(x, y []int) bool {
	return slices.Equal(x, y) || !a.apart && slices.EqualFunc(x, y, func(i, j int) bool { return a.rooms[i] == a.rooms[j] })
}

// listPatterns lists the patterns of the given number of modules of each size in a unit, the most even first.
func (u *memoryUnit) listPatterns(want []int, sizes []int64, a *alike) []pattern {
	width := u.layerWidth()
	s := patternSearch{alike: a, left: slices.Clone(want), now: make(pattern, len(u.groups))}
	total := int64(0)
	for i, n := range want {
		if n%width != 0 {
			return nil
		}
		s.left[i] = n / width
		total += int64(s.left[i]) * sizes[i]
	}
	deepest, room := 0, 0
	for i, block := range a.blocks {
		for nth, g := range block {
			s.order = append(s.order, turn{group: g, block: i, nth: nth})
			deepest = max(deepest, a.rooms[g].greatestDepth())
			room += a.rooms[g].greatestDepth()
		}
	}
	s.columns = slices.Collect(columnsOf(s.left, deepest))
	share := total / int64(max(len(s.order), 1))
	slices.SortStableFunc(s.columns, func(x, y column) int {
		return cmp.Compare(math.Abs(float64(x.totalBytes(sizes)-share)), math.Abs(float64(y.totalBytes(sizes)-share)))
	})
	s.fillGroups(0, room)
	slices.SortStableFunc(s.found, func(x, y pattern) int { return cmp.Compare(x.unevenness(sizes), y.unevenness(sizes)) })
	return s.found
}

func columnsOf(left []int, depth int) iter.Seq[column] {
	return func(yield func(column) bool) {
		c := make(column, len(left))
		var fill func(at, room int) bool
		fill = func(at, room int) bool {
			if at == len(left) {
				return yield(slices.Clone(c))
			}
			for c[at] = 0; c[at] <= min(left[at], room); c[at]++ {
				if !fill(at+1, room-c[at]) {
					return false
				}
			}
			return true
		}
		fill(0, depth)
	}
}

type patternSearch struct {
	alike *alike
	// order lists the groups block by block.
	order   []turn
	columns []column
	left    []int
	now     pattern
	found   []pattern
	partial int
}

type turn struct{ group, block, nth int }

// fillGroups fills the groups from the given one on, which take room layers.
func (s *patternSearch) fillGroups(at, room int) {
	rest := modulesIn(s.left)
	s.partial++
	switch {
	case len(s.found) == mostPatterns || s.partial > mostPartial || rest > room:
		return
	case at == len(s.order):
		s.found = append(s.found, slices.Clone(s.now))
		return
	}
	g := s.order[at].group
	room -= s.alike.rooms[g].greatestDepth()
	for _, c := range s.columns {
		d := modulesIn(c)
		for i, n := range c {
			s.left[i] -= n
		}
		s.now[g] = c
		if s.alike.rooms[g]>>d&1 == 1 && rest-d <= room && slices.Min(s.left) >= 0 && s.isFirstOfEquals(s.order[at]) {
			s.fillGroups(at+1, room)
		}
		for i, n := range c {
			s.left[i] += n
		}
	}
}

// isFirstOfEquals reports whether the pattern, filled up to a group, is the first of those that differ only in equal groups and
// blocks: their columns never rise. Lockstep pairs of a controller are filled alternately: the first slots of the
// first pair, of the second, then the second slots (Fujitsu, Westmere-EX: 1B-1D, 1A-1C, 2B-2D, 2A-2C on every board).
func (s *patternSearch) isFirstOfEquals(t turn) bool {
	block := s.alike.blocks[t.block]
	if t.nth > 0 && s.alike.paired {
		if d := modulesIn(s.now[block[t.nth-1]]) - modulesIn(s.now[t.group]); d < 0 || d > 1 {
			return false
		}
	}
	for j := t.nth - 1; j >= 0; j-- {
		if s.alike.isEqualGroup(block[j], t.group) {
			if slices.Compare(s.now[t.group], s.now[block[j]]) > 0 {
				return false
			}
			break
		}
	}
	if t.nth < len(block)-1 {
		return true
	}
	for j := t.block - 1; j >= 0; j-- {
		if other := s.alike.blocks[j]; s.alike.isEqualBlock(other, block) {
			return slices.CompareFunc(s.now.groupColumns(block), s.now.groupColumns(other), slices.Compare[column]) <= 0
		}
	}
	return true
}

func (p pattern) groupColumns(groups []int) []column {
	out := make([]column, len(groups))
	for i, g := range groups {
		out[i] = p[g]
	}
	return out
}

func (c column) totalBytes(sizes []int64) int64 {
	var n int64
	for i, count := range c {
		n += int64(count) * sizes[i]
	}
	return n
}

// unevenness is least if the groups hold most nearly the same.
func (p pattern) unevenness(sizes []int64) float64 {
	n := 0.0
	for _, c := range p {
		gib := float64(c.totalBytes(sizes)) / (1 << 30)
		n += gib * gib
	}
	return n
}

// interleavingKey identifies a pattern or, on a platform that distinguishes the channels, all patterns with equal interleaving.
func (p pattern) interleavingKey(pf *platform.Platform) string {
	if pf.Policy != platform.PolicyAMD {
		var counts []int
		for _, c := range p {
			counts = append(counts, c...)
		}
		return layoutKey(counts)
	}
	codes := make([]int, len(p))
	for i, c := range p {
		for _, n := range c {
			codes[i] = codes[i]*(maxDepth+1) + n
		}
	}
	return fmt.Sprint(population.EquivalentDepths(pf, codes))
}

// maxDepth is more than the slots of any channel.
const maxDepth = 9
