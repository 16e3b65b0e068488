package metrics

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
)

var (
	dimmInfo = declareMetric("dimm_info", "handle locator socket channel slot type manufacturer part_number ranks",
		"A memory module by its SMBIOS handle; always 1. An empty label is not known.")
	dimmSize       = declareMetric("dimm_size_bytes", "handle locator", "Capacity of a memory module.")
	dimmRated      = declareMetric("dimm_rated_transfers_per_second", "handle locator", "Rated speed of a memory module in transfers per second.")
	dimmConfigured = declareMetric("dimm_configured_transfers_per_second", "handle locator", "Configured speed of a memory module in transfers per second.")
	dimmSlots      = declareMetric("dimm_slots", "socket state", "Number of memory slots by processor and state; the empty socket is not known, or one controller serves all.")

	socketChannels  = declareMetric("socket_channels", "socket", "Memory channels of a processor.")
	socketPopulated = declareMetric("socket_channels_populated", "socket", "Memory channels of a processor that hold a module.")
	socketPeak      = declareMetric("socket_peak_bandwidth_bytes_per_second", "socket", "Theoretical memory bandwidth of a processor as populated.")
	socketRelative  = declareMetric("socket_relative_bandwidth_ratio", "socket bound",
		"Share of what this processor could have at its best: the slowest region's (low), the most that one can have (high), and where a document measured this layout its figure (documented).")

	settingInfo  = declareMetric("setting_info", "setting value view", "The value of a BIOS setting in one view; always 1, absent when not known.")
	nodeMemory   = declareMetric("numa_node_memory_bytes", "node", "Memory of a NUMA node as the kernel counts it.")
	nodeDistance = declareMetric("numa_distance", "from to", "Distance between two NUMA nodes as firmware states it; 10 is local. Left out on machines of more than 16 nodes.")
)

