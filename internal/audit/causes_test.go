package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
)

// chain is a cause without effect and citation, its consequence on the same socket, and the consequence of that on
// the machine.
const chain = `
rules:
  - {id: test.socket.root, title: root, subject: socket, check: socket.dimms > 2, severity: critical, why: w, uncited: true}
  - {id: test.socket.other, title: other, subject: socket, check: socket.dimms > 2, severity: info, why: w, uncited: true}
  - {id: test.socket.follows, title: f, subject: socket, check: socket.dimms > 3, severity: info, why: w, depends_on: [test.socket.root],
     effect: {text: little, conditions: always}, citation: {vendor: us, title: first}}
  - {id: test.machine.follows, title: f, check: machine.processors == 1, severity: warning, why: w, depends_on: [test.socket.follows],
     effect: {text: much, conditions: always}, citation: {vendor: us, title: second}}
  - {id: test.machine.both, title: f, check: machine.processors == 1, severity: info, why: w, uncited: true, depends_on: [test.socket.root, test.socket.other]}
`

// TestCauseCarriesEffect checks that a cause shows the cost of its worst consequence and the document for it, and
// keeps its own.
func TestCauseCarriesEffect(t *testing.T) {
	sys, topo := twoSockets()
	addDIMM(sys, topo, 1, 8)
	a := run(t, engineOf(t, chain), sys, topo, audit.Options{})
	root := findings(a, "test.socket.root")["socket 0"]
	assert.Equal(t, verdict.Fail, root.Result)
	assert.Contains(t, root.Effect.Text, "much")
	assert.Equal(t, "second", root.Citation.Title)
	between := findings(a, "test.socket.follows")["socket 0"]
	assert.Contains(t, between.Effect.Text, "little")
	assert.Equal(t, "first", between.Citation.Title)
	assert.Nil(t, findings(a, "test.socket.other")["socket 0"].Effect)
}

// TestCauseKeepsItsOwn checks that a cause with only an effect or only a document gets the other one and keeps its
// own.
func TestCauseKeepsItsOwn(t *testing.T) {
	const own = `
rules:
  - {id: test.socket.cited, title: t, subject: socket, check: socket.dimms > 2, severity: warning, why: w, citation: {vendor: us, title: the cause's}}
  - {id: test.socket.priced, title: t, subject: socket, check: socket.dimms > 2, severity: warning, why: w, uncited: true, effect: {text: dear, source: somebody}}
  - {id: test.socket.follows, title: t, subject: socket, check: socket.dimms > 2, severity: info, why: w, depends_on: [test.socket.cited, test.socket.priced],
     effect: {text: little}, citation: {vendor: us, title: what follows's}}
`
	sys, topo := twoSockets()
	addDIMM(sys, topo, 1, 8)
	a := run(t, engineOf(t, own), sys, topo, audit.Options{})
	for rule, want := range map[string][2]string{"test.socket.cited": {"little", "the cause's"}, "test.socket.priced": {"dear", "what follows's"}, "test.socket.follows": {"little", "what follows's"}} {
		f := findings(a, rule)["socket 0"]
		if assert.NotNil(t, f.Effect, rule) && assert.NotNil(t, f.Citation, rule) {
			assert.Equal(t, want, [2]string{f.Effect.Text, f.Citation.Title}, rule)
		}
	}
}

// TestEffectOfWorstConsequence checks that the worst of several consequences gives the cause its effect, in whatever
// order they are found, and the first of two equally bad ones.
func TestEffectOfWorstConsequence(t *testing.T) {
	const several = `
rules:
  - {id: test.machine.root, title: r, check: machine.processors == 1, severity: info, why: w, uncited: true}
  - {id: test.machine.a, title: t, check: machine.processors == 1, severity: info, why: w, depends_on: [test.machine.root], effect: {text: little}, citation: {vendor: us, title: t}}
  - {id: test.machine.b, title: t, check: machine.processors == 1, severity: warning, why: w, depends_on: [test.machine.root], effect: {text: more}, citation: {vendor: us, title: t}}
  - {id: test.machine.c, title: t, check: machine.processors == 1, severity: SEVERITY, why: w, depends_on: [test.machine.root], effect: {text: most}, citation: {vendor: us, title: t}}
  - {id: test.machine.d, title: t, check: machine.processors == 1, severity: SEVERITY, why: w, depends_on: [test.machine.root], effect: {text: as much}, citation: {vendor: us, title: t}}
`
	for severity, want := range map[string]string{"critical": "most", "warning": "more", "info": "more"} {
		sys, topo := twoSockets()
		a := run(t, engineOf(t, strings.ReplaceAll(several, "SEVERITY", severity)), sys, topo, audit.Options{})
		assert.Equal(t, want, findings(a, "test.machine.root")["machine"].Effect.Text, severity)
	}
}

