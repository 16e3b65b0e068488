package formats

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
)

// told is one finding with all fields set.
func told(result verdict.Result, severity verdict.Severity) verdict.Finding {
	return verdict.Finding{Rule: "memory.speed.expected", Subject: inventory.SocketSubject(0), Result: result, Severity: severity,
		Found: "2400 MT/s", Expected: "2666 MT/s", Remedy: "set it", Why: "it costs",
		Citation: &verdict.Citation{Vendor: "Example", Title: "A Guide", Year: 2020}}
}

func junitOf(t *testing.T, r *report.Report) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, WriteJUnit(&b, r))
	return b.String()
}

// TestJUnitText checks that properties are those that are known, that a failure has a line for each text of the
// finding, and that a skipped one has its result, the reason, and what would make it known.
func TestJUnitText(t *testing.T) {
	r := &report.Report{Findings: []verdict.Finding{told("fail", "warning")}}
	r.Machine.Vendor = fact.Known("Example", fact.Direct, fact.Evidence{})
	out := junitOf(t, r)
	assert.Contains(t, out, `<property name="vendor" value="Example"/>`)
	assert.NotContains(t, out, `name="product"`)
	assert.Contains(t, out, "\">severity: warning\nfound: 2400 MT/s\nexpected: 2666 MT/s\nwhy: it costs\nfix: set it\nsource: Example, A Guide, 2020</failure>")
	for want, f := range map[string]verdict.Finding{
		"unknown: denied; known by: root":                  {Result: "unknown", Reason: "denied", KnownBy: "root"},
		"unknown: denied":                                  {Result: "unknown", Reason: "denied"},
		"unknown":                                          {Result: "unknown"},
		"waived: on order (until 2026-12-15)":              {Result: "waived", Reason: "not said", Waiver: &verdict.Waiver{Reason: "on order", Until: "2026-12-15"}},
		"waived: on order":                                 {Result: "waived", Waiver: &verdict.Waiver{Reason: "on order"}},
		"not_applicable: the machine has no second socket": {Result: "not_applicable", Reason: "the machine has no second socket"},
	} {
		assert.Contains(t, junitOf(t, &report.Report{Findings: []verdict.Finding{f}}), `<skipped message="`+want+`"/>`)
	}
}

// TestPluginText checks that the status line has the verdict, the machine and the sentence, and what could not be
// read, and that performance data count findings.
func TestPluginText(t *testing.T) {
	r := reportOf("fail:critical fail:warning fail:warning pass:critical unknown:warning")
	said := func() string {
		var b strings.Builder
		require.NoError(t, WriteNagios(&b, r))
		return b.String()
	}
	out := said()
	assert.Contains(t, out, " | critical=1;;;0 warning=2;;;0 info=0;;;0 pass=1;;;0 unknown=1;;;0 ")
	assert.Regexp(t, `^MEMAUDIT CRITICAL - fails a.rule \|`, out)
	r.Machine.Product = fact.Known("Server 1", fact.Direct, fact.Evidence{})
	r.MakeVerdict(report.Criteria{Failed: errors.New("no answer")})
	assert.Regexp(t, `^MEMAUDIT CRITICAL - Server 1: fails a.rule; not everything could be read: no answer \|`, said())
	r = reportOf("pass:critical")
	r.MakeVerdict(report.Criteria{Failed: errors.New("no answer")})
	assert.Regexp(t, `^MEMAUDIT UNKNOWN - no answer \|`, said())
	require.ErrorContains(t, WritePluginProblem(brokenWriter{}, "no tree"), "disk full")
	var b strings.Builder
	require.NoError(t, WritePluginProblem(&b, "no tree | root"))
	assert.Equal(t, "MEMAUDIT UNKNOWN - no tree / root\n", b.String())
}
