package html

import (
	"math"
	"strconv"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
)

// Where the number of a step stands in a cell.
const (
	badgeX      = cellWidth - 12
	badgeY      = 33
	badgeRadius = 8
)

// shown is the index of the advice that the picture shows: the first that a problem points to.
func (p *pageWriter) shown() int {
	for i := range p.r.Problems {
		if at := p.r.Problems[i].Cure; p.r.Problems[i].Above() && at >= 0 && p.r.Advice[at].ID != report.AdviceSettings {
			return at
		}
	}
	return 0
}

// steps are those that the picture shows.
func (p *pageWriter) steps() []report.Step {
	at := p.shown()
	if at >= len(p.r.Advice) || p.r.Advice[at].ID == report.AdviceSettings {
		return nil
	}
	return p.r.Advice[at].Steps
}

// spot is the place of a slot's number in the picture.
func (d *drawing) spot(handle *string) (x, y int, ok bool) {
	if handle == nil {
		return 0, 0, false
	}
	for i := range d.columns {
		for row, s := range d.columns[i].cells {
			if s != nil && s.Handle == *handle {
				x, y = d.columns[i].cellAt(row)
				return x + badgeX, y + badgeY, true
			}
		}
	}
	return 0, 0, false
}

// arrows draws the steps: a number on each slot that something is taken out of
// or put into, and an arrow where a module stays with its processor.
func (p *pageWriter) arrows(d *drawing) {
	lines := make([]int, len(p.steps())) // the number of the line that says each step
	for n, line := range report.Steps(p.steps(), &p.r.Inventory) {
		for _, i := range line.Steps {
			lines[i] = n + 1
		}
	}
	for i, s := range p.steps() {
		fromX, fromY, out := d.spot(s.From)
		toX, toY, in := d.spot(s.To)
		atX, atY, exchanged := d.spot(s.At)
		number := strconv.Itoa(lines[i])
		if out && in {
			p.arrow(fromX, fromY, toX, toY)
			if s.Do == "swap" {
				p.arrow(toX, toY, fromX, fromY)
			}
		}
		if s.Do == "swap" && out {
			p.badge(fromX, fromY, "in", number)
		} else if out {
			p.badge(fromX, fromY, "out", number)
		}
		if in {
			p.badge(toX, toY, "in", number)
		}
		if exchanged {
			p.badge(atX, atY, "in", number)
		}
	}
}

func (p *pageWriter) badge(x, y int, class, number string) {
	p.Shape("circle", markup.Class("step "+class), markup.Int("cx", x), markup.Int("cy", y), markup.Int("r", badgeRadius))
	p.words(x, y+4, "number "+class, number)
}

// arrow joins two numbers from edge to edge.
func (p *pageWriter) arrow(fromX, fromY, toX, toY int) {
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
	p.Shape("path", markup.Class("arrow"), attr("d", "M"+pathPoint(startX, startY)+"L"+pathPoint(tipX, tipY)+"M"+pathPoint(leftX, leftY)+"L"+pathPoint(tipX, tipY)+"L"+pathPoint(rightX, rightY)))
}

func pathPoint(x, y float64) string {
	return strconv.FormatFloat(x, 'f', 1, 64) + " " + strconv.FormatFloat(y, 'f', 1, 64)
}
