package text

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// How many lines each part of a cause may take on the first screen.
const (
	linesFound    = 2
	linesExpected = 2
	linesCosts    = 2
	linesFix      = 2
	linesSource   = 2
	linesLeads    = 3
)

// cause prints a cause in brief: what was found, what the document asks for, what
// it costs, what to do and where it stands.
func (p *printer) cause(g *group) {
	p.headline(g)
	p.alike(g, "found", linesFound, found)
	p.alike(g, "expected", linesExpected, expected)
	// What a cost rests on stands at its end: it is not cut off, but where no room is left.
	p.alike(g, "costs", linesCosts+p.tight%tightest, briefCosts)
	if e := g.first().Effect; e != nil {
		p.said[e.Text] = true
	}
	p.briefFix(g, linesFix)
	p.document(2, g.first().Citation)
	p.atMost(linesLeads, func() { p.field(2, "leads to", p.ledNames(g)) })
}

// briefFix prints what to do, once for findings that name other slots only.
func (p *printer) briefFix(g *group, lines int) {
	if len(g.first().Advice) == 0 && !strings.HasPrefix(g.first().Rule, settingPrefix) {
		// What to do is the last to be shortened.
		p.alike(g, "fix", lines+min(p.tight, tightest-2), func(f *report.Finding) string { return report.OrEmpty(f.Remedy) })
		return
	}
	p.atMost(max(1, lines-p.tight), func() { p.fix(g) })
}

// briefCosts is what the deviation costs; its source only where it is another
// document than the finding's.
func briefCosts(f *report.Finding) string {
	if f.Effect != nil && f.Citation != nil && strings.Contains(report.OrEmpty(f.Effect.Source), f.Citation.Title) {
		return f.Effect.Text
	}
	return wording.Costs(f.Effect)
}

// alike prints one field of a group's findings. Findings that differ in the names
// of their slots alone are one text without them: the picture shows the slots.
func (p *printer) alike(g *group, name string, lines int, get func(*report.Finding) string) {
	texts := g.byText(get)
	if len(texts) > 1 {
		if bare := g.byText(func(f *report.Finding) string { return wording.WithoutBrackets(get(f)) }); len(bare) < len(texts) {
			texts = bare
		}
	}
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = t.text
		if len(t.subjects) < len(g.members) {
			parts[i] = p.named(t.subjects) + ": " + t.text
		}
	}
	p.brief(2, name, strings.Join(parts, "; "), lines)
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

// ledNames lists the failures that go when the cause is mended, with all that
// follows from them.
func (p *printer) ledNames(g *group) string { return p.groupNames(g.led) }

// groupNames lists rules with their subjects, and what follows from them.
func (p *printer) groupNames(groups []*group) string {
	var names []string
	for _, led := range groups {
		name := led.first().Rule
		if s := p.subjects(led); s != "machine" {
			name += " (" + s + ")"
		}
		names = append(names, strings.ReplaceAll(name, " ", glue))
		if below := p.ledNames(led); below != "" {
			names = append(names, below)
		}
	}
	return strings.Join(names, ", ")
}

// subjects lists what a group's findings are about: each, or in brief.
func (p *printer) subjects(g *group) string {
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
		return glued(subjects)
	}
	return glued(wording.Subjects(subjects))
}

// remarks prints failures at info that no setting is named in, each with what
// was found and what to do.
func (p *printer) remarks(groups []*group) {
	groups = slices.DeleteFunc(slices.Clone(groups), (*group).setting)
	if len(groups) == 0 {
		return
	}
	if p.verbose {
		p.failures(groups)
		return
	}
	if p.tight > 1 {
		p.atMost(2, func() { p.section(wordInfo, wording.Count(len(groups), "remark")+": "+p.groupNames(groups)) })
		return
	}
	p.section(wordInfo, wording.Count(len(groups), "remark"))
	for _, g := range groups {
		p.to(2)
		p.ruleAndSubject(2, g.first().Rule, p.subjects(g))
		p.alike(g, "found", 2, brief)
		p.briefFix(g, 1)
		p.document(2, g.first().Citation)
		p.brief(2, "leads to", p.ledNames(g), 1)
	}
	p.pause()
}
