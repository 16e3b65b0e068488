package facts

import (
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
)

// ParseExpr parses an expression and expands its macros; it does not type-check it.
func ParseExpr(src string) (*celast.AST, error) {
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

// PlanExpr plans an expression that was parsed and checked before.
func PlanExpr(ast *celast.AST) (cel.Program, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	return env.PlanProgram(ast)
}

// Programs compiles expressions, each once. It is not safe for concurrent use.
type Programs struct {
	// Ahead plans an expression that was parsed ahead of time; ok is false if there is none. It may be nil.
	Ahead func(src string) (p cel.Program, ok bool, err error)
	done  map[programKey]compiled
}

type programKey struct{ src, want string }

type compiled struct {
	program cel.Program
	err     error
}

// Get returns the program of an expression with the wanted result type.
func (x *Programs) Get(src string, want *types.Type) (cel.Program, error) {
	key := programKey{src, want.TypeName()}
	if c, ok := x.done[key]; ok {
		return c.program, c.err
	}
	if x.done == nil {
		x.done = map[programKey]compiled{}
	}
	p, err := x.plan(src, want)
	x.done[key] = compiled{p, err}
	return p, err
}

func (x *Programs) plan(src string, want *types.Type) (cel.Program, error) {
	if x.Ahead != nil {
		if p, ok, err := x.Ahead(src); ok {
			return p, err
		}
	}
	return CompileExpr(src, want)
}

// CompileExpr checks an expression against the fact schema and plans it. The wanted type is bool or string.
func CompileExpr(src string, want *types.Type) (cel.Program, error) {
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
