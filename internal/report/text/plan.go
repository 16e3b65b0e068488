package text

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
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
	line := reachedLine(&c.Reached)
	line = cmp.Or(line, "not known")
	p.field(2, "gives", line)
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
