package formats

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
)

// told is one finding of which everything is said.
func told(result, severity string) report.Finding {
	return report.Finding{Rule: "memory.speed.expected", Subject: "socket 0", Result: result, Severity: severity,
		Found: new("2400 MT/s"), Expected: new("2666 MT/s"), Remedy: new("set it"), Why: new("it costs"),
		Citation: &report.Citation{Vendor: "Example", Title: "A Guide", Year: new(2020)}}
}

func junitOf(t *testing.T, r *report.Report) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, WriteJUnit(&b, r))
	return b.String()
}

// TestJUnitSays: properties are those that are known; a failure has a line for each
// thing that the finding says; what is skipped begins with its result, then why, and
// what would make it known.
func TestJUnitSays(t *testing.T) {
	r := &report.Report{Findings: []report.Finding{told("fail", "warning")}}
	r.Machine.Vendor = new("Example")
	out := junitOf(t, r)
	assert.Contains(t, out, `<property name="vendor" value="Example"/>`)
	assert.NotContains(t, out, `name="product"`)
	assert.Contains(t, out, "\">severity: warning\nfound: 2400 MT/s\nexpected: 2666 MT/s\nwhy: it costs\nfix: set it\nsource: Example, A Guide, 2020</failure>")
	for want, f := range map[string]report.Finding{
		"unknown: denied; known by: root":                  {Result: "unknown", Reason: new("denied"), KnownBy: new("root")},
		"unknown: denied":                                  {Result: "unknown", Reason: new("denied")},
		"unknown":                                          {Result: "unknown"},
		"waived: on order (until 2026-12-15)":              {Result: "waived", Reason: new("not said"), Waiver: &report.Waiver{Reason: "on order", Until: new("2026-12-15")}},
		"waived: on order":                                 {Result: "waived", Waiver: &report.Waiver{Reason: "on order"}},
		"not_applicable: the machine has no second socket": {Result: "not_applicable", Reason: new("the machine has no second socket")},
	} {
		assert.Contains(t, junitOf(t, &report.Report{Findings: []report.Finding{f}}), `<skipped message="`+want+`"/>`)
	}
}

// TestPluginSays: the machine's name and what kept the plugin from auditing stand
// before the verdict, where there are such; performance data count failures alone.
func TestPluginSays(t *testing.T) {
	r := reportOf("fail:critical fail:warning fail:warning pass:critical unknown:warning")
	said := func(p Plugin) string {
		var b strings.Builder
		require.NoError(t, WriteNagios(&b, r, p))
		return b.String()
	}
	out := said(Plugin{Status: report.PluginCritical})
	assert.Contains(t, out, " | critical=1;;;0 warning=2;;;0 info=0;;;0 pass=1;;;0 unknown=1;;;0 ")
	assert.NotRegexp(t, `^MEMAUDIT CRITICAL - [:;]`, out)
	r.Machine.Product = new("Server 1")
	assert.Regexp(t, `^MEMAUDIT CRITICAL - Server 1: [^;:]`, said(Plugin{Status: report.PluginCritical}))
	assert.Regexp(t, `^MEMAUDIT UNKNOWN - Server 1: no answer; .`, said(Plugin{Status: report.PluginUnknown, Problem: "no answer"}))
	require.ErrorContains(t, WritePluginProblem(brokenWriter{}, "no tree"), "disk full")
	var b strings.Builder
	require.NoError(t, WritePluginProblem(&b, "no tree | root"))
	assert.Equal(t, "MEMAUDIT UNKNOWN - no tree / root\n", b.String())
}

// TestLabelCharacters: all that Kubernetes allows in a label's value stays.
func TestLabelCharacters(t *testing.T) {
	for _, s := range []string{"azAZ09-_.m", "0z", "Z9", "aA"} {
		assert.Equal(t, s, labelValue(s))
	}
	assert.Equal(t, "a_b_c_d_e_f_g", labelValue("a@b[c`d{e/f:g"))
}

// TestNetBoxModules: a bay for every slot; a module where one is installed whose
// maker and part number are known: NetBox has no module without a type.
func TestNetBoxModules(t *testing.T) {
	slot := func(handle, state, locator string, maker, part *string) report.Slot {
		return report.Slot{Handle: handle, State: state, Locator: &locator, Manufacturer: maker, PartNumber: part}
	}
	inv := &report.Inventory{Slots: []report.Slot{
		slot("0x1100", "populated", "A1", new("Samsung"), new("M393")), slot("0x1101", "populated", "A2", nil, new("M393")),
		slot("0x1102", "populated", "A3", new("Samsung"), nil), slot("0x1103", "empty", "A4", new("Samsung"), new("M393")),
	}}
	read := func() (doc netBox) {
		var b strings.Builder
		require.NoError(t, writeNetBox(&b, inv))
		require.NoError(t, json.Unmarshal([]byte(b.String()), &doc))
		return doc
	}
	names := func() (out []string) {
		for _, bay := range read().ModuleBays {
			out = append(out, bay.Name)
		}
		return out
	}
	doc := read()
	assert.Equal(t, []string{"A1", "A2", "A3", "A4"}, names())
	require.Len(t, doc.Modules, 1)
	assert.Equal(t, "A1", doc.Modules[0].ModuleBay.Name)
	inv.Slots[1].Locator, inv.Slots[1].BankLocator = nil, new("BANK 1")
	assert.Equal(t, "BANK 1/", names()[1], "a bay needs a name, and no other has this one")
	assert.Equal(t, "az09-az09", slug("az09 AZ09"))
	assert.Equal(t, "a-b-c-d", slug("a/b:c`{d"))
}

