package plan

import (
	"slices"

	"github.com/memaudit/memaudit/internal/verdict"
)

// AboutLayout reports whether a rule speaks of which module sits where: a failure
// of it is one that a planner can be asked to mend.
func (p *Pipeline) AboutLayout(id string) bool { return p.Role(id).Layout }

// ofModules reports whether a rule's result stays where modules move, and may be
// another with new ones.
func (p *Pipeline) ofModules(id string) bool { return p.Role(id).Modules }

// aboutOthers reports whether a rule's result stays whatever modules are moved.
func (p *Pipeline) aboutOthers(id string) bool {
	role := p.Role(id)
	return !role.Layout && !role.Running
}

// failures lists what fails among the rules that are asked for.
//
//go:noinline
func failures(findings []verdict.Finding, rules func(string) bool) []Finding {
	var out []Finding
	for i := range findings {
		if f := &findings[i]; f.Result == verdict.Fail && rules(f.Rule) {
			out = append(out, Finding{Rule: f.Rule, Subject: f.Subject, Severity: string(f.Severity)})
		}
	}
	return out
}

// goneFailures lists the failures that are no more.
func goneFailures(before, after []Finding) []Finding {
	return without(before, after, func(_, _ Finding) bool { return true })
}

// curedFailures lists the failures that are gone, and those at warning or above of which no
// more than a remark stays.
func curedFailures(before, after []Finding) []Finding {
	return without(before, after, func(f, g Finding) bool { return severe(g.Severity) || !severe(f.Severity) })
}

// without lists the failures but those that stay after: the same rule fails on the
// same subject, and stays says that it is no less a failure.
func without(before, after []Finding, stays func(f, g Finding) bool) []Finding {
	var out []Finding
	for _, f := range before {
		if !slices.ContainsFunc(after, func(g Finding) bool { return g.key() == f.key() && stays(f, g) }) {
			out = append(out, f)
		}
	}
	return out
}

// severe reports whether a failure is at warning or above.
func severe(severity string) bool {
	return verdict.Severity(severity).Rank() >= verdict.Warning.Rank()
}
