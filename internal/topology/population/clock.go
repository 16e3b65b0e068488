package population

import (
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

func (b *builder) deriveSpeeds(pop *Population, proc *platform.Processor) {
	pop.RunningMTs, pop.LowestMTs = runningSpeed(b.sys, pop.Slots)
	if b.frontSideBus {
		pop.Speed = fact.Unknown[Speed](fact.Absent, "the memory speed belongs to the chipset, whose limits are not known", "")
		return
	}
	if !pop.DIMMs.Known() {
		pop.Speed = fact.UnknownFrom[Speed](pop.DIMMs)
		pop.RunningMTs = fact.UnknownFrom[int](pop.DIMMs)
		return
	}
	pop.HighestMTs = b.highestSpeed(pop, proc)
	b.capRunningSpeed(pop)
	pop.Speed, pop.Likely = b.expectedSpeed(pop, proc, b.depthsOfChannels(pop))
	// One known limit is enough, because an unknown one cannot raise it.
	out := fact.Unknown[int](fact.Absent, "neither a module's rated speed nor the processor's maximum is known", "")
	lower := func(f fact.Fact[int]) {
		if f.Known() && (!out.Known() || f.Value < out.Value) {
			out = f
		}
	}
	for _, i := range pop.Slots {
		lower(ratedSpeed(&b.sys.Slots[i]))
	}
	var e expectation
	if b.processorLimit(&e, proc, channelDepths{}) == "" {
		lower(fact.Known(e.processor, fact.Direct, b.slotEvidence(pop)).Unconfirmed(b.platform == nil))
	}
	if b.board != nil {
		lower(fact.Known(b.board.MaxMTs, fact.Direct, b.slotEvidence(pop)).Unconfirmed(!b.board.Verified))
	}
	pop.BoundMTs = out
}

// highestSpeed is in MT/s and of servers: desktops' memory may be overclocked.
func (b *builder) highestSpeed(pop *Population, proc *platform.Processor) fact.Fact[int] {
	var e expectation
	if b.platform == nil || !b.platform.TakesRegistered() {
		return fact.Unknown[int](fact.Absent, "memory may be overclocked", "")
	}
	if reason := b.processorLimit(&e, proc, channelDepths{}); reason != "" {
		return fact.Unknown[int](fact.Absent, reason, "")
	}
	return fact.Known(e.processor, fact.Direct, b.slotEvidence(pop))
}

// Some firmware reports the DIMMs' rating as the running speed.
func (b *builder) capRunningSpeed(pop *Population) {
	running, ok := pop.RunningMTs.Get()
	highest, limited := pop.HighestMTs.Get()
	if !ok || !limited || running <= highest+ddr.Tolerance {
		return
	}
	stated := pop.RunningMTs.From
	possible := fact.Evidence{Source: inventory.SourceSMBIOS, Field: "vendor's processor table", Raw: strconv.Itoa(highest)}
	b.conflicts = append(b.conflicts, inventory.Conflict{Fact: "memory speed of socket " + strconv.Itoa(pop.Socket), Kept: possible, Dropped: stated,
		Why: fmt.Sprintf("firmware states %d MT/s, and the processor allows at most %d", running, highest)})
	pop.RunningMTs = fact.Known(highest, fact.Indirect, stated, possible)
}

// HighestMTs returns the speed in MT/s above which no CPU with DIMMs runs them, whatever their rating. It is 0
// if unknown for one of them.
func (r *Result) HighestMTs() int {
	highest := 0
	for _, pop := range r.Populations {
		if len(pop.Slots) == 0 {
			continue
		}
		v, known := pop.HighestMTs.Get()
		if !known {
			return 0
		}
		highest = max(highest, v)
	}
	return highest
}

// depthsOfChannels are exact if the channels are known, otherwise the possible range.
func (b *builder) depthsOfChannels(pop *Population) channelDepths {
	if pop.ChannelSlots != nil {
		return channelDepths{known: true, of: func(slot int) (int, int) {
			d := max(len(pop.ChannelSlots[b.places[slot].Channel]), 1)
			return d, d
		}}
	}
	hi := len(pop.Slots)
	if most := b.maxDPC(); most > 0 {
		hi = min(hi, most)
	}
	lo := 1
	if len(pop.Slots) == pop.ChannelsTotal.Or(0)*hi {
		lo = hi
	}
	return channelDepths{known: lo == hi, of: func(int) (int, int) { return lo, hi }}
}

// All channels of all CPUs run at one speed, the slowest. If one is unknown, all are.
func commonClock(pops []Population, of func(*Population) *fact.Fact[Speed]) {
	slowest := -1
	for i := range pops {
		f := of(&pops[i])
		if !f.Known() {
			if len(pops[i].Slots) == 0 && pops[i].DIMMs.Known() {
				continue // no DIMMs, no limit
			}
			unknownClock(pops, i, of)
			return
		}
		if slowest < 0 || f.Value.MTs < of(&pops[slowest]).Value.MTs {
			slowest = i
		}
	}
	for i := range pops {
		f := of(&pops[i])
		if slowest < 0 || !f.Known() || f.Value.MTs == of(&pops[slowest]).Value.MTs {
			continue
		}
		own := f.Value.MTs
		*f = *of(&pops[slowest])
		f.Value.Detail = fmt.Sprintf("as socket %d, whose limit is lower than %d: %s", pops[slowest].Socket, own, f.Value.Detail)
	}
}

func unknownClock(pops []Population, bad int, of func(*Population) *fact.Fact[Speed]) {
	for i := range pops {
		f := of(&pops[i])
		if i != bad && f.Known() {
			*f = fact.UnknownFrom[Speed](*of(&pops[bad]))
			f.Reason = fmt.Sprintf("all processors run at one speed and that of socket %d is not known: %s", pops[bad].Socket, f.Reason)
		}
	}
}

// ProbablySlow reports whether memory runs below its speed by what firmware states, although it does not state all of it.
func (p *Population) ProbablySlow() bool {
	lowest, ok := p.LowestMTs.Get()
	below := func(limit int) bool { return lowest < limit-ddr.Tolerance }
	return ok && (!p.Speed.Known() || !p.RunningMTs.Known()) && p.Likely.Known() && below(p.Likely.Value.MTs) &&
		(!p.BoundMTs.Known() || below(p.BoundMTs.Value))
}

// dataPath is in bytes: 8 for each channel; for LPDDR packages, with channels of 16 or 32 bits, the sum of their widths, unknown
// unless that is a width of CPUs with LPDDR (64, 128 or 256 bits).
func (b *builder) dataPath(pop *Population) fact.Fact[int] {
	path := pop.ChannelsPopulated
	path.Value *= bytesPerTransfer
	bits := 0
	for _, i := range pop.Slots {
		s := &b.sys.Slots[i]
		if !strings.HasPrefix(s.Type.Or(""), "LPDDR") {
			return path
		}
		if !s.DataWidth.Known() {
			return fact.UnknownFrom[int](s.DataWidth)
		}
		bits += s.DataWidth.Value
		path = fact.Known(bits/8, s.DataWidth.Certainty, s.DataWidth.From)
	}
	if bits > 0 && bits != 64 && bits != 128 && bits != 256 {
		return fact.Unknown[int](fact.Conflicting, fmt.Sprintf("the widths of the LPDDR packages add up to %d bits, expected 64, 128 or 256", bits), "", path.From)
	}
	return path
}

func channelsPeak(pop *Population, width fact.Fact[int]) fact.Fact[int64] {
	n, ok := width.Get()
	if !ok {
		return fact.UnknownFrom[int64](width)
	}
	if n == 0 {
		return fact.Known(int64(0), width.Certainty, width.From)
	}
	var v int
	var c fact.Certainty
	var from fact.Evidence
	switch {
	case pop.RunningMTs.Known():
		v, c, from = ddr.Nominal(pop.RunningMTs.Value), pop.RunningMTs.Certainty, pop.RunningMTs.From
	case pop.Speed.Known():
		v, c, from = pop.Speed.Value.MTs, pop.Speed.Certainty, pop.Speed.From
	default:
		return fact.UnknownFrom[int64](pop.Speed)
	}
	return fact.Known(int64(n)*int64(v)*1_000_000, min(c, width.Certainty), from).Unconfirmed(width.Unverified)
}

// runningClock is the speed in MT/s that a machine's memory runs at, and the one expected; both are 0 if one of
// them is unknown.
type runningClock struct{ running, expected int }

// WithRunningClock returns r for deriving the same machine with its DIMMs in other slots (Again, WithModules): a setting
// or firmware that keeps the memory below its expected speed today will still do so. Without it, swapping two
// DIMMs would seem to raise the speed.
func (r *Result) WithRunningClock() *Result {
	out := *r
	out.clock = runningClock{}
	for _, pop := range r.Populations {
		running, known := pop.RunningMTs.Get()
		if !known || !pop.Speed.Known() {
			continue
		}
		if running = ddr.Nominal(running); out.clock.running == 0 || running < out.clock.running {
			out.clock = runningClock{running, pop.Speed.Value.MTs}
		}
	}
	return &out
}

// assumedSpeed is today's if the expectation is, and no more than today's if memory runs below its expectation.
func (c runningClock) assumedSpeed(expected int) int {
	switch {
	case expected == c.expected:
		return c.running
	case c.running < c.expected:
		return min(c.running, expected)
	default:
		return expected
	}
}

func (c runningClock) applySpeeds(pops []Population) {
	if c.running == 0 {
		return
	}
	for i := range pops {
		pop := &pops[i]
		if s, known := pop.Speed.Get(); known && !pop.RunningMTs.Known() && len(pop.Slots) > 0 {
			pop.RunningMTs = fact.Known(c.assumedSpeed(s.MTs), pop.Speed.Certainty, pop.Speed.From).Unconfirmed(pop.Speed.Unverified)
		}
	}
}
