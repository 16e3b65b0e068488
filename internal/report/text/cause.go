package text

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// cause prints a cause in brief: what was found, what the document asks for, what it costs, what to
// do and the source.
func (p *printer) cause(g *causeGroup) {
	p.headline(g)
	p.alike(g, "found", linesFound, foundText)
	p.alike(g, "expected", linesExpected, expected)
	// The source of a cost is at its end, so it is cut off only if no room is left.
	p.alike(g, "costs", linesCosts+p.tight%tightest, briefCosts)
	if e := g.first().Effect; e != nil {
		p.said[e.Text] = true
	}
	p.briefFix(g, linesFix)
	p.document(2, g.first().Citation)
	p.atMost(linesLeads, func() { p.field(2, "leads to", p.ledNames(g)) })
}

// briefFix prints what to do, once for findings that differ only in the slots that they name.
func (p *printer) briefFix(g *causeGroup, lines int) {
	if len(g.first().Advice) == 0 && !strings.HasPrefix(g.first().Rule, settingPrefix) {
		// What to do is the last to be shortened.
		p.alike(g, "fix", lines+min(p.tight, tightest-2), func(f *report.Finding) string { return report.OrEmpty(f.Remedy) })
		return
	}
	p.atMost(max(1, lines-p.tight), func() { p.fix(g) })
}

// briefCosts returns what the deviation costs, with its source only if that is not the finding's
// own document.
func briefCosts(f *report.Finding) string {
	if f.Effect != nil && f.Citation != nil && strings.Contains(report.OrEmpty(f.Effect.Source), f.Citation.Title) {
		return f.Effect.Text
	}
	return wording.Costs(f.Effect)
}

// alike prints one field of the findings in a group. Texts that differ only in slot names in
// brackets are printed once without them: the picture shows the slots.
func (p *printer) alike(g *causeGroup, name string, lines int, get func(*report.Finding) string) {
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

// remarks prints the failures at info that are not about a setting, each with what was found and
// what to do, or with little room only their names.
func (p *printer) remarks(groups []*causeGroup) {
	groups = slices.DeleteFunc(slices.Clone(groups), (*causeGroup).setting)
	if len(groups) == 0 {
		return
	}
	if p.verbose {
		p.failures(groups)
		return
	}
	if p.tight > 1 {
		p.atMost(2, func() { p.section(wordInfo, prose.Count(len(groups), "remark")+": "+p.groupNames(groups)) })
		return
	}
	p.section(wordInfo, prose.Count(len(groups), "remark"))
	for _, g := range groups {
		p.to(2)
		p.ruleAndSubject(2, g.first().Rule, p.subjects(g))
		p.alike(g, "found", 2, briefFinding)
		p.briefFix(g, 1)
		p.document(2, g.first().Citation)
		p.brief(2, "leads to", p.ledNames(g), 1)
	}
	p.pause()
}

// failures prints the failures by cause.
func (p *printer) failures(causes []*causeGroup) {
	for _, g := range causes {
		if p.verbose {
			p.finding(g)
		} else {
			p.cause(g)
		}
		p.newline()
	}
}

// finding prints everything that is known about a cause, and below it the failures that follow from
// it.
func (p *printer) finding(g *causeGroup) {
	p.headline(g)
	if p.verbose {
		p.grouped(g, "title", func(f *report.Finding) string { return report.OrEmpty(f.Title) })
	}
	p.grouped(g, "found", foundText)
	p.grouped(g, "expected", expected)
	p.grouped(g, "why", func(f *report.Finding) string { return report.OrEmpty(f.Why) })
	p.grouped(g, "costs", func(f *report.Finding) string { return wording.Costs(f.Effect) })
	p.fix(g)
	p.grouped(g, "source", p.source)
	if p.verbose {
		p.evidence(g)
	}
	p.grouped(g, "follows", func(f *report.Finding) string { return report.OrEmpty(f.CausedBy) }) // from what is not a failure itself
	for _, led := range g.led {
		p.consequence(led)
	}
}

// parted separates causes with a severity above info from remarks. The severity is the highest of a
// cause and of everything that follows from it. Failures that are about one setting alone are among
// the remarks at any severity, because they have a table of their own.
func parted(groups []*causeGroup) (causes, remarks []*causeGroup) {
	for _, g := range groups {
		if g.rank() > 1 && !g.setting() {
			causes = append(causes, g)
		} else {
			remarks = append(remarks, g)
		}
	}
	return causes, remarks
}
