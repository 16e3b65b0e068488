package rulepack

import (
	"slices"
	"strings"

	celast "cel.dev/cel-go/common/ast"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/verdict"
)

// measure sets the shape. An expression that does not parse leaves it empty: Validate reports it, and an
// invalid rule is never used.
func (r *Rule) measure() {
	r.Shape = Shape{Usual: verdict.Warning}
	visitExpression(r.Applies, func(e celast.Expr) {
		switch e.Kind() { //nolint:exhaustive // other kinds have no name
		case celast.IdentKind:
			r.Shape.Variables = append(r.Shape.Variables, e.AsIdent())
		case celast.SelectKind:
			if s := e.AsSelect(); s.Operand().Kind() == celast.IdentKind {
				r.Shape.Paths = append(r.Shape.Paths, s.Operand().AsIdent()+"."+s.FieldName())
			}
		}
	})
	if s := verdict.Severity(r.Severity); s.Rank() > 0 {
		r.Shape.Usual = s
		return
	}
	for _, text := range literals(r.Severity) {
		if s := verdict.Severity(text); s.Rank() > 0 {
			r.Shape.Usual = s
		}
	}
}

// literals lists the string literals of an expression, in order.
func literals(src string) []string {
	var out []string
	visitExpression(src, func(e celast.Expr) {
		if e.Kind() != celast.LiteralKind {
			return
		}
		if text, ok := e.AsLiteral().Value().(string); ok {
			out = append(out, text)
		}
	})
	return out
}

// visitExpression walks an expression in source order.
func visitExpression(src string, see func(celast.Expr)) {
	if src == "" {
		return
	}
	parsed, err := facts.ParseExpr(src)
	if err != nil {
		return
	}
	celast.PreOrderVisit(parsed.Expr(), celast.NewExprVisitor(see))
}

// Regards reports whether the rule's condition depends on a variable: with the subject's it differs from
// subject to subject.
func (r *Rule) Regards(variable string) bool { return slices.Contains(r.Shape.Variables, variable) }

// identifying are the facts by which a condition selects machines.
var identifying = [...]string{"platform.", "processor.", "machine.product", "machine.vendor"}

// narrowness ranks rules of one id: named platforms, vendors and products first, then the facts used in
// applies, then a site's own.
func (r *Rule) narrowness() int {
	n := r.For.Width() * 100
	for _, path := range r.Shape.Paths {
		for _, beginning := range identifying {
			if strings.HasPrefix(path, beginning) {
				n += 10
			}
		}
	}
	if r.Applies != "" {
		n += 2
	}
	if r.pack != nil && r.pack.Site {
		n++
	}
	return n
}
