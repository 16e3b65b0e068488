package formats

import (
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPluginStatus(t *testing.T) {
	for _, c := range []struct {
		results string
		failOn  string
		strict  bool
		want    int
	}{
		{"pass:info", "warning", false, report.PluginOK},
		{"pass:info fail:info", "warning", false, report.PluginOK},
		{"pass:info fail:info", "info", false, report.PluginWarning},
		{"fail:warning unknown:critical", "warning", true, report.PluginWarning},
		{"fail:warning fail:critical", "warning", false, report.PluginCritical},
		{"fail:warning fail:critical", "critical", false, report.PluginCritical},
		{"fail:warning fail:critical", "never", false, report.PluginOK},
		{"fail:warning", "critical", false, report.PluginOK},
		{"pass:info unknown:warning", "warning", false, report.PluginOK},
		{"pass:info unknown:warning", "warning", true, report.PluginUnknown},
		{"pass:info error:warning", "warning", true, report.PluginUnknown},
		{"unknown:warning not_applicable:info", "warning", false, report.PluginUnknown},
		{"not_applicable:info", "warning", false, report.PluginUnknown},
		{"fail:info unknown:warning", "warning", false, report.PluginUnknown},
		{"fail:info error:warning", "warning", false, report.PluginUnknown},
		{"fail:info not_applicable:warning", "warning", false, report.PluginOK},
		{"fail:info unknown:warning", "info", false, report.PluginWarning},
		{"fail:warning unknown:warning", "never", false, report.PluginUnknown},
		{"waived:critical", "warning", false, report.PluginOK},
		{"", "warning", false, report.PluginUnknown},
		{"pass:info", "often", false, report.PluginUnknown},
	} {
		r := reportOf(c.results)
		assert.Equal(t, c.want, report.PluginStatus(r, c.failOn, c.strict), "%s, --fail-on %s, strict %v", c.results, c.failOn, c.strict)
	}
}

// reportOf has one finding a word, "RESULT:SEVERITY".
func reportOf(words string) *report.Report {
	r := &report.Report{}
	for w := range strings.FieldsSeq(words) {
		result, severity, _ := strings.Cut(w, ":")
		r.Findings = append(r.Findings, report.Finding{Rule: "a.rule", Subject: "machine", Result: result, Severity: severity})
		switch result {
		case "pass":
			r.Summary.Pass++
		case "fail":
			r.Summary.Fail++
		case "waived":
			r.Summary.Waived++
		case "unknown":
			r.Summary.Unknown++
		}
	}
	return r
}

// A monitor ends the text at a bar and a finding at a line.
func TestNagiosIsClean(t *testing.T) {
	found := "4 GiB | critical=0\nMEMAUDIT OK\x1b[31m \xff"
	r := reportOf("fail:critical")
	r.Findings[0].Found = &found
	r.Machine.Vendor = &found
	var b strings.Builder
	require.NoError(t, WriteNagios(&b, r, Plugin{Status: report.PluginCritical, Problem: "a | b\nc"}))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, 2)
	assert.True(t, strings.HasPrefix(lines[0], "MEMAUDIT CRITICAL - "), lines[0])
	assert.Equal(t, 1, strings.Count(b.String(), "|"))
	assert.NotContains(t, b.String(), "\x1b")
	assert.Equal(t, "fail a.rule machine: critical: 4 GiB / critical=0?MEMAUDIT OK?[31m ?; expected ", lines[1])
}

// XML has no way to write most control characters: they must not get there.
func TestJUnitIsClean(t *testing.T) {
	found := "a\x00b\x1b \xff <&>\"'\n]]>"
	r := reportOf("fail:critical unknown:info")
	r.Findings[0].Found, r.Findings[1].Reason = &found, &found
	var b strings.Builder
	require.NoError(t, WriteJUnit(&b, r))
	for _, c := range b.String() {
		assert.True(t, c == '\n' || c >= ' ' && c != 0xfffd, "%q", c)
	}
	assert.Contains(t, b.String(), "a?b? ? &lt;&amp;&gt;&#34;&#39;?]]&gt;")
}
