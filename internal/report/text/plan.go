package text

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// WriteCapacity prints the ways to reach a capacity, the best first.
func WriteCapacity(w io.Writer, r *report.Capacity, o Options) error {
	p := newPrinter(o)
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
	return p.writeCollected(w)
}

func (p *printer) configuration(n int, r *report.Capacity, c *plan.Configuration) {
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
	p := newPrinter(o)
	inv := &report.Inventory{Sockets: r.Sockets}
	p.printSide("BEFORE", &r.Before, inv)
	p.printSide("AFTER", &r.After, inv)
	p.printField(0, "bandwidth", r.BandwidthChanges())
	p.printChanged("gone", r.FindingsGone, inv)
	p.printChanged("new", r.FindingsNew, inv)
	return p.writeCollected(w)
}

func (p *printer) printSide(word string, r *plan.Reaches, inv *report.Inventory) {
	capacity := "capacity not known"
	if r.CapacityBytes != nil {
		capacity = humanize.Size(*r.CapacityBytes)
	}
	p.printSection(word, capacity)
	p.printReached(r, inv, "fails")
	p.newline()
}

func (p *printer) printChanged(name string, findings []plan.Failure, inv *report.Inventory) {
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

func (p *printer) printAdvice(r *report.Report) {
	for i := range r.Advice {
		a := &r.Advice[i]
		p.printSection("ADVICE", string(a.ID)+": "+wording.AdviceEffort(a))
		name := "steps"
		for j, line := range report.StepLines(a.Steps, &r.Inventory) {
			p.printField(2, name, strconv.Itoa(j+1)+". "+line.Text)
			name = ""
		}
		if a.ID == plan.Settings {
			p.printField(2, "stays", remainingRules(a.Reaches.Findings, settingPrefix))
		} else {
			p.printReached(&a.Reaches, &r.Inventory, "stays")
		}
		var cured []string
		for _, c := range a.Cures {
			cured = wording.AddNew(cured, c.Rule)
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
func (p *printer) printReached(r *plan.Reaches, inv *report.Inventory, fails string) {
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
	var first wording.Groups[verdict.Severity]
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
