//go:build mutate

package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
)

// rasCost begins the check of two rules, inEffect goes on in one.
const rasCost = `memory.ras.cost check: !(has(settings.memory_ras_mode) && settings.memory_ras_mode in ["mirror_full", "mirror_partial", "spare", "lockstep"]`

const inEffect = ` && !(settings.memory_ras_mode == "mirror_full" && has(memory.mirrored) && !memory.mirrored)`

// equivalent are changes that alter no result, with the reason.
var equivalent = map[string]string{
	"memory.count.supported check: socket.dimms % 2 == 0 && socket.dimms >= 3":                                                                                "an even number of at least 3 is one of at least 4",
	"memory.count.supported check: socket.dimms % 4 == 0 && socket.dimms >= 3 && socket.controllers.all(c, c.dimms * 2 == socket.dimms)":                      "a multiple of 4 of at least 3 is one of at least 4",
	"memory.count.supported check: socket.dimms % 4 == 0 && socket.dimms >= 4 && socket.controllers.exists(c, c.dimms * 2 == socket.dimms)":                   "of two controllers that share the DIMMs both hold half when one does",
	rasCost + `) && ((true && !has(memory.mirrored) && settings.memory_ras_mode == "independent") || !memory.mirrored)`:                                       "a mode that is not known leaves the verdict unknown, asked for or not",
	rasCost + inEffect + `) && ((true && !has(memory.mirrored) && settings.memory_ras_mode in ["independent", "advanced_ecc", "adddc"]) || !memory.mirrored)`: "a mode that is not known leaves the verdict unknown, asked for or not",
	"measure.bandwidth.reported check: measured.read_share > -1.0":                                                                                            "a share is above 0",
	"measure.bandwidth.reported check: measured.read_share >= 0.0":                                                                                            "a share is above 0",
	`measure.channels.expected check: [[1.57, 1.0, 0.94]].exists(latency, measurement.latency_times >= 0.9 * latency[measurement.channels / 2] / latency[measurement.accepted_channels / 2]` +
		` && measurement.latency_times <= 1.1 * latency[measurement.channels / 2] / latency[measurement.accepted_channels / 2])`: "a list of one",
	`memory.interleave.controllers check: socket.controllers.size() > 1 && socket.controllers.all(c, c.size_bytes == socket.controllers[1].size_bytes)` +
		` && !(has(settings.controller_interleave) && settings.controller_interleave == "none")`: "all are equal to the second when they are to the first",
}

// mutation counts changes and those that no test detected.
type mutation struct {
	made      map[string]int
	survivors []string
	explained map[string]bool
}

func (m *mutation) count(kind, what string, noticed bool) {
	if m.made == nil {
		m.made, m.explained = map[string]int{}, map[string]bool{}
	}
	m.made[kind]++
	switch {
	case noticed:
	case equivalent[what] != "":
		m.explained[what] = true
	default:
		m.survivors = append(m.survivors, what)
	}
}

// TestMutation changes one thing of the rules at a time: an operator, number, word or quantifier of a check, an applies or
// a severity. A case of the rule must notice it.
func TestMutation(t *testing.T) {
	packs := builtinPacks(t)
	var m mutation
	for _, p := range packs {
		for _, r := range p.Rules {
			m.rule(p.File, r)
		}
	}
	kinds := make([]string, 0, len(m.made))
	total := 0
	for kind, n := range m.made {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, n))
		total += n
	}
	slices.Sort(kinds)
	t.Logf("%d changes (%s), %d equivalent, %d not noticed", total, strings.Join(kinds, ", "), len(equivalent), len(m.survivors))
	slices.Sort(m.survivors)
	for _, s := range m.survivors {
		t.Error("not noticed: " + s)
	}
	for what := range equivalent {
		assert.True(t, m.explained[what], "noticed or not made any more: %s", what)
	}
	assert.Greater(t, total, 1500)
}

// rule changes one rule.
func (m *mutation) rule(file string, r *rulepack.Rule) {
	m.expression(r, "check", r.Check, types.BoolType, func(c *rulepack.Rule, src string) { c.Check = src })
	m.expression(r, "applies", r.Applies, types.BoolType, func(c *rulepack.Rule, src string) { c.Applies = src })
	if verdict.Severity(r.Severity).Rank() == 0 {
		m.expression(r, "severity", r.Severity, types.StringType, func(c *rulepack.Rule, src string) { c.Severity = src })
		return
	}
	for _, s := range []string{"info", "warning", "critical"} {
		if s != r.Severity && !r.Explains {
			c := *r
			c.Severity = s
			m.count("rule severity", fmt.Sprintf("%s: %s severity: %s", file, r.ID, s), noticed(&c))
		}
	}
}

func (m *mutation) expression(r *rulepack.Rule, part, src string, want *types.Type, set func(*rulepack.Rule, string)) {
	for _, mutant := range mutants(src, want) {
		if _, err := new(facts.Programs).Get(mutant, want); err != nil {
			continue
		}
		c := *r
		set(&c, mutant)
		what := r.ID + " " + part + ": " + mutant
		m.count("rule "+part, what, noticed(&c))
	}
}

// noticed reports whether a case of the rule complains.
func noticed(r *rulepack.Rule) bool {
	var runner rulepack.Runner
	for i := range r.Cases {
		if runner.Run(r, &r.Cases[i]) != "" {
			return true
		}
	}
	return false
}

var mutable = regexp.MustCompile(`"[^"]*"|&&|\|\||>=|<=|==|!=|[<>]|!|\b\d+\b|\b(?:all|exists)\b| [-+*/%] |has\([^()]*\)`)

// mutants returns all single changes of an expression; a condition without any is negated.
func mutants(src string, want *types.Type) []string {
	other := map[string][]string{"&&": {"||"}, "||": {"&&"}, ">=": {">", "<"}, "<=": {"<", ">"}, ">": {">=", "<"}, "<": {"<=", ">"},
		"==": {"!="}, "!=": {"=="}, "!": {""}, "all": {"exists"}, "exists": {"all"}, " - ": {" + "}, " + ": {" - "}, " * ": {" / "}, " / ": {" * "}, " % ": {" * "}}
	var out []string
	for _, at := range mutable.FindAllStringIndex(src, -1) {
		token := src[at[0]:at[1]]
		replacements := other[token]
		if n, err := strconv.Atoi(token); err == nil {
			replacements = []string{strconv.Itoa(n + 1), strconv.Itoa(n - 1)}
		} else if token[0] == '"' {
			replacements = []string{`"another word"`}
		} else if strings.HasPrefix(token, "has(") {
			replacements = []string{"true", "false"}
		}
		for _, r := range replacements {
			out = append(out, fmt.Sprint(src[:at[0]], r, src[at[1]:]))
		}
	}
	if src != "" && want == types.BoolType {
		out = append(out, "!("+src+")")
	}
	return out
}
