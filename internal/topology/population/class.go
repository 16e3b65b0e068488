package population

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

// The grades of docs/population.md, Grades, best first.
const (
	gradeA = "A" // one region over all channels at the platform's full speed
	gradeB = "B" // the same, slowed down by depth, ranks or DIMMs, or mixed ranks
	gradeC = "C" // one region over at least half of the channels
	gradeD = "D" // several regions, the narrowest over half or more; or one over less than half
	gradeE = "E" // several regions with a narrow one; no memory; lockstep broken; sockets differ
)

// documentedClasses are the classes of a platform's document, best first.
var documentedClasses = [...]string{"1", "2", "3", "discouraged"}

func (b *builder) interleavingClass(pop *Population) fact.Fact[Class] {
	if b.platform == nil {
		return fact.UnknownFrom[Class](b.fact)
	}
	if b.platform.Policy == "" || b.platform.Policy == platform.PolicySingle {
		return fact.Unknown[Class](fact.Absent, "no document describes the interleaving of this platform", "")
	}
	if !pop.ChannelBytes.Known() {
		return fact.UnknownFrom[Class](pop.ChannelBytes)
	}
	if b.platform.Classes != "" {
		if len(pop.Slots) == 0 {
			return fact.Unknown[Class](fact.Absent, "the document gives no class to a processor without memory", "", pop.DIMMs.From)
		}
		same, ok := pop.Lockstep.Get()
		if !ok {
			return fact.UnknownFrom[Class](pop.Lockstep)
		}
		if !same {
			return fact.Unknown[Class](fact.Absent, "the document gives no class to lockstep pairs that differ: "+pop.LockstepDetail, "", pop.DPC.From)
		}
		bytes, dimms, reason := b.activePairs(pop)
		if reason != "" {
			return fact.Unknown[Class](fact.Absent, reason, "")
		}
		name, ok := exClass(bytes, dimms)
		if !ok {
			return fact.Unknown[Class](fact.Absent, "the document does not describe a segment over three channel pairs", "", pop.DPC.From)
		}
		f := fact.Known(Class{Name: name, Best: documentedClasses[0], Documented: true,
			Discouraged: name == "discouraged", Source: b.platform.Citation.Key}, pop.DPC.Certainty, pop.DPC.From)
		f.Unverified = pop.Lockstep.Unverified
		return f
	}
	return b.gradeLayout(pop)
}

func (b *builder) gradeLayout(pop *Population) fact.Fact[Class] {
	known := func(name string) fact.Fact[Class] {
		return fact.Known(Class{Name: name, Best: gradeA}, pop.DPC.Certainty, pop.DPC.From).
			Unconfirmed(pop.DPC.Unverified || pop.Lockstep.Unverified || b.isUnverified("policy"))
	}
	if len(pop.Slots) == 0 {
		if b.platform.ZeroDIMMsLegal {
			return fact.Unknown[Class](fact.Absent, "a processor with HBM needs no DIMMs", "")
		}
		return known(gradeE)
	}
	if same, ok := pop.Lockstep.Get(); ok && !same {
		return known(gradeE)
	}
	regions, ok := pop.Regions.Get()
	if !ok {
		return fact.UnknownFrom[Class](pop.Regions)
	}
	n := len(pop.DPC.Value)
	if b.platform.Policy == platform.PolicyEX {
		n = exPairs
	}
	name := gradeRegions(regions, n)
	if name != gradeA {
		return known(name)
	}
	full, reason := b.fullSpeed(pop)
	if reason != "" {
		return fact.Unknown[Class](fact.Absent, "A or B: "+reason, "", pop.DPC.From)
	}
	ranks := b.sameRanks(pop.Slots)
	switch {
	case !full || ranks == different:
		return known(gradeB)
	case ranks == unsure:
		return fact.Unknown[Class](fact.Absent, "A or B: whether the modules have the same number of ranks is not known", "", pop.DPC.From)
	default:
		return known(gradeA)
	}
}

// gradeRegions grades by the regions alone; A means A or B.
func gradeRegions(regions []Region, n int) string {
	worst := slices.MinFunc(regions, func(a, b Region) int { return a.Ways - b.Ways }).Ways
	switch {
	case len(regions) == 1 && worst == n:
		return gradeA
	case len(regions) == 1 && 2*worst >= n:
		return gradeC
	case len(regions) == 1 || 2*worst >= n:
		return gradeD
	default:
		return gradeE
	}
}

