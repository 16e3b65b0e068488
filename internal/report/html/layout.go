package html

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/inventory"
)

// The measures of the picture, in CSS pixels: four channels side by side
// fit a phone.
const (
	cellWidth  = 80
	cellHeight = 58
	cellGap    = 5
	headHeight = 18
	groupLabel = 16
	bandGap    = 10
	// perBand is how many channels are drawn side by side.
	perBand = 4
	// maxRow bounds what a wild slot number may do to the picture.
	maxRow = 15
)

// column is one channel of a processor with its slots from top to bottom; an
// empty place is nil.
type column struct {
	socket     *int
	channel    int
	controller int // -1 when it is not known
	cells      []*inventory.Slot
	x, y       int
}

// drawing holds the positions of one processor's picture.
type drawing struct {
	columns       []column
	labels        []controllerLabel
	width, height int
}

// controllerLabel names the controller of the channels below it.
type controllerLabel struct {
	controller, x, y, width int
}

// layout places the channels of one processor: band below band, each at most
// perBand wide, one controller's channels together.
func layout(slots []*inventory.Slot) *drawing {
	d := &drawing{columns: columns(slots)}
	controllers := map[int]bool{}
	for i := range d.columns {
		controllers[d.columns[i].controller] = true
	}
	y := 0
	for _, band := range pictureRows(d.columns) {
		y = d.place(band, y, len(controllers) > 1) + bandGap
	}
	d.height = max(0, y-bandGap)
	return d
}

// place puts the channels of a band side by side and gives the y below them.
func (d *drawing) place(band []column, y int, labelled bool) int {
	if labelled {
		d.label(band, y)
		y += groupLabel
	}
	rows := 0
	for i := range band {
		band[i].x, band[i].y = i*(cellWidth+cellGap), y
		rows = max(rows, len(band[i].cells))
	}
	d.width = max(d.width, len(band)*(cellWidth+cellGap)-cellGap)
	return y + headHeight + rows*(cellHeight+cellGap) - cellGap
}

// label names each controller of a band once, over all its channels.
func (d *drawing) label(band []column, y int) {
	for i := range band {
		x := i * (cellWidth + cellGap)
		if i > 0 && band[i].controller == band[i-1].controller {
			last := &d.labels[len(d.labels)-1]
			last.width = x + cellWidth - last.x
			continue
		}
		d.labels = append(d.labels, controllerLabel{band[i].controller, x, y, cellWidth})
	}
}

// columns gathers slots by channel, in board order.
func columns(slots []*inventory.Slot) []column {
	var out []column
	for _, s := range slots {
		i := slices.IndexFunc(out, func(c column) bool { return c.channel == *s.Channel })
		if i < 0 {
			i = len(out)
			out = append(out, column{socket: s.Socket, channel: *s.Channel, controller: -1})
		}
		if s.Controller != nil {
			out[i].controller = *s.Controller
		}
		out[i].put(s)
	}
	slices.SortStableFunc(out, func(a, b column) int {
		return cmp.Or(cmp.Compare(a.controller, b.controller), cmp.Compare(a.channel, b.channel))
	})
	return out
}

// put sets a slot at its number; without one, or if the place is taken, at the next free one.
func (c *column) put(s *inventory.Slot) {
	row := 0
	if s.Slot != nil {
		row = min(*s.Slot, maxRow)
	}
	for {
		for len(c.cells) <= row {
			c.cells = append(c.cells, nil)
		}
		if c.cells[row] == nil {
			c.cells[row] = s
			return
		}
		row++
	}
}

// pictureRows cuts the channels into rows of the picture. A controller begins a new row unless it fits next to the
// one before it, and a long one is divided evenly.
func pictureRows(columns []column) [][]column {
	var out [][]column
	for len(columns) > 0 {
		n := 1
		for n < len(columns) && columns[n].controller == columns[0].controller {
			n++
		}
		for left := n; left > 0; {
			parts := (left + perBand - 1) / perBand
			take := (left + parts - 1) / parts
			if last := len(out) - 1; take == n && last >= 0 && len(out[last])+n <= perBand {
				out[last] = out[last][:len(out[last])+n] // they follow each other
			} else {
				out = append(out, columns[:take])
			}
			columns, left = columns[take:], left-take
		}
	}
	return out
}

// cellAt is the upper left corner of a column's cell.
func (c *column) cellAt(row int) (x, y int) {
	return c.x, c.y + headHeight + row*(cellHeight+cellGap)
}
