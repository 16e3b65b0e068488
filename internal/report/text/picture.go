package text

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/wording"
)

// printPicture draws the slots with a row for each channel and a column for each CPU. Equal CPUs share a column,
// unless there are only two and both fit.
func (p *Page) printPicture(b *Board) {
	columns := b.groupByBody(func(key int) string { return b.pictureContent(key) })
	if len(b.keys) == 2 && len(columns) == 1 {
		if two := []group{{keys: b.keys[:1]}, {keys: b.keys[1:]}}; b.pictureWidth(two) <= p.width {
			columns = two
		}
	}
	if len(columns) > mostPictures {
		p.printCompact(b)
		return
	}
	var good []group
	if len(b.keys) > 2 {
		for _, g := range columns {
			if len(b.notes[g.keys[0]]) == 0 {
				good = append(good, g)
			}
		}
		if len(good) < len(columns) {
			columns = slices.DeleteFunc(columns, func(g group) bool { return len(b.notes[g.keys[0]]) == 0 })
		} else {
			good = nil
		}
	}
	for len(columns) > 0 {
		n := len(columns)
		for n > 1 && b.pictureWidth(columns[:n]) > p.width {
			n--
		}
		p.printColumns(b, columns[:n])
		columns = columns[n:]
	}
	for _, g := range good {
		p.printProcessors(b, g.keys)
	}
}

// mostPictures is how many different CPUs are drawn with their slots.
const mostPictures = 4

// pictureContent returns what a CPU's picture shows, without the labels.
func (b *Board) pictureContent(key int) string {
	var out strings.Builder
	for _, c := range b.listedChannels([]group{{keys: []int{key}}}) {
		for _, e := range b.cells[key][c] {
			out.WriteString(e.size + ",")
		}
		for _, n := range b.notes[key][c] {
			note, _, _ := strings.Cut(strings.ReplaceAll(n.text, " with ", " to "), " to ") // without the labels
			out.WriteString(note + ",")
		}
		out.WriteString(strconv.Itoa(c) + "\n")
	}
	bandwidth, _ := b.describeBandwidth(key)
	speed, _ := b.runningSpeed(key)
	return out.String() + bandwidth + speed
}

