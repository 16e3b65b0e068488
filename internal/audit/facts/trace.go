package facts

import (
	"strings"
	"sync/atomic"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/slab"
)

// factTrace notes which facts an expression read: they are the verdict's evidence,
// and the weakest of them caps its certainty.
type factTrace struct {
	facts []*answer
	// round is this trace's own number since it last forgot everything; an answer that
	// bears it was read since then.
	round      int64
	certainty  fact.Certainty
	unverified bool
	partial    bool
	// answers and paths are of what was read from the model through this trace.
	answers slab.Of[answer]
	paths   slab.Texts
	// listed is room for the readings of one verdict, readings keeps those of all.
	listed   []fact.Evidence
	readings slab.Of[fact.Evidence]
}

// answer is what the model said of a field, and the field's path below the object's,
// of: an object that is found in another place has other paths, and other answers. round
// is that of the trace which last noted it.
type answer struct {
	value    Value
	path, of string
	round    int64
}

// rounds numbers the rounds of all traces, for an object may come from one to another.
var rounds atomic.Int64

func newTrace() *factTrace {
	return &factTrace{round: rounds.Add(1), certainty: fact.Direct}
}

// answer is room for what the model says of a field; without a trace on its own.
func (t *factTrace) answer() *answer {
	if t == nil {
		return &answer{}
	}
	return t.answers.New()
}

// join makes a path of its parts.
func (t *factTrace) join(parts ...string) string {
	if t == nil {
		return strings.Join(parts, "")
	}
	return t.paths.Join(parts...)
}

// reset forgets everything, so that one trace serves many expressions.
func (t *factTrace) reset() {
	t.facts = t.facts[:0]
	t.round = rounds.Add(1)
	t.certainty, t.unverified, t.partial = fact.Direct, false, false
}

// read notes one fact, once.
func (t *factTrace) read(a *answer) {
	if a.round == t.round {
		return
	}
	a.round = t.round
	t.facts = append(t.facts, a)
	if a.value.Known() {
		t.certainty = min(t.certainty, a.value.Certainty)
		t.unverified = t.unverified || a.value.Unverified
		t.partial = t.partial || a.value.partial
	}
}

// value is a fact that was read, the zero Value where it was not.
func (t *factTrace) value(name string) Value {
	for _, a := range t.facts {
		if a.path == name {
			return a.value
		}
	}
	return Value{}
}

// evidence lists the readings behind the facts read, each once, in the order
// of reading.
func (t *factTrace) evidence() []fact.Evidence {
	out := t.listed[:0]
	var sums [maxEvidence]uint32 // of readings' fields: most readings differ there
	add := func(e *fact.Evidence) {
		if len(out) == maxEvidence {
			return
		}
		sum := fieldSum(e.Field)
		for i, other := range sums[:len(out)] {
			if other == sum && out[i] == *e {
				return
			}
		}
		sums[len(out)] = sum
		out = append(out, *e)
	}
	for _, a := range t.facts {
		v := &a.value
		if v.from != (fact.Evidence{}) {
			add(&v.from)
		}
		for j := range v.more {
			add(&v.more[j])
		}
	}
	t.listed = out
	kept := t.readings.Slice(len(out))
	copy(kept, out)
	return kept
}

// fieldSum is a number that equal fields have in common (FNV-1a).
func fieldSum(field string) uint32 {
	sum := uint32(2166136261)
	for i := range len(field) {
		sum = (sum ^ uint32(field[i])) * 16777619
	}
	return sum
}
