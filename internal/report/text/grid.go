package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
)

// slotGrid is the picture of one processor's slots, with a column for each channel and a row for
// each slot of a channel.
type slotGrid struct {
	channels []int
	// breaks marks the channels at which another controller starts; owner is the controller of each
	// channel.
	breaks map[int]bool
	owner  map[int]int
	rows   [][]slotCell
	// numbers are the slot numbers of the rows, "" for an unknown one.
	numbers []string
	// boards has the names of the controllers' boards, if the labels alone are ambiguous.
	boards map[int]string
	// labelW, sizeW and numberW are the widths of the names, sizes and channel numbers.
	labelW, sizeW, numberW int
}

type slotCell struct{ label, size string }

// rowHead is the width of the text before the cells: "channel", "slot 0".
const rowHead = 9

func newGrid(slots []*report.Slot, failed []string, boards map[int]string) *slotGrid {
	g := &slotGrid{breaks: map[int]bool{}, owner: map[int]int{}, boards: boards, sizeW: 1}
	for _, s := range slots {
		if !slices.Contains(g.channels, *s.Channel) {
			g.channels = append(g.channels, *s.Channel)
		}
	}
	slices.Sort(g.channels)
	for _, c := range g.channels {
		g.numberW = max(g.numberW, len(strconv.Itoa(c)))
	}
	g.splitControllers(slots)
	prefix := commonPrefix(slots)
	for _, s := range slots {
		c := slotCell{label: printable.Clean(strings.TrimPrefix(report.OrEmpty(s.Locator), prefix)), size: cellSize(s)}
		if slices.Contains(failed, s.Handle) {
			c.size = strings.TrimSuffix(c.size, ".") + "!"
		}
		g.labelW, g.sizeW = max(g.labelW, printable.Columns(c.label)), max(g.sizeW, len(c.size))
		g.set(slices.Index(g.channels, *s.Channel), s.Slot, c)
	}
	return g
}

// splitControllers finds the channels at which another controller starts.
func (g *slotGrid) splitControllers(slots []*report.Slot) {
	for _, s := range slots {
		if s.Controller != nil {
			g.owner[*s.Channel] = *s.Controller
		}
	}
	for i := 1; i < len(g.channels); i++ {
		before, ok1 := g.owner[g.channels[i-1]]
		here, ok2 := g.owner[g.channels[i]]
		if ok1 && ok2 && before != here {
			g.breaks[g.channels[i]] = true
		}
	}
}

// set puts a cell into the column of its channel, in the row of its slot number. If that is not
// known it uses the first free row, and if the row is taken the next free one.
func (g *slotGrid) set(column int, slot *int, c slotCell) {
	row, number := 0, ""
	if slot != nil {
		number = strconv.Itoa(*slot)
		row = min(*slot, maxRow)
	}
	for {
		for len(g.rows) <= row {
			g.rows = append(g.rows, make([]slotCell, len(g.channels)))
			g.numbers = append(g.numbers, "")
		}
		if g.rows[row][column] == (slotCell{}) {
			break
		}
		row++
		number = ""
	}
	g.rows[row][column] = c
	if number != "" {
		g.numbers[row] = number
	}
}

// maxRow is the row of all slot numbers from there on, in case one is implausibly high.
const maxRow = 15

// longestLabel is the length of the longest slot name that fits into a cell.
const longestLabel = 6

// draw draws the grid: with the slot names if they are wanted and fit, with narrower gaps if there
// is little room, and in several parts if it does not fit.
func (g *slotGrid) draw(room int, named bool) []string {
	labelW := g.labelW
	if !named || labelW > longestLabel {
		labelW = 0
	}
	if g.width(labelW, 2, len(g.channels)) > room {
		labelW = 0
	}
	gap := 2
	if g.width(labelW, gap, len(g.channels)) > room {
		gap = 1
	}
	per := len(g.channels)
	for per > 1 && g.width(labelW, gap, per) > room {
		per = (per + 1) / 2
	}
	var out []string
	for from := 0; from < len(g.channels); from += per {
		out = append(out, g.part(from, min(from+per, len(g.channels)), labelW, gap)...)
	}
	return out
}

func (g *slotGrid) width(labelW, gap, channels int) int {
	return rowHead + channels*(g.cellW(labelW)+gap) + gap*len(g.breaks)
}

// cellW returns the width of a column.
func (g *slotGrid) cellW(labelW int) int {
	if labelW == 0 {
		return max(g.sizeW, g.numberW)
	}
	return max(labelW+1+g.sizeW, g.numberW)
}

