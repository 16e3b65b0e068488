package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

const wordAdvice = "ADVICE"

// adviceNames returns a finding's remedy or, if an advice cures it, a pointer to that advice.
func adviceNames(f *report.Finding) string {
	if len(f.Advice) == 0 {
		return report.OrEmpty(f.Remedy)
	}
	return "see " + wordAdvice + ": " + strings.Join(slices.Compact(slices.Clone(f.Advice)), " or ")
}

// advice prints once for the machine what to do about the population and the BIOS settings: the
// steps in order, and what an audit says after them.
func (p *printer) advice(r *report.Report) {
	if r.AdviceByChannel != "" {
		p.section(wordAdvice, "by channel, as no slot can be named")
		p.brief(2, "steps", r.AdviceByChannel, linesSteps)
		p.newline()
	}
	if less := r.FewerAlone(); less != nil {
		p.fewerAlone(less, &r.Inventory)
	}
	if len(r.Advice) == 0 {
		return
	}
	if !p.verbose {
		p.briefAdvice(r)
		return
	}
	for i := range r.Advice {
		a := &r.Advice[i]
		p.section(wordAdvice, a.ID+": "+wording.Effort(a))
		name := "steps"
		for j, line := range report.Steps(a.Steps, &r.Inventory) {
			p.field(2, name, strconv.Itoa(j+1)+". "+line.Text)
			name = ""
		}
		p.promises(a)
		p.field(2, "cures", curedRules(a.Cures))
		p.field(2, "cheaper", cheaper(r, i))
		if r.AdviceFewer != nil && i == 0 && r.FewerAlone() == nil {
			p.field(2, "or less", lessened(r.AdviceFewer, true, &r.Inventory))
		}
		p.field(2, "source", a.Source)
		p.newline()
	}
}

// other prints a further advice: its cost and its result, and its steps if nothing has to be left
// out of the report.
func (p *printer) other(a *report.Advice, steps []string) {
	line := a.ID + ": " + wording.Effort(a) + "; " + outcome(&a.Reaches)
	lines := linesOther
	switch {
	case p.tight == 0:
		line += ": " + strings.Join(steps, "; ")
		lines++
	case p.tight > 1:
		lines = 1
	}
	p.atMost(lines, func() { p.field(2, "or", line) })
}

// lessened describes in one line a way that buys nothing. Its steps are added if whole is set, or
// if no module is taken out, because they are short then.
func lessened(a *report.Advice, whole bool, inv *report.Inventory) string {
	steps := strings.Join(briefSteps(a.Steps, inv), "; ")
	if a.Removes == 0 {
		return "buy nothing: " + steps + "; " + outcome(&a.Reaches)
	}
	moved := ""
	if a.Moves > 0 {
		moved = ", " + prose.Count(a.Moves, "move")
	}
	line := "buy nothing, take out " + prose.Count(a.Removes, "module") + " (" + prose.Size(a.GivenUpBytes) + ")" + moved + "; " + outcome(&a.Reaches)
	if whole {
		line += ": " + steps
	}
	return line
}

// fewerAlone prints a way that buys nothing if there is no other advice, for example on a full
// board with unequal channels.
func (p *printer) fewerAlone(a *report.Advice, inv *report.Inventory) {
	title := "none that keeps the capacity"
	if a.Removes == 0 {
		title = "none after which nothing new fails"
	}
	p.section(wordAdvice, title)
	if a.Removes == 0 {
		p.brief(2, "or less", lessened(a, true, inv), linesSteps)
	} else {
		p.brief(2, "or less", lessened(a, false, inv), linesOther)
		p.brief(2, "steps", strings.Join(briefSteps(a.Steps, inv), "; "), linesSteps)
	}
	p.newline()
}

// cheaper returns, for the first advice, why there is no cheaper one.
func cheaper(r *report.Report, nth int) string {
	if nth > 0 || r.AdviceDear == "" {
		return ""
	}
	return r.AdviceDear
}

// briefAdvice prints the cheapest advice with its steps, and the others shortened; where most is left
// out, of the others only the last.
func (p *printer) briefAdvice(r *report.Report) {
	all := r.Advice
	if n := len(all) - 1; all[n].ID == report.AdviceSettings {
		defer p.briefSettings(&all[n])
		all = all[:n]
	}
	for i := range all {
		a := &all[i]
		steps := briefSteps(a.Steps, &r.Inventory)
		if i > 0 {
			if p.tight < tightest || i == len(all)-1 { // the last cures most
				p.other(a, steps)
			}
			continue
		}
		p.section(wordAdvice, a.ID+": "+wording.Effort(a))
		p.brief(2, "steps", strings.Join(steps, "; "), linesSteps)
		p.atMost(linesReaches-min(p.tight, 2), func() { p.reached(&a.Reaches) })
		p.brief(2, "stays", remaining(a.Reaches.Findings, "memory."), linesOther)
		if why := cheaper(r, i); why != "" && p.tight < tightest {
			p.brief(2, "cheaper", why, linesOther)
		}
		if r.AdviceFewer != nil && p.tight < tightest {
			p.brief(2, "or less", lessened(r.AdviceFewer, false, &r.Inventory), linesReaches)
		}
		if p.tight < tightest-1 || p.tight < tightest && len(all) == 1 {
			p.brief(2, "source", a.Source, 1)
		}
	}
	if len(all) > 0 {
		p.newline()
	}
}