// A slower CPU is no reduction. If no document gives the allowed speed, running at the CPU's is enough.
func (b *builder) fullSpeed(pop *Population) (full bool, reason string) {
	s, ok := pop.Speed.Get()
	if !ok {
		highest, known := pop.HighestMTs.Get()
		if running := &pop.RunningMTs; known && running.Known() && running.Certainty > fact.Indirect && running.Value >= highest-ddr.Tolerance {
			return true, ""
		}
		return false, pop.Speed.Reason
	}
	return s.Limiter == LimitProcessor || s.Limiter == LimitNone, ""
}

// In the general model CPUs with different populations make it E, unless they have the same capacity on each channel.
func (b *builder) machineClass(r *Result) fact.Fact[Class] {
	pops := r.Populations
	if len(pops) == 0 {
		return fact.Unknown[Class](fact.Unread, "no populated processor is known", "")
	}
	worst := -1
	for i := range pops {
		c := &pops[i].Class
		if !c.Known() {
			if b.platform != nil && b.platform.Classes != "" && len(pops[i].Slots) == 0 && pops[i].DIMMs.Known() {
				continue // has no class of its own; another rule covers it
			}
			return fact.UnknownFrom[Class](*c)
		}
		if worst < 0 || classRank(c.Value.Name) > classRank(pops[worst].Class.Value.Name) {
			worst = i
		}
	}
	if worst < 0 {
		return fact.UnknownFrom[Class](pops[0].Class)
	}
	out := pops[worst].Class
	if same, ok := r.Symmetric.Get(); ok && !same && !r.ChannelsAlike.Or(false) && !out.Value.Documented {
		out.Value.Name = gradeE
	}
	return out
}

func classRank(name string) int {
	if i := slices.Index(documentedClasses[:], name); i >= 0 {
		return i
	}
	return int(name[0])
}

// checkFillOrder checks the filled slots against the documents: the paper for lockstep boards, otherwise the order
// within the channels from the slot map, and the vendor's own sets of slots for this number of DIMMs. It is
// true only if the vendor's sets, or equal channels filled from the first slot on, prove it.
func (b *builder) checkFillOrder(pop *Population) {
	pop.Order = fact.Unknown[bool](fact.Absent, "no documented fill order is known for these slots", "")
	if len(pop.Slots) == 0 {
		return
	}
	if b.lockstepBoard != nil && pop.DPC.Known() {
		b.exOrderKept(pop)
		return
	}
	listed := b.checkSlotSets(pop)
	if listed.Known() {
		pop.Order = listed
		return
	}
	within, mapped := b.channelOrder(pop)
	switch {
	case !mapped:
	case !within.Value, pop.DPC.Known() && len(slices.Compact(slices.Clone(pop.DPC.Value))) <= 1: // all channels equally deep
		pop.Order = within
	default:
		pop.Order = listed
	}
}

// The first slot of a channel comes from a slot map (known), or from the document of a board with labels that name channel
// and slot; labels alone, or a map that no document or dump confirms, are not enough.
func (b *builder) channelOrder(pop *Population) (kept fact.Fact[bool], known bool) {
	c, labelled := fact.Direct, false
	for _, slots := range pop.ChannelSlots {
		for _, i := range slots {
			if b.fillPosition(i) == place.Unplaced {
				return kept, false
			}
			labelled = labelled || b.places[i].Source != place.SourceMap
			c = min(c, b.places[i].Certainty)
		}
	}
	for _, e := range pop.EmptySlots {
		at := &b.places[e]
		if at.Channel < 0 || at.Channel >= len(pop.ChannelSlots) || at.Slot == place.Unplaced {
			continue
		}
		turn := at.Slot
		if labelled {
			turn = b.fillPosition(e)
		}
		if turn == place.Unplaced {
			pop.OrderDetail = ""
			return kept, false
		}
		for _, i := range pop.ChannelSlots[at.Channel] {
			if b.fillPosition(i) > turn {
				pop.OrderDetail = joinDetail(pop.OrderDetail, b.sys.Slots[i].Name()+" is filled before "+b.sys.Slots[e].Name())
			}
		}
	}
	if labelled {
		pop.OrderSource = b.fill.Source
	}
	return fact.Known(pop.OrderDetail == "", c, b.slotEvidence(pop)), true
}

// fillPosition counts from 0; place.Unplaced if neither a slot map nor the board's document gives it.
func (b *builder) fillPosition(slot int) int {
	at := &b.places[slot]
	switch {
	case at.Source != place.SourceMap:
		return b.fill.FillPosition(b.sys.Slots[slot].Locator.Or(""), at)
	case at.Unverified:
		return place.Unplaced
	}
	return at.Slot
}

