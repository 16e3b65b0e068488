package audit

import (
	"fmt"
	"time"

	"github.com/memaudit/memaudit/internal/model/settings"
)

// Options are those of one audit.
type Options struct {
	// Profile is an intent or a profile id; Asked is true when somebody chose
	// it, false for the default.
	Profile string
	Asked   bool
	Waivers []WaiverSpec
	// Now decides which waivers have ended.
	Now time.Time
	// Rules narrows an audit to the rules whose ids it accepts, checked against no
	// profile; nil asks all of them.
	Rules func(id string) bool
	// Bare asks for verdicts alone: result, severity, certainty and the reason of what is
	// not known, without the rules' texts, effects, documents, evidence, causes and waivers.
	Bare bool
	// Changes finds the ways to bring settings of the machine's export to a profile, by setting; nil
	// without an export that can be changed. What a report prints and profiles patch are one.
	Changes func(*Chosen) map[string]SettingWays
	// NoReadings leaves out the readings behind what rules found, for callers that do not print them:
	// gathered they are a few thousand of a large machine.
	NoReadings bool
}

// SettingWays are the ways to change one setting of a machine's export.
type SettingWays struct {
	// Before is what must be done first.
	Before []string
	Ways   []settings.Way
	// Reason says why no change is known; then there are no ways.
	Reason string
}

// WaiverSpec is one accepted failure of the configuration.
type WaiverSpec struct {
	Rule string `yaml:"rule"`
	// Subject narrows it; empty covers every subject.
	Subject string `yaml:"subject,omitempty"`
	Reason  string `yaml:"reason"`
	// Until is the last day it holds, YYYY-MM-DD.
	Until string `yaml:"until"`
}

// End parses the last day.
func (w WaiverSpec) End() (time.Time, error) {
	t, err := time.Parse(time.DateOnly, w.Until)
	if err != nil {
		return time.Time{}, fmt.Errorf("waiver of %s: until is %q, expected a date such as 2027-06-30", w.Rule, w.Until)
	}
	return t, nil
}

// Check complains about a waiver without rule, reason or date.
func (w WaiverSpec) Check() error {
	switch {
	case w.Rule == "":
		return fmt.Errorf("waiver names no rule")
	case w.Reason == "":
		return fmt.Errorf("waiver of %s gives no reason", w.Rule)
	}
	_, err := w.End()
	return err
}
