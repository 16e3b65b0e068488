package audit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

const criticalRule = `
rules:
  - id: test.socket.memory
    title: memory
    subject: socket
    check: socket.dimms > 0
    severity: critical
    found: '{{.socket.dimms}} DIMMs'
    why: because
    citation: {vendor: us, title: a test}
`

// TestCertaintyCapsSeverity checks that the weakest fact read limits the severity, that an unverified one is never
// above info, and that the evidence is what was read.
func TestCertaintyCapsSeverity(t *testing.T) {
	at := fact.Evidence{Source: "smbios", Path: "/sys/firmware/dmi/tables/DMI", Field: "type 17", Raw: "0"}
	for _, c := range []struct {
		name       string
		certainty  fact.Certainty
		unverified bool
		want       verdict.Severity
	}{
		{"direct", fact.Direct, false, verdict.Critical},
		{"corroborated", fact.Corroborated, false, verdict.Critical},
		{"indirect", fact.Indirect, false, verdict.Warning},
		{"unverified", fact.Direct, true, verdict.Info},
		{"indirect and unverified", fact.Indirect, true, verdict.Info},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, topo := twoSockets()
			addDIMM(sys, topo, 1, 8)
			topo.Populations[0].DIMMs = fact.Known(0, c.certainty, at)
			topo.Populations[0].DIMMs.Unverified = c.unverified
			got := findings(run(t, engineOf(t, criticalRule), sys, topo, audit.Options{}), "test.socket.memory")
			f := got["socket 0"]
			assert.Equal(t, verdict.Fail, f.Result)
			assert.Equal(t, c.want, f.Severity)
			assert.Equal(t, c.certainty, f.Certainty)
			assert.Equal(t, []fact.Evidence{at}, f.Evidence)
			assert.EqualValues(t, "0 DIMMs", f.Found)
			assert.Equal(t, verdict.Pass, got["socket 1"].Result)
		})
	}
}

// TestUnknownHasReason checks that an unknown has the reason and remedy of the missing fact and no certainty, and is
// never a pass.
func TestUnknownHasReason(t *testing.T) {
	sys, topo := twoSockets()
	addDIMM(sys, topo, 1, 8)
	topo.Populations[0].DIMMs = fact.Unknown[int](fact.Denied, "permission denied: DMI", "run as root")
	a := run(t, engineOf(t, criticalRule), sys, topo, audit.Options{})
	f := findings(a, "test.socket.memory")["socket 0"]
	assert.Equal(t, verdict.Unknown, f.Result)
	assert.EqualValues(t, "permission denied: DMI", f.Reason)
	assert.Equal(t, nullable.String(fact.Root), f.KnownBy)
	assert.Equal(t, fact.None, f.Certainty)
	assert.Equal(t, verdict.Warning, f.Severity, "one certain fact makes it critical")
	assert.Equal(t, verdict.Summary{Pass: 1, Unknown: 1}, a.Summary)
}

// TestNoSlotsIsNoEmptySocket checks that processors known only from the kernel do not have "0 DIMMs", since no slots
// were read.
func TestNoSlotsIsNoEmptySocket(t *testing.T) {
	sys, topo := twoSockets()
	sys.Firmware.SMBIOS = fact.Unknown[bool](fact.Denied, "no permission to read the SMBIOS table", "run as root")
	for subject, f := range findings(run(t, engineOf(t, criticalRule), sys, topo, audit.Options{}), "test.socket.memory") {
		assert.Equal(t, verdict.Unknown, f.Result, subject)
		assert.EqualValues(t, "no permission to read the SMBIOS table", f.Reason)
	}
}

// TestDoubtfulProcessors checks that a socket of unknown state, and one that slot labels name and the table leaves out, is
// checked and unknown, unless the kernel runs on as many processors as the table describes.
func TestDoubtfulProcessors(t *testing.T) {
	sys, topo := twoSockets()
	addDIMM(sys, topo, 0, 8)
	topo.Placements = append(topo.Placements, place.Placement{Socket: place.Unplaced, Undescribed: 3, Reason: "slot labels name processor 3"})
	results := func() map[string]verdict.Result {
		out := map[string]verdict.Result{}
		for subject, f := range findings(run(t, engineOf(t, criticalRule), sys, topo, audit.Options{}), "test.socket.memory") {
			out[subject] = f.Result
		}
		return out
	}
	topo.Populations, sys.Sockets[1].Populated = topo.Populations[:1], fact.Unknown[bool](fact.Unstated, "no status", "")
	assert.Equal(t, map[string]verdict.Result{"socket 0": verdict.Pass, "socket 1": verdict.Unknown, "socket 2": verdict.Unknown}, results())
	sys.Sockets[1].Populated = fact.Known(false, fact.Direct, fact.Evidence{})
	sys.CPU.Packages = fact.Known([]inventory.Package{{}}, fact.Direct, fact.Evidence{})
	assert.Equal(t, map[string]verdict.Result{"socket 0": verdict.Pass}, results())
}

