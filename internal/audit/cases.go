package audit

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"
)

// caseRunner evaluates the cases of a pack: it compiles every expression once
// and counts what the evaluations cost.
type caseRunner struct {
	programs Programs
	spent    uint64
}

// baseCost is what a case costs beside its expressions: its facts.
const baseCost = 500

// run evaluates one case of a rule and returns what the case complains about,
// "" when it holds.
func (x *caseRunner) run(r *Rule, c *Case) (complaint string) {
	s, err := c.Scope()
	if err != nil {
		return err.Error()
	}
	defer func() { x.spent += s.cost() + baseCost }()
	got, o, err := x.result(r, s)
	switch {
	case err != nil:
		return err.Error()
	case string(got) != c.Expect:
		return fmt.Sprintf("gives %s%s, expected %s", got, missingText(o), c.Expect)
	case c.Missing != "" && !slices.Contains(o.missing, c.Missing):
		return fmt.Sprintf("is unknown for lack of %s, expected %s", strings.Join(o.missing, ", "), c.Missing)
	case got == Fail:
		return x.texts(r, s, c)
	}
	return ""
}

func missingText(o outcome) string {
	if len(o.missing) == 0 {
		return ""
	}
	return " for lack of " + strings.Join(o.missing, ", ")
}

// result evaluates applies and check in a case's scope.
func (x *caseRunner) result(r *Rule, s *scope) (Result, outcome, error) {
	if r.Applies != "" {
		p, err := x.programs.Get(r.Applies, types.BoolType)
		if err != nil {
			return "", outcome{}, fmt.Errorf("applies: %w", err)
		}
		applies, o := s.evalBool(p)
		switch {
		case o.err != nil:
			return Error, o, fmt.Errorf("applies: %w", o.err)
		case o.val == nil:
			return Unknown, o, nil
		case !applies:
			return NotApplicable, o, nil
		}
	}
	p, err := x.programs.Get(r.Check, types.BoolType)
	if err != nil {
		return "", outcome{}, fmt.Errorf("check: %w", err)
	}
	holds, o := s.evalBool(p)
	switch {
	case o.err != nil:
		return Error, o, fmt.Errorf("check: %w", o.err)
	case o.val == nil:
		return Unknown, o, nil
	case holds:
		return Pass, o, nil
	default:
		return Fail, o, nil
	}
}

// texts evaluates the texts of a failing case: none may break or come out
// empty, and the severity must be the one the case names.
func (x *caseRunner) texts(r *Rule, s *scope, c *Case) string {
	for _, t := range []struct{ name, src string }{{"found", r.Found}, {"expected", r.Expected}, {"remedy", r.Remedy}} {
		if t.src == "" {
			continue
		}
		p, err := x.programs.Get(t.src, types.StringType)
		if err == nil {
			var text string
			if text, err = s.evalText(p); err == nil && text == "" {
				return t.name + " comes out empty"
			}
		}
		if err != nil {
			return t.name + ": " + err.Error()
		}
	}
	if r.Effect != nil && r.Effect.Expr != "" { // may come out empty: nothing to say
		p, err := x.programs.Get(r.Effect.Expr, types.StringType)
		if err == nil {
			_, err = s.evalText(p)
		}
		if err != nil {
			return "effect: " + err.Error()
		}
	}
	severity := r.Severity
	if Severity(severity).Rank() == 0 {
		p, err := x.programs.Get(severity, types.StringType)
		if err != nil {
			return "severity: " + err.Error()
		}
		if severity, err = s.evalText(p); err != nil {
			return "severity: " + err.Error()
		}
		if Severity(severity).Rank() == 0 && severity != notKnown {
			return "severity gives " + severity + ", expected info, warning or critical"
		}
	}
	if c.Severity != "" && c.Severity != severity {
		return "fails as " + severity + ", expected " + c.Severity
	}
	return ""
}
