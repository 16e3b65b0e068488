package population

import (
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/topology/platform"
)

// The buffered platforms (Nehalem-EX, Westmere-EX): DIMMs are installed in lockstep pairs, one behind each of
// the two buffers of a controller. A pair of lockstep channels is one logical channel of the interleave; a CPU
// has four, two per controller (Fujitsu, Memory Performance of Westmere-EX based Systems, 2011).

// exPairs is the number of logical channels of a CPU, exHalf of one controller.
const (
	exPairs = 4
	exHalf  = exPairs / 2
)

func (l *layout) pairBytes(p *platform.Platform) ([]int64, bool) {
	if len(p.LockstepChannels) != exPairs {
		return nil, false
	}
	out := make([]int64, exPairs)
	for i, pair := range p.LockstepChannels {
		for _, c := range pair {
			if c < 0 || c >= len(l.bytes) {
				return nil, false
			}
			out[i] += l.bytes[c]
		}
	}
	return out, true
}

// lockstepRegions splits the logical channels into regions. Ways count logical channels, as the document does;
// Channels are the DDR channels. Three logical channels never interleave; a layout that the document does not
// describe is unknown.
func (l *layout) lockstepRegions(p *platform.Platform) ([]Region, bool) {
	bytes, ok := l.pairBytes(p)
	if !ok {
		return nil, false
	}
	segments, known := exSegments(bytes)
	if !known {
		return nil, false
	}
	for i := range segments {
		var channels []int
		for _, pair := range segments[i].Channels {
			channels = append(channels, p.LockstepChannels[pair]...)
		}
		slices.Sort(channels)
		segments[i].Channels = channels
	}
	return segments, true
}

// exSegments returns the segments with Channels naming logical channels. If both controllers have the same
// capacity they interleave, whatever the layout behind each (the document, Interleaving, p. 9): each address
// range then uses the regions that the two have there.
func exSegments(bytes []int64) ([]Region, bool) {
	if len(bytes) == exPairs && bytes[0]+bytes[1] == bytes[2]+bytes[3] && !slices.Equal(bytes[:exHalf], bytes[exHalf:]) {
		return bothControllers(peelRegions(bytes[:exHalf], allChannels), peelRegions(bytes[exHalf:], allChannels)), true
	}
	segments := peelRegions(bytes, allChannels)
	for _, s := range segments {
		if s.Ways == 3 {
			return segments, false
		}
	}
	return segments, true
}

// bothControllers combines the regions of two controllers of the same capacity, range by range. A range over
// one logical channel of a controller and two of the other runs as two.
func bothControllers(first, second []Region) []Region {
	var out []Region
	for i, j, a, b := 0, 0, int64(0), int64(0); i < len(first) && j < len(second); {
		size := min(first[i].Bytes-a, second[j].Bytes-b)
		r := Region{Bytes: 2 * size, Ways: 2 * min(first[i].Ways, second[j].Ways), Channels: slices.Clone(first[i].Channels)}
		for _, c := range second[j].Channels {
			r.Channels = append(r.Channels, c+exHalf)
		}
		out = append(out, r)
		if a += size; a == first[i].Bytes {
			i, a = i+1, 0
		}
		if b += size; b == second[j].Bytes {
			j, b = j+1, 0
		}
	}
	return out
}

// exClass returns the document's class of a layout, the worst of its segments. known is false if the document
// does not cover a segment.
func exClass(bytes []int64, dimms int) (name string, known bool) {
	segments, known := exSegments(bytes)
	worst := 0
	for _, s := range segments {
		worst = max(worst, exSegmentClass(s.Channels))
	}
	switch {
	case len(segments) == 0:
		return "", false
	case dimms < 4 || worst == 4:
		return "discouraged", true
	case !known:
		return "", false
	default:
		return [...]string{"", "1", "2", "3"}[worst], true
	}
}

// exSegmentClass returns 1 for all four logical channels, 2 for both controllers with one or three, 3 for both
// of one controller, 4 (discouraged) for a single one.
func exSegmentClass(pairs []int) int {
	switch len(pairs) {
	case exPairs:
		return 1
	case 2:
		if pairs[0]/exHalf != pairs[1]/exHalf {
			return 2
		}
		return 3
	case 1:
		return 4
	case exPairs - 1:
		return 2
	default:
		return 0
	}
}

// exShorthand returns the layout as the document writes it, "2-1|2-1": lockstep pairs on the first and second
// logical channel of each controller, the fuller controller first. It is "" if a logical channel's two have
// unequal numbers.
func (l *layout) exShorthand(p *platform.Platform) string {
	if len(p.LockstepChannels) != exPairs {
		return ""
	}
	var n [exPairs]int
	for i, pair := range p.LockstepChannels {
		if len(pair) != 2 || pair[0] >= len(l.dpc) || pair[1] >= len(l.dpc) || l.dpc[pair[0]] != l.dpc[pair[1]] {
			return ""
		}
		n[i] = l.dpc[pair[0]]
	}
	if n[0]+n[1] < n[2]+n[3] {
		n[0], n[1], n[2], n[3] = n[2], n[3], n[0], n[1]
	}
	b := make([]byte, 0, 16)
	for i, sep := range [...]string{"", "-", "|", "-"} {
		b = strconv.AppendInt(append(b, sep...), int64(n[i]), 10)
	}
	return string(b)
}
