package html

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/wording"
)

// picture is a drawing of SVG, its measures in CSS pixels.
type picture struct {
	Class, Label  string
	Width, Height int
	Shapes        shapes
}

// shape is an element of a picture, or a slot with its elements.
type shape struct {
	Kind, Class           string
	X, Y                  int
	X2, Y2                int // where a line ends
	Width, Height, Radius int
	Text                  string // a text, the path, what a slot is
	Handle                string
	Shapes                shapes
}

type shapes []shape

func (s *shapes) appendRectangle(class string, x, y, width, height, radius int) {
	*s = append(*s, shape{Kind: "rect", Class: class, X: x, Y: y, Width: width, Height: height, Radius: radius})
}

func (s *shapes) appendLine(class string, x, y, x2, y2 int) {
	*s = append(*s, shape{Kind: "line", Class: class, X: x, Y: y, X2: x2, Y2: y2})
}

func (s *shapes) appendText(class string, x, y int, text string) {
	if text != "" {
		*s = append(*s, shape{Kind: "text", Class: class, X: x, Y: y, Text: text})
	}
}

// drawPicture draws the channels and slots of one processor. The table of slots
// shows the same, for those who do not see it.
func (p *page) drawPicture(title string, d *drawing, names map[inventory.Handle]string) *picture {
	full, all := 0, 0
	out := &picture{Width: d.width + 2, Height: d.height + 2}
	for i, n := 0, 0; d.labelled && i < len(d.columns); i = n {
		for n = i + 1; n < len(d.columns) && d.columns[n].controller == d.columns[i].controller && d.columns[n].y == d.columns[i].y; {
			n++
		}
		out.Shapes.appendController(&d.columns[i], d.columns[n-1].x+cellWidth)
	}
	for _, c := range d.columns {
		head, class := "channel "+p.r.Inventory.ChannelName(c.socket, c.channel), "head"
		if slices.ContainsFunc(c.cells, func(s *inventory.Slot) bool { return s != nil && p.marked[s.Handle.String()] }) {
			head, class = head+" !", "head wrong"
		}
		out.Shapes.appendText(class, c.x, c.y+headHeight-5, head)
		for row, s := range c.cells {
			if s == nil {
				continue
			}
			all++
			if s.State == inventory.SlotPopulated {
				full++
			}
			x, y := c.cellCorner(row)
			out.Shapes = append(out.Shapes, p.drawCell(s, x, y, names[s.Handle]))
		}
	}
	p.drawSteps(&out.Shapes, d)
	out.Label = title + ": " + strconv.Itoa(full) + " of " + humanize.Plural(all, "slot") + " on " + humanize.Plural(len(d.columns), "channel") + " hold memory; the table of slots names each"
	return out
}

// appendController names the controller of the channels from the first one on, which end at a position.
func (s *shapes) appendController(first *column, end int) {
	name := "controller " + strconv.Itoa(first.controller)
	if first.controller < 0 {
		name = "controller not known"
	}
	s.appendLine("bracket", first.x, first.y-2, end, first.y-2)
	s.appendText("head", first.x, first.y-5, fitColumns(name, (end-first.x)/6))
}

func (p *page) drawCell(s *inventory.Slot, x, y int, label string) shape {
	out := shape{Kind: "slot", Handle: s.Handle.String(), Text: slotText(s)}
	class, name, wrong := "cell "+cellClass(s), "name", p.marked[s.Handle.String()]
	if wrong {
		class, name = class+" bad", "name wrong"
	}
	out.Shapes.appendRectangle(class, x, y, cellWidth, cellHeight, 4)
	lines := nameLines(label)
	out.Shapes.appendText(name, x+5, y+13, lines[0])
	out.Shapes.appendText(name, x+5, y+24, lines[1])
	out.Shapes.appendText("size", x+5, y+40, cellSize(s))
	out.Shapes.appendText("small", x+5, y+52, cellSpeed(s))
	if wrong {
		out.Shapes.appendText("wrong mark", x+cellWidth-11, y+53, "!")
	}
	return out
}

func cellClass(s *inventory.Slot) string {
	return cmp.Or(map[inventory.SlotState]string{inventory.SlotEmpty: "empty", inventory.SlotPopulated: "full"}[s.State], "unclear")
}

func cellSize(s *inventory.Slot) string {
	switch {
	case s.State == inventory.SlotEmpty:
		return "empty"
	case s.State != inventory.SlotPopulated, !s.SizeBytes.Known():
		return "?"
	default:
		return fitColumns(humanize.Size(s.SizeBytes.Value), cellColumns)
	}
}

// cellSpeed returns the speed a module runs at, otherwise its rated speed, marked as such; for memory
// other than DRAM its technology.
func cellSpeed(s *inventory.Slot) string {
	switch technology := s.Technology.Text(); {
	case s.State != inventory.SlotPopulated:
		return ""
	case technology != "" && technology != string(inventory.DRAM):
		return fitColumns(strings.ToUpper(technology), cellColumns)
	case s.ConfiguredMTs.Known():
		return wording.PrintedRate(s.ConfiguredMTs.Value) + " MT/s"
	case s.RatedMTs.Known():
		return "rated " + wording.PrintedRate(s.RatedMTs.Value)
	default:
		return ""
	}
}

func slotText(s *inventory.Slot) string {
	name, module := "", ""
	if s.Locator.Known() {
		name = s.Name()
	}
	if s.State == inventory.SlotPopulated {
		module = humanize.Joined(", ", wording.MemoryKind(s), cellSpeed(s), s.Manufacturer.Text(), s.PartNumber.Text())
	}
	return humanize.Joined(", ", s.Handle.String(), name, cellSize(s), module)
}

