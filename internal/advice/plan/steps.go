package plan

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// steps lists what brings the board from today's layout to another one. Only modules leave their slot
// that are of another kind than the layout has there, so as few as possible are touched.
func (b *board) steps(layout []int) []Step {
	var out, moves, installs []Step
	spare := make([][]int, len(b.kinds))
	for i, k := range b.at {
		if k != none && layout[i] != k {
			spare[k] = append(spare[k], i)
		}
	}
	come := b.sources(layout, spare)
	for i, k := range layout {
		switch {
		case k == none || b.at[i] == k:
		case come[i] != none:
			moves = append(moves, Step{Do: Move, From: come[i], To: i, Like: none})
		default:
			installs = append(installs, Step{Do: Install, From: none, To: i, Like: b.kinds[k].like})
		}
	}
	occupied := make([]bool, len(b.at))
	for i, k := range b.at {
		occupied[i] = k != none
	}
	for _, slots := range spare {
		for _, s := range slots {
			occupied[s] = false
		}
	}
	moves = b.inOrder(moves, spare, occupied)
	for _, slots := range spare {
		for _, s := range slots {
			out = append(out, Step{Do: Remove, From: s, To: none, Like: none})
		}
	}
	return exchanges(append(append(out, moves...), installs...))
}

// sources returns for each slot of a layout the slot that its module comes from, none for one that stays or is
// bought, and takes these modules out of spare (for each kind, the slots whose modules leave them). A unit's own
// modules come first: another unit gets them only if it has no use for them itself. If the populated slots stay the
// same, all modules that move do so in cycles; then modules that change places with each other are preferred, because
// two are swapped in one step.
func (b *board) sources(layout []int, spare [][]int) []int {
	come := slices.Repeat([]int{none}, len(layout))
	circles := slices.EqualFunc(b.at, layout, func(now, then int) bool { return (now == none) == (then == none) })
	for _, wanted := range [...]struct{ own, back bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		if wanted.back && !circles {
			continue
		}
		for i, k := range layout {
			if k == none || b.at[i] == k || come[i] != none {
				continue
			}
			nth := slices.IndexFunc(spare[k], func(s int) bool {
				return (!wanted.own || b.owner(s) == b.owner(i)) && (!wanted.back || layout[s] == b.at[i])
			})
			if nth >= 0 {
				come[i] = spare[k][nth]
				spare[k] = slices.Delete(spare[k], nth, nth+1)
			}
		}
	}
	return come
}

// owner is the index of the unit that a slot belongs to, none if it belongs to no unit.
func (b *board) owner(slot int) int {
	for i := range b.units {
		if _, ok := slices.BinarySearch(b.units[i].slots, slot); ok {
			return i
		}
	}
	return none
}

// inOrder sorts moves so that each goes into a slot that is empty by then. If modules wait for one
// another, a spare one of the same kind is moved instead of one of them, which is taken out
// (useSpare). Otherwise two that change places are swapped; of more, one is put into a free slot for
// a while; and if no slot is free, they are swapped one after the other (breakCycle).
func (b *board) inOrder(moves []Step, spare [][]int, occupied []bool) []Step {
	var out []Step
	for len(moves) > 0 {
		at := slices.IndexFunc(moves, func(m Step) bool { return !occupied[m.To] })
		if at < 0 && b.useSpare(moves, out, spare, occupied) {
			continue
		}
		if at < 0 {
			var s Step
			if s, moves = b.breakCycle(moves, occupied); s.Do == Move {
				occupied[s.From], occupied[s.To] = false, true
			}
			out = append(out, s)
			continue
		}
		m := moves[at]
		out = append(out, m)
		occupied[m.From], occupied[m.To] = false, true
		moves = slices.Delete(moves, at, at+1)
	}
	return out
}

// breakCycle is the step with which moves can go on that all wait for one another, and
// the moves that are left after it.
func (b *board) breakCycle(moves []Step, occupied []bool) (Step, []Step) {
	next := func(m Step) int { return slices.IndexFunc(moves, func(o Step) bool { return o.From == m.To }) }
	pair := slices.IndexFunc(moves, func(m Step) bool { return moves[next(m)].To == m.From })
	if free := b.free(occupied); pair < 0 && free != none {
		s := Step{Do: Move, From: moves[0].From, To: free, Like: none}
		moves[0].From = free
		return s, moves
	}
	m := moves[max(pair, 0)]
	moves[next(m)].From = m.From
	moves = slices.DeleteFunc(moves, func(o Step) bool { return o.To == m.To || o.To == o.From })
	return Step{Do: Swap, From: min(m.From, m.To), To: max(m.From, m.To), Like: none}, moves
}

