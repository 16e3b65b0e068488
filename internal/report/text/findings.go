package text

import (
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

func foundText(f *report.Finding) string { return report.OrEmpty(f.Found) }

func expected(f *report.Finding) string { return report.OrEmpty(f.Expected) }

// headline is severity, rule and subjects.
func (p *printer) headline(g *causeGroup) {
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
func (p *printer) grouped(g *causeGroup, name string, get func(*report.Finding) string) {
	texts := g.byText(get)
	for i, t := range texts {
		value := t.text
		if len(t.subjects) < len(g.members) {
			value = gluedList(t.subjects) + ": " + value
		}
		if i > 0 {
			name = ""
		}
		p.field(2, name, value)
	}
}

// fix prints the remedy, or points to the advice that it is a sentence of. That of a setting has one way a line: the menu path,
// each command; other remedies are one text, whatever firmware put into it.
func (p *printer) fix(g *causeGroup) {
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
func (p *printer) evidence(g *causeGroup) {
	name, seen := "evidence", map[string]bool{}
	for _, f := range g.members {
		for i := range f.Evidence {
			line := wording.Reading(&f.Evidence[i])
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

// consequence prints in brief a failure that follows from another: mend that,
// and this goes with it.
func (p *printer) consequence(g *causeGroup) {
	f := g.first()
	hang := p.label(2, "leads to")
	p.lead(severityWord(f.Severity))
	p.to(p.col + 2)
	p.ruleAndSubject(hang, f.Rule, g.subjects())
	p.grouped(g, "", briefFinding)
	for _, led := range g.led {
		p.consequence(led)
	}
}

// briefFinding is what was found and what was expected, in one go.
func briefFinding(f *report.Finding) string {
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

// document names a source once; where it was named before, only the place in it.
func (p *printer) document(indent int, c *report.Citation) {
	if c == nil {
		return
	}
	key, line := c.Vendor+c.Title, c.Line()
	if p.said[key] && !p.verbose {
		line = "the same document"
		if place := report.OrEmpty(c.Place); place != "" {
			line += ", " + place
		}
	}
	p.said[key] = true
	p.brief(indent, "source", line, linesSource)
}

// subjects lists what a group's findings are about: each, or in brief.
func (p *printer) subjects(g *causeGroup) string {
	if p.verbose {
		return g.subjects()
	}
	names := make([]string, len(g.members))
	for i, f := range g.members {
		names[i] = f.Subject
	}
	return p.named(names)
}

// named brings numbered subjects of one kind together: "sockets 0-3".
func (p *printer) named(subjects []string) string {
	if p.verbose {
		return gluedList(subjects)
	}
	return gluedList(wording.Subjects(subjects))
}

// groupNames lists rules with their subjects, and what follows from them.
func (p *printer) groupNames(groups []*causeGroup) string {
	var names []string
	for _, led := range groups {
		name := led.first().Rule
		if s := p.subjects(led); s != "machine" {
			name += " (" + s + ")"
		}
		names = append(names, strings.ReplaceAll(name, " ", hardBlank))
		if below := p.ledNames(led); below != "" {
			names = append(names, below)
		}
	}
	return strings.Join(names, ", ")
}

// ledNames lists the failures that go when the cause is mended, with all that
// follows from them.
func (p *printer) ledNames(g *causeGroup) string { return p.groupNames(g.led) }

// How many lines each part of a cause may take on the first screen.
const (
	linesFound    = 2
	linesExpected = 2
	linesCosts    = 2
	linesFix      = 2
	linesSource   = 2
	linesLeads    = 3
)
