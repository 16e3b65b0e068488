// Package report has the versioned Report that memaudit prints, and its writers. Every writer reads the Report alone, so
// that two formats of one audit always agree.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report/printable"
)

// The schemas of the documents, as their "schema" key states them.
const (
	SchemaReport    = "memaudit.report/v1"
	SchemaInventory = "memaudit.inventory/v1"
)

// Report is the outcome of one audit. Keys are always present; what is not
// known is null.
type Report struct {
	Schema string `json:"schema" jsonschema:"enum=memaudit.report/v1"`
	// GeneratedAt is RFC 3339 in UTC.
	GeneratedAt string            `json:"generated_at" jsonschema:"format=date-time"`
	Memaudit    Program           `json:"memaudit"`
	Machine     inventory.Machine `json:"machine"`
	// Verdict is the one judgement that every writer prints.
	Verdict Verdict `json:"verdict"`
	// Profile is null if none applies; Why is then the reason.
	Profile *verdict.Profile `json:"profile" jsonschema:"nullable"`
	Why     nullable.String  `json:"why" jsonschema:"nullable"`
	// ProfileAsked is set if the profile was selected, for the text.
	ProfileAsked bool              `json:"-"`
	Summary      verdict.Summary   `json:"summary"`
	Findings     []verdict.Finding `json:"findings"`
	// Problems are the root causes of the failures, the worst first: those above info are the
	// numbered problems of a report, the others its notes.
	Problems []Problem `json:"problems,omitzero"`
	// slow is the number of the problem that memory runs below its speed, 0 without one.
	slow int
	// Advice lists alternatives for the memory population, cheapest first. AdviceExpensive is the reason why none is
	// cheaper.
	Advice          []plan.Advice `json:"advice"`
	AdviceExpensive string        `json:"-"`
	Inventory       Inventory     `json:"inventory"`
	// Profiles checks the machine against every profile documented for it; there
	// only when it was asked for, and empty when no document gives one.
	Profiles []verdict.HeldProfile `json:"profiles,omitzero"`
	// Compared is the comparison that Profiles are from, for the text.
	Compared *verdict.Comparison `json:"-"`
	// Notices are remarks about the configuration (a waiver that matches
	// nothing). They are not part of the audited machine and of the schema.
	Notices []string `json:"-"`
	// Measured are results of measured bandwidth and latency; there only when
	// some were given.
	Measured []Measurement `json:"measured,omitempty"`
	// Baseline lists the differences from the accepted hardware; only if a baseline was compared.
	Baseline *Baseline `json:"baseline,omitempty"`
	// Outdated is the reason why this is not the last audit: the last one could read nothing of the machine. Only the
	// daemon sets it.
	Outdated string `json:"outdated,omitempty"`
	// Failed lists what the audit was told to read and could not, "" if it read all.
	Failed string `json:"-"`
	// Took is the duration of the audit, 0 if it was not measured. Changed has for each kind of hardware in a
	// baseline whether it differs, nil without a baseline. Both are for the metrics only.
	Took    time.Duration   `json:"-"`
	Changed map[string]bool `json:"-"`
}

// NothingRead reports whether no source of the machine could be read, not even
// in part.
func (r *Report) NothingRead() bool { return NothingRead(r.Inventory.Sources) }

// NothingRead reports whether none of a machine's sources could be read.
func NothingRead(sources []inventory.Source) bool {
	return !slices.ContainsFunc(sources, func(s inventory.Source) bool {
		return s.State == fact.SourceOK || s.State == fact.SourcePartial
	})
}

// Program is the memaudit that made the document.
type Program struct {
	Version  string          `json:"version"`
	Revision nullable.String `json:"revision" jsonschema:"nullable"`
}

// Accepted counts the waived findings that belong to an accepted population.
func (r *Report) Accepted() int {
	n := 0
	for i := range r.Findings {
		if w := r.Findings[i].Waiver; w != nil && w.Population && r.Findings[i].Result == "waived" {
			n++
		}
	}
	return n
}

// Incomparable returns the reason why nothing could be compared.
func (r *Report) Incomparable() string {
	for i := range r.Findings {
		if why := r.Findings[i].Reason; why != "" {
			return string(why)
		}
	}
	return "nothing could be compared with the baseline"
}

// WriteJSON prints a document: two spaces a level, a newline at the end, keys and findings
// in a stable order.
func WriteJSON[T Report | Inventory | Comparison | WhatIf | Capacity](w io.Writer, v *T) error {
	text, err := printable.EncodeJSON(v)
	if err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

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

// FailOnWords lists the words of --fail-on.
func FailOnWords() []string {
	return []string{string(verdict.Info), string(verdict.Warning), string(verdict.Critical), FailNever}
}
