package formats

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/reporttest"
	"memaudit.example/memaudit/internal/report/text"
)

// hostile is a report of a machine whose firmware prints anything.
func hostile() *report.Report {
	m := reporttest.Bad()
	const evil = "a\x00\n\"<\u202e\xff%20/..\x7f\u009b31m"
	for i := range m.Sys.Slots {
		m.Sys.Slots[i].Locator = reporttest.Direct(evil)
	}
	for i := range m.Audit.Findings {
		f := &m.Audit.Findings[i]
		f.Found, f.Subject = evil, reporttest.Subject(evil)
		for j := range f.Evidence {
			f.Evidence[j].Path = "/" + evil
		}
	}
	return reporttest.Report(m)
}

// TestFormatsArePrintable checks that no format contains a string of firmware's that a terminal would interpret.
func TestFormatsArePrintable(t *testing.T) {
	for _, format := range Reports() {
		var b bytes.Buffer
		require.NoError(t, Write(&b, format, hostile(), text.Options{}))
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimSuffix(strings.ReplaceAll(line, "\t", ""), "\n"); line != printable.Clean(line) {
				t.Errorf("%s: %q", format, line)
				break
			}
		}
	}
}
