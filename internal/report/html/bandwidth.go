package html

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// bandwidth shows for each socket what share of its best is predicted, beside
// what a document measured for this layout.
func (p *page) bandwidth() {
	sockets := p.r.Inventory.Population.Sockets
	p.section("bandwidth", "Bandwidth")
	defer p.Close()
	if len(sockets) == 0 {
		p.Element("p", "No population is known, and so no prediction.")
		return
	}
	t := p.table("memory of", "predicted share", "measured by a document", "peak", "expected speed", "limited by", "DIMMs per channel")
	for i := range sockets {
		p.share(t, &sockets[i])
	}
	t.end()
	p.note("The predicted share is of what this processor could have at its best, all channels at its highest clock: from its slowest region to the most that one can have. It is not a measurement.")
}

func (p *page) share(t *table, s *report.PopulationSocket) {
	r := &s.Relative
	p.Open("tr")
	p.Element("th", socketTitle(socketOf(s.Socket)), attr("scope", "row"))
	p.Open("td", attr("data-head", t.heads[1]))
	if r.Low == nil || r.High == nil {
		p.Text("not known")
	} else {
		p.bar(r)
	}
	p.Close()
	measured := "none for this layout"
	if r.Value != nil {
		measured = wording.Percent(*r.Value) + " %"
	}
	if r.Source != nil && r.Value != nil {
		measured += " (" + *r.Source + ")"
	}
	peak, speed, limit := "not known", "not known", orDash(s.Limiter)
	if s.PeakBytes != nil {
		peak = wording.Bandwidth(*s.PeakBytes)
	}
	if s.ExpectedMTs != nil {
		speed = strconv.Itoa(*s.ExpectedMTs) + " MT/s"
	}
	for i, cell := range []string{measured, peak, speed, limit, depth(s.DIMMsPerChannel)} {
		p.Element("td", cell, attr("data-head", t.heads[i+2]))
	}
	p.Close()
	p.Line()
}

// depth lists the DIMMs of each channel.
func depth(dpc []int) string {
	if len(dpc) == 0 {
		return "not known"
	}
	out := ""
	for i, n := range dpc {
		if i > 0 {
			out += "-"
		}
		out += strconv.Itoa(n)
	}
	return out
}

// The measures of a bar, in CSS pixels.
const (
	barWidth  = 120
	barHeight = 12
)

// bar draws the range, and a tick where a document measured.
func (p *page) bar(r *report.Relative) {
	says := wording.Percent(*r.Low) + " to " + wording.Percent(*r.High) + " %"
	if wording.Percent(*r.Low) == wording.Percent(*r.High) {
		says = wording.Percent(*r.Low) + " %"
	}
	p.Open("svg", markup.Class("bar"), attr("viewBox", "0 0 "+strconv.Itoa(barWidth)+" "+strconv.Itoa(barHeight)),
		markup.Int("width", barWidth), markup.Int("height", barHeight), attr("aria-hidden", "true"))
	p.barPart("track", 0, 1)
	p.barPart("possible", 0, *r.High)
	p.barPart("sure", 0, *r.Low)
	if r.Value != nil {
		p.Shape("rect", markup.Class("tick"), markup.Int("x", min(share(*r.Value), barWidth-3)), markup.Int("y", 0), markup.Int("width", 3), markup.Int("height", barHeight))
	}
	p.Close()
	p.Text(" " + says)
}

func (p *page) barPart(class string, from, to float64) {
	p.Shape("rect", markup.Class(class), markup.Int("x", share(from)), markup.Int("y", 0), markup.Int("width", share(to)-share(from)), markup.Int("height", barHeight))
}

// share is a share's place on the bar.
func share(v float64) int { return int(min(max(v, 0), 1)*barWidth + .5) }
