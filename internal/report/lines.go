package report

import (
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
)

// mostProblems limits the problems that ProblemLines lists: with the lines around them an output has at
// most 40 lines, whatever fails.
const mostProblems = 16

// ProblemLines lists the numbered problems for outputs of lines, each with its fix: what Nagios, JUnit,
// Ansible and the daemon's log print after the sentence.
func (r *Report) ProblemLines() []string {
	var out []string
	n := 0
	for i := range r.Problems {
		p := &r.Problems[i]
		if !p.Above() {
			continue
		}
		if n++; n > mostProblems {
			continue
		}
		out = append(out, strconv.Itoa(n)+". "+strings.ToUpper(string(p.Severity))+" "+p.Text()+" ("+p.Rule+")")
		if p.Fix != "" {
			out = append(out, "   Fix: "+p.Fix)
		}
	}
	if n > mostProblems {
		out = append(out, "and "+strconv.Itoa(n-mostProblems)+" more problems: memaudit check lists them")
	}
	return out
}

// markAlternatives marks a fix that is another layout of the DIMMs than that of an earlier problem: the
// two cannot both be carried out.
func (r *Report) markAlternatives(problems []Problem) {
	first := -1
	for i := range problems {
		p := &problems[i]
		switch {
		case !r.CuredByLayout(p):
		case first < 0:
			first = i
		case p.Cure == problems[first].Cure:
			p.Fix = "as for problem " + strconv.Itoa(first+1)
		default:
			p.Fix = "instead of the fix of problem " + strconv.Itoa(first+1) + ", as an alternative: " + p.Fix
		}
	}
}

// CuredByLayout reports whether another layout of the DIMMs cures a problem.
func (r *Report) CuredByLayout(p *Problem) bool {
	return p.Cure >= 0 && r.Advice[p.Cure].ID != plan.Settings
}
