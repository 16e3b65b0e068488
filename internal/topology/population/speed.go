package population

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

// bytesPerTransfer is the width of a channel: 64 data bits.
const bytesPerTransfer = 8

// expectation collects the limits of one population, in MT/s.
type expectation struct {
	dimm, processor int
	// observed is the highest speed at which the CPU was observed in the field, 0 if unknown.
	observed  int
	platform  speedLimit
	certainty fact.Certainty
	from      fact.Evidence
	maxDepth  int
	// processorDepth is set if the CPU's maximum is its lower one for several DIMMs per channel.
	processorDepth bool
}

// expectedSpeed is the minimum of DIMM rating, CPU maximum, platform limit at this depth and kind, and board.
// It is unknown if one of them is unknown and could be the lowest. likely is by the other limits, if firmware should have
// stated the unknown one.
func (b *builder) expectedSpeed(pop *Population, proc *platform.Processor, depth channelDepths) (expected, likely fact.Fact[Speed]) {
	none := func(f fact.Fact[Speed]) (expected, likely fact.Fact[Speed]) { return f, f }
	if len(pop.Slots) == 0 {
		return none(fact.Unknown[Speed](fact.Absent, "no DIMMs", ""))
	}
	e := expectation{certainty: fact.Direct, dimm: unlimited}
	var unstated *fact.Fact[Speed]
	for _, i := range pop.Slots {
		_, hi := depth.of(i)
		e.maxDepth = max(e.maxDepth, hi)
		f := ratedSpeed(&b.sys.Slots[i])
		if !f.Known() {
			if unstated == nil {
				without := fact.UnknownFrom[Speed](f)
				unstated = &without
			}
			continue
		}
		if f.Value < e.dimm {
			e.dimm, e.from = f.Value, f.From
		}
		e.certainty = min(e.certainty, f.Certainty)
	}
	if f := b.persistentLimit(&e); f != nil {
		return none(fact.UnknownFrom[Speed](*f))
	}
	if reason := b.processorLimit(&e, proc, depth); reason != "" {
		without := fact.Unknown[Speed](fact.Absent, reason, "", e.from)
		unstated = cmp.Or(unstated, &without)
		if b.isBrandKnown(pop.Socket) {
			return none(*unstated)
		}
		e.processor = unlimited
	}
	f := b.resolveSpeed(pop, &e, depth)
	if unstated == nil {
		return f, f
	}
	if f.Value.MTs == unlimited {
		f = *unstated
	}
	return *unstated, f
}

func (b *builder) isBrandKnown(socket int) bool {
	return !slices.ContainsFunc(b.sys.Sockets, func(s inventory.Socket) bool { return s.ID == socket && !s.Brand.Known() })
}

// Optane of the first generation is rated 2666. The result is the rating that is unknown, if any.
func (b *builder) persistentLimit(e *expectation) *fact.Fact[int] {
	for i := range b.sys.Slots {
		s := &b.sys.Slots[i]
		if s.State != inventory.SlotPopulated || s.Technology.Or(inventory.DRAM) != inventory.NVDIMM {
			continue
		}
		f := ratedSpeed(s)
		if !f.Known() {
			return &f
		}
		if f.Value < e.dimm {
			e.dimm, e.from = f.Value, f.From
		}
		e.certainty = min(e.certainty, f.Certainty)
	}
	return nil
}

func (b *builder) processorLimit(e *expectation, proc *platform.Processor, depth channelDepths) string {
	p := b.platform
	if p != nil && p.SpeedByMode {
		return "the highest speed of " + p.Name + " depends on the memory mode, which firmware does not report"
	}
	v := 0
	if proc != nil {
		e.observed = proc.ObservedMTs
	}
	if p != nil && proc != nil {
		v = p.ProcessorMTs[proc.Number]
	}
	if v == 0 && p != nil {
		v = p.ProcessorMTs["*"]
	}
	if v == 0 && proc != nil {
		v = proc.MaxMTs
		if depth.known && e.maxDepth > 1 && proc.MaxMTs2DPC > 0 {
			e.processorDepth = proc.MaxMTs2DPC < v
			v = min(v, proc.MaxMTs2DPC)
		}
		if p != nil && p.Buffered && len(p.ProcessorMTs) > 0 {
			e.certainty = min(e.certainty, fact.Indirect) // not in the document's own table
		}
	}
	if v == 0 {
		return "the processor's highest memory speed is not in the vendors' table"
	}
	e.processor = ddr.Nominal(v)
	return ""
}

