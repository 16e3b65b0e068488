package collect

import (
	"fmt"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/smbios"
)

const codeModule = "module"

// checkModules records what firmware states of a module and what no module beside the others can be: another
// data width, a speed that its type does not have or that is far above its rating, more than its
// array takes.
func (c *collector) checkModules() {
	var modules []*inventory.Slot
	for i := range c.sys.Slots {
		if s := &c.sys.Slots[i]; s.State == inventory.SlotPopulated && s.Technology.Or(inventory.Other) == inventory.DRAM {
			modules = append(modules, s)
		}
	}
	width := commonest(modules, func(s *inventory.Slot) int { return s.DataWidth.Or(0) })
	speeds := [...]struct {
		name string
		of   func(s *inventory.Slot) fact.Fact[int]
	}{
		{"rated", func(s *inventory.Slot) fact.Fact[int] { return s.RatedMTs }},
		{"configured", func(s *inventory.Slot) fact.Fact[int] { return s.ConfiguredMTs }},
	}
	for _, s := range modules {
		if n := s.DataWidth.Or(0); n != 0 && width != 0 && n < width {
			c.impossible(s, "has a data width of %d bits, and the others have %d", n, width)
		}
		for _, speed := range speeds {
			if f := speed.of(s); f.State == fact.Malformed && commonest(modules, func(o *inventory.Slot) int { return speed.of(o).Or(0) }) > 0 {
				c.impossible(s, "has a %s speed that the others do not have: %s", speed.name, f.Reason)
			}
		}
		rated, running := s.RatedMTs.Or(0), s.ConfiguredMTs.Or(0)
		if most := commonest(modules, func(o *inventory.Slot) int { return o.RatedMTs.Or(0) }); rated > 0 && rated < most && running*2 > rated*3 {
			c.impossible(s, "runs at %d MT/s and is rated %d", ddr.Nominal(running), ddr.Nominal(rated))
		}
	}
	most := map[uint16]smbios.Field[int64]{}
	for _, a := range c.table.MemoryArrays() {
		most[a.Handle] = a.MaxCapacity
	}
	for _, s := range modules {
		if limit, ok := most[s.Array].Get(); ok && limit > 0 && s.SizeBytes.Or(0) > limit {
			c.impossible(s, "has %s, and its memory array takes %s", humanize.Size(s.SizeBytes.Value), humanize.Size(limit))
		}
	}
}

func (c *collector) impossible(s *inventory.Slot, format string, args ...any) {
	f := &c.sys.Firmware
	f.Problems = append(f.Problems, inventory.Problem{Code: codeModule, Text: s.Name() + " " + fmt.Sprintf(format, args...)})
}

// commonest returns the value that more than half of the modules have, the zero value if there is none.
func commonest[T comparable](modules []*inventory.Slot, of func(s *inventory.Slot) T) T {
	counts := map[T]int{}
	for _, s := range modules {
		v := of(s)
		if counts[v]++; 2*counts[v] > len(modules) {
			return v
		}
	}
	var none T
	return none
}
