package fleet

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/metrics"
)

const leastMeasured = 3

func (f *Fleet) measurement(m *Machine, all []report.Measurement) {
	last := metrics.LastMeasured(all)
	if last == nil {
		return
	}
	one := Measured{Machine: m.Name, Kind: m.Kind, Undecided: last.Unjudged}
	for i := range last.Figures {
		measured := &last.Figures[i]
		if measured.Kind != string(figure.Read) || measured.CPUNode == nil || measured.MemoryNode == nil || *measured.CPUNode != *measured.MemoryNode {
			continue
		}
		switch {
		case measured.Undecided != "":
			one.Undecided = cmp.Or(one.Undecided, measured.Undecided)
		case measured.Value != nil && (one.ReadBytesPerSecond == nil || *measured.Value < *one.ReadBytesPerSecond):
			one.Node, one.ReadBytesPerSecond = measured.CPUNode, measured.Value
		}
	}
	switch {
	case one.Undecided != "":
		one.Node, one.ReadBytesPerSecond = nil, nil
	case one.ReadBytesPerSecond == nil:
		return // it measured something else
	}
	f.measured = append(f.measured, one)
}

func ranked(all []Measured) []Measured {
	rates := map[string][]float64{}
	for i := range all {
		if m := &all[i]; m.Kind != "" && m.ReadBytesPerSecond != nil {
			rates[string(m.Kind)] = append(rates[string(m.Kind)], *m.ReadBytesPerSecond)
		}
	}
	out := append([]Measured{}, all...)
	for i := range out {
		m := &out[i]
		if m.Kind == "" || m.ReadBytesPerSecond == nil || len(rates[string(m.Kind)]) < leastMeasured {
			continue
		}
		if middle := figure.Median(rates[string(m.Kind)]); middle > 0 {
			share := *m.ReadBytesPerSecond / middle
			m.ShareOfMedian = &share
		}
	}
	const unknown = 1e300 // sorts after all known values
	value := func(v *float64) float64 {
		if v == nil {
			return unknown
		}
		return *v
	}
	slices.SortFunc(out, func(a, b Measured) int {
		return cmp.Or(cmp.Compare(value(a.ShareOfMedian), value(b.ShareOfMedian)),
			cmp.Compare(value(a.ReadBytesPerSecond), value(b.ReadBytesPerSecond)), cmp.Compare(a.Machine, b.Machine))
	})
	return out
}
