package html

import (
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
)

type problem struct {
	Number         int
	Severity, Text string
	Rule           link
	Settings       *table
	Pairs          []pair
}

func (p *page) problems() any {
	var data struct{ Problems, Notes []problem }
	for i := range p.r.Problems {
		pr := &p.r.Problems[i]
		out := problem{Number: i + 1, Severity: string(pr.Severity), Text: text.Statement(pr), Rule: p.problemRule(pr), Settings: problemSettings(pr)}
		if !pr.Above() {
			if fix := fixOutsideTable(pr, pr.Fix); tabled(pr) && fix != "" {
				out.Text += " (" + fix + ")"
			}
			data.Notes = append(data.Notes, out)
			continue
		}
		out.Pairs = pairs("Fix", fixOutsideTable(pr, text.FixOf(p.r, i)))
		if source := pr.SourceLine(); source != "" {
			url := ""
			if len(pr.Members) > 0 && pr.Members[0].Citation != nil {
				url = string(pr.Members[0].Citation.URL)
			}
			out.Pairs = append(out.Pairs, pair{"Source", webLink(source, url)})
		}
		data.Problems = append(data.Problems, out)
	}
	for i := range p.r.Findings {
		// What differs on purpose is explained.
		if f := &p.r.Findings[i]; f.Explains && f.Result == verdict.Pass {
			data.Notes = append(data.Notes, problem{Text: text.UpperFirst(string(f.Found)), Rule: p.ruleLink(f.Rule, f)})
		}
	}
	if len(data.Problems)+len(data.Notes) == 0 {
		return nil
	}
	return data
}

func (p *page) problemsTitle() string {
	if slices.ContainsFunc(p.r.Problems, func(pr report.Problem) bool { return pr.Above() }) {
		return "What to do"
	}
	return "Notes"
}

func tabled(pr *report.Problem) bool { return pr.Settings() && len(pr.Members) > 1 }

func problemSettings(pr *report.Problem) *table {
	if !tabled(pr) {
		return nil
	}
	t := newTable("setting", "current", "recommended", "severity", "how")
	for _, f := range pr.Members {
		way, _ := how(f)
		t.row(f.Subject.Name, wording.WithoutBrackets(string(f.Found)), string(f.Expected), string(f.Severity), way)
	}
	return t
}

func how(f *verdict.Finding) (way string, more bool) {
	way, _, more = strings.Cut(string(f.Remedy), "\n")
	return way, more
}

// fixOutsideTable returns a problem's fix, "" if the table of its settings has the same.
func fixOutsideTable(pr *report.Problem, fix string) string {
	if tabled(pr) && !slices.ContainsFunc(pr.Members, func(f *verdict.Finding) bool {
		way, more := how(f)
		return way == "" || more || !strings.Contains(fix, way)
	}) {
		return ""
	}
	return fix
}

func (p *page) problemRule(pr *report.Problem) link {
	if len(pr.Members) == 0 {
		return link{Text: pr.Rule}
	}
	return p.ruleLink(pr.Rule, pr.Members[0])
}

func (p *page) ruleLink(rule string, f *verdict.Finding) link {
	i := slices.IndexFunc(p.r.Findings, func(o verdict.Finding) bool { return o.Rule == f.Rule && o.Subject == f.Subject })
	return link{Text: rule, ID: findingID(max(i, 0))}
}
