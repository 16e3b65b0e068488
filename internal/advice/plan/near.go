package plan

import (
	"fmt"
	"slices"
)

// near is the best layout that is one move or one swap of each processor away from today's, or one move from one to
// another; nil if none improves anything.
func (s *search) near() *candidate {
	b := s.board
	if len(b.stray) > 0 {
		return nil
	}
	x, both, changed := b.priced(b.own()), slices.Clone(b.at), 0
	var tries []proposal
	for i := range b.units {
		u := &b.units[i]
		var others [][]int
		for n := range b.units {
			if n != i {
				others = append(others, b.besides(u, &b.units[n])...)
			}
		}
		given, found := s.ranked(others), s.ranked(b.besides(u, u))
		tries = slices.Concat(tries, given[:min(len(given), mostNear)], found[:min(len(found), mostNear)])
		if len(found) == 1 || len(found) > 1 && slices.Compare(total(found[0].units), s.before.bandwidth()) > 0 {
			u.copy(both, found[0].layout)
			changed++
		}
	}
	if changed > 1 {
		tries = append(s.ranked([][]int{both}), tries...)
	}
	var best *candidate
	s.allow(len(tries))
	for n := range tries {
		if c := s.try(&tries[n], x); c != nil && s.accepts(c) {
			best = better(c, best)
		}
	}
	return best
}

// besides lists the layouts that are one move from unit v to u away from today's, or within one unit one swap, each like
// group once. A move takes the last layer of a group and puts it behind the last one of another.
func (b *board) besides(u, v *memoryUnit) [][]int {
	if u.doubted+v.doubted != "" {
		return nil
	}
	var out [][]int
	seen := map[string]bool{}
	add := func(g, h int, from, to []int) {
		layout := slices.Clone(b.at)
		for n := range from {
			layout[from[n]], layout[to[n]] = b.at[to[n]], b.at[from[n]]
		}
		key := fmt.Sprint(b.likeGroup(v, g), b.likeGroup(u, h), b.at[from[0]], b.at[to[0]])
		if !seen[key] && b.listed(u, layout) && b.listed(v, layout) {
			seen[key] = true
			out = append(out, layout)
		}
	}
	for g := range v.groups {
		for h := range u.groups {
			from, to := &v.groups[g], &u.groups[h]
			if u == v && g == h {
				continue
			}
			if n, m := from.filled, to.filled; n > 0 && m < len(to.layers) && b.packed(from) && b.packed(to) {
				add(g, h, from.layers[n-1], to.layers[m])
			}
			for _, x := range from.layers {
				for _, y := range to.layers {
					if kx, ky := b.at[x[0]], b.at[y[0]]; u == v && g < h && kx != ky && kx != none && ky != none {
						add(g, h, x, y)
					}
				}
			}
		}
	}
	return out
}

func (b *board) packed(g *channelGroup) bool {
	for d, layer := range g.layers {
		if full := b.fullness(layer); d < g.filled && full < len(layer) || d >= g.filled && full > 0 {
			return false
		}
	}
	return true
}

// likeGroup is the first group of the same controller that may change places with a group and holds the same.
func (b *board) likeGroup(u *memoryUnit, g int) int {
	u.settle()
	like := u.alike(b.rooms(u), b.population.Platform.Value)
	held := func(g int) (out []int) {
		for _, slot := range slices.Concat(u.groups[g].layers...) {
			out = append(out, b.at[slot])
		}
		return out
	}
	for h := range g {
		if u.controller[h] == u.controller[g] && like.groups(h, g) && slices.Equal(held(h), held(g)) {
			return h
		}
	}
	return g
}
