package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
	"memaudit.example/memaudit/internal/topology/population"
)

// mostDrawn is how many nodes are drawn with a line between any two: beyond,
// lines cross too often, and the table of distances alone shows them.
const mostDrawn = 4

func (p *page) numaSection() any {
	nodes := p.r.Inventory.Nodes
	if len(nodes) == 0 {
		return nil
	}
	data := struct {
		Picture   *picture
		Table     *table
		Distances bool // any is known
		Nodes     []report.Node
	}{nil, newTable("node", "kind", "socket", "memory", "CPUs"), slices.ContainsFunc(nodes, func(n report.Node) bool { return len(n.Distances) > 0 }), nodes}
	if len(nodes) > 1 && len(nodes) <= mostDrawn {
		data.Picture = nodesPicture(nodes)
	}
	for i := range nodes {
		n := &nodes[i]
		cpus := "-"
		if n.CPUs.Known() {
			cpus = string(n.CPUs.Value)
		}
		data.Table.appendRow("node "+strconv.Itoa(n.ID), string(n.Kind), nullable.Text(n.Socket, "?"), nodeMemory(n), cpus)
	}
	return data
}

func nodeMemory(n *report.Node) string {
	return cmp.Or(fact.Convert(n.MemoryBytes, humanize.Size).Text(), notKnown)
}

// The measures of the picture of nodes, in CSS pixels.
const (
	nodeWidth  = 110
	nodeHeight = 52
	nodeStepX  = 220
	nodeStepY  = 140
)

// nodesPicture draws up to four nodes at the corners of a square.
func nodesPicture(nodes []report.Node) *picture {
	out := &picture{Class: "nodes", Label: humanize.Plural(len(nodes), "NUMA node") + " and their distances, as in the tables below", Width: nodeWidth + nodeStepX + 2, Height: nodeHeight + 2}
	if len(nodes) > 2 {
		out.Height += nodeStepY
	}
	for a := range nodes {
		for b := a + 1; b < len(nodes); b++ {
			out.Shapes.drawNodeLink(nodes, a, b)
		}
	}
	for i := range nodes {
		out.Shapes.drawNode(&nodes[i], i)
	}
	return out
}

func nodeCorner(i int) (x, y int) { return i % 2 * nodeStepX, i / 2 * nodeStepY }

// drawNodeLink joins two nodes, with the distance both ways if the kernel's table has it. The numbers of the
// diagonals are placed off the crossing.
func (s *shapes) drawNodeLink(nodes []report.Node, a, b int) {
	ax, ay := nodeCorner(a)
	bx, by := nodeCorner(b)
	s.appendLine("link", ax+nodeWidth/2, ay+nodeHeight/2, bx+nodeWidth/2, by+nodeHeight/2)
	there, back := nodeDistance(nodes, a, b), nodeDistance(nodes, b, a)
	if there == "" && back == "" {
		return
	}
	if there != back {
		there = cmp.Or(there, "?") + "/" + cmp.Or(back, "?")
	}
	num, den := 1, 2
	if ax != bx && ay != by {
		num, den = 2, 5
	}
	x, y := ax+nodeWidth/2+(bx-ax)*num/den, ay+nodeHeight/2+(by-ay)*num/den
	half := 4*len(there) + 4
	s.appendRectangle("plate", x-half, y-9, 2*half, 18, 4)
	s.appendText("distance", x, y+4, there)
}

// nodeDistance returns the kernel's number from one node to another, "" if the table
// does not have one for each.
func nodeDistance(nodes []report.Node, from, to int) string {
	if len(nodes[from].Distances) != len(nodes) {
		return ""
	}
	return strconv.Itoa(nodes[from].Distances[to])
}

func (s *shapes) drawNode(n *report.Node, i int) {
	x, y := nodeCorner(i)
	class := "cell full"
	switch {
	case !n.MemoryBytes.Known():
		class = "cell unclear"
	case n.MemoryBytes.Value == 0:
		class = "cell empty"
	}
	name := "node " + strconv.Itoa(n.ID)
	if n.Socket != nil {
		name += ", socket " + strconv.Itoa(*n.Socket)
	}
	s.appendRectangle(class, x, y, nodeWidth, nodeHeight, 6)
	s.appendText("name", x+7, y+18, fitColumns(name, 16))
	s.appendText("size", x+7, y+36, nodeMemory(n))
	if n.Kind != "dram" {
		s.appendText("small", x+7, y+48, string(n.Kind))
	}
}

// distanceClass shades a distance: local, one that the kernel calls near (up to
// twice the local one), beyond. See the kernel's RECLAIM_DISTANCE, 30.
func distanceClass(d int) string {
	switch {
	case d <= 10:
		return "near"
	case d <= 20:
		return "mid"
	case d <= 30:
		return "far"
	default:
		return "farther"
	}
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

// bandwidthSection has for each socket the predicted share of its best, what a document measured for this layout, and
// what was measured on the machine.
func (p *page) bandwidthSection() any {
	predicted := !p.isVirtualMachine() && slices.ContainsFunc(p.r.Inventory.Population.Sockets, func(s report.PopulationSocket) bool {
		return s.PeakBytes.Known() || s.ExpectedMTs.Known() || s.Relative.High != nil
	})
	if !predicted && len(p.r.Measured) == 0 {
		return nil
	}
	data := map[string]any{"Measured": p.measuredTables()}
	if predicted {
		data["Head"] = []string{"CPU", "estimate", "measured in a document", "peak", "expected speed", "limited by", "DIMMs per channel"}
		data["Shares"] = p.bandwidthShares()
	}
	return data
}

func (p *page) bandwidthShares() []share {
	var out []share
	var alike humanize.Groups[int]
	for _, s := range p.r.Inventory.Population.Sockets {
		alike.Add(strings.Join(predictionLines(&s), "\n")+shareText(&s.Relative), report.SocketID(s.Socket))
	}
	for _, key := range alike.Names {
		s := p.r.Inventory.PopulationOf(alike.Of[key][0])
		out = append(out, share{p.processorNames(alike.Of[key]), shareText(&s.Relative), drawShareBar(&s.Relative), predictionLines(s)})
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
	depths := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.DIMMsPerChannel), "[]"), " ", "-")
	return []string{measured, peak, speed, cmp.Or(wording.LimiterName(s.Limiter), "-"), cmp.Or(depths, notKnown)}
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
