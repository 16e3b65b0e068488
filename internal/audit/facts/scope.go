package facts

import (
	"cmp"
	"fmt"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"memaudit.example/memaudit/internal/model/fact"
)

// Scope is what an expression can access: the machine's objects and lists, and the subject's. It implements
// cel.Activation.
type Scope struct {
	objects map[string]*Value
	subject Subject
	// lazy creates an object or list when it is first used.
	lazy func(name string) (Value, bool)
	tr   *factTrace
	// spent is the cost of the evaluations, if that is counted.
	spent uint64
}

// ResolveName implements cel.Activation.
func (s *Scope) ResolveName(name string) (any, bool) {
	v := s.variable(name)
	if v == nil {
		return nil, false
	}
	return celValue(name, v), true
}

func (s *Scope) variable(name string) *Value {
	if s.subject.Variable == name && s.subject.object != nil {
		s.subject.object.trace = s.tr
		s.subject.object.path = name
		v := PlainValue(s.subject.object)
		return &v
	}
	if v, ok := s.objects[name]; ok {
		return v
	}
	v, ok := s.lazy(name)
	if !ok {
		return nil
	}
	adoptObjects(name, s.tr, &v)
	s.objects[name] = &v
	return &v
}

var _ cel.Activation = (*Scope)(nil)

// Parent implements cel.Activation.
func (s *Scope) Parent() cel.Activation { return nil }

// ofSubjects are the objects that exist only with a rule's subject.
var ofSubjects = [...]string{"socket", "slot", "node", "setting", SubjectCounter, SubjectBaseline, SubjectMeasured, SubjectDevice}

// NewScope returns the scope of one machine.
func NewScope(m *Machine) *Scope {
	s := &Scope{objects: map[string]*Value{}, tr: newTrace()}
	s.lazy = func(name string) (Value, bool) {
		sch := Declared()
		if _, ok := sch.lists[name]; ok {
			return m.subjectObjects(name), true
		}
		if t, ok := sch.objects[name]; ok && !slices.Contains(ofSubjects[:], name) {
			return PlainValue(&Object{typ: t, path: name, src: m}), true
		}
		return Value{}, false
	}
	return s
}

// NewStatedScope returns a scope with only the given facts.
func NewStatedScope(given map[string]Value) *Scope {
	s := &Scope{objects: map[string]*Value{}, tr: newTrace()}
	for name, v := range given {
		adoptObjects(name, s.tr, &v)
		s.objects[name] = &v
	}
	s.lazy = func(name string) (Value, bool) {
		if t, ok := Declared().objects[name]; ok {
			return PlainValue(NewStated(t, name, map[string]Value{})), true
		}
		_, ok := Declared().lists[name]
		return Value{}, ok
	}
	return s
}

// SetSubject sets the subject and clears the trace.
func (s *Scope) SetSubject(subject Subject) {
	s.subject = subject
	s.tr.clearReads()
}

// Read returns a fact that was read since About; the zero Value, unknown, if it was not.
func (s *Scope) Read(name string) Value { return s.tr.valueAtPath(name) }

// Certainty returns the weakest certainty of the facts read; unverified describes the first of them that no document
// confirms, "" if there is none.
func (s *Scope) Certainty() (weakest fact.Certainty, unverified string) {
	return s.tr.certainty, s.tr.unverified
}

// Doubt returns what contradicts a fact that was read, nil if nothing does.
func (s *Scope) Doubt() *fact.Doubt { return s.tr.doubt }

// Evidence lists the sources of the facts read.
func (s *Scope) Evidence() []fact.Evidence { return s.tr.evidence() }

// Cost returns the cost of the evaluations in this scope so far.
func (s *Scope) Cost() uint64 { return s.spent }

// PlainFact formats a plain value of a variable's fact, "" if it is unknown or not plain.
func (s *Scope) PlainFact(variable, field string) string {
	named, _ := s.ResolveName(variable)
	o, ok := named.(*Object)
	if !ok {
		return ""
	}
	v, _ := o.readField(field)
	switch t := v.Value.(type) {
	case string, int64, float64, bool:
		return fmt.Sprint(t)
	default:
		return ""
	}
}

// Outcome is the result of an expression.
type Outcome struct {
	Val ref.Val
	// Missing lists the facts that made it unknown, by name.
	Missing []string
	Err     error
}

func (s *Scope) runProgram(p cel.Program) Outcome {
	val, details, err := p.Eval(s)
	if n := details.ActualCost(); n != nil {
		s.spent += *n
	}
	if err != nil {
		return Outcome{Err: err}
	}
	if u, ok := val.(*types.Unknown); ok {
		return Outcome{Missing: missingFacts(u)}
	}
	return Outcome{Val: val}
}

func missingFacts(u *types.Unknown) []string {
	var out []string
	for _, id := range u.IDs() {
		list, _ := u.GetAttributeTrails(id)
		for _, t := range list {
			out = append(out, t.String())
		}
	}
	slices.Sort(out)
	return out
}

// factTrace records which facts an expression read: they are the verdict's evidence, and the weakest of them
// limits its certainty.
type factTrace struct {
	facts      []*answer
	seen       map[*answer]bool
	certainty  fact.Certainty
	unverified string
	doubt      *fact.Doubt
}

// answer is the value of a field in the model and its path below the object's (of): an object that is found in
// several places has several paths and answers. doc is the field's meaning.
type answer struct {
	value         Value
	path, of, doc string
}

func newTrace() *factTrace { return &factTrace{seen: map[*answer]bool{}, certainty: fact.Direct} }

func (t *factTrace) clearReads() {
	clear(t.seen)
	t.facts = t.facts[:0]
	t.certainty, t.unverified, t.doubt = fact.Direct, "", nil
}

func (t *factTrace) recordRead(a *answer) {
	if t.seen[a] {
		return
	}
	t.seen[a] = true
	t.facts = append(t.facts, a)
	if a.value.Known() {
		t.certainty = min(t.certainty, a.value.Certainty)
		if a.value.Unverified {
			t.unverified = cmp.Or(t.unverified, a.doc, a.path)
		}
		t.doubt = cmp.Or(t.doubt, a.value.Doubt)
	}
}

func (t *factTrace) valueAtPath(name string) Value {
	for _, a := range t.facts {
		if a.path == name {
			return a.value
		}
	}
	return Value{}
}

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
