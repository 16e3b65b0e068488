package html

import (
	"cmp"
	"strconv"

	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
)

// orUnknown is the number, "?" if it is not known.
func orUnknown(v *int) string {
	if v == nil {
		return "?"
	}
	return strconv.Itoa(*v)
}

// mostDrawn is how many nodes are drawn with a line between any two: beyond,
// lines cross too often, and the table of distances alone shows them.
const mostDrawn = 4

// numa draws the nodes with their memory, and the distances between them.
func (p *pageWriter) numa() {
	nodes := p.r.Inventory.Nodes
	if len(nodes) > 1 && len(nodes) <= mostDrawn {
		p.nodesPicture(nodes)
	}
	t := p.table("node", "kind", "socket", "memory", "CPUs")
	for i := range nodes {
		n := &nodes[i]
		t.row("node "+strconv.Itoa(n.ID), n.Kind, orUnknown(n.Socket), nodeMemory(n), orDash(n.CPUs))
	}
	t.end()
	p.distances(nodes)
}

func nodeMemory(n *report.Node) string {
	if n.MemoryBytes == nil {
		return "not known"
	}
	return prose.Memory(*n.MemoryBytes)
}

// The measures of the picture of nodes, in CSS pixels.
const (
	nodeWidth  = 110
	nodeHeight = 52
	nodeStepX  = 220
	nodeStepY  = 140
)

// nodesPicture draws up to four nodes at the corners of a square.
func (p *pageWriter) nodesPicture(nodes []report.Node) {
	width, height := nodeWidth+nodeStepX, nodeHeight
	if len(nodes) > 2 {
		height += nodeStepY
	}
	p.Open("svg", markup.Class("nodes"), attr("viewBox", "0 0 "+strconv.Itoa(width+2)+" "+strconv.Itoa(height+2)), markup.Int("width", width+2), markup.Int("height", height+2),
		attr("role", "img"), attr("aria-label", prose.Count(len(nodes), "NUMA node")+" and their distances, as in the tables below"))
	p.Open("g", attr("transform", "translate(1 1)"))
	for a := range nodes {
		for b := a + 1; b < len(nodes); b++ {
			p.link(nodes, a, b)
		}
	}
	for i := range nodes {
		p.node(&nodes[i], i)
	}
	p.Close()
	p.Close()
}

func corner(i int) (x, y int) { return i % 2 * nodeStepX, i / 2 * nodeStepY }

// link joins two nodes, with the distance both ways where the kernel's table
// says it. The numbers of the diagonals stand off the crossing.
func (p *pageWriter) link(nodes []report.Node, a, b int) {
	ax, ay := corner(a)
	bx, by := corner(b)
	p.Shape("line", markup.Class("link"), markup.Int("x1", ax+nodeWidth/2), markup.Int("y1", ay+nodeHeight/2), markup.Int("x2", bx+nodeWidth/2), markup.Int("y2", by+nodeHeight/2))
	there, back := distance(nodes, a, b), distance(nodes, b, a)
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
	p.Shape("rect", markup.Class("plate"), markup.Int("x", x-half), markup.Int("y", y-9), markup.Int("width", 2*half), markup.Int("height", 18), attr("rx", "4"))
	p.Element("text", there, markup.Class("distance"), markup.Int("x", x), markup.Int("y", y+4))
}

// distance is the kernel's number from one node to another, "" when the table
// does not have one for each.
func distance(nodes []report.Node, from, to int) string {
	if len(nodes[from].Distances) != len(nodes) {
		return ""
	}
	return strconv.Itoa(nodes[from].Distances[to])
}

// node draws one node; one without memory stands out.
func (p *pageWriter) node(n *report.Node, i int) {
	x, y := corner(i)
	class := "cell full"
	switch {
	case n.MemoryBytes == nil:
		class = "cell unclear"
	case *n.MemoryBytes == 0:
		class = "cell empty"
	}
	name := "node " + strconv.Itoa(n.ID)
	if n.Socket != nil {
		name += ", socket " + strconv.Itoa(*n.Socket)
	}
	p.Shape("rect", markup.Class(class), markup.Int("x", x), markup.Int("y", y), markup.Int("width", nodeWidth), markup.Int("height", nodeHeight), attr("rx", "6"))
	p.words(x+7, y+18, "name", fitColumns(name, 16))
	p.words(x+7, y+36, "size", nodeMemory(n))
	if n.Kind != "dram" {
		p.words(x+7, y+48, "small", n.Kind)
	}
}

// distances is the kernel's table, from the row to the column.
func (p *pageWriter) distances(nodes []report.Node) {
	any := false
	for i := range nodes {
		any = any || len(nodes[i].Distances) > 0
	}
	if !any {
		p.note("The distances between nodes are not known.")
		return
	}
	p.note("Distances from the row to the column; 10 is a node's own memory.")
	p.Open("div", markup.Class("scroll"), attr("role", "region"), attr("aria-label", "distances between nodes"), attr("tabindex", "0"))
	p.Open("table", markup.Class("matrix"))
	p.Open("thead")
	p.Open("tr")
	p.Element("th", "from", attr("scope", "col"))
	for i := range nodes {
		p.Element("th", strconv.Itoa(nodes[i].ID), attr("scope", "col"))
	}
	p.Close()
	p.Close()
	p.Open("tbody")
	for i := range nodes {
		p.distanceRow(&nodes[i])
	}
	p.Close()
	p.Close()
	p.Close()
}

func (p *pageWriter) distanceRow(n *report.Node) {
	p.Open("tr")
	p.Element("th", strconv.Itoa(n.ID), attr("scope", "row"))
	for _, d := range n.Distances {
		p.Element("td", strconv.Itoa(d), markup.Class(distanceClass(d)))
	}
	p.Close()
	p.Line()
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
