package audit_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// harm is something wrong with a machine, and the rules that are about it.
type harm struct {
	name string
	// do harms a machine; it reports whether that could be done to it.
	do func(sys *inventory.System, topo *population.Result) bool
	// rules are the rules of which one has to fail if the first of them passed before.
	rules []string
	// severity is what one of them has on a machine whose slots are documented.
	severity verdict.Severity
}

// harms lists the changes made to a good machine. Each is a fault by construction: a rule about it that still passes
// is wrong, whatever the model computes.
func harms() []harm {
	return []harm{
		{"a module is gone", func(sys *inventory.System, _ *population.Result) bool {
			at := modules(sys)
			if len(at) < 2 {
				return false
			}
			removed(&sys.Slots[at[len(at)/2]])
			return true
		}, []string{"memory.channel.populated", "memory.channel.symmetric", "memory.socket.symmetric", "memory.socket.populated", "memory.count.channels"}, verdict.Warning},
		{"a processor lost all of its modules", func(sys *inventory.System, topo *population.Result) bool {
			pop := topo.Populations[len(topo.Populations)-1]
			for _, i := range pop.Slots {
				removed(&sys.Slots[i])
			}
			return len(topo.Populations) > 1 && len(pop.Slots) > 0
		}, []string{"memory.socket.populated"}, verdict.Critical},
		{"a processor with modules is gone", func(sys *inventory.System, topo *population.Result) bool {
			if len(topo.Populations) < 2 || len(topo.Populations[0].Slots) == 0 {
				return false // a single processor has all modules, whatever their labels say
			}
			last := topo.Populations[len(topo.Populations)-1]
			for i := range sys.Sockets {
				if sys.Sockets[i].ID == last.Socket {
					sys.Sockets[i].Populated.Value = false
				}
			}
			return len(last.Slots) > 0
		}, []string{"memory.slot.reachable"}, verdict.Warning},
		{"a module stands on another's channel", func(sys *inventory.System, topo *population.Result) bool {
			for i := range topo.Populations {
				p := &topo.Populations[i]
				if !p.DPC.Known() || p.ChannelsPopulated.Value < 2 || slices.Max(p.DPC.Value) > 1 {
					continue
				}
				for _, to := range p.EmptySlots {
					for _, from := range p.Slots {
						if topo.Placements[from].Channel != topo.Placements[to].Channel && p.DPC.Value[topo.Placements[to].Channel] > 0 {
							moved(sys, from, to)
							return true
						}
					}
				}
			}
			return false
		}, []string{"memory.channel.populated", "memory.channel.symmetric", "memory.socket.symmetric"}, verdict.Warning},
		{"a module has half the size", func(sys *inventory.System, _ *population.Result) bool {
			s := odd(sys)
			if s != nil {
				s.SizeBytes.Value /= 2
			}
			return s != nil
		}, []string{"memory.channel.symmetric", "memory.dimm.uniform", "memory.socket.symmetric", "memory.lockstep.identical"}, verdict.Warning},
		{"a module has other ranks", func(sys *inventory.System, _ *population.Result) bool {
			s := odd(sys)
			if s != nil {
				s.Ranks.Value = 3 - min(s.Ranks.Value, 2)
			}
			return s != nil && s.Ranks.Known()
		}, []string{"memory.dimm.uniform", "memory.lockstep.identical"}, verdict.Info},
		{"a module has a lower rating", func(sys *inventory.System, topo *population.Result) bool {
			s := odd(sys)
			if s != nil { // below what the processors run: beyond that a lower one is no harm
				s.RatedMTs.Value = min(s.RatedMTs.Value, cmp.Or(topo.HighestMTs(), s.RatedMTs.Value)) * 3 / 4
			}
			return s != nil && s.RatedMTs.Known()
		}, []string{"memory.dimm.uniform", "memory.lockstep.identical"}, verdict.Info},
		{"a module is unbuffered", func(sys *inventory.System, _ *population.Result) bool {
			s := odd(sys)
			if s == nil || !s.Registered.Or(false) {
				return false
			}
			s.Registered.Value, s.LoadReduced.Value = false, false
			return true
		}, []string{"memory.dimm.uniform", "memory.lockstep.identical"}, verdict.Info},
		{"a module has no check bits", func(sys *inventory.System, _ *population.Result) bool {
			s := odd(sys)
			if s == nil || s.TotalWidth.Or(0) <= s.DataWidth.Or(0) {
				return false
			}
			s.TotalWidth.Value = s.DataWidth.Value
			return true
		}, []string{"memory.ecc.modules"}, verdict.Info},
		{"error correction is off", func(sys *inventory.System, _ *population.Result) bool {
			for i := range sys.Arrays {
				if !sys.Arrays[i].ECC.Known() {
					return false
				}
				sys.Arrays[i].ECC.Value = "None"
			}
			return len(sys.Arrays) > 0
		}, []string{"memory.ecc.active"}, verdict.Info},
		{"all modules run at half their speed", func(sys *inventory.System, _ *population.Result) bool {
			return slowed(sys, modules(sys))
		}, []string{"memory.speed.expected"}, verdict.Warning},
		{"a module runs at half its speed", func(sys *inventory.System, _ *population.Result) bool {
			at := modules(sys)
			return len(at) > 1 && slowed(sys, at[len(at)/2:len(at)/2+1])
		}, []string{"memory.speed.expected"}, verdict.Warning},
		{"a module does not run", func(sys *inventory.System, _ *population.Result) bool {
			s := odd(sys)
			if s == nil || !s.ConfiguredMTs.Known() {
				return false
			}
			s.ConfiguredMTs = fact.Unknown[int](fact.Unstated, "not stated", "")
			return true
		}, []string{"memory.module.running"}, verdict.Info},
		{"a module has no address", func(sys *inventory.System, _ *population.Result) bool {
			at := modules(sys)
			if len(at) < 2 || !sys.Memory.MappedBytes.Known() {
				return false
			}
			s := &sys.Slots[at[len(at)/2]]
			sys.Memory.MappedBytes.Value -= s.SizeBytes.Value
			s.Mapped, s.Range = fact.Known(false, fact.Direct, fact.Evidence{}), nil
			return s.SizeBytes.Value > 4<<30
		}, []string{"memory.capacity.visible"}, verdict.Warning},
		{"a processor is of another model", func(sys *inventory.System, _ *population.Result) bool {
			n, changed := 0, false
			for i := range sys.Sockets {
				if s := &sys.Sockets[i]; s.Populated.Or(false) && s.Brand.Known() {
					if n++; n == 2 {
						was := s.Brand.Value
						s.Brand.Value = strings.NewReplacer("0", "1", "1", "0", "2", "3", "3", "2", "4", "5", "5", "4").Replace(was)
						changed = s.Brand.Value != was
						s.Cores = fact.Known(s.Cores.Value+2, fact.Direct, s.Brand.From)
					}
				}
			}
			return changed
		}, []string{"processor.uniform"}, verdict.Warning},
	}
}