// useSpare changes one of several moves that all wait for one another: a spare module of the same kind and unit is
// moved instead, and the module that was to move is spare. It returns false if there is none.
func (b *board) useSpare(moves, done []Step, spare [][]int, occupied []bool) bool {
	into := func(steps []Step, slot int) bool {
		return slices.ContainsFunc(steps, func(s Step) bool { return s.To == slot })
	}
	for i := range moves {
		from := moves[i].From
		if into(done, from) { // it is there for a time only
			continue
		}
		slots := spare[b.at[from]]
		at := slices.IndexFunc(slots, func(s int) bool { return b.owner(s) == b.owner(from) && !into(done, s) })
		if at < 0 {
			continue
		}
		moves[i].From, slots[at] = slots[at], from
		occupied[moves[i].From], occupied[from] = true, false
		return true
	}
	return false
}

// free is a slot that is not occupied and whose position is known, none if there is none.
func (b *board) free(occupied []bool) int {
	for i := range b.units {
		for _, g := range b.units[i].groups {
			for _, l := range g.layers {
				for _, s := range l {
					if !occupied[s] {
						return s
					}
				}
			}
		}
	}
	return none
}

// exchanges joins a removal from a slot and an installation into it to one exchange, unless another
// module is in the slot for a while between the two.
func exchanges(steps []Step) []Step {
	var out []Step
	for _, s := range steps {
		if s.Do == Install {
			at := slices.IndexFunc(out, func(r Step) bool { return r.Do == Remove && r.From == s.To })
			if at >= 0 && !slices.ContainsFunc(out, func(r Step) bool { return r.Do == Move && r.To == s.To }) {
				out[at] = Step{Do: Exchange, From: s.To, To: s.To, Like: s.Like}
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// Apply returns a copy of the machine after the steps. Modules move with everything that firmware reports about them
// except their running speed and voltage, which only the next boot shows, as it does the memory of each node; the
// data of the kernel's driver about the slots are dropped.
func Apply(sys *inventory.System, steps []Step) *inventory.System {
	out := *sys
	out.Measurements, out.Accepted, out.EDAC = nil, nil, nil // a machine that does not exist yet was not measured
	out.Slots, out.Nodes = slices.Clone(sys.Slots), slices.Clone(sys.Nodes)
	carryOut(&out, sys, steps)
	if len(steps) > 0 {
		forgetBoot(&out)
	}
	return &out
}

// forgetBoot drops what only a boot shows: the speeds of modules and the memory of nodes.
func forgetBoot(sys *inventory.System) {
	for i := range sys.Slots { // a table without the field does not get it by a boot
		s := &sys.Slots[i]
		if s.ConfiguredMV = unread(); s.ConfiguredMTs.State != fact.Absent {
			s.ConfiguredMTs = unread()
		}
	}
	for i := range sys.Nodes {
		sys.Nodes[i].MemoryBytes = fact.Unknown[int64](fact.Unread, nextBoot, "")
	}
}

// carryOut moves modules in a copy of sys, and adapts what the system sees of them.
func carryOut(out, sys *inventory.System, steps []Step) {
	for _, s := range steps {
		switch s.Do {
		case Move:
			moveModule(&out.Slots[s.To], &out.Slots[s.From])
			clearSlot(&out.Slots[s.From])
		case Swap:
			first := out.Slots[s.From]
			moveModule(&out.Slots[s.From], &out.Slots[s.To])
			moveModule(&out.Slots[s.To], &first)
		case Remove:
			clearSlot(&out.Slots[s.From])
		case Install, Exchange:
			moveModule(&out.Slots[s.To], &sys.Slots[s.Like])
		}
	}
	out.Memory = sys.Memory
	out.Memory.MappedBytes = fact.Fact[int64]{}
	restoreVisible(&out.Memory, installed(sys), installed(out))
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

// installed is the capacity of the modules whose size is known, in bytes.
func installed(sys *inventory.System) int64 {
	var n int64
	for i := range sys.Slots {
		if s := &sys.Slots[i]; isModule(s) {
			n += s.SizeBytes.Or(0)
		}
	}
	return n
}
