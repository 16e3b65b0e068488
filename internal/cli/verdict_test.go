package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
	"memaudit.example/memaudit/internal/serve/exporter"
	"memaudit.example/memaudit/internal/serve/fleet"
)

// verdictCases are reports on which every output must agree.
func verdictCases(t *testing.T) map[string]*report.Report {
	t.Helper()
	audited := func(name, profile string, change func(*report.Report)) *report.Report {
		r := *judgedOnce(t, name, profile)
		r.Findings = append([]verdict.Finding{}, r.Findings...)
		if change != nil {
			change(&r)
		}
		r.MakeVerdict(report.Criteria{})
		return &r
	}
	failing := func(rule, severity, found string) func(*report.Report) {
		return func(r *report.Report) {
			r.Findings = append(r.Findings, verdict.Finding{Rule: rule, Result: "fail", Severity: verdict.Severity(severity), Found: nullable.String(found)})
			r.Summary.Fail++
			r.Summary.Worst = verdict.Severity(severity)
		}
	}
	return map[string]*report.Report{
		"not_applicable guest": audited("guest-without-smbios", "", nil),
		"ok clean":             audited("dell-r610-good", "", nil),
		"warning":              audited("dell-r610-unbalanced", "", nil),
		"critical":             audited("dell-r610-good", "", failing("memory.socket.populated", "critical", "no DIMM belongs to this processor")),
		"critical stray errors": audited("dell-r610-good", "",
			failing("memory.errors.uncorrected", "critical", "3 uncorrected errors on mc0, DIMM unknown")),
		"unknown denied": audited("dell-r610-good", "", func(r *report.Report) {
			r.Inventory.Sources = []inventory.Source{{Name: "smbios", State: "denied"}, {Name: "cpu", State: "ok"}}
			for i := range r.Findings {
				if f := &r.Findings[i]; strings.HasPrefix(f.Rule, "memory.") {
					f.Result = "unknown"
				}
			}
		}),
		"unknown wrong profile": audited("dell-r610-good", "", func(r *report.Report) {
			why := "no document for this machine gives a profile for low-latency"
			r.ProfileAsked, r.Profile, r.Why = true, nil, nullable.String(why)
		}),
		"ok waived": audited("dell-r610-unbalanced", "", func(r *report.Report) {
			for i := range r.Findings {
				if f := &r.Findings[i]; f.Result == "fail" {
					f.Result, f.Waiver = "waived", &verdict.Waiver{Reason: "accepted"}
					r.Summary.Waived++
				}
			}
			r.Summary.Fail, r.Summary.Worst = 0, ""
		}),
	}
}

// TestVerdictIsTheSameEverywhere checks that every output has the verdict of the report: status, word and sentence.
func TestVerdictIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for name, r := range verdictCases(t) {
		t.Run(name, func(t *testing.T) {
			v := r.Verdict
			status, _, _ := strings.Cut(name, " ")
			require.Equal(t, report.Status(status), v.Status, v.Sentence)
			require.NotEmpty(t, v.Sentence)
			assert.NotContains(t, v.Sentence, "\n")
			out := map[string]string{}
			for _, format := range formats.Reports() {
				var b strings.Builder
				require.NoError(t, formats.Write(&b, format, r, text.Options{Width: 400}))
				out[format] = b.String()
			}
			var labels strings.Builder
			require.NoError(t, formats.WriteLabels(&labels, r))
			said := v.Status.Word() + " " + wording.VerdictSentence(r)
			first, _, _ := strings.Cut(out[formats.Text], "\n")
			assert.Equal(t, said, strings.Join(strings.Fields(first), " "))
			assert.Contains(t, out[formats.HTML], "<strong>"+v.Status.Word()+"</strong> "+strings.ReplaceAll(wording.VerdictSentence(r), "'", "&#39;")+"</h1>")
			nagios, _, _ := strings.Cut(out[formats.Nagios], " | ")
			assert.Equal(t, "MEMAUDIT "+v.Status.Word()+" - "+wording.VerdictSentence(r), nagios)
			assert.Contains(t, out[formats.JUnit], `<property name="verdict" value="`+status+`"/>`)
			assert.Contains(t, labels.String(), "/memaudit-verdict="+status+"\n")
			for _, s := range report.Statuses() {
				holds := map[bool]string{true: "1", false: "0"}[s == v.Status]
				assert.Contains(t, out[formats.Prometheus], `memaudit_verdict{status="`+string(s)+`"} `+holds+"\n")
			}
			doc := decoded[struct{ Verdict report.Verdict }](t, out[formats.JSON])
			assert.Equal(t, v, doc.Verdict)

			line := logLine(t, r)
			assert.Equal(t, status, line.Verdict)
			assert.Equal(t, v.Sentence, line.Sentence)

			all := fleet.New("product", func(string) string { return "" })
			all.Add("a", "a", r)
			d := all.Document()
			sameProblems(t, r, out, d, line.Problems)
			assert.Equal(t, &v, d.Machines[0].Verdict)
			assert.Equal(t, 1, d.Verdicts[v.Status])
		})
	}
}

