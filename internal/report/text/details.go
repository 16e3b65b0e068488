package text

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// WriteCapacity prints the ways to reach a capacity, the best first.
func WriteCapacity(w io.Writer, r *report.Capacity, o Options) error {
	p := NewPage(o)
	head := humanize.Size(r.CapacityBytes)
	if r.Sockets > 1 {
		head += " on " + strconv.Itoa(r.Sockets) + " processors, " + humanize.Size(r.CapacityBytes/int64(r.Sockets)) + " each; figures are of one"
	}
	p.printSection("CAPACITY", head)
	if r.RequestedBytes != r.CapacityBytes {
		p.printField(2, "requested", humanize.Size(r.RequestedBytes)+", which no documented layout has; this is the nearest one above")
	}
	if r.Machine != nil {
		p.printField(2, "machine", wording.MachineName(r.Machine))
	}
	p.printField(2, "platform", string(r.Platform))
	p.printField(2, "assumed", string(r.Assumed))
	p.newline()
	for i := range r.Configurations {
		p.configuration(i+1, r, &r.Configurations[i])
	}
	return p.Write(w)
}

func (p *Page) configuration(n int, r *report.Capacity, c *plan.Configuration) {
	title := dimmWords(r, c)
	if c.Discouraged {
		title += " (discouraged)"
	}
	p.printSection(strconv.Itoa(n), title)
	p.printField(2, "gives", cmp.Or(reachedLine(&c.Reached), "not known"))
	name := "slots"
	for _, slots := range slices.Concat([][]string{c.Slots}, c.OtherSlots) {
		p.printField(2, name, gluedList(humanize.Spans(slots)))
		name = ""
	}
	for _, also := range c.Also {
		p.printField(2, "or", gluedList(humanize.Spans(also)))
	}
	p.printField(2, "doubt", string(c.Doubt))
	p.printField(2, "note", string(c.Note))
	p.printField(2, "fails", remainingRules(c.Findings, "memory."))
	for _, e := range c.Effects {
		p.printField(2, "effect", e.Text+" ("+string(e.Source)+")")
	}
	p.printField(2, "source", c.Source)
	p.newline()
}

// dimmWords describes the DIMMs of a configuration: "4 x 16 GiB quad-rank and 8 x 8 GiB per CPU, 16 to buy".
func dimmWords(r *report.Capacity, c *plan.Configuration) string {
	var parts, bought []string
	all := 0
	for _, d := range c.DIMMs {
		module := humanize.Size(d.Bytes)
		if d.Ranks != nil {
			module += " " + humanize.Ranked(*d.Ranks)
		}
		parts = append(parts, strconv.Itoa(d.Count)+" x "+module)
		if all += d.Bought; d.Bought > 0 {
			bought = append(bought, strconv.Itoa(d.Bought)+" x "+humanize.Size(d.Bytes))
		}
	}
	out := strings.Join(parts, " and ")
	if r.Sockets > 1 {
		out += " per CPU"
	}
	switch {
	case r.Machine == nil && r.Sockets == 1:
	case len(bought) == 0:
		out += ", nothing to buy"
	case len(bought) == 1:
		out += ", " + strconv.Itoa(all) + " to buy"
	default:
		out += ", " + humanize.List(bought) + " to buy"
	}
	if c.Left > 0 {
		out += ", " + strconv.Itoa(c.Left) + " of the installed modules left over"
	}
	return out
}

// WriteWhatIf prints a machine before and after a change.
func WriteWhatIf(w io.Writer, r *report.WhatIf, o Options) error {
	p := NewPage(o)
	inv := &report.Inventory{Sockets: r.Sockets}
	p.printSide("BEFORE", &r.Before, inv)
	p.printSide("AFTER", &r.After, inv)
	p.printField(0, "bandwidth", r.BandwidthChanges())
	p.printChanged("gone", r.FindingsGone, inv)
	p.printChanged("new", r.FindingsNew, inv)
	return p.Write(w)
}

func (p *Page) printSide(word string, r *plan.Reaches, inv *report.Inventory) {
	capacity := "capacity not known"
	if r.CapacityBytes != nil {
		capacity = humanize.Size(*r.CapacityBytes)
	}
	p.printSection(word, capacity)
	p.printReached(r, inv, "fails")
	p.newline()
}

