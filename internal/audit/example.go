package audit

import (
	"cmp"
	"strconv"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Example returns the rule's finding in the first of its own cases that fails, and the case's name; for a rule
// that only explains, in the first that passes. It is nil for a rule without such a case or loaded without its
// cases.
func Example(i rulepack.RuleInfo) (f *verdict.Finding, name string) {
	if i.Rule == nil {
		return nil, ""
	}
	want := verdict.Fail
	if i.Rule.Explains {
		want = verdict.Pass
	}
	for n := range i.Rule.Cases {
		if c := &i.Rule.Cases[n]; c.Expect == string(want) {
			return example(i.Rule, c, want), c.Name
		}
	}
	return nil, ""
}

func example(r *rulepack.Rule, c *rulepack.Case, result verdict.Result) *verdict.Finding {
	s, err := c.Scope()
	if err != nil {
		return nil
	}
	var programs facts.Programs
	say := func(src string) string {
		text, _ := programs.Text(s, src) // "" without a source, too
		return text
	}
	f := startRule(r, exampleSubject(r.Subject, s))
	f.Result, f.Explains = result, r.Explains
	describe(r, s.PlainFact("machine", "vendor"), &f, say)
	if word := verdict.Severity(say(r.Severity)); verdict.Severity(r.Severity).Rank() == 0 && word.Rank() > 0 {
		f.Severity = word
	}
	return &f
}

func exampleSubject(kind string, s *facts.Scope) inventory.Subject {
	id, _ := strconv.Atoi(s.PlainFact(kind, "id"))
	switch kind {
	case "socket":
		return inventory.SocketSubject(id)
	case "node":
		return inventory.NodeSubject(id)
	case "slot":
		return inventory.SlotSubject(0x1100, cmp.Or(s.PlainFact(kind, "locator"), "DIMM_A1"))
	default:
		return inventory.Subject{}
	}
}
