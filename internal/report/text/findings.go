package text

import (
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

func foundText(f *report.Finding) string { return report.OrEmpty(f.Found) }

func expected(f *report.Finding) string { return report.OrEmpty(f.Expected) }

// headline prints severity, rule and subjects.
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

// grouped prints one field of all findings in a group: once if they say the same, else each with
// its subjects.
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

// fix prints the remedy, or points to the advice that contains it. For a setting each way has a
// line: the menu path, and each command. Other remedies are one text, even if firmware put line
// breaks into it.
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

// source returns the document of a finding, with its address only in the verbose report.
func (p *printer) source(f *report.Finding) string {
	s := f.Citation.Line()
	if f.Citation != nil && f.Citation.URL != nil && p.verbose {
		s += ", " + *f.Citation.URL
	}
	return s
}

// evidence prints all readings and how certain they are.
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

// consequence prints in brief a failure that follows from another one and goes away with it.
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

// briefFinding returns what was found and what was expected in one text.
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

// document prints a source in full the first time and, in the brief report, later only the place in
// it.
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

// subjects lists what the findings in a group are about.
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

// named lists subjects; in the brief report numbered ones of one kind are joined: "sockets 0-3".
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

// ledNames lists the failures that go away with the cause.
func (p *printer) ledNames(g *causeGroup) string { return p.groupNames(g.led) }

// The number of lines that each part of a cause may have in the brief report.
const (
	linesFound    = 2
	linesExpected = 2
	linesCosts    = 2
	linesFix      = 2
	linesSource   = 2
	linesLeads    = 3
)