func (b *builder) resolveSpeed(pop *Population, e *expectation, depth channelDepths) fact.Fact[Speed] {
	unknown := func(reason string) fact.Fact[Speed] {
		return fact.Unknown[Speed](fact.Absent, reason, "", e.from)
	}
	switch {
	case b.platform != nil:
		e.platform = platformLimit(b.platform, b.sys, pop.Slots, depth)
	case e.maxDepth > 1:
		return unknown("without platform data the speed with more than one DIMM per channel is not known")
	default:
		e.platform = speedLimit{lo: unlimited, hi: unlimited}
	}
	if e.platform.reason != "" {
		return unknown(e.platform.reason)
	}
	ceiling := min(e.dimm, e.processor)
	if b.board != nil {
		ceiling = min(ceiling, b.board.MaxMTs)
	}
	if min(ceiling, e.platform.lo) != min(ceiling, e.platform.hi) {
		return unknown(fmt.Sprintf("between %d and %d MT/s: the kind of DIMM or the DIMMs per channel are not known",
			min(ceiling, e.platform.lo), min(ceiling, e.platform.hi)))
	}
	s := b.limitedSpeed(e)
	s.AlsoNormal, s.OtherBoards = b.lowerNormalSpeeds(e, s.MTs)
	return fact.Known(s, e.certainty, e.from).Unconfirmed(b.speedUnverified(e, ceiling))
}

// speedUnverified reports whether the expected speed rests on something undocumented for this machine: a limit
// from general knowledge, a CPU without platform data, or a channel with several DIMMs on a board of a vendor
// without a document behind the platform's table. Boards differ at that depth.
func (b *builder) speedUnverified(e *expectation, ceiling int) bool {
	switch {
	case b.platform == nil:
		return true
	case b.board != nil && b.board.MaxMTs == ceiling && !b.board.Verified:
		return true
	case e.platform.lo != unlimited && e.platform.indirect:
		return true
	default:
		return e.maxDepth >= b.platform.BoardDepth && b.platform.SpeedDependsOnDPC && !b.platform.DocumentedFor(b.sys.Machine.Vendor.Or(""), b.product)
	}
}

// The first limit here counts if two are equal; "none" is a DIMM that runs at its rating on a CPU that allows no more.
func (b *builder) limitedSpeed(e *expectation) Speed {
	lowest := min(e.dimm, e.processor, e.platform.lo)
	if b.board != nil && b.board.MaxMTs < lowest {
		return Speed{MTs: b.board.MaxMTs, Limiter: LimitFirmware, Detail: "board limit whatever the processor: " + strconv.Itoa(b.board.MaxMTs)}
	}
	s := Speed{MTs: lowest}
	switch {
	case e.processor == lowest && e.processorDepth && e.dimm > lowest:
		s.Limiter = LimitDPC
		s.Detail = dpcText(e.maxDepth) + ", a limit of the processor: " + strconv.Itoa(lowest)
	case e.dimm == lowest && e.processor == lowest:
		s.Limiter, s.Detail = LimitNone, "DIMMs and processor agree: "+strconv.Itoa(lowest)
	case e.dimm == lowest:
		s.Limiter, s.Detail = LimitDIMM, "slowest DIMM is rated "+strconv.Itoa(lowest)
	case e.processor == lowest:
		s.Limiter, s.Detail = LimitProcessor, "processor allows at most "+strconv.Itoa(lowest)
	default:
		s.Limiter, s.Detail = e.platform.nameLimiter(b.platform)
	}
	return s
}

