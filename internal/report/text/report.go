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
	p := newPrinter(o)
	p.section(r.Verdict.Status.Word(), wording.Verdict(r))
	p.newline()
	p.item("Outdated", r.Outdated)
	p.identity(r)
	p.part()
	p.memory(r)
	for i := range r.Problems {
		if r.Problems[i].Above() {
			p.problem(r, i)
			p.newline()
		}
	}
	p.notes(r)
	p.waived(r.Findings)
	p.measured(r.Measured)
	p.reasons(r.Findings, verdict.Error, "ERROR", " failed to evaluate")
	p.notices(r.Notices)
	p.part()
	if p.verbose {
		p.detail(r)
	}
	if r.Profiles != nil {
		p.comparison(r.Profiles, r.ProfilesWhy, r.LeftOut, r.Inventory.Settings)
		p.part()
	}
	p.summary(r, o.ExitStatus)
	return p.flush(w)
}

// item prints a text after a name in the first column; nothing for an empty text.
func (p *printer) item(name, text string) {
	if text != "" {
		p.put(name)
		p.line(bodyColumn, text)
	}
}

func (p *printer) identity(r *report.Report) {
	m := &r.Inventory.Machine
	line := strings.Join(wording.Processors(r.Inventory.Sockets), ", ")
	if name, _, _ := strings.Cut(string(m.Platform.Name), " ("); name != "" {
		line += " (" + name + ")"
	}
	line = strings.Join(append([]string{line}, wording.Capacities(&r.Inventory)...), ", ")
	switch filled, all := slotCount(&r.Inventory); {
	case filled > 0 && filled == all && withoutProcessors(&r.Inventory): // perhaps an excerpt with the filled slots alone
		line += " in " + humanize.Plural(filled, "slot")
	case filled > 0:
		line += " in " + strconv.Itoa(filled) + " of " + humanize.Plural(all, "slot")
	}
	if line = strings.TrimPrefix(line, ", "); line != "" {
		p.line(0, line)
	}
	profile := ""
	if r.Profile != nil && (r.ProfileAsked || p.verbose) {
		profile = "profile " + r.Profile.ID
	}
	if second := humanize.Joined(", ", wording.BIOS(&m.BIOS), m.Host.Text(), profile); second != "" {
		p.line(0, second)
	}
	if r.Profile == nil && r.ProfileAsked {
		p.item("Profile", "none: "+string(r.Why))
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

func (p *printer) problem(r *report.Report, i int) {
	pr := &r.Problems[i]
	p.put(strconv.Itoa(i+1) + ". ")
	p.lead(strings.ToUpper(string(pr.Severity)))
	p.ruled(Statement(pr), pr.Rule)
	if pr.Settings() && len(pr.Members) > 1 {
		p.settingTable(pr)
	}
	p.indented("Fix", FixOf(r, i))
	p.indented("Source", pr.SourceLine())
	if p.verbose {
		p.evidence(r, pr)
	}
}

// FixOf returns what to do about a problem; the steps of an earlier problem are not printed again. The fix of a
// problem that a layout cures already names the problem that has the steps.
func FixOf(r *report.Report, i int) string {
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

func (p *printer) indented(name, text string) {
	if text != "" {
		p.to(3)
		p.item(name, text)
	}
}

// ruled prints a text from the body column on, and a rule's id at the right margin of its last line, or
// of a line of its own if there is no room.
func (p *printer) ruled(text, rule string) {
	p.to(bodyColumn)
	p.wrap(bodyColumn, text)
	width := printable.Columns(printable.Clean(rule))
	if p.col+2+width > p.width {
		p.newline()
	}
	p.to(p.width - width)
	p.put(rule)
	p.newline()
}

func (p *printer) settingTable(pr *report.Problem) {
	t := &textTable{columns: []column{{head: "setting"}, {head: "current"}, {head: "recommended"}, {head: "severity"}}}
	for _, f := range pr.Members {
		t.row(f.Subject.Name, wording.WithoutBrackets(string(f.Found)), string(f.Expected), string(f.Severity))
	}
	t.print(p, bodyColumn)
}

// settingPrefix begins the ids of the rules that check a setting against a profile.
const settingPrefix = "setting."

func (p *printer) notes(r *report.Report) {
	for i := range r.Problems {
		pr := &r.Problems[i]
		if pr.Above() {
			continue
		}
		word := strings.TrimPrefix(pr.Rule, settingPrefix)
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
		p.item("Note", text)
		if word == "" {
			p.settingTable(pr)
		}
		if p.verbose {
			p.indented("Fix", pr.Fix)
			p.indented("Source", pr.SourceLine())
			p.evidence(r, pr)
		}
	}
	for _, f := range r.Findings {
		if !f.Explains || f.Result != verdict.Pass {
			continue
		}
		p.item("Note", UpperFirst(string(f.Found))+" (memaudit explain\n"+f.Rule+")")
		if f.Effect != nil {
			p.indented("Measured", wording.Costs(f.Effect))
		}
		if p.verbose {
			p.indented("Why", string(f.Why))
			p.indented("Source", f.Citation.Line())
		}
	}
	p.part()
}

func (p *printer) evidence(r *report.Report, pr *report.Problem) {
	for _, get := range []struct {
		name string
		of   func(*verdict.Finding) string
	}{
		{"Found", func(f *verdict.Finding) string { return string(f.Found) }},
		{"Expected", func(f *verdict.Finding) string { return string(f.Expected) }},
		{"Why", func(f *verdict.Finding) string { return string(f.Why) }},
		{"Cost", func(f *verdict.Finding) string { return wording.Costs(f.Effect) }},
		{"How", func(f *verdict.Finding) string {
			if string(f.Remedy) == pr.Fix { // printed above
				return ""
			}
			return string(f.Remedy)
		}},
		{"Certainty", func(f *verdict.Finding) string { return f.Certainty.String() }},
	} {
		p.grouped(pr.Members, get.name, get.of)
	}
	seen, name := map[string]bool{}, "Evidence"
	for _, f := range pr.Members {
		for i := range f.Evidence {
			if line := wording.Reading(&f.Evidence[i]); !seen[line] {
				seen[line] = true
				p.indented(name, line)
				name = " "
			}
		}
	}
	p.indented("Causes", strings.Join(pr.Consequences, ", "))
}

// grouped prints one field of the findings of a problem: once if all are equal, otherwise each with its
// subjects.
func (p *printer) grouped(members []*verdict.Finding, name string, get func(*verdict.Finding) string) {
	var texts wording.Groups[string]
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
			p.indented(name, line)
			name = " "
		}
	}
}

func (p *printer) finding(f *verdict.Finding) {
	if f.Result == verdict.Fail {
		p.lead(strings.ToUpper(string(f.Severity)))
	} else {
		p.put("Note")
	}
	p.ruled(UpperFirst(string(f.Found)), f.Rule)
	p.indented("Expected", string(f.Expected))
	p.indented("Cost", wording.Costs(f.Effect))
	p.grouped([]*verdict.Finding{f}, "Fix", func(f *verdict.Finding) string { return string(f.Remedy) })
	p.indented("Source", f.Citation.Line())
}
