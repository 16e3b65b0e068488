package population

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/inventory"
)

// Under sparing, a layout performs as the layout that is left (Fujitsu, Memory Performance of Westmere-EX based Systems, 2011,
// Memory performance under redundancy).
func (b *builder) pairShare(pop *Population, l *layout, regions []Region) ([]Region, Share, []string) {
	name := l.exShorthand(b.platform)
	if !b.equalDIMMs(pop.Slots) {
		name = ""
	}
	bytes, _ := l.pairBytes(b.platform)
	if left, ok := b.layoutUnderMode(name); ok {
		name, bytes = left, parsePairs(left)
	}
	if segments, ok := exSegments(bytes); ok {
		regions = segments
	}
	return regions, channelShare(regions, bytes, exPairs), []string{name}
}

// A mirrored CPU performs at most as its first controller alone (the same document). If half of the memory is visible and the
// mode is unknown, the better of sparing and mirroring is assumed.
func (b *builder) layoutUnderMode(name string) (left string, ok bool) {
	first, _, whole := strings.Cut(name, "|")
	if spared, ok := b.underSparing(name); ok {
		return spared, true
	}
	if !whole || !b.isMirrored() {
		return "", false
	}
	return first + "|0-0", true
}

// ok is false if nothing is spared, or no document describes the result.
func (b *builder) underSparing(name string) (left string, ok bool) {
	maybe := b.configuredMode() == "" && b.isMirrored()
	if !b.isSparing() && !maybe {
		return "", false
	}
	for _, m := range b.measured {
		if left, ok := m.Spared[name]; ok && (!maybe || len(parsePairs(left)) > 0 && 2*countPairs(left) == countPairs(name)) {
			return left, true
		}
	}
	return "", false
}

func countPairs(name string) int64 {
	var sum int64
	for _, n := range parsePairs(name) {
		sum += n
	}
	return sum
}

// parsePairs are the lockstep pairs on each logical channel of a shorthand like "1-0|1-0".
func parsePairs(name string) []int64 {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '|' })
	out := make([]int64, len(parts))
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out[i] = int64(n)
	}
	if len(out) != exPairs {
		return nil
	}
	return out
}

// A document must have measured all of the regions on this product.
func (b *builder) pairLevels(s *Share, segments []Region) {
	for _, m := range b.measured {
		low, high, all := 1.0, 0.0, len(segments) > 0
		for _, segment := range segments {
			// One lockstep pair is on each logical channel of the segment.
			name := [...]string{"", "1-1|1-1", "1-0|1-0", "1-1|0-0", "1-0|0-0"}[exSegmentClass(segment.Channels)]
			level, known := m.Layouts[name]
			all = all && known
			low, high = min(low, level), max(high, level)
		}
		if all {
			s.Low, s.High, s.Document, s.By = low, high, b.platform.Document(m.Source), shareByRegions
			return
		}
	}
}

// The spare ones are left out, if a document describes what sparing leaves.
func (b *builder) activePairs(pop *Population) (bytes []int64, dimms int, reason string) {
	l, _ := b.channelLayout(pop)
	bytes, ok := l.pairBytes(b.platform)
	if !ok {
		return nil, 0, "the lockstep pairs of this processor are not known"
	}
	mirrored := b.isMirrored()
	if !b.isSparing() && !mirrored {
		return bytes, len(pop.Slots), ""
	}
	left, ok := b.layoutUnderMode(l.exShorthand(b.platform))
	switch {
	case !ok && mirrored, mirrored && !b.equalDIMMs(pop.Slots):
		return nil, 0, "the memory is mirrored, and the document does not say what that leaves of this layout"
	case !ok || !b.equalDIMMs(pop.Slots):
		return nil, 0, "BIOS setup keeps spare memory, and the document does not say what that leaves of this layout"
	}
	bytes = parsePairs(left)
	for _, n := range bytes {
		dimms += 2 * int(n)
	}
	return bytes, dimms, ""
}

const mirrorWord = "mirror_full"

// If BIOS setup does not say it, half of the memory is visible then. The tolerance for reserved memory is 4 % or 2 GiB.
func (b *builder) isMirrored() bool {
	if mode := b.configuredMode(); mode != "" {
		return mode == mirrorWord
	}
	visible, known := b.sys.Memory.VisibleBytes.Get()
	options, read := b.sys.NUMA.Options.Get()
	half := int64(0)
	for i := range b.sys.Slots {
		if s := &b.sys.Slots[i]; s.State == inventory.SlotPopulated && maybeDRAM(s) {
			half += s.SizeBytes.Or(0)
		}
	}
	half /= 2
	return known && half > 0 && visible <= half && visible >= half-max(half/25, 2<<30) &&
		(!read || !slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "mem=") || strings.HasPrefix(o, "memmap=") }))
}

func (b *builder) isSparing() bool { return b.configuredMode() == "spare" }
