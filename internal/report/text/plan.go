package text

import (
	"io"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// WriteCapacity prints the ways to reach a capacity, the best first.
func WriteCapacity(w io.Writer, r *report.Capacity, o Options) error {
	p := newPrinter(o)
	head := humanize.Size(r.CapacityBytes)
	if r.Sockets > 1 {
		head += " on " + strconv.Itoa(r.Sockets) + " processors, " + humanize.Size(r.CapacityBytes/int64(r.Sockets)) + " each; figures are of one"
	}
	p.section("CAPACITY", head)
	if r.Machine != nil {
		p.field(2, "machine", wording.Machine(r.Machine))
	}
	p.field(2, "platform", string(r.Platform))
	p.field(2, "assumed", string(r.Assumed))
	p.newline()
	for i := range r.Configurations {
		p.configuration(i+1, &r.Configurations[i])
	}
	return p.flush(w)
}

func (p *printer) configuration(n int, c *report.Configuration) {
	title := dimmWords(c.DIMMs)
	if c.Discouraged {
		title += " (discouraged)"
	}
	p.section(strconv.Itoa(n), title)
	line := reachedLine(&report.ReachedSocket{Class: c.Class, ExpectedMTs: c.ExpectedMTs, PeakBytes: c.PeakBytes, Relative: c.Relative})
	if line == "" {
		line = "not known"
	}
	p.field(2, "gives", line)
	p.field(2, "slots", gluedList(c.Slots))
	for _, also := range c.Also {
		p.field(2, "or", gluedList(also))
	}
	p.field(2, "fails", remaining(c.Findings, "memory."))
	for _, e := range c.Effects {
		p.field(2, "effect", e.Text+" ("+string(e.Source)+")")
	}
	p.field(2, "source", c.Source)
	p.newline()
}

// dimmWords describes the DIMMs of a configuration: "4 x 16 GiB quad-rank and 8 x 8 GiB".
func dimmWords(list []report.DIMMs) string {
	var parts []string
	for _, d := range list {
		text := strconv.Itoa(d.Count) + " x " + humanize.Size(d.SizeBytes)
		if d.Ranks != nil {
			text += " " + report.Ranked(*d.Ranks)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " and ")
}

// WriteWhatIf prints a machine before and after a change.
func WriteWhatIf(w io.Writer, r *report.WhatIf, o Options) error {
	p := newPrinter(o)
	p.side("BEFORE", &r.Before)
	p.side("AFTER", &r.After)
	p.field(0, "bandwidth", r.BandwidthChanges())
	p.changed("gone", r.FindingsGone)
	p.changed("new", r.FindingsNew)
	return p.flush(w)
}

func (p *printer) side(word string, r *report.Reaches) {
	capacity := "capacity not known"
	if r.CapacityBytes != nil {
		capacity = humanize.Size(*r.CapacityBytes)
	}
	p.section(word, capacity)
	p.reaches(r, "fails")
	p.newline()
}

// changed lists findings that are gone or new, one per line.
func (p *printer) changed(name string, findings []plan.Failure) {
	if len(findings) == 0 {
		p.field(0, name, "none")
		return
	}
	for _, f := range findings {
		p.field(0, name, f.Rule+" "+f.Subject.String()+" ("+string(f.Severity)+")")
		name = ""
	}
}
