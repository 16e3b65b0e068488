package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report/wording"
)

func (t *textWriter) writePlan(d *Document) {
	p := d.Plan
	t.writeLine(0, humanize.Plural(len(d.Machines), "machine")+": "+p.summarise())
	t.writeChanges("MOVES", "gain by moving modules alone, those that gain most first", p.Moves, func(c *Change) string { return c.describeGains() })
	t.writeChanges("GIVE UP", "can give up modules and keep their class, bandwidth and passed checks", p.GiveUp, func(c *Change) string { return c.describeGivenUp() })
	t.writeChanges("TRANSFERS", "gain by modules that other machines give up, those in which each module does most first", p.Transfers, func(c *Change) string {
		out := humanize.Plural(c.Modules, "module") + " from " + humanize.List(originTexts(c.Origins)) + "; " + c.describeGains()
		if c.Unlike != "" {
			out += "; of another " + c.Unlike + ", or one that is not known: the note on mixed DIMMs may come or go"
		}
		return out
	})
	t.writeChanges("SPARES", "gain by modules in stock, those in which each module does most first", p.Spares, func(c *Change) string {
		return humanize.Plural(c.Modules, "module") + " of spare " + humanize.List(wording.Each(c.Spares, strconv.Itoa)) + "; " + c.describeGains()
	})
	for i := range p.Stock {
		if i == 0 {
			t.writeHead("STOCK", "what becomes of the spare modules")
		}
		t.writeLine(statusColumn, strings.Repeat(" ", statusColumn)+p.Stock[i].describeUse(i+1))
	}
	for i, n := range p.NotPlanned {
		if i == 0 {
			t.writeHead("NO PLAN", "machines that nothing can be planned for")
		}
		t.writeLine(statusColumn, fmt.Sprintf("%*d ", statusColumn-1, len(n.Machines))+n.Reason+": "+humanize.Truncated(mostTraits, n.Machines))
	}
	if len(p.UnknownFloors) > 0 {
		t.writeHead("FLOORS", "of machines and products that are not here: "+humanize.Truncated(mostListed, p.UnknownFloors))
	}
	t.writeUnread(d, mostListed)
}

func (t *textWriter) writeChanges(name, what string, list []Change, words func(c *Change) string) {
	if len(list) == 0 {
		return
	}
	t.writeHead(name, humanize.Plural(len(list), "machine")+": "+what)
	indent := strings.Repeat(" ", statusColumn)
	for i := range list {
		c := &list[i]
		who := c.Machine
		if c.Product != "" {
			who += " (" + string(c.Product) + ")"
		}
		t.writeLine(statusColumn, "  "+who+": "+words(c))
		for n, step := range c.Steps {
			t.writeLine(statusColumn+4, indent+strconv.Itoa(n+1)+". "+step)
		}
		if c.Bandwidth != "" {
			t.writeLine(statusColumn, indent+c.Bandwidth)
		}
	}
}

// originTexts names the slots that modules come out of, by machine: "web7 (DIMM_A3, DIMM_B3)".
func originTexts(list []Origin) []string {
	var machines wording.Groups[string]
	for _, o := range list {
		machines.Add(o.Machine, o.Slot)
	}
	for i, name := range machines.Names {
		machines.Names[i] = name + " (" + strings.Join(machines.Of[name], ", ") + ")"
	}
	return machines.Names
}

func (p *Plan) summarise() string {
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

// describeGains describes what a change fixes and how much faster the memory is after it.
func (c *Change) describeGains() string {
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

func (c *Change) describeGivenUp() string {
	out := humanize.Plural(c.Modules, "module")
	if before, after := c.CapacityBytes, c.Advice.Reaches.CapacityBytes; before != nil && after != nil {
		out += ", " + humanize.Size(*before) + " to " + humanize.Size(*after)
	}
	if c.Critical > 0 || c.Warning > 0 || c.Times != nil && *c.Times >= 1.05 {
		out += ", " + c.describeGains()
	}
	if c.Given > 0 {
		out += ", " + strconv.Itoa(c.Given) + " of them for other machines (TRANSFERS)"
	}
	if c.FloorBytes == nil {
		return out + ", no floor is given"
	}
	return out + ", floor " + humanize.Size(*c.FloorBytes)
}

func (s *Stock) describeUse(entry int) string {
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
