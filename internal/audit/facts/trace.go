package facts

import (
	"slices"
	"sync/atomic"

	"github.com/memaudit/memaudit/internal/model/fact"
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
	var out []fact.Evidence
	add := func(e fact.Evidence) {
		if len(out) < maxEvidence && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	for _, a := range t.facts {
		if a.value.from != (fact.Evidence{}) {
			add(a.value.from)
		}
		for _, e := range a.value.more {
			add(e)
		}
	}
	return out
}
