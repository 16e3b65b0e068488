package facts

import (
	"slices"

	"github.com/memaudit/memaudit/internal/fact"
)

// trace notes which facts an expression read: they are the verdict's evidence,
// and the weakest of them caps its certainty.
type trace struct {
	names      []string
	values     map[string]Value
	certainty  fact.Certainty
	unverified bool
}

func newTrace() *trace {
	return &trace{values: map[string]Value{}, certainty: fact.Direct}
}

// reset forgets everything, so that one trace serves many expressions.
func (t *trace) reset() {
	t.names = t.names[:0]
	clear(t.values)
	t.certainty, t.unverified = fact.Direct, false
}

// read notes one fact.
func (t *trace) read(name string, v Value) {
	if _, seen := t.values[name]; seen {
		return
	}
	t.names = append(t.names, name)
	t.values[name] = v
	if v.Known() {
		t.certainty = min(t.certainty, v.Certainty)
		t.unverified = t.unverified || v.Unverified
	}
}

// evidence lists the readings behind the facts read, each once, in the order
// of reading.
func (t *trace) evidence() []fact.Evidence {
	var out []fact.Evidence
	for _, name := range t.names {
		v := t.values[name]
		for _, e := range v.Evidence() {
			if !slices.Contains(out, e) && len(out) < maxEvidence {
				out = append(out, e)
			}
		}
	}
	return out
}
