package plan

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// layoutScore is an audit's result for a layout, and the cost of the steps to it.
type layoutScore struct {
	// critical, warning and info count the failures of rules about the layout by severity.
	critical, warning, info int
	// decided lists the rules and subjects that passed or failed, unknown those that could not be checked.
	decided map[string]bool
	unknown map[string]string // with the reason
	units   []unitShare
	fails   []Failure
	// moves is the number of modules handled, bytes the capacity bought.
	moves int
	bytes int64
}

// unitShare is a processor's share of its best bandwidth: that of its slowest region, and the highest possible. Clock
// is the part of it that the clock leaves, clocked if that is known. Measured shares are not used, because a few percent
// are not worth twice the modules. If the share is not known, it is that of the populated channels.
type unitShare struct {
	low, high, clock float64
	clocked          bool
	// lopsided is by how many modules the two halves of the channels differ, where each is a node in NPS2 (A to D and E to
	// H of EPYC 7002 and 7003): of four equal modules vendors fill C, D, G and H.
	lopsided int
}

// shares are those of each processor.
func shares(topo *population.Result) []unitShare {
	out := make([]unitShare, len(topo.Populations))
	for i := range topo.Populations {
		p := &topo.Populations[i]
		u := unitShare{clock: 1, clocked: p.Peak.Known()}
		if dpc := p.DPC.Or(nil); topo.Platform.Value.Policy == platform.PolicyAMD {
			half := len(dpc) / 2
			u.lopsided = max(modulesIn(dpc[:half])-modulesIn(dpc[half:]), modulesIn(dpc[half:])-modulesIn(dpc[:half]))
		}
		share, known := p.Relative.Get()
		switch total := p.ChannelsTotal.Or(0); {
		case known:
			u.low, u.high = min(share.Low, share.Model), share.High
			if share.Channels > 0 {
				u.clock = share.Model / share.Channels
			}
		case total > 0:
			u.low = float64(p.ChannelsPopulated.Or(0)) / float64(total)
			u.high = u.low
		}
		out[i] = u
	}
	return out
}

// percents are the low ends of two layouts in percent, and the sums of all low and high ends: with the clock if it is
// known of all, else by channels alone, so that a share with it is never compared with one without.
func percents(a, b []unitShare) (low [2][]float64, lows, highs [2]float64) {
	unclocked := func(u unitShare) bool { return !u.clocked && u.high > 0 }
	clocked := !slices.ContainsFunc(a, unclocked) && !slices.ContainsFunc(b, unclocked)
	for i, units := range [...][]unitShare{a, b} {
		for _, u := range units {
			if !clocked {
				u.low, u.high = u.low/u.clock, u.high/u.clock
			}
			low[i] = append(low[i], math.Round(100*u.low))
			lows[i], highs[i] = lows[i]+math.Round(100*u.low), highs[i]+math.Round(100*u.high)
		}
	}
	return low, lows, highs
}

// compareShares orders bandwidths, the smaller first: the worst low end, the sum of the low ends, that of the high ones.
func compareShares(a, b []unitShare) int {
	low, lows, highs := percents(a, b)
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	return cmp.Or(cmp.Compare(slices.Min(low[0]), slices.Min(low[1])), cmp.Compare(lows[0], lows[1]), cmp.Compare(highs[0], highs[1]))
}

// compare orders scores, the better first: fewer severe failures, then more bandwidth, then fewer remarks, fewer
// bytes bought, fewer modules handled, halves that hold the same.
func (a *layoutScore) compare(o *layoutScore) int {
	return cmp.Or(a.severity(o), compareShares(o.units, a.units), cmp.Compare(a.info, o.info), cmp.Compare(a.bytes, o.bytes), cmp.Compare(a.moves, o.moves),
		cmp.Compare(lopsided(a.units), lopsided(o.units)))
}

func lopsided(units []unitShare) (n int) {
	for _, u := range units {
		n += u.lopsided
	}
	return n
}

// severity orders scores by their failures at warning or above: critical ones first.
func (a *layoutScore) severity(o *layoutScore) int {
	return cmp.Or(cmp.Compare(a.critical, o.critical), cmp.Compare(a.warning, o.warning))
}

// failing orders scores by their failures alone, remarks last.
func (a *layoutScore) failing(o *layoutScore) int {
	return cmp.Or(a.severity(o), cmp.Compare(a.info, o.info))
}

// harms reports whether a processor has less bandwidth for sure than before, or all have less at most and nothing more
// for sure: rules about unequal channels no longer fail if one channel has all modules, so their silence is not enough.
// Only a critical failure that is cured, such as a processor without memory, is worth that.
func (a *layoutScore) harms(before *layoutScore) bool {
	if a.critical < before.critical {
		return false
	}
	low, lows, highs := percents(a.units, before.units)
	for i := range low[0] { // as it is said, too, if one of the two is without the clock
		if low[0][i] < low[1][i] || math.Round(100*a.units[i].low) < math.Round(100*before.units[i].low) {
			return true
		}
	}
	return lows[0] <= lows[1] && highs[0] < highs[1]
}

// muchFaster is how many times as fast steps for bandwidth alone make the memory at least.
const muchFaster = 1.1

// faster reports whether the worst low end, or the sum of them, is clearly higher than before.
func (a *layoutScore) faster(before *layoutScore) bool {
	low, lows, _ := percents(a.units, before.units)
	much := func(is, was float64) bool { return is > was && is >= muchFaster*was }
	return len(a.units) > 0 && (much(slices.Min(low[0]), slices.Min(low[1])) || much(lows[0], lows[1]))
}

// slowed reports whether the clock lowers the bandwidth of a processor with equal modules on all channels.
func (a *layoutScore) slowed() bool {
	return slices.ContainsFunc(a.units, func(u unitShare) bool { return u.clock < 1 && u.low >= u.clock })
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

// severe reports whether something fails at warning or above.
func (a *layoutScore) severe() bool { return a.critical+a.warning > 0 }

// worthBuying reports whether something fails that costs enough to buy modules
// for: a failure at warning or above, an empty channel or a class below the best.
func (a *layoutScore) worthBuying(p *Pipeline) bool {
	return a.severe() || slices.ContainsFunc(a.fails, func(f Failure) bool { return p.Role(f.Rule).Purchase })
}
