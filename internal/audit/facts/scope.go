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
// cel.Activation. It records which facts are read: they are a verdict's evidence, and the weakest of them limits its certainty.
type Scope struct {
	// Certainty is the weakest of the facts read since SetSubject, Unverified describes the first of them that no document
	// confirms, "" if there is none, and Doubt is what contradicts one, nil if nothing does.
	Certainty  fact.Certainty
	Unverified string
	Doubt      *fact.Doubt
	reads      []*answer
	seen       map[*answer]bool

	objects map[string]*Value
	subject Subject
	// lazy creates an object or list when it is first used.
	lazy func(name string) (Value, bool)
	// spent is the cost of the evaluations, if that is counted.
	spent uint64
}

// answer is the value of a field in the model and its path below the object's (of): an object that is found in
// several places has several paths and answers. doc is the field's meaning.
type answer struct {
	value         Value
	path, of, doc string
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
		s.subject.object.scope = s
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
	adoptObjects(name, s, &v)
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
	s := &Scope{objects: map[string]*Value{}, seen: map[*answer]bool{}, Certainty: fact.Direct}
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
	s := &Scope{objects: map[string]*Value{}, seen: map[*answer]bool{}, Certainty: fact.Direct}
	for name, v := range given {
		adoptObjects(name, s, &v)
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

// SetSubject sets the subject and forgets which facts were read.
func (s *Scope) SetSubject(subject Subject) {
	s.subject, s.reads = subject, s.reads[:0]
	clear(s.seen)
	s.Certainty, s.Unverified, s.Doubt = fact.Direct, "", nil
}

func (s *Scope) recordRead(a *answer) {
	if s.seen[a] {
		return
	}
	s.seen[a] = true
	s.reads = append(s.reads, a)
	if a.value.Known() {
		s.Certainty = min(s.Certainty, a.value.Certainty)
		if a.value.Unverified {
			s.Unverified = cmp.Or(s.Unverified, a.doc, a.path)
		}
		s.Doubt = cmp.Or(s.Doubt, a.value.Doubt)
	}
}

// Read returns a fact that was read since SetSubject; the zero Value, unknown, if it was not.
func (s *Scope) Read(name string) Value {
	for _, a := range s.reads {
		if a.path == name {
			return a.value
		}
	}
	return Value{}
}

// Evidence lists the sources of the facts read.
func (s *Scope) Evidence() []fact.Evidence {
	var out []fact.Evidence
	for _, a := range s.reads {
		for _, e := range a.value.Evidence() {
			if len(out) < maxEvidence && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// Cost returns the cost of the evaluations in this scope so far.
func (s *Scope) Cost() uint64 { return s.spent }

// PlainFact formats a plain value of a variable's fact, "" if it is unknown or not plain.
func (s *Scope) PlainFact(variable, field string) string {
	named, _ := s.ResolveName(variable)
	o, ok := named.(*Object)
	if !ok {
		return ""
	}
	if v, _ := o.readField(field); v != nil {
		switch t := v.Value.(type) {
		case string, int64, float64, bool:
			return fmt.Sprint(t)
		}
	}
	return ""
}

// Outcome is the result of an expression.
type Outcome struct {
	Val ref.Val
	// Missing lists the facts that made it unknown, by name.
	Missing []string
	Err     error
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
