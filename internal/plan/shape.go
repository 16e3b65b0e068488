package plan

import (
	"slices"
	"strings"
)

// shape says how many layers of each group hold modules.
type shape []int

// A unit of up to mostShapes shapes is searched whole; a larger one by the
// shapes that documents use: equal depth on some channels, or on all of them
// with the rest on some.
const mostShapes = 4096

// size is the number of modules of a layer.
func (u *unit) size() int {
	for _, g := range u.groups {
		if len(g.layers) > 0 {
			return len(g.layers[0])
		}
	}
	return 1
}

// shapes lists the ways to put n modules into a unit's slots that keep the fill
// order where it is known; where it is not, a channel is empty, full or filled
// as it is now.
func (u *unit) shapes(n int) []shape {
	if n%u.size() != 0 {
		return nil
	}
	n /= u.size()
	total := 1
	for _, g := range u.groups {
		total = min(total*(len(g.layers)+1), mostShapes+1)
	}
	var out []shape
	add := func(s shape) {
		if len(out) <= mostShapes && u.allows(s) {
			out = append(out, slices.Clone(s))
		}
	}
	if total <= mostShapes {
		every(u, n, add)
		return out
	}
	u.regular(n, add)
	return out
}

// allows reports whether every group can be filled to its depth.
func (u *unit) allows(s shape) bool {
	for i, d := range s {
		g := &u.groups[i]
		if u.doubted != "" && d != len(g.layers) {
			return false
		}
		if d > len(g.layers) || !g.ordered && d != 0 && d != len(g.layers) && d != g.filled {
			return false
		}
	}
	return u.size() == 1 || u.inTurn(s)
}

// inTurn reports whether the lockstep pairs of every controller are filled in
// turn: the first slots of the first pair, of the second, then the second slots
// (Fujitsu, Westmere-EX: 1B-1D, 1A-1C, 2B-2D, 2A-2C on every board).
func (u *unit) inTurn(s shape) bool {
	for i := 1; i < len(s); i++ {
		if u.groups[i].controller == u.groups[i-1].controller && (s[i] > s[i-1] || s[i] < s[i-1]-1) {
			return false
		}
	}
	return true
}

// every visits all shapes of n layers.
func every(u *unit, n int, visit func(shape)) {
	s := make(shape, len(u.groups))
	var fill func(at, left int)
	fill = func(at, left int) {
		if at == len(s) {
			if left == 0 {
				visit(s)
			}
			return
		}
		for d := 0; d <= min(left, len(u.groups[at].layers)); d++ {
			s[at] = d
			fill(at+1, left-d)
		}
		s[at] = 0
	}
	fill(0, n)
}

// regular visits the shapes that put n layers evenly over k groups, for every k
// that divides n, and those that put them over all groups with the rest on some.
func (u *unit) regular(n int, visit func(shape)) {
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

// class names shapes that are alike but for which of the equal channels and
// controllers they use; where the platform tells its channels apart, each shape
// is a class of its own.
func (u *unit) class(s shape, exact bool) string {
	if exact {
		return s.depths()
	}
	var parts []string
	done := make([]bool, len(s))
	for i := range s {
		if done[i] {
			continue
		}
		var own shape // the depths behind one controller
		for j := i; j < len(s); j++ {
			if u.groups[j].controller == u.groups[i].controller {
				own, done[j] = append(own, s[j]), true
			}
		}
		slices.Sort(own)
		parts = append(parts, own.depths())
	}
	slices.Sort(parts)
	return strings.Join(parts, "|")
}

// depths writes a digit a group; no channel is deeper than nine.
func (s shape) depths() string {
	text := make([]byte, 0, len(s))
	for _, d := range s {
		text = append(text, byte('0'+d))
	}
	return string(text)
}