func rule(name, scope, applies string) string {
	out := "rules:\n  - id: test.machine.speaks\n    title: " + name + "\n    check: machine.processors == 0\n    severity: info\n" +
		"    found: " + name + "\n    why: because\n    citation: {vendor: us, title: a test}\n"
	if scope != "" {
		out += "    for: " + scope + "\n"
	}
	if applies != "" {
		out += "    applies: " + applies + "\n    concerns: " + name + " machines\n"
	}
	return out
}

// TestNarrowestRuleDecides checks that of several rules with one id only the narrowest that applies is used.
func TestNarrowestRuleDecides(t *testing.T) {
	general := rule("general", "", "")
	for _, c := range []struct {
		name  string
		packs []string
		// want is the rule that decides, or a result other than fail.
		want   string
		result verdict.Result
	}{
		{"general alone", []string{general}, "general", verdict.Fail},
		{"platform before general", []string{general, rule("platform", "{platforms: [one]}", "")}, "platform", verdict.Fail},
		{"in either order", []string{rule("platform", "{platforms: [one]}", ""), general}, "platform", verdict.Fail},
		{"another platform", []string{general, rule("platform", "{platforms: [two]}", "")}, "general", verdict.Fail},
		{"vendor and platform before platform", []string{rule("platform", "{platforms: [one]}", ""),
			rule("both", "{platforms: [one], vendors: [Example]}", "")}, "both", verdict.Fail},
		{"another vendor", []string{rule("platform", "{platforms: [one]}", ""),
			rule("both", "{platforms: [one], vendors: [Other]}", "")}, "platform", verdict.Fail},
		{"product part", []string{general, rule("product", "{products: [odel 1]}", "")}, "product", verdict.Fail},
		{"narrow but not applicable", []string{general, rule("narrow", "{platforms: [one]}", "machine.processors == 1")}, "general", verdict.Fail},
		{"narrow and perhaps applicable", []string{general, rule("narrow", "{platforms: [one]}", `settings.turbo == "enabled"`)}, "general", verdict.Fail},
		{"only perhaps applicable", []string{rule("narrow", "{platforms: [one]}", `settings.turbo == "enabled"`)}, "", verdict.Unknown},
		{"none applicable", []string{rule("narrow", "", "machine.processors == 1")}, "", verdict.NotApplicable},
		{"none concerned", []string{rule("narrow", "{platforms: [two]}", "")}, "", verdict.NotApplicable},
		{"applies by platform before none", []string{general, rule("applied", "", `platform.id == "one"`)}, "applied", verdict.Fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, topo := twoSockets()
			platformOf(topo, platform.Platform{ID: "one", NUMA: true})
			a := run(t, engineOf(t, c.packs...), sys, topo, audit.Options{})
			require.Len(t, a.Findings, 1, "one entry for one rule and one subject")
			assert.Equal(t, c.result, a.Findings[0].Result, a.Findings[0].Reason)
			assert.EqualValues(t, c.want, a.Findings[0].Found)
			if c.result == verdict.NotApplicable || c.result == verdict.Unknown {
				assert.NotEmpty(t, a.Findings[0].Reason)
			}
		})
	}
}

// TestNarrowAppliesUnknownNeverHides checks a narrower rule that may apply: the broader one that certainly applies
// decides; without one the result is unknown and names the fact.
func TestNarrowAppliesUnknownNeverHides(t *testing.T) {
	sys, topo := twoSockets()
	sys.Settings["turbo"] = inventory.Setting{Effective: fact.Unknown[string](fact.Denied, "MSR not readable", "run as root")}
	a := run(t, engineOf(t, rule("narrow", "", `settings.turbo == "enabled"`)), sys, topo, audit.Options{})
	assert.Equal(t, verdict.Unknown, a.Findings[0].Result)
	assert.EqualValues(t, "MSR not readable", a.Findings[0].Reason)
	assert.Equal(t, nullable.String(fact.Root), a.Findings[0].KnownBy)
}

