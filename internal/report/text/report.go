// Package text writes documents as text for a terminal, and the pages of rules, profiles and platforms.
package text

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/wording"
)

// bodyColumn is the column at which the texts of a report begin.
const bodyColumn = 13

// Write writes a report as text: the verdict, the machine, its memory, the numbered problems with fix and
// source, notes, and what was not run. Verbose adds all evidence.
func Write(w io.Writer, r *report.Report, o Options) error {
	p := NewPage(o)
	p.printSection(r.Verdict.Status.Word(), wording.VerdictSentence(r))
	p.newline()
	p.printItem("Outdated", r.Outdated)
	p.printIdentity(r)
	p.separatePart()
	p.printMemory(r)
	for i := range r.Problems {
		if r.Problems[i].IsAboveNote() {
			p.printProblem(r, i)
			p.newline()
		}
	}
	p.printNotes(r)
	p.printWaived(r.Findings)
	p.printMeasured(r.Measured)
	p.printReasons(r.Findings, verdict.Error, "ERROR", " failed to evaluate")
	for _, n := range r.Notices {
		p.printField(0, "notice", n)
	}
	p.separatePart()
	if p.verbose {
		p.printDetail(r)
	}
	if r.Compared != nil {
		p.printComparison(r.Compared, r.Inventory.Settings)
		p.separatePart()
	}
	p.printSummary(r, o.ExitStatus)
	return p.Write(w)
}

// printItem prints a text after a name in the first column; nothing for an empty text.
func (p *Page) printItem(name, text string) {
	if text != "" {
		p.appendClean(name)
		p.printLine(bodyColumn, text)
	}
}

func (p *Page) printIdentity(r *report.Report) {
	m := &r.Inventory.Machine
	line := strings.Join(wording.CountProcessors(r.Inventory.Sockets), ", ")
	name, _, _ := strings.Cut(string(m.Platform.Name), " (")
	line += wording.InBrackets(name)
	line = strings.Join(append([]string{line}, wording.SumCapacities(&r.Inventory)...), ", ")
	switch filled, all := slotCount(&r.Inventory); {
	case filled > 0 && filled == all && withoutProcessors(&r.Inventory): // perhaps an excerpt with the filled slots alone
		line += " in " + humanize.Plural(filled, "slot")
	case filled > 0:
		line += " in " + strconv.Itoa(filled) + " of " + humanize.Plural(all, "slot")
	}
	if line = strings.TrimPrefix(line, ", "); line != "" {
		p.printLine(0, line)
	}
	profile := ""
	if r.Profile != nil && (r.ProfileAsked || p.verbose) {
		profile = "profile " + r.Profile.ID
	}
	if second := humanize.Joined(", ", wording.DescribeBIOS(&m.BIOS), m.Host.Text(), profile); second != "" {
		p.printLine(0, second)
	}
	if r.Profile == nil && r.ProfileAsked {
		p.printItem("Profile", "none: "+string(r.Why))
	}
}

func slotCount(inv *report.Inventory) (filled, all int) {
	for i := range inv.Slots {
		switch s := &inv.Slots[i]; {
		case unplacedKind(s) == kindOther:
		case s.State == "populated":
			filled++
			all++
		default:
			all++
		}
	}
	return filled, all
}

// UpperFirst returns s with its first letter in upper case.
func UpperFirst(s string) string {
	for i, c := range s {
		return string(unicode.ToUpper(c)) + s[i+len(string(c)):]
	}
	return s
}

// Statement returns the place and the sentence of a problem; the name of a setting keeps its case.
func Statement(pr *report.Problem) string {
	if pr.Settings() {
		return pr.Text()
	}
	return UpperFirst(pr.Text())
}

func (p *Page) printProblem(r *report.Report, i int) {
	pr := &r.Problems[i]
	p.appendClean(strconv.Itoa(i+1) + ". ")
	p.printStyled(strings.ToUpper(string(pr.Severity)))
	p.printWithRule(Statement(pr), pr.Rule)
	if pr.Settings() && len(pr.Members) > 1 {
		p.settingTable(pr)
	}
	p.printIndented("Fix", ProblemFix(r, i))
	p.printIndented("Source", pr.SourceLine())
	if p.verbose {
		p.printEvidence(pr)
	}
}

// ProblemFix returns what to do about a problem; the steps of an earlier problem are not printed again. The fix of a
// problem that a layout cures already names the problem that has the steps.
func ProblemFix(r *report.Report, i int) string {
	fix := r.Problems[i].Fix
	if r.CuredByLayout(&r.Problems[i]) {
		return fix
	}
	for j := range i {
		if fix != "" && r.Problems[j].Fix == fix {
			return "as for problem " + strconv.Itoa(j+1)
		}
	}
	return fix
}