// lowerNormalSpeeds are of single boards, and the highest observed of the CPU, fastest first; others are not documented for this board.
func (b *builder) lowerNormalSpeeds(e *expectation, expected int) (all, others []int) {
	if b.platform == nil {
		return nil, nil
	}
	var own []int
	add := func(to *[]int, v int) {
		v = min(v, e.dimm, e.processor)
		if v > 0 && v < expected && !slices.Contains(*to, v) {
			*to = append(*to, v)
		}
	}
	for board, row := range b.platform.AlsoNormal {
		to := &others
		if namesBoard(board, b.productKey) {
			to = &own
		}
		for d := 1; d <= e.maxDepth; d++ {
			if d == e.maxDepth || d == e.platform.dpc {
				add(to, platform.SpeedAt(row, d))
			}
		}
	}
	add(&own, e.observed)
	if b.product == "" {
		for i := range b.platform.Boards {
			add(&others, b.platform.Boards[i].MaxMTs)
		}
	}
	others = slices.DeleteFunc(others, func(v int) bool { return slices.Contains(own, v) })
	all = slices.Concat(own, others)
	for _, list := range [][]int{all, others} {
		slices.Sort(list)
		slices.Reverse(list)
	}
	return all, others
}

// The key of a row is vendor and model joined by hyphens ("lenovo-x3550-m5"); product is a normalised name.
func namesBoard(key, product string) bool {
	_, model, _ := strings.Cut(key, "-")
	return strings.ContainsAny(model, "0123456789") && strings.Contains(product, normalizedName(model))
}

// Speeds are in MT/s by their printed names. all is unknown if a DIMM's is, stated is the lowest that firmware states.
func runningSpeed(sys *inventory.System, slots []int) (all, stated fact.Fact[int]) {
	if len(slots) == 0 {
		all = fact.Unknown[int](fact.Absent, "no DIMMs", "")
		return all, all
	}
	c := fact.Direct
	for _, i := range slots {
		s := &sys.Slots[i]
		f := withReason(s.ConfiguredMTs, "the configured speed of "+s.Name()+" is not stated")
		if f.Known() && f.Value <= 0 {
			f = fact.Unknown[int](fact.Unstated, "the configured speed of a DIMM is 0", "", f.From)
		}
		if !f.Known() {
			all = fact.First(all, f)
			continue
		}
		f.Value = ddr.Nominal(f.Value)
		c = min(c, f.Certainty)
		if !stated.Known() || f.Value < stated.Value {
			stated = f
		}
	}
	stated.Certainty = c
	if all.Reason == "" {
		all = stated
	}
	return all, stated
}

// unlimited is the platform's limit if its documents set none.
const unlimited = math.MaxInt

// speedLimit is the platform's limit for a population: between lo and hi MT/s, which differ if the DIMM kind or
// the DIMMs per channel are unknown.
type speedLimit struct {
	lo, hi   int
	kind     string // row of the speed table behind lo
	dpc      int    // DIMMs per channel behind lo
	indirect bool   // unverified, or from a neighbouring row
	volts    bool   // the module may run at 1.35 V, which the row does not distinguish
	reason   string // why there is no limit; "" if there is one
}

// channelDepths is the possible number of DIMMs on each DIMM's channel.
type channelDepths struct {
	of    func(slot int) (lo, hi int)
	known bool
}

func platformLimit(p *platform.Platform, sys *inventory.System, slots []int, depth channelDepths) speedLimit {
	out := speedLimit{lo: unlimited, hi: unlimited}
	for _, i := range slots {
		lo, hi := depth.of(i)
		l := slotLimit(p, &sys.Slots[i], lo, hi)
		if l.reason != "" {
			return l
		}
		if l.lo < out.lo {
			out.lo, out.kind, out.dpc, out.volts = l.lo, l.kind, l.dpc, l.volts
		}
		out.hi = min(out.hi, l.hi)
		out.indirect = out.indirect || l.indirect
	}
	return out
}

