package facts

import (
	"slices"

	"github.com/memaudit/memaudit/internal/fact"
)

// trace notes which facts an expression read: they are the verdict's evidence,
// and the weakest of them caps its certainty.
type trace struct {
	facts []tracedFact
	// at finds a fact by its path; the map holds positions, for it would take memory
	// of its own for each value as large as these.
	at         map[string]int
	certainty  fact.Certainty
	unverified bool
}

// tracedFact is one fact that was read.
type tracedFact struct {
	name  string
	value Value
}

func newTrace() *trace {
	return &trace{at: map[string]int{}, certainty: fact.Direct}
}

// reset forgets everything, so that one trace serves many expressions.
func (t *trace) reset() {
	t.facts = t.facts[:0]
	clear(t.at)
	t.certainty, t.unverified = fact.Direct, false
}

// read notes one fact.
func (t *trace) read(name string, v Value) {
	if _, seen := t.at[name]; seen {
		return
	}
	t.at[name] = len(t.facts)
	t.facts = append(t.facts, tracedFact{name, v})
	if v.Known() {
		t.certainty = min(t.certainty, v.Certainty)
		t.unverified = t.unverified || v.Unverified
	}
}

// value is a fact that was read, the zero Value where it was not.
func (t *trace) value(name string) Value {
	if at, read := t.at[name]; read {
		return t.facts[at].value
	}
	return Value{}
}

// evidence lists the readings behind the facts read, each once, in the order
// of reading.
func (t *trace) evidence() []fact.Evidence {
	var out []fact.Evidence
	for i := range t.facts {
		for _, e := range t.facts[i].value.Evidence() {
			if !slices.Contains(out, e) && len(out) < maxEvidence {
				out = append(out, e)
			}
		}
	}
	return out
}
