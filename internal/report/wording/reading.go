package wording

import "github.com/memaudit/memaudit/internal/report"

// Reading is one reading in one line: its source, the file and what stood there.
func Reading(e *report.Evidence) string {
	s := e.Source
	if e.Path != nil {
		s += " " + *e.Path
	}
	if e.Raw != nil {
		s += ": " + *e.Raw
	}
	return s
}
