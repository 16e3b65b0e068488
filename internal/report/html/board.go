package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// board draws the slots of every processor; processors that are the same share a picture.
func (p *pageWriter) board() {
	sockets := p.drawnSockets()
	if len(sockets) == 0 {
		p.noBoard()
		return
	}
	p.legend()
	p.Open("div", markup.Class("sockets"))
	for _, alike := range alikeNumbers(len(sockets), func(i int) string { return p.looks(sockets[i]) }) {
		ids := make([]int, len(alike))
		for n, i := range alike {
			ids[n] = sockets[i]
		}
		p.socket(ids)
	}
	p.Close()
	for _, doubt := range text.Doubts(p.r) {
		p.Element("p", doubt)
	}
	if n := p.unplaced(); n > 0 {
		p.Open("p")
		p.Text(prose.Count(n, "slot") + " not drawn: the channel is not known, see the ")
		p.Element("a", "table of slots", attr("href", "#slots"))
		p.Close()
	}
}

// looks is what the picture of a processor shows but for the labels of its slots.
func (p *pageWriter) looks(id int) string {
	if id == wording.NoSocket {
		return "not of one processor"
	}
	out := p.processor(id) + "\n" + p.texts.Line(id) + "\n"
	d := layout(p.placed(id))
	for i := range d.columns {
		c := &d.columns[i]
		out += fmt.Sprintln(c.controller, c.channel)
		for row, s := range c.cells {
			if s != nil {
				out += fmt.Sprintln(row, cellClass(s), cellSize(s), cellSpeed(s), p.marked[s.Handle])
			}
		}
	}
	for _, s := range p.steps() {
		for end, handle := range []*string{s.From, s.To, s.At} {
			if x, y, here := d.spot(handle); here {
				out += fmt.Sprintln(s.Do, end, x, y)
			}
		}
	}
	return out
}

// noBoard says why nothing is drawn.
func (p *pageWriter) noBoard() {
	why := "The SMBIOS table lists no memory device."
	if s := p.withoutTable(); s != "" {
		why = s
	}
	switch {
	case len(p.r.Inventory.Slots) > 0:
		why = "The channel of no slot is known; the table of slots says why."
	case p.r.Machine.Virtual != nil && *p.r.Machine.Virtual:
		why = "A virtual machine's memory is what the hypervisor grants; its DIMMs are the host's."
	}
	p.Element("p", why)
}

// withoutTable says that firmware's table was not read, or not whole, and why; "" where it was.
func (p *pageWriter) withoutTable() string {
	for i := range p.r.Inventory.Sources {
		s := &p.r.Inventory.Sources[i]
		switch {
		case s.Name != inventory.SourceSMBIOS || s.State == string(fact.SourceOK):
		case s.Detail != nil:
			return "The source smbios is " + s.State + " (" + *s.Detail + ")."
		default:
			return "The source smbios is " + s.State + "."
		}
	}
	return ""
}

// legend explains the marks that the pictures use.
func (p *pageWriter) legend() {
	p.Open("ul", markup.Class("legend"))
	marks := [][2]string{{"full", "holds memory"}, {"empty", "empty"}, {"unclear", "not known"}}
	if len(p.marked) > 0 {
		marks = append(marks, [2]string{"bad", "! a problem is here"})
	}
	for _, mark := range marks {
		p.Open("li")
		p.Element("span", "", markup.Class("key "+mark[0]))
		p.Text(mark[1])
		p.Close()
	}
	if len(p.steps()) > 0 {
		for _, mark := range [...][2]string{{"out", "take out at this step"}, {"in", "put in at this step"}} {
			p.Open("li")
			p.Element("span", "1", markup.Class("key step "+mark[0]))
			p.Text(mark[1])
			p.Close()
		}
	}
	p.Close()
}

// drawnSockets lists what gets a picture: every socket with a processor or a
// placed slot, and the memory outside them.
func (p *pageWriter) drawnSockets() []int {
	var ids []int
	for i := range p.r.Inventory.Slots {
		if s := &p.r.Inventory.Slots[i]; s.Channel != nil && !slices.Contains(ids, wording.SocketID(s.Socket)) {
			ids = append(ids, wording.SocketID(s.Socket))
		}
	}
	if len(ids) > 0 && !slices.Contains(ids, wording.NoSocket) {
		for i := range p.r.Inventory.Sockets {
			if id := p.r.Inventory.Sockets[i].ID; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// unplaced counts the slots of system memory that no picture shows.
func (p *pageWriter) unplaced() int {
	n := 0
	for i := range p.r.Inventory.Slots {
		if p.r.Inventory.Slots[i].Channel == nil {
			n++
		}
	}
	return n
}

// socket draws processors that are the same: the slots of the first, and what they come to.
func (p *pageWriter) socket(ids []int) {
	id, title := ids[0], p.texts.Title(ids)
	if id == wording.NoSocket {
		title = "memory of all processors"
	}
	p.Line()
	p.Open("figure", markup.Class("socket"))
	defer p.Close()
	p.Open("figcaption")
	p.Element("h3", title)
	if name := p.processor(id); name != "" {
		p.Text(" " + name)
	}
	slots := p.placed(id)
	prefix := commonPrefix(slots)
	if strings.Trim(prefix, " _-:./#") != "" {
		p.Element("span", " (names without "+strings.TrimSpace(prefix)+")", markup.Class("note"))
	}
	p.Close()
	if len(slots) > 0 {
		p.picture(title, layout(slots), prefix, wording.Boards(&p.r.Inventory, slots))
	}
	if line := p.texts.Line(id); line != "" {
		p.Element("p", strings.ReplaceAll(line, "\n", "; "))
	}
}

// processor names the processor of a socket, or says that there is none.
func (p *pageWriter) processor(id int) string {
	for i := range p.r.Inventory.Sockets {
		switch s := &p.r.Inventory.Sockets[i]; {
		case s.ID != id:
		case s.Populated != nil && !*s.Populated:
			return "no processor"
		case s.Model != nil:
			return wording.Processor(*s.Model)
		}
	}
	return ""
}

func (p *pageWriter) placed(id int) []*report.Slot {
	var out []*report.Slot
	for i := range p.r.Inventory.Slots {
		if s := &p.r.Inventory.Slots[i]; s.Channel != nil && wording.SocketID(s.Socket) == id {
			out = append(out, s)
		}
	}
	return out
}

// names names processors: "CPU1 and CPU2".
func (p *pageWriter) names(ids []int) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		if names[i] = p.r.Inventory.SocketName(id); id == wording.NoSocket {
			names[i] = "all processors"
		}
	}
	return prose.And(names)
}

// alikeNumbers groups the numbers below n by what is said of them, in the order of the first.
func alikeNumbers(n int, says func(int) string) [][]int {
	var out [][]int
	at := map[string]int{}
	for i := range n {
		key := says(i)
		if group, seen := at[key]; seen {
			out[group] = append(out[group], i)
			continue
		}
		at[key] = len(out)
		out = append(out, []int{i})
	}
	return out
}

func (p *pageWriter) population(id int) *report.PopulationSocket {
	for i := range p.r.Inventory.Population.Sockets {
		if s := &p.r.Inventory.Population.Sockets[i]; wording.SocketID(s.Socket) == id {
			return s
		}
	}
	return nil
}
