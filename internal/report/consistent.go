package report

import (
	"errors"
	"fmt"

	"memaudit.example/memaudit/internal/audit/verdict"
)

// Contradiction returns what a report from elsewhere says against its own findings, nil if nothing: its counts, its
// problems, its verdict. Unknown is accepted where the findings make ok or not applicable: --strict, a profile that was
// not applied and an input that could not be read leave no finding.
func (r *Report) Contradiction() error {
	if len(r.Findings) == 0 {
		return errors.New("findings is empty")
	}
	counted := verdict.Summarize(r.Findings)
	for _, c := range []struct {
		what          string
		stated, found int
	}{
		{"summary.pass", r.Summary.Pass, counted.Pass},
		{"summary.fail", r.Summary.Fail, counted.Fail},
		{"summary.unknown", r.Summary.Unknown, counted.Unknown},
		{"summary.not_applicable", r.Summary.NotApplicable, counted.NotApplicable},
		{"summary.waived", r.Summary.Waived, counted.Waived},
		{"summary.error", r.Summary.Error, counted.Error},
		{"verdict.judged", r.Verdict.Judged, counted.Pass + counted.Fail + counted.Waived},
		{"verdict.not_judged", r.Verdict.NotJudged, counted.Unknown + counted.Error},
	} {
		if c.stated != c.found {
			return fmt.Errorf("%s is %d, but findings has %d", c.what, c.stated, c.found)
		}
	}
	if r.Summary.Worst != counted.Worst {
		return fmt.Errorf("summary.worst_severity is %q, but the worst failure of findings is %q", r.Summary.Worst, counted.Worst)
	}
	if err := r.problemsContradict(counted); err != nil {
		return err
	}
	stated := r.Verdict.Status
	made, _ := r.status(Criteria{}, counted.Worst)
	if stated == made || stated == StatusUnknown && (made == StatusOK || made == StatusNotApplicable) {
		return nil
	}
	return fmt.Errorf("verdict.status is %q, but findings make it %q", stated, made)
}

// problemsContradict returns how the problems differ from the failures: each failure belongs to one.
func (r *Report) problemsContradict(counted verdict.Summary) error {
	failed := map[string]bool{}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Result == verdict.Fail {
			failed[f.Rule] = true
		}
	}
	n := 0
	var worst verdict.Severity
	for i := range r.Problems {
		p := &r.Problems[i]
		if !failed[p.Rule] {
			return fmt.Errorf("problems[%d] is about %q, which fails nowhere in findings", i, p.Rule)
		}
		n += len(p.Subjects) + len(p.Consequences)
		if p.Severity.Rank() > worst.Rank() {
			worst = p.Severity
		}
	}
	switch {
	case n != counted.Fail:
		return fmt.Errorf("problems has %d failures, but findings has %d", n, counted.Fail)
	case worst != counted.Worst:
		return fmt.Errorf("the worst of problems is %q, but the worst failure of findings is %q", worst, counted.Worst)
	}
	return nil
}
