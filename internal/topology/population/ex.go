package population

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
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

// If both controllers have the same capacity they interleave, whatever the layout behind each (the document, Interleaving,
// p. 9). Channels name logical channels.
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

// A range over one logical channel of a controller and two of the other runs as two.
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

// exClass is the worst of the segments, not known if the document does not cover one.
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

// "2-1|2-1" has the lockstep pairs on the first and second logical channel of each controller, the fuller controller first. It
// is "" if a logical channel's two have unequal numbers.
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

// Boards need documented labels, unless all channels are alike, so that it does not matter.
func (b *builder) isPairingKnown(pop *Population) (known, unverified bool) {
	p := b.platform
	if p == nil || !p.LockstepPairs || len(p.LockstepChannels) == 0 {
		return false, false
	}
	if b.lockstepBoard != nil {
		return true, !b.lockstepBoard.Verified
	}
	for _, slots := range pop.ChannelSlots {
		if diff, open := b.pairDiffers(pop.ChannelSlots[0], slots); len(slots) == 0 || diff != "" || open != "" {
			return false, false
		}
	}
	return len(pop.ChannelSlots) == p.ChannelsPerSocket, false
}

// Hemisphere mode requires more: both controllers of the CPU populated identically.
func (b *builder) deriveLockstep(pop *Population) {
	p := b.platform
	switch {
	case p == nil:
		pop.Lockstep = fact.UnknownFrom[bool](b.fact)
	case !p.LockstepPairs:
		pop.Lockstep = fact.Unknown[bool](fact.Absent, "the platform's DIMMs do not come in lockstep pairs", "")
	default:
		b.comparePairs(pop)
	}
	if !pop.Lockstep.Known() {
		pop.Hemisphere = fact.UnknownFrom[bool](pop.Lockstep)
		return
	}
	c := pop.Controllers.Value
	if len(c) != 2 {
		pop.Hemisphere = fact.UnknownFrom[bool](pop.Controllers)
		return
	}
	pop.Hemisphere = fact.Known(c[0].DIMMs > 0 && c[0].Layout == c[1].Layout, pop.Controllers.Certainty, pop.DPC.From).
		Unconfirmed(pop.Lockstep.Unverified)
}

func (b *builder) comparePairs(pop *Population) {
	known, unverified := b.isPairingKnown(pop)
	if !known {
		pop.Lockstep = fact.Unknown[bool](fact.Absent,
			"which channels of this board work in lockstep is not known", "a document of the board", b.slotEvidence(pop))
		return
	}
	open := ""
	for _, pair := range b.platform.LockstepChannels {
		if len(pair) != 2 || max(pair[0], pair[1]) >= len(pop.ChannelSlots) {
			continue
		}
		diff, doubt := b.pairDiffers(pop.ChannelSlots[pair[0]], pop.ChannelSlots[pair[1]])
		if diff != "" {
			pop.LockstepDetail = joinDetail(pop.LockstepDetail, diff)
		}
		open = cmp.Or(open, doubt)
	}
	if pop.LockstepDetail == "" && open != "" {
		pop.Lockstep = fact.Unknown[bool](fact.Unstated, open, "part numbers or the modules' data from the BMC", b.slotEvidence(pop))
		return
	}
	pop.Lockstep = fact.Known(pop.LockstepDetail == "", pop.DPC.Certainty, pop.DPC.From).Unconfirmed(pop.DPC.Unverified || unverified)
}

// open is what prevents a comparison, without a known difference.
func (b *builder) pairDiffers(x, y []int) (diff, open string) {
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			return b.sys.Slots[y[i]].Name() + " has no partner", ""
		case i >= len(y):
			return b.sys.Slots[x[i]].Name() + " has no partner", ""
		}
		what, known := b.slotDiffers(x[i], y[i])
		pair := b.sys.Slots[x[i]].Name() + " and " + b.sys.Slots[y[i]].Name()
		switch {
		case what != "" && known:
			return pair + " differ in " + what, ""
		case what != "":
			open = cmp.Or(open, "whether "+pair+" are alike in "+what+" is not known")
		}
	}
	return "", open
}

