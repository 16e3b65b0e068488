package wording

import (
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/topology/population"
)

// Limiter is the word for what decides the expected speed.
func Limiter(limiter population.Limiter) string {
	switch limiter {
	case population.LimitDPC:
		return "DIMMs per channel"
	case population.LimitDIMM:
		return "the modules"
	default:
		return printable.Clean(string(limiter))
	}
}

// Promised is the share that a layout is promised, with a note if the clock is unknown; a full share only if there is
// no class (classed) that means the same.
func Promised(r *population.Relative, classed bool) string {
	share := Share(r)
	if share == "" && r.Low != nil && (!classed || r.ByChannels) {
		share = "full bandwidth"
	}
	if share != "" && r.ByChannels {
		share += " by channels, the clock is not known"
	}
	return share
}

// Share is the share of the best bandwidth: measured, or the model's range,
// and which of the two. A full share is not worth a word.
func Share(r *population.Relative) string {
	switch {
	case r.Value != nil:
		return Percent(*r.Value) + " % of best bandwidth (measured)"
	case r.Low == nil || r.High == nil || *r.Low >= 1:
		return ""
	case Percent(*r.Low) == Percent(*r.High):
		return Percent(*r.Low) + " % of best bandwidth" + InBrackets(r.Note)
	default:
		return Percent(*r.Low) + " to " + Percent(*r.High) + " % of best bandwidth" + InBrackets(r.Note)
	}
}

// InBrackets appends to another text: " (s)", nothing for "".
func InBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
