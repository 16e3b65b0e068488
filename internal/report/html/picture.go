package html

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// picture draws the channels and slots of one processor. What it shows stands
// in the table of slots as well, for those who do not see it.
func (p *pageWriter) picture(title string, d *drawing, prefix string, boards map[int]string) {
	full, all := 0, 0
	for i := range d.columns {
		for _, s := range d.columns[i].cells {
			if s != nil {
				all++
			}
			if s != nil && s.State == string(inventory.SlotPopulated) {
				full++
			}
		}
	}
	what := title + ": " + strconv.Itoa(full) + " of " + prose.Count(all, "slot") + " on " + prose.Count(len(d.columns), "channel") + " hold memory; the table of slots names each"
	p.Open("svg", attr("viewBox", "0 0 "+strconv.Itoa(d.width+2)+" "+strconv.Itoa(d.height+2)), markup.Int("width", d.width+2),
		markup.Int("height", d.height+2), attr("role", "img"), attr("aria-label", what))
	p.Open("g", attr("transform", "translate(1 1)"))
	for _, l := range d.labels {
		p.controller(l, boards[l.controller])
	}
	for i := range d.columns {
		p.channel(&d.columns[i], prefix)
	}
	p.arrows(d)
	p.Close()
	p.Close()
}

// controller names the controller of some channels, and the board that its slots are on.
func (p *pageWriter) controller(l controllerLabel, board string) {
	name := "controller " + strconv.Itoa(l.controller)
	if l.controller < 0 {
		name = "controller not known"
	}
	if board != "" {
		name += ", " + board
	}
	p.Shape("line", markup.Class("bracket"), markup.Int("x1", l.x), markup.Int("x2", l.x+l.width), markup.Int("y1", l.y+groupLabel-2), markup.Int("y2", l.y+groupLabel-2))
	p.words(l.x, l.y+groupLabel-5, "head", fitColumns(name, l.width/6))
}

func (p *pageWriter) channel(c *column, prefix string) {
	head := "channel " + strconv.Itoa(c.channel)
	class := "head"
	if slices.ContainsFunc(c.cells, func(s *report.Slot) bool { return s != nil && p.marked[s.Handle] }) {
		head, class = head+" !", "head wrong"
	}
	p.words(c.x, c.y+headHeight-5, class, head)
	for row, s := range c.cells {
		if s != nil {
			x, y := c.cellAt(row)
			p.cell(s, x, y, prefix)
		}
	}
}

// cell draws one slot: its name as the board prints it, size, speed.
func (p *pageWriter) cell(s *report.Slot, x, y int, prefix string) {
	class, wrong := cellClass(s), p.marked[s.Handle]
	if wrong {
		class += " bad"
	}
	p.Open("g", attr("data-handle", s.Handle))
	p.Element("title", slotSays(s))
	p.Shape("rect", markup.Class("cell "+class), markup.Int("x", x), markup.Int("y", y), markup.Int("width", cellWidth), markup.Int("height", cellHeight), attr("rx", "4"))
	name := "name"
	if wrong {
		name = "name wrong"
	}
	lines := nameLines(slotName(s, prefix))
	p.words(x+5, y+13, name, lines[0])
	p.words(x+5, y+24, name, lines[1])
	p.words(x+5, y+40, "size", cellSize(s))
	p.words(x+5, y+52, "small", cellSpeed(s))
	if wrong {
		p.words(x+cellWidth-11, y+53, "wrong mark", "!")
	}
	p.Close()
}

func cellClass(s *report.Slot) string {
	switch s.State {
	case string(inventory.SlotEmpty):
		return "empty"
	case string(inventory.SlotPopulated):
		return "full"
	default:
		return "unclear"
	}
}

// cellSize is what a cell shows large.
func cellSize(s *report.Slot) string {
	switch {
	case s.State == string(inventory.SlotEmpty):
		return "empty"
	case s.State != string(inventory.SlotPopulated), s.SizeBytes == nil:
		return "?"
	default:
		return fitColumns(prose.Size(*s.SizeBytes), cellColumns)
	}
}

// cellSpeed is the speed a module runs at, else what it is rated for, with the
// word that tells them apart; of other memory than DRAM what it is.
func cellSpeed(s *report.Slot) string {
	switch technology := report.OrEmpty(s.Technology); {
	case s.State != string(inventory.SlotPopulated):
		return ""
	case technology != "" && technology != string(inventory.DRAM):
		return fitColumns(strings.ToUpper(technology), cellColumns)
	case s.ConfiguredMTs != nil:
		return wording.PrintedRate(*s.ConfiguredMTs) + " MT/s"
	case s.RatedMTs != nil:
		return "rated " + wording.PrintedRate(*s.RatedMTs)
	default:
		return ""
	}
}

// slotSays is the whole cell in words.
func slotSays(s *report.Slot) string {
	parts := []string{s.Handle}
	if s.Locator != nil {
		parts = append(parts, *s.Locator)
	}
	parts = append(parts, cellSize(s))
	for _, more := range []string{wording.Memory(s), cellSpeed(s), report.OrEmpty(s.Manufacturer), report.OrEmpty(s.PartNumber)} {
		if more != "" && s.State == string(inventory.SlotPopulated) {
			parts = append(parts, more)
		}
	}
	return strings.Join(parts, ", ")
}

// cellColumns is how many characters of the smallest type fit a cell.
const cellColumns = 11

// slotName is firmware's label without what all labels begin with.
func slotName(s *report.Slot, prefix string) string {
	if s.Locator == nil {
		return s.Handle
	}
	return printable.Clean(strings.TrimPrefix(*s.Locator, prefix))
}

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

// cutOffset is the offset up to which a text takes at most so many columns.
func cutOffset(s string, columns int) int {
	used := 0
	for i, r := range s {
		if used += printable.RuneColumns(r); used > columns {
			return i
		}
	}
	return len(s)
}

// fitColumns cuts a text to so many columns and marks that it did.
func fitColumns(s string, columns int) string {
	s = printable.Clean(s)
	if printable.Columns(s) <= columns {
		return s
	}
	return s[:cutOffset(s, columns-1)] + "…"
}

// commonPrefix is what all names of a processor's slots begin with, up to a
// separator or the word DIMM.
func commonPrefix(slots []*report.Slot) string {
	if len(slots) < 2 {
		return ""
	}
	prefix := report.OrEmpty(slots[0].Locator)
	for _, s := range slots[1:] {
		for !strings.HasPrefix(report.OrEmpty(s.Locator), prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	cut := strings.LastIndexAny(prefix, " _-:./#") + 1
	for _, word := range [...]string{"DIMM", "Dimm", "dimm"} {
		if i := strings.LastIndex(prefix, word); i >= 0 {
			cut = max(cut, i+len(word))
		}
	}
	return prefix[:cut]
}
