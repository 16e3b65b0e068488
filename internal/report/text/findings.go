package text

import (
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// parted tells what is warned of from what is only remarked, by the worst of a cause and
// all that follows from it.
func parted(groups []*group) (causes, remarks []*group) {
	for _, g := range groups {
		if g.rank() > 1 && !g.setting() {
			causes = append(causes, g)
		} else {
			remarks = append(remarks, g)
		}
	}
	return causes, remarks
}

// failures prints what failed by its cause, and below each what follows
// from it.
func (p *printer) failures(causes []*group) {
	for _, g := range causes {
		if p.verbose {
			p.finding(g)
		} else {
			p.cause(g)
		}
		p.newline()
	}
}

// finding prints a cause with all that is known of it.
func (p *printer) finding(g *group) {
	p.headline(g)
	if p.verbose {
		p.grouped(g, "title", func(f *report.Finding) string { return report.OrEmpty(f.Title) })
	}
	p.grouped(g, "found", found)
	p.grouped(g, "expected", expected)
	p.grouped(g, "why", func(f *report.Finding) string { return report.OrEmpty(f.Why) })
	p.grouped(g, "costs", func(f *report.Finding) string { return wording.Costs(f.Effect) })
	p.fix(g)
	p.grouped(g, "source", p.source)
	if p.verbose {
		p.evidence(g)
	}
	if g.follows == nil {
		p.grouped(g, "follows", func(f *report.Finding) string { return report.OrEmpty(f.CausedBy) })
	}
	for _, led := range g.led {
		p.consequence(led)
	}
}

func found(f *report.Finding) string { return report.OrEmpty(f.Found) }

func expected(f *report.Finding) string { return report.OrEmpty(f.Expected) }

// headline is severity, rule and subjects.
func (p *printer) headline(g *group) {
	f := g.first()
	p.lead(severityWord(f.Severity))
	p.to(p.col + 2)
	p.ruleAndSubject(valueColumn, f.Rule, p.subjects(g))
}

// ruleAndSubject ends a line with a rule and what it is about.
func (p *printer) ruleAndSubject(hang int, rule, subject string) {
	p.wrap(hang, rule)
	p.to(p.col + 3)
	p.wrap(hang, subject)
	p.newline()
}

// grouped prints one field of all findings of a group: once when they say the
// same, else with the subjects in front.
func (p *printer) grouped(g *group, name string, get func(*report.Finding) string) {
	texts := g.byText(get)
	for i, t := range texts {
		value := t.text
		if len(t.subjects) < len(g.members) {
			value = glued(t.subjects) + ": " + value
		}
		if i > 0 {
			name = ""
		}
		p.field(2, name, value)
	}
}

// fix prints the remedy, or points to the advice that it is a sentence of. That of a setting has one way a line: the menu path,
// each command; other remedies are one text, whatever firmware put into it.
func (p *printer) fix(g *group) {
	if len(g.first().Advice) > 0 {
		p.grouped(g, "fix", adviceNames)
		return
	}
	if !strings.HasPrefix(g.first().Rule, "setting.") {
		p.grouped(g, "fix", func(f *report.Finding) string { return report.OrEmpty(f.Remedy) })
		return
	}
	name := "fix"
	for line := range strings.SplitSeq(report.OrEmpty(g.first().Remedy), "\n") {
		p.field(2, name, line)
		name = ""
	}
}

// source names the document; its address only when everything is asked for.
func (p *printer) source(f *report.Finding) string {
	s := f.Citation.Line()
	if f.Citation != nil && f.Citation.URL != nil && p.verbose {
		s += ", " + *f.Citation.URL
	}
	return s
}

// evidence prints every reading, and how sure they are.
func (p *printer) evidence(g *group) {
	name, seen := "evidence", map[string]bool{}
	for _, f := range g.members {
		for i := range f.Evidence {
			line := evidenceLine(&f.Evidence[i])
			if seen[line] {
				continue
			}
			seen[line] = true
			p.field(2, name, line)
			name = ""
		}
	}
	p.grouped(g, "certainty", func(f *report.Finding) string { return f.Certainty })
}

func evidenceLine(e *report.Evidence) string {
	s := e.Source
	if e.Path != nil {
		s += " " + *e.Path
	}
	if e.Raw != nil {
		s += ": " + *e.Raw
	}
	return s
}

// consequence prints in brief a failure that follows from another: mend that,
// and this goes with it.
func (p *printer) consequence(g *group) {
	f := g.first()
	hang := p.label(2, "leads to")
	p.lead(severityWord(f.Severity))
	p.to(p.col + 2)
	p.ruleAndSubject(hang, f.Rule, g.subjects())
	p.grouped(g, "", brief)
	for _, led := range g.led {
		p.consequence(led)
	}
}

// brief is what was found and what was expected, in one go.
func brief(f *report.Finding) string {
	found, expected := report.OrEmpty(f.Found), report.OrEmpty(f.Expected)
	switch {
	case expected == "":
		return found
	case found == "":
		return "expected " + expected
	default:
		return found + "; expected " + expected
	}
}
