package report_test

import (
	"errors"
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/reporttest"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
)

// judgedOf is a report of findings, one a word: "RESULT:SEVERITY" is about the machine,
// "RESULT:SEVERITY:RULE" about socket 0.
func judgedOf(words string) *report.Report {
	r := &report.Report{}
	for w := range strings.FieldsSeq(words) {
		parts := strings.Split(w, ":")
		f := verdict.Finding{Rule: "memory.example", Result: verdict.Result(parts[0]), Severity: verdict.Severity(parts[1]), Found: "the example is wrong; more"}
		if len(parts) > 2 {
			f.Rule, f.Subject, f.Found = parts[2], inventory.SocketSubject(0), "2 of 4 channels hold memory; empty: 2, 3"
		}
		r.Findings = append(r.Findings, f)
		switch f.Result {
		case "pass":
			r.Summary.Pass++
		case "fail":
			r.Summary.Fail++
		case "unknown":
			r.Summary.Unknown++
		case "not_applicable":
			r.Summary.NotApplicable++
		case "waived":
			r.Summary.Waived++
		case "error":
			r.Summary.Error++
		}
	}
	return r
}

const channels = ":memory.channel.populated"

// slow gives a report a processor with a brand, or without, and a DIMM that runs below its rating.
func slow(brand string) func(*report.Report) {
	return func(r *report.Report) {
		socket := inventory.Socket{Populated: fact.Known(true, fact.Direct, fact.Evidence{})}
		if brand != "" {
			socket.Brand = fact.Known(brand, fact.Direct, fact.Evidence{})
		}
		mts := func(n int) fact.Fact[int] { return fact.Known(n, fact.Direct, fact.Evidence{}) }
		r.Inventory.Sockets = []inventory.Socket{socket}
		r.Inventory.Slots = []inventory.Slot{{State: inventory.SlotPopulated, Type: fact.Known("DDR4", fact.Direct, fact.Evidence{}), RatedMTs: mts(2400), ConfiguredMTs: mts(2133)}}
	}
}

