package plan

import (
	"fmt"
	"slices"
)

// near is the best layout that is one move or one swap of each processor away from today's; nil if none improves
// anything.
func (s *search) near() *candidate {
	b := s.board
	if len(b.stray) > 0 {
		return nil
	}
	x, both, changed := b.priced(b.own()), slices.Clone(b.at), 0
	var tries []proposal
	for i := range b.units {
		u := &b.units[i]
		found := s.ranked(b.besides(u))
		if found = found[:min(len(found), mostNear)]; len(found) == 0 {
			continue
		}
		tries = append(tries, found...)
		if len(found) == 1 || compareShares(found[0].units, s.before.units) > 0 {
			u.copy(both, found[0].layout)
			changed++
		}
	}
	if changed > 1 {
		tries = append([]proposal{{layout: both, steps: b.steps(both)}}, tries...)
	}
	var best *candidate
	s.allow(len(tries))
	for n := range tries {
		c := s.try(&tries[n], x)
		if c != nil && s.accepts(c) && (best == nil || c.score.compare(&best.score) < 0) {
			best = c
		}
	}
	return best
}

// besides lists the layouts of a unit that are one move or one swap between two groups away from today's, each like
// group once. A move takes the last layer of a group and puts it behind the last one of another.
func (b *board) besides(u *memoryUnit) [][]int {
	if u.doubted != "" {
		return nil
	}
	var out [][]int
	seen := map[string]bool{}
	like := u.alike(u.rooms(), b.population.Platform.Value)
	u.settle()
	add := func(g, h int, from, to []int) {
		layout := slices.Clone(b.at)
		for n := range from {
			layout[from[n]], layout[to[n]] = b.at[to[n]], b.at[from[n]]
		}
		key := fmt.Sprint(b.likeGroup(u, like, g), b.likeGroup(u, like, h), b.at[from[0]], b.at[to[0]])
		if !seen[key] && b.listed(u, layout) {
			seen[key] = true
			out = append(out, layout)
		}
	}
	for g := range u.groups {
		for h := range u.groups {
			from, to := &u.groups[g], &u.groups[h]
			n, m := from.filled, to.filled
			switch {
			case g == h:
				continue
			case n > 0 && m < len(to.layers) && b.packed(from) && b.packed(to):
				add(g, h, from.layers[n-1], to.layers[m])
			}
			for _, x := range from.layers {
				for _, y := range to.layers {
					if kx, ky := b.at[x[0]], b.at[y[0]]; g < h && kx != ky && kx != none && ky != none {
						add(g, h, x, y)
					}
				}
			}
		}
	}
	return out
}

// packed reports whether the filled layers of a group are its first ones.
func (b *board) packed(g *channelGroup) bool {
	for d, layer := range g.layers {
		if full := b.fullness(layer); d < g.filled && full < len(layer) || d >= g.filled && full > 0 {
			return false
		}
	}
	return true
}

// likeGroup is the first group of the same controller that may change places with a group and holds the same.
func (b *board) likeGroup(u *memoryUnit, like *alike, g int) int {
	held := func(g int) (out []int) {
		for _, layer := range u.groups[g].layers {
			for _, slot := range layer {
				out = append(out, b.at[slot])
			}
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