func (p *Page) printChanged(name string, findings []plan.Failure, inv *report.Inventory) {
	if len(findings) == 0 {
		p.printField(0, name, "none")
		return
	}
	for _, f := range findings {
		about := f.Subject.String()
		if f.Subject.Kind == inventory.AboutSocket {
			about = inv.SocketName(f.Subject.Number)
		}
		p.printField(0, name, f.Rule+" "+about+" ("+string(f.Severity)+")")
		name = ""
	}
}

func (p *Page) printAdvice(r *report.Report) {
	for i := range r.Advice {
		a := &r.Advice[i]
		p.printSection("ADVICE", string(a.ID)+": "+wording.AdviceEffort(a))
		name := "steps"
		for j, line := range report.StepLines(a.Steps, &r.Inventory) {
			p.printField(2, name, strconv.Itoa(j+1)+". "+line.Text)
			name = ""
		}
		if a.ID == plan.Settings {
			p.printField(2, "stays", remainingRules(a.Reaches.Findings, verdict.SettingRules))
		} else {
			p.printReached(&a.Reaches, &r.Inventory, "stays")
		}
		var cured []string
		for _, c := range a.Cures {
			cured = humanize.AddNew(cured, c.Rule)
		}
		p.printField(2, "cures", strings.Join(cured, ", "))
		if i == 0 {
			p.printField(2, "cheaper", r.AdviceExpensive)
		}
		p.printField(2, "source", a.Source)
		p.newline()
	}
}

// printReached prints the result for each CPU after the steps, equal ones once, and the failures that remain, under
// the given name. CPUs with an unknown result are left out.
func (p *Page) printReached(r *plan.Reaches, inv *report.Inventory, fails string) {
	var lines humanize.Groups[string]
	for i := range r.Sockets {
		name := "machine"
		if id := r.Sockets[i].Socket; id != nil {
			name = inv.SocketName(*id)
		}
		if line := reachedLine(&r.Sockets[i].Reached); line != "" {
			lines.Add(line, name)
		}
	}
	name := "reaches"
	for _, line := range lines.Names {
		if len(lines.Names) > 1 {
			line = gluedList(lines.Of[line]) + ": " + line
		}
		p.printField(2, name, line)
		name = ""
	}
	p.printField(2, fails, remainingRules(r.Findings, "memory."))
}

// generalGrades are those of the general model. They are for programs: people read speed and share.
var generalGrades = map[string]bool{"A": true, "B": true, "C": true, "D": true, "E": true}

func reachedLine(s *plan.Reached) string {
	class, peak := "", ""
	documented := s.Class != "" && !generalGrades[string(s.Class)]
	if documented {
		class = "class " + string(s.Class)
	}
	if s.PeakBytes != nil {
		peak = humanize.Bandwidth(*s.PeakBytes)
	}
	return humanize.Joined(", ", class, wording.ReachedSpeed(s), peak, wording.PromisedShare(&s.Relative, documented))
}

func remainingRules(findings []plan.Failure, rules string) string {
	var first humanize.Groups[verdict.Severity]
	for _, f := range findings {
		if strings.HasPrefix(f.Rule, rules) {
			first.Add(f.Rule, f.Severity)
		}
	}
	for i, rule := range first.Names {
		first.Names[i] = rule + " (" + string(first.Of[rule][0]) + ")"
	}
	return strings.Join(first.Names, ", ")
}

// groupByReason returns the findings with a result by reason and by what would make them known, the most frequent first.
func groupByReason(findings []verdict.Finding, result verdict.Result) [][]*verdict.Finding {
	var reasons humanize.Groups[*verdict.Finding]
	for i := range findings {
		if f := &findings[i]; f.Result == result {
			reasons.Add(string(f.Reason)+"\n"+string(f.KnownBy), f)
		}
	}
	var out [][]*verdict.Finding
	for _, reason := range reasons.Names {
		out = append(out, reasons.Of[reason])
	}
	slices.SortStableFunc(out, func(a, b []*verdict.Finding) int { return len(b) - len(a) })
	return out
}

