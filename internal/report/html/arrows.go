package html

import (
	"math"
	"strconv"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/report"
)

// The position of a step's number in a cell.
const (
	badgeX      = cellWidth - 12
	badgeY      = 33
	badgeRadius = 8
)

// shown is the index of the advice that the picture shows: the first that the fix of a problem names.
func (p *page) shown() int {
	for i := range p.r.Problems {
		if at := p.r.Problems[i].Shown; p.r.Problems[i].Above() && at >= 0 && p.r.Advice[at].ID != plan.Settings {
			return at
		}
	}
	return 0
}

// steps returns those that the picture shows: those of slots.
func (p *page) steps() []plan.Step {
	at := p.shown()
	if at >= len(p.r.Advice) || p.r.Advice[at].ID == plan.Settings || p.r.Advice[at].ByChannel() {
		return nil
	}
	return p.r.Advice[at].Steps
}

func (d *drawing) spot(handle string) (x, y int, ok bool) {
	for i := range d.columns {
		for row, s := range d.columns[i].cells {
			if s != nil && s.Handle.String() == handle {
				x, y = d.columns[i].cellAt(row)
				return x + badgeX, y + badgeY, true
			}
		}
	}
	return 0, 0, false
}

// arrows draws the steps: a number on each slot that a module leaves or enters, and an arrow if a module stays with
// its processor.
func (p *page) arrows(out *shapes, d *drawing) {
	lines := make([]int, len(p.steps())) // the number of the line that lists each step
	for n, line := range report.Steps(p.steps(), &p.r.Inventory) {
		for _, i := range line.Steps {
			lines[i] = n + 1
		}
	}
	for i, s := range p.steps() {
		fromX, fromY, leaves := d.spot(s.From)
		toX, toY, arrives := d.spot(s.To)
		atX, atY, exchanged := d.spot(s.At)
		number := strconv.Itoa(lines[i])
		if leaves && arrives {
			out.arrow(fromX, fromY, toX, toY)
			if s.Do == "swap" {
				out.arrow(toX, toY, fromX, fromY)
			}
		}
		if s.Do == "swap" && leaves {
			out.badge(fromX, fromY, "in", number)
		} else if leaves {
			out.badge(fromX, fromY, "out", number)
		}
		if arrives {
			out.badge(toX, toY, "in", number)
		}
		if exchanged {
			out.badge(atX, atY, "in", number)
		}
	}
}

func (s *shapes) badge(x, y int, class, number string) {
	*s = append(*s, shape{Kind: "circle", Class: "step " + class, X: x, Y: y, Radius: badgeRadius})
	s.text("number "+class, x, y+4, number)
}

func (s *shapes) arrow(fromX, fromY, toX, toY int) {
	dx, dy := float64(toX-fromX), float64(toY-fromY)
	length := math.Hypot(dx, dy)
	if length < 2*badgeRadius {
		return
	}
	dx, dy = dx/length, dy/length
	at := func(x, y int, along, aside float64) (float64, float64) {
		return float64(x) + along*dx - aside*dy, float64(y) + along*dy + aside*dx
	}
	startX, startY := at(fromX, fromY, badgeRadius, 0)
	tipX, tipY := at(toX, toY, -badgeRadius-1, 0)
	leftX, leftY := at(toX, toY, -badgeRadius-8, 4)
	rightX, rightY := at(toX, toY, -badgeRadius-8, -4)
	*s = append(*s, shape{Kind: "path", Class: "arrow", Text: "M" + pathPoint(startX, startY) + "L" + pathPoint(tipX, tipY) + "M" + pathPoint(leftX, leftY) + "L" + pathPoint(tipX, tipY) + "L" + pathPoint(rightX, rightY)})
}

func pathPoint(x, y float64) string {
	return strconv.FormatFloat(x, 'f', 1, 64) + " " + strconv.FormatFloat(y, 'f', 1, 64)
}
