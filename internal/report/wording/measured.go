package wording

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/topology/platform"
)

// MeasuredKind names the loop of a figure, and its kind of store if known.
func MeasuredKind(f *report.MeasuredFigure) string {
	if f.Store == "" {
		return f.What
	}
	return f.What + ", " + string(f.Store) + " stores"
}

// MeasuredValue prints bytes per second, or seconds if the figure is a latency.
func MeasuredValue(f *report.MeasuredFigure, v *float64) string {
	switch {
	case v == nil:
		return "not measured"
	case f.Kind == "latency", f.Kind == report.LoadedLatency:
		return strconv.FormatFloat(1e9**v, 'f', 1, 64) + " ns"
	}
	return humanize.Bandwidth(int64(*v))
}

// OfPeak compares a bandwidth with the theoretical peak of the node's own memory, and a latency under load with what others
// measured; "" if that is not known.
func OfPeak(f *report.MeasuredFigure) string {
	if d := f.Documented; d != nil {
		return platform.Nanoseconds([]float64{math.Round(1e9 * d.Low), math.Round(1e9 * d.High)}) + " on " + d.Of + " (" + d.Source + ")"
	}
	if f.Value == nil || f.Peak == nil {
		return ""
	}
	return Percent(*f.Value/float64(*f.Peak)) + " % of " + humanize.Bandwidth(*f.Peak)
}

// MeasuredPasses gives the extremes of a figure's passes, and the reason why it is undecided; "" if there is neither.
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

// MeasuredPlace names the processors and the memory: the node, two nodes, or the number of the run of a tool that
// names no node.
func MeasuredPlace(f *report.MeasuredFigure) string {
	switch {
	case f.CPUNode == nil || f.MemoryNode == nil:
		return "run " + strconv.Itoa(f.Run+1)
	case *f.CPUNode == *f.MemoryNode:
		return "node " + strconv.Itoa(*f.CPUNode)
	}
	return "node " + strconv.Itoa(*f.CPUNode) + ", memory of node " + strconv.Itoa(*f.MemoryNode)
}

// Reading is one reading in one line: its source, the file and its text.
func Reading(e *fact.Evidence) string {
	s := e.Source
	if e.Path != "" {
		s += " " + e.Path
	}
	if read := e.Reading(); read != "" {
		s += ": " + read
	}
	return s
}

// Costs is the cost of a deviation, and its source; "" if none is documented. Costs computed by the population model
// name it themselves.
func Costs(e *verdict.Effect) string {
	if e == nil {
		return ""
	}
	source := string(e.Source)
	if source == "" || source == verdict.PopulationModel {
		return e.Text
	}
	return e.Text + " (" + source + ")"
}

// Errors describes the errors counted for a module: "120 corrected errors", with the uncorrected ones if there are
// any; "" if they are not counted or zero.
func Errors(e *inventory.Errors) string {
	switch {
	case e == nil:
		return ""
	case e.Uncorrected.Or(0) > 0:
		return Counted(e.Corrected) + " corrected and " + Counted(e.Uncorrected) + " uncorrected errors"
	case e.Corrected.Or(0) > 0:
		return Counted(e.Corrected) + " corrected errors"
	case len(e.Standing()) > 0:
		return "errors in the BMC's event log"
	default:
		return ""
	}
}

// Counted is a number that may not be known: "?" then.
func Counted(n fact.Fact[int64]) string { return cmp.Or(n.Text(), "?") }
