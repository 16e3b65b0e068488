package audit

import (
	"fmt"
	"time"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// Options are those of one audit.
type Options struct {
	// Profile is an intent or a profile id; Asked is true if the user selected it, false for the default.
	Profile string
	Asked   bool
	Waivers []WaiverSpec
	// Accepted are populations that a site accepts; Population is the signature of the machine's.
	Accepted   []AcceptedSpec
	Population func(sys *inventory.System, topo *population.Result) string
	// Now decides which waivers have expired.
	Now time.Time
	// Rules limits an audit to the rules whose ids it accepts, without a profile; nil evaluates all.
	Rules func(id string) bool
	// Bare limits findings to result, severity, certainty and the reason of an unknown: no texts, effects,
	// documents, evidence, causes or waivers.
	Bare bool
	// Changes returns the changes that bring settings of the machine's export to a profile, by setting; nil
	// without an export that can be changed. Reports and profiles patch use the same.
	Changes func(*Chosen) map[string]SettingWays
	// NoReadings leaves out the evidence of findings, for callers that do not print it: a large machine has a
	// few thousand.
	NoReadings bool
}

// SettingWays are the ways to change one setting of a machine's export.
type SettingWays struct {
	// Before is what must be done first.
	Before []string
	Ways   []settings.Instruction
	// Reason is why no change is known; then there are no ways.
	Reason string
}

// WaiverSpec is one accepted failure of the configuration.
type WaiverSpec struct {
	Rule string `yaml:"rule"`
	// Subject limits it to one subject; empty covers all.
	Subject string `yaml:"subject,omitempty"`
	Reason  string `yaml:"reason"`
	// Until is the last day it is valid, YYYY-MM-DD.
	Until string `yaml:"until"`
}

// AcceptedSpec is a population of a product that a site accepts: the findings about its layout are waived, and
// of no other.
type AcceptedSpec struct {
	// Product is the product's name as firmware prints it, Population the signature that memaudit labels
	// prints.
	Product    string `yaml:"product"`
	Population string `yaml:"population"`
	Reason     string `yaml:"reason"`
	// Until is the last day it is valid, YYYY-MM-DD.
	Until string `yaml:"until"`
}

// Check returns an error for an entry without product, population, reason or date.
func (a AcceptedSpec) Check() error {
	for _, f := range [][2]string{{"product", a.Product}, {"population", a.Population}, {"reason", a.Reason}} {
		if f[1] == "" {
			return fmt.Errorf("accepted population of %q: %s is missing", a.Product, f[0])
		}
	}
	_, err := lastDay("accepted population of "+a.Product, a.Until)
	return err
}

func lastDay(what, until string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, until)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: until is %q, expected a date such as 2027-06-30", what, until)
	}
	return t, nil
}

// End parses the last day.
func (w WaiverSpec) End() (time.Time, error) {
	return lastDay("waiver of "+w.Rule, w.Until)
}

// Check returns an error for a waiver without rule, reason or date.
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
