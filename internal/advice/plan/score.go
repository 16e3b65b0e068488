package plan

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// score is an audit's result for a layout, and the cost of the steps to it.
type score struct {
	fails []Failure
	// severities counts the failures by severity: critical, warning, and remarks.
	severities [3]int
	// decided lists the rules and subjects whose result may not become unknown: all known ones but remarks, such as a
	// broken order of slots where no document has a number of modules. unknown are those that could not be checked.
	decided map[string]bool
	unknown map[string]string // with the reason
	units   []bandwidth
	// moves is the number of modules handled, bytes the capacity bought.
	moves int
	bytes int64
}

// bandwidth is a processor's share of its best bandwidth in percent: that of its slowest region, and the highest possible.
// Measured shares are not used, because a few percent are not worth twice the modules. If the share is not known, it is
// that of the populated channels.
type bandwidth struct {
	low, high float64
	// clock is the part of the share that the clock leaves.
	clock float64
	// lopsided is by how many modules the two halves of the channels differ, where each is a node in NPS2 (A to D and E to
	// H of EPYC 7002 and 7003): of four equal modules vendors fill C, D, G and H.
	lopsided int
}

// bandwidths are those of each processor. A clock that is not known is taken to be today's.
func bandwidths(topo *population.Result, today []bandwidth) []bandwidth {
	out := make([]bandwidth, len(topo.Populations))
	for i := range topo.Populations {
		p, u := &topo.Populations[i], &out[i]
		if dpc := p.DPC.Or(nil); topo.Platform.Value.Policy == platform.PolicyAMD {
			first, second := modulesIn(dpc[:len(dpc)/2]), modulesIn(dpc[len(dpc)/2:])
			u.lopsided = max(first-second, second-first)
		}
		if total := p.ChannelsTotal.Or(0); total > 0 {
			u.low = float64(p.ChannelsPopulated.Or(0)) / float64(total)
		}
		u.high, u.clock = u.low, 1
		scale := 1.0
		if share, known := p.Relative.Get(); known {
			u.low, u.high = min(share.Low, share.Model), share.High
			if share.Channels > 0 {
				u.clock = share.Model / share.Channels
			}
			if !p.Peak.Known() && i < len(today) && today[i].clock < u.clock {
				scale, u.clock = today[i].clock/u.clock, today[i].clock
			}
		}
		u.low, u.high = math.Round(1e6*scale*u.low)/1e4, math.Round(1e6*scale*u.high)/1e4
	}
	return out
}

// bandwidth is the worst low end of the processors, the sum of the low ends, and that of the high ones.
func (x *score) bandwidth() []float64 { return totalBandwidth(x.units) }

func totalBandwidth(units []bandwidth) []float64 {
	out := []float64{math.Inf(1), 0, 0}
	for _, u := range units {
		out[0], out[1], out[2] = min(out[0], u.low), out[1]+u.low, out[2]+u.high
	}
	return out
}

// compare orders scores, the better first: fewer severe failures, then more bandwidth, then fewer remarks, fewer
// bytes bought, fewer modules handled, halves that hold the same.
func (x *score) compare(y *score) int {
	cost := func(x *score) []int {
		n := 0
		for _, u := range x.units {
			n += u.lopsided
		}
		return []int{x.severities[2], int(x.bytes), x.moves, n}
	}
	return cmp.Or(x.compareSeverity(y), slices.Compare(y.bandwidth(), x.bandwidth()), slices.Compare(cost(x), cost(y)))
}

func (x *score) compareSeverity(y *score) int {
	return slices.Compare(x.severities[:2], y.severities[:2])
}

func (x *score) hasSevereFailure() bool { return x.severities[0]+x.severities[1] > 0 }

// losesBandwidth reports whether a processor has less bandwidth for sure than before, or all have less at most and nothing more
// for sure: rules about unequal channels no longer fail if one channel has all modules, so their silence is not enough.
// Only a critical failure that is cured, such as a processor without memory, is worth that.
func (x *score) losesBandwidth(before *score) bool {
	if x.severities[0] < before.severities[0] {
		return false
	}
	for i := range x.units {
		if x.units[i].low < before.units[i].low {
			return true
		}
	}
	is, was := x.bandwidth(), before.bandwidth()
	return is[1] <= was[1] && is[2] < was[2]
}

// muchMore is how many times as much bandwidth steps for bandwidth alone give at least: of the worst low end, or of all.
const muchMore = 1.1

func (x *score) gainsBandwidth(before *score) bool {
	is, was := x.bandwidth(), before.bandwidth()
	return is[0] > was[0] && is[0] >= muchMore*was[0] || is[1] > was[1] && is[1] >= muchMore*was[1]
}

