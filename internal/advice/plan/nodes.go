package plan

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// nodeSeat is the memory controller whose modules are the memory of a NUMA node.
type nodeSeat struct{ socket, controller int }

// seatsOf returns the controller of each node with CPUs, by the node's id. It is nil unless every socket
// has as many nodes as controllers, several of them, and exactly those nodes have memory, and as much, whose
// controllers, in the same order, have modules: dies of EPYC 7001, Cluster on Die, SNC.
func seatsOf(sys *inventory.System, topo *population.Result) map[int]nodeSeat {
	seats := map[int]nodeSeat{}
	for i := range topo.Populations {
		p := &topo.Populations[i]
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

// seat gives the nodes of a machine with its modules in other slots the memory of their controllers.
func seat(sys *inventory.System, topo *population.Result, seats map[int]nodeSeat) {
	for i := range sys.Nodes {
		n := &sys.Nodes[i]
		at, ok := seats[n.ID]
		for j := range topo.Populations {
			p := &topo.Populations[j]
			if controllers := p.Controllers.Or(nil); ok && p.Socket == at.socket && at.controller < len(controllers) {
				c := &controllers[at.controller]
				n.HasMemory, n.MemoryBytes = fact.Known(c.DIMMs > 0, fact.Indirect, fact.Evidence{}), fact.Known(c.Bytes, fact.Indirect, fact.Evidence{})
			}
		}
	}
}
