package report

import "strings"

// Status is the one word of a verdict.
type Status string

// The statuses of a verdict.
const (
	StatusOK            Status = "ok"
	StatusWarning       Status = "warning"
	StatusCritical      Status = "critical"
	StatusUnknown       Status = "unknown"
	StatusNotApplicable Status = "not_applicable"
)

// Statuses lists every status, the best first.
func Statuses() []Status {
	return []Status{StatusOK, StatusNotApplicable, StatusUnknown, StatusWarning, StatusCritical}
}

// Values lists the statuses, for the published schemas.
func (Status) Values() []Status { return Statuses() }

// Word returns the status as printed: in capitals, "NOT APPLICABLE" in two words.
func (s Status) Word() string { return strings.ToUpper(strings.ReplaceAll(string(s), "_", " ")) }

// Class returns the status as pages' style sheets name it.
func (s Status) Class() string {
	if s == StatusOK {
		return "pass"
	}
	return string(s)
}

// Verdict is the judgement of a machine. It is made here alone; every writer, role and hook prints it.
type Verdict struct {
	Status Status `json:"status"`
	// Sentence returns the reason in one line, without a final stop.
	Sentence string `json:"sentence"`
	// Judged counts the checks that ran, NotJudged those that concern the machine and could not run.
	Judged    int `json:"judged" jsonschema:"minimum=0"`
	NotJudged int `json:"not_judged" jsonschema:"minimum=0"`
	// ExitStatus is that of check, for every format but nagios.
	ExitStatus int `json:"exit_status" jsonschema:"minimum=0"`
}

// Line returns the word of the verdict and its sentence in one line.
func (v *Verdict) Line() string { return v.Status.Word() + ": " + v.Sentence }

// PluginStatus returns the status of a monitoring plugin for a verdict: that of its word, but OK
// for a failure below --fail-on.
func (v *Verdict) PluginStatus() int {
	switch {
	case v.ExitStatus == ExitOK:
		return PluginOK
	case v.Status == StatusCritical:
		return PluginCritical
	case v.Status == StatusWarning, v.ExitStatus == ExitFailed:
		return PluginWarning
	default:
		return PluginUnknown
	}
}