// TestWaivedCause checks that consequences of waived causes only are waived with them over any number of steps, with
// the reason, and that one with another cause counts.
func TestWaivedCause(t *testing.T) {
	sys, topo := twoSockets()
	addDIMM(sys, topo, 1, 8)
	options := audit.Options{Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Waivers: []audit.WaiverSpec{
		{Rule: "test.socket.root", Subject: "socket 0", Reason: "half is enough", Until: "2026-12-31"}}}
	a := run(t, engineOf(t, chain), sys, topo, options)
	child := findings(a, "test.socket.follows")
	assert.Equal(t, verdict.Waived, child["socket 0"].Result)
	assert.Equal(t, verdict.Waiver{Reason: "follows from test.socket.root, which is accepted: half is enough", Until: "2026-12-31"}, *child["socket 0"].Waiver)
	assert.Equal(t, verdict.Fail, child["socket 1"].Result, "its own cause stays")
	assert.Equal(t, verdict.Fail, findings(a, "test.machine.follows")["machine"].Result)

	options.Waivers[0].Subject = ""
	a = run(t, engineOf(t, chain), sys, topo, options)
	assert.Equal(t, verdict.Waived, findings(a, "test.socket.follows")["socket 1"].Result)
	assert.Equal(t, verdict.Waived, findings(a, "test.machine.follows")["machine"].Result)
	assert.Equal(t, "follows from test.socket.root, which is accepted: half is enough", findings(a, "test.machine.follows")["machine"].Waiver.Reason)
	assert.Equal(t, verdict.Fail, findings(a, "test.machine.both")["machine"].Result, "another cause stays")
	assert.Equal(t, verdict.Fail, findings(a, "test.socket.other")["socket 0"].Result)
	assert.Equal(t, 3, a.Summary.Fail, "both sockets' other cause, and what follows from it")

	options.Now = options.Now.AddDate(1, 0, 2) // the waiver has ended
	a = run(t, engineOf(t, chain), sys, topo, options)
	assert.Zero(t, a.Summary.Waived)
}

// TestCausedBy checks that a finding names the failure it follows from, of the same subject, of the processor it
// belongs to, or of any part of the machine.
func TestCausedBy(t *testing.T) {
	const root = `
rules:
  - {id: test.socket.root, title: root, subject: socket, check: socket.dimms > 0, severity: critical, why: w, uncited: true}
  - {id: test.socket.follows, title: f, subject: socket, check: socket.dimms > 1, severity: info, why: w, uncited: true, depends_on: [test.socket.other, test.socket.root]}
  - {id: test.socket.open, title: f, subject: socket, check: socket.bytes > 1, severity: info, why: w, uncited: true, depends_on: [test.socket.root]}
  - {id: test.node.follows, title: f, subject: node, check: node.has_memory, severity: info, why: w, uncited: true, depends_on: [test.socket.root]}
  - {id: test.slot.follows, title: f, subject: slot, check: slot.size_bytes > 1099511627776, severity: info, why: w, uncited: true, depends_on: [test.socket.root]}
  - {id: test.machine.follows, title: f, check: memory.symmetric, severity: info, why: w, uncited: true, depends_on: [test.socket.root]}
  - {id: test.machine.passes, title: f, check: machine.processors == 2, severity: info, why: w, uncited: true, depends_on: [test.socket.root]}
`
	sys, topo := twoSockets()
	addDIMM(sys, topo, 1, 8)
	topo.Symmetric = direct(false)
	for id := range 2 {
		sys.Nodes = append(sys.Nodes, inventory.Node{ID: id, Socket: direct(id), HasCPU: direct(true), HasMemory: direct(false)})
	}
	a := run(t, engineOf(t, root), sys, topo, audit.Options{})
	got := map[string]string{}
	for _, f := range a.Findings {
		got[f.Rule+" "+f.Subject.String()] = string(f.Result) + " " + string(f.CausedBy)
	}
	assert.Equal(t, map[string]string{
		"test.socket.root socket 0":               "fail ",
		"test.socket.root socket 1":               "pass ",
		"test.socket.follows socket 0":            "fail test.socket.root",
		"test.socket.follows socket 1":            "fail ", // its own root passed
		"test.socket.open socket 0":               "unknown test.socket.root",
		"test.socket.open socket 1":               "unknown ",
		"test.node.follows node 0":                "fail test.socket.root",
		"test.node.follows node 1":                "fail ",
		"test.slot.follows slot 0x1100 (DIMM_B0)": "fail ",
		"test.machine.follows machine":            "fail test.socket.root",
		"test.machine.passes machine":             "pass ",
	}, got)
}

