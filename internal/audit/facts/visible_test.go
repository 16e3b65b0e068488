package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// TestUnmapped judges firmware's own account of the memory, as real machines
// give it (linuxhw/DMI: S5520UR, PowerEdge R710 and R410, MacPro5,1, X8DTT-H).
func TestUnmapped(t *testing.T) {
	const g = int64(1) << 30
	silent := func(from, n int, f func(*inventory.Slot)) func([]inventory.Slot) {
		return func(slots []inventory.Slot) {
			for i := from; i < from+n; i++ {
				f(&slots[i])
			}
		}
	}
	unranged := func(s *inventory.Slot) { s.Mapped = sure(false) }
	stopped := func(s *inventory.Slot) { s.ConfiguredMTs = fact.Unknown[int](fact.Unstated, "unknown", "") }
	for _, c := range []struct {
		name    string
		modules int
		each    int64
		mapped  int64
		end     int64
		change  func([]inventory.Slot)
		want    any
		sure    fact.Certainty
		names   []string
	}{
		{"all of it", 12, 8, 96 * g, 97 * g, nil, int64(0), fact.Indirect, []string{}},
		{"two modules that have no range", 12, 8, 80 * g, 81 * g, silent(10, 2, unranged), 16 * g, fact.Corroborated, []string{"K", "L"}},
		{"one module of 48 that has no range", 48, 16, 752 * g, 753 * g, silent(10, 1, unranged), 16 * g, fact.Corroborated, []string{"K"}},
		{"one of 48 without a witness", 48, 16, 752 * g, 753 * g, nil, nil, 0, nil},
		{"six of 18 modules", 18, 8, 96 * g, 97 * g, nil, 48 * g, fact.Indirect, []string{}},
		{"one module and no second source", 8, 8, 56 * g, 57 * g, nil, nil, 0, nil},
		{"one module that has no speed", 8, 8, 56 * g, 57 * g, silent(7, 1, stopped), 8 * g, fact.Corroborated, []string{"H"}},
		{"one module, and two without speed", 8, 8, 56 * g, 57 * g, silent(6, 2, stopped), nil, 0, nil},
		{"no module has a speed", 8, 8, 56 * g, 57 * g, silent(0, 8, stopped), nil, 0, nil},
		{"a module listed twice", 2, 16, 16 * g, 16 * g, silent(1, 1, func(s *inventory.Slot) {
			s.Mapped, s.Locator, s.BankLocator = sure(false), sure("A"), sure("bank")
		}), nil, 0, nil},
		{"a module listed again under no array", 2, 16, 16 * g, 16 * g, silent(1, 1, func(s *inventory.Slot) {
			s.Mapped, s.Locator, s.BankLocator, s.Array = sure(false), sure("A"), sure("another bank"), 0x1008
		}), nil, 0, nil},
		{"a module whose label repeats", 2, 16, 16 * g, 16 * g, silent(1, 1, func(s *inventory.Slot) {
			s.Mapped, s.Locator, s.BankLocator = sure(false), sure("A"), sure("another bank")
		}), 16 * g, fact.Corroborated, []string{"another bank A"}},
		{"an odd total", 12, 4, 25 * g, 26 * g, nil, nil, 0, nil},
		{"below 4 GiB alone", 4, 2, 4 * g, 4 * g, nil, nil, 0, nil},
		{"36 address bits", 7, 16, 48 * g, 49 * g, nil, nil, 0, nil},
		{"more than there is", 4, 8, 40 * g, 41 * g, nil, nil, 0, nil},
		{"1 % more than the modules hold", 10, 10, 101 * g, 102 * g, nil, int64(0), fact.Indirect, []string{}},
		{"just what is normally reserved, and no whole module", 5, 10, 48 * g, 49 * g, nil, 2 * g, fact.Indirect, []string{}},
		{"half of it, which leaves 64 GiB", 8, 16, 64 * g, 65 * g, nil, 64 * g, fact.Indirect, []string{}},
		{"a module without a range, and no module has a label", 2, 16, 16 * g, 16 * g, func(slots []inventory.Slot) {
			slots[0].Locator, slots[1].Locator, slots[1].Mapped = fact.Fact[string]{}, fact.Fact[string]{}, sure(false)
		}, 16 * g, fact.Corroborated, []string{"slot without a name"}},
		{"a normal reservation", 12, 8, 94 * g, 97 * g, nil, 2 * g, fact.Indirect, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &Machine{sys: &inventory.System{Arrays: []inventory.Array{{Handle: 0x1000}}}, population: &population.Result{InstalledBytes: sure(int64(c.modules) * c.each * g)}}
			for i := range c.modules {
				s := module(string(rune('A'+i)), c.each, 2)
				s.State, s.ConfiguredMTs, s.Mapped = inventory.SlotPopulated, sure(1333), sure(true)
				s.BankLocator, s.Array = sure("bank"), 0x1000
				m.sys.Slots = append(m.sys.Slots, s)
			}
			if c.change != nil {
				c.change(m.sys.Slots)
			}
			m.sys.Memory.MappedBytes = fact.Known(c.mapped, fact.Indirect, fact.Evidence{Source: inventory.SourceSMBIOS})
			m.sys.Memory.MappedEnd = c.end
			v := hidden(m)
			assert.Equal(t, c.want, v.Value)
			if c.want == nil {
				assert.NotEmpty(t, v.Reason)
				assert.False(t, silentNames(m).Known())
				return
			}
			assert.Equal(t, c.sure, v.Certainty)
			assert.Equal(t, c.names, silentNames(m).Value)
			assert.Equal(t, len(c.names) > 0, moduleLost(m).Value)
			assert.False(t, mirrored(m).Known(), "firmware's map does not show the mode")
		})
	}
}

// TestListedTwiceWithModules checks that a slot without DRAM that has the same labels is not a second listing of a
// module.
func TestListedTwiceWithModules(t *testing.T) {
	labelled := changed(module("A1", 8, 2), func(s *inventory.Slot) { s.BankLocator = sure("BANK 0") })
	hbm := changed(labelled, func(s *inventory.Slot) { s.Technology = sure(inventory.HBM) })
	assert.Equal(t, "BANK 0 A1", board(2, labelled, labelled).listedTwice([]int{0}))
	assert.Empty(t, board(2, labelled, hbm).listedTwice([]int{0}))
}

// TestVisible checks that the kernel's best source is used, else another, and that a refused one (a guest of Xen) is
// not replaced.
func TestVisible(t *testing.T) {
	none := fact.Unknown[int64](fact.Absent, "no memory map", "")
	refused := fact.Unknown[int64](fact.Refused, "a guest of Xen", "")
	for _, c := range []struct {
		best, blocks fact.Fact[int64]
		want         any
	}{
		{sure(int64(60)), sure(int64(64)), int64(60)}, {none, sure(int64(64)), int64(64)}, {refused, sure(int64(64)), nil}, {none, none, nil},
	} {
		m := &Machine{sys: &inventory.System{Memory: inventory.Memory{VisibleBytes: c.best, BlockBytes: c.blocks}}}
		v := valueOf(m.visible())
		assert.Equal(t, c.want, v.Value)
	}
}
