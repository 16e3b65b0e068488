package collect

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/partnumber"
)

type decodedModule struct {
	slot    *inventory.Slot
	decoded *partnumber.Module
	// agrees is set if firmware states the same size and rated speed, so the part number belongs to
	// this module.
	agrees bool
}

// partNumbers fills in values that firmware does not state from the modules' part numbers. Firmware's
// values are not replaced; differences are added to the detail of the SMBIOS source.
func (c *collector) partNumbers(load func() (*partnumber.Table, error)) {
	if load == nil || !c.hasPartNumbers() {
		return
	}
	table, err := load()
	if err != nil {
		return // the built-in knowledge is damaged; other users of it report that
	}
	p := &partNumberMerge{differs: map[string]int{}}
	modules := c.readPartNumbers(table, p)
	p.doubtRanks(c.sys, modules)
	for i := range modules {
		p.fillFromPart(&modules[i])
	}
	c.noteSource(p.summaryText(), false)
}

func (c *collector) hasPartNumbers() bool {
	return slices.ContainsFunc(c.sys.Slots, func(s inventory.Slot) bool { return s.PartNumber.Known() })
}

// readPartNumbers decodes the part numbers of all DRAM modules. One that contradicts the module's
// size or generation is ignored.
func (c *collector) readPartNumbers(table *partnumber.Table, p *partNumberMerge) []decodedModule {
	known := map[string]*partnumber.Module{}
	var out []decodedModule
	for s := range inventory.Pointers(c.sys.Slots) {
		number, ok := s.PartNumber.Get()
		if !ok || s.State != inventory.SlotPopulated || s.Technology.Or(inventory.Other) != inventory.DRAM {
			continue
		}
		m, seen := known[number]
		if !seen {
			if read, ok := table.Decode(number); ok {
				m = &read
			}
			known[number] = m
		}
		if m == nil {
			continue
		}
		n := decodedModule{slot: s, decoded: m}
		if size, ok := s.SizeBytes.Get(); ok && m.SizeBytes > 0 {
			if size != m.SizeBytes {
				p.noteDifference(&n, "MiB", int(m.SizeBytes>>20), int(size>>20), "and is not believed")
				continue
			}
			rated, ok := s.RatedMTs.Get()
			n.agrees = ok && m.RatedMTs > 0 && ddr.SameSpeed(ddr.Nominal(rated), ddr.Nominal(m.RatedMTs))
		}
		if typ := s.Type.Or(""); ddr.Generation(typ) != "" && m.Type != "" && ddr.Generation(typ) != ddr.Generation(m.Type) {
			p.countDifference(number + " is " + m.Type + " by its number and " + typ + " by firmware, and is not believed")
			continue
		}
		out = append(out, n)
	}
	return out
}

type partNumberMerge struct {
	// filled is the number of modules with a value that was filled in.
	filled int
	// differs maps the text of a difference to its number of modules; order lists these texts.
	differs map[string]int
	order   []string
}

func (p *partNumberMerge) noteDifference(n *decodedModule, unit string, number, firmware int, then string) {
	p.countDifference(fmt.Sprintf("%s says %d %s and firmware %d, %s", n.slot.PartNumber.Value, number, unit, firmware, then))
}

func (p *partNumberMerge) countDifference(text string) {
	if p.differs[text] == 0 {
		p.order = append(p.order, text)
	}
	p.differs[text]++
}

// doubtRanks makes a module's ranks unknown if the part number contradicts them and firmware states the
// same number for all modules: on real machines such a number is a constant of the firmware (260 of 262
// differing modules of linuxhw/DMI). If firmware states several numbers, a difference is only recorded.
func (p *partNumberMerge) doubtRanks(sys *inventory.System, modules []decodedModule) {
	constant, wrong := oneRankCount(sys), false
	for n := range inventory.Pointers(modules) {
		switch ranks, ok := n.slot.Ranks.Get(); {
		case !ok || n.decoded.Ranks == 0 || n.decoded.Ranks == ranks:
		case !constant:
			p.noteDifference(n, "ranks", n.decoded.Ranks, ranks, "which stands")
		default:
			wrong = true
			p.noteDifference(n, "ranks", n.decoded.Ranks, ranks, "as of every module: neither is taken")
			n.slot.Ranks = fact.Unknown[int](fact.Malformed,
				fmt.Sprintf("firmware states %d of every module, and part number %s has %d", ranks, n.slot.PartNumber.Value, n.decoded.Ranks),
				"the module's label, which prints its ranks as 1Rx4, 2Rx4 or 2Rx8", n.slot.Ranks.From, n.partNumberEvidence())
		}
	}
	for i := range sys.Slots {
		if r := &sys.Slots[i].Ranks; wrong && r.Known() {
			r.Certainty = fact.Indirect
		}
	}
}