// sameProblems checks that every output has the numbered problems of the report: the sentence with its place, and the
// fix, in the same order, and no notes.
func sameProblems(t *testing.T, r *report.Report, out map[string]string, d *fleet.Document, logged []string) {
	t.Helper()
	n, page := 0, html.UnescapeString(out[formats.HTML])
	for i := range r.Problems {
		p := &r.Problems[i]
		if !p.IsAboveNote() {
			continue
		}
		n++
		lines := fmt.Sprintf("%d. %s %s (%s)\n", n, strings.ToUpper(string(p.Severity)), p.Text(), p.Rule)
		if p.Fix != "" {
			lines += "   Fix: " + p.Fix + "\n"
		}
		assert.Contains(t, out[formats.Nagios], lines)
		assert.Contains(t, html.UnescapeString(out[formats.JUnit]), strings.TrimSuffix(lines, "\n"))
		assert.Contains(t, page, fmt.Sprintf(`<li data-problem="%d"><span class="badge %s">%[2]s</span> <strong>%s</strong> `, n, p.Severity, text.Statement(p)))
		assert.Contains(t, page, text.ProblemFix(r, i))
		assert.Contains(t, out[formats.Prometheus], "\nmemaudit_problem_info{")
		assert.Contains(t, out[formats.Prometheus], fmt.Sprintf(`rule=%q,sentence=%q,severity=%q,where=%q} 1`, p.Rule, p.Sentence, p.Severity, p.Where))
		assert.Equal(t, fleet.MachineProblem{Severity: p.Severity, Rule: p.Rule, Text: p.Text(), Fix: p.Fix}, d.Machines[0].Problems[n-1])
		assert.Equal(t, p.Sentence, logged[n-1])
	}
	assert.Equal(t, n, strings.Count(page, "<li data-problem="))
	assert.Len(t, d.Machines[0].Problems, n)
	assert.Len(t, logged, n)
	assert.Equal(t, n, strings.Count(out[formats.Prometheus], "\nmemaudit_problem_info{"))
	assert.Len(t, regexp.MustCompile(`(?m)^\d+\. `).FindAllString(out[formats.Nagios], -1), n)
	assert.LessOrEqual(t, strings.Count(out[formats.Nagios], "\n"), 40)
}

// loggedVerdict is what the daemon logs of an audit's verdict.
type loggedVerdict struct {
	Msg, Verdict, Sentence string
	// Problems are the sentences of the problems that are logged after it.
	Problems []string
}

// logLine is the daemon's log line about an audit that gave this report.
func logLine(t *testing.T, r *report.Report) loggedVerdict {
	t.Helper()
	var log locked
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- exporter.Serve(ctx, exporter.Config{Log: slog.New(slog.NewJSONHandler(&log, nil)),
			Web: exporter.WebOptions{Addresses: []string{"127.0.0.1:0"}, MetricsPath: "/metrics"},
			Audit: func(context.Context, bool) exporter.Outcome {
				return exporter.Outcome{Report: r, Interval: time.Hour}
			}})
	}()
	var out loggedVerdict
	assert.Eventually(t, func() bool {
		for line := range strings.Lines(log.text()) {
			if json.Unmarshal([]byte(line), &out) == nil && out.Msg == "audit done" {
				return true
			}
		}
		return false
	}, 20*time.Second, 5*time.Millisecond)
	stop()
	require.NoError(t, <-ended)
	for line := range strings.Lines(log.text()) {
		var one struct{ Msg, Sentence string }
		if json.Unmarshal([]byte(line), &one) == nil && one.Msg == "problem" {
			out.Problems = append(out.Problems, one.Sentence)
		}
	}
	return out
}