func (p *Page) printIndented(name, text string) {
	if text != "" {
		p.padToColumn(3)
		p.printItem(name, text)
	}
}

// printWithRule prints a text from the body column on, and a rule's id at the right margin of its last line, or
// of a line of its own if there is no room.
func (p *Page) printWithRule(text, rule string) {
	p.padToColumn(bodyColumn)
	p.wrapWords(bodyColumn, text)
	width := printable.Columns(printable.Clean(rule))
	if p.col+2+width > p.width {
		p.newline()
	}
	p.padToColumn(p.width - width)
	p.appendClean(rule)
	p.newline()
}

func (p *Page) settingTable(pr *report.Problem) {
	t := &textTable{columns: []column{{head: "setting"}, {head: "current"}, {head: "recommended"}, {head: "severity"}}}
	for _, f := range pr.Members {
		t.appendRow(f.Subject.Name, verdict.WithoutBrackets(string(f.Found)), string(f.Expected), string(f.Severity))
	}
	t.printRows(p, bodyColumn)
}

func (p *Page) printNotes(r *report.Report) {
	for i := range r.Problems {
		pr := &r.Problems[i]
		if pr.IsAboveNote() {
			continue
		}
		word := strings.TrimPrefix(pr.Rule, verdict.SettingRules)
		if pr.Settings() && len(pr.Members) > 1 {
			word = ""
		}
		text := Statement(pr)
		if at := slices.IndexFunc(pr.Members, func(f *verdict.Finding) bool { return f.Doubt != "" }); at >= 0 {
			text += "; in doubt, as " + string(pr.Members[at].Doubt)
		}
		if word != "" {
			text += " (memaudit explain\n" + word + ")"
		}
		p.printItem("Note", text)
		if word == "" {
			p.settingTable(pr)
		}
		if p.verbose {
			p.printIndented("Fix", pr.Fix)
			p.printIndented("Source", pr.SourceLine())
			p.printEvidence(pr)
		}
	}
	for _, f := range r.Findings {
		if !f.Explains || f.Result != verdict.Pass {
			continue
		}
		p.printItem("Note", UpperFirst(string(f.Found))+" (memaudit explain\n"+f.Rule+")")
		if f.Effect != nil {
			p.printIndented("Measured", wording.DescribeCost(f.Effect))
		}
		if p.verbose {
			p.printIndented("Why", string(f.Why))
			p.printIndented("Source", f.Citation.Line())
		}
	}
	p.separatePart()
}

func (p *Page) printEvidence(pr *report.Problem) {
	for _, get := range []struct {
		name string
		of   func(*verdict.Finding) string
	}{
		{"Found", func(f *verdict.Finding) string { return string(f.Found) }},
		{"Expected", func(f *verdict.Finding) string { return string(f.Expected) }},
		{"Why", func(f *verdict.Finding) string { return string(f.Why) }},
		{"Cost", func(f *verdict.Finding) string { return wording.DescribeCost(f.Effect) }},
		{"How", func(f *verdict.Finding) string {
			if string(f.Remedy) == pr.Fix { // printed above
				return ""
			}
			return string(f.Remedy)
		}},
		{"Certainty", func(f *verdict.Finding) string { return f.Certainty.String() }},
	} {
		p.printGrouped(pr.Members, get.name, get.of)
	}
	seen, name := map[string]bool{}, "Evidence"
	for _, f := range pr.Members {
		for i := range f.Evidence {
			if line := wording.FormatReading(&f.Evidence[i]); !seen[line] {
				seen[line] = true
				p.printIndented(name, line)
				name = " "
			}
		}
	}
	p.printIndented("Causes", strings.Join(pr.Consequences, ", "))
}

// printGrouped prints one field of the findings of a problem: once if all are equal, otherwise each with its
// subjects.
func (p *Page) printGrouped(members []*verdict.Finding, name string, get func(*verdict.Finding) string) {
	var texts humanize.Groups[string]
	for _, f := range members {
		if text := get(f); text != "" {
			texts.Add(text, f.Subject.String())
		}
	}
	for _, text := range texts.Names {
		value, subjects := text, texts.Of[text]
		if len(texts.Names) > 1 || len(subjects) < len(members) {
			value = gluedList(subjects) + ": " + text
		}
		for line := range strings.SplitSeq(value, "\n") {
			p.printIndented(name, line)
			name = " "
		}
	}
}
