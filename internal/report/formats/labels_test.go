package formats

import (
	"regexp"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// labelLine is a feature of NFD whose value Kubernetes takes.
var labelLine = regexp.MustCompile(`^feature\.node\.kubernetes\.io/memaudit-[a-z]+=[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

func labelsOf(t *testing.T, r *report.Report, audited bool) map[string]string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, WriteLabels(&b, r, audited))
	got := map[string]string{}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		assert.Regexp(t, labelLine, line)
		key, value, _ := strings.Cut(line, "=")
		got[strings.TrimPrefix(key, "feature.node.kubernetes.io/memaudit-")] = value
	}
	return got
}

// "none" is said only of a machine that was judged.
func TestLabelsFailure(t *testing.T) {
	critical, info := "critical", "info"
	for _, c := range []struct {
		results string
		worst   *string
		audited bool
		want    string
	}{
		{"pass:info", nil, true, "none"},
		{"waived:critical", nil, true, "none"},
		{"pass:info fail:info", &info, true, "info"},
		{"fail:warning fail:critical", &critical, true, "critical"},
		{"fail:critical", &critical, false, "critical"},
		{"unknown:warning not_applicable:info", nil, true, "unknown"},
		{"pass:info", nil, false, "unknown"},
		{"", nil, true, "unknown"},
	} {
		r := reportOf(c.results)
		r.Summary.WorstSeverity = c.worst
		assert.Equal(t, c.want, labelsOf(t, r, c.audited)["failure"], "%s, audited %v", c.results, c.audited)
	}
}

// What firmware and site packs print does not break out of a label's value.
func TestLabelsAreClean(t *testing.T) {
	r := reportOf("pass:info")
	evil := "a b\n# +no-label\nfeature.node.kubernetes.io/other=1 é" + strings.Repeat("x", 80)
	r.Machine.Platform.ID = &evil
	r.Profile = &report.Profile{ID: "--vendor/max performance--"}
	got := labelsOf(t, r, true)
	assert.Equal(t, "vendor_max_performance", got["profile"])
	assert.Equal(t, "a_b____no-label_feature.node.kubernetes.io_other_1__xxxxxxxxxxx", got["platform"])
	assert.NotContains(t, got, "population", "no slot is known")
	r.Profile = &report.Profile{ID: "///"}
	assert.NotContains(t, labelsOf(t, r, true), "profile")
}