// TestOCPTVSays: BIOS among the software where its version is known; a step of which
// nothing applies is skipped, one with a broken rule is an error whatever follows; what
// JSON has no form for is an error of the writer.
func TestOCPTVSays(t *testing.T) {
	ended := func(results ...string) (status string) {
		r := &report.Report{GeneratedAt: "2026-11-20T08:30:00Z"}
		for _, result := range results {
			r.Findings = append(r.Findings, report.Finding{Rule: "a.rule", Subject: "machine", Result: result, Severity: "info"})
		}
		var b strings.Builder
		require.NoError(t, WriteOCPTV(&b, r))
		assert.NotContains(t, b.String(), `"softwareInfoId":"bios"`)
		for line := range strings.Lines(b.String()) {
			var got struct {
				TestStepArtifact struct {
					TestStepEnd struct {
						Status string `json:"status"`
					} `json:"testStepEnd"`
				} `json:"testStepArtifact"`
			}
			require.NoError(t, json.Unmarshal([]byte(line), &got))
			status += got.TestStepArtifact.TestStepEnd.Status
		}
		return status
	}
	assert.Equal(t, "SKIP", ended("not_applicable"))
	assert.Equal(t, "COMPLETE", ended("not_applicable", "pass"))
	assert.Equal(t, "ERROR", ended("error", "pass"))
	r := &report.Report{GeneratedAt: "2026-11-20T08:30:00Z"}
	r.Machine.BIOS.Version = new("2.1")
	var b strings.Builder
	require.NoError(t, WriteOCPTV(&b, r))
	assert.Contains(t, b.String(), `"version":"2.1"`)
	o := &ocptvWriter{}
	o.enc = json.NewEncoder(&o.buf)
	o.line("testRunArtifact", object{"value": math.NaN()})
	o.line("testRunArtifact", object{"value": 1})
	require.ErrorContains(t, o.err, "NaN")
	assert.Equal(t, 2, o.next)
}

// TestSARIFSays: a rule is described once and results point at it; a message says
// what was found, and of a failure also what was expected and how to mend it; a broken
// rule is the tool's own failure; the place is the first file that was read.
func TestSARIFSays(t *testing.T) {
	path, empty := "/sys/firmware/dmi/tables/DMI", ""
	first, second, other := told("fail", "warning"), told("pass", "warning"), told("error", "info")
	first.Evidence = []report.Evidence{{}, {Path: &empty}, {Path: &path}}
	second.Subject, other.Rule, other.Reason, other.Citation = "socket 1", "numa.srat", new("the rule broke"), nil
	write := func(findings ...report.Finding) (log sarifLog) {
		var b strings.Builder
		require.NoError(t, WriteSARIF(&b, &report.Report{Findings: findings}))
		require.NoError(t, json.Unmarshal([]byte(b.String()), &log))
		return log
	}
	run := write(first, second, other).Runs[0]
	require.Len(t, run.Tool.Driver.Rules, 2)
	assert.Equal(t, "Example, A Guide, 2020", run.Tool.Driver.Rules[0].Help.Text)
	assert.Nil(t, run.Tool.Driver.Rules[1].Help)
	for _, result := range run.Results {
		assert.Equal(t, result.Rule, run.Tool.Driver.Rules[result.Index].ID)
	}
	assert.Equal(t, "socket 0: 2400 MT/s; expected 2666 MT/s; fix: set it", run.Results[0].Message.Text)
	assert.Equal(t, "socket 1: 2400 MT/s", run.Results[1].Message.Text)
	assert.Equal(t, "sys/firmware/dmi/tables/DMI", run.Results[0].Locations[0].Physical.Artifact.URI)
	assert.Nil(t, run.Results[1].Locations[0].Physical)
	assert.False(t, run.Invocations[0].Successful)
	require.Len(t, run.Invocations[0].Notifications, 1)
	assert.True(t, write(first).Runs[0].Invocations[0].Successful)
	bare := told("fail", "info")
	bare.Expected, bare.Remedy = nil, nil
	assert.Equal(t, "socket 0: 2400 MT/s", write(bare).Runs[0].Results[0].Message.Text)
}

// TestURIPath: RFC 3986, 2.3: unreserved characters stay as they are, others are
// escaped by byte.
func TestURIPath(t *testing.T) {
	assert.Equal(t, "azAZ09-._~/m", uriPath("azAZ09-._~/m"))
	assert.Equal(t, "%C3%A9%20%25%40%5B%60%7B%3A", uriPath("é %@[`{:"))
}
