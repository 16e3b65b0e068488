package text

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/report/wording"

	"github.com/memaudit/memaudit/internal/report"
)

// failures prints what failed, causes first, and below each what follows
// from it.
func (p *printer) failures(findings []report.Finding) {
	for _, g := range failureGroups(findings) {
		p.finding(g)
		p.newline()
	}
}

func (p *printer) finding(g *group) {
	p.headline(g)
	if p.verbose {
		p.grouped(g, "title", func(f *report.Finding) string { return report.OrEmpty(f.Title) })
	}
	p.grouped(g, "found", func(f *report.Finding) string { return report.OrEmpty(f.Found) })
	p.grouped(g, "expected", func(f *report.Finding) string { return report.OrEmpty(f.Expected) })
	p.grouped(g, "why", func(f *report.Finding) string { return report.OrEmpty(f.Why) })
	p.grouped(g, "costs", costs)
	p.fix(g)
	p.grouped(g, "source", p.source)
	p.evidence(g)
	if g.follows == nil {
		p.grouped(g, "follows", func(f *report.Finding) string { return report.OrEmpty(f.CausedBy) })
	}
	for _, led := range g.led {
		p.consequence(led)
	}
}

// headline is severity, rule and subjects.
func (p *printer) headline(g *group) {
	f := g.first()
	p.lead(severityWord(f.Severity))
	p.to(p.col + 2)
	p.ruleAndSubject(valueColumn, f.Rule, g.subjects())
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

// costs is what the deviation costs, and who measured it.
func costs(f *report.Finding) string {
	if f.Effect == nil {
		return ""
	}
	if f.Effect.Source == nil {
		return f.Effect.Text
	}
	return f.Effect.Text + " (" + *f.Effect.Source + ")"
}

// source names the document; its address only when everything is asked for.
func (p *printer) source(f *report.Finding) string {
	s := f.Citation.Line()
	if f.Citation != nil && f.Citation.URL != nil && p.verbose {
		s += ", " + *f.Citation.URL
	}
	return s
}

// evidence prints every reading, or in short which sources were read and how
// sure they are.
func (p *printer) evidence(g *group) {
	if !p.verbose {
		p.grouped(g, "evidence", evidenceShort)
		return
	}
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

func evidenceShort(f *report.Finding) string {
	t := wording.Tally{}
	for i := range f.Evidence {
		t.Add(f.Evidence[i].Source, 1)
	}
	if len(t) == 0 {
		return ""
	}
	names := make([]string, len(t))
	for i, e := range t {
		names[i] = e.Name
		if e.N > 1 {
			names[i] += " (" + strconv.FormatInt(e.N, 10) + " readings)"
		}
	}
	return strings.Join(names, ", ") + "; " + f.Certainty
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