// TestSiteRuleBeforeBuiltin checks that a site's rule takes precedence over an equally narrow one.
func TestSiteRuleBeforeBuiltin(t *testing.T) {
	builtin, faults := rulepack.ParsePack("builtin.yaml", []byte(rule("builtin", "", "")))
	require.Empty(t, faults)
	file := filepath.Join(t.TempDir(), "site.yaml")
	require.NoError(t, os.WriteFile(file, []byte(rule("site", "", "")), 0o600))
	site, faults := rulepack.LoadPath(file)
	require.Empty(t, faults)
	sys, topo := twoSockets()
	a := run(t, audit.NewEngine([]*rulepack.Pack{builtin, site[0]}), sys, topo, audit.Options{})
	require.Len(t, a.Findings, 1)
	assert.EqualValues(t, "site", a.Findings[0].Found)
}

// TestPlatformGuessCapsItsRules checks that a rule for a platform that was guessed stays at info.
func TestPlatformGuessCapsItsRules(t *testing.T) {
	sys, topo := twoSockets()
	platformOf(topo, platform.Platform{ID: "one", NUMA: true})
	topo.Platform.Unverified = true
	addDIMM(sys, topo, 1, 8)
	src := strings.Replace(criticalRule, "    subject: socket\n", "    subject: socket\n    for: {platforms: [one]}\n", 1)
	f := findings(run(t, engineOf(t, src), sys, topo, audit.Options{}), "test.socket.memory")["socket 0"]
	assert.Equal(t, verdict.Fail, f.Result)
	assert.Equal(t, verdict.Info, f.Severity)
}

// TestWaivers checks that an accepted failure is waived until the end of its day, and that an expired or unused
// waiver is reported.
func TestWaivers(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 59, 0, 0, time.UTC)
	waiver := func(subject, until string) []audit.WaiverSpec {
		return []audit.WaiverSpec{{Rule: "test.socket.memory", Subject: subject, Reason: "DIMM on order", Until: until}}
	}
	for _, c := range []struct {
		name    string
		waivers []audit.WaiverSpec
		want    map[string]verdict.Result
		notices []string
	}{
		{"all subjects", waiver("", "2026-12-31"), map[string]verdict.Result{"socket 0": verdict.Waived, "socket 1": verdict.Waived}, nil},
		{"one subject", waiver("socket 1", "2026-12-31"), map[string]verdict.Result{"socket 0": verdict.Fail, "socket 1": verdict.Waived}, nil},
		{"its last day", waiver("", "2026-11-20"), map[string]verdict.Result{"socket 0": verdict.Waived, "socket 1": verdict.Waived}, nil},
		{"ended", waiver("", "2026-11-19"), map[string]verdict.Result{"socket 0": verdict.Fail, "socket 1": verdict.Fail},
			[]string{"waiver of test.socket.memory ended on 2026-11-19; the failure counts again"}},
		{"matches nothing", waiver("socket 7", "2026-12-31"), map[string]verdict.Result{"socket 0": verdict.Fail, "socket 1": verdict.Fail},
			[]string{"waiver of test.socket.memory (socket 7) matches no failure"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, topo := twoSockets()
			addDIMM(sys, topo, 7, 8) // somewhere else, so that the slots were read
			a := run(t, engineOf(t, criticalRule), sys, topo, audit.Options{Waivers: c.waivers, Now: now})
			got := map[string]verdict.Result{}
			for subject, f := range findings(a, "test.socket.memory") {
				got[subject] = f.Result
				if f.Result == verdict.Waived {
					assert.Equal(t, "DIMM on order", f.Waiver.Reason)
				}
			}
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.notices, a.Notices)
			assert.Equal(t, a.Summary.Fail > 0, a.Summary.Worst == verdict.Critical)
		})
	}
}

