package population

import (
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

func (b *builder) interleave(pop *Population) {
	b.orderKept(pop)
	l, owners := b.layout(pop)
	b.controllers(pop, l, owners)
	b.lockstep(pop)
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
	if known, _ := b.pairing(pop); p.Policy == platform.PolicyEX && !known {
		pop.Regions = fact.UnknownFrom[[]Region](pop.Lockstep)
		return
	}
	if p.Policy == platform.PolicyAMD && !l.even() && !b.lettered(pop) {
		pop.Regions = fact.Unknown[[]Region](fact.Absent,
			"the slot map counts the channels and does not letter them, and the letters decide what interleaves", fact.LetteredSlotMap, b.evidence(pop))
		return
	}
	regions, ok := l.regions(p)
	if !ok {
		pop.Regions = fact.Unknown[[]Region](fact.Absent, "no document says how this layout is interleaved", "", b.evidence(pop))
		return
	}
	pop.Regions = fact.Known(regions, min(pop.ChannelBytes.Certainty, b.fact.Certainty), pop.ChannelBytes.From)
	pop.Regions.Unverified = pop.ChannelBytes.Unverified || pop.Lockstep.Unverified || b.unverified("policy") ||
		(p.Policy == platform.PolicySymmetricIMC && !owners)
}

// lettered reports whether the slots' labels name the channels by letter, A as 0. Slot maps of these platforms
// number the channels in the order of the slots.
func (b *builder) lettered(pop *Population) bool {
	for _, i := range pop.Slots {
		if s := b.places[i].Source; s != place.SourceLocator && s != place.SourceBank {
			return false
		}
	}
	return true
}

// even reports whether all channels have the same capacity, so that their order does not matter.
func (l *layout) even() bool {
	return !slices.ContainsFunc(l.bytes, func(n int64) bool { return n != l.bytes[0] })
}

func (b *builder) unverified(field string) bool {
	return b.platform != nil && (!b.platform.Verified || slices.Contains(b.platform.Unverified, field))
}

func (b *builder) equalDIMMs(slots []int) bool {
	return !slices.ContainsFunc(slots, func(i int) bool { return b.sys.Slots[i].SizeBytes.Value != b.sys.Slots[slots[0]].SizeBytes.Value })
}

// layout collects the capacity by channel and the channels' controllers; stated is false if the controllers are
// only derived from the channel numbers.
func (b *builder) layout(pop *Population) (l *layout, stated bool) {
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
	for _, slots := range [...][]int{pop.Slots, pop.EmptySlots} {
		for _, i := range slots {
			at := &b.places[i]
			if at.Channel < 0 || at.Channel >= n {
				continue
			}
			if at.Controller < 0 || at.Controller >= p.Controllers {
				stated = false
				continue
			}
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
	pop.Controllers = fact.Known(out, pop.DPC.Certainty, pop.DPC.From)
	pop.Controllers.Unverified = pop.DPC.Unverified || b.unverified("controllers")
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
