package html

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// findings lists every finding by result, folded.
func (p *pageWriter) findings() {
	if len(p.r.Findings) == 0 {
		p.Element("p", "Nothing was audited.")
		return
	}
	p.group("fail", "Failed", failures(p.r.Findings))
	for _, kind := range [...]struct {
		result verdict.Result
		title  string
	}{
		{verdict.Error, "Rules that could not be evaluated"}, {verdict.Unknown, "Not known"}, {verdict.Waived, "Accepted"},
		{verdict.Pass, "Passed"}, {verdict.NotApplicable, "Not applicable"},
	} {
		p.group(string(kind.result), kind.title, withResult(p.r.Findings, kind.result))
	}
}

// group prints the findings of one result.
func (p *pageWriter) group(id, title string, list []int) {
	if len(list) == 0 {
		return
	}
	p.Line()
	p.Open("details", markup.Class("group"), attr("id", id))
	p.Open("summary")
	p.Element("h3", title+" ("+strconv.Itoa(len(list))+")")
	p.Close()
	for _, i := range list {
		p.article(i)
	}
	p.Close()
}

// findingID is the anchor of a finding.
func findingID(i int) string { return "finding-" + strconv.Itoa(i) }

// article is one finding with everything the report says of it.
func (p *pageWriter) article(i int) {
	f := &p.r.Findings[i]
	p.Line()
	p.Open("article", attr("id", findingID(i)), markup.Class("finding "+severityClass(f)),
		attr("data-rule", f.Rule), attr("data-subject", f.Subject), attr("data-result", f.Result), attr("data-severity", f.Severity))
	defer p.Close()
	p.Open("details")
	p.Open("summary")
	p.Element("span", leadingWord(f), markup.Class("badge "+severityClass(f)))
	p.Text(" ")
	p.Element("span", f.Subject, markup.Class("subject"))
	p.Text(" ")
	p.Element("span", f.Rule, markup.Class("rule"))
	if brief := briefFinding(f); brief != "" {
		p.Text(" ")
		p.Element("span", brief, markup.Class("brief"))
	}
	p.Close()
	p.particulars(f, briefFinding(f))
	p.evidence(f.Evidence, f.Certainty)
	p.Close()
}

// leadingWord is the word that leads a finding.
func leadingWord(f *report.Finding) string {
	if f.Result == string(verdict.Fail) {
		return f.Severity
	}
	return strings.ReplaceAll(f.Result, "_", " ")
}

// severityClass colours failures by severity and the rest by result.
func severityClass(f *report.Finding) string {
	if f.Result == string(verdict.Fail) {
		return f.Severity
	}
	return f.Result
}

// briefFinding is what is read of a folded finding.
func briefFinding(f *report.Finding) string {
	if f.Result == string(verdict.Fail) || f.Result == string(verdict.Waived) {
		return report.OrEmpty(f.Found)
	}
	return report.OrEmpty(f.Reason)
}

// particulars are the labelled lines of a finding, but for the one that stands in
// its first lines already.
func (p *pageWriter) particulars(f *report.Finding, said string) {
	p.Open("dl")
	p.pair("rule", report.OrEmpty(f.Title))
	if found := report.OrEmpty(f.Found); found != said {
		p.pair("found", found)
	}
	p.pair("expected", report.OrEmpty(f.Expected))
	if reason := report.OrEmpty(f.Reason); reason != said {
		p.pair("reason", reason)
	}
	p.pair("known by", report.OrEmpty(f.KnownBy))
	p.pair("why", report.OrEmpty(f.Why))
	p.pair("costs", wording.Costs(f.Effect))
	p.pair("fix", report.OrEmpty(f.Remedy))
	p.seeAdvice(f.Advice)
	p.pair("follows from", report.OrEmpty(f.CausedBy))
	p.pair("accepted", accepted(f.Waiver))
	if f.Citation != nil {
		p.Element("dt", "source")
		p.Open("dd")
		p.citation(f.Citation)
		p.Close()
	}
	p.Close()
}

// seeAdvice leads to what the report advises.
func (p *pageWriter) seeAdvice(ids []string) {
	if len(ids) == 0 {
		return
	}
	p.Element("dt", "advice")
	p.Open("dd")
	p.Element("a", strings.Join(ids, " or ")+", in "+adviceTitle, attr("href", "#advice"))
	p.Close()
}

func accepted(w *report.Waiver) string {
	if w == nil {
		return ""
	}
	if w.Until == nil {
		return w.Reason
	}
	return w.Reason + " (until " + *w.Until + ")"
}

// citation names the document.
func (p *pageWriter) citation(c *report.Citation) {
	url := report.OrEmpty(c.URL)
	if url != "" && !onTheWeb(url) {
		p.Text(c.Line() + ", " + url)
		return
	}
	p.webLink(c.Line(), url)
}

// webLink writes a text, as a link if the address is one of the web.
func (p *pageWriter) webLink(text, url string) {
	if !onTheWeb(url) {
		p.Text(text)
		return
	}
	p.Element("a", text, attr("href", url), attr("rel", "noreferrer"))
}

func onTheWeb(url string) bool {
	return strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")
}

// evidence lists the readings behind something, folded: each source and file
// once, and below it what was read there.
func (p *pageWriter) evidence(readings []report.Evidence, certainty string) {
	if len(readings) == 0 {
		return
	}
	p.Open("details", markup.Class("evidence"))
	p.Element("summary", "evidence: "+prose.Count(len(readings), "reading")+", "+certainty)
	from := ""
	for i := range readings {
		e := &readings[i]
		if at := strings.TrimSpace(e.Source + " " + report.OrEmpty(e.Path)); at != from {
			if from != "" {
				p.Close()
			}
			p.Element("p", at, markup.Class("from"))
			p.Open("ul")
			from = at
		}
		p.Element("li", report.OrEmpty(e.Raw))
	}
	p.Close()
	p.Close()
}