// briefSettings prints the one step that sets many settings.
func (p *printer) briefSettings(a *report.Advice) {
	p.section(wordAdvice, a.ID+": "+wording.Effort(a))
	p.brief(2, "step", report.Steps(a.Steps, &report.Inventory{})[0].Text, linesSteps)
	p.atMost(linesReaches-min(p.tight, 2), func() { p.promises(a) })
	if p.tight < tightest {
		p.brief(2, "source", a.Source, 1)
	}
	p.newline()
}

// promises prints what an audit says after the steps; of settings only the failures that remain.
func (p *printer) promises(a *report.Advice) {
	if a.ID == report.AdviceSettings {
		p.field(2, "stays", remaining(a.Reaches.Findings, settingPrefix))
		return
	}
	p.reaches(&a.Reaches, "stays")
}

// briefSteps returns the steps with their numbers. A line with a single step is kept whole.
func briefSteps(steps []report.Step, inv *report.Inventory) []string {
	var out []string
	for i, line := range report.Steps(steps, inv) {
		text := strconv.Itoa(i+1) + ". " + line.Text
		if len(line.Steps) == 1 {
			text = strings.ReplaceAll(text, " ", hardBlank)
		}
		out = append(out, text)
	}
	return out
}

// The number of lines that parts of an advice may have in the brief report if nothing has to be left
// out.
const (
	linesSteps   = 6
	linesReaches = 3
	linesOther   = 2
)

// outcome returns what an advice reaches and what remains, as a clause.
func outcome(r *report.Reaches) string {
	lines, _ := reachedLines(r)
	out := "reaches " + strings.Join(lines, " and ")
	if len(lines) == 0 {
		out = "what it reaches is not known"
	}
	if stays := remaining(r.Findings, "memory."); stays != "" {
		return out + "; " + stays + " stays"
	}
	return out
}

// reaches prints what each processor has after the steps, equal ones once, and the failures that
// remain, under the given name.
func (p *printer) reaches(r *report.Reaches, fails string) {
	p.reached(r)
	p.field(2, fails, remaining(r.Findings, "memory."))
}

// reached prints what each processor has after the steps, equal ones once.
func (p *printer) reached(r *report.Reaches) {
	lines, socks := reachedLines(r)
	name := "reaches"
	for _, line := range lines {
		if len(lines) > 1 {
			line = gluedList(socks[line]) + ": " + line
		}
		p.field(2, name, line)
		name = ""
	}
}

// reachedLines returns the different descriptions of processors after the steps, and for each the
// names of the processors that it is true for. Processors of which nothing is known are left out.
func reachedLines(r *report.Reaches) (lines []string, socks map[string][]string) {
	socks = map[string][]string{}
	for i := range r.Sockets {
		s := &r.Sockets[i]
		line := reachedLine(s)
		if line == "" {
			continue
		}
		if _, ok := socks[line]; !ok {
			lines = append(lines, line)
		}
		name := "machine"
		if s.Socket != nil {
			name = "socket " + strconv.Itoa(*s.Socket)
		}
		socks[line] = append(socks[line], name)
	}
	return lines, socks
}

func reachedLine(s *report.ReachedSocket) string {
	var parts []string
	if s.Class != nil {
		parts = append(parts, "class "+*s.Class)
	}
	if speed := wording.ReachedSpeed(s); speed != "" {
		parts = append(parts, speed)
	}
	if s.PeakBytes != nil {
		parts = append(parts, prose.Bandwidth(*s.PeakBytes))
	}
	if share := wording.Promised(&s.Relative, s.Class != nil); share != "" {
		parts = append(parts, share)
	}
	return strings.Join(parts, ", ")
}

// remaining lists what still fails, of rules whose ids start with this text.
func remaining(findings []report.Remaining, rules string) string {
	var names []string
	seen := map[string]bool{}
	for _, f := range findings {
		if strings.HasPrefix(f.Rule, rules) && !seen[f.Rule] {
			seen[f.Rule] = true
			names = append(names, f.Rule+" ("+f.Severity+")")
		}
	}
	return strings.Join(names, ", ")
}

// curedRules lists the rules that no longer fail.
func curedRules(list []report.Cured) string {
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