// part draws the channels from (inclusive) to to (exclusive).
func (g *slotGrid) part(from, to, labelW, gap int) []string {
	lines := make([]string, 0, len(g.rows)+1)
	head := newLine("channel")
	for c := from; c < to; c++ {
		head.gap(g, c, from, gap)
		head.right(strconv.Itoa(g.channels[c]), g.cellW(labelW))
	}
	if names := g.boardNames(from, to, labelW, gap); names != "" {
		lines = append(lines, names)
	}
	lines = append(lines, head.String())
	for r, row := range g.rows {
		if emptyRow(row[from:to]) {
			continue
		}
		l := newLine(strings.TrimSpace("slot " + g.numbers[r]))
		for c := from; c < to; c++ {
			l.gap(g, c, from, gap)
			if labelW == 0 {
				l.right(row[c].size, g.cellW(0))
				continue
			}
			l.labelled(row[c].label, g.cellW(labelW)-1-g.sizeW)
			l.right(row[c].size, g.sizeW)
		}
		lines = append(lines, strings.TrimRight(l.String(), " "))
	}
	return lines
}

// boardNames returns the line with the boards' names above the channels; "" if slot names are not
// shown or are unambiguous, or if a name does not fit.
func (g *slotGrid) boardNames(from, to, labelW, gap int) string {
	if len(g.boards) == 0 || labelW == 0 {
		return ""
	}
	l, at := newLine("board"), rowHead
	for c := from; c < to; c++ {
		begins := c == from || g.breaks[g.channels[c]]
		if c > from {
			at += gap
		}
		if begins && c > from {
			at += gap
		}
		if begins {
			if printable.Columns(l.String()) > at {
				return ""
			}
			l.blank(at - printable.Columns(l.String()))
			l.WriteString(g.boards[g.owner[g.channels[c]]])
		}
		at += g.cellW(labelW)
	}
	return l.String()
}

func emptyRow(row []slotCell) bool {
	for _, c := range row {
		if c != (slotCell{}) {
			return false
		}
	}
	return true
}

// gridLine builds one line of a grid.
type gridLine struct{ strings.Builder }

func newLine(head string) *gridLine {
	l := &gridLine{}
	l.left(head, rowHead)
	return l
}

// gap separates a cell from the one before it, wider between controllers.
func (l *gridLine) gap(g *slotGrid, column, first, gap int) {
	if column == first {
		return
	}
	l.right("", gap)
	if g.breaks[g.channels[column]] {
		l.right("", gap)
	}
}

// labelled writes a slot's name and the colon before its size.
func (l *gridLine) labelled(name string, width int) {
	colon := ":"
	if name == "" {
		colon = " "
	}
	l.right(name, width)
	l.WriteString(colon)
}

func (l *gridLine) left(s string, width int) {
	l.WriteString(s)
	l.blank(width - printable.Columns(s))
}

func (l *gridLine) right(s string, width int) {
	l.blank(width - printable.Columns(s))
	l.WriteString(s)
}

func (l *gridLine) blank(n int) {
	for ; n > 0; n-- {
		l.WriteByte(' ')
	}
}

// cellSize returns the content of a cell: GiB, '.' or '?', with a letter for memory that is not
// DRAM.
func cellSize(s *report.Slot) string {
	switch {
	case s.State == string(inventory.SlotEmpty):
		return "."
	case s.State != string(inventory.SlotPopulated) || s.SizeBytes == nil:
		return "?"
	}
	out := prose.GiB(*s.SizeBytes)
	switch report.OrEmpty(s.Technology) {
	case string(inventory.NVDIMM):
		out += "n"
	case string(inventory.CXL):
		out += "c"
	case string(inventory.HBM):
		out += "h"
	}
	return out
}

// commonPrefix returns the text with which all slot names of a processor start, up to a separator
// or the word DIMM. Without it DIMM_A1 and DIMM_A2 are A1 and A2.
func commonPrefix(slots []*report.Slot) string {
	if len(slots) < 2 {
		return ""
	}
	prefix := report.OrEmpty(slots[0].Locator)
	for _, s := range slots[1:] {
		l := report.OrEmpty(s.Locator)
		for !strings.HasPrefix(l, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	cut := 0
	for _, word := range [...]string{"DIMM", "Dimm", "dimm"} {
		if i := strings.LastIndex(prefix, word); i >= 0 {
			cut = max(cut, i+len(word))
		}
	}
	if i := strings.LastIndexAny(prefix, " _-:./#"); i >= 0 {
		cut = max(cut, i+1)
	}
	return prefix[:cut]
}
