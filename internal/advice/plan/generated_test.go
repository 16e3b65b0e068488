package plan_test

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/inventory"
)

// generator generates layouts of one machine. A position is what is populated together: one slot of one processor,
// the same slot of all processors, a lockstep pair on all boards.
type generator struct {
	name string
	// full is the machine with a module in every slot.
	full func(t testing.TB) *inventory.System
	// positions are lists of slots that are populated together.
	positions func(sys *inventory.System) [][]int
	// every lists all layouts, as sets of positions, if they are few enough to try; nil for samples only.
	every func(positions int) iter.Seq[uint]
	// first reports whether a layout is the first of those that differ from it only by exchanging equal channels, and
	// so by the slots' names alone; nil if every layout is tried.
	first func(set uint) bool
	// sample is how many more layouts are drawn: of positions, of single slots, and
	// either with modules of two sizes.
	sample int
	// undocumented is set if no document confirms the machine's slot map.
	undocumented bool
}

// labelOf is a slot's label without blanks around it.
func labelOf(sys *inventory.System, slot int) string {
	return strings.TrimSpace(sys.Slots[slot].Locator.Or(""))
}

// together joins slots of one key into a position.
func together(key func(sys *inventory.System, slot int) string) func(*inventory.System) [][]int {
	return func(sys *inventory.System) [][]int {
		var order []string
		at := map[string][]int{}
		for i := range sys.Slots {
			k := key(sys, i)
			if _, ok := at[k]; !ok {
				order = append(order, k)
			}
			at[k] = append(at[k], i)
		}
		var out [][]int
		for _, k := range order {
			out = append(out, at[k])
		}
		return out
	}
}

// dellNumber is the number of a Dell slot: DIMM_A3 and DIMM_B3 are filled together.
func dellNumber(sys *inventory.System, slot int) string {
	l := labelOf(sys, slot)
	return l[strings.LastIndexAny(l, "ABCD")+1:]
}

func single(_ *inventory.System, slot int) string { return fmt.Sprint(slot) }

// lockstepPair is the pair of a slot of an RX600 S6: 1B with 1D, 1A with 1C, of the
// first or second board of every processor.
func lockstepPair(sys *inventory.System, slot int) string {
	l, bank := labelOf(sys, slot), sys.Slots[slot].BankLocator.Or("")
	return bank[len(bank)-1:] + l[:len(l)-1] + strings.NewReplacer("D", "B", "C", "A").Replace(l[len(l)-1:])
}

// sameLabel is a slot of either processor of a server of machinetest's.
func sameLabel(sys *inventory.System, slot int) string {
	return fmt.Sprint(slot % (len(sys.Slots) / 2))
}

// generators lists the machines to prove: all layouts of the papers' machines, and samples of the servers'.
func generators() []generator {
	paper := func(name string) func(testing.TB) *inventory.System {
		return func(t testing.TB) *inventory.System {
			sys := machine(t, name)
			populate(sys, func(_, _ string) bool { return true })
			return sys
		}
	}
	out := []generator{
		{"R610", paper("dell-r610-good"), together(dellNumber), allSets, firstOfThree, 160, false},
		{"R710", paper("dell-r710-two-channels"), together(dellNumber), allSets, firstOfThree, 160, false},
		{"X7DB8+", paper("supermicro-x7db8-4ch"), together(single), depthsOf(4), firstOfBranches, 120, false},
		{"RX600 S6", paper("fujitsu-rx600s6-class1"), together(lockstepPair), allSets, nil, 48, false},
		{"e326m", paper("ibm-e326m-full"), together(single), allSets, nil, 60, true},
	}
	for _, name := range []string{"dell-r740", "dell-r750xa", "dell-r660", "supermicro-x13", "supermicro-rome", "supermicro-genoa", "altra"} {
		out = append(out, generator{name, func(t testing.TB) *inventory.System {
			return server(t, name, func(_, _, _ int) bool { return true })
		}, together(sameLabel), nil, nil, 80, name == "dell-r660"})
	}
	return out
}

// allSets yields all sets of positions but the empty one.
func allSets(positions int) iter.Seq[uint] {
	return func(yield func(uint) bool) {
		for set := uint(1); set < 1<<positions; set++ {
			if !yield(set) {
				return
			}
		}
	}
}

// depthsOf yields the sets that populate every channel, with the given number of adjacent slots each, from its first
// slot on.
func depthsOf(slots int) func(positions int) iter.Seq[uint] {
	return func(positions int) iter.Seq[uint] {
		return func(yield func(uint) bool) {
			for set := range allSets(positions) {
				fits := true
				for c := 0; c < positions; c += slots {
					in := set >> c & (1<<slots - 1)
					fits = fits && in&(in+1) == 0
				}
				if fits && !yield(set) {
					return
				}
			}
		}
	}
}