// addSlots adds the modules, and the number of slots by CPU and state. Both states of every CPU are included, so that the last
// module that fails leaves a 0.
func (c *collector) addSlots(slots []inventory.Slot) {
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

func (c *collector) addSockets(sockets []report.PopulationSocket) {
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

func (c *collector) addSettings(settings map[string]report.Setting) {
	for id, s := range settings {
		for view, face := range map[string]*report.Face{"configured": &s.Configured, "pending": &s.Pending, "effective": &s.Effective} {
			if face.Value != "" {
				c.add(settingInfo, 1, id, string(face.Value), view)
			}
		}
	}
}

func (c *collector) addNodes(nodes []report.Node) {
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

// LastMeasured returns memaudit's own last measurement, nil if there is none.
func LastMeasured(all []report.Measurement) *report.Measurement {
	var last *report.Measurement
	for i := range all {
		if all[i].Tool == inventory.ToolMemaudit {
			last = &all[i]
		}
	}
	return last
}

var (
	measuredRead    = declareMetric("measured_read_bytes_per_second", "cpu_node memory_node", "What the last memaudit measure read from a node's memory on a node's processors; absent when undecided.")
	measuredLatency = declareMetric("measured_latency_seconds", "cpu_node memory_node", "Idle latency of a load from a node's memory at the last memaudit measure; absent when undecided.")
	measuredSpread  = declareMetric("measured_spread_ratio", "cpu_node memory_node", "How far the passes of reading lie apart, over their median; a figure above 0.05 is undecided.")
	measuredPeak    = declareMetric("measured_peak_bytes_per_second", "cpu_node memory_node", "Theoretical peak of a node's own memory, beside what was read of it; absent where it is not known.")
	measuredLoaded  = declareMetric("measured_loaded_latency_seconds", "load", "Latency while Intel MLC loads the memory: at half of the peak, and the highest.")
	documentedLoad  = declareMetric("documented_loaded_latency_seconds", "load bound", "The lowest and the highest latency under that load that others measured on the same platform.")
	measuredTime    = declareMetric("measured_timestamp_seconds", "", "When the last memaudit measure was made, in seconds since 1970.")
)

// addMeasured adds memaudit's own last measurement. An undecided figure has no value; its spread shows why.
func (c *collector) addMeasured(all []report.Measurement) {
	c.addLoadedCurve(all)
	last := LastMeasured(all)
	if last == nil {
		return
	}
	for _, f := range last.Figures {
		value := map[string]metric{string(figure.Read): measuredRead, string(figure.Latency): measuredLatency}
		m, ok := value[f.Kind]
		if !ok || f.Value == nil || f.CPUNode == nil {
			continue
		}
		nodes := []string{strconv.Itoa(*f.CPUNode), strconv.Itoa(*f.MemoryNode)}
		if f.Undecided == "" {
			c.add(m, *f.Value, nodes...)
		}
		if m == measuredRead && f.Peak != nil {
			c.add(measuredPeak, float64(*f.Peak), nodes...)
		}
		if m == measuredRead && *f.Value > 0 {
			c.add(measuredSpread, (*f.High-*f.Low) / *f.Value, nodes...)
		}
	}
	if at, err := time.Parse(time.RFC3339, string(last.At)); err == nil {
		c.add(measuredTime, float64(at.Unix()))
	}
}

// addLoadedCurve adds the points of the last curve of Intel MLC.
func (c *collector) addLoadedCurve(all []report.Measurement) {
	points := map[string]*report.MeasuredFigure{}
	for i := range all {
		for j := range all[i].Figures {
			if f := &all[i].Figures[j]; f.Load != "" && f.Value != nil {
				points[f.Load] = f
			}
		}
	}
	for _, load := range slices.Sorted(maps.Keys(points)) {
		f := points[load]
		c.add(measuredLoaded, *f.Value, load)
		if f.Documented != nil {
			c.add(documentedLoad, f.Documented.Low, load, "low")
			c.add(documentedLoad, f.Documented.High, load, "high")
		}
	}
}

// Signature returns the same text for two machines if and only if the same kinds of modules are in the same
// places: "12x16GiB-1f0c9a77d2e4". A place is the CPU, channel and slot if these are known, otherwise the label
// on the board. Vendors, part numbers and running speeds do not count: they differ within one order. It is ""
// for a machine with unknown slots.
func Signature(inv *report.Inventory) string {
	if len(inv.Slots) == 0 {
		return ""
	}
	lines := make([]string, 0, len(inv.Slots)+1)
	for i := range inv.Slots {
		lines = append(lines, slotLine(&inv.Slots[i]))
	}
	slices.Sort(lines)
	lines = append(lines, "sockets "+strconv.Itoa(inv.Processors()))
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return sizesWord(inv.Slots) + "-" + hex.EncodeToString(sum[:6])
}

func slotLine(s *inventory.Slot) string {
	place := "label " + printable.Clean(s.BankLocator.Text()) + "/" + printable.Clean(s.Locator.Text())
	if s.Socket != nil && s.Channel != nil && s.Slot != nil {
		place = "place " + nullable.Text(s.Socket, "") + "." + nullable.Text(s.Channel, "") + "." + nullable.Text(s.Slot, "")
	}
	if s.State != "populated" {
		return place + " " + string(s.State)
	}
	return strings.Join([]string{place, s.SizeBytes.Text(), s.Technology.Text(), s.Type.Text(), s.Ranks.Text(), s.Registered.Text(),
		fact.Convert(s.RatedMTs, ddr.Nominal).Text(), s.TotalWidth.Text()}, " ")
}

// sizesWord counts modules by size, the largest first: "6x16GiB+6x8GiB".
func sizesWord(slots []inventory.Slot) string {
	count := map[int64]int{}
	eachModule(slots, func(s *inventory.Slot) {
		count[s.SizeBytes.Or(0)]++
	})
	var words []string
	for _, size := range slices.Backward(slices.Sorted(maps.Keys(count))) {
		words = append(words, strconv.Itoa(count[size])+"x"+sizeWord(size))
	}
	return cmp.Or(strings.Join(words, "+"), "empty")
}

func sizeWord(size int64) string {
	switch {
	case size == 0:
		return "?"
	case size%(1<<30) == 0:
		return strconv.FormatInt(size>>30, 10) + "GiB"
	default:
		return strconv.FormatInt(size>>20, 10) + "MiB"
	}
}
