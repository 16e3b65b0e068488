package plan

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// layoutScore is an audit's result for a layout, and the cost of the steps to it.
type layoutScore struct {
	// critical, warning and info count the failures of rules about the layout by severity.
	critical, warning, info int
	// decided lists the rules and subjects that passed or failed, unknown those that could not be checked.
	decided map[string]bool
	unknown map[string]string // with the reason
	reach   bandwidth
	// peak is that of all populated channels together, in bytes per second; 0 if that of one
	// processor is not known.
	peak int64
	// sure is the low end of each processor's share of its best bandwidth; unknown for one without memory.
	sure []fact.Fact[float64]
	// channels are the populated ones, narrowest those of each processor's narrowest region; 0 if unknown.
	channels, narrowest int
	fails               []Failure
	// even is set if the memory of each processor is one region.
	even bool
	// slowed is set if the clock lowers the bandwidth of a processor with modules on all channels.
	slowed bool
	// moves is the number of modules handled, bytes the capacity bought.
	moves int
	bytes int64
}

// bandwidth is that of the slowest regions of all processors together.
type bandwidth struct {
	// bytes is in bytes per second; it is set only if the clock is known (clocked).
	bytes   float64
	clocked bool
	// channels is as many channels as give it.
	channels float64
}

// times is how many times another bandwidth this one is. If a clock is not known, as with modules that
// have not run yet, channels are compared: enough to order the layouts of one machine.
func (w bandwidth) times(o bandwidth) float64 {
	if w.clocked && o.clocked {
		return w.bytes / o.bytes
	}
	return w.channels / o.channels
}

// compare orders bandwidths, the smaller first.
func (w bandwidth) compare(o bandwidth) int {
	if w.clocked && o.clocked {
		return cmp.Compare(w.bytes, o.bytes)
	}
	return cmp.Compare(w.channels, o.channels)
}

// sureBandwidth is the bandwidth of the slowest regions by the population model, or of the populated
// channels if the regions are not known. Measured shares are not used, because a few percent are not
// worth twice the modules.
func sureBandwidth(topo *population.Result) bandwidth {
	w := bandwidth{clocked: true}
	for i := range topo.Populations {
		p := &topo.Populations[i]
		populated := float64(p.ChannelsPopulated.Or(0))
		channels := populated
		share, known := p.Relative.Get()
		if known {
			channels = float64(p.ChannelsTotal.Or(0)) * share.Channels
		}
		w.channels += channels
		best, ok := p.Best.Get()
		peak, clocked := p.Peak.Get()
		switch {
		case known && ok:
			w.bytes += float64(best) * share.Model
		case clocked && populated > 0:
			w.bytes += float64(peak) * channels / populated
		}
		w.clocked = w.clocked && clocked
	}
	return w
}

// narrowest is the number of channels of the narrowest region, 0 if unknown.
func narrowest(regions []population.Region) int {
	ways := 0
	for i := range regions {
		if w := regions[i].Ways; ways == 0 || w < ways {
			ways = w
		}
	}
	return ways
}

// compare orders scores, the better first: fewer and milder failures, then more bandwidth, then fewer
// bytes bought, then fewer modules handled.
func (a *layoutScore) compare(o *layoutScore) int {
	return cmp.Or(a.failing(o), o.reach.compare(a.reach), cmp.Compare(a.bytes, o.bytes), cmp.Compare(a.moves, o.moves))
}

// failing orders scores by their failures alone: critical ones first, then warnings, then remarks.
func (a *layoutScore) failing(o *layoutScore) int {
	return cmp.Or(cmp.Compare(a.critical, o.critical), cmp.Compare(a.warning, o.warning), cmp.Compare(a.info, o.info))
}

// slower reports whether a layout gives up channels without a gain: the slowest regions gain no bandwidth, and all
// channels together lose some. Rules about unequal channels no longer fail if one channel has all modules, so their
// silence is not enough. Neither a higher clock nor an unknown one makes up for channels that are given up.
func (a *layoutScore) slower(than *layoutScore) bool {
	return a.peak > 0 && than.peak > 0 && a.peak < than.peak && a.reach.compare(than.reach) <= 0 ||
		a.channels < than.channels && a.narrowest <= than.narrowest
}

// lowers reports whether a processor has less bandwidth for sure than before. Only a critical failure that is cured, such
// as a processor without memory, is worth that.
func (a *layoutScore) lowers(before *layoutScore) bool {
	const rounding = 0.005
	for i, was := range before.sure {
		if is := a.sure[i]; was.Known() && is.Known() && is.Value < was.Value-rounding {
			return a.critical >= before.critical
		}
	}
	return false
}

// muchFaster is how many times as fast moves for bandwidth alone make the memory at least.
const muchFaster = 1.1

// countable reports whether channels and clock determine the bandwidth: the memory of each processor is one region,
// and its clock is known.
func (a *layoutScore) countable() bool { return a.even && a.peak > 0 }

// notWorse reports whether a layout is countable, has the same failures as another, all is decided
// that was, and no processor has less bandwidth.
func (a *layoutScore) notWorse(before *layoutScore) bool {
	return a.countable() && !a.lowers(before) && slices.Equal(a.fails, before.fails) && a.lost(before) == ""
}

// lost is why the first of what was decided is not any more, "" if all is.
func (a *layoutScore) lost(before *layoutScore) string {
	for _, key := range slices.Sorted(maps.Keys(a.unknown)) {
		if before.decided[key] {
			return a.unknown[key]
		}
	}
	return ""
}

// milder reports whether there are fewer critical failures, or as many and fewer warnings.
func (a *layoutScore) milder(than *layoutScore) bool {
	return cmp.Or(cmp.Compare(a.critical, than.critical), cmp.Compare(a.warning, than.warning)) < 0
}

// severe reports whether something fails at warning or above.
func (a *layoutScore) severe() bool { return a.critical+a.warning > 0 }

// against lists the arguments against a layout: rules that fail at warning or above, and new failures.
func (a *layoutScore) against(before *layoutScore) []string {
	var out []string
	for _, f := range a.fails {
		failed := slices.ContainsFunc(before.fails, func(b Failure) bool { return b.key() == f.key() })
		if (!failed || f.Severity.Rank() >= verdict.Warning.Rank()) && !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	return out
}

// worthBuying reports whether something fails that costs enough to buy modules
// for: a failure at warning or above, an empty channel or a class below the best.
func (a *layoutScore) worthBuying(p *Pipeline) bool {
	return a.severe() || slices.ContainsFunc(a.fails, func(f Failure) bool { return p.Role(f.Rule).Purchase })
}