// TestWaiverNeedsReasonAndDate checks invalid waivers.
func TestWaiverNeedsReasonAndDate(t *testing.T) {
	for _, w := range []audit.WaiverSpec{{Reason: "x", Until: "2027-01-01"}, {Rule: "a.b", Until: "2027-01-01"}, {Rule: "a.b", Reason: "x", Until: "soon"}, {Rule: "a.b", Reason: "x"}} {
		require.Error(t, w.Check(), "%+v", w)
	}
	require.NoError(t, audit.WaiverSpec{Rule: "a.b", Reason: "x", Until: "2027-01-01"}.Check())
}

// TestCountNeedsNoMap checks that a count has the same severity with an unverified map as without any: one module for
// six channels is evidence by itself. What depends on the map, and a severity derived from it, is info.
func TestCountNeedsNoMap(t *testing.T) {
	for _, c := range []struct {
		name       string
		dimms      int
		acceptable []int
		populated  int
		want       verdict.Severity
	}{
		{"one for six", 1, nil, 1, verdict.Warning},
		{"six on five", 6, nil, 5, verdict.Info},
		{"a count of the document's, as the map has it on too few", 4, []int{4}, 3, verdict.Info},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, topo := twoSockets()
			platformOf(topo, platform.Platform{ID: "example", NUMA: true, ChannelsPerSocket: 6, RecommendedDIMMs: []int{12}, AcceptableDIMMs: c.acceptable})
			p := &topo.Populations[0]
			p.ChannelsTotal, p.DPC = direct(6), direct(make([]int, 6))
			for range c.dimms {
				addDIMM(sys, topo, 0, 8)
			}
			p = &topo.Populations[0]
			for ch := range c.populated {
				p.DPC.Value[ch] = 1
			}
			p.DPC.Unverified = true
			p.ChannelsPopulated = direct(c.populated)
			p.ChannelsPopulated.Unverified = true
			for ch := range 6 { // an empty slot on every channel
				sys.Slots = append(sys.Slots, inventory.Slot{Handle: inventory.Handle(0x1200 + ch), State: inventory.SlotEmpty, Technology: direct(inventory.DRAM)})
				topo.Placements = append(topo.Placements, place.Placement{Channel: ch, Slot: 1, Unverified: true})
				p.EmptySlots = append(p.EmptySlots, len(sys.Slots)-1)
			}
			for i := range topo.Placements[:c.dimms] {
				topo.Placements[i].Channel = i % c.populated
			}
			f := findings(run(t, builtin(t), sys, topo, audit.Options{}), "memory.channel.populated")["socket 0"]
			assert.Equal(t, verdict.Fail, f.Result, f.Reason)
			assert.Equal(t, c.want, f.Severity)
		})
	}
}

// TestPassInDoubt checks that a pass of a broader rule is unknown if firmware does not name the machine and a
// narrower rule about single products may apply; a rule about another vendor's or platform's products, or about none,
// does not count, and failures stay.
func TestPassInDoubt(t *testing.T) {
	passes := strings.Replace(rule("general", "", ""), "machine.processors == 0", "machine.processors == 2", 1)
	const doubt = "it is not known whether a narrower rule applies to this machine (narrow): firmware does not give the product's name"
	for _, c := range []struct {
		name, broad, scope, applies string
		product                     fact.Fact[string]
		result                      verdict.Result
		reason                      string
	}{
		{"a product that is not named", passes, "{products: [Model 9]}", "", unread[string](), verdict.Unknown, doubt},
		{"of this maker", passes, "{vendors: [Example], products: [Model 9]}", "", unread[string](), verdict.Unknown, doubt},
		{"of this platform", passes, "{platforms: [one], products: [Model 9]}", "", unread[string](), verdict.Unknown, doubt},
		{"another product", passes, "{products: [Model 9]}", "", direct("Model 1"), verdict.Pass, ""},
		{"of another maker", passes, "{vendors: [Other], products: [Model 9]}", "", unread[string](), verdict.Pass, ""},
		{"of another platform", passes, "{platforms: [two], products: [Model 9]}", "", unread[string](), verdict.Pass, ""},
		{"no single products", passes, "{vendors: [Other]}", "", unread[string](), verdict.Pass, ""},
		{"one that is not for single products", passes, "{vendors: [Example]}", "machine.processors == 7", unread[string](), verdict.Pass, ""},
		{"one for all machines", passes, "", "machine.processors == 7", unread[string](), verdict.Pass, ""},
		{"what fails", rule("general", "", ""), "{products: [Model 9]}", "", unread[string](), verdict.Fail, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, topo := twoSockets()
			sys.Machine.Product = c.product
			platformOf(topo, platform.Platform{ID: "one", NUMA: true})
			narrow := strings.Replace(rule("narrow", c.scope, c.applies), "severity: info", "severity: warning", 1)
			a := run(t, engineOf(t, c.broad, narrow), sys, topo, audit.Options{})
			require.Len(t, a.Findings, 1)
			f := a.Findings[0]
			assert.Equal(t, []any{c.result, c.reason}, []any{f.Result, string(f.Reason)})
			if c.result == verdict.Unknown {
				assert.Equal(t, []any{"the product's name", verdict.Warning}, []any{string(f.KnownBy), f.Severity})
			}
		})
	}
}

