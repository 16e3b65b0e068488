package html

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
)

type findings struct {
	ID, Title string
	Findings  []finding
}

type finding struct {
	*verdict.Finding
	ID, Class, Word, Brief string
	Pairs                  []pair
	Evidence               string
	Readings               []readings
}

// readings are what was read from one source and file.
type readings struct {
	From string
	Raw  []string
}

func (p *page) findingsSection() any {
	out := []findings{}
	for _, kind := range [...]struct {
		result verdict.Result
		title  string
	}{
		{verdict.Fail, "Failed"}, {verdict.Error, "Rules that could not be evaluated"}, {verdict.Unknown, "Not known"}, {verdict.Waived, "Accepted"},
		{verdict.Pass, "Passed"}, {verdict.NotApplicable, "Not applicable"},
	} {
		var list []int
		for i := range p.r.Findings {
			if p.r.Findings[i].Result == kind.result {
				list = append(list, i)
			}
		}
		if len(list) == 0 {
			continue
		}
		if kind.result == verdict.Fail { // the worst first
			slices.SortStableFunc(list, func(a, b int) int {
				return cmp.Compare(report.SeverityRank(p.r.Findings[b].Severity), report.SeverityRank(p.r.Findings[a].Severity))
			})
		}
		group := findings{ID: string(kind.result), Title: kind.title}
		for _, i := range list {
			group.Findings = append(group.Findings, p.findingData(i))
		}
		out = append(out, group)
	}
	return out
}

func findingID(i int) string { return "finding-" + strconv.Itoa(i) }

// findingData returns what is shown of a finding. A failure leads with its severity and has its colour, the others with
// their result.
func (p *page) findingData(i int) finding {
	f := &p.r.Findings[i]
	out := finding{Finding: f, ID: findingID(i), Class: string(f.Result), Word: strings.ReplaceAll(string(f.Result), "_", " "), Brief: string(f.Reason), Readings: groupReadings(f.Evidence)}
	if f.Result == verdict.Fail {
		out.Class, out.Word = string(f.Severity), string(f.Severity)
	}
	if f.Result == verdict.Fail || f.Result == verdict.Waived {
		out.Brief = string(f.Found)
	}
	out.Pairs = particulars(f, out.Brief)
	out.Evidence = "evidence: " + humanize.Plural(len(f.Evidence), "reading") + ", " + f.Certainty.String()
	return out
}

// particulars returns the labelled lines of a finding, except the one that its first lines contain.
func particulars(f *verdict.Finding, brief string) []pair {
	found, reason := string(f.Found), string(f.Reason)
	if found == brief {
		found = ""
	}
	if reason == brief {
		reason = ""
	}
	out := nonEmptyPairs("rule", string(f.Title), "found", found, "expected", string(f.Expected), "reason", reason, "known by", string(f.KnownBy),
		"why", string(f.Why), "costs", wording.DescribeCost(f.Effect), "fix", string(f.Remedy))
	if len(f.Advice) > 0 {
		out = append(out, pair{"advice", link{Text: strings.Join(f.Advice, " or ") + ", in " + adviceTitle, ID: "advice"}})
	}
	out = append(out, nonEmptyPairs("follows from", f.CauseText(), "accepted", accepted(f.Waiver))...)
	if f.Citation != nil {
		out = append(out, pair{"source", citationLink(f.Citation)})
	}
	return out
}

func accepted(w *verdict.Waiver) string {
	if w == nil {
		return ""
	}
	if w.Until == "" {
		return w.Reason
	}
	return w.Reason + " (until " + string(w.Until) + ")"
}

// groupReadings lists the readings of a finding: each source and file once, and below it what was read there.
func groupReadings(all []fact.Evidence) []readings {
	var out []readings
	for _, e := range all {
		if from := strings.TrimSpace(e.Source + " " + e.Path); len(out) == 0 || from != out[len(out)-1].From {
			out = append(out, readings{From: from})
		}
		last := &out[len(out)-1]
		last.Raw = append(last.Raw, e.Reading())
	}
	return out
}

type problem struct {
	Number         int
	Severity, Text string
	Rule           link
	Settings       *table
	Pairs          []pair
}

func (p *page) problemsSection() any {
	var data struct{ Problems, Notes []problem }
	for i := range p.r.Problems {
		pr := &p.r.Problems[i]
		out := problem{Number: i + 1, Severity: string(pr.Severity), Text: text.Statement(pr), Rule: link{Text: pr.Rule}, Settings: problemSettings(pr)}
		if len(pr.Members) > 0 {
			out.Rule = p.ruleLink(pr.Rule, pr.Members[0])
		}
		if !pr.IsAboveNote() {
			if fix := fixOutsideTable(pr, pr.Fix); showsTable(pr) && fix != "" {
				out.Text += " (" + fix + ")"
			}
			data.Notes = append(data.Notes, out)
			continue
		}
		out.Pairs = nonEmptyPairs("Fix", fixOutsideTable(pr, text.ProblemFix(p.r, i)))
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
	if slices.ContainsFunc(p.r.Problems, func(pr report.Problem) bool { return pr.IsAboveNote() }) {
		return "What to do"
	}
	return "Notes"
}

func showsTable(pr *report.Problem) bool { return pr.Settings() && len(pr.Members) > 1 }

func problemSettings(pr *report.Problem) *table {
	if !showsTable(pr) {
		return nil
	}
	t := newTable("setting", "current", "recommended", "severity", "how")
	for _, f := range pr.Members {
		way, _ := firstRemedyLine(f)
		t.appendRow(f.Subject.Name, wording.WithoutBrackets(string(f.Found)), string(f.Expected), string(f.Severity), way)
	}
	return t
}

func firstRemedyLine(f *verdict.Finding) (way string, more bool) {
	way, _, more = strings.Cut(string(f.Remedy), "\n")
	return way, more
}

// fixOutsideTable returns a problem's fix, "" if the table of its settings has the same.
func fixOutsideTable(pr *report.Problem, fix string) string {
	if showsTable(pr) && !slices.ContainsFunc(pr.Members, func(f *verdict.Finding) bool {
		way, more := firstRemedyLine(f)
		return way == "" || more || !strings.Contains(fix, way)
	}) {
		return ""
	}
	return fix
}

func (p *page) ruleLink(rule string, f *verdict.Finding) link {
	i := slices.IndexFunc(p.r.Findings, func(o verdict.Finding) bool { return o.Rule == f.Rule && o.Subject == f.Subject })
	return link{Text: rule, ID: findingID(max(i, 0))}
}
