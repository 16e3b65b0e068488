package metrics

import (
	"strconv"
	"time"

	"github.com/memaudit/memaudit/internal/model/figure"
	"github.com/memaudit/memaudit/internal/report"
)

// LastMeasured returns memaudit's own last measurement, nil if there is none.
func LastMeasured(all []report.Measurement) *report.Measurement {
	var last *report.Measurement
	for i := range all {
		if all[i].Tool == "memaudit" {
			last = &all[i]
		}
	}
	return last
}

// measured adds memaudit's own last measurement. An undecided figure has no value; its spread shows why.
func (b *families) measured(all []report.Measurement) {
	last := LastMeasured(all)
	if last == nil {
		last = &report.Measurement{}
	}
	const labels = "cpu_node memory_node"
	b.family("measured_read_bytes_per_second", labels, "What the last memaudit measure read from a node's memory on a node's processors; absent when undecided.")
	eachFigure(last, figure.Read, func(f *report.MeasuredFigure, nodes ...string) {
		if f.Undecided == "" {
			b.add(*f.Value, nodes...)
		}
	})
	b.end()
	b.family("measured_latency_seconds", labels, "Idle latency of a load from a node's memory at the last memaudit measure; absent when undecided.")
	eachFigure(last, figure.Latency, func(f *report.MeasuredFigure, nodes ...string) {
		if f.Undecided == "" {
			b.add(*f.Value, nodes...)
		}
	})
	b.end()
	b.family("measured_spread_ratio", labels, "How far the passes of reading lie apart, over their median; a figure above 0.05 is undecided.")
	eachFigure(last, figure.Read, func(f *report.MeasuredFigure, nodes ...string) {
		if *f.Value > 0 {
			b.add((*f.High-*f.Low) / *f.Value, nodes...)
		}
	})
	b.end()
	b.family("measured_timestamp_seconds", "", "When the last memaudit measure was made, in seconds since 1970.")
	if last.At != "" {
		if at, err := time.Parse(time.RFC3339, string(last.At)); err == nil {
			b.add(float64(at.Unix()))
		}
	}
	b.end()
}

// eachFigure calls f for the figures of a kind that have a value and nodes.
func eachFigure(m *report.Measurement, kind figure.Kind, f func(f *report.MeasuredFigure, nodes ...string)) {
	for i := range m.Figures {
		if one := &m.Figures[i]; one.Kind == string(kind) && one.Value != nil && one.CPUNode != nil {
			f(one, strconv.Itoa(*one.CPUNode), strconv.Itoa(*one.MemoryNode))
		}
	}
}