// TestAskedProfile checks that a requested profile without a document leaves the verdict unknown.
func TestAskedProfile(t *testing.T) {
	t.Parallel()
	status, out, _ := run(nil, "check", "--root", tree(t, "ibm-e326m-full"), "--profile", "low-latency", "--format", "nagios")
	assert.Equal(t, report.PluginUnknown, status)
	assert.True(t, strings.HasPrefix(out, "MEMAUDIT UNKNOWN - "), out)
	r := *judgedOnce(t, "dell-r610-good", "")
	r.MakeVerdict(report.Criteria{Failed: errors.New("no answer")})
	assert.Equal(t, report.ExitNotAudited, r.Verdict.ExitStatus)
}

// judged is what every format must have in common.
type judged struct{ Rule, Subject, Result, Severity string }

func verdictsOf(t *testing.T, out string) []judged {
	t.Helper()
	if list, ok := judgedIn.Load(out); ok {
		return slices.Clone(list.([]judged))
	}
	doc := decoded[struct{ Findings []judged }](t, out)
	judgedIn.Store(out, slices.Clone(doc.Findings))
	return doc.Findings
}

// judgedIn caches JSON reports, because several tests use the same ones.
var judgedIn sync.Map

// TestPluginStatus checks the plugin's own statuses against the findings.
func TestPluginStatus(t *testing.T) {
	t.Parallel()
	root := func(name string) []string {
		return []string{"check", "--format", "nagios", "--root", tree(t, name)}
	}
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"good", root("dell-r610-good"), 0, "MEMAUDIT OK - Dell PowerEdge R610: "},
		{"warnings", root("dell-r610-unbalanced"), 1, "MEMAUDIT WARNING - "},
		{"info asked for", append(root("supermicro-x7db8-4ch"), "--fail-on", "info"), 1, "MEMAUDIT OK - "},
		{"info not asked for", root("supermicro-x7db8-4ch"), 0, "MEMAUDIT OK - "},
		{"warnings do not count", append(root("dell-r610-unbalanced"), "--fail-on", "critical"), 0, "MEMAUDIT WARNING - "},
		{"never", append(root("dell-r610-unbalanced"), "--fail-on", "never"), 0, "MEMAUDIT WARNING - "},
		{"strict", append(root("dell-r610-good"), "--strict"), 3, "MEMAUDIT UNKNOWN - "},
		{"guest", root("guest-without-smbios"), 0, "MEMAUDIT NOT APPLICABLE - "},
		{"nothing read", []string{"check", "--format", "nagios", "--root", "/nowhere"}, 3, "MEMAUDIT UNKNOWN - --root "},
		{"an input failed", append(root("dell-r610-unbalanced"), "--smbios", "/nowhere"), 3, "MEMAUDIT UNKNOWN - Dell PowerEdge R610: --smbios /nowhere: no such file"},
		{"wrong usage", append(root("dell-r610-good"), "--fail-on", "often"), 3, "MEMAUDIT UNKNOWN - --fail-on"},
		{"wrong flag", []string{"check", "--nonsense", "--format=nagios"}, 3, "MEMAUDIT UNKNOWN - unknown flag: --nonsense"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, _ := run(nil, c.args...)
			assert.Equal(t, c.status, status, out)
			assert.True(t, strings.HasPrefix(out, c.says), out)
		})
	}
}

// TestLabels checks that the status shows whether the audit was possible and the labels its result; labels of a lost
// machine replace the previous ones.
func TestLabels(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "memaudit")
	for _, c := range []struct {
		status int
		first  string
		args   []string
	}{
		{0, "failure=none", []string{"--root", tree(t, "dell-r610-good")}},
		{0, "failure=warning", []string{"--root", tree(t, "dell-r610-unbalanced"), "--profile", "hpc"}},
		{0, "verdict=not_applicable", []string{"--root", tree(t, "guest-without-smbios")}},
		{3, "failure=unknown", []string{"--root", "/nowhere"}},
	} {
		status, out, errs := run(nil, append([]string{"labels", "--output", file}, c.args...)...)
		assert.Equal(t, c.status, status, errs)
		assert.Empty(t, out)
		assert.Contains(t, string(contentOf(t, file)), "feature.node.kubernetes.io/memaudit-"+c.first+"\n")
	}
	status, _, errs := run(nil, "labels", "--profile", "fast")
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "expected an intent or a profile id")
}