func (b *Board) listedChannels(columns []group) []int {
	var out []int
	for _, g := range columns {
		out = slices.AppendSeq(out, maps.Keys(b.cells[g.keys[0]]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// cellWidth returns the width of the labels of a CPU, and of the sizes in each slot of its channels.
func (b *Board) cellWidth(key int) (label int, sizes []int) {
	for _, cells := range b.cells[key] {
		for i, c := range cells {
			if i == len(sizes) {
				sizes = append(sizes, 0)
			}
			label, sizes[i] = max(label, printable.Columns(printable.Clean(c.label))), max(sizes[i], printable.Columns(c.size))
		}
	}
	if label > longestLabel {
		label = -1
	}
	return label, sizes
}

const longestLabel = 16

const columnGap = 3

// pictureColumn is a column of the picture, with its place and the widths of its cells.
type pictureColumn struct {
	group
	start, label     int
	sizes            []int
	speed, bandwidth string
}

func (c *pictureColumn) cellStart(slot int) int {
	at := 0
	for _, size := range c.sizes[:slot] {
		at += c.label + 1 + size + 2
	}
	return at
}

// layoutColumns returns the columns, where the notes start, and the total width. The speeds are shown if one is slow, and
// how a bandwidth is known in the last column alone if that is the same in all.
func (b *Board) layoutColumns(groups []group) (columns []pictureColumn, notes, width int) {
	columns, hows := make([]pictureColumn, len(groups)), make([]string, len(groups))
	anySlow, last := false, 0
	for i, g := range groups {
		c, slow := &columns[i], false
		c.group = g
		c.label, c.sizes = b.cellWidth(g.keys[0])
		c.speed, slow = b.runningSpeed(g.keys[0])
		if c.bandwidth, hows[i] = b.describeBandwidth(g.keys[0]); c.bandwidth != "" {
			last = i
		}
		anySlow = anySlow || slow
	}
	at := bodyColumn
	for i := range columns {
		c := &columns[i]
		if !anySlow {
			c.speed = ""
		}
		if i == last || slices.ContainsFunc(hows, func(h string) bool { return h != "" && h != hows[last] }) {
			c.bandwidth += wording.InBrackets(hows[i])
		}
		c.start, width = at, at+max(0, c.cellStart(len(c.sizes))-2)
		notes = width + columnGap
		for _, text := range []string{b.Title(c.keys), c.speed, c.bandwidth} {
			width = max(width, at+printable.Columns(printable.Clean(text)))
		}
		at = width + columnGap
	}
	for _, channel := range b.listedChannels(groups) {
		if note := b.channelNote(groups, channel); note != "" {
			width = max(width, notes+printable.Columns(note))
		}
	}
	return columns, notes, width
}

func (b *Board) pictureWidth(columns []group) int {
	_, _, width := b.layoutColumns(columns)
	return width
}

// Title names the CPUs that share a picture.
func (b *Board) Title(keys []int) string {
	if len(keys) == 1 {
		return b.processorName(keys[0])
	}
	return humanize.List(b.processorNames(keys)) + " (alike; labels of " + b.processorName(keys[0]) + ")"
}

// MarkedSlots returns the handles of the slots with a mark.
func (b *Board) MarkedSlots() map[string]bool {
	out := map[string]bool{}
	for _, channels := range b.cells {
		for _, cells := range channels {
			for _, c := range cells {
				if c.wrong {
					out[c.handle] = true
				}
			}
		}
	}
	return out
}

// channelNote returns the note at the end of a channel's row, "" for none: "<- B4: move to B3, CPU1 empty". What it is about is named
// unless it is all that the row has: its only modules, or its only CPU.
func (b *Board) channelNote(columns []group, channel int) string {
	var about humanize.Groups[string]
	same := map[string]int{}
	noted, filled := 0, 0
	for _, g := range columns {
		for _, c := range b.cells[g.keys[0]][channel] {
			same[c.label]++
			if c.size != "-" {
				filled++
			}
		}
	}
	for _, g := range columns {
		for _, n := range b.notes[g.keys[0]][channel] {
			label := n.label
			if label == "" || same[label] > 1 {
				label = strings.TrimSpace(humanize.List(b.processorNames(g.keys)) + " " + label)
			}
			about.Add(n.text, label)
			if n.label != "" {
				noted++
			}
		}
	}
	const move = "move to "
	texts := about.Names
	for i, text := range texts {
		whose := humanize.List(humanize.Spans(about.Of[text]))
		switch {
		case text == "empty" && len(about.Of[text]) < len(columns):
			texts[i] = whose + " " + text
		case text != "empty" && noted < filled:
			texts[i] = whose + ": " + text
		case i > 0 && strings.HasPrefix(texts[i-1], move):
			texts[i] = strings.TrimPrefix(text, move)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return "<- " + strings.Join(texts, ", ")
}

// channelHead names a channel of the CPUs of a row: by the labels' letters, "channel A/E" if they go on over the CPUs. Without
// room for all of them it is the number.
func (b *Board) channelHead(columns []group, channel int) string {
	var names []string
	for _, g := range columns {
		name := strconv.Itoa(channel)
		if pop := b.inv.PopulationOf(g.keys[0]); pop != nil {
			name = b.inv.ChannelName(pop.Socket, channel)
		}
		names = humanize.AddNew(names, name)
	}
	if head := "channel " + strings.Join(names, "/"); len(head) < bodyColumn {
		return head
	}
	return "channel " + strconv.Itoa(channel)
}

// printColumns draws CPUs next to each other.
func (p *Page) printColumns(b *Board, groups []group) {
	columns, at, _ := b.layoutColumns(groups)
	row := func(head string, text func(c *pictureColumn) string) {
		for i := range columns {
			if c := &columns[i]; text(c) != "" {
				if p.col == 0 {
					p.appendClean(head)
				}
				p.padToColumn(c.start)
				p.appendClean(text(c))
			}
		}
		if p.col > 0 {
			p.newline()
		}
	}
	p.padToColumn(bodyColumn)
	if len(columns) == 1 {
		p.wrapWords(bodyColumn, b.Title(columns[0].keys))
		p.newline()
	} else {
		row("", func(c *pictureColumn) string { return b.Title(c.keys) })
	}
	for _, channel := range b.listedChannels(groups) {
		p.appendClean(b.channelHead(groups, channel))
		for i := range columns {
			c := &columns[i]
			for j, e := range b.cells[c.keys[0]][channel] {
				p.padToColumn(c.start + c.cellStart(j))
				text, style := e.size, ""
				if c.label > 0 {
					text = e.label + strings.Repeat(" ", c.label-printable.Columns(printable.Clean(e.label))+1) + e.size
				}
				if e.wrong {
					style = wordStyles["WARNING"]
				}
				p.printInStyle(style, text)
			}
		}
		if note := b.channelNote(groups, channel); note != "" {
			p.padToColumn(max(p.col+2, at))
			p.appendClean(note)
		}
		p.newline()
	}
	row("speed", func(c *pictureColumn) string { return c.speed })
	row("bandwidth", func(c *pictureColumn) string { return c.bandwidth })
}

// printCompact prints a line for each CPU, with the capacity of each channel in GiB, if too many of them differ to
// draw their slots.
func (p *Page) printCompact(b *Board) {
	t := &textTable{columns: []column{{head: "GiB/channel"}}}
	groups := b.groupByBody(b.pictureContent)
	channels := b.listedChannels(groups)
	for _, c := range channels {
		t.columns = append(t.columns, column{head: strings.TrimPrefix(b.channelHead(groups, c), "channel ")})
	}
	t.columns = append(t.columns, column{head: "bandwidth"})
	for _, g := range groups {
		cells := []string{strings.Join(b.processorNames(g.keys), ", ")}
		for _, c := range channels {
			var sizes []string
			for _, e := range b.cells[g.keys[0]][c] {
				if e.size != "-" {
					sizes = append(sizes, strings.TrimSuffix(e.size, " GiB"))
				}
			}
			cells = append(cells, cmp.Or(strings.Join(sizes, "+"), "-"))
		}
		bandwidth, _ := b.describeBandwidth(g.keys[0])
		t.appendRow(append(cells, bandwidth)...)
	}
	t.printRows(p, 0)
}

// ownNames are the technologies that are named beside a size.
var ownNames = []inventory.Technology{inventory.NVDIMM, inventory.CXL, inventory.HBM}

// cellSize returns the size of a slot's DIMM with its unit, "-" for an empty slot and "?" for an unknown one.
func cellSize(s *inventory.Slot) string {
	switch {
	case s.State == inventory.SlotEmpty:
		return "-"
	case s.State != inventory.SlotPopulated || !s.SizeBytes.Known():
		return "?"
	}
	out := humanize.Size(s.SizeBytes.Value)
	if technology := s.Technology.Or(""); slices.Contains(ownNames, technology) {
		out += " " + strings.ToUpper(string(technology))
	}
	return out
}