// TestFirstThatMayApply checks that of several narrower rules that may apply the narrowest gives the reason, and that
// the error of a broken one is reported and no other rule applies.
func TestFirstThatMayApply(t *testing.T) {
	sys, topo := twoSockets()
	sys.Settings["turbo"] = inventory.Setting{Effective: fact.Unknown[string](fact.Denied, "MSR not readable", "run as root")}
	sys.Settings["smt"] = inventory.Setting{Effective: fact.Unknown[string](fact.Absent, "no file says it", "")}
	may := func(name, scope, setting string) string {
		return rule(name, scope, "settings."+setting+` == "enabled"`)
	}
	a := run(t, engineOf(t, may("broad", "", "smt"), may("narrow", "{vendors: [Example]}", "turbo")), sys, topo, audit.Options{})
	require.Len(t, a.Findings, 1)
	assert.Equal(t, []string{"narrow", "MSR not readable", "run as root"}, []string{string(a.Findings[0].Title), string(a.Findings[0].Reason), string(a.Findings[0].KnownBy)})

	broken := rule("broken", "{vendors: [Example]}", "'[1][machine.processors] == 1'")
	a = run(t, engineOf(t, rule("general", "", ""), broken), sys, topo, audit.Options{})
	require.Len(t, a.Findings, 1)
	assert.Equal(t, []any{"broken", verdict.Error}, []any{string(a.Findings[0].Title), a.Findings[0].Result})
	assert.Contains(t, a.Findings[0].Reason, "applies: ")
}

// TestEachSubjectHasItsOwn checks that a condition on the subject is evaluated for each, one on the machine once, and
// that an unknown one has the evidence of its own facts for every subject.
func TestEachSubjectHasItsOwn(t *testing.T) {
	const src = `
rules:
  - {id: test.socket.filled, title: f, subject: socket, applies: socket.dimms > 0, concerns: filled sockets, check: socket.dimms > 1, severity: info, why: w, uncited: true}
  - {id: test.socket.machine, title: f, subject: socket, applies: machine.processors == 2, concerns: machines of two, check: socket.dimms > 1, severity: info, why: w, uncited: true}
  - {id: test.socket.open, title: o, subject: socket, for: {vendors: [Example]}, applies: settings.turbo == "enabled", concerns: fast ones, check: socket.dimms > 1, severity: info, why: w, uncited: true}
  - {id: test.socket.open, title: o, subject: socket, applies: machine.processors == 7, concerns: machines of seven, check: socket.dimms > 1, severity: info, why: w, uncited: true}
`
	sys, topo := twoSockets()
	addDIMM(sys, topo, 1, 8)
	sys.Settings["turbo"] = inventory.Setting{Effective: fact.Unknown[string](fact.Denied, "MSR not readable", "", fact.Evidence{Source: "msr", Path: "/dev/cpu/0/msr"})}
	a := run(t, engineOf(t, src), sys, topo, audit.Options{})
	results := func(rule string) [2]verdict.Result {
		f := findings(a, rule)
		return [2]verdict.Result{f["socket 0"].Result, f["socket 1"].Result}
	}
	assert.Equal(t, [2]verdict.Result{verdict.NotApplicable, verdict.Fail}, results("test.socket.filled"))
	assert.Equal(t, [2]verdict.Result{verdict.Fail, verdict.Fail}, results("test.socket.machine"))
	assert.Equal(t, [2]verdict.Result{verdict.Unknown, verdict.Unknown}, results("test.socket.open"))
	for subject, f := range findings(a, "test.socket.open") {
		assert.Equal(t, sys.Settings["turbo"].Effective.Evidence(), f.Evidence, subject)
	}
}

