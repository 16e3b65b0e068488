package cli

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// judged is what every format must have in common.
type judged struct{ Rule, Subject, Result, Severity string }

// checkAs audits a machine and prints it in one format.
func checkAs(t *testing.T, m *machinetest.Machine, format string, args ...string) (status int, out string) {
	t.Helper()
	status, out, _ = run(nil, append([]string{"check", "--root", tree(t, m.Name), "--profile", m.Profile, "--format", format}, args...)...)
	return status, out
}

func verdictsOf(t *testing.T, out string) []judged {
	t.Helper()
	if list, ok := judgedIn.Load(out); ok {
		return slices.Clone(list.([]judged))
	}
	var doc struct{ Findings []judged }
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	judgedIn.Store(out, slices.Clone(doc.Findings))
	return doc.Findings
}

// judgedIn caches JSON reports, because several tests use the same ones.
var judgedIn sync.Map

// TestFormatsAgree checks that every format names the same findings and gives the same exit status; only a plugin has
// its own statuses. Without --verbose the text names the same failures, and the labels count them.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	machines := corpustest.Sample(machinetest.Sample(t), 4)
	require.GreaterOrEqual(t, len(machines), 2)
	for _, m := range machines {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			status, out := checkAs(t, &m, "json")
			want := verdictsOf(t, out)
			require.NotEmpty(t, want)
			for format, read := range map[string]func(*testing.T, string, []judged){
				"junit": sameJUnit, "nagios": sameNagios, "prometheus": samePrometheus, "text": sameText, "html": sameHTML,
			} {
				got, out := checkAs(t, &m, format, "--verbose")
				if format == "nagios" {
					assert.Equal(t, status == 1, got == 1 || got == 2, "the plugin warns where the others give 1, and gave %d", got)
				} else {
					assert.Equal(t, status, got, format)
				}
				read(t, out, want)
			}
			got, out := checkAs(t, &m, "text")
			assert.Equal(t, status, got, "text without --verbose")
			sameFailures(t, out, status, want)
			_, out, errs := run(nil, "labels", "--root", tree(t, m.Name), "--profile", m.Profile)
			require.Empty(t, errs)
			sameLabels(t, out, want)
		})
	}
}

// sameJUnit checks the result by the element, and of skipped ones by the message.
func sameJUnit(t *testing.T, out string, want []judged) {
	var doc struct {
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Tests    int `xml:"tests,attr"`
		Suites   []struct {
			Cases []struct {
				Class   string `xml:"classname,attr"`
				Name    string `xml:"name,attr"`
				Failure []struct {
					Type string `xml:"type,attr"`
				} `xml:"failure"`
				Error   []struct{} `xml:"error"`
				Skipped []struct {
					Message string `xml:"message,attr"`
				} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(out), &doc))
	require.Len(t, doc.Suites, 1)
	count := map[string]int{}
	require.Len(t, doc.Suites[0].Cases, len(want))
	for i, c := range doc.Suites[0].Cases {
		got := judged{Rule: c.Class, Subject: c.Name, Result: "pass", Severity: want[i].Severity}
		switch {
		case len(c.Failure) == 1:
			got.Result, got.Severity = "fail", c.Failure[0].Type
		case len(c.Error) == 1:
			got.Result = "error"
		case len(c.Skipped) == 1:
			got.Result, _, _ = strings.Cut(c.Skipped[0].Message, ": ")
			assert.Contains(t, []string{"unknown", "not_applicable", "waived"}, got.Result)
			count["skipped"]++
		}
		count[got.Result]++
		assert.Equal(t, want[i], got)
	}
	assert.Equal(t, []int{len(want), count["fail"], count["error"], count["skipped"]}, []int{doc.Tests, doc.Failures, doc.Errors, doc.Skipped})
}

// sameNagios checks that the numbered problems are root causes, that each rule is one that fails, and that there is
// one vertical bar, before the figures.
func sameNagios(t *testing.T, out string, want []judged) {
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	assert.Equal(t, 1, strings.Count(out, "|"))
	assert.Contains(t, lines[0], " | critical=")
	assert.LessOrEqual(t, len(lines), 40)
	failing := map[string]bool{}
	worse := false
	for _, v := range want {
		if v.Result == "fail" {
			failing[v.Rule] = true
			worse = worse || v.Severity != "info"
		}
	}
	numbered := regexp.MustCompile(`^\d+\. (WARNING|CRITICAL) .* \((\S+)\)$`)
	found := false
	for _, line := range lines[1:] {
		if m := numbered.FindStringSubmatch(line); m != nil {
			found = true
			assert.True(t, failing[m[2]], line)
			continue
		}
		assert.True(t, strings.HasPrefix(line, "   Fix: "), line)
	}
	assert.Equal(t, worse, found)
}

// article is the start tag of a finding's element.
var article = regexp.MustCompile(`<article [^>]*data-rule="([^"]*)" data-subject="([^"]*)" data-result="([^"]*)" data-severity="([^"]*)"`)

// sameHTML checks that every finding has its own element.
func sameHTML(t *testing.T, out string, want []judged) {
	var got []judged
	for _, m := range article.FindAllStringSubmatch(out, -1) {
		got = append(got, judged{html.UnescapeString(m[1]), html.UnescapeString(m[2]), html.UnescapeString(m[3]), html.UnescapeString(m[4])})
	}
	assert.ElementsMatch(t, want, got)
}

// sameText checks that the verbose text names every rule that applies to the machine.
func sameText(t *testing.T, out string, want []judged) {
	for _, v := range want {
		if v.Result != "not_applicable" {
			assert.Contains(t, out, strings.TrimPrefix(v.Rule, "setting."))
		}
	}
}

// sameFailures checks that the screen counts the failures and prints the exit status of the program.
func sameFailures(t *testing.T, out string, status int, want []judged) {
	out = strings.Join(strings.Fields(out), " ")
	failed := 0
	for _, v := range want {
		if v.Result == "fail" {
			failed++
		}
	}
	if failed > 0 {
		assert.Contains(t, out, fmt.Sprintf(", %d failed", failed))
	}
	assert.Contains(t, out, fmt.Sprintf(" Exit status %d.", status))
}

// sameLabels checks the worst failure, and the numbers of failures and of unknowns.
func sameLabels(t *testing.T, out string, want []judged) {
	count := map[string]int{}
	worst := "none"
	for _, v := range want {
		count[v.Result]++
		if v.Result == "fail" && (worst == "none" || slices.Index(severities, v.Severity) > slices.Index(severities, worst)) {
			worst = v.Severity
		}
	}
	if m := regexp.MustCompile(`/memaudit-verdict=(unknown|not_applicable)\n`).FindStringSubmatch(out); m != nil && worst == "none" {
		worst = m[1] // nothing failed, and the verdict is not ok
	}
	for name, value := range map[string]string{"failure": worst, "failed": strconv.Itoa(count["fail"]), "unknown": strconv.Itoa(count["unknown"] + count["error"])} {
		assert.Contains(t, out, "/memaudit-"+name+"="+value+"\n")
	}
}

// severities are the severities of a failure, lowest first.
var severities = []string{"info", "warning", "critical"}

// exposition parses an exposition as Prometheus does.
func exposition(t *testing.T, out string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(out))
	require.NoError(t, err)
	problems, err := testutil.GatherAndLint(prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		return slices.Collect(maps.Values(families)), nil
	}))
	require.NoError(t, err)
	assert.Empty(t, problems)
	return families
}

