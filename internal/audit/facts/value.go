// Package facts makes a machine's model available to CEL expressions: every fact is a value with its origin, or
// an unknown with its name and reason.
package facts

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Value is one fact as expressions see it. Its value is bool, int64, float64, string, []string, []int64, []float64,
// *Object or []*Object.
type Value = fact.Fact[any]

// maxEvidence limits the sources kept of one value and listed with one finding: a machine-wide fact may depend
// on every slot.
const maxEvidence = 64

func valueOf[T any](f fact.Fact[T]) Value {
	return fact.Convert(f, func(v T) any { return nativeValue(v) })
}

func nativeValue(v any) any {
	switch t := v.(type) {
	case int:
		return int64(t)
	case inventory.Technology:
		return string(t)
	case inventory.SlotState:
		return string(t)
	case inventory.NodeKind:
		return string(t)
	case []int:
		out := make([]int64, len(t))
		for i, n := range t {
			out[i] = int64(n)
		}
		return out
	default:
		return v
	}
}

// Origin, certainty and reason stay.
func computedFrom[T any](f fact.Fact[T], compute func(T) any) Value {
	return valueOf(fact.Convert(f, compute))
}

// PlainValue returns a value that needs no origin: a count of what is in the model, a word of a platform file.
func PlainValue(v any) Value { return fact.Known(nativeValue(v), fact.Direct, fact.Evidence{}) }

// MissingValue returns an unknown value with its reason.
func MissingValue(state fact.State, reason string, knownBy fact.Input) Value {
	return fact.Unknown[any](state, reason, knownBy)
}

func withDoubt(v Value, d *fact.Doubt) Value {
	if v.Known() {
		v.Doubt, v.Unverified = d, true
	}
	return v
}

// If one fact is unknown, so is the result; otherwise the weakest certainty applies.
func deriveValue(compute func() any, from ...Value) Value {
	out := Value{State: fact.OK, Certainty: fact.Direct}
	for i := range from {
		if !from[i].Known() {
			return from[i]
		}
	}
	for i := range from {
		f := &from[i]
		out.Certainty = min(out.Certainty, f.Certainty)
		out.Unverified = out.Unverified || f.Unverified
		out.Doubt = cmp.Or(out.Doubt, f.Doubt)
		addSources(&out, f)
	}
	out.Value = nativeValue(compute())
	return out
}

func addSources(v, on *Value) {
	if v.More == nil && v.From == (fact.Evidence{}) {
		v.From, v.More = on.From, slices.Clip(on.More)
		return
	}
	if on.From != (fact.Evidence{}) && on.From != v.From && len(v.More) < maxEvidence {
		v.More = append(v.More, on.From)
	}
	v.More = append(v.More, on.More[:min(max(maxEvidence-len(v.More), 0), len(on.More))]...)
}

// gatherValues is unknown if any fact is, otherwise the sorted distinct values.
func gatherValues[T int64 | string](facts []Value) Value {
	return deriveValue(func() any {
		out := []T{}
		for _, f := range facts {
			if v, ok := f.Value.(T); ok && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		slices.Sort(out)
		return out
	}, facts...)
}
