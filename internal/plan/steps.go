package plan

import (
	"slices"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
)

// steps lists what brings the board to a layout, with as few modules touched as
// can be: only what a slot holds too much leaves it.
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

// sources says for each slot of a layout which slot its module comes from, none for one
// that stays or is bought, and takes these modules out of spare. A processor's own
// modules come first: no other one gets them while it has use for them itself. Where the
// same slots are filled as now, all modules that move do so in circles: of these come
// first those that change places with what the slot holds, as two are swapped in one step.
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

// owner is the unit that a slot belongs to, none for a stray one.
func (b *board) owner(slot int) int {
	for i := range b.units {
		if _, ok := slices.BinarySearch(b.units[i].slots, slot); ok {
			return i
		}
	}
	return none
}

// inOrder sorts moves so that each goes into a slot that is empty by then. Where modules
// wait for one another, a spare one of the kind may go in the stead of one, which is
// taken out; two that change places are swapped; of more, one takes a free slot for the
// time, and where none is free they are swapped one after the other.
func (b *board) inOrder(moves []Step, spare [][]int, occupied []bool) []Step {
	var out []Step
	for len(moves) > 0 {
		at := slices.IndexFunc(moves, func(m Step) bool { return !occupied[m.To] })
		if at < 0 && b.makeWay(moves, out, spare, occupied) {
			continue
		}
		if at < 0 {
			var s Step
			if s, moves = b.breakCircle(moves, occupied); s.Do == Move {
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

// breakCircle is the step with which moves can go on that all wait for one another, and
// the moves that are left after it.
func (b *board) breakCircle(moves []Step, occupied []bool) (Step, []Step) {
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

// makeWay takes out, of moves that all wait for one another, a module in the way of one
// of them, and moves a spare one of its kind instead of it. It reports whether there is one.
func (b *board) makeWay(moves, done []Step, spare [][]int, occupied []bool) bool {
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

// free is an empty slot whose position is known.
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

// exchanges joins what leaves a slot and what comes into it, but where a module that
// changes places stands in the slot for a time.
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

// Apply is a copy of the machine after the steps. The modules go with all that
// firmware says of them but for the speed and voltage that they ran at, which
// only the next boot tells, as it does what each node holds; what the kernel's
// driver said of the slots is gone.
func Apply(sys *inventory.System, steps []Step) *inventory.System {
	out := &inventory.System{}
	applyTo(out, sys, steps)
	return out
}

// applyTo is Apply into a machine that nobody needs any more: its slots and nodes
// are written over.
func applyTo(out, sys *inventory.System, steps []Step) {
	out.Slots = append(out.Slots[:0], sys.Slots...)
	out.Nodes = append(out.Nodes[:0], sys.Nodes...)
	slots, nodes := out.Slots, out.Nodes
	*out = *sys
	out.Measurements, out.Accepted = nil, nil // nobody measured the machine that is not there
	out.Slots, out.Nodes = slots, nodes
	out.EDAC = nil
	carryOut(out, sys, steps)
	if len(steps) > 0 {
		for i := range out.Slots {
			notBooted(&out.Slots[i])
		}
		for i := range out.Nodes {
			out.Nodes[i].MemoryBytes = fact.Unknown[int64](fact.Unread, nextBoot, "")
		}
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
	seeAgain(&out.Memory, installed(sys), installed(out))
}

// notBooted forgets what a module ran at.
func notBooted(s *inventory.Slot) { s.ConfiguredMTs, s.ConfiguredMV = unread(), unread() }

// trial is a copy of the machine that one layout after the other is tried on. Only
// the slots that the last steps touched are copied again: those of a large machine
// have 400 kB.
type trial struct {
	machine inventory.System
	touched []int
}

// after is the machine after the steps, until it is asked for the next ones.
func (t *trial) after(sys *inventory.System, steps []Step) *inventory.System {
	if t.touched == nil || len(steps) == 0 {
		applyTo(&t.machine, sys, steps)
		t.touched = nil
	} else {
		for _, i := range t.touched {
			t.machine.Slots[i] = sys.Slots[i]
			notBooted(&t.machine.Slots[i])
		}
		carryOut(&t.machine, sys, steps)
	}
	t.touched = t.touched[:0]
	for _, s := range steps {
		for _, i := range [...]int{s.From, s.To} {
			if i != none {
				notBooted(&t.machine.Slots[i]) // a new module is like one that runs
				t.touched = append(t.touched, i)
			}
		}
	}
	return &t.machine
}

// seeAgain is what the system sees of so many bytes after so many before. What
// firmware and kernel keep for themselves stays as large as it was; where much is
// not seen, a mirror or a spare, it is as large a part of the whole again. Twice the
// modules beside what was seen of the old ones would look mirrored.
func seeAgain(m *inventory.Memory, before, after int64) {
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

// mirrorShare is the part of the memory of which more is missing than firmware and
// kernel keep: a mirror or a spare takes a quarter at least.
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
