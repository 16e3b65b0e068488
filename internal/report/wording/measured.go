package wording

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/report"
)

// MeasuredKind names the loop of a figure, and how it stores where that is known.
func MeasuredKind(f *report.MeasuredFigure) string {
	if f.Store == "" {
		return f.What
	}
	return f.What + ", " + string(f.Store) + " stores"
}

// MeasuredValue prints bytes per second, or seconds where the figure is a latency.
func MeasuredValue(f *report.MeasuredFigure, v *float64) string {
	switch {
	case v == nil:
		return "not measured"
	case f.Kind == "latency":
		return strconv.FormatFloat(1e9**v, 'f', 1, 64) + " ns"
	}
	return humanize.Bandwidth(int64(*v))
}

// MeasuredPasses are the extremes of a figure's passes, and why it is not decided;
// "" where there is neither.
func MeasuredPasses(f *report.MeasuredFigure) string {
	var out []string
	if f.Low != nil && f.High != nil && *f.Low != *f.High {
		out = append(out, MeasuredValue(f, f.Low)+" to "+MeasuredValue(f, f.High))
	}
	if f.Undecided != "" {
		out = append(out, string(f.Undecided))
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

// Reading is one reading in one line: its source, the file and what stood there.
func Reading(e *report.Evidence) string {
	s := e.Source
	if e.Path != "" {
		s += " " + string(e.Path)
	}
	if e.Raw != "" {
		s += ": " + string(e.Raw)
	}
	return s
}

// Costs is what a deviation costs, and who measured it; "" where nobody says. What
// the population model computes names its ground by itself.
func Costs(e *report.Effect) string {
	if e == nil {
		return ""
	}
	source := string(e.Source)
	if source == "" || source == verdict.PopulationModel {
		return e.Text
	}
	return e.Text + " (" + source + ")"
}

// Errors is what was counted on a module in words: "120 corrected errors", with
// the uncorrected ones where there are any; "" where nobody counts or none were.
func Errors(e *report.Errors) string {
	switch {
	case e == nil:
		return ""
	case e.Uncorrected != nil && *e.Uncorrected > 0:
		return Counted(e.Corrected) + " corrected and " + Counted(e.Uncorrected) + " uncorrected errors"
	case e.Corrected != nil && *e.Corrected > 0:
		return Counted(e.Corrected) + " corrected errors"
	default:
		return ""
	}
}

// Counted is a number that may not be known: "?" then.
func Counted(n *int64) string {
	if n == nil {
		return "?"
	}
	return strconv.FormatInt(*n, 10)
}
