package audit

import (
	"cmp"
	"strconv"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Example returns the rule's finding in its example, and the name of that case; nil if it has none.
func Example(i rulepack.RuleInfo) (f *verdict.Finding, name string) {
	if i.Rule == nil {
		return nil, ""
	}
	r := i.Rule
	c, err := r.Example()
	if c == nil || err != nil {
		return nil, ""
	}
	s, err := c.Scope()
	if err != nil {
		return nil, ""
	}
	var programs facts.Programs
	found := startRule(r, exampleSubject(r.Subject, s))
	found.Result, found.Explains = verdict.Result(c.Expect), r.Explains
	describeFinding(&programs, s, r, s.PlainFact("machine", "vendor"), &found)
	if verdict.Severity(r.Severity).Rank() == 0 {
		if word, _ := programs.Word(s, r.Severity); verdict.Severity(word).Rank() > 0 {
			found.Severity = verdict.Severity(word)
		}
	}
	return &found, c.Name
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
