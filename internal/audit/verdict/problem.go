package verdict

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// SettingRules begins the ids of the checks of settings against a profile.
const SettingRules = "setting."

// Problem is one root cause, for all CPUs and slots that have it: the failures of one rule with one severity and kind of
// subject that follow from no other failure, and those that follow from them.
type Problem struct {
	Members, Led []*Finding
	// Severity is the highest of all.
	Severity Severity
}

// Problems groups the failures by root cause, the worst first.
func Problems(findings []Finding) []Problem {
	var all []*Problem
	roots, of := RootCauses(findings), map[int]*Problem{}
	for i := range findings {
		f := &findings[i]
		if f.Result != Fail || roots[i] != i {
			continue
		}
		at := slices.IndexFunc(all, func(p *Problem) bool { return p.matchesMembers(f) })
		if at < 0 {
			at = len(all)
			all = append(all, &Problem{Severity: Info})
		}
		of[i] = all[at]
		all[at].Members = append(all[at].Members, f)
	}
	for i, root := range roots {
		if p := of[root]; root != i {
			p.Led = append(p.Led, &findings[i])
		}
	}
	out := make([]Problem, len(all))
	for i, p := range all {
		for _, f := range slices.Concat(p.Members, p.Led) {
			if f.Severity.Rank() > p.Severity.Rank() {
				p.Severity = f.Severity
			}
		}
		out[i] = *p
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return b.Severity.Rank() - a.Severity.Rank() })
	return out
}

// What one CPU's facts prove and another's only suggest has the same text. Settings are one problem for each severity.
func (p *Problem) matchesMembers(f *Finding) bool {
	first := p.Members[0]
	if strings.HasPrefix(first.Rule, SettingRules) {
		return strings.HasPrefix(f.Rule, SettingRules) && first.Severity == f.Severity
	}
	return first.Rule == f.Rule && first.Subject.Kind == f.Subject.Kind && (first.Severity == f.Severity || first.Summary() == f.Summary())
}

var inBrackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \([^()]*\)`) })

// Summary describes a failure in a few words: the rule's short sentence; without one what was found, up to the first
// semicolon and the list after a colon, without brackets.
func (f *Finding) Summary() string {
	if f.Short != "" {
		return f.Short
	}
	found := string(f.Found)
	for inBrackets().MatchString(found) { // the inner ones first
		found = inBrackets().ReplaceAllString(found, "")
	}
	found, _, _ = strings.Cut(found, "; ")
	if head, _, ok := strings.Cut(found, ": "); ok && strings.Count(head, " ") > 1 {
		return head
	}
	return cmp.Or(found, "fails "+f.Rule)
}
