package report_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/report"
)

// TestProblemLines checks that a line-oriented output has at most 40 lines, however many problems there are, and says
// what it leaves out. Notes are not problems.
func TestProblemLines(t *testing.T) {
	r := &report.Report{Problems: []report.Problem{{Severity: "critical", Rule: "memory.socket.populated", Where: "CPU2", Sentence: "no DIMM is installed", Fix: "move one"}}}
	for i := range 30 {
		r.Problems = append(r.Problems, report.Problem{Severity: "warning", Rule: fmt.Sprint("x.", i), Sentence: "it is wrong", Fix: "make it right"})
	}
	r.Problems = append(r.Problems, report.Problem{Severity: "info", Rule: "setting.smt", Sentence: "smt is on"})
	lines := r.ProblemLines()
	assert.LessOrEqual(t, len(lines), 35)
	assert.Equal(t, []string{"1. CRITICAL CPU2: no DIMM is installed (memory.socket.populated)", "   Fix: move one", "2. WARNING it is wrong (x.0)"}, lines[:3])
	assert.Equal(t, "and 15 more problems: memaudit check lists them", lines[len(lines)-1])
}
