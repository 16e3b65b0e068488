package formats

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/metrics"
)

// labelPrefix is the namespace that Node Feature Discovery allows without
// further configuration.
const labelPrefix = "feature.node.kubernetes.io/memaudit-"

// maxLabelValue is the longest value of a Kubernetes label.
const maxLabelValue = 63

// WriteLabels prints the few words of a report that a scheduler can use, as a
// feature file of Node Feature Discovery: one KEY=VALUE a line. What is not known
// has no line.
func WriteLabels(w io.Writer, r *report.Report) error {
	var b strings.Builder
	label := func(name, value string) {
		if v := labelValue(value); v != "" {
			b.WriteString(labelPrefix + name + "=" + v + "\n")
		}
	}
	label("verdict", string(r.Verdict.Status))
	label("failure", worstFailure(r))
	label("failed", strconv.Itoa(r.Summary.Fail))
	label("unknown", strconv.Itoa(r.Summary.Unknown+r.Summary.Error))
	if r.Profile != nil {
		label("profile", r.Profile.ID)
	}
	label("platform", string(r.Machine.Platform.ID))
	label("population", metrics.Signature(&r.Inventory))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the labels: %w", err)
	}
	return nil
}

// worstFailure is the severity of the worst failure, "none" for a verdict of ok, otherwise the verdict's own word.
func worstFailure(r *report.Report) string {
	switch {
	case r.Summary.Worst != "": // which there is of failures alone
		return string(r.Summary.Worst)
	case r.Verdict.Status == report.StatusOK:
		return "none"
	default:
		return string(r.Verdict.Status)
	}
}

// labelValue keeps the characters allowed in a label's value: letters, digits, and between them "-", "_" and ".";
// anything else becomes "_".
func labelValue(s string) string {
	s = strings.Map(func(r rune) rune {
		if labelRune(r) {
			return r
		}
		return '_'
	}, s)
	return strings.Trim(s[:min(len(s), maxLabelValue)], "-_.")
}

func labelRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
}