// TestSeveralMissing checks that the reason of every missing fact is given once, in the order of their names, and
// every hint once.
func TestSeveralMissing(t *testing.T) {
	sys, topo := twoSockets()
	for id, f := range map[string]fact.Fact[string]{"turbo": fact.Unknown[string](fact.Denied, "MSR not readable", "run as root"), "c1e": fact.Unknown[string](fact.Denied, "MSR not readable", "run as root"),
		"smt": fact.Unknown[string](fact.Absent, "no file says it", ""), "iommu": fact.Unknown[string](fact.Unread, "not captured", "a capture")} {
		sys.Settings[id] = inventory.Setting{Effective: f}
	}
	const src = `
rules:
  - {id: test.machine.all, title: t, check: 'settings.turbo == "enabled" && settings.smt == "enabled" && settings.c1e == "enabled" && settings.iommu == "enabled"', severity: info, why: w, uncited: true}
`
	f := findings(run(t, engineOf(t, src), sys, topo, audit.Options{}), "test.machine.all")["machine"]
	assert.Equal(t, []any{verdict.Unknown, "MSR not readable; not captured; no file says it", "run as root; a capture"}, []any{f.Result, string(f.Reason), string(f.KnownBy)})
}

// TestNothingToAskOf checks that a rule about parts that the machine lacks is not applicable if that is known, and
// otherwise gives the reason; one that does not apply names the machines that it covers.
func TestNothingToAskOf(t *testing.T) {
	const src = `
rules:
  - {id: test.node.any, title: t, subject: node, check: node.has_memory, severity: info, why: w, uncited: true}
  - {id: test.node.guests, title: t, subject: node, applies: machine.virtual, concerns: guests, check: node.has_memory, severity: info, why: w, uncited: true}
  - {id: test.socket.any, title: t, subject: socket, check: socket.dimms > 0, severity: info, why: w, uncited: true}
`
	sys, topo := twoSockets()
	sys.Sockets, topo.Processors, topo.Populations = nil, nil, nil
	a := run(t, engineOf(t, src), sys, topo, audit.Options{})
	for rule, want := range map[string]verdict.Result{"test.node.any": verdict.Unknown, "test.node.guests": verdict.NotApplicable} {
		f := findings(a, rule)["machine"]
		assert.Equal(t, want, f.Result, rule)
		assert.NotEmpty(t, f.Reason, rule)
	}
	assert.EqualValues(t, "concerns only guests", findings(a, "test.node.guests")["machine"].Reason)
	assert.NotEmpty(t, findings(a, "test.socket.any")["machine"].Reason)
}

// TestSeverityThatIsNone checks that an invalid or failing severity expression is an error without a result, and that
// a severity that depends on an unverified fact stays at info, even if the check does not need that fact.
func TestSeverityThatIsNone(t *testing.T) {
	const src = `
rules:
  - {id: test.machine.word, title: t, check: machine.processors == 1, severity: 'machine.processors == 2 ? "grave" : "info"', why: w, uncited: true}
  - {id: test.machine.breaks, title: t, check: machine.processors == 1, severity: '[1][machine.processors] == 1 ? "critical" : "info"', why: w, uncited: true}
  - {id: test.socket.doubt, title: t, subject: socket, check: machine.processors == 1, severity: 'socket.dimms == 0 ? "critical" : "warning"', why: w, uncited: true}
`
	sys, topo := twoSockets()
	addDIMM(sys, topo, 1, 8)
	topo.Populations[0].DIMMs = fact.Known(0, fact.Direct, fact.Evidence{})
	topo.Populations[0].DIMMs.Unverified = true
	a := run(t, engineOf(t, src), sys, topo, audit.Options{})
	f := findings(a, "test.machine.word")["machine"]
	assert.Equal(t, []any{verdict.Error, "severity: expression gives grave, expected info, warning or critical"}, []any{f.Result, string(f.Reason)})
	f = findings(a, "test.machine.breaks")["machine"]
	assert.Equal(t, verdict.Error, f.Result)
	assert.Contains(t, f.Reason, "severity: ")
	doubt := findings(a, "test.socket.doubt")
	assert.Equal(t, [2]verdict.Severity{verdict.Info, verdict.Warning}, [2]verdict.Severity{doubt["socket 0"].Severity, doubt["socket 1"].Severity})
}
