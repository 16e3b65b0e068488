package population

import (
	"slices"

	"memaudit.example/memaudit/internal/topology/platform"
)

// regions splits the capacity into interleave sets by the platform's policy. known is false if the policy needs
// an unknown value. SNC, NPS and node interleaving are taken at their defaults (off, NPS1, off), so that sets
// cover the CPU.
func (l *layout) regions(p *platform.Platform) (out []Region, known bool) {
	switch p.Policy {
	case platform.PolicyAny:
		return peelRegions(l.bytes, allChannels), true
	case platform.PolicySymmetricIMC:
		if l.ctrl == nil || l.ctrls == 0 {
			return nil, false
		}
		return peelRegions(l.bytes, l.symmetricSet), true
	case platform.PolicyEX:
		return l.lockstepRegions(p)
	case platform.PolicyAMD:
		return l.amdRegions(p.SixChannels), len(l.bytes) == amdChannels
	case platform.PolicyZen4:
		return peelRegions(l.bytes, zen4Set), true
	default:
		return nil, false
	}
}

// symmetricSet is the policy "symmetric-imc": the same number of channels on each participating controller:
// one, two (of four) or all. It chooses the largest legal set, then the one with the larger smallest channel,
// then the one over more controllers, with the fullest channels: the numbers of channels affect nothing but
// names.
func (l *layout) symmetricSet(rem []int64) []int {
	by := make([][]int, l.ctrls)
	for c, b := range rem {
		if b <= 0 {
			continue
		}
		k := l.ctrl[c]
		at := len(by[k])
		for at > 0 && rem[by[k][at-1]] < b {
			at--
		}
		by[k] = append(by[k], 0)
		copy(by[k][at+1:], by[k][at:])
		by[k][at] = c
	}
	var best []int
	var bestMin int64
	for _, taking := range takingControllers(l.ctrls) {
		for each := 1; each <= len(rem)/l.ctrls; each++ {
			set, least := pickSymmetric(rem, by, taking, each)
			if len(set) > len(best) || (len(set) == len(best) && least > bestMin) {
				best, bestMin = set, least
			}
		}
	}
	return best
}

func takingControllers(n int) []int {
	switch {
	case n <= 1:
		return []int{1}
	case n == 4:
		return []int{4, 2, 1}
	default:
		return []int{n, 1}
	}
}

// pickSymmetric picks the fullest channels, `each` of them per controller, from the controllers whose choice is
// fullest.
func pickSymmetric(rem []int64, by [][]int, taking, each int) (set []int, least int64) {
	used := make([]bool, len(by))
	for range taking {
		at := -1
		for k := range by {
			if used[k] || len(by[k]) < each {
				continue
			}
			if at < 0 || rem[by[k][each-1]] > rem[by[at][each-1]] {
				at = k
			}
		}
		if at < 0 {
			return nil, 0
		}
		used[at] = true
		least = rem[by[at][each-1]]
	}
	for k, yes := range used {
		if yes {
			set = append(set, by[k][:each]...)
		}
	}
	slices.Sort(set)
	return set, least
}

// zen4Set is the policy "amd-zen4": sets of 1, 2, 4, 6, 8, 10 or 12 channels. That these are the legal sizes
// was not verified.
func zen4Set(rem []int64) []int {
	set := allChannels(rem)
	n := len(set)
	if n > 1 && n%2 == 1 {
		n--
	}
	if n == len(set) {
		return set
	}
	// Drop the emptiest channel, the last of equal ones.
	drop := 0
	for i, c := range set {
		if rem[c] <= rem[set[drop]] {
			drop = i
		}
	}
	return append(set[:drop:drop], set[drop+1:]...)
}
