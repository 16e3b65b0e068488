package text

import (
	"io"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// WriteWhatIf prints a machine as it is beside what it would be.
func WriteWhatIf(w io.Writer, r *report.WhatIf, o Options) error {
	p := newPrinter(o)
	p.side("BEFORE", &r.Before)
	p.side("AFTER", &r.After)
	p.changed("gone", r.FindingsGone)
	p.changed("new", r.FindingsNew)
	return p.flush(w)
}

func (p *printer) side(word string, r *report.Reaches) {
	capacity := "capacity not known"
	if r.CapacityBytes != nil {
		capacity = wording.Size(*r.CapacityBytes)
	}
	p.section(word, capacity)
	p.reaches(r, "fails")
	p.newline()
}

// changed lists the findings that are gone or new, one a line.
func (p *printer) changed(name string, findings []report.Remaining) {
	if len(findings) == 0 {
		p.field(0, name, "none")
		return
	}
	for _, f := range findings {
		p.field(0, name, f.Rule+" "+f.Subject+" ("+f.Severity+")")
		name = ""
	}
}
