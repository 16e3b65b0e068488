package audit

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/memaudit/memaudit/internal/fact"
)

// scope is what an expression sees: the machine's objects and lists, and the
// subject's. It implements cel.Activation.
type scope struct {
	objects map[string]any
	subject subject
	// lazy makes an object or list the first time it is named.
	lazy func(name string) (Value, bool)
	tr   *trace
	// spent is what the evaluations cost, where that is counted.
	spent uint64
}

// ResolveName implements cel.Activation.
func (s *scope) ResolveName(name string) (any, bool) {
	if s.subject.variable == name && s.subject.object != nil {
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
	out := celValue(name, v)
	s.objects[name] = out
	return out, true
}

// adopt connects new objects to the trace.
func (s *scope) adopt(v Value) {
	switch t := v.v.(type) {
	case *Object:
		t.trace = s.tr
	case []*Object:
		for _, o := range t {
			o.trace = s.tr
		}
	}
}

var _ cel.Activation = (*scope)(nil)

// Parent implements cel.Activation.
func (s *scope) Parent() cel.Activation { return nil }

// newScope is the scope of one machine.
func newScope(m *machineFacts) *scope {
	s := &scope{objects: map[string]any{}, tr: newTrace()}
	s.lazy = func(name string) (Value, bool) {
		sch := schema()
		if _, ok := sch.lists[name]; ok {
			return m.lists(name), true
		}
		if t, ok := sch.objects[name]; ok && name != "socket" && name != "slot" && name != "node" && name != "setting" && name != subjectBaseline {
			return plain(&Object{typ: t, path: name, src: m}), true
		}
		return Value{}, false
	}
	return s
}

// newStatedScope is a scope of given facts alone.
func newStatedScope(given map[string]Value) *scope {
	s := &scope{objects: map[string]any{}, tr: newTrace()}
	for name, v := range given {
		s.adopt(v)
		s.objects[name] = celValue(name, v)
	}
	s.lazy = func(name string) (Value, bool) {
		if t, ok := schema().objects[name]; ok {
			return plain(newStated(t, name, map[string]Value{})), true
		}
		_, ok := schema().lists[name]
		return Value{}, ok
	}
	return s
}

// about turns the scope to a subject and forgets what was read before.
func (s *scope) about(subject subject) {
	s.subject = subject
	s.tr.reset()
}

// read is a fact as an expression since about read it; the zero Value, unknown,
// for one that none did.
func (s *scope) read(name string) Value { return s.tr.values[name] }

// certainty is the weakest of the facts read; unverified reports whether one of
// them rests on what no document confirms.
func (s *scope) certainty() (weakest fact.Certainty, unverified bool) {
	return s.tr.certainty, s.tr.unverified
}

// evidence lists the readings behind the facts read.
func (s *scope) evidence() []fact.Evidence { return s.tr.evidence() }

// cost is what the evaluations in this scope cost so far.
func (s *scope) cost() uint64 { return s.spent }

// plainFact prints the plain value of a variable's fact, "" where it is not
// known or no plain value.
func (s *scope) plainFact(variable, field string) string {
	v, _ := s.ResolveName(variable)
	o, ok := v.(*Object)
	if !ok {
		return ""
	}
	switch t := o.field(field).v.(type) {
	case string, int64, float64, bool:
		return fmt.Sprint(t)
	default:
		return ""
	}
}

// outcome is what an expression yields.
type outcome struct {
	val ref.Val
	// missing lists the facts that made it unknown, by name.
	missing []string
	err     error
}

// eval runs a program in a scope; the scope's trace notes what it read.
func (s *scope) eval(p cel.Program) outcome {
	val, details, err := p.Eval(s)
	if n := details.ActualCost(); n != nil {
		s.spent += *n
	}
	if err != nil {
		return outcome{err: err}
	}
	if u, ok := val.(*types.Unknown); ok {
		return outcome{missing: trails(u)}
	}
	return outcome{val: val}
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

// evalBool runs a yes-or-no expression.
func (s *scope) evalBool(p cel.Program) (value bool, o outcome) {
	o = s.eval(p)
	if o.val == nil {
		return false, o
	}
	b, ok := o.val.(types.Bool)
	if !ok {
		o.err = fmt.Errorf("expression gives %s, expected true or false", o.val.Type().TypeName())
		return false, o
	}
	return bool(b), o
}

// evalText runs a text expression; what is not known prints as "not known".
func (s *scope) evalText(p cel.Program) (string, error) {
	o := s.eval(p)
	switch {
	case o.err != nil:
		return "", o.err
	case o.val == nil:
		return notKnown, nil
	}
	t, ok := o.val.(types.String)
	if !ok {
		return "", fmt.Errorf("expression gives %s, expected text", o.val.Type().TypeName())
	}
	return string(t), nil
}

// compile checks an expression against the fact schema and plans it. The
// expected type is bool or text.
func compile(src string, want *types.Type) (cel.Program, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	ast, iss := env.Compile(src)
	if iss.Err() != nil {
		return nil, issueError(iss)
	}
	if !ast.OutputType().IsExactType(want) {
		return nil, &ExprError{Message: fmt.Sprintf("expression gives %s, expected %s", ast.OutputType(), want)}
	}
	return env.Program(ast, cel.CostLimit(costLimit), cel.EvalOptions(cel.OptPartialEval))
}

// ExprError is a fault in an expression, with its place inside it (0-based
// column, 1-based line; 0 line when the place is not known).
type ExprError struct {
	Line, Column int
	Message      string
}

func (e *ExprError) Error() string { return e.Message }

func issueError(iss *cel.Issues) error {
	errs := iss.Errors()
	if len(errs) == 0 {
		return iss.Err()
	}
	var all []error
	for _, e := range errs {
		msg, _, _ := strings.Cut(e.Message, "\n")
		all = append(all, &ExprError{Line: e.Location.Line(), Column: e.Location.Column(), Message: msg})
	}
	return errors.Join(all...)
}