// modules lists the slots with DRAM modules.
func modules(sys *inventory.System) []int {
	var out []int
	for i := range sys.Slots {
		s := &sys.Slots[i]
		if s.State == inventory.SlotPopulated && s.Technology.Or(inventory.DRAM) == inventory.DRAM && !s.Soldered.Or(false) {
			out = append(out, i)
		}
	}
	return out
}

// odd makes one module of several another vendor's part; nil if there is only one. A part number would contradict the
// change.
func odd(sys *inventory.System) *inventory.Slot {
	at := modules(sys)
	if len(at) < 2 {
		return nil
	}
	s := &sys.Slots[at[len(at)/2]]
	s.Manufacturer, s.PartNumber = collecttest.Known("another"), collecttest.Known("another part")
	return s
}

// removed removes the module of a slot.
func removed(s *inventory.Slot) {
	*s = inventory.Slot{Handle: s.Handle, Array: s.Array, Locator: s.Locator, BankLocator: s.BankLocator, State: inventory.SlotEmpty,
		Technology: s.Technology, Soldered: s.Soldered, FormFactor: s.FormFactor, HPE: s.HPE, BMC: s.BMC, Row: s.Row}
}

// moved carries a module from one slot to another one.
func moved(sys *inventory.System, from, to int) {
	s, old := sys.Slots[from], sys.Slots[to]
	s.Handle, s.Array, s.Locator, s.BankLocator, s.HPE, s.BMC, s.Row = old.Handle, old.Array, old.Locator, old.BankLocator, old.HPE, old.BMC, old.Row
	s.Range = nil // an address range of the old place would contradict the new one
	sys.Slots[to] = s
	removed(&sys.Slots[from])
}

