package metrics

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/memaudit/memaudit/internal/report"
)

func (b *families) slots(slots []report.Slot) {
	b.family("dimm_info", "handle locator socket channel slot type manufacturer part_number ranks",
		"A memory module by its SMBIOS handle; always 1. An empty label is not known.")
	eachModule(slots, func(s *report.Slot) {
		b.add(1, s.Handle, string(s.Locator), numberWord(s.Socket), numberWord(s.Channel), numberWord(s.Slot), string(s.Type),
			string(s.Manufacturer), string(s.PartNumber), numberWord(s.Ranks))
	})
	b.end()
	b.family("dimm_size_bytes", "handle locator", "Capacity of a memory module.")
	eachModule(slots, func(s *report.Slot) { addKnown(b, s.SizeBytes, 1, s.Handle, string(s.Locator)) })
	b.end()
	b.family("dimm_rated_transfers_per_second", "handle locator", "Transfers a second that a memory module is made for.")
	eachModule(slots, func(s *report.Slot) { addKnown(b, s.RatedMTs, 1e6, s.Handle, string(s.Locator)) })
	b.end()
	b.family("dimm_configured_transfers_per_second", "handle locator", "Transfers a second that a memory module runs at.")
	eachModule(slots, func(s *report.Slot) { addKnown(b, s.ConfiguredMTs, 1e6, s.Handle, string(s.Locator)) })
	b.end()
	b.slotCounts(slots)
}

// eachModule visits the populated slots. Of two with one handle and one label, which only a damaged table has,
// it visits the first: their series would be identical.
func eachModule(slots []report.Slot, visit func(*report.Slot)) {
	type key struct{ handle, locator string }
	seen := make(map[key]bool, len(slots))
	for i := range slots {
		s := &slots[i]
		k := key{s.Handle, string(s.Locator)}
		if s.State == "populated" && !seen[k] {
			seen[k] = true
			visit(s)
		}
	}
}

func addKnown[T int | int64 | float64](b *families, v *T, factor float64, labels ...string) {
	if v != nil {
		b.add(float64(*v)*factor, labels...)
	}
}

// slotCounts counts slots by CPU and state. Both states of every CPU are included, so that the last module that
// fails leaves a 0.
func (b *families) slotCounts(slots []report.Slot) {
	type key struct{ socket, state string }
	count := map[key]int{}
	for i := range slots {
		socket := numberWord(slots[i].Socket)
		count[key{socket, "populated"}] += 0
		count[key{socket, "empty"}] += 0
		count[key{socket, slots[i].State}]++
	}
	keys := make([]key, 0, len(count))
	for k := range count {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, c key) int {
		return cmp.Or(cmp.Compare(len(a.socket), len(c.socket)), cmp.Compare(a.socket, c.socket), cmp.Compare(a.state, c.state))
	})
	b.family("dimm_slots", "socket state", "Number of memory slots by processor and state; the empty socket is not known, or one controller serves all.")
	for _, k := range keys {
		b.add(float64(count[k]), k.socket, k.state)
	}
	b.end()
}

func (b *families) sockets(sockets []report.PopulationSocket) {
	b.family("socket_channels", "socket", "Memory channels of a processor.")
	for i := range sockets {
		addKnown(b, sockets[i].ChannelsTotal, 1, numberWord(sockets[i].Socket))
	}
	b.end()
	b.family("socket_channels_populated", "socket", "Memory channels of a processor that hold a module.")
	for i := range sockets {
		addKnown(b, sockets[i].ChannelsPopulated, 1, numberWord(sockets[i].Socket))
	}
	b.end()
	b.family("socket_peak_bandwidth_bytes_per_second", "socket", "Theoretical memory bandwidth of a processor as populated.")
	for i := range sockets {
		addKnown(b, sockets[i].PeakBytes, 1, numberWord(sockets[i].Socket))
	}
	b.end()
	b.family("socket_relative_bandwidth_ratio", "socket bound",
		"Share of what this processor could have at its best: the slowest region's (low), the most that one can have (high), and where a document measured this layout its figure (documented).")
	for i := range sockets {
		share, socket := &sockets[i].Relative, numberWord(sockets[i].Socket)
		addKnown(b, share.Low, 1, socket, "low")
		addKnown(b, share.High, 1, socket, "high")
		addKnown(b, share.Value, 1, socket, "documented")
	}
	b.end()
}

func (b *families) settings(settings map[string]report.Setting) {
	b.family("setting_info", "setting value view", "The value of a BIOS setting in one view; always 1, absent when not known.")
	for _, id := range sorted(settings) {
		s := settings[id]
		for _, face := range [...]struct {
			view string
			face *report.Face
		}{{"configured", &s.Configured}, {"pending", &s.Pending}, {"effective", &s.Effective}} {
			if face.face.Value != "" {
				b.add(1, id, string(face.face.Value), face.view)
			}
		}
	}
	b.end()
}

func (b *families) nodes(nodes []report.Node) {
	b.family("numa_node_memory_bytes", "node", "Memory of a NUMA node as the kernel counts it.")
	for i := range nodes {
		addKnown(b, nodes[i].MemoryBytes, 1, strconv.Itoa(nodes[i].ID))
	}
	b.end()
	b.family("numa_distance", "from to", "Distance between two NUMA nodes as firmware states it; 10 is local. Left out on machines of more than 16 nodes.")
	for i := range nodes {
		if len(nodes[i].Distances) != len(nodes) || len(nodes) > maxDistanceNodes {
			continue // the node of a distance is unknown
		}
		for j, d := range nodes[i].Distances {
			b.add(float64(d), strconv.Itoa(nodes[i].ID), strconv.Itoa(nodes[j].ID))
		}
	}
	b.end()
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
