package population

import (
	"slices"

	"github.com/memaudit/memaudit/internal/topology/platform"
)

// The buffered platforms (Nehalem-EX, Westmere-EX): DIMMs come in lockstep
// pairs, one behind each of the two buffers of a controller. A pair of
// lockstep channels is one logical channel of the interleave; a processor has
// four, two per controller (Fujitsu, Memory Performance of Westmere-EX based
// Systems, 2011).

// exPairs is the number of logical channels of a processor, exHalf those of
// one controller.
const (
	exPairs = 4
	exHalf  = exPairs / 2
)

// pairBytes is the capacity of each logical channel.
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

// lockstepRegions peels segments over the logical channels. Ways count
// logical channels, as the document does; Channels are the DDR channels. Three
// logical channels never interleave: what the document does not describe is
// not known.
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

// exSegments are the segments with Channels naming logical channels.
func exSegments(bytes []int64) ([]Region, bool) {
	segments := peelRegions(bytes, allChannels)
	for _, s := range segments {
		if s.Ways == 3 {
			return segments, false
		}
	}
	return segments, true
}

// exClass is the document's class of a layout: the worst of its segments.
// known is false where the document says nothing of a segment.
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

// exSegmentClass is 1 for all four logical channels, 2 for one on each
// controller, 3 for both of one controller, 4 (discouraged) for a single one,
// 0 for three, which the document does not describe.
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
	default:
		return 0
	}
}
