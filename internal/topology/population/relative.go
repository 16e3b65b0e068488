package population

import (
	"cmp"
	"math"
	"strconv"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/nullable"
)

// Relative is a Share as documents have it: the share of the full population's bandwidth, Value only if a document
// measured this layout, Low and High by the population model.
type Relative struct {
	Value  *float64        `json:"value" jsonschema:"nullable,minimum=0"`
	Low    *float64        `json:"low" jsonschema:"nullable,minimum=0"`
	High   *float64        `json:"high" jsonschema:"nullable,minimum=0"`
	Source nullable.String `json:"source" jsonschema:"nullable"`
	// Unverified is set if no document confirms the slot map or the platform's data that the share depends on.
	Unverified bool `json:"unverified,omitempty"`
	// ByChannels is true if the clock is unknown; for the text, Source has it.
	ByChannels bool `json:"-"`
	// Note is what lowers a share by the model; for the text, Source has it.
	Note string `json:"-"`
}

// RelativeOf returns a share as documents have it.
func RelativeOf(f fact.Fact[Share]) Relative {
	share, ok := f.Get()
	if !ok {
		return Relative{}
	}
	out := Relative{Value: share.Value, Low: &share.Low, High: &share.High, Source: nullable.String(share.Source()),
		Unverified: f.Unverified, ByChannels: share.By == shareByChannels}
	if share.Value == nil {
		out.Note = share.Note
	}
	return out
}

// Bounds returns the lowest and the highest share: what a document measured for the layout, else the model's range;
// infinite if it is not known.
func (s *Relative) Bounds() (low, high float64) {
	switch {
	case s.Value != nil:
		return *s.Value, *s.Value
	case s.Low == nil || s.High == nil:
		return math.Inf(1), math.Inf(1)
	default:
		return *s.Low, *s.High
	}
}

// Percent is the share in percent, or the range of it; "" if it is not known.
func (s *Relative) Percent() string {
	percent := func(v float64) string { return strconv.FormatFloat(v*100, 'f', 0, 64) }
	low, high := s.Bounds()
	switch {
	case math.IsInf(low, 1):
		return ""
	case percent(low) == percent(high):
		return percent(low) + " %"
	default:
		return percent(low) + " to " + percent(high) + " %"
	}
}

// CompareShares orders shares, the worse first: by what is sure, then by the most that one can have. An unknown one
// comes last.
func CompareShares(a, b *Relative) int {
	lowA, highA := a.Bounds()
	lowB, highB := b.Bounds()
	return cmp.Or(cmp.Compare(lowA, lowB), cmp.Compare(highA, highB))
}
