package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/topology/place"
)

var (
	findingInfo = declareMetric("finding_info", "rule subject severity root",
		"A rule that fails for a subject; always 1, absent for rules that pass. root is the rule whose failure this one follows from, or the rule itself.")
	problemInfo = declareMetric("problem_info", "rule severity where sentence fix",
		"A numbered problem of the report, one root cause with equal sockets together, with its place, what is wrong and how to fix it; always 1.")
	waiverUntil = declareMetric("waiver_until_timestamp_seconds", "rule subject", "When a waiver that is in force ends, in seconds since 1970: the failure counts again from then on.")
	corrected   = declareMetric("dimm_corrected_errors_total", "handle locator",
		"Memory errors corrected on a module since the kernel's EDAC driver was loaded. Without a handle: the driver's own label, where nothing says which slot that is.")
	logEntries = declareMetric("dimm_event_log_entries", "handle locator says",
		"Entries of the BMC's event log about a module that stand: since the last reset or of unknown time, not resolved and not followed by a repair. Without a handle: the place that the log names.")
	uncorrected = declareMetric("dimm_uncorrected_errors_total", "handle locator",
		"Memory errors that could not be corrected on a module since the kernel's EDAC driver was loaded. Without a handle: the driver's own label, where nothing says which slot that is.")
)

func (c *collector) addFindings(r *report.Report) {
	roots := map[*verdict.Finding]*verdict.Finding{}
	for i, root := range verdict.RootCauses(r.Findings) {
		roots[&r.Findings[i]] = &r.Findings[root]
	}
	for _, f := range limitFailures(maxFindings, worstFirst(r.Findings, roots)) {
		c.add(findingInfo, 1, f.Rule, f.Subject.String(), string(f.Severity), roots[f].Rule)
	}
}

// addProblems adds the numbered problems of the report: one alert for each is one alert per cause.
func (c *collector) addProblems(all []report.Problem) {
	left := maxProblems
	for i := range all {
		if p := &all[i]; p.IsAboveNote() && left > 0 {
			left--
			c.add(problemInfo, 1, p.Rule, string(p.Severity), oneLine(p.LabelWhere), oneLine(p.Label), oneLine(p.Fix))
		}
	}
}

// Limits of the failures and problems with their own series.
const (
	maxFindings = 100
	maxProblems = 20
)

func worstFirst(all []verdict.Finding, roots map[*verdict.Finding]*verdict.Finding) []*verdict.Finding {
	var out []*verdict.Finding
	for i := range all {
		if f := &all[i]; f.Result == verdict.Fail {
			out = append(out, f)
		}
	}
	follows := func(f *verdict.Finding) int { return int(zeroOrOne(roots[f] != f)) }
	slices.SortStableFunc(out, func(a, c *verdict.Finding) int {
		return cmp.Or(cmp.Compare(report.SeverityRank(c.Severity), report.SeverityRank(a.Severity)), cmp.Compare(follows(a), follows(c)))
	})
	return out
}

// limitFailures keeps the first failures. If there are more, one of each rule precedes a second of any: alerts are by
// rule, and a rule that fails on all of a hundred modules must not displace another.
func limitFailures(most int, all []*verdict.Finding) []*verdict.Finding {
	if len(all) <= most {
		return all
	}
	var first, more []*verdict.Finding
	seen := map[string]bool{}
	for _, f := range all {
		if seen[f.Rule] {
			more = append(more, f)
			continue
		}
		seen[f.Rule] = true
		first = append(first, f)
	}
	return append(first, more...)[:most]
}

// oneLine cuts a text to the length of a label, at the end of a step if it has several.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxLabel {
		return text
	}
	const dots = " ..."
	room := text[:maxLabel-len(dots)+1]
	cut := strings.LastIndexByte(room, ' ')
	if cut < 0 {
		return text
	}
	if step := max(strings.LastIndex(room, "; "), strings.LastIndex(room, ". ")); step > 0 { // a step is printed completely or not at all
		cut = step + 1
	}
	return text[:cut] + dots
}

