package html

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
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

func (s *shapes) rect(class string, x, y, width, height, radius int) {
	*s = append(*s, shape{Kind: "rect", Class: class, X: x, Y: y, Width: width, Height: height, Radius: radius})
}

func (s *shapes) line(class string, x, y, x2, y2 int) {
	*s = append(*s, shape{Kind: "line", Class: class, X: x, Y: y, X2: x2, Y2: y2})
}

// text adds a text, nothing for "".
func (s *shapes) text(class string, x, y int, text string) {
	if text != "" {
		*s = append(*s, shape{Kind: "text", Class: class, X: x, Y: y, Text: text})
	}
}

// picture draws the channels and slots of one processor. The table of slots
// shows the same, for those who do not see it.
func (p *page) picture(title string, d *drawing, names map[inventory.Handle]string) *picture {
	full, all := 0, 0
	out := &picture{Width: d.width + 2, Height: d.height + 2}
	for _, l := range d.labels {
		out.Shapes.controller(l)
	}
	for i := range d.columns {
		c := &d.columns[i]
		head, class := "channel "+p.r.Inventory.ChannelName(c.socket, c.channel), "head"
		if slices.ContainsFunc(c.cells, func(s *inventory.Slot) bool { return s != nil && p.marked[s.Handle.String()] }) {
			head, class = head+" !", "head wrong"
		}
		out.Shapes.text(class, c.x, c.y+headHeight-5, head)
		for row, s := range c.cells {
			if s == nil {
				continue
			}
			all++
			if s.State == inventory.SlotPopulated {
				full++
			}
			x, y := c.cellAt(row)
			out.Shapes = append(out.Shapes, p.cell(s, x, y, names[s.Handle]))
		}
	}
	p.arrows(&out.Shapes, d)
	out.Label = title + ": " + strconv.Itoa(full) + " of " + humanize.Plural(all, "slot") + " on " + humanize.Plural(len(d.columns), "channel") + " hold memory; the table of slots names each"
	return out
}

// controller names the controller of some channels.
func (s *shapes) controller(l controllerLabel) {
	name := "controller " + strconv.Itoa(l.controller)
	if l.controller < 0 {
		name = "controller not known"
	}
	s.line("bracket", l.x, l.y+groupLabel-2, l.x+l.width, l.y+groupLabel-2)
	s.text("head", l.x, l.y+groupLabel-5, fitColumns(name, l.width/6))
}

// cell draws one slot: its name as the board prints it, size, speed.
func (p *page) cell(s *inventory.Slot, x, y int, label string) shape {
	out := shape{Kind: "slot", Handle: s.Handle.String(), Text: slotText(s)}
	class, name, wrong := "cell "+cellClass(s), "name", p.marked[s.Handle.String()]
	if wrong {
		class, name = class+" bad", "name wrong"
	}
	out.Shapes.rect(class, x, y, cellWidth, cellHeight, 4)
	lines := nameLines(label)
	out.Shapes.text(name, x+5, y+13, lines[0])
	out.Shapes.text(name, x+5, y+24, lines[1])
	out.Shapes.text("size", x+5, y+40, cellSize(s))
	out.Shapes.text("small", x+5, y+52, cellSpeed(s))
	if wrong {
		out.Shapes.text("wrong mark", x+cellWidth-11, y+53, "!")
	}
	return out
}

func cellClass(s *inventory.Slot) string {
	switch s.State {
	case inventory.SlotEmpty:
		return "empty"
	case inventory.SlotPopulated:
		return "full"
	default:
		return "unclear"
	}
}

// cellSize returns what a cell shows large.
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

// slotText describes a cell in words.
func slotText(s *inventory.Slot) string {
	name, module := "", ""
	if s.Locator.Known() {
		name = s.Name()
	}
	if s.State == inventory.SlotPopulated {
		module = humanize.Joined(", ", wording.Memory(s), cellSpeed(s), s.Manufacturer.Text(), s.PartNumber.Text())
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
	at := cutOffset(name, cellColumns)
	if sep := strings.LastIndexAny(name[:at], " _-:./#") + 1; sep > 0 && printable.Columns(name[sep:]) <= cellColumns {
		at = sep
	}
	return [2]string{name[:at], fitColumns(strings.TrimSpace(name[at:]), cellColumns)}
}

// cutOffset returns the offset up to which a text takes at most this many columns.
func cutOffset(s string, columns int) int {
	used := 0
	for i, r := range s {
		if used += printable.RuneColumns(r); used > columns {
			return i
		}
	}
	return len(s)
}

// fitColumns cuts a text to this many columns and marks the cut.
func fitColumns(s string, columns int) string {
	s = printable.Clean(s)
	if printable.Columns(s) <= columns {
		return s
	}
	return s[:cutOffset(s, columns-1)] + "…"
}
