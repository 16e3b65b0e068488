package html

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// problems prints the numbered problems, each with what to do about it and who says so, and then the
// notes.
func (p *pageWriter) problems() {
	var notes []int
	for i := range p.r.Problems {
		if !p.r.Problems[i].Above() {
			notes = append(notes, i)
		}
	}
	if len(notes) < len(p.r.Problems) {
		p.Open("ol", markup.Class("problems"))
		for i := range p.r.Problems {
			if p.r.Problems[i].Above() {
				p.problem(i)
			}
		}
		p.Close()
	}
	for _, i := range notes {
		p.remark(&p.r.Problems[i])
	}
	for i := range p.r.Findings {
		if f := &p.r.Findings[i]; byDesign(f) {
			p.Open("p")
			p.Element("span", "Note", markup.Class("badge info"))
			p.Text(" " + text.UpperFirst(report.OrEmpty(f.Found)) + " ")
			p.ruleLink(f.Rule, f)
			p.Close()
		}
	}
}

// problemsTitle is the heading of the problems and the notes.
func (p *pageWriter) problemsTitle() string {
	if slices.ContainsFunc(p.r.Problems, func(pr report.Problem) bool { return pr.Above() }) {
		return "What to do"
	}
	return "Notes"
}

// hasProblems reports whether there is a problem or a note.
func (p *pageWriter) hasProblems() bool {
	return len(p.r.Problems) > 0 || slices.ContainsFunc(p.r.Findings, func(f report.Finding) bool { return byDesign(&f) })
}

// byDesign reports whether the finding explains what differs on purpose.
func byDesign(f *report.Finding) bool { return f.Explains && f.Result == string(verdict.Pass) }

func (p *pageWriter) problem(i int) {
	pr := &p.r.Problems[i]
	p.Line()
	p.Open("li", attr("data-problem", strconv.Itoa(i+1)))
	defer p.Close()
	p.Element("span", pr.Severity, markup.Class("badge "+pr.Severity))
	p.Text(" ")
	p.Element("strong", text.Statement(pr))
	p.Text(" ")
	p.problemRule(pr)
	p.problemSettings(pr)
	p.Open("dl")
	p.pair("Fix", fixBesideTable(pr, text.FixOf(p.r, i)))
	if source := pr.SourceLine(); source != "" {
		p.Element("dt", "Source")
		p.Open("dd")
		url := ""
		if len(pr.Members) > 0 && pr.Members[0].Citation != nil {
			url = report.OrEmpty(pr.Members[0].Citation.URL)
		}
		p.webLink(source, url)
		p.Close()
	}
	p.Close()
}

// remark prints a problem that is only a note.
func (p *pageWriter) remark(pr *report.Problem) {
	p.Open("p")
	p.Element("span", "Note", markup.Class("badge info"))
	says := " " + text.Statement(pr)
	if fix := fixBesideTable(pr, pr.Fix); tabled(pr) && fix != "" {
		says += " (" + fix + ")"
	}
	p.Text(says + " ")
	p.problemRule(pr)
	p.Close()
	p.problemSettings(pr)
}

// tabled reports whether a problem is about several settings, which are listed in a table.
func tabled(pr *report.Problem) bool { return pr.Settings() && len(pr.Members) > 1 }

// problemSettings lists the settings that differ from the profile, and how each is changed.
func (p *pageWriter) problemSettings(pr *report.Problem) {
	if !tabled(pr) {
		return
	}
	t := p.table("setting", "current", "recommended", "severity", "how")
	for _, f := range pr.Members {
		way, _ := how(f)
		t.row(strings.TrimPrefix(f.Subject, "setting "), wording.WithoutBrackets(report.OrEmpty(f.Found)), report.OrEmpty(f.Expected), f.Severity, way)
	}
	t.end()
}

// how says how a setting is changed: the first way, and whether there are others.
func how(f *report.Finding) (way string, more bool) {
	way, _, more = strings.Cut(report.OrEmpty(f.Remedy), "\n")
	return way, more
}

// fixBesideTable returns a problem's fix, "" if the table of its settings says the same.
func fixBesideTable(pr *report.Problem, fix string) string {
	if tabled(pr) && !slices.ContainsFunc(pr.Members, func(f *report.Finding) bool {
		way, more := how(f)
		return way == "" || more || !strings.Contains(fix, way)
	}) {
		return ""
	}
	return fix
}

// problemRule names a problem's rule, with the way to its first finding.
func (p *pageWriter) problemRule(pr *report.Problem) {
	if len(pr.Members) == 0 {
		p.Element("span", pr.Rule, markup.Class("rule"))
		return
	}
	p.ruleLink(pr.Rule, pr.Members[0])
}

func (p *pageWriter) ruleLink(rule string, f *report.Finding) {
	i := slices.IndexFunc(p.r.Findings, func(o report.Finding) bool { return o.Rule == f.Rule && o.Subject == f.Subject })
	p.Element("a", rule, markup.Class("rule"), attr("href", "#"+findingID(max(i, 0))))
}

// failures lists the findings that failed, the worst first.
func failures(findings []report.Finding) []int {
	list := withResult(findings, verdict.Fail)
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(report.SeverityRank(findings[b].Severity), report.SeverityRank(findings[a].Severity))
	})
	return list
}

// withResult lists the findings with this result.
func withResult(findings []report.Finding, result verdict.Result) []int {
	var list []int
	for i := range findings {
		if findings[i].Result == string(result) {
			list = append(list, i)
		}
	}
	return list
}
