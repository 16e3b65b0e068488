package text

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// shared is one rule and the subjects of its findings.
type shared struct {
	text     string
	subjects []string
	// evident is set if the text names the first subject.
	evident bool
}

type verdictless struct {
	reason, knownBy string
	rules           []shared
	n               int
}

func groupByReason(findings []verdict.Finding, result verdict.Result) []verdictless {
	var out []verdictless
	for i := range findings {
		f := &findings[i]
		if f.Result != result {
			continue
		}
		reason, knownBy := string(f.Reason), string(f.KnownBy)
		j := slices.IndexFunc(out, func(v verdictless) bool { return v.reason == reason && v.knownBy == knownBy })
		if j < 0 {
			j, out = len(out), append(out, verdictless{reason: reason, knownBy: knownBy})
		}
		out[j].add(f)
	}
	slices.SortStableFunc(out, func(a, b verdictless) int { return b.n - a.n })
	return out
}

func (v *verdictless) add(f *verdict.Finding) {
	v.n++
	i := slices.IndexFunc(v.rules, func(s shared) bool { return s.text == f.Rule })
	if i < 0 {
		evident := f.Subject.Kind == inventory.AboutMachine || f.Subject.Kind == inventory.AboutSetting && f.Rule == settingPrefix+f.Subject.Name
		i, v.rules = len(v.rules), append(v.rules, shared{text: f.Rule, evident: evident})
	}
	v.rules[i].subjects = append(v.rules[i].subjects, f.Subject.String())
}

// ruleNames lists the rules, with their subjects if the rule's name does not contain them.
func (v *verdictless) ruleNames() string {
	out := make([]string, len(v.rules))
	for i, r := range v.rules {
		out[i] = r.text
		if len(r.subjects) > 1 || !r.evident {
			out[i] += "\n(" + gluedList(r.subjects) + ")"
		}
	}
	return strings.Join(out, ", ")
}

func (p *printer) printReasons(findings []verdict.Finding, result verdict.Result, word, tail string) {
	groups := groupByReason(findings, result)
	if len(groups) == 0 {
		return
	}
	total := 0
	for i := range groups {
		total += groups[i].n
	}
	p.printSection(word, humanize.Plural(total, "finding")+tail)
	for _, g := range groups {
		p.printLine(2, cmp.Or(g.reason, "no reason given"))
		p.printField(4, "known by", g.knownBy)
		p.printField(4, "rules", g.ruleNames())
	}
	p.newline()
}

func (p *printer) printPassed(findings []verdict.Finding) {
	v := verdictless{}
	for i := range findings {
		if findings[i].Result == verdict.Pass {
			v.add(&findings[i])
		}
	}
	if v.n == 0 {
		return
	}
	p.printSection("PASSED", humanize.Plural(v.n, "finding"))
	p.printLine(2, v.ruleNames())
	p.newline()
}

func (p *printer) printMeasured(all []report.Measurement) {
	for i := range all {
		m := &all[i]
		path := ""
		if p.verbose {
			path = string(m.Path)
		}
		p.printSection("MEASURED", humanize.Joined(", ", "with "+string(m.Tool), string(m.At), humanize.Plural(len(m.Figures), "figure"), path))
		p.printField(2, "no verdict", string(m.Unjudged))
		for j := range m.Figures {
			p.printFigure(&m.Figures[j], m.Unjudged == "")
		}
		p.newline()
	}
}

// printFigure prints one figure: in the verbose report with its passes, otherwise, or if it has none, with why it is
// undecided if a rule could have checked it.
func (p *printer) printFigure(f *report.MeasuredFigure, judged bool) {
	line := humanize.Joined(", ", wording.MeasuredPlace(f)+": "+wording.MeasuredKind(f)+" "+wording.MeasuredValue(f, f.Value), wording.ShareOfPeak(f))
	switch passes := wording.MeasuredPasses(f); {
	case p.verbose && passes != "":
		line += " (" + passes + ")"
	case judged && f.Undecided != "":
		line += " (undecided: " + string(f.Undecided) + ")"
	}
	p.printLine(2, line)
}

func (p *printer) printWaived(findings []verdict.Finding) {
	var lines []string
	for _, f := range findings {
		if f.Result == verdict.Waived {
			lines = append(lines, f.Rule+" "+f.Subject.String()+": "+string(f.Found)+" ("+waiverText(f.Waiver)+")")
		}
	}
	if len(lines) == 0 {
		return
	}
	p.printSection("WAIVED", humanize.Plural(len(lines), "finding")+", failed but accepted")
	for _, line := range lines {
		p.printLine(2, line)
	}
	p.newline()
}