// certainCures are the failures that are cured; what cannot be checked any more is not.
func (x *score) certainCures(before *score) []Failure {
	return slices.DeleteFunc(curedFailures(before.fails, x.fails), func(f Failure) bool { return x.unknown[f.ruleAndSubject()] != "" })
}

func (x *score) undecidedReason(before *score) string {
	for _, key := range slices.Sorted(maps.Keys(x.unknown)) {
		if before.decided[key] {
			return x.unknown[key]
		}
	}
	return ""
}

// Worth it are a failure at warning or above, an empty channel and a class below the best.
func (x *score) worthBuying(p *Pipeline) bool {
	return x.hasSevereFailure() || slices.ContainsFunc(x.fails, func(f Failure) bool { return p.Role(f.Rule).Purchase })
}

func (s *search) scoreFindings(findings []verdict.Finding, topo *population.Result) score {
	out := score{fails: collectFailures(findings, s.pipeline.AboutLayout), decided: map[string]bool{}, unknown: map[string]string{},
		units: bandwidths(topo, s.before.units)}
	for _, f := range out.fails {
		switch f.Severity {
		case verdict.Critical:
			out.severities[0]++
		case verdict.Warning:
			out.severities[1]++
		default:
			out.severities[2]++
		}
	}
	for i := range findings {
		f := &findings[i]
		switch key := (Failure{Rule: f.Rule, Subject: f.Subject}).ruleAndSubject(); {
		case !s.pipeline.AboutLayout(f.Rule):
		case f.Result == verdict.Unknown, f.Result == verdict.Error:
			out.unknown[key] = f.Rule + " is unknown: " + string(f.Reason)
		case f.Result != verdict.NotApplicable && (f.Result != verdict.Fail || isWarningOrWorse(f.Severity)):
			out.decided[key] = true
		}
	}
	return out
}

// AboutLayout reports whether a rule is about the placement of modules, so that a planner can fix its failure. A rule
// about nodes is if it is known which modules are a node's memory.
func (p *Pipeline) AboutLayout(id string) bool {
	role := p.Role(id)
	return role.Layout || role.Nodes && len(p.seats) > 0
}

// isAboutModules reports whether a rule's result stays the same if modules move, and may change with new ones.
func (p *Pipeline) isAboutModules(id string) bool { return p.Role(id).Modules }

// The layout does not matter to such a rule, nor does only the running machine decide it.
func (p *Pipeline) aboutOthers(id string) bool {
	role := p.Role(id)
	return !role.Layout && !role.Running && !role.Told
}

// A what-if also shows failures about what the machine runs at, which no plan cures.
func (p *Pipeline) isShownInWhatIf(id string) bool { return p.AboutLayout(id) || p.isReportedOnly(id) }

func (p *Pipeline) isReportedOnly(id string) bool { return p.Role(id).Told }

// Rules in told are about the clock: what lowers it today stays, and nothing else is known of it after the next boot.
func (p *Pipeline) onlyRepeated(after, before []Failure) []Failure {
	return slices.DeleteFunc(after, func(f Failure) bool {
		return p.isReportedOnly(f.Rule) && !slices.ContainsFunc(before, func(b Failure) bool { return b.ruleAndSubject() == f.ruleAndSubject() })
	})
}

func collectFailures(findings []verdict.Finding, rules func(string) bool) []Failure {
	var out []Failure
	for i := range findings {
		if f := &findings[i]; f.Result == verdict.Fail && rules(f.Rule) {
			out = append(out, Failure{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity})
		}
	}
	return out
}

func failureReferences(list []Failure) []verdict.Ref {
	out := []verdict.Ref{}
	for _, f := range list {
		out = append(out, verdict.Ref{Rule: f.Rule, Subject: f.Subject})
	}
	return out
}

// goneFailures lists the earlier failures whose rule no longer fails on that subject, at any severity.
func goneFailures(before, after []Failure) []Failure {
	return subtractFailures(before, after, func(_, _ Failure) bool { return true })
}

// A failure at warning or above is cured even if a remark of it stays.
func curedFailures(before, after []Failure) []Failure {
	return subtractFailures(before, after, func(f, g Failure) bool { return isWarningOrWorse(g.Severity) || !isWarningOrWorse(f.Severity) })
}

// A failure stays if after has one of the same rule on the same subject, and stays accepts the two as equal.
func subtractFailures(before, after []Failure, stays func(f, g Failure) bool) []Failure {
	var out []Failure
	for _, f := range before {
		if !slices.ContainsFunc(after, func(g Failure) bool { return g.ruleAndSubject() == f.ruleAndSubject() && stays(f, g) }) {
			out = append(out, f)
		}
	}
	return out
}

func isWarningOrWorse(severity verdict.Severity) bool {
	return severity.Rank() >= verdict.Warning.Rank()
}