// what is not known of both if known is false. The same part number of the same vendor makes all properties equal but size and
// position.
func (b *builder) slotDiffers(x, y int) (what string, known bool) {
	s, t := &b.sys.Slots[x], &b.sys.Slots[y]
	part := samePart(s, t)
	for _, p := range [...]struct {
		name string
		likeness
	}{
		{"position", b.samePosition(x, y)},
		{"size", compareFacts(s.SizeBytes, t.SizeBytes)},
		{"ranks", compareFacts(s.Ranks, t.Ranks).resolveByPart(part)},
		{"type", compareFacts(s.Type, t.Type).resolveByPart(part)},
		{"width", compareFacts(s.TotalWidth, t.TotalWidth).resolveByPart(part)},
		{"registering", compareFacts(s.Registered, t.Registered).resolveByPart(part)},
	} {
		switch {
		case p.likeness == different:
			return p.name, true
		case p.likeness == unsure && what == "":
			what = p.name
		}
	}
	return what, false
}

func (b *builder) samePosition(x, y int) likeness {
	switch p, q := b.places[x].Slot, b.places[y].Slot; {
	case p == place.Unplaced || q == place.Unplaced:
		return unsure
	case p == q:
		return alike
	default:
		return different
	}
}

// exOrderKept checks the fill order of the lockstep boards: the first slots of a controller's pairs of channels
// in the order of the platform's data, then the second slots, larger DIMMs first (Fujitsu, Memory Performance
// of Westmere-EX based Systems, 2011, "DIMM slots and connection": 1B-1D, 1A-1C, 2B-2D, 2A-2C). It follows only
// the first channel of a pair: the other one is its mirror, which memory.lockstep.identical checks.
func (b *builder) exOrderKept(pop *Population) {
	pairs := b.platform.LockstepChannels
	for controller := range slices.Chunk(pairs, max(1, (len(pairs)+1)/2)) {
		last, gap := place.Unplaced, false // the slot filled last; an empty one before it
		for slot := range b.platform.MaxDPC {
			for _, pair := range controller {
				at := b.populatedSlotAt(pop, pair[0], slot)
				switch {
				case at == place.Unplaced:
					gap = true
					continue
				case gap:
					pop.OrderFaults = append(pop.OrderFaults, OrderFault{Slot: at, Smaller: place.Unplaced})
				case last != place.Unplaced && b.sys.Slots[at].SizeBytes.Or(0) > b.sys.Slots[last].SizeBytes.Or(0):
					pop.OrderFaults = append(pop.OrderFaults, OrderFault{Slot: at, Smaller: last})
				}
				last = at
			}
		}
	}
	for _, f := range pop.OrderFaults {
		name := b.sys.Slots[f.Slot].Name()
		if f.Smaller == place.Unplaced {
			pop.OrderDetail = joinDetail(pop.OrderDetail, name+" is filled before the slots ahead of it")
		} else {
			pop.OrderDetail = joinDetail(pop.OrderDetail, name+" holds a larger DIMM than "+b.sys.Slots[f.Smaller].Name()+" ahead of it")
		}
	}
	pop.Order = fact.Known(len(pop.OrderFaults) == 0, pop.DPC.Certainty, pop.DPC.From).
		Unconfirmed(pop.DPC.Unverified || !b.lockstepBoard.Verified)
}

func (b *builder) populatedSlotAt(pop *Population, channel, slot int) int {
	if channel >= len(pop.ChannelSlots) {
		return place.Unplaced
	}
	for _, i := range pop.ChannelSlots[channel] {
		if b.places[i].Slot == slot {
			return i
		}
	}
	return place.Unplaced
}

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
