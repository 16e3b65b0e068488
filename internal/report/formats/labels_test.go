package formats

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/metrics"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// labelLine is a feature of NFD whose value Kubernetes takes.
var labelLine = regexp.MustCompile(`^feature\.node\.kubernetes\.io/memaudit-[a-z]+=[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

func labelsOf(t *testing.T, r *report.Report) map[string]string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, WriteLabels(&b, r))
	got := map[string]string{}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		assert.Regexp(t, labelLine, line)
		key, value, _ := strings.Cut(line, "=")
		got[strings.TrimPrefix(key, "feature.node.kubernetes.io/memaudit-")] = value
	}
	return got
}

// TestLabelsFailure checks that the worst failure is "none" only if the verdict is ok.
func TestLabelsFailure(t *testing.T) {
	for _, c := range []struct{ status, worst, want string }{
		{"ok", "", "none"}, {"ok", "info", "info"}, {"critical", "critical", "critical"}, {"unknown", "info", "info"},
		{"unknown", "", "unknown"}, {"not_applicable", "", "not_applicable"},
	} {
		r := &report.Report{Verdict: report.Verdict{Status: report.Status(c.status)}}
		if c.worst != "" {
			r.Summary.Worst = verdict.Severity(c.worst)
		}
		got := labelsOf(t, r)
		assert.Equal(t, c.want, got["failure"], c)
		assert.Equal(t, c.status, got["verdict"])
	}
}

// What firmware and site packs print does not break out of a label's value.
func TestLabelsAreClean(t *testing.T) {
	r := reportOf("pass:info")
	evil := "a b\n# +no-label\nfeature.node.kubernetes.io/other=1 é" + strings.Repeat("x", 80)
	r.Machine.Platform.ID = nullable.String(evil)
	r.Profile = &report.Profile{ID: "--vendor/max performance--"}
	got := labelsOf(t, r)
	assert.Equal(t, "vendor_max_performance", got["profile"])
	assert.Equal(t, "a_b____no-label_feature.node.kubernetes.io_other_1__xxxxxxxxxxx", got["platform"])
	assert.NotContains(t, got, "population", "no slot is known")
	r.Profile = &report.Profile{ID: "///"}
	assert.NotContains(t, labelsOf(t, r), "profile")
}

// A label's value is cut between characters, and before what is not a character of
// one.
func TestLabelValueIsCut(t *testing.T) {
	for _, s := range []string{strings.Repeat("aé", 60), strings.Repeat("x", 62) + "é", strings.Repeat("x", 63) + "é", strings.Repeat("日", 70) + "x"} {
		got := labelValue(s)
		assert.LessOrEqual(t, len(got), 63)
		assert.Regexp(t, `^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$`, got)
	}
	assert.Equal(t, strings.Repeat("x", 63), labelValue(strings.Repeat("x", 63)+"é"))
}

// What is waived is one of the rules' results and one of JUnit's skipped.
func TestWaivedIsCounted(t *testing.T) {
	r := reportOf("pass:info waived:critical waived:info unknown:info fail:warning")
	for i := range r.Findings {
		r.Findings[i].Rule += strconv.Itoa(i)
	}
	r.Findings[1].Rule = r.Findings[0].Rule // one of its subjects passed, the rule is waived
	var exposed, junit strings.Builder
	require.NoError(t, metrics.Write(&exposed, r))
	assert.Contains(t, exposed.String(), "memaudit_rules{result=\"waived\"} 2\n")
	assert.Contains(t, exposed.String(), "memaudit_rules{result=\"pass\"} 0\n")
	require.NoError(t, WriteJUnit(&junit, r))
	assert.Contains(t, junit.String(), `tests="5" failures="1" errors="0" skipped="3"`)
	assert.Equal(t, 3, strings.Count(junit.String(), "<skipped"))
}

// TestLabelsCountErrors checks that a rule that broke counts as unknown.
func TestLabelsCountErrors(t *testing.T) {
	assert.Equal(t, "3", labelsOf(t, &report.Report{Summary: verdict.Summary{Pass: 7, Unknown: 1, Error: 2}})["unknown"])
}
