package report

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/verdict"
)

// The exit status of memaudit, the same for every format.
const (
	ExitOK         = 0 // no failure at or above --fail-on
	ExitFailed     = 1 // at least one
	ExitUsage      = 2 // wrong usage or configuration
	ExitNotAudited = 3 // the audit could not be done
)

// The statuses of a monitoring plugin.
const (
	PluginOK       = 0
	PluginWarning  = 1
	PluginCritical = 2
	PluginUnknown  = 3
)

// FailNever is the --fail-on word under which no failure counts.
const FailNever = "never"

// FailOn lists the words of --fail-on.
func FailOn() []string {
	return []string{string(verdict.Info), string(verdict.Warning), string(verdict.Critical), FailNever}
}

// CheckFailOn says what is wrong with a --fail-on word, nil when it is one.
func CheckFailOn(word string) error {
	if word == FailNever || verdict.Severity(word).Rank() > 0 {
		return nil
	}
	return fmt.Errorf("--fail-on: %q, expected one of info, warning, critical, never", word)
}

// ExitStatus is the status that the results ask for. A failure at or above
// failOn goes before what strict makes of an unknown or an error; waived
// findings do not count. A report without a single finding audited nothing.
func ExitStatus(r *Report, failOn string, strict bool) int {
	if CheckFailOn(failOn) != nil {
		return ExitUsage
	}
	if failOn != FailNever && failsAt(r, SeverityRank(failOn)) {
		return ExitFailed
	}
	if len(r.Findings) == 0 || strict && r.undecided() {
		return ExitNotAudited
	}
	return ExitOK
}

// PluginStatus maps a report to a plugin's status. A failure at or above
// failOn is a warning, a critical one critical. An audit that judged nothing is
// unknown and never OK, as is one in which nothing passed and something could not
// be told; with strict, so is one that left anything open.
func PluginStatus(r *Report, failOn string, strict bool) int {
	switch {
	case CheckFailOn(failOn) != nil:
		return PluginUnknown
	case failOn != FailNever && failsAt(r, SeverityRank(string(verdict.Critical))):
		return PluginCritical
	case failOn != FailNever && failsAt(r, SeverityRank(failOn)):
		return PluginWarning
	case r.Summary.Pass+r.Summary.Fail+r.Summary.Waived == 0, r.Summary.Pass+r.Summary.Waived == 0 && r.undecided(), strict && r.undecided():
		return PluginUnknown
	default:
		return PluginOK
	}
}

func failsAt(r *Report, least int) bool {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result == string(verdict.Fail) && SeverityRank(f.Severity) >= least {
			return true
		}
	}
	return false
}

// undecided reports whether a rule could not tell or broke.
func (r *Report) undecided() bool {
	for i := range r.Findings {
		switch verdict.Result(r.Findings[i].Result) {
		case verdict.Unknown, verdict.Error:
			return true
		case verdict.Pass, verdict.Fail, verdict.NotApplicable, verdict.Waived:
		}
	}
	return false
}

// SeverityRank orders severities. A word that is none of them counts as info: a
// failure never falls out of the count by a slip in its severity.
func SeverityRank(severity string) int { return max(1, verdict.Severity(severity).Rank()) }

// SeverityName is the word of a rank.
func SeverityName(level int) string {
	switch level {
	case 3:
		return string(verdict.Critical)
	case 2:
		return string(verdict.Warning)
	default:
		return string(verdict.Info)
	}
}