func oneRankCount(sys *inventory.System) bool {
	counts := map[int]bool{}
	for i := range sys.Slots {
		if ranks, ok := sys.Slots[i].Ranks.Get(); ok {
			counts[ranks] = true
		}
	}
	return len(counts) == 1 && !counts[0]
}

func (n *decodedModule) partNumberEvidence() fact.Evidence {
	at := n.slot.PartNumber.From
	at.Field += ", read as " + n.decoded.Pattern
	return at
}

func (p *partNumberMerge) fillFromPart(n *decodedModule) {
	s, m := n.slot, n.decoded
	p.doubtRatedSpeed(n)
	filled := fillFrom(n, &s.Ranks, m.Ranks, m.Ranks > 0)
	filled = fillFrom(n, &s.RatedMTs, m.RatedMTs, m.RatedMTs > 0) || filled
	filled = fillFrom(n, &s.Type, m.Type, m.Type != "") || filled
	registered, ok := m.Registered()
	filled = fillFrom(n, &s.Registered, registered, ok) || filled
	reduced, ok := m.LoadReduced()
	filled = fillFrom(n, &s.LoadReduced, reduced, ok) || markLoadReduced(n, reduced) || filled
	data, total, ok := m.Widths()
	filled = fillFrom(n, &s.DataWidth, data, ok) || filled
	filled = fillFrom(n, &s.TotalWidth, total, ok) || filled
	if filled {
		p.filled++
	}
	// Chips on a board are often listed with the number of the SODIMM that they replace.
	if s.Soldered.Or(false) && m.Kind != "" && !strings.Contains(m.Kind, "SODIMM") {
		s.Soldered = fact.Unknown[bool](fact.Conflicting, fmt.Sprintf("firmware calls %s soldered, and part number %s is that of a module (%s)", s.Name(), s.PartNumber.Value, m.Kind),
			"a look at the board", s.Soldered.From, n.partNumberEvidence())
	}
}

// markLoadReduced changes a module from registered to load-reduced if a documented part number shows it: some
// firmware sets the bit "Registered (Buffered)" for both kinds and the bit "LRDIMM" for neither (Huawei
// RH1288 V3, PowerEdge C8220).
func markLoadReduced(n *decodedModule, reduced bool) bool {
	s := n.slot
	if !reduced || !n.decoded.Documented || !s.Registered.Or(false) || s.LoadReduced.Or(true) {
		return false
	}
	s.LoadReduced.State = fact.Unstated
	return fillFrom(n, &s.LoadReduced, true, true)
}

// doubtRatedSpeed lowers the certainty of a rated speed that is below that of the part number: most such firmware
// reports the running speed as the rated one (777 of 826 modules).
func (p *partNumberMerge) doubtRatedSpeed(n *decodedModule) {
	rated, ok := n.slot.RatedMTs.Get()
	if !ok || n.decoded.RatedMTs == 0 || ddr.SameSpeed(ddr.Nominal(rated), ddr.Nominal(n.decoded.RatedMTs)) {
		return
	}
	p.noteDifference(n, "MT/s", ddr.Nominal(n.decoded.RatedMTs), ddr.Nominal(rated), "which stands")
	if rated < n.decoded.RatedMTs && n.slot.RatedMTs.Certainty > fact.Indirect {
		n.slot.RatedMTs.Certainty = fact.Indirect
		n.slot.RatedMTs.More = append(n.slot.RatedMTs.More[:len(n.slot.RatedMTs.More):len(n.slot.RatedMTs.More)], n.partNumberEvidence())
	}
}

// fillFrom sets a fact that firmware does not state, if the part number has the value (ok). A malformed
// or contradictory fact is left as it is. It reports whether the fact was set.
func fillFrom[T any](n *decodedModule, into *fact.Fact[T], value T, ok bool) bool {
	unstated := into.State == fact.Unstated || into.State == fact.Absent || into.State == fact.Unread
	if !ok || !unstated {
		return false
	}
	certainty := fact.Indirect
	if n.agrees {
		certainty = fact.Corroborated
	}
	*into = fact.Known(value, certainty, n.partNumberEvidence())
	into.Unverified = !n.decoded.Documented
	return true
}

func (p *partNumberMerge) summaryText() string {
	var out []string
	if p.filled > 0 {
		out = append(out, "part numbers complete "+humanize.Plural(p.filled, "module"))
	}
	for _, text := range p.order {
		out = append(out, text+" ("+humanize.Plural(p.differs[text], "module")+")")
	}
	return strings.Join(out, "; ")
}

// noteSource adds to the detail of the SMBIOS source; partial is set if the source is not complete.
func (c *collector) noteSource(text string, partial bool) {
	for s := range inventory.Pointers(c.sys.Sources) {
		if s.Name != inventory.SourceSMBIOS || text == "" {
			continue
		}
		s.Detail = nullable.String(strings.TrimPrefix(string(s.Detail)+"; "+text, "; "))
		if partial && s.State == fact.SourceOK {
			s.State = fact.SourcePartial
		}
	}
}