// series returns the value of each series of a family by its labels, "a,b".
func series(t *testing.T, f *dto.MetricFamily, labels ...string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for _, m := range f.GetMetric() {
		values := make([]string, len(labels))
		for _, l := range m.GetLabel() {
			if i := slices.Index(labels, l.GetName()); i >= 0 {
				values[i] = l.GetValue()
			}
		}
		key := strings.Join(values, ",")
		assert.NotContains(t, out, key, "a series comes once")
		out[key] = m.GetGauge().GetValue()
	}
	return out
}

// samePrometheus checks rules instead of findings, each by the worst of its subjects.
func samePrometheus(t *testing.T, out string, want []judged) {
	f := exposition(t, out)
	failed, unknown := map[string]float64{}, map[string]float64{}
	rank := map[string]int{"info": 1, "warning": 2, "critical": 3}
	severity := map[string]string{}
	results := map[string][]string{}
	for _, v := range want {
		results[v.Rule] = append(results[v.Rule], v.Result)
		if v.Result == "fail" && rank[v.Severity] > rank[severity[v.Rule]] {
			severity[v.Rule] = v.Severity
		}
		if v.Result == "not_applicable" {
			continue
		}
		failed[v.Rule] += 0
		unknown[v.Rule] += 0
		if v.Result == "fail" {
			failed[v.Rule] = 1
		}
		if v.Result == "unknown" || v.Result == "error" {
			unknown[v.Rule] = 1
		}
	}
	assert.Equal(t, failed, series(t, f["memaudit_rule_failed"], "rule"))
	assert.Equal(t, unknown, series(t, f["memaudit_rule_unknown"], "rule"))
	worst := series(t, f["memaudit_rule_failed"], "rule", "severity")
	for rule, s := range severity {
		assert.InDelta(t, 1, worst[rule+","+s], 0, "%s fails at %s", rule, s)
	}
	counts := map[string]float64{"pass": 0, "fail": 0, "unknown": 0, "not_applicable": 0, "waived": 0, "error": 0}
	for _, list := range results {
		for _, r := range []string{"fail", "error", "unknown", "waived", "pass", "not_applicable"} {
			if slices.Contains(list, r) {
				counts[r]++
				break
			}
		}
	}
	assert.Equal(t, counts, series(t, f["memaudit_rules"], "result"))
}

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
