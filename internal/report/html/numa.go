package html

import (
	"cmp"
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
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

// drawNode draws one node; one without memory is drawn as empty.
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
