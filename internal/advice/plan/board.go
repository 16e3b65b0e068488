package plan

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
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

// The SMBIOS table may list slots of another controller only.
func (u *memoryUnit) hasNoListedSlot(controller int) bool {
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
	u.indexGroups()
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

func (u *memoryUnit) indexGroups() {
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

func (b *board) slotName(slot int) string { return b.sys.Slots[slot].Name() }

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

func newBoard(sys *inventory.System, topo *population.Result) (*board, string) {
	p, ok := topo.Platform.Get()
	switch {
	case sys.Firmware.Doubt != "":
		return nil, sys.Firmware.Doubt
	case !ok:
		return nil, "the platform is not known"
	}
	b := &board{sys: sys, population: topo, sets: topo.Sets, at: slices.Repeat([]int{none}, len(sys.Slots)), order: sortedSlots(sys, topo.Placements), rank: make([]int, len(sys.Slots))}
	for n, i := range b.order {
		b.rank[i] = n
	}
	b.unsure = b.sortIntoKinds()
	for i := range topo.Populations {
		u, why := b.surveyUnit(p, &topo.Populations[i])
		if why != "" {
			return nil, why
		}
		b.units = append(b.units, u)
	}
	if len(b.units) == 0 {
		return nil, "no processor with memory slots is known"
	}
	for _, i := range b.order {
		if b.at[i] != none && b.unitOfSlot(i) == none {
			b.stray = append(b.stray, i)
		}
	}
	b.settleOrder()
	return b, ""
}

func sortedSlots(sys *inventory.System, at []place.Placement) []int {
	labels, out := make([][]string, len(at)), make([]int, len(at))
	for i := range out {
		labels[i], out[i] = nameWords(sys.Slots[i].Name()), i
	}
	word := func(x, y string) int {
		if isDigit(x[0]) && isDigit(y[0]) {
			return cmp.Or(len(x)-len(y), cmp.Compare(x, y))
		}
		return cmp.Compare(x, y)
	}
	slices.SortStableFunc(out, func(x, y int) int {
		return cmp.Or(at[x].Socket-at[y].Socket, slices.CompareFunc(labels[x], labels[y], word), at[x].Channel-at[y].Channel, at[x].Slot-at[y].Slot)
	})
	return out
}

func (b *board) compareRank(x, y int) int { return b.rank[x] - b.rank[y] }

func (b *board) surveyUnit(p *platform.Platform, pop *population.Population) (memoryUnit, string) {
	u := memoryUnit{socket: pop.Socket, slots: slices.Concat(pop.Slots, pop.EmptySlots)}
	slices.SortFunc(u.slots, b.compareRank)
	n, ok := pop.ChannelsTotal.Get()
	switch {
	case !ok:
		return u, pop.ChannelsTotal.Reason
	case !pop.DPC.Known():
		return u, pop.DPC.Reason
	}
	if pop.DPC.Unverified {
		u.doubted = noSlotMap
	}
	channels, why := b.slotsByChannel(&u, n)
	if why != "" {
		return u, why
	}
	u.groups = b.groupChannels(p, channels)
	return u, ""
}

// unmappedReason returns the reason if nothing can be advised because the map is uncertain, otherwise "": the sets of the
// product's own manual need no map, and neither does filling every slot, which is advised only if the platform's
// document asks for no fewer modules.
func (b *board) unmappedReason() string {
	recommended := b.population.Platform.Value.RecommendedDIMMs
	for i := range b.units {
		if u := &b.units[i]; u.doubted != "" && !b.manualNamesSlots(u) && slices.ContainsFunc(recommended, func(n int) bool { return n < len(u.slots) }) {
			return u.doubted
		}
	}
	return ""
}

// Channels have their slots in the order of positions; empty slots without a known position are left out. What is
// uncertain becomes u.doubted; the text is why it is impossible, otherwise "".
func (b *board) slotsByChannel(u *memoryUnit, n int) ([][]int, string) {
	channels := make([][]int, n)
	for _, i := range u.slots {
		at := &b.population.Placements[i]
		switch {
		case at.Doubt != "":
			u.doubted = doubtedMap
		case at.Unverified && u.doubted == "":
			u.doubted = noSlotMap
		}
		known := at.Channel >= 0 && at.Channel < n && at.Slot != place.Unplaced
		switch {
		case known:
			channels[at.Channel] = append(channels[at.Channel], i)
		case b.sys.Slots[i].State == inventory.SlotPopulated:
			return nil, "the position of " + b.slotName(i) + " in its channel is not known"
		}
	}
	for _, slots := range channels {
		slices.SortFunc(slots, func(x, y int) int {
			return cmp.Compare(b.population.Placements[x].Slot, b.population.Placements[y].Slot)
		})
		for j := 1; j < len(slots); j++ {
			if b.population.Placements[slots[j]].Slot == b.population.Placements[slots[j-1]].Slot {
				return nil, b.slotName(slots[j-1]) + " and " + b.slotName(slots[j]) + " have the same position in their channel"
			}
		}
	}
	return channels, ""
}

func (b *board) groupChannels(p *platform.Platform, channels [][]int) []channelGroup {
	var out []channelGroup
	if p.LockstepPairs && len(p.LockstepChannels) > 0 {
		half := len(p.LockstepChannels) / 2
		for i, pair := range p.LockstepChannels {
			out = append(out, b.layerSlots(i/max(half, 1), channels, pair))
		}
		return out
	}
	for c := range channels {
		controller := place.Unplaced
		if len(channels[c]) > 0 {
			controller = b.population.Placements[channels[c][0]].Controller
		}
		if controller == place.Unplaced && p.Controllers > 0 && len(channels)%p.Controllers == 0 {
			controller = c * p.Controllers / len(channels)
		}
		out = append(out, b.layerSlots(controller, channels, []int{c}))
	}
	return out
}

// A slot without a partner on every channel is left out. The group is ordered if a slot map places the slots, for lockstep
// channels, and with one layer.
func (b *board) layerSlots(controller int, channels [][]int, of []int) channelGroup {
	g := channelGroup{controller: controller, ordered: len(of) > 1}
	depth := maxDepth
	for _, c := range of {
		if c < 0 || c >= len(channels) {
			return g
		}
		depth = min(depth, len(channels[c]))
	}
	mapped := true
	for d := range depth {
		var layer []int
		for _, c := range of {
			layer = append(layer, channels[c][d])
			mapped = mapped && b.population.Placements[channels[c][d]].Source == place.SourceMap
		}
		g.layers = append(g.layers, layer)
	}
	g.ordered = g.ordered || mapped || depth == 1
	return g
}

// nodeSeat is the memory controller whose modules are the memory of a NUMA node.
type nodeSeat struct{ socket, controller int }

// controllersOfNodes returns the controller of each node with CPUs, by the node's id. It is nil unless every socket
// has as many nodes as controllers, several of them, and exactly those nodes have memory, and as much, whose
// controllers, in the same order, have modules: dies of EPYC 7001, Cluster on Die, SNC.
func controllersOfNodes(sys *inventory.System, topo *population.Result) map[int]nodeSeat {
	seats := map[int]nodeSeat{}
	for _, p := range topo.Populations {
		controllers := p.Controllers.Or(nil)
		var nodes []*inventory.Node
		for j := range sys.Nodes {
			if n := &sys.Nodes[j]; n.HasCPU.Or(false) && n.Socket.Known() && n.Socket.Value == p.Socket {
				nodes = append(nodes, n)
			}
		}
		if len(controllers) < 2 || len(nodes) != len(controllers) {
			return nil
		}
		slices.SortFunc(nodes, func(a, b *inventory.Node) int { return a.ID - b.ID })
		for k, n := range nodes {
			has, known := n.HasMemory.Get()
			if !known || has != (controllers[k].DIMMs > 0) {
				return nil
			}
			// The kernel sees a little less than what is installed.
			if seen, ok := n.MemoryBytes.Get(); ok && (seen > controllers[k].Bytes || seen < controllers[k].Bytes-controllers[k].Bytes/8) {
				return nil
			}
			seats[n.ID] = nodeSeat{p.Socket, k}
		}
	}
	return seats
}

func assignNodeMemory(sys *inventory.System, topo *population.Result, seats map[int]nodeSeat) {
	for i := range sys.Nodes {
		n := &sys.Nodes[i]
		at, ok := seats[n.ID]
		for _, p := range topo.Populations {
			if controllers := p.Controllers.Or(nil); ok && p.Socket == at.socket && at.controller < len(controllers) {
				c := &controllers[at.controller]
				n.HasMemory, n.MemoryBytes = fact.Known(c.DIMMs > 0, fact.Indirect, fact.Evidence{}), fact.Known(c.Bytes, fact.Indirect, fact.Evidence{})
			}
		}
	}
}