// slowed lowers the running speed of modules; false if it is unknown.
func slowed(sys *inventory.System, at []int) bool {
	for _, i := range at {
		if !sys.Slots[i].ConfiguredMTs.Known() {
			return false
		}
		sys.Slots[i].ConfiguredMTs.Value /= 2
	}
	return len(at) > 0
}

// outcome is what a rule came to on its worst subject.
type outcome struct {
	fails, doubted bool
	severity       verdict.Severity
	// passes counts subjects.
	passes int
}

// outcomes are the results of an audit by rule.
func outcomes(t testing.TB, e *audit.Engine, sys *inventory.System) map[string]outcome {
	found, err := e.Run(sys, population.Derive(sys, rules.FS), audit.Options{})
	require.NoError(t, err)
	out := map[string]outcome{}
	for i := range found.Findings {
		f := &found.Findings[i]
		o := out[f.Rule]
		switch f.Result {
		case verdict.Fail:
			if !o.fails || f.Severity.Rank() > o.severity.Rank() {
				o.severity = f.Severity
			}
			o.fails, o.doubted = true, o.doubted || f.Doubt != ""
		case verdict.Pass:
			o.passes++
		default:
		}
		out[f.Rule] = o
	}
	return out
}

// verdictOn returns the harmed machine's result for a harm: what fails now and did not, and what still passes.
type verdictOn struct {
	fails, doubted bool
	severity       verdict.Severity
}

// harmed harms a copy of a machine and audits it; nil if the harm is not possible, or if the first of its rules does
// not pass before.
func harmed(t testing.TB, e *audit.Engine, sys *inventory.System, before map[string]outcome, h *harm) *verdictOn {
	if first := before[h.rules[0]]; first.passes == 0 || first.fails {
		return nil
	}
	again := *sys
	again.Slots, again.Sockets, again.Arrays = slices.Clone(sys.Slots), slices.Clone(sys.Sockets), slices.Clone(sys.Arrays)
	topo := population.Derive(&again, rules.FS)
	if len(topo.Populations) == 0 || !h.do(&again, topo) {
		return nil
	}
	after := outcomes(t, e, &again)
	out := &verdictOn{}
	for _, rule := range h.rules {
		if now := after[rule]; now.fails {
			out.fails, out.doubted = true, out.doubted || now.doubted
			if now.severity.Rank() > out.severity.Rank() {
				out.severity = now.severity
			}
		}
	}
	return out
}

// TestHarmIsFound checks that every harm to a good machine is found. Each server of the tests has one module on every
// channel and passes; after each harm one of the rules about it fails. The unit tests do half of the harms to one
// server and the others to the next; make corpus does each to each.
func TestHarmIsFound(t *testing.T) {
	e := builtin(t)
	held := map[string]int{}
	servers := machinetest.Servers()
	for n, name := range slices.Sorted(maps.Keys(servers)) {
		s := servers[name]
		sys := collecttest.Read(t, name, s.Table(func(_, _, slot int) bool { return slot == 0 }).Dump())
		for _, i := range modules(sys) {
			sys.Slots[i].Mapped = collecttest.Known(true)
			sys.Memory.MappedBytes = collecttest.Known(sys.Memory.MappedBytes.Value + sys.Slots[i].SizeBytes.Value)
		}
		sys.Memory.MappedEnd = sys.Memory.MappedBytes.Value + 1<<30
		before := outcomes(t, e, sys)
		for i, h := range harms() {
			if !corpustest.Stage && (n+i)%2 > 0 {
				continue
			}
			got := harmed(t, e, sys, before, &h)
			if got == nil {
				continue
			}
			held[h.name]++
			assert.True(t, got.fails, "%s: %s is not found by %s", name, h.name, strings.Join(h.rules, ", "))
			if !got.doubted { // the slot map of the Dell R660, and what contradicts speed or ranks
				assert.GreaterOrEqual(t, got.severity.Rank(), h.severity.Rank(), "%s: %s is %s", name, h.name, got.severity)
			}
		}
	}
	for _, h := range harms() {
		assert.Positive(t, held[h.name], "%s is held on no server", h.name)
	}
}