// firstOfThree sorts the three channels of a Nehalem-EP: position n is on channel n modulo 3.
func firstOfThree(set uint) bool {
	channel := func(c int) uint { return set>>c&1 | set>>(c+3)&1<<1 | set>>(c+6)&1<<2 }
	return channel(0) <= channel(1) && channel(1) <= channel(2)
}

// firstOfBranches sorts two branches of two channels with four slots: channels within a branch, and the branches.
func firstOfBranches(set uint) bool {
	channel := func(c int) uint { return set >> (4 * c) & 15 }
	return channel(0) <= channel(1) && channel(2) <= channel(3) && channel(0)<<4|channel(1) <= channel(2)<<4|channel(3)
}

// repeated is the number of equivalent layouts per equivalent layout that is tried all the same.
const repeated = 6

// tried reports whether the n-th layout is tried: with EVERY=all each is.
func (g *generator) tried(n int, set uint) bool {
	return g.first == nil || g.first(set) || n%repeated == 0 || os.Getenv("EVERY") == "all"
}

// all yields every layout if there are few, and the samples. The order of samples is the same in every run.
func (g *generator) all(t testing.TB) iter.Seq2[string, *inventory.System] {
	return func(yield func(string, *inventory.System) bool) {
		full := g.full(t)
		positions := g.positions(full)
		if g.every != nil {
			n := 0
			for set := range g.every(len(positions)) {
				if n++; !g.tried(n, set) {
					continue
				}
				if !yield(laid(full, positions, func(at int) bool { return set>>at&1 == 1 })) {
					return
				}
			}
		}
		seed := fnv.New64a()
		_, _ = seed.Write([]byte(g.name))
		random := rand.New(rand.NewPCG(11, seed.Sum64()))
		for n := range g.sample {
			if !yield(g.draw(full, positions, n, random)) {
				return
			}
		}
	}
}

// draw returns the n-th sample: positions, then single slots, then either with some modules twice as large.
func (g *generator) draw(full *inventory.System, positions [][]int, n int, random *rand.Rand) (string, *inventory.System) {
	if n%2 == 1 {
		positions = together(single)(full)
	}
	chance := 0.1 + 0.85*random.Float64()
	drawn := make([]bool, len(positions))
	for i := range drawn {
		drawn[i] = random.Float64() < chance
	}
	drawn[random.IntN(len(drawn))] = true
	name, sys := laid(full, positions, func(at int) bool { return drawn[at] })
	if n%4 >= 2 {
		larger := 0
		for _, p := range positions {
			twice := random.IntN(2) == 1
			for _, i := range p {
				if s := &sys.Slots[i]; twice && s.State == inventory.SlotPopulated {
					s.SizeBytes.Value *= 2
					larger++
				}
			}
		}
		name += fmt.Sprintf(" (%d of twice the size)", larger)
	}
	return name, sys
}

// laid is the machine with modules in those positions only.
func laid(full *inventory.System, positions [][]int, filled func(at int) bool) (string, *inventory.System) {
	var steps []plan.Step
	var names []string
	for at, p := range positions {
		for _, i := range p {
			if filled(at) {
				names = append(names, full.Slots[i].Name())
			} else {
				steps = append(steps, plan.Step{Do: plan.Remove, FromSlot: i, ToSlot: -1, LikeSlot: -1})
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, " "), plan.Apply(full, steps)
}

// generatorOf is the generator of that name.
func generatorOf(name string) generator {
	all := generators()
	return all[slices.IndexFunc(all, func(g generator) bool { return g.name == name })]
}

// TestFirstLayouts checks that exchanging channels gives every layout from one that is tried.
func TestFirstLayouts(t *testing.T) {
	sort := func(list ...uint) []uint { slices.Sort(list); return list }
	for _, c := range []struct {
		name string
		of   func(set uint) []uint // what is the same in layouts that repeat each other
	}{
		{"R710", func(set uint) []uint {
			var channels [3]uint
			for at := range 9 {
				channels[at%3] |= set >> at & 1 << (at / 3)
			}
			return sort(channels[:]...)
		}},
		{"X7DB8+", func(set uint) []uint {
			branch := func(set uint) uint { pair := sort(set&15, set>>4&15); return pair[0]<<4 | pair[1] }
			return sort(branch(set), branch(set>>8))
		}},
	} {
		g := generatorOf(c.name)
		all, first := map[string]bool{}, map[string]int{}
		n := 0
		for set := range g.every(len(g.positions(g.full(t)))) {
			n++
			all[fmt.Sprint(c.of(set))] = true
			if g.first(set) {
				first[fmt.Sprint(c.of(set))]++
			}
		}
		for what, times := range first {
			require.Equal(t, 1, times, "%s: %s", c.name, what)
		}
		require.Len(t, first, len(all), c.name)
		t.Logf("%s: %d of %d layouts", c.name, len(first), n)
	}
}
