package audit

import (
	"cel.dev/cel-go/common/types"
	"go.yaml.in/yaml/v3"
)

// Example is what the rule says in the first of its own cases that fails, and
// the case's name; for a rule that only explains, in the first that passes. It
// is nil for a rule without such a case or loaded without its cases.
func (i RuleInfo) Example() (f *Finding, name string) {
	if i.rule == nil {
		return nil, ""
	}
	want := Fail
	if i.rule.Explains {
		want = Pass
	}
	for n := range i.rule.Cases {
		if c := &i.rule.Cases[n]; c.Expect == string(want) {
			return i.rule.example(c, want), c.Name
		}
	}
	return nil, ""
}

// example evaluates the texts of a rule in one of its cases.
func (r *Rule) example(c *Case, result Result) *Finding {
	s, err := caseScope(&c.Facts)
	if err != nil {
		return nil
	}
	x := &caseRunner{}
	say := func(src string) string {
		if src == "" {
			return ""
		}
		p, err := x.compile(src, types.StringType)
		if err != nil {
			return ""
		}
		text, err := s.evalText(p)
		if err != nil {
			return ""
		}
		return text
	}
	f := r.finding(exampleSubject(r.Subject, &c.Facts))
	f.Result, f.Explains = result, r.Explains
	f.Found, f.Expected = say(r.Found), say(r.Expected)
	f.Remedy = say(r.remedyFor(caseFact(&c.Facts, "machine", "vendor")))
	if word := Severity(say(r.Severity)); Severity(r.Severity).Rank() == 0 && word.Rank() > 0 {
		f.Severity = word
	}
	if e := r.Effect; e != nil {
		if text := e.Text + say(e.Expr); text != "" {
			f.Effect = e.effect(text, r.Citation)
		}
	}
	return &f
}

// exampleSubject names the thing that a case is about as an audit would.
func exampleSubject(kind string, facts *yaml.Node) string {
	named := func(field, other string) string {
		if v := caseFact(facts, kind, field); v != "" {
			return v
		}
		return other
	}
	switch kind {
	case "socket":
		return "socket " + named("id", "0")
	case "node":
		return "node " + named("id", "0")
	case "slot":
		return "slot 0x1100 (" + named("locator", "DIMM_A1") + ")"
	default:
		return SubjectMachine
	}
}

// caseFact is the plain value of one fact of a case, "" where it states none.
func caseFact(facts *yaml.Node, variable, field string) string {
	for _, v := range entries(facts, 0) {
		if v.key.Value != variable {
			continue
		}
		for _, e := range entries(v.value, 0) {
			if e.key.Value == field && e.value.Kind == yaml.ScalarNode && e.value.Tag != "!!null" {
				return e.value.Value
			}
		}
	}
	return ""
}
