// Package facts makes a machine's model available to CEL expressions: every fact is a value with its origin, or
// an unknown with its name and reason.
package facts

import (
	"cmp"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// Value is one fact as expressions see it: a CEL-ready Go value or the reason why there is none. The zero Value
// is unknown.
type Value struct {
	// v is bool, int64, float64, string, []string, []int64, []float64, *Object or []*Object; nil if unknown.
	v          any
	state      fact.State
	Reason     string
	KnownBy    string
	Certainty  fact.Certainty
	Unverified bool
	// doubt is what contradicts the value, nil if nothing does.
	doubt *Doubt
	// from is the source of the value, more are further ones.
	from fact.Evidence
	more []fact.Evidence
}

// Doubt is a contradiction in what firmware says: a list of slots that is shorter than announced, labels that cannot be
// true. What depends on it passes no rule, and fails one at most at info.
type Doubt struct{ Reason, KnownBy string }

// maxEvidence limits the sources kept of one value and listed with one finding: a machine-wide fact may depend
// on every slot.
const maxEvidence = 64

// Evidence lists the sources.
func (v *Value) Evidence() []fact.Evidence {
	if v.from == (fact.Evidence{}) {
		return v.more
	}
	return append([]fact.Evidence{v.from}, v.more...)
}

// Text returns a known text, "" for anything else.
func (v Value) Text() string {
	s, _ := v.v.(string)
	return s
}

// Known reports whether there is a value.
func (v Value) Known() bool { return v.v != nil }

// valueOf turns a fact of the model into a Value.
func valueOf[T any](f fact.Fact[T]) Value {
	out := origin(&f)
	if f.Known() {
		out.v = native(f.Value)
	}
	return out
}

// origin returns a Value without a value, with certainty, reason and source of a fact.
func origin[T any](f *fact.Fact[T]) Value {
	return Value{state: f.State, Reason: f.Reason, KnownBy: f.KnownBy,
		Certainty: f.Certainty, Unverified: f.Unverified, from: f.From, more: f.More}
}

// native converts the model's types to those CEL supports.
func native(v any) any {
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

// computedFrom replaces the value of a known fact by one computed from it and keeps origin, certainty and
// reason.
func computedFrom[T any](f fact.Fact[T], compute func(T) any) Value {
	out := origin(&f)
	if f.Known() {
		out.v = native(compute(f.Value))
	}
	return out
}

// PlainValue returns a value that needs no origin: a count of what is in the model, a word of a platform file.
func PlainValue(v any) Value {
	return Value{v: native(v), state: fact.OK, Certainty: fact.Direct}
}

// Missing returns an unknown value with its reason.
func Missing(state fact.State, reason, knownBy string) Value {
	return Value{state: state, Reason: reason, KnownBy: knownBy}
}

// doubted marks a known value as contradicted.
func doubted(v Value, d *Doubt) Value {
	if v.Known() {
		v.doubt, v.Unverified = d, true
	}
	return v
}

// derived combines facts: if one is unknown, so is the result; otherwise compute runs and the weakest certainty
// applies.
func derived(compute func() any, from ...Value) Value {
	out := Value{state: fact.OK, Certainty: fact.Direct}
	for i := range from {
		if !from[i].Known() {
			return from[i]
		}
	}
	for i := range from {
		f := &from[i]
		out.Certainty = min(out.Certainty, f.Certainty)
		out.Unverified = out.Unverified || f.Unverified
		out.doubt = cmp.Or(out.doubt, f.doubt)
		out.rest(f)
	}
	out.v = native(compute())
	return out
}

// rest adds the sources of another value.
func (v *Value) rest(on *Value) {
	if v.more == nil && v.from == (fact.Evidence{}) {
		v.from, v.more = on.from, slices.Clip(on.more)
		return
	}
	if on.from != (fact.Evidence{}) && on.from != v.from && len(v.more) < maxEvidence {
		v.more = append(v.more, on.from)
	}
	v.more = append(v.more, on.more[:min(max(maxEvidence-len(v.more), 0), len(on.more))]...)
}

// gather combines one fact of many things (a field of every DIMM): unknown if any of them is, sorted distinct
// values otherwise.
func gather[T int64 | string](facts []Value) Value {
	return derived(func() any {
		var out []T
		for _, f := range facts {
			if v, ok := f.v.(T); ok && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		slices.Sort(out)
		if out == nil {
			out = []T{}
		}
		return out
	}, facts...)
}
