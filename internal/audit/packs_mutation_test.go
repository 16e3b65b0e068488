package audit

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/rules"
)

// equivalent are changes that alter no verdict, with the reason.
var equivalent = map[string]string{
	"memory.count.supported check: socket.dimms % 2 == 0 && socket.dimms >= 3":                                                              "an even number of at least 3 is one of at least 4",
	"memory.count.supported check: socket.dimms % 4 == 0 && socket.dimms >= 3 && socket.controllers.all(c, c.dimms * 2 == socket.dimms)":    "a multiple of 4 of at least 3 is one of at least 4",
	"memory.count.supported check: socket.dimms % 4 == 0 && socket.dimms >= 4 && socket.controllers.exists(c, c.dimms * 2 == socket.dimms)": "of two controllers that share the DIMMs both hold half when one does",
	`memory.interleave.controllers check: socket.controllers.size() > 1 && socket.controllers.all(c, c.size_bytes == socket.controllers[1].size_bytes)` +
		` && !(has(settings.controller_interleave) && settings.controller_interleave == "none")`: "all are equal to the second when they are to the first",
}

// TestCasesPinEveryCondition changes one operator, number, word or quantifier
// of a rule at a time; at least one of the rule's own cases must notice.
func TestCasesPinEveryCondition(t *testing.T) {
	packs, err := LoadBuiltin(rules.FS)
	require.NoError(t, err)
	changed := 0
	for _, p := range packs {
		for _, r := range p.Rules {
			changed += pinned(t, r, "check", r.Check, types.BoolType, func(c *Rule, src string) { c.Check = src })
			changed += pinned(t, r, "applies", r.Applies, types.BoolType, func(c *Rule, src string) { c.Applies = src })
			if Severity(r.Severity).Rank() == 0 {
				changed += pinned(t, r, "severity", r.Severity, types.StringType, func(c *Rule, src string) { c.Severity = src })
			}
		}
	}
	assert.Greater(t, changed, 400)
}

// pinned counts the changes of one expression and complains about those that
// no case of the rule notices.
func pinned(t *testing.T, r *Rule, part, src string, want *types.Type, set func(*Rule, string)) int {
	t.Helper()
	n := 0
	for _, mutant := range mutants(src) {
		if _, err := compile(mutant, want); err != nil {
			continue
		}
		n++
		c := *r
		set(&c, mutant)
		noticed := equivalent[r.ID+" "+part+": "+mutant] != ""
		for i := range r.Cases {
			noticed = noticed || c.runCase(&r.Cases[i]) != ""
		}
		assert.True(t, noticed, "%s: no case of %s notices the %s %s", r.pack.File, r.ID, part, mutant)
	}
	return n
}

var mutable = regexp.MustCompile(`&&|\|\||>=|<=|==|!=|[<>]|!|\b\d+\b|\b(?:all|exists)\b|"[^"]*"`)

// mutants are all single changes of an expression.
func mutants(src string) []string {
	other := map[string][]string{"&&": {"||"}, "||": {"&&"}, ">=": {">", "<"}, "<=": {"<", ">"}, ">": {">=", "<"}, "<": {"<=", ">"},
		"==": {"!="}, "!=": {"=="}, "!": {""}, "all": {"exists"}, "exists": {"all"}}
	var out []string
	for _, at := range mutable.FindAllStringIndex(src, -1) {
		token := src[at[0]:at[1]]
		replacements := other[token]
		if n, err := strconv.Atoi(token); err == nil {
			replacements = []string{strconv.Itoa(n + 1), strconv.Itoa(n - 1)}
		} else if token[0] == '"' {
			replacements = []string{`"another word"`}
		}
		for _, r := range replacements {
			out = append(out, fmt.Sprint(src[:at[0]], r, src[at[1]:]))
		}
	}
	return out
}
