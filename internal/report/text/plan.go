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
	p.section("CAPACITY", head)
	if r.RequestedBytes != r.CapacityBytes {
		p.field(2, "requested", humanize.Size(r.RequestedBytes)+", which no documented layout has; this is the nearest one above")
	}
	if r.Machine != nil {
		p.field(2, "machine", wording.Machine(r.Machine))
	}
	p.field(2, "platform", string(r.Platform))
	p.field(2, "assumed", string(r.Assumed))
	p.newline()
	for i := range r.Configurations {
		p.configuration(i+1, r, &r.Configurations[i])
	}
	return p.flush(w)
}

func (p *printer) configuration(n int, r *report.Capacity, c *plan.Configuration) {
	title := dimmWords(r, c)
	if c.Discouraged {
		title += " (discouraged)"
	}
	p.section(strconv.Itoa(n), title)
	p.field(2, "gives", cmp.Or(reachedLine(&c.Reached), "not known"))
	name := "slots"
	for _, slots := range slices.Concat([][]string{c.Slots}, c.OtherSlots) {
		p.field(2, name, gluedList(humanize.Spans(slots)))
		name = ""
	}
	for _, also := range c.Also {
		p.field(2, "or", gluedList(humanize.Spans(also)))
	}
	p.field(2, "doubt", string(c.Doubt))
	p.field(2, "note", string(c.Note))
	p.field(2, "fails", remaining(c.Findings, "memory."))
	for _, e := range c.Effects {
		p.field(2, "effect", e.Text+" ("+string(e.Source)+")")
	}
	p.field(2, "source", c.Source)
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
	p.side("BEFORE", &r.Before, inv)
	p.side("AFTER", &r.After, inv)
	p.field(0, "bandwidth", r.BandwidthChanges())
	p.changed("gone", r.FindingsGone, inv)
	p.changed("new", r.FindingsNew, inv)
	return p.flush(w)
}

func (p *printer) side(word string, r *plan.Reaches, inv *report.Inventory) {
	capacity := "capacity not known"
	if r.CapacityBytes != nil {
		capacity = humanize.Size(*r.CapacityBytes)
	}
	p.section(word, capacity)
	p.reaches(r, inv, "fails")
	p.newline()
}

// changed lists findings that are gone or new, one per line.
func (p *printer) changed(name string, findings []plan.Failure, inv *report.Inventory) {
	if len(findings) == 0 {
		p.field(0, name, "none")
		return
	}
	for _, f := range findings {
		about := f.Subject.String()
		if f.Subject.Kind == inventory.AboutSocket {
			about = inv.SocketName(f.Subject.Number)
		}
		p.field(0, name, f.Rule+" "+about+" ("+string(f.Severity)+")")
		name = ""
	}
}

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

func curedRules(list []verdict.Ref) string {
	var names []string
	for _, c := range list {
		names = wording.AddNew(names, c.Rule)
	}
	return strings.Join(names, ", ")
}
