package metrics

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
)

// findings names what fails, and from what it follows: an alert on the roots is
// one alert for one cause. What to do stands beside the roots that somebody is
// alerted about.
func (b *families) findings(all []report.Finding) {
	causes := causesOf(all)
	b.family("finding_info", "rule subject severity root",
		"A rule that fails for a subject; always 1, there for failures alone. root is the rule whose failure this one follows from, or its own.")
	for _, f := range atMost(maxFindings, worstFirst(all, causes)) {
		b.add(1, f.Rule, f.Subject, f.Severity, rootOf(f, causes))
	}
	b.end()
	b.family("finding_fix_info", "rule subject fix", "What the report says to do about a failure at warning or critical that follows from no other, in one line; always 1.")
	var told []*report.Finding
	for _, f := range worstFirst(all, causes) {
		if report.SeverityRank(f.Severity) > report.SeverityRank(string(verdict.Info)) && rootOf(f, causes) == f.Rule && f.Remedy != nil {
			told = append(told, f)
		}
	}
	for _, f := range atMost(maxFixes, told) {
		b.add(1, f.Rule, f.Subject, oneLine(*f.Remedy))
	}
	b.end()
}

// Bounds of the failures that have series of their own, and of those that say
// what to do: a machine whose every module fails is one alert all the same.
const (
	maxFindings = 100
	maxFixes    = 20
)

// worstFirst are the failures, the most severe first and of those the causes
// first.
func worstFirst(all []report.Finding, causes map[string]string) []*report.Finding {
	var out []*report.Finding
	for i := range all {
		if all[i].Result == string(verdict.Fail) {
			out = append(out, &all[i])
		}
	}
	follows := func(f *report.Finding) int { return int(zeroOrOne(rootOf(f, causes) != f.Rule)) }
	slices.SortStableFunc(out, func(a, c *report.Finding) int {
		return cmp.Or(cmp.Compare(report.SeverityRank(c.Severity), report.SeverityRank(a.Severity)), cmp.Compare(follows(a), follows(c)))
	})
	return out
}

// atMost keeps the first failures. Where there are more, one of each rule goes
// before a second of any: alerts are by rule, and one that fails on all of a
// hundred modules must not take another's place.
func atMost(most int, all []*report.Finding) []*report.Finding {
	if len(all) <= most {
		return all
	}
	var first, more []*report.Finding
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

// oneLine is a remedy for an alert: its first line, since those that follow say
// the same to a tool. One that is too long ends with dots.
func oneLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxLabel {
		return text
	}
	const dots = " ..."
	cut := strings.LastIndexByte(text[:maxLabel-len(dots)+1], ' ')
	if cut < 0 {
		return text
	}
	return text[:cut] + dots
}

// causesOf holds for each failure, by "RULE SUBJECT" and by "RULE" of the first
// subject, the failure that it follows from.
func causesOf(all []report.Finding) map[string]string {
	causes := map[string]string{}
	for i := range all {
		f := &all[i]
		if f.Result != string(verdict.Fail) {
			continue
		}
		cause := report.OrEmpty(f.CausedBy)
		causes[f.Rule+" "+f.Subject] = cause
		if _, ok := causes[f.Rule]; !ok {
			causes[f.Rule] = cause
		}
	}
	return causes
}

// rootOf is the rule at the beginning of the chain of causes.
func rootOf(f *report.Finding, causes map[string]string) string {
	at := f.Rule + " " + f.Subject
	for range len(causes) { // a circle would be a fault of the rules
		next := causes[at]
		if next == "" {
			break
		}
		at = next
	}
	rule, _, _ := strings.Cut(at, " ")
	return rule
}

// waivers says when those that are at work end. What is accepted because its cause
// is has no end of its own: one waiver is one series, and one alert before it ends.
func (b *families) waivers(all []report.Finding) {
	b.family("waiver_until_timestamp_seconds", "rule subject", "When a waiver that is in force ends, in seconds since 1970: the failure counts again from then on.")
	ends := map[string]string{}
	for i := range all {
		if f := &all[i]; waivedUntil(f) != "" {
			ends[f.Rule], ends[f.Rule+" "+f.Subject] = waivedUntil(f), waivedUntil(f)
		}
	}
	for i := range all {
		f := &all[i]
		until := waivedUntil(f)
		if until == "" || ends[report.OrEmpty(f.CausedBy)] == until {
			continue
		}
		if last, err := time.Parse(time.DateOnly, until); err == nil {
			b.add(float64(last.AddDate(0, 0, 1).Unix()), f.Rule, f.Subject)
		}
	}
	b.end()
}

// waivedUntil is the last day of the waiver that is at work, "" for none.
func waivedUntil(f *report.Finding) string {
	if f.Result != string(verdict.Waived) || f.Waiver == nil {
		return ""
	}
	return report.OrEmpty(f.Waiver.Until)
}
