package facts

import (
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// factTrace records which facts an expression read: they are the verdict's evidence, and the weakest of them
// limits its certainty.
type factTrace struct {
	facts      []*answer
	seen       map[*answer]bool
	certainty  fact.Certainty
	unverified bool
	partial    bool
}

// answer is the value of a field in the model and its path below the object's (of): an object that is found in
// several places has several paths and answers.
type answer struct {
	value    Value
	path, of string
}

func newTrace() *factTrace { return &factTrace{seen: map[*answer]bool{}, certainty: fact.Direct} }

// reset clears the trace for the next expression.
func (t *factTrace) reset() {
	clear(t.seen)
	t.facts = t.facts[:0]
	t.certainty, t.unverified, t.partial = fact.Direct, false, false
}

// read records a fact once.
func (t *factTrace) read(a *answer) {
	if t.seen[a] {
		return
	}
	t.seen[a] = true
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
	for _, a := range t.facts {
		for _, e := range a.value.Evidence() {
			if len(out) < maxEvidence && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}
