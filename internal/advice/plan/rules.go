package plan

import (
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
)

// AboutLayout reports whether a rule is about the placement of modules, so that a planner can fix its failure. A rule
// about nodes is if it is known which modules are a node's memory.
func (p *Pipeline) AboutLayout(id string) bool {
	role := p.Role(id)
	return role.Layout || role.Nodes && len(p.seats) > 0
}

// ofModules reports whether a rule's result stays the same if modules move, and may change with new ones.
func (p *Pipeline) ofModules(id string) bool { return p.Role(id).Modules }

// aboutOthers reports whether a rule's result stays the same whatever modules are moved: it is not about
// the layout, and not one that only the running machine decides.
func (p *Pipeline) aboutOthers(id string) bool {
	role := p.Role(id)
	return !role.Layout && !role.Running && !role.Told
}

// tells reports whether a what-if shows a rule's failures before and after: it is about the layout, or about what the
// machine runs at, which no plan cures.
func (p *Pipeline) tells(id string) bool { return p.AboutLayout(id) || p.told(id) }

func (p *Pipeline) told(id string) bool { return p.Role(id).Told }

// onlyRepeated keeps the failures of rules in told only if they failed before, too: what lowers the clock today
// stays, and nothing else is known of the clock after the next boot.
func (p *Pipeline) onlyRepeated(after, before []Failure) []Failure {
	return slices.DeleteFunc(after, func(f Failure) bool {
		return p.told(f.Rule) && !slices.ContainsFunc(before, func(b Failure) bool { return b.key() == f.key() })
	})
}

func failures(findings []verdict.Finding, rules func(string) bool) []Failure {
	var out []Failure
	for i := range findings {
		if f := &findings[i]; f.Result == verdict.Fail && rules(f.Rule) {
			out = append(out, Failure{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity})
		}
	}
	return out
}

func refs(list []Failure) []verdict.Ref {
	out := []verdict.Ref{}
	for _, f := range list {
		out = append(out, verdict.Ref{Rule: f.Rule, Subject: f.Subject})
	}
	return out
}

// goneFailures lists the earlier failures whose rule no longer fails on that subject, at any severity.
func goneFailures(before, after []Failure) []Failure {
	return without(before, after, func(_, _ Failure) bool { return true })
}

// curedFailures lists the failures that are gone, and those at warning or above of which no
// more than a remark stays.
func curedFailures(before, after []Failure) []Failure {
	return without(before, after, func(f, g Failure) bool { return severe(g.Severity) || !severe(f.Severity) })
}

// without lists the earlier failures, except those that stay: after has a failure of the same rule on the same
// subject, and stays accepts the two as equal.
func without(before, after []Failure, stays func(f, g Failure) bool) []Failure {
	var out []Failure
	for _, f := range before {
		if !slices.ContainsFunc(after, func(g Failure) bool { return g.key() == f.key() && stays(f, g) }) {
			out = append(out, f)
		}
	}
	return out
}

func severe(severity verdict.Severity) bool {
	return severity.Rank() >= verdict.Warning.Rank()
}
