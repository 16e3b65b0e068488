package html

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// bandwidth shows for each socket what share of its best is predicted, beside
// what a document measured for this layout.
func (p *pageWriter) bandwidth() {
	sockets := p.r.Inventory.Population.Sockets
	defer p.measured()
	if !p.predicts() {
		return
	}
	t := p.table("CPU", "predicted share", "measured by a document", "peak", "expected speed", "limited by", "DIMMs per channel")
	for _, alike := range alikeNumbers(len(sockets), func(i int) string {
		return strings.Join(predicted(&sockets[i]), "\n") + shareText(&sockets[i].Relative)
	}) {
		ids := make([]int, len(alike))
		for n, i := range alike {
			ids[n] = wording.SocketID(sockets[i].Socket)
		}
		p.share(t, p.names(ids), &sockets[alike[0]])
	}
	t.end()
	p.note("The predicted share is of what this processor could have at its best, all channels at its highest clock: from its slowest region to the most that one can have. It is not a measurement.")
}

// predicts reports whether anything is known of a processor's memory.
func (p *pageWriter) predicts() bool {
	return slices.ContainsFunc(p.r.Inventory.Population.Sockets, func(s report.PopulationSocket) bool {
		return s.PeakBytes != nil || s.ExpectedMTs != nil || s.Relative.High != nil
	})
}

// shareText is the predicted range in words.
func shareText(r *report.Relative) string {
	if r.Low == nil || r.High == nil {
		return "not known"
	}
	low, high := wording.Percent(*r.Low), wording.Percent(*r.High)
	if low == high {
		return low + " %"
	}
	return low + " to " + high + " %"
}

// predicted are the cells of a socket after its share.
func predicted(s *report.PopulationSocket) []string {
	r := &s.Relative
	measured := "none for this layout"
	if r.Value != nil {
		measured = wording.Percent(*r.Value) + " %"
	}
	if r.Source != nil && r.Value != nil {
		measured += " (" + *r.Source + ")"
	}
	peak, speed := "not known", "not known"
	if s.PeakBytes != nil {
		peak = prose.Bandwidth(*s.PeakBytes)
	}
	if s.ExpectedMTs != nil {
		speed = strconv.Itoa(*s.ExpectedMTs) + " MT/s"
	}
	return []string{measured, peak, speed, cmp.Or(wording.Limiter(report.OrEmpty(s.Limiter)), "-"), depthText(s.DIMMsPerChannel)}
}

func (p *pageWriter) share(t *tableWriter, name string, s *report.PopulationSocket) {
	p.Open("tr")
	p.Element("th", name, attr("scope", "row"))
	p.Open("td", attr("data-head", t.heads[1]))
	if r := &s.Relative; r.Low != nil && r.High != nil {
		p.bar(r)
	}
	p.Text(shareText(&s.Relative))
	p.Close()
	for i, cell := range predicted(s) {
		p.Element("td", cell, attr("data-head", t.heads[i+2]))
	}
	p.Close()
	p.Line()
}

// depthText lists the DIMMs of each channel.
func depthText(dpc []int) string {
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
func (p *pageWriter) bar(r *report.Relative) {
	p.Open("svg", markup.Class("bar"), attr("viewBox", "0 0 "+strconv.Itoa(barWidth)+" "+strconv.Itoa(barHeight)),
		markup.Int("width", barWidth), markup.Int("height", barHeight), attr("aria-hidden", "true"))
	p.barPart("track", 0, 1)
	p.barPart("possible", 0, *r.High)
	p.barPart("sure", 0, *r.Low)
	if r.Value != nil {
		p.Shape("rect", markup.Class("tick"), markup.Int("x", min(onBar(*r.Value), barWidth-3)), markup.Int("y", 0), markup.Int("width", 3), markup.Int("height", barHeight))
	}
	p.Close()
	p.Text(" ")
}

func (p *pageWriter) barPart(class string, from, to float64) {
	p.Shape("rect", markup.Class(class), markup.Int("x", onBar(from)), markup.Int("y", 0), markup.Int("width", onBar(to)-onBar(from)), markup.Int("height", barHeight))
}

// onBar is a share's place on the bar.
func onBar(v float64) int { return int(min(max(v, 0), 1)*barWidth + .5) }

// mostMeasured is how many figures of one result are listed: a matrix of more
// nodes than eight is read by programs.
const mostMeasured = 192

// measured lists what was measured, beside the theoretical peak of the node's
// memory where the figure is of a node's own memory.
func (p *pageWriter) measured() {
	for i := range p.r.Measured {
		m := &p.r.Measured[i]
		p.Element("h3", "Measured with "+m.Tool)
		if m.Unjudged != nil {
			p.note("No verdict: " + *m.Unjudged + ".")
		}
		t := p.table("processors of", "memory of", "what", "measured", "passes", "of the peak")
		for j := range m.Figures[:min(len(m.Figures), mostMeasured)] {
			f := &m.Figures[j]
			t.row(nodeName(f.CPUNode), nodeName(f.MemoryNode), wording.MeasuredKind(f), wording.MeasuredValue(f, f.Value), cmp.Or(wording.MeasuredPasses(f), "–"), p.ofPeak(f))
		}
		t.end()
		if more := len(m.Figures) - mostMeasured; more > 0 {
			p.note(prose.Count(more, "figure") + " more in the JSON.")
		}
	}
}

func nodeName(id *int) string {
	if id == nil {
		return "not said"
	}
	return "node " + strconv.Itoa(*id)
}

// ofPeak is a local figure's share of the peak of its node's memory: that of the
// socket, divided among the socket's nodes with memory.
func (p *pageWriter) ofPeak(f *report.MeasuredFigure) string {
	if f.Value == nil || f.Kind == "latency" || f.CPUNode == nil || *f.CPUNode != *f.MemoryNode {
		return "–"
	}
	socket, nodes := -1, int64(0)
	for _, n := range p.r.Inventory.Nodes {
		if n.ID == *f.CPUNode && n.Socket != nil {
			socket = *n.Socket
		}
	}
	for _, n := range p.r.Inventory.Nodes {
		if n.Socket != nil && *n.Socket == socket && n.MemoryBytes != nil && *n.MemoryBytes > 0 {
			nodes++
		}
	}
	for i := range p.r.Inventory.Population.Sockets {
		s := &p.r.Inventory.Population.Sockets[i]
		if s.Socket != nil && *s.Socket == socket && s.PeakBytes != nil && nodes > 0 {
			peak := *s.PeakBytes / nodes
			return wording.Percent(*f.Value/float64(peak)) + " % of " + prose.Bandwidth(peak)
		}
	}
	return "peak not known"
}
