package collect

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/partnumber"
	"github.com/memaudit/memaudit/internal/model/prose"
)

// readModule is a module whose part number could be read.
type readModule struct {
	slot *inventory.Slot
	says *partnumber.Module
	// agrees says that firmware states the same size and rated speed, so the part number is that of
	// this module.
	agrees bool
}

// partNumbers fills in from the modules' part numbers what firmware does not state. What firmware
// states is not replaced; differences are listed in the detail of the SMBIOS source.
func (c *collector) partNumbers(load func() (*partnumber.Table, error)) {
	if load == nil || !c.hasPartNumbers() {
		return
	}
	table, err := load()
	if err != nil {
		return // the built-in knowledge is damaged, which other users of it report
	}
	p := &partJoint{differs: map[string]int{}}
	modules := c.readPartNumbers(table, p)
	p.doubtRanks(c.sys, modules)
	for i := range modules {
		p.fill(&modules[i])
	}
	c.saySource(p.words())
}

func (c *collector) hasPartNumbers() bool {
	for i := range c.sys.Slots {
		if c.sys.Slots[i].PartNumber.Known() {
			return true
		}
	}
	return false
}

// readPartNumbers decodes the part numbers of all DRAM modules. One that contradicts the module's
// size or generation is ignored.
func (c *collector) readPartNumbers(table *partnumber.Table, p *partJoint) []readModule {
	known := map[string]*partnumber.Module{}
	var out []readModule
	for i := range c.sys.Slots {
		s := &c.sys.Slots[i]
		number, ok := s.PartNumber.Get()
		if !ok || s.State != inventory.SlotPopulated || s.Technology.Or(inventory.Other) != inventory.DRAM {
			continue
		}
		m, decoded := known[number]
		if !decoded {
			if says, ok := table.Decode(number); ok {
				m = &says
			}
			known[number] = m
		}
		if m == nil {
			continue
		}
		n := readModule{slot: s, says: m}
		if size, ok := s.SizeBytes.Get(); ok && m.SizeBytes > 0 {
			if size != m.SizeBytes {
				p.differ(&n, "MiB", int(m.SizeBytes>>20), int(size>>20), "and is not believed")
				continue
			}
			rated, ok := s.RatedMTs.Get()
			n.agrees = ok && m.RatedMTs > 0 && ddr.SameSpeed(ddr.Nominal(rated), ddr.Nominal(m.RatedMTs))
		}
		if typ := s.Type.Or(""); generation(typ) != "" && m.Type != "" && generation(typ) != generation(m.Type) {
			p.say(number + " is " + m.Type + " by its number and " + typ + " by firmware, and is not believed")
			continue
		}
		out = append(out, n)
	}
	return out
}

// generation returns the DDR generation that a type names, "" for types without one (DRAM, DDR,
// SDRAM).
func generation(typ string) string {
	if name, _, _ := strings.Cut(typ, " "); len(name) == 4 && strings.HasPrefix(name, "DDR") {
		return name
	}
	return ""
}

// partJoint fills in facts from part numbers and records the differences.
type partJoint struct {
	// filled counts the modules for which something was filled in, differs counts modules by the
	// text of the difference.
	filled  int
	differs map[string]int
	order   []string
}

// differ records that a part number differs from firmware.
func (p *partJoint) differ(n *readModule, unit string, says, firmware int, then string) {
	p.say(fmt.Sprintf("%s says %d %s and firmware %d, %s", n.slot.PartNumber.Value, says, unit, firmware, then))
}

func (p *partJoint) say(text string) {
	if p.differs[text] == 0 {
		p.order = append(p.order, text)
	}
	p.differs[text]++
}

// doubtRanks makes ranks unknown that a part number contradicts, if firmware states the same number
// for all modules: on real machines such a number is a constant of the firmware (260 of 262
// differing modules of linuxhw/DMI). If firmware states several numbers, a difference is only
// recorded.
func (p *partJoint) doubtRanks(sys *inventory.System, modules []readModule) {
	wrong := map[*inventory.Slot]bool{}
	for i := range modules {
		n := &modules[i]
		if ranks, ok := n.slot.Ranks.Get(); ok && n.says.Ranks > 0 && n.says.Ranks != ranks {
			wrong[n.slot] = true
		}
	}
	if len(wrong) == 0 {
		return
	}
	constant := oneRankCount(sys)
	for i := range modules {
		n := &modules[i]
		switch ranks := n.slot.Ranks.Value; {
		case !wrong[n.slot]:
		case !constant:
			p.differ(n, "ranks", n.says.Ranks, ranks, "which stands")
		default:
			p.differ(n, "ranks", n.says.Ranks, ranks, "as of every module: neither is taken")
			n.slot.Ranks = fact.Unknown[int](fact.Conflicting,
				fmt.Sprintf("firmware states %d of every module, and part number %s has %d", ranks, n.slot.PartNumber.Value, n.says.Ranks),
				"the module's label, which prints its ranks as 1Rx4, 2Rx4 or 2Rx8", n.slot.Ranks.From, n.at())
		}
	}
	for i := range sys.Slots {
		if r := &sys.Slots[i].Ranks; constant && r.Known() {
			r.Certainty = fact.Indirect
		}
	}
}