// TestVerdict checks the rules of the verdict, its exit statuses, and those of a plugin.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name, findings string
		criteria       report.Criteria
		change         func(*report.Report)
		status         report.Status
		sentence       string
		exit, plugin   int
	}{
		{"all pass", "pass:warning" + channels, report.Criteria{}, nil, "ok", "memory is installed as recommended", 0, 0},
		{"not every check ran", "pass:warning" + channels + " unknown:critical error:info", report.Criteria{}, nil, "ok", "memory is installed as recommended", 0, 0},
		{"one socket of two decided", "pass:warning" + channels + " unknown:warning" + channels, report.Criteria{}, nil, "unknown", "the memory channels of socket 0 could not be checked: no reason", 3, 3},
		{"a broken rule of channels", "error:warning" + channels + " pass:critical", report.Criteria{}, nil, "unknown", "the memory channels could not be checked: no reason", 3, 3},
		{"a note beside what is decided", "fail:info" + channels + " pass:critical", report.Criteria{}, nil, "ok", "no warning; note: socket 0: 2 of 4 channels hold memory", 0, 0},
		{"a failure in doubt", "fail:info" + channels + " pass:critical", report.Criteria{}, inDoubt, "unknown", "probably socket 0: 2 of 4 channels hold memory; but the table lists 7 of 12 devices", 3, 3},
		{"a failure in doubt, --fail-on info", "fail:info" + channels, report.Criteria{FailOn: "info"}, inDoubt, "unknown", "probably socket 0: 2 of 4 channels hold memory; but the table lists 7 of 12 devices", 1, 1},
		{"a failure in doubt and a sure one", "fail:info" + channels + " fail:warning", report.Criteria{}, inDoubt, "warning", "the example is wrong", 1, 1},
		{"a failure in doubt of no channel", "fail:info:memory.speed.expected pass:warning" + channels, report.Criteria{}, inDoubt, "unknown", "probably socket 0: 2 of 4 channels hold memory; but the table lists 7 of 12 devices", 3, 3},
		{"a failure in doubt that is waived", "waived:info" + channels, report.Criteria{}, inDoubt, "ok", "no problem except those that are waived", 0, 0},
		{"a failure in doubt of a baseline", "fail:info:baseline.changed", report.Criteria{}, inDoubt, "unknown", "probably socket 0: 2 of 4 channels hold memory; but the table lists 7 of 12 devices", 3, 3},
		{"no channels to check", "pass:warning not_applicable:warning" + channels, report.Criteria{}, nil, "ok", "no problem found", 0, 0},
		{"strict", "pass:warning" + channels + " unknown:critical", report.Criteria{Strict: true}, nil, "unknown", "1 check could not run, and --strict asks for all: memory.example: no reason", 3, 3},
		{"strict and an error", "pass:warning" + channels + " error:info", report.Criteria{Strict: true}, nil, "unknown", "1 check could not run, and --strict asks for all: memory.example: no reason", 3, 3},
		{"strict and all ran", "pass:warning" + channels + " waived:critical", report.Criteria{Strict: true}, nil, "ok", "no problem except those that are waived", 0, 0},
		{"warning", "fail:warning" + channels, report.Criteria{}, nil, "warning", "socket 0: 2 of 4 channels hold memory", 1, 1},
		{"critical", "fail:warning" + channels + " fail:critical", report.Criteria{}, nil, "critical", "the example is wrong", 1, 2},
		{"failure before strict", "unknown:critical fail:warning" + channels, report.Criteria{Strict: true}, nil, "warning", "socket 0: 2 of 4 channels hold memory", 1, 1},
		{"failure before unknown channels", "unknown:warning" + channels + " fail:warning", report.Criteria{}, nil, "warning", "the example is wrong", 1, 1},
		{"strict and below --fail-on", "unknown:critical fail:warning" + channels, report.Criteria{FailOn: "critical", Strict: true}, nil, "warning", "socket 0: 2 of 4 channels hold memory", 3, 1},
		{"strict, an error and never", "error:critical fail:critical" + channels, report.Criteria{FailOn: "never", Strict: true}, nil, "critical", "socket 0: 2 of 4 channels hold memory", 3, 2},
		{"strict, all ran, below --fail-on", "fail:warning" + channels, report.Criteria{FailOn: "critical", Strict: true}, nil, "warning", "socket 0: 2 of 4 channels hold memory", 0, 0},
		{"below --fail-on", "fail:warning" + channels, report.Criteria{FailOn: "critical"}, nil, "warning", "socket 0: 2 of 4 channels hold memory", 0, 0},
		{"never", "fail:critical" + channels, report.Criteria{FailOn: "never"}, nil, "critical", "socket 0: 2 of 4 channels hold memory", 0, 0},
		{"never, strict and unknown", "fail:info unknown:warning pass:warning" + channels, report.Criteria{FailOn: "never", Strict: true}, nil, "unknown", "1 check could not run, and --strict asks for all: memory.example: no reason", 3, 3},
		{"info", "pass:warning" + channels + " fail:info", report.Criteria{}, nil, "ok", "no warning; note: the example is wrong", 0, 0},
		{"a table with defects", "pass:warning" + channels + " fail:info:firmware.smbios.wellformed", report.Criteria{}, nil, "ok", "no warning; note: socket 0: 2 of 4 channels hold memory", 0, 0},
		{"info asked for", "pass:warning" + channels + " fail:info", report.Criteria{FailOn: "info"}, nil, "ok", "no warning; note: the example is wrong", 1, 1},
		{"a word that is no severity counts as info", "fail:Warning pass:warning" + channels, report.Criteria{FailOn: "info"}, nil, "ok", "no warning; note: the example is wrong", 1, 1},
		{"info asked for, channels unknown", "unknown:warning" + channels + " fail:info", report.Criteria{FailOn: "info"}, nil, "unknown", "the memory channels could not be checked: no reason", 1, 1},
		{"waived", "waived:critical" + channels, report.Criteria{FailOn: "info"}, nil, "ok", "no problem except those that are waived", 0, 0},
		{"channels unknown", "unknown:warning" + channels + " pass:critical", report.Criteria{}, nil, "unknown", "the memory channels could not be checked: no reason", 3, 3},
		{"every slot empty", "unknown:warning" + channels, report.Criteria{}, func(r *report.Report) { r.Inventory.Slots = []inventory.Slot{{State: inventory.SlotEmpty}} },
			"unknown", "the SMBIOS table lists no memory module, although the machine runs", 3, 3},
		{"nothing audited", "", report.Criteria{FailOn: "never"}, nil, "unknown", "nothing was audited", 3, 3},
		{"an input not read", "pass:warning" + channels, report.Criteria{Failed: errors.New("--bios gone.json: no such file")}, nil, "unknown", "--bios gone.json: no such file", 3, 3},
		{"an input not read and a failure", "fail:critical" + channels, report.Criteria{Failed: errors.New("no answer")}, nil, "critical", "socket 0: 2 of 4 channels hold memory", 3, 2},
		{"denied", "unknown:warning" + channels + " pass:warning", report.Criteria{}, table("denied"), "unknown", "the SMBIOS table could not be read (permission denied): run as root", 3, 3},
		{"denied, and the controller lists the modules", "pass:warning" + channels, report.Criteria{}, table("denied"), "ok", "memory is installed as recommended", 0, 0},
		{"denied, and another failure", "unknown:warning" + channels + " fail:warning", report.Criteria{}, table("denied"), "warning", "the example is wrong; the DIMMs were not checked: only root can read the SMBIOS table (sudo memaudit check)", 1, 1},
		{"absent", "unknown:warning" + channels, report.Criteria{}, table("absent"), "unknown", "there is no SMBIOS table: give one with --smbios FILE (sudo dmidecode --dump-bin FILE makes one)", 3, 3},
		{"refused", "unknown:warning" + channels, report.Criteria{}, table("refused"), "unknown", "the SMBIOS table could not be read: the detail", 3, 3},
		{"damaged", "pass:warning" + channels, report.Criteria{}, table("truncated"), "unknown", "the SMBIOS table is damaged: the detail", 3, 3},
		{"partial", "pass:warning" + channels, report.Criteria{}, table("partial"), "ok", "memory is installed as recommended", 0, 0},
		{"a profile not applied", "pass:warning" + channels, report.Criteria{}, func(r *report.Report) { r.ProfileAsked, r.Why = true, "no document for hpc" },
			"unknown", "the profile that was asked for was not applied: no document for hpc", 3, 3},
		{"a profile that nobody asked for", "pass:warning" + channels, report.Criteria{}, func(r *report.Report) { r.Why = "no document for balanced" },
			"ok", "memory is installed as recommended", 0, 0},
		{"a profile of which no setting is known", "pass:warning" + channels + " unknown:info:setting.smt not_applicable:info:setting.turbo", report.Criteria{},
			func(r *report.Report) { r.ProfileAsked, r.Profile = true, &verdict.Profile{ID: "example/hpc"} },
			"unknown", "no setting of the profile example/hpc could be checked: no reason", 3, 3},
		{"a profile of which one setting is known", "pass:warning" + channels + " unknown:info:setting.smt pass:info:setting.turbo", report.Criteria{},
			func(r *report.Report) { r.ProfileAsked, r.Profile = true, &verdict.Profile{ID: "example/hpc"} },
			"ok", "memory is installed as recommended; 1 of the 2 settings of example/hpc could be checked and are as it asks", 0, 0},
		{"a profile of which nothing concerns the machine", "pass:warning" + channels + " not_applicable:info:setting.smt", report.Criteria{},
			func(r *report.Report) { r.ProfileAsked, r.Profile = true, &verdict.Profile{ID: "example/hpc"} },
			"ok", "memory is installed as recommended", 0, 0},
		{"a profile that is met", "pass:warning" + channels + " pass:info:setting.smt pass:info:setting.turbo", report.Criteria{},
			func(r *report.Report) { r.ProfileAsked, r.Profile = true, &verdict.Profile{ID: "example/hpc"} },
			"ok", "memory is installed as recommended; the settings are those of example/hpc", 0, 0},
		{"slow DIMMs of a processor that is not named", "pass:warning" + channels + " unknown:warning:memory.speed.expected", report.Criteria{}, slow(""),
			"unknown", "memory runs at 2133 of 2400 MT/s, and firmware does not state the processor's model, which may be why", 3, 3},
		{"slow DIMMs of a processor that is named", "pass:warning" + channels + " unknown:warning:memory.speed.expected", report.Criteria{}, slow("Xeon"),
			"ok", "memory is installed as recommended", 0, 0},
		{"a table that may be another machine's", "pass:warning" + channels + " fail:info:firmware.smbios.own", report.Criteria{}, nil, "unknown", "2 of 4 channels hold memory; empty: 2, 3", 3, 3},
		{"guest", "not_applicable:warning" + channels + " pass:info unknown:info", report.Criteria{}, guest, "not_applicable", "the memory of a virtual machine (kvm) is assigned by its hypervisor; audit the host", 0, 0},
		{"guest without a table", "not_applicable:warning" + channels, report.Criteria{}, func(r *report.Report) { guest(r); table("absent")(r) }, "not_applicable", "the memory of a virtual machine (kvm) is assigned by its hypervisor; audit the host", 0, 0},
		{"guest with a failure", "not_applicable:warning" + channels + " fail:warning", report.Criteria{}, guest, "warning", "the example is wrong", 1, 1},
		{"a baseline alone", "pass:warning unknown:info", report.Criteria{}, guest, "ok", "no problem found", 0, 0},
		{"a baseline that says nothing", "unknown:warning", report.Criteria{}, nil, "unknown", "memory.example: no reason", 3, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := judgedOf(c.findings)
			if c.change != nil {
				c.change(r)
			}
			r.MakeVerdict(c.criteria)
			v := r.Verdict
			assert.Equal(t, c.status, v.Status)
			assert.Equal(t, c.sentence, v.Sentence)
			assert.Equal(t, c.exit, v.ExitStatus, "exit status")
			assert.Equal(t, c.plugin, v.PluginStatus(), "a plugin's")
			assert.Equal(t, r.Summary.Pass+r.Summary.Fail+r.Summary.Waived, v.Judged)
			assert.Equal(t, r.Summary.Unknown+r.Summary.Error, v.NotJudged)
		})
	}
}