// ruleNames lists the rules, with their subjects if the rule's name does not contain them.
func ruleNames(findings []*verdict.Finding) string {
	var rules humanize.Groups[*verdict.Finding]
	for _, f := range findings {
		rules.Add(f.Rule, f)
	}
	return strings.Join(humanize.Each(rules.Names, func(rule string) string {
		all := rules.Of[rule]
		subject := all[0].Subject
		if len(all) == 1 && (subject.Kind == inventory.AboutMachine || subject.Kind == inventory.AboutSetting && rule == verdict.SettingRules+subject.Name) {
			return rule
		}
		return rule + "\n(" + gluedList(humanize.Each(all, func(f *verdict.Finding) string { return f.Subject.String() })) + ")"
	}), ", ")
}

func (p *Page) printReasons(findings []verdict.Finding, result verdict.Result, word, tail string) {
	groups, total := groupByReason(findings, result), 0
	for _, g := range groups {
		total += len(g)
	}
	if total == 0 {
		return
	}
	p.printSection(word, humanize.Plural(total, "finding")+tail)
	for _, g := range groups {
		p.printLine(2, cmp.Or(string(g[0].Reason), "no reason given"))
		p.printField(4, "known by", string(g[0].KnownBy))
		p.printField(4, "rules", ruleNames(g))
	}
	p.newline()
}

func (p *Page) printPassed(findings []verdict.Finding) {
	var passed []*verdict.Finding
	for i := range findings {
		if findings[i].Result == verdict.Pass {
			passed = append(passed, &findings[i])
		}
	}
	if len(passed) == 0 {
		return
	}
	p.printSection("PASSED", humanize.Plural(len(passed), "finding"))
	p.printLine(2, ruleNames(passed))
	p.newline()
}

func (p *Page) printMeasured(all []report.Measurement) {
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
func (p *Page) printFigure(f *report.MeasuredFigure, judged bool) {
	line := humanize.Joined(", ", wording.MeasuredPlace(f)+": "+wording.MeasuredKind(f)+" "+wording.MeasuredValue(f, f.Value), wording.ShareOfPeak(f))
	switch passes := wording.MeasuredPasses(f); {
	case p.verbose && passes != "":
		line += " (" + passes + ")"
	case judged && f.Undecided != "":
		line += " (undecided: " + string(f.Undecided) + ")"
	}
	p.printLine(2, line)
}

func (p *Page) printWaived(findings []verdict.Finding) {
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

func (p *Page) printUnread(sources []inventory.Source) {
	var why humanize.Groups[*inventory.Source]
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
		names := humanize.Each(why.Of[key], func(s *inventory.Source) string { return s.Name })
		one := why.Of[key][0]
		p.printField(2, string(one.State), humanize.Joined(": ", strings.Join(names, ", "), string(one.Detail)))
	}
	p.newline()
}

func (p *Page) printSummary(r *report.Report, exit bool) {
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
	var needs humanize.Groups[string]
	for i := range findings {
		switch f := &findings[i]; f.Result {
		case verdict.Unknown:
			needs.Add(wording.DescribeNeed(f.KnownBy), f.Rule)
		case verdict.Error:
			needs.Add("failed to evaluate", f.Rule)
		case verdict.Pass, verdict.Fail, verdict.NotApplicable, verdict.Waived:
		}
	}
	slices.SortStableFunc(needs.Names, func(a, b string) int { return len(needs.Of[b]) - len(needs.Of[a]) })
	return humanize.Each(needs.Names, func(need string) string {
		if n := len(needs.Of[need]); n > 1 {
			return strconv.Itoa(n) + " " + need
		}
		return "1 " + strings.Replace(strings.Replace(need, "need ", "needs ", 1), "are ", "is ", 1)
	})
}

func (p *Page) printDetail(r *report.Report) {
	p.printAdvice(r)
	p.printPassed(r.Findings)
	p.printReasons(r.Findings, verdict.Unknown, "Not run", "")
	if n := r.Summary.NotApplicable; n > 0 {
		p.printLine(0, humanize.Plural(n, "check")+" not applicable to this machine (memaudit rules list).")
		p.newline()
	}
	p.printUnread(r.Inventory.Sources)
	words := humanize.Each(wording.TermsIn(string(p.buf)), func(t wording.Term) string { return t.Name + ": " + t.Meaning })
	p.printField(0, "glossary", strings.Join(words, "; "))
	p.separatePart()
}
