package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
	"memaudit.example/memaudit/internal/topology/population"
)

// bandwidth holds for each socket the predicted share of its best, what a document measured for this
// layout, and what was measured on the machine.
type bandwidth struct {
	Head     []string
	Shares   []share
	Measured []measured
}

// share is the row of processors that are the same.
type share struct {
	Name, Text string
	Bar        *picture
	Cells      []string // those after the share
}

type measured struct {
	Tool, Unjudged, More string
	Table                *table
}

func (p *page) bandwidthSection() any {
	predicted := !p.isVirtualMachine() && slices.ContainsFunc(p.r.Inventory.Population.Sockets, func(s report.PopulationSocket) bool {
		return s.PeakBytes.Known() || s.ExpectedMTs.Known() || s.Relative.High != nil
	})
	if !predicted && len(p.r.Measured) == 0 {
		return nil
	}
	data := bandwidth{Measured: p.measuredTables()}
	if predicted {
		data.Head = []string{"CPU", "estimate", "measured in a document", "peak", "expected speed", "limited by", "DIMMs per channel"}
		data.Shares = p.bandwidthShares()
	}
	return data
}

func (p *page) bandwidthShares() []share {
	var out []share
	all := p.r.Inventory.Population.Sockets
	for _, group := range groupAlike(len(all), func(i int) (int, string) {
		return wording.SocketID(all[i].Socket), strings.Join(predictionLines(&all[i]), "\n") + shareText(&all[i].Relative)
	}) {
		s := &all[group.first]
		out = append(out, share{p.processorNames(group.ids), shareText(&s.Relative), drawShareBar(&s.Relative), predictionLines(s)})
	}
	return out
}

func shareText(r *population.Relative) string {
	if r.Low == nil || r.High == nil {
		return notKnown
	}
	low, high := wording.Percent(*r.Low), wording.Percent(*r.High)
	if low == high {
		return low + " %"
	}
	return low + " to " + high + " %"
}

func predictionLines(s *report.PopulationSocket) []string {
	r := &s.Relative
	measured := "none for this layout"
	if r.Value != nil {
		measured = wording.Percent(*r.Value) + " %"
	}
	if r.Source != "" && r.Value != nil {
		measured += " (" + string(r.Source) + ")"
	}
	peak := cmp.Or(fact.Convert(s.PeakBytes, humanize.Bandwidth[int64]).Text(), notKnown)
	speed := cmp.Or(fact.Convert(s.ExpectedMTs, func(mts int) string { return strconv.Itoa(mts) + " MT/s" }).Text(), notKnown)
	return []string{measured, peak, speed, cmp.Or(wording.LimiterName(s.Limiter), "-"), depthText(s.DIMMsPerChannel)}
}

func depthText(dpc []int) string {
	if len(dpc) == 0 {
		return notKnown
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(dpc), "[]"), " ", "-")
}

// The measures of a bar, in CSS pixels.
const (
	barWidth  = 120
	barHeight = 12
)

// drawShareBar draws the range, and a tick at the value that a document measured; nil if the range is not known.
func drawShareBar(r *population.Relative) *picture {
	if r.Low == nil || r.High == nil {
		return nil
	}
	out := &picture{Width: barWidth, Height: barHeight}
	out.Shapes.appendRectangle("track", 0, 0, barWidth, barHeight, 0)
	out.Shapes.appendRectangle("possible", 0, 0, positionOnBar(*r.High), barHeight, 0)
	out.Shapes.appendRectangle("sure", 0, 0, positionOnBar(*r.Low), barHeight, 0)
	if r.Value != nil {
		out.Shapes.appendRectangle("tick", min(positionOnBar(*r.Value), barWidth-3), 0, 3, barHeight, 0)
	}
	return out
}

func positionOnBar(v float64) int { return int(min(max(v, 0), 1)*barWidth + .5) }

// mostMeasured is how many figures of one result are listed: a matrix of more
// nodes than eight is read by programs.
const mostMeasured = 192

// measuredTables lists what was measured. A figure of a node's own memory is compared with the theoretical
// peak.
func (p *page) measuredTables() []measured {
	var out []measured
	for i := range p.r.Measured {
		m := &p.r.Measured[i]
		data := measured{Tool: string(m.Tool), Unjudged: string(m.Unjudged), Table: newTable("processors of", "memory of", "what", "measured", "passes", "peak, or measured by others")}
		for j := range m.Figures[:min(len(m.Figures), mostMeasured)] {
			f := &m.Figures[j]
			data.Table.appendRow(nodeName(f.CPUNode), nodeName(f.MemoryNode), wording.MeasuredKind(f), wording.MeasuredValue(f, f.Value), cmp.Or(wording.MeasuredPasses(f), "–"), shareOfPeak(f))
		}
		if more := len(m.Figures) - mostMeasured; more > 0 {
			data.More = humanize.Plural(more, "figure")
		}
		out = append(out, data)
	}
	return out
}

func nodeName(id *int) string {
	if id == nil {
		return "not said"
	}
	return "node " + strconv.Itoa(*id)
}

func shareOfPeak(f *report.MeasuredFigure) string {
	switch {
	case f.Documented != nil:
		return wording.ShareOfPeak(f)
	case f.Value == nil || f.Kind == "latency" || f.Kind == report.LoadedLatency || f.CPUNode == nil || *f.CPUNode != *f.MemoryNode:
		return "–"
	case f.Peak == nil:
		return "peak not known"
	default:
		return wording.ShareOfPeak(f)
	}
}
