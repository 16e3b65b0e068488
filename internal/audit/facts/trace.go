package facts

import (
	"slices"
	"sync/atomic"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// factTrace records which facts an expression read: they are the verdict's evidence, and the weakest of them
// limits its certainty.
type factTrace struct {
	facts []*answer
	// round is the number of the trace's current round; answers with this number were read since the last
	// reset.
	round      int64
	certainty  fact.Certainty
	unverified bool
	partial    bool
}

// answer is the value of a field in the model and its path below the object's (of): an object that is found in
// several places has several paths and answers. round is that of the trace which last recorded it.
type answer struct {
	value    Value
	path, of string
	round    int64
}

// rounds numbers the rounds of all traces, because objects may be shared by them.
var rounds atomic.Int64

func newTrace() *factTrace {
	return &factTrace{round: rounds.Add(1), certainty: fact.Direct}
}

// reset clears the trace for the next expression.
func (t *factTrace) reset() {
	t.facts = t.facts[:0]
	t.round = rounds.Add(1)
	t.certainty, t.unverified, t.partial = fact.Direct, false, false
}

// read records a fact once.
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

// value returns a fact that was read, the zero Value otherwise.
func (t *factTrace) value(name string) Value {
	for _, a := range t.facts {
		if a.path == name {
			return a.value
		}
	}
	return Value{}
}

// evidence lists the sources of the facts read, each once, in the order of reading.
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
