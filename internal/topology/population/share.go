package population

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

// ratedBelow is the reason why neither peak nor share of some CPUs is known.
const ratedBelow = "the CPU vendor rates it below what its channels give together, and what fewer channels leave of that is not documented"

func (b *builder) deriveShares(pops []Population) {
	owners := b.memoryOwners()
	for i := range pops {
		pop := &pops[i]
		if b.platform != nil && b.platform.RatedBelow {
			pop.Best, pop.Relative = fact.Unknown[int64](fact.Absent, ratedBelow, ""), fact.Unknown[Share](fact.Absent, ratedBelow, "")
			continue
		}
		best, ok := b.bestSpeed(owners[i].proc)
		pop.Best = bestPeak(pop, best, ok)
		if !pop.Regions.Known() {
			pop.Relative = b.plainShare(pop, best)
			b.statedShare(pop, best)
			b.noteBestLimit(pop, best)
			continue
		}
		if b.platform.Policy == platform.PolicyEX {
			if _, _, why := b.activePairs(pop); why != "" {
				pop.Relative = fact.Unknown[Share](fact.Absent, why, "")
				continue
			}
		}
		pop.Relative = fact.Known(b.relativeShare(pop, best), pop.Regions.Certainty, pop.Regions.From).Unconfirmed(pop.Regions.Unverified)
		b.statedShare(pop, best)
		b.noteBestLimit(pop, best)
	}
}

func (b *builder) noteBestLimit(pop *Population, best int) {
	s := &pop.Relative.Value
	if !pop.Relative.Known() || s.Value != nil {
		return
	}
	var notes []string
	if s.Note != "" {
		notes = append(notes, s.Note)
	}
	isMRDIMM := func(i int) bool { return platform.IsMRDIMM(&b.sys.Slots[i], b.platform) }
	if top := platform.SpeedAt(b.platform.Speeds["mrdimm"], 1); top > 0 && top == best && !slices.ContainsFunc(pop.Slots, isMRDIMM) {
		notes = append(notes, "the best is that of MRDIMMs at "+strconv.Itoa(top)+" MT/s")
	}
	if n := b.slottedChannels(pop); n > 0 {
		notes = append(notes, "the board has slots for "+strconv.Itoa(n)+" of the "+strconv.Itoa(pop.ChannelsTotal.Value)+" channels")
	}
	s.Note = strings.Join(notes, "; ")
}

// slottedChannels is 0 unless firmware lists all slots and they are on fewer channels than the CPU has.
func (b *builder) slottedChannels(pop *Population) int {
	announced, slotted := 0, uint64(0) // one bit per channel
	for i := range b.sys.Arrays {
		announced += b.sys.Arrays[i].Devices.Or(0)
	}
	for i := range b.sys.Slots {
		switch p := &b.places[i]; {
		case p.Channel == place.Unplaced: // of any CPU: some firmware labels empty slots just "NO DIMM"
			return 0
		case p.Socket == pop.Socket:
			slotted |= 1 << p.Channel
		}
	}
	if n := bits.OnesCount64(slotted); announced == len(b.sys.Slots) && n < pop.ChannelsTotal.Or(0) {
		return n
	}
	return 0
}

// No document describes the interleaving: it is between that of one channel and that of all populated ones. There is none behind
// memory buffers, where the channels work in pairs.
func (b *builder) plainShare(pop *Population, best int) fact.Fact[Share] {
	if b.platform == nil || b.platform.Buffered || b.frontSideBus || !pop.ChannelsTotal.Known() || !pop.DPC.Known() || len(pop.Slots) == 0 {
		return fact.UnknownFrom[Share](pop.Regions)
	}
	channels, populated := float64(len(pop.DPC.Value)), float64(pop.ChannelsPopulated.Value)
	low, high, note := 1/channels, populated/channels, ""
	switch l, _ := b.channelLayout(pop); {
	case populated == 1:
	case !pop.ChannelBytes.Known():
		return fact.UnknownFrom[Share](pop.Regions)
	case populated == channels && l.hasEqualChannels():
		low = 1
	default:
		note = "no document says how these channels interleave"
	}
	clock, clocked := b.clockShare(pop, best)
	s := Share{Low: low * clock, High: high * clock, Model: high * clock, Channels: high, By: shareByModel, Note: note}
	if !clocked {
		s.By = shareByChannels
	}
	return fact.Known(s, min(pop.DPC.Certainty, pop.ChannelsTotal.Certainty), pop.DPC.From).
		Unconfirmed(pop.DPC.Unverified || pop.ChannelsTotal.Unverified)
}