func waiverText(w *verdict.Waiver) string {
	if w == nil {
		return "no reason given"
	}
	if w.Until == "" {
		return w.Reason + "; without an end"
	}
	return w.Reason + "; until " + string(w.Until)
}

func (p *printer) printUnread(sources []inventory.Source) {
	var why wording.Groups[*inventory.Source]
	n := 0
	for i := range sources {
		if s := &sources[i]; s.State != fact.SourceOK {
			n++
			why.Add(string(s.State)+"\n"+string(s.Detail), s)
		}
	}
	if n == 0 {
		return
	}
	p.printSection("SOURCES", strconv.Itoa(n)+" of "+strconv.Itoa(len(sources))+" not read in full")
	for _, key := range why.Names {
		names := wording.Each(why.Of[key], func(s *inventory.Source) string { return s.Name })
		one := why.Of[key][0]
		p.printField(2, string(one.State), humanize.Joined(": ", strings.Join(names, ", "), string(one.Detail)))
	}
	p.newline()
}

func (p *printer) printSummary(r *report.Report, exit bool) {
	out, ways := CheckCounts(r)
	switch {
	case r.Summary.Unknown+r.Summary.Error == 0:
		out += "."
	case ways:
		out += ". memaudit check -v lists them."
	default:
		out += " (-v)."
	}
	if exit {
		out += " Exit status " + strconv.Itoa(r.Verdict.ExitStatus) + "."
	}
	p.printLine(0, out)
}

// CheckCounts returns how many of the checks that apply to the machine passed, failed and did not run; if nothing
// failed also what would let them run (ways).
func CheckCounts(r *report.Report) (text string, ways bool) {
	s := r.Summary
	text = humanize.Plural(s.Pass, "check") + " passed"
	if s.Fail > 0 {
		text += ", " + strconv.Itoa(s.Fail) + " failed" + problemCounts(r)
	}
	accepted := r.Accepted()
	if s.Waived > accepted {
		text += ", " + strconv.Itoa(s.Waived-accepted) + " waived"
	}
	if accepted > 0 {
		text += ", " + strconv.Itoa(accepted) + " accepted with the population"
	}
	open := s.Unknown + s.Error
	switch {
	case open == 0:
		return text, false
	case s.Fail > 0 && r.Verdict.Status != report.StatusUnknown:
		return text + ", " + strconv.Itoa(open) + " not run", false
	default:
		return text + ". " + strconv.Itoa(open) + " not run: " + strings.Join(missingNeeds(r.Findings), ", "), true
	}
}

// problemCounts counts the problems and notes that the failures come to, in brackets; "" if each failure is one.
func problemCounts(r *report.Report) string {
	above := 0
	for i := range r.Problems {
		if r.Problems[i].IsAboveNote() {
			above++
		}
	}
	var out []string
	if above > 0 {
		out = append(out, humanize.Plural(above, "problem"))
	}
	if notes := len(r.Problems) - above; notes > 0 {
		out = append(out, humanize.Plural(notes, "note"))
	}
	if len(out) == 0 || len(r.Problems) == r.Summary.Fail {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// missingNeeds lists what the checks that did not run need, the most frequent first.
func missingNeeds(findings []verdict.Finding) []string {
	t := wording.Tally{}
	for i := range findings {
		switch f := &findings[i]; f.Result {
		case verdict.Unknown:
			t.Add(wording.DescribeNeed(f.KnownBy), 1)
		case verdict.Error:
			t.Add("failed to evaluate", 1)
		case verdict.Pass, verdict.Fail, verdict.NotApplicable, verdict.Waived:
		}
	}
	slices.SortStableFunc(t, func(a, b wording.Tallied) int { return cmp.Compare(b.N, a.N) })
	return wording.Each(t, func(e wording.Tallied) string {
		if e.N == 1 {
			return "1 " + strings.Replace(strings.Replace(e.Name, "need ", "needs ", 1), "are ", "is ", 1)
		}
		return strconv.FormatInt(e.N, 10) + " " + e.Name
	})
}

func (p *printer) printDetail(r *report.Report) {
	p.printAdvice(r)
	p.printPassed(r.Findings)
	p.printReasons(r.Findings, verdict.Unknown, "Not run", "")
	if n := r.Summary.NotApplicable; n > 0 {
		p.printLine(0, humanize.Plural(n, "check")+" not applicable to this machine (memaudit rules list).")
		p.newline()
	}
	p.printUnread(r.Inventory.Sources)
	words := wording.Each(wording.TermsIn(string(p.buf)), func(t wording.Term) string { return t.Name + ": " + t.Meaning })
	p.printField(0, "glossary", strings.Join(words, "; "))
	p.separatePart()
}
