package plan

import (
	"cmp"
	"slices"

	"github.com/memaudit/memaudit/internal/population"
	"github.com/memaudit/memaudit/internal/verdict"
)

// layoutScore is what an audit says of a layout.
type layoutScore struct {
	critical, warning, info int
	// decided and unknown are the rules and subjects that passed or failed, and
	// those that could not be told.
	decided map[string]bool
	unknown map[string]string // with the reason
	// reach is the bandwidth of all processors that is sure, in bytes per second.
	reach float64
	// peak is that of all populated channels together, in bytes per second; 0 where one
	// processor's is not known.
	peak  int64
	fails []Finding
	// moves and bytes (bought) are what it takes.
	moves int
	bytes int64
}

// sureBandwidth is the bandwidth that the slowest region has by the population model, in
// bytes per second; the populated channels' peak where the regions are not known.
// Where the clock is not known either, as with modules that have not run yet, channels
// are counted: enough to order the layouts of one machine. What was measured is left
// out: a few percent are not worth twice the modules.
func sureBandwidth(p *population.Population) float64 {
	s, known := p.Relative.Get()
	best, ok := p.Best.Get()
	peak, clocked := p.Peak.Get()
	switch {
	case known && ok:
		return float64(best) * s.Model
	case clocked:
		return float64(peak)
	case known:
		return float64(p.ChannelsTotal.Or(0)) * s.Model
	default:
		return float64(p.ChannelsPopulated.Or(0))
	}
}

// compare orders results: fewer and milder failures first, then more bandwidth,
// then what costs less.
func (a *layoutScore) compare(o *layoutScore) int {
	return cmp.Or(a.failing(o), cmp.Compare(o.reach, a.reach), cmp.Compare(a.bytes, o.bytes), cmp.Compare(a.moves, o.moves))
}

// failing orders by what fails alone.
func (a *layoutScore) failing(o *layoutScore) int {
	return cmp.Or(cmp.Compare(a.critical, o.critical), cmp.Compare(a.warning, o.warning), cmp.Compare(a.info, o.info))
}

// slower reports whether channels are given up for nothing: the slowest regions gain no
// bandwidth, and all together lose some. What fails for unlike channels fails no more
// where one channel holds everything.
func (a *layoutScore) slower(than *layoutScore) bool {
	return a.peak > 0 && a.peak < than.peak && a.reach <= than.reach
}

// milder reports whether less fails at warning or above.
func (a *layoutScore) milder(than *layoutScore) bool {
	return cmp.Or(cmp.Compare(a.critical, than.critical), cmp.Compare(a.warning, than.warning)) < 0
}

// severe reports whether something fails at warning or above.
func (a *layoutScore) severe() bool { return a.critical+a.warning > 0 }

// against are the rules that speak against a layout: those that fail at warning or
// above, and those that did not fail before.
func (a *layoutScore) against(before *layoutScore) []string {
	var out []string
	for _, f := range a.fails {
		failed := slices.ContainsFunc(before.fails, func(b Finding) bool { return b.key() == f.key() })
		if (!failed || verdict.Severity(f.Severity).Rank() >= verdict.Warning.Rank()) && !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	return out
}

// worthBuying reports whether something fails that costs enough to buy modules
// for: a failure at warning or above, an empty channel or a class below the best.
func (a *layoutScore) worthBuying(p *Pipeline) bool {
	return a.severe() || slices.ContainsFunc(a.fails, func(f Finding) bool { return p.Role(f.Rule).Purchase })
}