// Sets for lockstep, mirroring or sparing are ignored unless BIOS setup is known to have these off. A sister model's manual
// is unverified.
func (b *builder) checkSlotSets(pop *Population) fact.Fact[bool] {
	unknown := func(reason string) fact.Fact[bool] {
		return fact.Unknown[bool](fact.Unstated, reason, "the machine's manual", b.slotEvidence(pop))
	}
	if b.sets == nil {
		return unknown("which slots the vendor fills for " + humanize.Plural(len(pop.Slots), "module") + " is in no document that was read")
	}
	var filled []int
	for _, i := range pop.Slots {
		n := b.sets.SlotNumber(b.sys.Slots[i].Locator.Or(""), &b.places[i])
		if n < 0 || slices.Contains(filled, n) {
			return unknown("the labels of the slots have no numbers of their own")
		}
		filled = append(filled, n)
	}
	slices.Sort(filled)
	row := b.sets.Rows[len(filled)]
	switch {
	case len(row.Sets) == 0:
		return unknown("which slots the vendor fills for " + humanize.Plural(len(filled), "module") + " is in no document that was read")
	case !row.ListsSlots(filled) && row.HasMode(filled) && b.configuredMode() != "independent":
		pop.ModeSlots = true
		return unknown("the filled slots are the vendor's set for lockstep, mirroring or sparing, and whether that is on is not known")
	}
	f := fact.Known(row.ListsSlots(filled), pop.DIMMs.Certainty, b.slotEvidence(pop))
	f.Unverified = b.sets.Analogous
	if !f.Value {
		pop.OrderDetail = fmt.Sprintf("slots %s are filled; the manual fills %s for %s", b.formatSet(pop, filled), b.formatSets(pop, &row), humanize.Plural(len(filled), "module"))
	}
	pop.OrderSource = b.sets.Document(len(filled))
	return f
}

// checkAllowedCounts needs the product's own manual that lists the numbers that are not allowed.
func (b *builder) checkAllowedCounts(pop *Population) {
	n, known := pop.DIMMs.Get()
	if b.sets == nil || b.sets.Analogous || !known || b.sets.Rows[n].Grade != place.NotAllowed {
		return
	}
	pop.CountSource = b.sets.Rows[n].Source
	for count, row := range b.sets.Rows {
		if len(row.Sets) > 0 {
			pop.Counts = append(pop.Counts, count)
		}
	}
	slices.Sort(pop.Counts)
	at, _ := slices.BinarySearch(pop.Counts, n)
	if at < len(pop.Counts) {
		pop.CountWays = append(pop.CountWays, b.describeCount(pop, pop.EmptySlots, "fill", pop.Counts[at]))
	}
	if at > 0 {
		pop.CountWays = append(pop.CountWays, b.describeCount(pop, pop.Slots, "empty", pop.Counts[at-1]))
	}
}

func (b *builder) describeCount(pop *Population, from []int, verb string, count int) string {
	wanted := b.sets.Rows[count].Sets[0]
	var names []string
	for _, slot := range from {
		label := strings.TrimSpace(b.sys.Slots[slot].Locator.Or(""))
		if slices.Contains(wanted, b.sets.SlotNumber(label, &b.places[slot])) == (verb == "fill") {
			names = append(names, label)
		}
	}
	if len(names) != max(count-len(pop.Slots), len(pop.Slots)-count) {
		return verb + " slots until " + strconv.Itoa(count) + " are filled"
	}
	return verb + " " + humanize.List(names) + " (" + humanize.Plural(count, "DIMM") + ")"
}

func (b *builder) formatSets(pop *Population, row *place.SetRow) string {
	out := make([]string, len(row.Sets))
	for i, set := range row.Sets {
		out[i] = b.formatSet(pop, set)
	}
	return strings.Join(out, " or ")
}

// Slots are named by label if this CPU's labels have other numbers than the rows.
func (b *builder) formatSet(pop *Population, set []int) string {
	names := map[int]string{}
	for _, slot := range slices.Concat(pop.Slots, pop.EmptySlots) {
		label := strings.TrimSpace(b.sys.Slots[slot].Locator.Or(""))
		n := b.sets.SlotNumber(label, &b.places[slot])
		if printed := place.PrintedNumber(label); printed == n {
			names[n] = strconv.Itoa(n)
		} else {
			names[n] = label
		}
	}
	out := make([]string, len(set))
	for i, n := range set {
		if out[i] = names[n]; out[i] == "" {
			out[i] = strconv.Itoa(n)
		}
	}
	return strings.Join(out, ", ")
}