func slotLimit(p *platform.Platform, s *inventory.Slot, lo, hi int) speedLimit {
	// With DDR5 a board's second slot per channel and a second rank lower the clock of a single module, too:
	// two ASRock Rack boards run 4800 modules at 4400 with a Core i9-13900.
	ddr5 := strings.HasPrefix(s.Type.Or(""), "DDR5")
	if !p.SpeedDependsOnDPC || (len(p.Speeds) == 0 && hi == 1 && !ddr5) {
		return speedLimit{lo: unlimited, hi: unlimited}
	}
	if len(p.Speeds) == 0 {
		return speedLimit{reason: "no document gives the speed of " + p.Name + " with " + dpcText(hi)}
	}
	keys, exact := platform.KindsFor(p, s)
	if len(keys) == 0 && hi == 1 && s.Ranks.Or(0) > 0 && s.Ranks.Value <= 2 {
		return speedLimit{lo: unlimited, hi: unlimited, indirect: true}
	}
	if len(keys) == 0 && (!s.Registered.Known() || s.Ranks.Or(0) == 0) {
		return speedLimit{reason: "firmware does not say what kind of DIMM " + s.Name() + " is, on which the speed of " + p.Name + " depends"}
	}
	if len(keys) == 0 {
		return speedLimit{reason: "no document gives the speed of " + p.Name + " for this kind of DIMM"}
	}
	out := speedLimit{lo: unlimited, indirect: !exact, volts: platform.LowVoltageUnlisted(p, s, keys)}
	for _, key := range keys {
		for d := lo; d <= hi; d++ {
			if !p.AllowsDepth(key, d) {
				continue
			}
			v := platform.SpeedAt(p.Speeds[key], d)
			if v == 0 {
				return speedLimit{reason: undocumented(p, keys, key, lo, hi, d)}
			}
			if v < out.lo {
				out.lo, out.kind, out.dpc = v, key, d
			}
			out.hi = max(out.hi, v)
			out.indirect = out.indirect || slices.Contains(p.Unverified, "speeds") || slices.Contains(p.Unverified, "speeds "+strconv.Itoa(d))
		}
	}
	if out.lo == unlimited {
		return speedLimit{reason: undocumented(p, keys, keys[0], lo, hi, hi)}
	}
	return out
}

// undocumented names the kind only if the module can be no other, the depth only if it is certain.
func undocumented(p *platform.Platform, keys []string, key string, lo, hi, d int) string {
	kind, depth := "each kind that this DIMM may be", "any number of DIMMs per channel that fits"
	if len(keys) == 1 {
		kind = key
	}
	if lo == hi {
		depth = dpcText(d)
	}
	return "no document gives the speed of " + p.Name + " for " + kind + " with " + depth
}

func dpcText(d int) string { return humanize.Plural(d, "DIMM") + " per channel" }

// nameLimiter returns the limiter behind a platform limit: depth if one DIMM per channel would run faster, voltage if
// the same kind at 1.5 V would, otherwise the ranks and type of the DIMM.
func (l speedLimit) nameLimiter(p *platform.Platform) (limiter Limiter, detail string) {
	detail = dpcText(l.dpc) + " (" + l.kind + "): " + strconv.Itoa(l.lo)
	if l.volts {
		detail += ", which a board may not reach at 1.35 V"
	}
	if platform.SpeedAt(p.Speeds[l.kind], 1) > l.lo {
		return LimitDPC, detail
	}
	if base, ok := strings.CutSuffix(l.kind, "-1.35v"); ok && platform.SpeedAt(p.Speeds[base+"-1.5v"], l.dpc) > l.lo {
		return LimitVoltage, detail
	}
	return LimitRanks, detail
}

// BoardDecides reports whether running, in MT/s, is below the expected speed and normal only by documents of
// other boards: whether it is a fault is unknown until this board's document is read.
func (s Speed) BoardDecides(running int) bool {
	return running < s.MTs-ddr.Tolerance &&
		slices.ContainsFunc(s.OtherBoards, func(n int) bool { return ddr.SameSpeed(n, running) })
}

func ratedSpeed(s *inventory.Slot) fact.Fact[int] {
	v, ok := s.RatedMTs.Get()
	if !ok {
		return withReason(s.RatedMTs, "the rated speed of "+s.Name()+" is not stated")
	}
	if v <= 0 {
		return fact.Unknown[int](fact.Unstated, "the rated speed of a DIMM is 0", "", s.RatedMTs.From)
	}
	f := s.RatedMTs
	f.Value = ddr.Nominal(v)
	return f
}

func withReason(f fact.Fact[int], reason string) fact.Fact[int] {
	if f.Reason == "" {
		f.Reason = reason
	}
	return f
}
