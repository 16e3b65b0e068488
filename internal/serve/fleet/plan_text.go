package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report/wording"
)

func (t *textWriter) plan(d *Document) {
	p := d.Plan
	t.line(0, humanize.Plural(len(d.Machines), "machine")+": "+p.summary())
	t.changes("MOVES", "gain by moving modules alone, those that gain most first", p.Moves, func(c *Change) string { return c.gains() })
	t.changes("GIVE UP", "can give up modules and keep their class, bandwidth and passed checks", p.GiveUp, func(c *Change) string { return c.givesUp() })
	t.changes("TRANSFERS", "gain by modules that other machines give up, those in which each module does most first", p.Transfers, func(c *Change) string {
		out := humanize.Plural(c.Modules, "module") + " from " + humanize.List(origins(c.Origins)) + "; " + c.gains()
		if c.Unlike != "" {
			out += "; of another " + c.Unlike + ", or one that is not known: the note on mixed DIMMs may come or go"
		}
		return out
	})
	t.changes("SPARES", "gain by modules in stock, those in which each module does most first", p.Spares, func(c *Change) string {
		return humanize.Plural(c.Modules, "module") + " of spare " + humanize.List(wording.Each(c.Spares, strconv.Itoa)) + "; " + c.gains()
	})
	for i := range p.Stock {
		if i == 0 {
			t.head("STOCK", "what becomes of the spare modules")
		}
		t.line(statusColumn, strings.Repeat(" ", statusColumn)+p.Stock[i].words(i+1))
	}
	for i, n := range p.NotPlanned {
		if i == 0 {
			t.head("NO PLAN", "machines that nothing can be planned for")
		}
		t.line(statusColumn, fmt.Sprintf("%*d ", statusColumn-1, len(n.Machines))+n.Reason+": "+humanize.Truncated(mostTraits, n.Machines))
	}
	if len(p.UnknownFloors) > 0 {
		t.head("FLOORS", "of machines and products that are not here: "+humanize.Truncated(mostListed, p.UnknownFloors))
	}
	t.unread(d, mostListed)
}

func (t *textWriter) changes(name, what string, list []Change, words func(c *Change) string) {
	if len(list) == 0 {
		return
	}
	t.head(name, humanize.Plural(len(list), "machine")+": "+what)
	indent := strings.Repeat(" ", statusColumn)
	for i := range list {
		c := &list[i]
		who := c.Machine
		if c.Product != "" {
			who += " (" + string(c.Product) + ")"
		}
		t.line(statusColumn, "  "+who+": "+words(c))
		for n, step := range c.Steps {
			t.line(statusColumn+4, indent+strconv.Itoa(n+1)+". "+step)
		}
		if c.Bandwidth != "" {
			t.line(statusColumn, indent+c.Bandwidth)
		}
	}
}

// origins names the slots that modules come out of, by machine: "web7 (DIMM_A3, DIMM_B3)".
func origins(list []Origin) []string {
	var machines wording.Groups[string]
	for _, o := range list {
		machines.Add(o.Machine, o.Slot)
	}
	for i, name := range machines.Names {
		machines.Names[i] = name + " (" + strings.Join(machines.Of[name], ", ") + ")"
	}
	return machines.Names
}

func (p *Plan) summary() string {
	gone, used, stock := 0, 0, 0
	for i := range p.GiveUp {
		gone += p.GiveUp[i].Modules
	}
	for i := range p.Stock {
		used, stock = used+p.Stock[i].Used, stock+p.Stock[i].Count
	}
	out := strconv.Itoa(len(p.Moves)) + " can gain by moves alone, " + strconv.Itoa(len(p.GiveUp)) + " can give up modules"
	if gone > 0 {
		out += " (" + strconv.Itoa(gone) + ")"
	}
	if len(p.Transfers) > 0 {
		out += ", " + humanize.Plural(len(p.Transfers), "machine") + " can get what others give up"
	}
	if stock > 0 {
		out += ", " + strconv.Itoa(used) + " of " + humanize.Plural(stock, "spare module") + " placed in " + humanize.Plural(len(p.Spares), "machine")
	}
	if n := p.without(); n > 0 {
		out += ", no plan for " + strconv.Itoa(n)
	}
	return out
}

func (p *Plan) without() (machines int) {
	for _, n := range p.NotPlanned {
		machines += len(n.Machines)
	}
	return machines
}

// gains describes what a change fixes and how much faster the memory is after it.
func (c *Change) gains() string {
	var out []string
	for _, n := range []struct {
		n    int
		word string
	}{{c.Critical, "critical failure"}, {c.Warning, "warning"}} {
		switch {
		case n.n > 0:
			out = append(out, humanize.Plural(n.n, n.word)+" fewer")
		case n.n < 0:
			out = append(out, humanize.Plural(-n.n, n.word)+" more")
		}
	}
	if c.Times != nil && *c.Times >= 1.05 {
		out = append(out, "at least "+strconv.FormatFloat(*c.Times, 'f', 1, 64)+" times the memory bandwidth")
	}
	switch {
	case len(out) > 0:
	case len(c.Advice.Cures) > 0:
		out = append(out, humanize.Plural(len(c.Advice.Cures), "note")+" fewer")
	default:
		out = append(out, "more bandwidth in the slowest case")
	}
	return strings.Join(out, ", ")
}

func (c *Change) givesUp() string {
	out := humanize.Plural(c.Modules, "module")
	if before, after := c.CapacityBytes, c.Advice.Reaches.CapacityBytes; before != nil && after != nil {
		out += ", " + humanize.Size(*before) + " to " + humanize.Size(*after)
	}
	if c.Critical > 0 || c.Warning > 0 || c.Times != nil && *c.Times >= 1.05 {
		out += ", " + c.gains()
	}
	if c.Given > 0 {
		out += ", " + strconv.Itoa(c.Given) + " of them for other machines (TRANSFERS)"
	}
	if c.FloorBytes == nil {
		return out + ", no floor is given"
	}
	return out + ", floor " + humanize.Size(*c.FloorBytes)
}

func (s *Stock) words(entry int) string {
	out := strconv.Itoa(entry) + ". " + s.Spare + ": " + strconv.Itoa(s.Used) + " of " + strconv.Itoa(s.Count) + " used"
	switch {
	case s.Short > 0:
		out += "; more machines could use " + strconv.Itoa(s.Short)
	case s.Used == 0:
		out += "; no machine with modules of this kind gains most by more of them"
	}
	if s.Used > 0 && s.Assumed != "" {
		out += "; " + s.Assumed
	}
	return out
}
