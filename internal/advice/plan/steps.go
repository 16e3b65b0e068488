package plan

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Only modules of another kind than the layout has there leave their slot, so as few as possible are touched.
func (b *board) stepsToLayout(layout []int) []Step {
	var out, moves, installs []Step
	spare := make([][]int, len(b.kinds))
	for _, i := range b.order {
		if k := b.at[i]; k != none && layout[i] != k {
			spare[k] = append(spare[k], i)
		}
	}
	come := b.moduleSources(layout, spare)
	for _, i := range b.order {
		switch k := layout[i]; {
		case k == none || b.at[i] == k:
		case come[i] != none:
			moves = append(moves, Step{Do: Move, FromSlot: come[i], ToSlot: i, LikeSlot: none})
		default:
			installs = append(installs, Step{Do: Install, FromSlot: none, ToSlot: i, LikeSlot: b.kinds[k].like})
		}
	}
	occupied := make([]bool, len(b.at))
	for i, k := range b.at {
		occupied[i] = k != none
	}
	for _, s := range slices.Concat(spare...) {
		occupied[s] = false
		out = append(out, Step{Do: Remove, FromSlot: s, ToSlot: none, LikeSlot: none})
	}
	var joined []Step
	for _, s := range slices.Concat(out, orderMoves(moves, occupied), installs) {
		at := slices.IndexFunc(joined, func(r Step) bool { return s.Do == Install && r.Do == Remove && r.FromSlot == s.ToSlot })
		if at < 0 {
			joined = append(joined, s)
			continue
		}
		joined[at] = Step{Do: Exchange, FromSlot: s.ToSlot, ToSlot: s.ToSlot, LikeSlot: s.LikeSlot}
	}
	return joined
}

// moduleSources returns for each slot of a layout the slot that its module comes from, none for one that stays or is
// bought, and takes these modules out of spare (for each kind, the slots whose modules leave them). A unit's own
// modules come first: another unit gets them only if it has no use for them itself. If the populated slots stay the
// same, all modules that move do so in cycles; then modules that change places with each other are preferred, because
// two are swapped in one step.
func (b *board) moduleSources(layout []int, spare [][]int) []int {
	come := slices.Repeat([]int{none}, len(layout))
	circles := slices.EqualFunc(b.at, layout, func(now, then int) bool { return (now == none) == (then == none) })
	for _, wanted := range [...]struct{ own, back bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		if wanted.back && !circles {
			continue
		}
		for _, i := range b.order {
			k := layout[i]
			if k == none || b.at[i] == k || come[i] != none {
				continue
			}
			nth := slices.IndexFunc(spare[k], func(s int) bool {
				return (!wanted.own || b.unitOfSlot(s) == b.unitOfSlot(i)) && (!wanted.back || layout[s] == b.at[i])
			})
			if nth >= 0 {
				come[i] = spare[k][nth]
				spare[k] = slices.Delete(spare[k], nth, nth+1)
			}
		}
	}
	return come
}

func (b *board) unitOfSlot(slot int) int {
	for i := range b.units {
		if _, ok := slices.BinarySearchFunc(b.units[i].slots, slot, b.compareRank); ok {
			return i
		}
	}
	return none
}

// Each move goes into a slot that is empty by then. Modules that wait for one another are swapped.
func orderMoves(moves []Step, occupied []bool) []Step {
	var out []Step
	for len(moves) > 0 {
		m := moves[max(0, slices.IndexFunc(moves, func(m Step) bool { return !occupied[m.ToSlot] }))]
		next := m
		if occupied[m.ToSlot] { // what is in the way comes out of the other slot then
			moves[slices.IndexFunc(moves, func(o Step) bool { return o.FromSlot == m.ToSlot })].FromSlot = m.FromSlot
			next = Step{Do: Swap, FromSlot: m.ToSlot, ToSlot: m.FromSlot, LikeSlot: none}
		} else {
			occupied[m.FromSlot], occupied[m.ToSlot] = false, true
		}
		out = append(out, next)
		moves = slices.DeleteFunc(moves, func(o Step) bool { return o.ToSlot == m.ToSlot || o.ToSlot == o.FromSlot })
	}
	return out
}

// ApplySteps returns a copy of the machine after the steps. Modules move with everything that firmware reports about them
// except their running speed and voltage, which only the next boot shows, as it does the memory of each node; the
// data of the kernel's driver about the slots are dropped.
func ApplySteps(sys *inventory.System, steps []Step) *inventory.System {
	out := *sys
	out.Measurements, out.Accepted, out.EDAC = nil, nil, nil // a machine that does not exist yet was not measured
	out.Slots, out.Nodes = slices.Clone(sys.Slots), slices.Clone(sys.Nodes)
	for _, s := range steps {
		switch s.Do {
		case Move:
			moveModule(&out.Slots[s.ToSlot], &out.Slots[s.FromSlot])
			clearSlot(&out.Slots[s.FromSlot])
		case Swap:
			first := out.Slots[s.FromSlot]
			moveModule(&out.Slots[s.FromSlot], &out.Slots[s.ToSlot])
			moveModule(&out.Slots[s.ToSlot], &first)
		case Remove:
			clearSlot(&out.Slots[s.FromSlot])
		case Install, Exchange:
			moveModule(&out.Slots[s.ToSlot], &sys.Slots[s.LikeSlot])
		}
	}
	out.Memory.MappedBytes = fact.Fact[int64]{}
	restoreVisible(&out.Memory, installedBytes(sys), installedBytes(&out))
	if len(steps) > 0 {
		forgetBoot(&out)
	}
	return &out
}

// forgetBoot drops what only a boot shows: the speeds of modules and the memory of nodes.
func forgetBoot(sys *inventory.System) {
	for i := range sys.Slots { // a table without the field does not get it by a boot
		s := &sys.Slots[i]
		if s.ConfiguredMV = unreadUntilBoot(); s.ConfiguredMTs.State != fact.Absent {
			s.ConfiguredMTs = unreadUntilBoot()
		}
	}
	for i := range sys.Nodes {
		sys.Nodes[i].MemoryBytes = fact.Unknown[int64](fact.Unread, nextBoot, "")
	}
}

// restoreVisible adapts the memory that the system sees to a changed capacity, both in bytes. What firmware and
// kernel reserve keeps its size; if more is missing (a mirror or a spare), it is the same part of the capacity.
// Unchanged figures with twice the modules would look like a mirror.
func restoreVisible(m *inventory.Memory, before, after int64) {
	if before == 0 || before == after {
		return
	}
	for _, seen := range []*fact.Fact[int64]{&m.TotalBytes, &m.MapBytes, &m.BlockBytes, &m.VisibleBytes} {
		lost := before - seen.Value
		switch {
		case !seen.Known():
		case lost > before/mirrorShare:
			seen.Value = int64(float64(seen.Value) / float64(before) * float64(after))
		default:
			seen.Value = max(0, after-lost)
		}
	}
}

// mirrorShare: if more than one part in so many is missing, that is more than firmware and kernel
// keep. A mirror or a spare takes a quarter at least.
const mirrorShare = 5

func installedBytes(sys *inventory.System) int64 {
	var n int64
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.HoldsDRAM() {
			n += s.SizeBytes.Or(0)
		}
	}
	return n
}