// cellColumns is how many characters of the smallest type fit a cell.
const cellColumns = 11

// nameLines breaks a name that is too long for one line at a separator, and
// cuts what does not fit two.
func nameLines(name string) [2]string {
	if printable.Columns(name) <= cellColumns {
		return [2]string{name, ""}
	}
	at := printable.BreakAfter(name, cellColumns)
	if sep := strings.LastIndexAny(name[:at], " _-:./#") + 1; sep > 0 && printable.Columns(name[sep:]) <= cellColumns {
		at = sep
	}
	return [2]string{name[:at], fitColumns(strings.TrimSpace(name[at:]), cellColumns)}
}

// fitColumns cuts a text to this many columns and marks the cut.
func fitColumns(s string, columns int) string {
	s = printable.Clean(s)
	if printable.Columns(s) <= columns {
		return s
	}
	return s[:printable.BreakAfter(s, columns-1)] + "…"
}

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

// drawing holds the positions of one processor's picture; labelled is set if it names controllers.
type drawing struct {
	columns       []column
	labelled      bool
	width, height int
}

// layoutChannels places the channels of one processor: band below band, each at most
// perBand wide, one controller's channels together.
func layoutChannels(slots []*inventory.Slot) *drawing {
	d := &drawing{columns: channelColumns(slots)}
	d.labelled = slices.ContainsFunc(d.columns, func(c column) bool { return c.controller != d.columns[0].controller })
	for n, band := range pictureRows(d.columns) {
		if n > 0 {
			d.height += bandGap
		}
		if d.labelled {
			d.height += groupLabel
		}
		rows := 0
		for i := range band {
			band[i].x, band[i].y = i*(cellWidth+cellGap), d.height
			rows = max(rows, len(band[i].cells))
		}
		d.width = max(d.width, len(band)*(cellWidth+cellGap)-cellGap)
		d.height += headHeight + rows*(cellHeight+cellGap) - cellGap
	}
	return d
}

func channelColumns(slots []*inventory.Slot) []column {
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
		out[i].placeSlot(s)
	}
	slices.SortStableFunc(out, func(a, b column) int {
		return cmp.Or(cmp.Compare(a.controller, b.controller), cmp.Compare(a.channel, b.channel))
	})
	return out
}

// placeSlot sets a slot at its number; without one, or if the place is taken, at the next free one.
func (c *column) placeSlot(s *inventory.Slot) {
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

func (c *column) cellCorner(row int) (x, y int) {
	return c.x, c.y + headHeight + row*(cellHeight+cellGap)
}

// The position of a step's number in a cell.
const (
	badgeX      = cellWidth - 12
	badgeY      = 33
	badgeRadius = 8
)

// shownAdviceIndex is the index of the advice that the picture shows: the first that the fix of a problem names.
func (p *page) shownAdviceIndex() int {
	for i := range p.r.Problems {
		if at := p.r.Problems[i].Shown; p.r.Problems[i].IsAboveNote() && at >= 0 && p.r.Advice[at].ID != plan.Settings {
			return at
		}
	}
	return 0
}

// shownSteps returns those that the picture shows: those of slots.
func (p *page) shownSteps() []plan.Step {
	at := p.shownAdviceIndex()
	if at >= len(p.r.Advice) || p.r.Advice[at].ID == plan.Settings || p.r.Advice[at].ByChannel() {
		return nil
	}
	return p.r.Advice[at].Steps
}

func (d *drawing) badgePosition(handle string) (x, y int, ok bool) {
	for i := range d.columns {
		for row, s := range d.columns[i].cells {
			if s != nil && s.Handle.String() == handle {
				x, y = d.columns[i].cellCorner(row)
				return x + badgeX, y + badgeY, true
			}
		}
	}
	return 0, 0, false
}

// drawSteps draws the steps: a number on each slot that a module leaves or enters, and an arrow if a module stays with
// its processor.
func (p *page) drawSteps(out *shapes, d *drawing) {
	lines := make([]int, len(p.shownSteps())) // the number of the line that lists each step
	for n, line := range report.StepLines(p.shownSteps(), &p.r.Inventory) {
		for _, i := range line.Steps {
			lines[i] = n + 1
		}
	}
	for i, s := range p.shownSteps() {
		fromX, fromY, leaves := d.badgePosition(s.From)
		toX, toY, arrives := d.badgePosition(s.To)
		atX, atY, exchanged := d.badgePosition(s.At)
		number := strconv.Itoa(lines[i])
		if leaves && arrives {
			out.appendArrow(fromX, fromY, toX, toY)
			if s.Do == "swap" {
				out.appendArrow(toX, toY, fromX, fromY)
			}
		}
		if s.Do == "swap" && leaves {
			out.appendBadge(fromX, fromY, "in", number)
		} else if leaves {
			out.appendBadge(fromX, fromY, "out", number)
		}
		if arrives {
			out.appendBadge(toX, toY, "in", number)
		}
		if exchanged {
			out.appendBadge(atX, atY, "in", number)
		}
	}
}

func (s *shapes) appendBadge(x, y int, class, number string) {
	*s = append(*s, shape{Kind: "circle", Class: "step " + class, X: x, Y: y, Radius: badgeRadius})
	s.appendText("number "+class, x, y+4, number)
}

func (s *shapes) appendArrow(fromX, fromY, toX, toY int) {
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
