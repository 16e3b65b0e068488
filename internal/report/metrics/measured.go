package metrics

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
)

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
	measuredRead    = declare("measured_read_bytes_per_second", "cpu_node memory_node", "What the last memaudit measure read from a node's memory on a node's processors; absent when undecided.")
	measuredLatency = declare("measured_latency_seconds", "cpu_node memory_node", "Idle latency of a load from a node's memory at the last memaudit measure; absent when undecided.")
	measuredSpread  = declare("measured_spread_ratio", "cpu_node memory_node", "How far the passes of reading lie apart, over their median; a figure above 0.05 is undecided.")
	measuredPeak    = declare("measured_peak_bytes_per_second", "cpu_node memory_node", "Theoretical peak of a node's own memory, beside what was read of it; absent where it is not known.")
	measuredLoaded  = declare("measured_loaded_latency_seconds", "load", "Latency while Intel MLC loads the memory: at half of the peak, and the highest.")
	documentedLoad  = declare("documented_loaded_latency_seconds", "load bound", "The lowest and the highest latency under that load that others measured on the same platform.")
	measuredTime    = declare("measured_timestamp_seconds", "", "When the last memaudit measure was made, in seconds since 1970.")
)

// measured adds memaudit's own last measurement. An undecided figure has no value; its spread shows why.
func (c *collector) measured(all []report.Measurement) {
	c.loaded(all)
	last := LastMeasured(all)
	if last == nil {
		return
	}
	for i := range last.Figures {
		f := &last.Figures[i]
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

// loaded adds the points of the last curve of Intel MLC.
func (c *collector) loaded(all []report.Measurement) {
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
