package plan

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
)

// board is the machine as the planner sees it: slots by unit, group and layer, and the modules by
// kind. The package's comment explains these words.
type board struct {
	sys        *inventory.System
	population *population.Result
	kinds      []moduleKind
	// unsure is why the present modules cannot be planned with, "" if they can.
	unsure string
	// at is today's layout.
	at []int
	// order lists the slots by processor, label and position, whatever the table's order; rank is a slot's place in it.
	order, rank []int
	units       []memoryUnit
	// sets are the vendor's own, nil if none are known.
	sets *place.Sets
	// numbers are the numbers that the sets give the slots, once one was asked for.
	numbers []int
	// owned are the modules of each unit, by kind; set by own.
	owned [][]int
	// size is the index into distinct, the sizes, of each kind, the largest first.
	size     []int
	distinct []int64
	// partial is set if a layer is empty, redundant if the rule about redundancy fails.
	partial, redundant bool
	// work is what is left of the work that a part of the search may take, in slots that were looked at.
	work int
	// stray lists the slots with modules that belong to no unit, for example those of an empty socket.
	stray []int
}

type memoryUnit struct {
	socket int
	// doubted is the reason why the slots' channels are uncertain, "" if they are not. If they are, only a layout
	// that fills every slot, or a set of the product's own manual, can be advised.
	doubted string
	groups  []channelGroup
	// slots are all slots of the unit, in the board's order.
	slots []int
	// turn lists the groups so that controllers take turns. controller is the controller of each
	// group, counted from 0 in the order of the groups, and controllers how many there are. All
	// three are set by settle.
	turn, controller []int
	controllers      int
}

// unlisted reports whether the SMBIOS table lists no slot of a controller, and some of another one.
func (u *memoryUnit) unlisted(controller int) bool {
	others := false
	for _, g := range u.groups {
		if len(g.layers) > 0 && g.controller == controller {
			return false
		}
		others = others || len(g.layers) > 0
	}
	return others && controller >= 0
}

// inFillOrder lists the layers: the first of every group, then the second; controllers take turns.
func (u *memoryUnit) inFillOrder() [][]int {
	u.settle()
	var out [][]int
	for d := range maxDepth {
		for _, g := range u.turn {
			if of := u.groups[g].layers; d < len(of) {
				out = append(out, of[d])
			}
		}
	}
	return out
}

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
	slices.SortStableFunc(u.turn, func(x, y int) int { return nth[x] - nth[y] })
}

// channelGroup is one channel, or the channels that work in lockstep.
type channelGroup struct {
	// controller owns the group; -1 when not known.
	controller int
	// layers are in fill order; each has one slot of every channel.
	layers [][]int
	// ordered is set if the fill order is known. If not, the populated layers come first.
	ordered bool
	// filled counts the layers that hold a module now.
	filled int
}

// Why no slot of a machine is named.
const (
	noSlotMap  = "no document confirms which slot of this product is on which channel"
	doubtedMap = "what firmware says of the slots contradicts itself, so that it is not certain which slot is on which channel"
)

func (b *board) name(slot int) string { return b.sys.Slots[slot].Name() }

// moduleKind is a kind: modules with these traits are interchangeable. What is not known of a module
// is equal only to what is not known of another.
type moduleKind struct {
	traits Traits
	// like is a slot that holds one, count how many there are.
	like, count int
}

// redundantModes are the words of memory_ras_mode of mirroring, sparing and lockstep.
var redundantModes = []string{"mirror_full", "mirror_partial", "spare", "lockstep"}

// redundancy is the rule that fails if such a mode is on, by its setting or by what the kernel sees.
const redundancy = "memory.ras.cost"

// redundancyOn reports whether such a mode is on, or may be by the slots that are filled.
func (b *board) redundancyOn() bool {
	mode := b.sys.Settings["memory_ras_mode"]
	return b.redundant || slices.Contains(redundantModes, fact.First(mode.Configured, mode.Effective).Or("")) ||
		slices.ContainsFunc(b.population.Populations, func(p population.Population) bool { return p.ModeSlots })
}
