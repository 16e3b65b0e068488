package report

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/audit"
)

// The exit status of memaudit, the same for every format.
const (
	ExitOK         = 0 // no failure at or above --fail-on
	ExitFailed     = 1 // at least one
	ExitUsage      = 2 // wrong usage or configuration
	ExitNotAudited = 3 // the audit could not be done
)

// FailNever is the --fail-on word under which no failure counts.
const FailNever = "never"

// FailOn lists the words of --fail-on.
func FailOn() []string {
	return []string{string(audit.Info), string(audit.Warning), string(audit.Critical), FailNever}
}

// CheckFailOn says what is wrong with a --fail-on word, nil when it is one.
func CheckFailOn(word string) error {
	if word == FailNever || audit.Severity(word).Rank() > 0 {
		return nil
	}
	return fmt.Errorf("--fail-on: %q is not one of info, warning, critical, never", word)
}

// ExitStatus is the status that the results ask for. A failure at or above
// failOn goes before what strict makes of an unknown or an error; waived
// findings do not count. A report without a single finding audited nothing.
func ExitStatus(r *Report, failOn string, strict bool) int {
	if CheckFailOn(failOn) != nil {
		return ExitUsage
	}
	if failOn != FailNever && failsAt(r, rank(failOn)) {
		return ExitFailed
	}
	if len(r.Findings) == 0 || strict && r.undecided() {
		return ExitNotAudited
	}
	return ExitOK
}

func failsAt(r *Report, least int) bool {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result == string(audit.Fail) && rank(f.Severity) >= least {
			return true
		}
	}
	return false
}

// undecided reports whether a rule could not tell or broke.
func (r *Report) undecided() bool {
	for i := range r.Findings {
		switch audit.Result(r.Findings[i].Result) {
		case audit.Unknown, audit.Error:
			return true
		case audit.Pass, audit.Fail, audit.NotApplicable, audit.Waived:
		}
	}
	return false
}

// rank orders severities. A word that is none of them counts as info: a
// failure never falls out of the count by a slip in its severity.
func rank(severity string) int { return max(1, audit.Severity(severity).Rank()) }
