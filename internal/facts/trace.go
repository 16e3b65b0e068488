package facts

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/slab"
)

// factTrace notes which facts an expression read: they are the verdict's evidence,
// and the weakest of them caps its certainty.
type factTrace struct {
	facts []tracedFact
	// at finds a fact by its path; the map holds positions, for it would take memory
	// of its own for each value as large as these.
	at         map[string]int
	certainty  fact.Certainty
	unverified bool
	// answers and paths are of what was read from the model through this trace.
	answers slab.Of[answer]
	paths   slab.Texts
	// listed is room for the readings of one verdict, readings keeps those of all.
	listed   []fact.Evidence
	readings slab.Of[fact.Evidence]
}

// tracedFact is one fact that was read.
type tracedFact struct {
	name  string
	value Value
}

// answer is what the model said of a field, and the field's path below the object's,
// of: an object that is found in another place has other paths.
type answer struct {
	value    Value
	path, of string
}

func newTrace() *factTrace {
	return &factTrace{at: map[string]int{}, certainty: fact.Direct}
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
	clear(t.at)
	t.certainty, t.unverified = fact.Direct, false
}

// read notes one fact.
func (t *factTrace) read(name string, v Value) {
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
func (t *factTrace) value(name string) Value {
	if at, read := t.at[name]; read {
		return t.facts[at].value
	}
	return Value{}
}

// evidence lists the readings behind the facts read, each once, in the order
// of reading.
func (t *factTrace) evidence() []fact.Evidence {
	out := t.listed[:0]
	add := func(e *fact.Evidence) {
		if len(out) < maxEvidence && !slices.Contains(out, *e) {
			out = append(out, *e)
		}
	}
	for i := range t.facts {
		v := &t.facts[i].value
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
