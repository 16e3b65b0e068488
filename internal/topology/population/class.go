package population

import (
	"slices"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
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

func (b *builder) class(pop *Population) fact.Fact[Class] {
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
	return b.grade(pop)
}

func (b *builder) grade(pop *Population) fact.Fact[Class] {
	known := func(name string) fact.Fact[Class] {
		f := fact.Known(Class{Name: name, Best: gradeA}, pop.DPC.Certainty, pop.DPC.From)
		f.Unverified = pop.DPC.Unverified || pop.Lockstep.Unverified || b.unverified("policy")
		return f
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
	worst := regions[0].Ways
	for _, r := range regions {
		worst = min(worst, r.Ways)
	}
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

// fullSpeed reports whether the population may run at the CPU's memory speed; a slower CPU is no reduction. If
// no document gives the allowed speed, running at the CPU's is enough.
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

// machineClass returns the worst class of all CPUs. In the general model CPUs with different populations make
// it E, unless only the modules differ that make up the same capacity on each channel.
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
