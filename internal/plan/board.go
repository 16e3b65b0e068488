package plan

import (
	"github.com/memaudit/memaudit/internal/arrange"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/population"
)

// board is the machine as a planner sees it: slots in fill order by channel,
// and the modules by kind.
type board struct {
	sys   *inventory.System
	topo  *population.Result
	kinds []moduleKind
	// at is the kind in each slot, by index into System.Slots.
	at    []int
	units []memoryUnit
	// sets are the maker's own, nil where none are known.
	sets *place.Sets
	// numbers are what these call each slot, once one was asked for.
	numbers []int
	// stray are slots behind no running processor that hold modules.
	stray []int
}

// memoryUnit is the memory of one processor, or of the chipset.
type memoryUnit struct {
	socket int
	// doubted says why it is not certain which slot is on which channel: then only
	// a layout that fills every slot can be advised. "" when it is.
	doubted string
	// groups are filled together: single channels, or lockstep pairs.
	groups []channelGroup
	// slots are all of the unit's, in table order.
	slots []int
	// turn lists the groups so that controllers take turns; controller is each one's,
	// counted from 0, of so many controllers. See settle.
	turn, controller []int
	controllers      int
}

// turns lists the groups so that controllers take turns.
func (u *memoryUnit) turns() []int {
	u.settle()
	return u.turn
}

// settle works out once what depends on the groups' controllers alone.
func (u *memoryUnit) settle() {
	if u.turn != nil {
		return
	}
	index, seen := map[int]int{}, map[int]int{}
	u.turn, u.controller = make([]int, len(u.groups)), make([]int, len(u.groups))
	nth := make([]int, len(u.groups))
	for i, g := range u.groups {
		if _, known := index[g.controller]; !known {
			index[g.controller] = len(index)
		}
		u.turn[i], u.controller[i] = i, index[g.controller]
		nth[i] = seen[g.controller]
		seen[g.controller]++
	}
	u.controllers = len(index)
	arrange.Stably(u.turn, func(x, y int) int { return nth[x] - nth[y] })
}

// channelGroup is one channel, or the channels that work in lockstep.
type channelGroup struct {
	// controller owns the group; -1 when not known.
	controller int
	// layers are the slots in fill order: one slot of each channel a layer.
	layers [][]int
	// ordered says that it is known which layer is filled first.
	ordered bool
	// filled counts the layers that hold modules now.
	filled int
}

// Why no slot of a machine is named.
const (
	noSlotMap  = "no document confirms which slot of this product is on which channel"
	doubtedMap = "what firmware says of the slots contradicts itself, so that it is not certain which slot is on which channel"
)

func (b *board) name(slot int) string { return SlotName(b.sys, slot) }

// moduleKind is what makes modules interchangeable. Unknown properties are equal to
// unknown ones only.
type moduleKind struct {
	traits traits
	// like is a slot that holds one, count how many there are.
	like, count int
}

type traits struct {
	bytes               int64
	ranks, data, total  int
	rated, minMV        int
	memory, form        string
	registered, reduced int
}