// oneRankCount tells whether firmware states the same rank count for all modules for which it
// states one.
func oneRankCount(sys *inventory.System) bool {
	first := 0
	for i := range sys.Slots {
		ranks, ok := sys.Slots[i].Ranks.Get()
		if ok && first != 0 && ranks != first {
			return false
		}
		if ok {
			first = ranks
		}
	}
	return first != 0
}

// at returns the evidence for what a part number says.
func (n *readModule) at() fact.Evidence {
	at := n.slot.PartNumber.From
	at.Field += ", read as " + n.says.Pattern
	return at
}

// fill fills in what the part number says and firmware does not.
func (p *partJoint) fill(n *readModule) {
	s, m := n.slot, n.says
	p.speed(n)
	filled := fillFrom(n, &s.Ranks, m.Ranks, m.Ranks > 0)
	filled = fillFrom(n, &s.RatedMTs, m.RatedMTs, m.RatedMTs > 0) || filled
	filled = fillFrom(n, &s.Type, m.Type, m.Type != "") || filled
	registered, ok := m.Registered()
	filled = fillFrom(n, &s.Registered, registered, ok) || filled
	reduced, ok := m.LoadReduced()
	filled = fillFrom(n, &s.LoadReduced, reduced, ok) || buffered(n, reduced) || filled
	data, total, ok := m.Widths()
	filled = fillFrom(n, &s.DataWidth, data, ok) || filled
	filled = fillFrom(n, &s.TotalWidth, total, ok) || filled
	if filled {
		p.filled++
	}
}

// buffered makes a module load-reduced that firmware calls registered, if its maker's documented
// part number says so: some firmware sets the bit "Registered (Buffered)" for both kinds and LRDIMM
// for none (Huawei RH1288 V3, PowerEdge C8220).
func buffered(n *readModule, reduced bool) bool {
	s := n.slot
	if !reduced || !n.says.Documented || !s.Registered.Or(false) || s.LoadReduced.Or(true) {
		return false
	}
	s.LoadReduced.State = fact.Unstated
	return fillFrom(n, &s.LoadReduced, true, true)
}

// speed lowers the certainty of a rated speed below that of the part number: most firmware that
// states one prints the running speed there (777 of 826 modules).
func (p *partJoint) speed(n *readModule) {
	rated, ok := n.slot.RatedMTs.Get()
	if !ok || n.says.RatedMTs == 0 || ddr.SameSpeed(ddr.Nominal(rated), ddr.Nominal(n.says.RatedMTs)) {
		return
	}
	p.differ(n, "MT/s", ddr.Nominal(n.says.RatedMTs), ddr.Nominal(rated), "which stands")
	if rated < n.says.RatedMTs && n.slot.RatedMTs.Certainty > fact.Indirect {
		n.slot.RatedMTs.Certainty = fact.Indirect
		n.slot.RatedMTs.More = append(n.slot.RatedMTs.More[:len(n.slot.RatedMTs.More):len(n.slot.RatedMTs.More)], n.at())
	}
}

// fillFrom sets a fact that firmware does not state. One that is malformed or contradictory is left
// as it is.
func fillFrom[T any](n *readModule, into *fact.Fact[T], value T, says bool) bool {
	silent := into.State == fact.Unstated || into.State == fact.Absent || into.State == fact.Unread
	if !says || !silent {
		return false
	}
	certainty := fact.Indirect
	if n.agrees {
		certainty = fact.Corroborated
	}
	*into = fact.Known(value, certainty, n.at())
	into.Unverified = !n.says.Documented
	return true
}

// words returns a text about what part numbers added and where they differ.
func (p *partJoint) words() string {
	var out []string
	if p.filled > 0 {
		out = append(out, "part numbers complete "+prose.Count(p.filled, "module"))
	}
	for _, text := range p.order {
		out = append(out, text+" ("+prose.Count(p.differs[text], "module")+")")
	}
	return strings.Join(out, "; ")
}

// saySource appends a text to the detail of the SMBIOS source.
func (c *collector) saySource(text string) {
	for i := range c.sys.Sources {
		if s := &c.sys.Sources[i]; s.Name == inventory.SourceSMBIOS && text != "" {
			s.Detail = strings.TrimPrefix(s.Detail+"; "+text, "; ")
		}
	}
}
