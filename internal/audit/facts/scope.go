package facts

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
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

// Programs plans and evaluates expressions and texts; each is planned once. It is not safe for concurrent use.
type Programs struct {
	// Encoded decodes an expression that EncodeExpr made ahead of time; nil for none. It goes by the text, so that an outdated
	// one never applies to another text.
	Encoded func(src string, into any) (known bool, err error)
	done    map[programKey]planned
	// templates are the texts by their source, parts what each may print and decide by; left is what the one that is printed may
	// still take, checks is set while one is checked.
	templates *template.Template
	parts     map[string][]parse.Node
	left      int
	checks    bool
}

type programKey struct{ src, want string }

type planned struct {
	program cel.Program
	err     error
}

// Bool evaluates a condition. It is false if the outcome has no value.
func (x *Programs) Bool(s *Scope, src string) (bool, Outcome) {
	o := x.evaluate(s, src, types.BoolType)
	return o.Val == types.True, o
}

// Word evaluates an expression of a word; NotKnown if the outcome has no value.
func (x *Programs) Word(s *Scope, src string) (string, error) {
	switch o := x.evaluate(s, src, types.StringType); {
	case o.Err != nil:
		return "", o.Err
	case o.Val == nil:
		return NotKnown, nil
	default:
		return fmt.Sprint(o.Val.Value()), nil
	}
}

func (x *Programs) evaluate(s *Scope, src string, want *types.Type) Outcome {
	p, err := x.Get(src, want)
	if err != nil {
		return Outcome{Err: err}
	}
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
	if val.Type().TypeName() != want.TypeName() {
		return Outcome{Err: fmt.Errorf("expression gives %s, expected %s", val.Type().TypeName(), want)}
	}
	return Outcome{Val: val}
}

// Get returns the program of an expression with the wanted result type, bool or string.
func (x *Programs) Get(src string, want *types.Type) (cel.Program, error) {
	key := programKey{src, want.TypeName()}
	if c, ok := x.done[key]; ok {
		return c.program, c.err
	}
	env, err := environment()
	c, node, known := planned{err: err}, EncodedExpr{}, false
	if x.Encoded != nil && err == nil {
		known, c.err = x.Encoded(src, &node)
	}
	switch {
	case c.err != nil:
	case known:
		references := map[int64]*celast.ReferenceInfo{}
		expr := node.decodeNode(celast.NewExprFactory(), references, new(int64))
		c.program, c.err = env.PlanProgram(celast.NewCheckedAST(celast.NewAST(expr, celast.NewSourceInfo(nil)), nil, references))
	default:
		c.program, c.err = compileExpr(env, src, want)
	}
	if x.done == nil {
		x.done = map[programKey]planned{}
	}
	x.done[key] = c
	return c.program, c.err
}

// VisitExpr calls see for every part of an expression, in source order.
func VisitExpr(src string, see func(celast.Expr)) error {
	ast, err := parseExpr(src)
	if err == nil {
		celast.PreOrderVisit(ast.Expr(), celast.NewExprVisitor(see))
	}
	return err
}

// parseExpr parses an expression and expands its macros; it does not type-check it.
func parseExpr(src string) (*celast.AST, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	ast, iss := env.Parse(src)
	if iss.Err() != nil {
		return nil, iss.Err()
	}
	return ast.NativeRep(), nil
}

// EncodedExpr is a node of a parsed expression as the compiled rules hold it. Decoding CEL's own form, which is
// protobuf, took a tenth of an audit.
type EncodedExpr struct {
	_    struct{} `cbor:",toarray"` // stored without field names
	Kind celast.ExprKind
	// Name is that of an identifier, a field or a function; a comprehension has those of its three variables.
	Name string
	// Value is that of a literal. Flag marks a member call, whose receiver is the first part, and a test for presence.
	Value any
	Flag  bool
	Parts []EncodedExpr
}

// ids follow last; identifiers are added to references, as a check would, so that the planner finds variables at once.
func (e *EncodedExpr) decodeNode(make celast.ExprFactory, references map[int64]*celast.ReferenceInfo, last *int64) celast.Expr {
	*last++
	id, parts := *last, []celast.Expr{}
	for i := range e.Parts {
		parts = append(parts, e.Parts[i].decodeNode(make, references, last))
	}
	switch e.Kind {
	case celast.IdentKind:
		if e.Name != "sets" { // the name of a library
			references[id] = celast.NewIdentReference(e.Name, nil)
		}
		return make.NewIdent(id, e.Name)
	case celast.LiteralKind:
		if whole, ok := e.Value.(uint64); ok { // CBOR has no sign for positive numbers
			return make.NewLiteral(id, types.Int(whole))
		}
		return make.NewLiteral(id, types.DefaultTypeAdapter.NativeToValue(e.Value))
	case celast.SelectKind:
		if e.Flag {
			return make.NewPresenceTest(id, parts[0], e.Name)
		}
		return make.NewSelect(id, parts[0], e.Name)
	case celast.ListKind:
		return make.NewList(id, parts, nil)
	case celast.CallKind:
		if e.Flag {
			return make.NewMemberCall(id, e.Name, parts[0], parts[1:]...)
		}
		return make.NewCall(id, e.Name, parts...)
	default:
		v := strings.Split(e.Name, " ")
		return make.NewComprehensionTwoVar(id, parts[0], v[0], v[1], v[2], parts[1], parts[2], parts[3], parts[4])
	}
}

func compileExpr(env *cel.Env, src string, want *types.Type) (cel.Program, error) {
	ast, iss := env.Compile(src)
	if iss.Err() != nil {
		return nil, issueError(iss)
	}
	if !ast.OutputType().IsExactType(want) {
		return nil, &ExprError{Message: fmt.Sprintf("expression gives %s, expected %s", ast.OutputType(), want)}
	}
	return env.Program(ast, cel.CostLimit(costLimit))
}

// ExprError is an error in an expression with its position in it (0-based column, 1-based line; line 0 if
// unknown).
type ExprError struct {
	Line, Column int
	Message      string
}

func (e *ExprError) Error() string { return e.Message }

func issueError(iss *cel.Issues) error {
	var all []error
	for _, e := range iss.Errors() {
		msg, _, _ := strings.Cut(e.Message, "\n")
		all = append(all, &ExprError{Line: e.Location.Line(), Column: e.Location.Column(), Message: msg})
	}
	return errors.Join(all...)
}
