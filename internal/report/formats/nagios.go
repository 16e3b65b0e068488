package formats

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/wording"
)

// WriteNagios prints what Nagios, Icinga and their kin read of a plugin: a
// status line with performance data, then the numbered problems with their fix, the worst first, so
// that a monitor that cuts the text keeps what matters.
func WriteNagios(w io.Writer, r *report.Report) error {
	var b strings.Builder
	b.WriteString(statusLine(r))
	b.WriteString(" | " + perfdata(r) + "\n")
	for _, line := range r.ProblemLines() {
		b.WriteString(pluginText(line) + "\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the plugin's output: %w", err)
	}
	return nil
}

// WritePluginProblem prints the line of a plugin that could not audit at all.
func WritePluginProblem(w io.Writer, problem string) error {
	_, err := io.WriteString(w, "MEMAUDIT UNKNOWN - "+pluginText(problem)+"\n")
	return err
}

// pluginText keeps the bar, which begins performance data, out of texts.
func pluginText(s string) string { return strings.ReplaceAll(printable.Clean(s), "|", "/") }

func statusLine(r *report.Report) string {
	says := wording.Verdict(r)
	switch plugin := r.Verdict.PluginStatus(); {
	case plugin == report.PluginOK && r.Verdict.Status == report.StatusWarning, plugin == report.PluginOK && r.Verdict.Status == report.StatusCritical:
		says += "; below --fail-on"
	case plugin == report.PluginWarning && r.Verdict.Status != report.StatusWarning:
		says += "; counts by --fail-on info"
	}
	if r.Failed != "" && r.Verdict.Status != report.StatusUnknown { // of an unknown it is the sentence
		says += "; not everything could be read: " + r.Failed
	}
	return pluginText("MEMAUDIT " + r.Verdict.Status.Word() + " - " + says)
}

// perfdata counts findings; the names never change, so that graphs go on.
func perfdata(r *report.Report) string {
	var at [4]int
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Result == verdict.Fail {
			at[report.SeverityRank(f.Severity)]++
		}
	}
	s := r.Summary
	return fmt.Sprintf("critical=%d;;;0 warning=%d;;;0 info=%d;;;0 pass=%d;;;0 unknown=%d;;;0 error=%d;;;0 waived=%d;;;0 not_applicable=%d;;;0 time=%ss;;;0",
		at[3], at[2], at[1], s.Pass, s.Unknown, s.Error, s.Waived, s.NotApplicable, strconv.FormatFloat(r.Took.Seconds(), 'f', 3, 64))
}
