package text

import (
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// advice prints every way to improve the population and the BIOS settings: the steps in order, and the result
// of an audit after them.
func (p *printer) advice(r *report.Report) {
	for i := range r.Advice {
		a := &r.Advice[i]
		p.section("ADVICE", string(a.ID)+": "+wording.Effort(a))
		name := "steps"
		for j, line := range report.Steps(a.Steps, &r.Inventory) {
			p.field(2, name, strconv.Itoa(j+1)+". "+line.Text)
			name = ""
		}
		if a.ID == plan.Settings {
			p.field(2, "stays", remaining(a.Reaches.Findings, settingPrefix))
		} else {
			p.reaches(&a.Reaches, &r.Inventory, "stays")
		}
		p.field(2, "cures", curedRules(a.Cures))
		if i == 0 {
			p.field(2, "cheaper", r.AdviceExpensive)
		}
		p.field(2, "source", a.Source)
		p.newline()
	}
}

// reaches prints the result for each CPU after the steps, equal ones once, and the failures that remain, under
// the given name.
func (p *printer) reaches(r *plan.Reaches, inv *report.Inventory, fails string) {
	p.reached(r, inv)
	p.field(2, fails, remaining(r.Findings, "memory."))
}

// reached prints the result for each CPU after the steps, equal ones once.
func (p *printer) reached(r *plan.Reaches, inv *report.Inventory) {
	lines, socks := reachedLines(r, inv)
	name := "reaches"
	for _, line := range lines {
		if len(lines) > 1 {
			line = gluedList(socks[line]) + ": " + line
		}
		p.field(2, name, line)
		name = ""
	}
}

// reachedLines returns the distinct descriptions of CPUs after the steps, and for each the names of its CPUs.
// CPUs with an unknown result are left out.
func reachedLines(r *plan.Reaches, inv *report.Inventory) (lines []string, socks map[string][]string) {
	socks = map[string][]string{}
	for i := range r.Sockets {
		s := &r.Sockets[i]
		line := reachedLine(&s.Reached)
		if line == "" {
			continue
		}
		if _, ok := socks[line]; !ok {
			lines = append(lines, line)
		}
		name := "machine"
		if s.Socket != nil {
			name = inv.SocketName(*s.Socket)
		}
		socks[line] = append(socks[line], name)
	}
	return lines, socks
}

// generalGrades are those of the general model. They are for programs: people read speed and share.
var generalGrades = map[string]bool{"A": true, "B": true, "C": true, "D": true, "E": true}

func reachedLine(s *plan.Reached) string {
	var parts []string
	documented := s.Class != "" && !generalGrades[string(s.Class)]
	if documented {
		parts = append(parts, "class "+string(s.Class))
	}
	if speed := wording.ReachedSpeed(s); speed != "" {
		parts = append(parts, speed)
	}
	if s.PeakBytes != nil {
		parts = append(parts, humanize.Bandwidth(*s.PeakBytes))
	}
	if share := wording.Promised(&s.Relative, documented); share != "" {
		parts = append(parts, share)
	}
	return strings.Join(parts, ", ")
}

func remaining(findings []plan.Failure, rules string) string {
	var names []string
	seen := map[string]bool{}
	for _, f := range findings {
		if strings.HasPrefix(f.Rule, rules) && !seen[f.Rule] {
			seen[f.Rule] = true
			names = append(names, f.Rule+" ("+string(f.Severity)+")")
		}
	}
	return strings.Join(names, ", ")
}

func curedRules(list []verdict.Ref) string {
	var names []string
	seen := map[string]bool{}
	for _, c := range list {
		if !seen[c.Rule] {
			seen[c.Rule] = true
			names = append(names, c.Rule)
		}
	}
	return strings.Join(names, ", ")
}