// inDoubt gives the first finding a doubt that lowered its severity.
func inDoubt(r *report.Report) { r.Findings[0].Doubt = "the table lists 7 of 12 devices" }

func guest(r *report.Report) { r.Machine.Virtual, r.Machine.Hypervisor = is(true), is("kvm") }

// table sets the state of the SMBIOS table in a report.
func table(state fact.SourceState) func(*report.Report) {
	return func(r *report.Report) {
		r.Inventory.Sources = []inventory.Source{{Name: "cpu", State: "ok"}, {Name: "smbios", State: state, Detail: "the detail"}}
	}
}

// TestSentence names the worst root cause, and the subjects that have it.
func TestSentence(t *testing.T) {
	of := func(severity, rule, subject, found, short, cause string) verdict.Finding {
		return verdict.Finding{Rule: rule, Subject: reporttest.Subject(subject), Result: "fail", Severity: verdict.Severity(severity),
			Found: nullable.String(found), Short: short, CausedBy: nullable.String(cause)}
	}
	for want, findings := range map[string][]verdict.Finding{
		"sockets 0 and 1: 2 of 4 channels hold memory": {
			of("warning", "a", "socket 0", "2 of 4 channels hold memory; empty: 1, 2", "", ""), of("warning", "a", "socket 1", "2 of 4 channels hold memory (by a map)", "", "")},
		"socket 0: 2 of 4 channels hold memory; socket 1: 3 of 4 channels hold memory": {
			of("warning", "a", "socket 0", "2 of 4 channels hold memory", "", ""), of("warning", "a", "socket 1", "3 of 4 channels hold memory", "", "")},
		"socket 0: one; socket 1: two; socket 2: three": {
			of("warning", "a", "socket 0", "one", "", ""), of("warning", "a", "socket 1", "two", "", ""), of("warning", "a", "socket 2", "three", "", "")},
		"sockets 0, 1, 2, 3 and 4: no memory": {of("critical", "a", "socket 0", "", "no memory", ""), of("critical", "a", "socket 1", "x", "no memory", ""),
			of("critical", "a", "socket 2", "x", "no memory", ""), of("critical", "a", "socket 3", "x", "no memory", ""), of("critical", "a", "socket 4", "x", "no memory", "")},
		"socket 1: 4 DIMMs for 8 channels": {of("info", "b", "socket 1", "4 DIMMs for 8 channels: A1, A2", "", ""), of("warning", "a", "machine", "x", "", "b")},
		"machine of two":                   {of("warning", "follows", "machine", "x", "", "root"), of("warning", "root", "machine", "machine of two; more", "", "")},
		"the circle":                       {of("warning", "a", "machine", "the circle", "", "b"), of("warning", "b", "machine", "the other", "", "a")},
		"fails a.rule":                     {of("warning", "a.rule", "machine", "", "", "gone")},
	} {
		r := &report.Report{Findings: findings}
		r.MakeVerdict(report.Criteria{})
		assert.Equal(t, want, r.Verdict.Sentence)
	}
	r := judgedOf("unknown:warning" + channels)
	r.Findings[0].Reason, r.Findings[0].KnownBy = "the channel of A1 is not known; more", nullable.String(fact.SlotMap+"; more")
	r.MakeVerdict(report.Criteria{})
	assert.Equal(t, "memaudit does not know which slot is on which channel of this board (docs/unknown-board.md)", r.Verdict.Sentence)
}

// TestOutdate checks that a pass of an earlier audit is not known to be one now, and that a failure stays.
func TestOutdate(t *testing.T) {
	for findings, want := range map[string]report.Status{"pass:warning" + channels: "unknown", "fail:critical" + channels: "critical"} {
		r := judgedOf(findings)
		r.GeneratedAt = "2026-11-20T08:30:00Z"
		r.MarkOutdated(errors.New("no tree"))
		assert.Equal(t, want, r.Verdict.Status)
		assert.Equal(t, "this is the machine as of 2026-11-20T08:30:00Z; the last audit could read nothing of it: no tree", r.Outdated)
		assert.NotEmpty(t, r.Failed)
	}
}
