package facts

import (
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	exprpb "google.golang.org/genproto/googleapis/api/expr/v1alpha1"
	"google.golang.org/protobuf/proto"
)

// Programs plans and evaluates expressions; each is planned once. It is not safe for concurrent use.
type Programs struct {
	// Encoded are expressions that EncodeExpr made ahead of time, by their text, so that an outdated one never
	// applies to another text.
	Encoded map[string][]byte
	done    map[programKey]planned
}

type programKey struct{ src, want string }

type planned struct {
	program cel.Program
	err     error
}

// Bool evaluates a condition. It is false if the outcome has no value.
func (x *Programs) Bool(s *Scope, src string) (bool, Outcome) {
	o := x.eval(s, src, types.BoolType)
	return o.Val == types.True, o
}

// Text evaluates a text expression; an unknown value is printed as "not known".
func (x *Programs) Text(s *Scope, src string) (string, error) {
	switch o := x.eval(s, src, types.StringType); {
	case o.Err != nil:
		return "", o.Err
	case o.Val == nil:
		return NotKnown, nil
	default:
		return fmt.Sprint(o.Val.Value()), nil
	}
}

func (x *Programs) eval(s *Scope, src string, want *types.Type) Outcome {
	p, err := x.Get(src, want)
	if err != nil {
		return Outcome{Err: err}
	}
	o := s.eval(p)
	if o.Val != nil && o.Val.Type().TypeName() != want.TypeName() {
		return Outcome{Err: fmt.Errorf("expression gives %s, expected %s", o.Val.Type().TypeName(), want)}
	}
	return o
}

// Get returns the program of an expression with the wanted result type, bool or string.
func (x *Programs) Get(src string, want *types.Type) (cel.Program, error) {
	key := programKey{src, want.TypeName()}
	if c, ok := x.done[key]; ok {
		return c.program, c.err
	}
	var c planned
	if data, ok := x.Encoded[src]; ok {
		c.program, c.err = planEncoded(data)
	} else {
		c.program, c.err = compileExpr(src, want)
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

// EncodeExpr parses an expression and resolves its identifiers, as a check would, so that the planner finds
// variables at once. The result is CEL's checked expression (protobuf).
func EncodeExpr(src string) ([]byte, error) {
	ast, err := parseExpr(src)
	if err != nil {
		return nil, err
	}
	references := map[int64]*celast.ReferenceInfo{}
	celast.PreOrderVisit(ast.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() == celast.IdentKind && e.AsIdent() != "sets" { // the name of a library
			references[e.ID()] = celast.NewIdentReference(e.AsIdent(), nil)
		}
	}))
	checked, err := celast.ToProto(celast.NewCheckedAST(ast, nil, references))
	if err != nil {
		return nil, err
	}
	checked.SourceInfo = nil
	return proto.MarshalOptions{Deterministic: true}.Marshal(checked)
}

// planEncoded plans an expression that EncodeExpr made.
func planEncoded(data []byte) (cel.Program, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	var checked exprpb.CheckedExpr
	if err := proto.Unmarshal(data, &checked); err != nil {
		return nil, err
	}
	ast, err := celast.ToAST(&checked)
	if err != nil {
		return nil, err
	}
	return env.PlanProgram(ast)
}

// compileExpr checks an expression against the fact schema and plans it.
func compileExpr(src string, want *types.Type) (cel.Program, error) {
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
