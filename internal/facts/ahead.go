package facts

import (
	"slices"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
)

// ParseExpr parses an expression, macros expanded; it does not check it.
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

// PlanExpr plans an expression that was parsed and checked ahead of time;
// wide is what Extended said of it.
func PlanExpr(ast *celast.AST, wide bool) (cel.Program, error) {
	env, err := planner()
	if wide {
		env, err = environment()
	}
	if err != nil {
		return nil, err
	}
	return env.PlanProgram(ast, cel.EvalOptions(cel.OptPartialEval))
}

// standard are the functions of CEL's standard library that rules call by name
// beside the operators, which begin with an underscore or a sign.
var standard = [...]string{"size", "string", "int", "double", "startsWith", "endsWith", "contains", "matches",
	"gib", "text", "words", "listed", "percent"}

// Extended reports whether an expression calls a function that is neither
// standard nor one of ours.
func Extended(a *celast.AST) bool {
	found := false
	celast.PreOrderVisit(a.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() != celast.CallKind {
			return
		}
		name := e.AsCall().FunctionName()
		operator := name[0] == '_' || name[0] == '!' || name[0] == '@' || name[0] == '-'
		found = found || !operator && !slices.Contains(standard[:], name)
	}))
	return found
}
