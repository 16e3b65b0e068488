package facts

import (
	"fmt"
	"slices"
	"sort"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// Scope is what an expression sees: the machine's objects and lists, and the
// subject's. It implements cel.Activation.
type Scope struct {
	objects map[string]any
	subject Subject
	// lazy makes an object or list the first time it is named.
	lazy func(name string) (Value, bool)
	tr   *factTrace
	// spent is what the evaluations cost, where that is counted.
	spent uint64
}

// ResolveName implements cel.Activation.
func (s *Scope) ResolveName(name string) (any, bool) {
	if s.subject.Variable == name && s.subject.object != nil {
		s.subject.object.trace = s.tr
		s.subject.object.path = name
		return s.subject.object, true
	}
	if v, ok := s.objects[name]; ok {
		return v, true
	}
	v, ok := s.lazy(name)
	if !ok {
		return nil, false
	}
	s.adopt(v)
	out := celValue(name, &v)
	s.objects[name] = out
	return out, true
}

// adopt connects new objects to the trace.
func (s *Scope) adopt(v Value) {
	switch t := v.v.(type) {
	case *Object:
		t.trace = s.tr
	case []*Object:
		for _, o := range t {
			o.trace = s.tr
		}
	}
}

var _ cel.Activation = (*Scope)(nil)

// Parent implements cel.Activation.
func (s *Scope) Parent() cel.Activation { return nil }

// ofSubjects are the objects that only a rule's subject gives.
var ofSubjects = [...]string{"socket", "slot", "node", "setting", SubjectCounter, SubjectBaseline, SubjectMeasured}

// NewScope is the scope of one machine.
func NewScope(m *Machine) *Scope {
	s := &Scope{objects: map[string]any{}, tr: newTrace()}
	s.lazy = func(name string) (Value, bool) {
		sch := Declared()
		if _, ok := sch.lists[name]; ok {
			return m.lists(name), true
		}
		if t, ok := sch.objects[name]; ok && !slices.Contains(ofSubjects[:], name) {
			return PlainValue(&Object{typ: t, path: name, src: m}), true
		}
		return Value{}, false
	}
	return s
}

// NewStatedScope is a scope of given facts alone.
func NewStatedScope(given map[string]Value) *Scope {
	s := &Scope{objects: map[string]any{}, tr: newTrace()}
	for name, v := range given {
		s.adopt(v)
		s.objects[name] = celValue(name, &v)
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

// About turns the scope to a subject and forgets what was read before.
func (s *Scope) About(subject Subject) {
	s.subject = subject
	s.tr.reset()
}

// Read is a fact as an expression since About read it; the zero Value, unknown,
// for one that none did.
func (s *Scope) Read(name string) Value { return s.tr.value(name) }

// Certainty is the weakest of the facts read; unverified reports whether one of
// them rests on what no document confirms.
func (s *Scope) Certainty() (weakest fact.Certainty, unverified bool) {
	return s.tr.certainty, s.tr.unverified
}

// Partial reports whether one of the facts read rests on a list of slots that may not be complete.
func (s *Scope) Partial() bool { return s.tr.partial }

// Evidence lists the readings behind the facts read.
func (s *Scope) Evidence() []fact.Evidence { return s.tr.evidence() }

// Cost is what the evaluations in this scope cost so far.
func (s *Scope) Cost() uint64 { return s.spent }

// PlainFact prints the plain value of a variable's fact, "" where it is not
// known or no plain value.
func (s *Scope) PlainFact(variable, field string) string {
	named, _ := s.ResolveName(variable)
	o, ok := named.(*Object)
	if !ok {
		return ""
	}
	v, _ := o.field(field)
	switch t := v.v.(type) {
	case string, int64, float64, bool:
		return fmt.Sprint(t)
	default:
		return ""
	}
}

// Outcome is what an expression yields.
type Outcome struct {
	Val ref.Val
	// Missing lists the facts that made it unknown, by name.
	Missing []string
	Err     error
}

// Eval runs a program in a scope; the scope's trace notes what it read.
func (s *Scope) Eval(p cel.Program) Outcome {
	val, details, err := p.Eval(s)
	if n := details.ActualCost(); n != nil {
		s.spent += *n
	}
	if err != nil {
		return Outcome{Err: err}
	}
	if u, ok := val.(*types.Unknown); ok {
		return Outcome{Missing: trails(u)}
	}
	return Outcome{Val: val}
}

// trails names the facts behind an unknown, sorted.
func trails(u *types.Unknown) []string {
	var out []string
	for _, id := range u.IDs() {
		list, _ := u.GetAttributeTrails(id)
		for _, t := range list {
			out = append(out, t.String())
		}
	}
	sort.Strings(out)
	return out
}

// EvalBool runs a yes-or-no expression.
func (s *Scope) EvalBool(p cel.Program) (value bool, o Outcome) {
	o = s.Eval(p)
	if o.Val == nil {
		return false, o
	}
	b, ok := o.Val.(types.Bool)
	if !ok {
		o.Err = fmt.Errorf("expression gives %s, expected true or false", o.Val.Type().TypeName())
		return false, o
	}
	return bool(b), o
}

// EvalText runs a text expression; what is not known prints as "not known".
func (s *Scope) EvalText(p cel.Program) (string, error) {
	o := s.Eval(p)
	switch {
	case o.Err != nil:
		return "", o.Err
	case o.Val == nil:
		return NotKnown, nil
	}
	t, ok := o.Val.(types.String)
	if !ok {
		return "", fmt.Errorf("expression gives %s, expected text", o.Val.Type().TypeName())
	}
	return string(t), nil
}
