package rulepack

import (
	"slices"
	"strings"

	celast "cel.dev/cel-go/common/ast"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/verdict"
)

// identifying are the facts by which a condition selects machines.
var identifying = [...]string{"platform.", "processor.", "machine.product", "machine.vendor"}

// measure sets what the engine needs to know of the expressions without evaluating them. Those that do not parse
// are left out: Validate reports them, and an invalid rule is never used.
func (r *Rule) measure() {
	r.Usual, r.Narrowness = verdict.Warning, r.For.Width()*100
	if r.Applies != "" {
		r.Narrowness += 2
	}
	_ = facts.VisitExpr(r.Applies, func(e celast.Expr) {
		switch e.Kind() { //nolint:exhaustive // other kinds have no name
		case celast.IdentKind:
			r.PerSubject = r.PerSubject || e.AsIdent() == r.Subject && r.Subject != facts.SubjectMachine
		case celast.SelectKind:
			if s := e.AsSelect(); s.Operand().Kind() == celast.IdentKind {
				path := s.Operand().AsIdent() + "." + s.FieldName()
				if slices.ContainsFunc(identifying[:], func(beginning string) bool { return strings.HasPrefix(path, beginning) }) {
					r.Narrowness += 10
				}
			}
		}
	})
	if s := verdict.Severity(r.Severity); s.Rank() > 0 {
		r.Usual = s
		return
	}
	_ = facts.VisitExpr(r.Severity, func(e celast.Expr) {
		if e.Kind() == celast.LiteralKind {
			if text, ok := e.AsLiteral().Value().(string); ok && verdict.Severity(text).Rank() > 0 {
				r.Usual = verdict.Severity(text)
			}
		}
	})
}
