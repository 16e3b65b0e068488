package formats

import (
	"errors"
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
)

// reportOf has one finding per word, "RESULT:SEVERITY".
func reportOf(words string) *report.Report {
	r := &report.Report{}
	for w := range strings.FieldsSeq(words) {
		result, severity, _ := strings.Cut(w, ":")
		r.Findings = append(r.Findings, verdict.Finding{Rule: "a.rule", Result: verdict.Result(result), Severity: verdict.Severity(severity)})
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
	r.Judge(report.Criteria{})
	return r
}

// A monitor ends the text at a vertical bar and a problem at a line break.
func TestNagiosIsClean(t *testing.T) {
	found := "4 GiB | critical=0\nMEMAUDIT OK\x1b[31m \xff"
	r := reportOf("fail:critical")
	r.Findings[0].Found = nullable.String(found)
	r.Machine.Vendor = fact.Known(found, fact.Direct, fact.Evidence{})
	r.Judge(report.Criteria{Failed: errors.New("a | b\nc")})
	r.Problems[0].Fix = found
	var b strings.Builder
	require.NoError(t, WriteNagios(&b, r))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	assert.True(t, strings.HasPrefix(lines[0], "MEMAUDIT CRITICAL - "), lines[0])
	assert.Equal(t, 1, strings.Count(b.String(), "|"))
	assert.NotContains(t, b.String(), "\x1b")
	assert.Equal(t, "   Fix: 4 GiB / critical=0?MEMAUDIT OK?[31m ?", lines[2])
}
