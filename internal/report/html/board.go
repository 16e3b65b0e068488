package html

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// board draws the slots of every processor.
func (p *pageWriter) board() {
	p.section("board", "Memory slots")
	defer p.Close()
	sockets := p.drawnSockets()
	if len(sockets) == 0 {
		p.noBoard()
		return
	}
	p.legend()
	p.Open("div", markup.Class("sockets"))
	for _, id := range sockets {
		p.socket(id)
	}
	p.Close()
	if n := p.unplaced(); n > 0 {
		p.Open("p")
		p.Text(prose.Count(n, "slot") + " not drawn, for the channel is not known: see the ")
		p.Element("a", "table of slots", attr("href", "#slots"))
		p.Close()
	}
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
	for _, mark := range [...][2]string{{"full", "holds memory"}, {"empty", "empty"}, {"unclear", "not known"}, {"bad", "! something is wrong here"}} {
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

// socket draws one processor: its slots, what they come to, what is wrong.
func (p *pageWriter) socket(id int) {
	p.Line()
	p.Open("figure", markup.Class("socket"))
	defer p.Close()
	p.Open("figcaption")
	p.Element("h3", socketTitle(id))
	if name := p.socketName(id); name != "" {
		p.Text(" " + name)
	}
	slots := p.placed(id)
	prefix := commonPrefix(slots)
	if strings.Trim(prefix, " _-:./#") != "" {
		p.Element("span", " (names without "+strings.TrimSpace(prefix)+")", markup.Class("note"))
	}
	p.Close()
	if len(slots) > 0 {
		p.picture(id, layout(slots), prefix, wording.Boards(&p.r.Inventory, slots))
	}
	if pop := p.population(id); pop != nil {
		p.Element("p", strings.Join(p.status(id, pop), ", "))
	}
	p.marks(id)
}

// socketName is firmware's label with the processor.
func (p *pageWriter) socketName(id int) string {
	for i := range p.r.Inventory.Sockets {
		s := &p.r.Inventory.Sockets[i]
		if s.ID != id {
			continue
		}
		var parts []string
		if s.Designation != nil {
			parts = append(parts, *s.Designation)
		}
		if label := report.Misnamed(&p.r.Inventory)[id]; label != "" {
			parts = append(parts, "slots "+label)
		}
		if s.Model != nil {
			parts = append(parts, wording.Processor(*s.Model))
		}
		if s.Populated != nil && !*s.Populated {
			parts = append(parts, "no processor")
		}
		return strings.Join(parts, ", ")
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

// marks names the failures of a socket and of its slots, with a way to each.
func (p *pageWriter) marks(id int) {
	var failed []int
	for i := range p.r.Findings {
		if p.r.Findings[i].Result == string(verdict.Fail) && p.concerns(&p.r.Findings[i], id) {
			failed = append(failed, i)
		}
	}
	if len(failed) == 0 {
		return
	}
	p.Open("ul", markup.Class("marks"))
	for _, i := range failed {
		f := &p.r.Findings[i]
		p.Open("li")
		p.Element("strong", f.Severity, markup.Class("badge "+f.Severity))
		p.Text(" ")
		p.Element("a", markSays(f), attr("href", "#"+findingID(i)))
		p.Close()
	}
	p.Close()
}

// concerns reports whether a finding is about a socket or about a slot of it.
func (p *pageWriter) concerns(f *report.Finding, socket int) bool {
	if handle, ok := strings.CutPrefix(f.Subject, "slot "); ok {
		handle, _, _ = strings.Cut(handle, " ")
		return slices.ContainsFunc(p.r.Inventory.Slots, func(s report.Slot) bool {
			return s.Handle == handle && wording.SocketID(s.Socket) == socket && s.Channel != nil
		})
	}
	return f.Subject == socketTitle(socket)
}

// markSays is what was found wrong, else the rule. The names of slots are in the
// picture above it.
func markSays(f *report.Finding) string {
	if f.Found != nil {
		return wording.WithoutBrackets(*f.Found)
	}
	return f.Rule
}