// TestBrokenTextKeepsVerdict checks that an error in a computed text is printed in its place, and that result and
// severity stay.
func TestBrokenTextKeepsVerdict(t *testing.T) {
	const broken = `
rules:
  - {id: test.machine.text, title: t, check: machine.processors == 1, severity: warning, found: '{{gib .machine.vendor}}', expected: one, why: w, uncited: true}
  - {id: test.machine.fact, title: t, check: machine.processors == 1, severity: warning, found: '{{.machine.nothing}}', why: w, uncited: true}
  - {id: test.machine.check, title: t, check: '[1][machine.processors] == 1', severity: warning, why: w, uncited: true}
`
	sys, topo := twoSockets()
	a := run(t, engineOf(t, broken), sys, topo, audit.Options{})
	f := findings(a, "test.machine.text")["machine"]
	assert.Equal(t, verdict.Fail, f.Result)
	assert.Equal(t, verdict.Warning, f.Severity)
	assert.Contains(t, f.Found, "text of the rule is broken")
	assert.EqualValues(t, "one", f.Expected)
	assert.Contains(t, findings(a, "test.machine.fact")["machine"].Found, "text of the rule is broken: undefined field 'nothing'")
	f = findings(a, "test.machine.check")["machine"]
	assert.Equal(t, verdict.Error, f.Result)
	assert.NotEmpty(t, f.Reason)
}

// TestEmptyEffect checks that an empty effect is dropped.
func TestEmptyEffect(t *testing.T) {
	const src = `
rules:
  - id: test.machine.effect
    title: t
    check: machine.processors == 1
    severity: info
    why: w
    effect: {text: '{{if eq .machine.processors 3}}much{{end}}', conditions: always}
    citation: {vendor: us, title: a test}
`
	sys, topo := twoSockets()
	assert.Nil(t, findings(run(t, engineOf(t, src), sys, topo, audit.Options{}), "test.machine.effect")["machine"].Effect)
}

// TestSeverityNotKnown checks that a failure has the lowest severity if what decides its severity is unknown, and
// that known facts decide.
func TestSeverityNotKnown(t *testing.T) {
	const src = `
rules:
  - id: test.machine.severity
    title: t
    check: machine.processors == 1
    severity: 'settings.turbo == "enabled" ? "critical" : "warning"'
    why: w
    citation: {vendor: us, title: a test}
  - id: test.machine.decided
    title: t
    check: machine.processors == 1
    severity: 'machine.processors == 2 ? "critical" : "warning"'
    why: w
    citation: {vendor: us, title: a test}
`
	sys, topo := twoSockets()
	a := run(t, engineOf(t, src), sys, topo, audit.Options{})
	f := findings(a, "test.machine.severity")["machine"]
	assert.Equal(t, verdict.Fail, f.Result)
	assert.Equal(t, verdict.Info, f.Severity)
	assert.Equal(t, verdict.Critical, findings(a, "test.machine.decided")["machine"].Severity)
}