// bestSpeed returns the CPU's highest speed in this machine with any DIMMs, in MT/s: the least of its own maximum, the platform's
// at one DIMM per channel, the board's, and the highest observed on machines with this CPU.
func (b *builder) bestSpeed(proc *platform.Processor) (int, bool) {
	if b.frontSideBus {
		return 0, false
	}
	var e expectation
	if b.processorLimit(&e, proc, channelDepths{}) != "" {
		return 0, false
	}
	best := e.processor
	fastest := 0
	if b.platform != nil {
		for _, row := range b.platform.Speeds {
			if len(row) > 0 {
				fastest = max(fastest, row[0])
			}
		}
	}
	limits := []int{ddr.Nominal(fastest), ddr.Nominal(e.observed)}
	if b.board != nil {
		limits = append(limits, ddr.Nominal(b.board.MaxMTs))
	}
	for _, limit := range limits {
		if limit > 0 {
			best = min(best, limit)
		}
	}
	return best, true
}

func bestPeak(pop *Population, best int, ok bool) fact.Fact[int64] {
	n := pop.ChannelsTotal
	if !n.Known() {
		return fact.UnknownFrom[int64](n)
	}
	if !ok {
		return fact.Unknown[int64](fact.Absent, "the processor's highest memory speed is not in the vendors' table", "")
	}
	return fact.Known(int64(n.Value)*int64(best)*1_000_000*bytesPerTransfer, n.Certainty, n.From).Unconfirmed(n.Unverified)
}

// clockShare returns the fraction of the best speed that the population runs at, or otherwise may run at; if neither
// is known, the most that the slowest module's rating leaves of it, and false. A table without a field for the configured
// speed has one speed, which is not a rating.
// Behind memory buffers the links keep their speed, and a slower memory clock costs little (about 5 % from 1066
// to 800 on Westmere-EX, Fujitsu, Memory Performance of Westmere-EX based Systems, 2011).
func (b *builder) clockShare(pop *Population, best int) (share float64, ok bool) {
	if b.platform.Buffered {
		return 1, true
	}
	mts := pop.RunningMTs.Or(pop.Speed.Value.MTs)
	known := mts > 0
	for _, i := range pop.Slots {
		slot := &b.sys.Slots[i]
		if rated := ratedSpeed(slot).Or(0); slot.ConfiguredMTs.State != fact.Absent && !known && rated > 0 && (mts == 0 || rated < mts) {
			mts = rated
		}
	}
	if best == 0 || mts == 0 {
		return 1, false
	}
	return min(1, float64(ddr.Nominal(mts))/float64(best)), known
}

// A document may have measured the layout, or else the level of each region.
func (b *builder) relativeShare(pop *Population, best int) Share {
	regions := pop.Regions.Value
	l, _ := b.channelLayout(pop)
	clock, clocked := b.clockShare(pop, best)
	var s Share
	var names []string // a document may have measured the layout under them
	if b.platform.Policy == platform.PolicyEX {
		regions, s, names = b.pairShare(pop, l, regions)
	} else {
		s, names = channelShare(regions, l.bytes, len(l.bytes)), b.namesOfLayout(pop, regions, clock)
	}
	s.Channels = s.Low
	s.Low, s.High, s.By = s.Low*clock, s.High*clock, shareByModel
	s.Model = s.Low
	if !clocked {
		s.By = shareByChannels
	}
	v, source, ok := b.measuredShare(pop, names, best)
	if b.platform.Policy == platform.PolicyEX && b.isMirrored() {
		if ok {
			s.Low, s.High = v, v
		}
		s.Note = "at most: mirrored memory has somewhat less than this layout"
		return s
	}
	if ok {
		s.Value, s.Document, s.By = &v, b.platform.Document(source), shareByLayout
		return s
	}
	if b.platform.Policy == platform.PolicyEX {
		b.pairLevels(&s, regions)
	}
	return s
}

// namesOfLayout are those of equal DIMMs in one region, at their clock and at the best one.
func (b *builder) namesOfLayout(pop *Population, regions []Region, clock float64) []string {
	depth := slices.Max(pop.DPC.Value)
	uneven := slices.ContainsFunc(pop.DPC.Value, func(n int) bool { return n != 0 && n != depth })
	if len(regions) != 1 || uneven || !b.equalDIMMs(pop.Slots) || b.sameRanks(pop.Slots) != alike {
		return nil
	}
	channels := strconv.Itoa(regions[0].Ways) + "/" + strconv.Itoa(len(pop.DPC.Value))
	deep := channels + ", " + strconv.Itoa(depth) + " per channel"
	mts := pop.RunningMTs.Or(pop.Speed.Value.MTs)
	out := []string{deep + ", " + strconv.Itoa(ddr.Nominal(mts)) + " MT/s"}
	if clock == 1 {
		out = append(out, deep)
	}
	if clock == 1 && depth == 1 {
		out = append(out, channels)
	}
	return out
}

