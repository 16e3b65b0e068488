package report

import (
	"fmt"

	"memaudit.example/memaudit/internal/audit/verdict"
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

// CheckFailOn returns what is wrong with a --fail-on word, nil if it is valid.
func CheckFailOn(word string) error {
	if word == FailNever || verdict.Severity(word).Rank() > 0 {
		return nil
	}
	return fmt.Errorf("--fail-on: %q, expected one of info, warning, critical, never", word)
}

// SeverityRank orders severities. An unknown word counts as info, so that no failure is lost because of a misspelled
// severity.
func SeverityRank[S ~string](severity S) int { return max(1, verdict.Severity(severity).Rank()) }

// SeverityName is the word of a rank.
func SeverityName(level int) verdict.Severity {
	switch level {
	case 3:
		return verdict.Critical
	case 2:
		return verdict.Warning
	default:
		return verdict.Info
	}
}
