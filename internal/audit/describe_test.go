package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
)

// Every built-in rule that can fail shows how, in its own words.
func TestEveryRuleHasAnExample(t *testing.T) {
	packs, err := builtinPacks()
	require.NoError(t, err)
	count := 0
	for _, r := range rulepack.Describe(packs) {
		f, name := audit.Example(r)
		if r.Cases.Fail == 0 && f == nil {
			continue
		}
		require.NotNil(t, f, r.ID)
		assert.NotEmpty(t, name, r.ID)
		assert.Equal(t, r.ID, f.Rule)
		assert.NotEmpty(t, f.Why, r.ID)
		if f.Result == verdict.Fail {
			assert.NotEmpty(t, f.Found, r.ID)
			assert.NotEmpty(t, f.Expected, r.ID)
			assert.Positive(t, f.Severity.Rank(), r.ID)
		}
		count++
	}
	assert.Greater(t, count, 30)
}

// TestExampleOfARule checks that the first failing case explains a rule, or the first passing one if the rule
// explains it, with subjects named as in an audit, and without texts that cannot be computed.
func TestExampleOfARule(t *testing.T) {
	example := func(lines string) (*verdict.Finding, string) {
		pack, faults := rulepack.ParsePack("a.yaml", []byte("rules:\n  - id: a.b.c\n    title: t\n    why: w\n    uncited: true\n"+lines))
		require.Empty(t, faults)
		return audit.Example(rulepack.Describe([]*rulepack.Pack{pack})[0])
	}
	const cases = "    cases:\n      - {name: good, expect: pass, facts: {machine: {processors: 2}}}\n      - {name: bad, expect: fail, facts: {machine: {processors: 1, vendor: HPE ProLiant}}}\n      - {name: worse, expect: fail, facts: {machine: {processors: 0}}}\n"
	const check = "    check: machine.processors > 1\n"
	f, name := example(check + "    severity: info\n    found: text(machine.processors)\n    remedy: '\"in general\"'\n    remedies: {HPE: '\"HPE says\"'}\n" + cases)
	require.NotNil(t, f)
	assert.Equal(t, []any{"bad", verdict.Fail, "machine", verdict.Info, "1", "", "HPE says", false}, []any{name, f.Result, f.Subject.String(), f.Severity, string(f.Found), string(f.Expected), string(f.Remedy), f.Explains})
	assert.Nil(t, f.Effect)
	f, name = example(check + "    explains: true\n    severity: info\n    found: text(machine.processors)\n" + cases)
	require.NotNil(t, f)
	assert.Equal(t, []any{"good", verdict.Pass, "2", true}, []any{name, f.Result, string(f.Found), f.Explains})
	f, name = example(check + "    severity: info\n    cases: []\n")
	assert.Nil(t, f)
	assert.Empty(t, name)
	f, _ = audit.Example(rulepack.RuleInfo{})
	assert.Nil(t, f, "loaded without its cases")
	f, _ = example(check + "    severity: info\n    cases: [{name: x, expect: fail, facts: {nothing: {}}}]\n")
	assert.Nil(t, f, "facts that there are not")

	// The case's severity, or else the usual one.
	for severity, want := range map[string]verdict.Severity{"critical": verdict.Critical, `'machine.processors == 1 ? "critical" : "info"'`: verdict.Critical, `'machine.processors == 1 ? "info" : "warning"'`: verdict.Info,
		`'machine.numa ? "critical" : "warning"'`: verdict.Warning, `'machine.processors == 1 ? "grave" : "warning"'`: verdict.Warning} {
		f, _ = example(check + "    severity: " + severity + "\n" + cases)
		require.NotNil(t, f)
		assert.Equal(t, want, f.Severity, severity)
	}
	for effect, want := range map[string]*verdict.Effect{
		"{text: ten}": {Text: "ten"}, "{expr: text(machine.processors), source: S}": {Text: "1", Source: "S"}, `{expr: '""'}`: nil,
		`{text: ten, source: S, source_expr: '"computed"'}`: {Text: "ten", Source: "computed"}, "{expr: text(1 / (machine.processors - 1))}": nil,
	} {
		f, _ = example(check + "    severity: info\n    effect: " + effect + "\n" + cases)
		require.NotNil(t, f)
		assert.Equal(t, want, f.Effect, effect)
	}
	for subject, want := range map[string][2]string{"socket": {"socket 3", "socket 0"}, "node": {"node 3", "node 0"}, "slot": {"slot 0x1100 (B2)", "slot 0x1100 (DIMM_A1)"}, "setting": {"machine", "machine"}} {
		for i, stated := range []string{map[string]string{"socket": "socket: {id: 3}", "node": "node: {id: 3}", "slot": "slot: {locator: B2}", "setting": ""}[subject], ""} {
			f, _ = example("    check: machine.processors > 1\n    subject: " + subject + "\n    severity: info\n    cases: [{name: x, expect: fail, facts: {" + stated + "}}]\n")
			require.NotNil(t, f)
			assert.Equal(t, want[i], f.Subject.String(), "%s %s", subject, stated)
		}
	}
}