func (b *builder) measuredShare(pop *Population, names []string, best int) (float64, string, bool) {
	for _, m := range b.measured {
		if !b.likeMeasured(m, pop, best) {
			continue
		}
		for _, name := range names {
			if v, ok := m.Layouts[name]; ok {
				return v, m.Source, true
			}
		}
	}
	return 0, "", false
}

func (b *builder) likeMeasured(m *platform.Measurement, pop *Population, best int) bool {
	return (m.Sockets == 0 || m.Sockets == b.countProcessors()) && (m.Slots == 0 || m.Slots == len(pop.Slots)+len(pop.EmptySlots)) && (m.BestMTs == 0 || m.BestMTs == best)
}

// A document gives it for equal DIMMs, spread evenly, neither mirrored nor spared. At their clock it replaces the model's.
func (b *builder) statedShare(pop *Population, best int) {
	s := &pop.Relative.Value
	for _, m := range b.measured {
		v := m.DIMMs[len(pop.Slots)]
		clock, clocked := b.clockShare(pop, best)
		if len(v) != 2 || !clocked || !b.likeMeasured(m, pop, best) || s.Document != "" || b.isMirrored() || b.isSparing() || !b.spreadEvenly(pop) {
			continue
		}
		document := b.platform.Document(m.Source)
		vendor, _, _ := strings.Cut(document, ", ")
		stated := Relative{Low: &v[0], High: &v[1]}
		s.Note = vendor + " gives " + stated.Percent() + " for " + strconv.Itoa(len(pop.Slots)) + " DIMMs per processor at the same clock"
		if s.Low < s.High {
			s.Low, s.High, s.Document, s.By = v[0]*clock, v[1]*clock, document, shareByCount
		}
		return
	}
}

func (b *builder) spreadEvenly(pop *Population) bool {
	controllers := make([]int, len(pop.Controllers.Value))
	for i := range controllers {
		controllers[i] = pop.Controllers.Value[i].DIMMs
	}
	return pop.Relative.Known() && pop.Controllers.Known() && b.equalDIMMs(pop.Slots) && b.sameRanks(pop.Slots) == alike &&
		slices.Max(pop.DPC.Value) <= slices.Min(pop.DPC.Value)+1 && slices.Max(controllers) <= slices.Min(controllers)+1
}

func (b *builder) countProcessors() int {
	n := 0
	for i := range b.sys.Sockets {
		if b.sys.Sockets[i].Populated.Or(false) {
			n++
		}
	}
	return n
}

// Relative is a Share as documents have it: the share of the full population's bandwidth, Value only if a document
// measured this layout, Low and High by the population model.
type Relative struct {
	Value  *float64        `json:"value" jsonschema:"nullable,minimum=0"`
	Low    *float64        `json:"low" jsonschema:"nullable,minimum=0"`
	High   *float64        `json:"high" jsonschema:"nullable,minimum=0"`
	Source nullable.String `json:"source" jsonschema:"nullable"`
	// Unverified is set if no document confirms the slot map or the platform's data that the share depends on.
	Unverified bool `json:"unverified,omitempty"`
	// ByChannels is true if the clock is unknown; for the text, Source has it.
	ByChannels bool `json:"-"`
	// Note is what lowers a share by the model; for the text, Source has it.
	Note string `json:"-"`
}

// RelativeOf returns a share as documents have it.
func RelativeOf(f fact.Fact[Share]) Relative {
	share, ok := f.Get()
	if !ok {
		return Relative{}
	}
	out := Relative{Value: share.Value, Low: &share.Low, High: &share.High, Source: nullable.String(share.Source()),
		Unverified: f.Unverified, ByChannels: share.By == shareByChannels}
	if share.Value == nil {
		out.Note = share.Note
	}
	return out
}

// Bounds returns the lowest and the highest share: what a document measured for the layout, else the model's range;
// infinite if it is not known.
func (s *Relative) Bounds() (low, high float64) {
	switch {
	case s.Value != nil:
		return *s.Value, *s.Value
	case s.Low == nil || s.High == nil:
		return math.Inf(1), math.Inf(1)
	default:
		return *s.Low, *s.High
	}
}

// Percent is the share in percent, or the range of it; "" if it is not known.
func (s *Relative) Percent() string {
	percent := func(v float64) string { return strconv.FormatFloat(v*100, 'f', 0, 64) }
	low, high := s.Bounds()
	switch {
	case math.IsInf(low, 1):
		return ""
	case percent(low) == percent(high):
		return percent(low) + " %"
	default:
		return percent(low) + " to " + percent(high) + " %"
	}
}

// CompareShares orders shares, the worse first: by what is sure, then by the most that one can have. An unknown one
// comes last.
func CompareShares(a, b *Relative) int {
	lowA, highA := a.Bounds()
	lowB, highB := b.Bounds()
	return cmp.Or(cmp.Compare(lowA, lowB), cmp.Compare(highA, highB))
}
