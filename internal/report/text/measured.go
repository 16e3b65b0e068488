package text

import (
	"github.com/memaudit/memaudit/internal/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// mostMeasured is how many figures of one result are printed without Verbose: four
// nodes with bandwidth and latency. Less room takes two away at each step.
const mostMeasured = 8

// measured lists the figures that were joined, a line each, and why no rule judges
// them where none does.
func (p *printer) measured(all []report.Measurement) {
	for i := range all {
		m := &all[i]
		p.section("MEASURED", p.measuredWith(m))
		p.brief(2, "no verdict", report.OrEmpty(m.Unjudged), 1)
		shown := len(m.Figures)
		if !p.verbose {
			shown = min(shown, max(0, mostMeasured-2*p.tight))
		}
		for j := range m.Figures[:shown] {
			p.figure(&m.Figures[j], m.Unjudged == nil)
		}
		if left := len(m.Figures) - shown; left > 0 {
			p.to(2)
			p.wrap(2, prose.Count(left, "figure")+" more"+cutShort)
			p.newline()
		}
		p.pause()
	}
}

// measuredWith is the tool, when it measured, how many figures there are, and with
// Verbose the file.
func (p *printer) measuredWith(m *report.Measurement) string {
	out := "with " + m.Tool
	if m.At != nil {
		out += ", " + *m.At
	}
	out += ", " + prose.Count(len(m.Figures), "figure")
	if m.Path != nil && p.verbose {
		out += ", " + *m.Path
	}
	return out
}

// figure prints one figure, its passes with Verbose, and why it is undecided where it
// could have been judged.
func (p *printer) figure(f *report.MeasuredFigure, judged bool) {
	line := wording.MeasuredPlace(f) + ": " + wording.MeasuredKind(f) + " " + wording.MeasuredValue(f, f.Value)
	switch passes := wording.MeasuredPasses(f); {
	case p.verbose && passes != "":
		line += " (" + passes + ")"
	case judged && f.Undecided != nil:
		line += " (undecided: " + *f.Undecided + ")"
	}
	p.shortened(1, p.width-2, line, func(s string) {
		p.to(2)
		p.wrap(2, s)
		p.newline()
	})
}
