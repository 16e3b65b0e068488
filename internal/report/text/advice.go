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
// the given name. CPUs with an unknown result are left out.
func (p *printer) reaches(r *plan.Reaches, inv *report.Inventory, fails string) {
	var lines wording.Groups[string]
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
		p.field(2, name, line)
		name = ""
	}
	p.field(2, fails, remaining(r.Findings, "memory."))
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
	return humanize.Joined(", ", class, wording.ReachedSpeed(s), peak, wording.Promised(&s.Relative, documented))
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
