package population

import (
	"slices"

	"memaudit.example/memaudit/internal/topology/platform"
)

// amdChannels is the number of channels of Rome and Milan, A to H.
const amdChannels = 8

// sixChannelLimit is the highest capacity in bytes of a channel in Milan's six-channel interleaving (Gigabyte,
// Memory Population Guidelines for EPYC 7003).
const sixChannelLimit = 256 << 30

// amdRegions is the policy "amd-mode" in NPS1: one mode for the whole CPU. Eight equal channels interleave
// eight ways, exactly ACDEGH six ways (Milan), exactly ABCD, EFGH or CDGH four ways; everything else two ways
// per pair, and a channel without a partner not at all.
func (l *layout) amdRegions(six bool) []Region {
	if len(l.bytes) != amdChannels {
		return nil
	}
	for _, set := range amdSets(six) {
		if b, ok := l.exactly(set); ok && (len(set) != 6 || b <= sixChannelLimit) {
			return []Region{{Bytes: b * int64(len(set)), Ways: len(set), Channels: set}}
		}
	}
	var out []Region
	for c := 0; c < amdChannels; c += 2 {
		out = append(out, pairRegions(l.bytes, c, c+1)...)
	}
	return out
}

func amdSets(six bool) [][]int {
	sets := [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}, {2, 3, 6, 7}}
	if six {
		sets = append(sets, []int{0, 2, 3, 4, 6, 7})
	}
	return sets
}

func (l *layout) exactly(set []int) (each int64, ok bool) {
	n := 0
	for _, b := range l.bytes {
		if b > 0 {
			n++
		}
	}
	if n != len(set) {
		return 0, false
	}
	each = l.bytes[set[0]]
	for _, c := range set {
		if l.bytes[c] != each {
			return 0, false
		}
	}
	return each, each > 0
}

// pairRegions interleaves the common capacity of two channels and leaves the rest of the larger one alone.
func pairRegions(bytes []int64, a, b int) []Region {
	common := min(bytes[a], bytes[b])
	var out []Region
	if common > 0 {
		out = append(out, Region{Bytes: 2 * common, Ways: 2, Channels: []int{a, b}})
	}
	for _, c := range [...]int{a, b} {
		if rest := bytes[c] - common; rest > 0 {
			out = append(out, Region{Bytes: rest, Ways: 1, Channels: []int{c}})
		}
	}
	return out
}

// EquivalentDepths returns the first of all layouts of equal DIMMs that interleave like the given depths of a
// CPU's channels. On a platform that distinguishes its channels, the two of a pair may be swapped (except A
// with B and E with F if only A and E take part in six-channel interleaving), and so may A to D with E to H.
func EquivalentDepths(p *platform.Platform, depths []int) []int {
	out := slices.Clone(depths)
	if p.Policy != platform.PolicyAMD || len(out) != amdChannels {
		return out
	}
	for c := 0; c < amdChannels; c += 2 {
		if out[c] > out[c+1] && (!p.SixChannels || c%4 == 2) {
			out[c], out[c+1] = out[c+1], out[c]
		}
	}
	const half = amdChannels / 2
	if other := slices.Concat(out[half:], out[:half]); slices.Compare(other, out) < 0 {
		return other
	}
	return out
}
