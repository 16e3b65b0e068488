package text

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
)

// causeGroup holds the failures of one rule with one severity and one cause. They are printed
// together, so that the same defect on eight processors is one paragraph.
type causeGroup struct {
	members []*report.Finding
	// follows is the group that caused this one, led the ones it caused.
	follows *causeGroup
	led     []*causeGroup
}

func (g *causeGroup) first() *report.Finding { return g.members[0] }

// subjects lists what the group's findings are about.
func (g *causeGroup) subjects() string {
	names := make([]string, len(g.members))
	for i, f := range g.members {
		names[i] = f.Subject
	}
	return gluedList(names)
}

// rank is the highest severity in the group and all it caused.
func (g *causeGroup) rank() int {
	r := report.SeverityRank(g.first().Severity)
	for _, l := range g.led {
		r = max(r, l.rank())
	}
	return r
}

// failureGroups groups the failures and attaches each group to its cause. It returns the groups
// without a cause, the worst first, otherwise in the order of the audit.
func failureGroups(findings []report.Finding) []*causeGroup {
	groups := gather(findings)
	for _, g := range groups {
		g.follows = causeOf(g, groups)
		if causesItself(g) {
			g.follows = nil
		}
	}
	var roots []*causeGroup
	for _, g := range groups {
		if g.follows == nil {
			roots = append(roots, g)
			continue
		}
		g.follows.led = append(g.follows.led, g)
	}
	slices.SortStableFunc(roots, func(a, b *causeGroup) int { return b.rank() - a.rank() })
	return roots
}

func gather(findings []report.Finding) []*causeGroup {
	type key struct{ rule, severity, cause string }
	var groups []*causeGroup
	at := map[key]*causeGroup{}
	for i := range findings {
		f := &findings[i]
		if f.Result != string(verdict.Fail) {
			continue
		}
		k := key{f.Rule, f.Severity, report.OrEmpty(f.CausedBy)}
		g := at[k]
		if g == nil {
			g = &causeGroup{}
			at[k] = g
			groups = append(groups, g)
		}
		g.members = append(g.members, f)
	}
	return groups
}

// causeOf returns the group that caused_by ("RULE" or "RULE SUBJECT") names; nil if that finding is
// not a failure.
func causeOf(g *causeGroup, groups []*causeGroup) *causeGroup {
	rule, subject, _ := strings.Cut(report.OrEmpty(g.first().CausedBy), " ")
	if rule == "" {
		return nil
	}
	for _, other := range groups {
		if other == g || other.first().Rule != rule {
			continue
		}
		if subject == "" || other.about(subject) {
			return other
		}
	}
	return nil
}

func (g *causeGroup) about(subject string) bool {
	return slices.ContainsFunc(g.members, func(f *report.Finding) bool { return f.Subject == subject })
}

// causesItself tells whether a group is its own cause, directly or through others.
func causesItself(g *causeGroup) bool {
	for up := g.follows; up != nil; up = up.follows {
		if up == g {
			return true
		}
	}
	return false
}

// shared is one text and the subjects it holds for.
type shared struct {
	text     string
	subjects []string
}

// byText groups a field of the findings by its text.
func (g *causeGroup) byText(get func(*report.Finding) string) []shared {
	var out []shared
	for _, f := range g.members {
		text := get(f)
		if text == "" {
			continue
		}
		i := slices.IndexFunc(out, func(s shared) bool { return s.text == text })
		if i < 0 {
			i = len(out)
			out = append(out, shared{text: text})
		}
		out[i].subjects = append(out[i].subjects, f.Subject)
	}
	return out
}

// setting tells whether the group is about one setting and nothing follows from it.
func (g *causeGroup) setting() bool {
	return strings.HasPrefix(g.first().Rule, settingPrefix) && len(g.led) == 0
}

// settingPrefix begins the ids of the rules that check a setting against a profile.
const settingPrefix = "setting."
