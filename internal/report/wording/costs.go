package wording

import (
	"strings"

	"github.com/memaudit/memaudit/internal/report"
)

// Costs is what a deviation costs, and who measured it; "" where nobody says. What
// the population model computes names its ground by itself.
func Costs(e *report.Effect) string {
	if e == nil {
		return ""
	}
	source := report.OrEmpty(e.Source)
	if source == "" || strings.Contains(source, "population model") {
		return e.Text
	}
	return e.Text + " (" + source + ")"
}
