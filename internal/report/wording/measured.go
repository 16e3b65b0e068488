package wording

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
)

// MeasuredKind names the loop of a figure, and how it stores where that is known.
func MeasuredKind(f *report.MeasuredFigure) string {
	if f.Store == nil {
		return f.What
	}
	return f.What + ", " + *f.Store + " stores"
}

// MeasuredValue prints bytes per second, or seconds where the figure is a latency.
func MeasuredValue(f *report.MeasuredFigure, v *float64) string {
	switch {
	case v == nil:
		return "not measured"
	case f.Kind == "latency":
		return strconv.FormatFloat(1e9**v, 'f', 1, 64) + " ns"
	}
	return prose.Bandwidth(int64(*v))
}

// MeasuredPasses are the extremes of a figure's passes, and why it is not decided;
// "" where there is neither.
func MeasuredPasses(f *report.MeasuredFigure) string {
	var out []string
	if f.Low != nil && f.High != nil && *f.Low != *f.High {
		out = append(out, MeasuredValue(f, f.Low)+" to "+MeasuredValue(f, f.High))
	}
	if f.Undecided != nil {
		out = append(out, *f.Undecided)
	}
	return strings.Join(out, "; ")
}

// MeasuredPlace says whose processors used whose memory: the node, two nodes, or
// the number of the run of a tool that names no node.
func MeasuredPlace(f *report.MeasuredFigure) string {
	switch {
	case f.CPUNode == nil || f.MemoryNode == nil:
		return "run " + strconv.Itoa(f.Run+1)
	case *f.CPUNode == *f.MemoryNode:
		return "node " + strconv.Itoa(*f.CPUNode)
	}
	return "node " + strconv.Itoa(*f.CPUNode) + ", memory of node " + strconv.Itoa(*f.MemoryNode)
}
