package facts

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
)

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