// addWaivers adds the last days of active waivers. A finding waived with its cause has none of its own: one waiver
// is one series, and one alert before it expires.
func (c *collector) addWaivers(all []verdict.Finding) {
	ends := map[string]string{}
	for i := range all {
		if f := &all[i]; waivedUntil(f) != "" {
			ends[f.Rule] = waivedUntil(f)
		}
	}
	for i := range all {
		f := &all[i]
		until := waivedUntil(f)
		if until == "" || ends[string(f.CausedBy)] == until {
			continue
		}
		if last, err := time.Parse(time.DateOnly, until); err == nil {
			c.add(waiverUntil, float64(last.AddDate(0, 0, 1).Unix()), f.Rule, f.Subject.String())
		}
	}
}

func waivedUntil(f *verdict.Finding) string {
	if f.Result != verdict.Waived || f.Waiver == nil {
		return ""
	}
	return string(f.Waiver.Until)
}

// addErrors adds the memory errors of each module, except those of a log: old messages are dropped from
// it, and a falling counter would look like a restart. A counter without a known slot has the driver's label
// and no handle, so that it is not lost.
func (c *collector) addErrors(inv *report.Inventory) {
	add := func(e *inventory.Errors, labels ...string) {
		if e == nil {
			return
		}
		entries := map[eventlog.Says]float64{}
		for _, l := range e.Standing() {
			entries[l.Says]++
		}
		for says, n := range entries {
			c.add(logEntries, n, append(labels, string(says))...)
		}
		if e.Source != inventory.SourceKernelLog && e.By != place.ByEvents {
			addKnown(c, corrected, e.Corrected.Pointer(), 1, labels...)
			addKnown(c, uncorrected, e.Uncorrected.Pointer(), 1, labels...)
		}
	}
	eachModule(inv.Slots, func(s *inventory.Slot) { add(s.Errors, s.Handle.String(), s.Locator.Text()) })
	for i := range inv.UnplacedErrors {
		add(&inv.UnplacedErrors[i].Errors, "", inv.UnplacedErrors[i].Label)
	}
}

type verdicts struct {
	rule string
	// ranks has for each result the highest severity rank of its findings.
	ranks map[verdict.Result]int
}

func verdictsByRule(findings []verdict.Finding) []verdicts {
	out := make([]verdicts, 0, len(findings))
	at := make(map[string]int, len(findings))
	for _, f := range findings {
		n, ok := at[f.Rule]
		if !ok {
			n = len(out)
			at[f.Rule] = n
			out = append(out, verdicts{f.Rule, map[verdict.Result]int{}})
		}
		out[n].ranks[f.Result] = max(out[n].ranks[f.Result], report.SeverityRank(f.Severity))
	}
	return out
}

func (v *verdicts) worstResult() verdict.Result {
	for _, r := range [...]verdict.Result{verdict.Fail, verdict.Error, verdict.Unknown, verdict.Waived, verdict.Pass} {
		if v.ranks[r] > 0 {
			return r
		}
	}
	return verdict.NotApplicable
}

func (v *verdicts) worstSeverity(results ...verdict.Result) string {
	worst := 0
	for _, r := range results {
		worst = max(worst, v.ranks[r])
	}
	if worst == 0 {
		worst = slices.Max(slices.Collect(maps.Values(v.ranks)))
	}
	return string(report.SeverityName(worst))
}

var (
	ruleFailed  = declareMetric("rule_failed", "rule severity", "1 when the rule failed for any subject, with the worst severity among the failures; there for every applicable rule.")
	ruleUnknown = declareMetric("rule_unknown", "rule severity", "1 when the rule could not be checked for any subject, which is never a pass; there for every applicable rule.")
	ruleCount   = declareMetric("rules", "result", "Number of rules by result, each counted once by the worst of its subjects.")
)

// addRules adds for every applicable rule whether it failed and whether it is unknown, which includes errors.
func (c *collector) addRules(findings []verdict.Finding) {
	count := map[verdict.Result]int{}
	for _, v := range verdictsByRule(findings) {
		count[v.worstResult()]++
		if v.worstResult() != verdict.NotApplicable {
			c.add(ruleFailed, zeroOrOne(v.ranks[verdict.Fail] > 0), v.rule, v.worstSeverity(verdict.Fail))
			c.add(ruleUnknown, zeroOrOne(v.ranks[verdict.Unknown]+v.ranks[verdict.Error] > 0), v.rule, v.worstSeverity(verdict.Unknown, verdict.Error))
		}
	}
	for _, r := range [...]verdict.Result{verdict.Pass, verdict.Fail, verdict.Unknown, verdict.NotApplicable, verdict.Waived, verdict.Error} {
		c.add(ruleCount, float64(count[r]), string(r))
	}
}
