package metrics

import (
	"strconv"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
)

var (
	dimmInfo = declare("dimm_info", "handle locator socket channel slot type manufacturer part_number ranks",
		"A memory module by its SMBIOS handle; always 1. An empty label is not known.")
	dimmSize       = declare("dimm_size_bytes", "handle locator", "Capacity of a memory module.")
	dimmRated      = declare("dimm_rated_transfers_per_second", "handle locator", "Rated speed of a memory module in transfers per second.")
	dimmConfigured = declare("dimm_configured_transfers_per_second", "handle locator", "Configured speed of a memory module in transfers per second.")
	dimmSlots      = declare("dimm_slots", "socket state", "Number of memory slots by processor and state; the empty socket is not known, or one controller serves all.")

	socketChannels  = declare("socket_channels", "socket", "Memory channels of a processor.")
	socketPopulated = declare("socket_channels_populated", "socket", "Memory channels of a processor that hold a module.")
	socketPeak      = declare("socket_peak_bandwidth_bytes_per_second", "socket", "Theoretical memory bandwidth of a processor as populated.")
	socketRelative  = declare("socket_relative_bandwidth_ratio", "socket bound",
		"Share of what this processor could have at its best: the slowest region's (low), the most that one can have (high), and where a document measured this layout its figure (documented).")

	settingInfo  = declare("setting_info", "setting value view", "The value of a BIOS setting in one view; always 1, absent when not known.")
	nodeMemory   = declare("numa_node_memory_bytes", "node", "Memory of a NUMA node as the kernel counts it.")
	nodeDistance = declare("numa_distance", "from to", "Distance between two NUMA nodes as firmware states it; 10 is local. Left out on machines of more than 16 nodes.")
)

// slots adds the modules, and the number of slots by CPU and state. Both states of every CPU are included, so that the last
// module that fails leaves a 0.
func (c *collector) slots(slots []inventory.Slot) {
	eachModule(slots, func(s *inventory.Slot) {
		c.add(dimmInfo, 1, s.Handle.String(), s.Locator.Text(), nullable.Text(s.Socket, ""), nullable.Text(s.Channel, ""), nullable.Text(s.Slot, ""), s.Type.Text(),
			s.Manufacturer.Text(), s.PartNumber.Text(), s.Ranks.Text())
		addKnown(c, dimmSize, s.SizeBytes.Pointer(), 1, s.Handle.String(), s.Locator.Text())
		addKnown(c, dimmRated, s.RatedMTs.Pointer(), 1e6, s.Handle.String(), s.Locator.Text())
		addKnown(c, dimmConfigured, s.ConfiguredMTs.Pointer(), 1e6, s.Handle.String(), s.Locator.Text())
	})
	count := map[[2]string]int{}
	for i := range slots {
		socket := nullable.Text(slots[i].Socket, "")
		for _, state := range []string{"populated", "empty"} {
			count[[2]string{socket, state}] += 0
		}
		count[[2]string{socket, string(slots[i].State)}]++
	}
	for k, n := range count {
		c.add(dimmSlots, float64(n), k[0], k[1])
	}
}

// eachModule visits the populated slots. Of two with one handle and one label, which only a damaged table has,
// it visits the first: their series would be identical.
func eachModule(slots []inventory.Slot, visit func(*inventory.Slot)) {
	type key struct{ handle, locator string }
	seen := make(map[key]bool, len(slots))
	for i := range slots {
		s := &slots[i]
		k := key{s.Handle.String(), s.Locator.Text()}
		if s.State == "populated" && !seen[k] {
			seen[k] = true
			visit(s)
		}
	}
}

func (c *collector) sockets(sockets []report.PopulationSocket) {
	for i := range sockets {
		s, socket := &sockets[i], nullable.Text(sockets[i].Socket, "")
		addKnown(c, socketChannels, s.ChannelsTotal.Pointer(), 1, socket)
		addKnown(c, socketPopulated, s.ChannelsPopulated.Pointer(), 1, socket)
		addKnown(c, socketPeak, s.PeakBytes.Pointer(), 1, socket)
		addKnown(c, socketRelative, s.Relative.Low, 1, socket, "low")
		addKnown(c, socketRelative, s.Relative.High, 1, socket, "high")
		addKnown(c, socketRelative, s.Relative.Value, 1, socket, "documented")
	}
}

func (c *collector) settings(settings map[string]report.Setting) {
	for id, s := range settings {
		for view, face := range map[string]*report.Face{"configured": &s.Configured, "pending": &s.Pending, "effective": &s.Effective} {
			if face.Value != "" {
				c.add(settingInfo, 1, id, string(face.Value), view)
			}
		}
	}
}

func (c *collector) nodes(nodes []report.Node) {
	for i := range nodes {
		node := strconv.Itoa(nodes[i].ID)
		addKnown(c, nodeMemory, nodes[i].MemoryBytes.Pointer(), 1, node)
		if len(nodes[i].Distances) != len(nodes) || len(nodes) > maxDistanceNodes {
			continue // the node of a distance is unknown
		}
		for j, d := range nodes[i].Distances {
			c.add(nodeDistance, float64(d), node, strconv.Itoa(nodes[j].ID))
		}
	}
}
