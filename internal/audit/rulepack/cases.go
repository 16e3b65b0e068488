package rulepack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/verdict"
)

// Runner evaluates the cases of a pack: it compiles every expression once and counts the cost of the
// evaluations.
type Runner struct {
	programs facts.Programs
	spent    uint64
}

// baseCost is the cost of a case's facts, without its expressions.
const baseCost = 500

// Run evaluates one case of a rule and returns what is wrong, "" if it is as expected.
func (x *Runner) Run(r *Rule, c *Case) (complaint string) {
	s, err := c.Scope()
	if err != nil {
		return err.Error()
	}
	defer func() { x.spent += s.Cost() + baseCost }()
	got, o, err := x.result(r, s)
	switch {
	case err != nil:
		return err.Error()
	case string(got) != c.Expect:
		return fmt.Sprintf("gives %s%s, expected %s", got, missingText(o), c.Expect)
	case c.Missing != "" && !slices.Contains(o.Missing, c.Missing):
		return fmt.Sprintf("is unknown for lack of %s, expected %s", strings.Join(o.Missing, ", "), c.Missing)
	case got == verdict.Fail:
		return x.texts(r, s, c)
	}
	return ""
}

func missingText(o facts.Outcome) string {
	if len(o.Missing) == 0 {
		return ""
	}
	return " for lack of " + strings.Join(o.Missing, ", ")
}

// result evaluates applies and check in a case's scope.
func (x *Runner) result(r *Rule, s *facts.Scope) (verdict.Result, facts.Outcome, error) {
	if r.Applies != "" {
		applies, o := x.programs.Bool(s, r.Applies)
		switch {
		case o.Err != nil:
			return verdict.Error, o, fmt.Errorf("applies: %w", o.Err)
		case o.Val == nil:
			return verdict.Unknown, o, nil
		case !applies:
			return verdict.NotApplicable, o, nil
		}
	}
	holds, o := x.programs.Bool(s, r.Check)
	switch {
	case o.Err != nil:
		return verdict.Error, o, fmt.Errorf("check: %w", o.Err)
	case o.Val == nil:
		return verdict.Unknown, o, nil
	case holds:
		return verdict.Pass, o, nil
	default:
		return verdict.Fail, o, nil
	}
}

// longestShort limits the short sentence of a rule: one line of a report.
const longestShort = 120

// texts evaluates the texts of a failing case: none may fail or be empty, and the severity must be the one in
// the case.
func (x *Runner) texts(r *Rule, s *facts.Scope, c *Case) string {
	for _, t := range []struct{ name, src string }{{"short", r.Short}, {"fix", r.Fix}, {"found", r.Found}, {"expected", r.Expected}, {"remedy", r.Remedy}} {
		if t.src == "" {
			continue
		}
		switch text, err := x.programs.Text(s, t.src); {
		case err != nil:
			return t.name + ": " + err.Error()
		case text == "":
			return t.name + " comes out empty"
		case t.name == "short" && len(text) > longestShort:
			return fmt.Sprintf("short comes out with %d letters, expected at most %d: %s", len(text), longestShort, text)
		}
	}
	if r.Effect != nil {
		for _, src := range []string{r.Effect.Expr, r.Effect.SourceExpr} {
			if src == "" {
				continue
			}
			if _, err := x.programs.Text(s, src); err != nil { // may be empty
				return "effect: " + err.Error()
			}
		}
	}
	severity := r.Severity
	if verdict.Severity(severity).Rank() == 0 {
		var err error
		if severity, err = x.programs.Text(s, severity); err != nil {
			return "severity: " + err.Error()
		}
		if verdict.Severity(severity).Rank() == 0 && severity != facts.NotKnown {
			return "severity gives " + severity + ", expected info, warning or critical"
		}
	}
	if c.Severity != "" && c.Severity != severity {
		return "fails as " + severity + ", expected " + c.Severity
	}
	return ""
}
