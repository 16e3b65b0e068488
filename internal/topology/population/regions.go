package population

import (
	"cmp"
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

// known is false if the policy needs an unknown value. SNC, NPS and node interleaving are taken at their defaults (off, NPS1,
// off), so that sets cover the CPU.
func (l *layout) interleaveRegions(p *platform.Platform) (out []Region, known bool) {
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
	for _, c := range allChannels(rem) {
		by[l.ctrl[c]] = append(by[l.ctrl[c]], c)
	}
	for _, channels := range by {
		slices.SortStableFunc(channels, func(x, y int) int { return cmp.Compare(rem[y], rem[x]) })
	}
	takings := []int{l.ctrls, 1}
	if l.ctrls == 4 {
		takings = []int{4, 2, 1}
	}
	var best []int
	var bestMin int64
	for _, taking := range takings {
		for each := 1; each <= len(rem)/l.ctrls; each++ {
			set, least := pickSymmetric(rem, by, taking, each)
			if len(set) > len(best) || (len(set) == len(best) && least > bestMin) {
				best, bestMin = set, least
			}
		}
	}
	return best
}

// Each controller gives `each` channels, the fullest, of the controllers whose choice is fullest.
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

// Sets have 1, 2, 4, 6, 8, 10 or 12 channels. That these are the legal sizes was not verified.
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
	sets := [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}, {2, 3, 6, 7}}
	if six {
		sets = append(sets, []int{0, 2, 3, 4, 6, 7})
	}
	for _, set := range sets {
		each := l.bytes[set[0]]
		alike := slices.Equal(set, allChannels(l.bytes)) && !slices.ContainsFunc(set, func(c int) bool { return l.bytes[c] != each })
		if alike && (len(set) != 6 || each <= sixChannelLimit) {
			return []Region{{Bytes: each * int64(len(set)), Ways: len(set), Channels: set}}
		}
	}
	var out []Region
	for c := 0; c < amdChannels; c += 2 {
		for _, r := range peelRegions(l.bytes[c:c+2], allChannels) {
			for i := range r.Channels {
				r.Channels[i] += c
			}
			out = append(out, r)
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

// metrics are the fractions of the full peak defined in docs/population.md, Shares.
type metrics struct{ best, worst, spread float64 }

func measureRegions(regions []Region, bytes []int64, n int) metrics {
	var m metrics
	if len(regions) == 0 || n == 0 {
		return m
	}
	most, least := regions[0].Ways, regions[0].Ways
	for _, r := range regions {
		most, least = max(most, r.Ways), min(least, r.Ways)
	}
	var total, fullest int64
	for _, b := range bytes {
		total += b
		fullest = max(fullest, b)
	}
	m.best = float64(most) / float64(n)
	m.worst = float64(least) / float64(n)
	m.spread = float64(total) / (float64(n) * float64(fullest))
	return m
}

// Several regions have a range, from the narrowest to all memory at once, or to the full bandwidth if one spans all channels.
func channelShare(regions []Region, bytes []int64, n int) Share {
	m := measureRegions(regions, bytes, n)
	s := Share{Low: m.worst, High: m.worst}
	if len(regions) > 1 {
		s.High = m.spread
		if m.best == 1 {
			s.High = 1
		}
	}
	return s
}

// Where a share comes from if no document measured it.
const (
	shareByModel    = "population model: channels and clock"
	shareByChannels = "population model: channels alone, the clock is not known"
	shareByRegions  = "measured level of each region"
	shareByLayout   = "measured for this layout"
	shareByCount    = "documented share and clock"
)

func (b *builder) deriveInterleaving(pop *Population) {
	b.checkFillOrder(pop)
	l, owners := b.channelLayout(pop)
	b.controllers(pop, l, owners)
	b.deriveLockstep(pop)
	if !pop.ChannelBytes.Known() {
		pop.Regions = fact.UnknownFrom[[]Region](pop.ChannelBytes)
		return
	}
	if b.platform == nil || b.platform.Policy == "" || b.platform.Policy == platform.PolicySingle {
		pop.Regions = fact.Unknown[[]Region](fact.Absent, "no document describes the interleaving of this platform", "")
		return
	}
	p := b.platform
	if len(pop.Slots) == 0 {
		pop.Regions = fact.Unknown[[]Region](fact.Absent, "no DIMMs", "")
		return
	}
	if p.ChannelsPerSocket != len(l.bytes) {
		pop.Regions = fact.Unknown[[]Region](fact.Absent, "the processor has other channels than the platform's documents describe", "")
		return
	}
	if known, _ := b.isPairingKnown(pop); p.Policy == platform.PolicyEX && !known {
		pop.Regions = fact.UnknownFrom[[]Region](pop.Lockstep)
		return
	}
	if p.Policy == platform.PolicyAMD && !l.hasEqualChannels() && !b.hasLetteredChannels(pop) {
		pop.Regions = fact.Unknown[[]Region](fact.Absent,
			"the slot map counts the channels and does not letter them, and the letters decide what interleaves", fact.LetteredSlotMap, b.slotEvidence(pop))
		return
	}
	regions, ok := l.interleaveRegions(p)
	if !ok {
		pop.Regions = fact.Unknown[[]Region](fact.Absent, "no document says how this layout is interleaved", "", b.slotEvidence(pop))
		return
	}
	pop.Regions = fact.Known(regions, min(pop.ChannelBytes.Certainty, b.fact.Certainty), pop.ChannelBytes.From)
	pop.Regions.Unverified = pop.ChannelBytes.Unverified || pop.Lockstep.Unverified || b.isUnverified("policy") ||
		(p.Policy == platform.PolicySymmetricIMC && !owners)
}

// A is 0. Slot maps of these platforms number the channels in the order of the slots.
func (b *builder) hasLetteredChannels(pop *Population) bool {
	return !slices.ContainsFunc(pop.Slots, func(i int) bool {
		return b.places[i].Source != place.SourceLocator && b.places[i].Source != place.SourceBank
	})
}

func (l *layout) hasEqualChannels() bool {
	return !slices.ContainsFunc(l.bytes, func(n int64) bool { return n != l.bytes[0] })
}

func (b *builder) isUnverified(field string) bool {
	return b.platform != nil && (!b.platform.Verified || slices.Contains(b.platform.Unverified, field))
}

func (b *builder) equalDIMMs(slots []int) bool {
	return !slices.ContainsFunc(slots, func(i int) bool { return b.sys.Slots[i].SizeBytes.Value != b.sys.Slots[slots[0]].SizeBytes.Value })
}

// stated is false if the controllers are only derived from the channel numbers.
func (b *builder) channelLayout(pop *Population) (l *layout, stated bool) {
	n := len(pop.ChannelSlots)
	l = &layout{bytes: pop.ChannelBytes.Value, dpc: pop.DPC.Value}
	if l.bytes == nil {
		l.bytes = make([]int64, n)
	}
	p := b.platform
	if p == nil || p.Controllers == 0 || p.ChannelsPerSocket != n || n%p.Controllers != 0 {
		return l, false
	}
	l.ctrls = p.Controllers
	l.ctrl = make([]int, n)
	for c := range l.ctrl {
		l.ctrl[c] = c / (n / p.Controllers)
	}
	stated = true
	for _, i := range slices.Concat(pop.Slots, pop.EmptySlots) {
		switch at := &b.places[i]; {
		case at.Channel < 0 || at.Channel >= n:
		case at.Controller < 0 || at.Controller >= p.Controllers:
			stated = false
		default:
			l.ctrl[at.Channel] = at.Controller
		}
	}
	return l, stated
}

func (b *builder) controllers(pop *Population, l *layout, stated bool) {
	if l.ctrls == 0 {
		reason := "no document gives the controllers of this processor"
		if b.platform == nil {
			reason = b.fact.Reason
		}
		pop.Controllers = fact.Unknown[[]Controller](fact.Absent, reason, "")
		return
	}
	out := make([]Controller, l.ctrls)
	text := make([][]byte, l.ctrls)
	next := make([]int, l.ctrls)
	for c, slots := range pop.ChannelSlots {
		k := l.ctrl[c]
		out[k].DIMMs += len(slots)
		out[k].Bytes += l.bytes[c]
		text[k] = b.appendChannel(text[k], next[k], slots)
		next[k]++
	}
	for k := range out {
		out[k].Index, out[k].Layout = k, string(text[k])
	}
	pop.Controllers = fact.Known(out, pop.DPC.Certainty, pop.DPC.From).Unconfirmed(pop.DPC.Unverified || b.isUnverified("controllers"))
	if !stated {
		pop.Controllers.Certainty = min(pop.Controllers.Certainty, fact.Indirect)
		pop.Controllers.Unverified = true
	}
}

// appendChannel appends a channel with its DIMMs: "0:32G+32G"; an empty one is omitted.
func (b *builder) appendChannel(text []byte, c int, slots []int) []byte {
	if len(slots) == 0 {
		return text
	}
	if len(text) > 0 {
		text = append(text, ' ')
	}
	text = strconv.AppendInt(text, int64(c), 10)
	for n, i := range slots {
		text = append(text, [...]byte{':', '+'}[min(n, 1)])
		text = appendSize(text, b.sys.Slots[i].SizeBytes)
	}
	return text
}

// appendSize appends a capacity in GiB, or in MiB if it is not a multiple of a GiB.
func appendSize(text []byte, f fact.Fact[int64]) []byte {
	v, ok := f.Get()
	switch {
	case !ok:
		return append(text, '?')
	case v%(1<<30) == 0:
		return append(strconv.AppendInt(text, v>>30, 10), 'G')
	default:
		return append(strconv.AppendInt(text, v>>20, 10), 'M')
	}
}
