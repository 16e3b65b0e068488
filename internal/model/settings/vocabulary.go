// Package settings defines the vocabulary of BIOS settings: the canonical IDs and values that rules, reports and metrics
// use. Its tables translate vendors' attribute names and values to them, and back to the command or menu path for
// changing a setting.
package settings

import (
	"slices"

	"memaudit.example/memaudit/internal/model/lazy"
)

// Kind is the kind of values of a setting.
type Kind uint8

// The kinds.
const (
	// Switch has the values enabled and disabled.
	Switch Kind = iota
	// Choice has the values of its list.
	Choice
	// Rate has named values and rates: "1866" is in MT/s for memory_speed and in MHz for uncore_frequency.
	Rate
	// VendorName keeps the vendor's value, the name of a preset.
	VendorName
)

// Words that settings of several kinds have.
const (
	Enabled  = "enabled"
	Disabled = "disabled"
	// Auto leaves the choice to firmware: the setting alone does not show the result.
	Auto = "auto"
)

// Setting is one entry of the vocabulary: a row of rules/settings/vocabulary.tsv.
type Setting struct {
	ID string
	// Title describes the setting.
	Title string
	Kind  Kind
	// Words are the canonical values of a Choice or Rate besides Auto.
	Words []string
	// Figures are the numbers that are also values.
	Figures Figures
}

// OfSystem reports whether a setting is Linux's own, which BIOS setup has no option for.
func OfSystem(id string) bool {
	return id == "idle_states" || id == "iommu_passthrough" || id == "numa_balancing"
}

// Figures are the numbers that a setting accepts besides its named values.
type Figures uint8

// The figures of a setting.
const (
	NoFigures Figures = iota
	// Counts of things: "16".
	Counts
	// Hours are periods: "24h".
	Hours
)

// ratePattern, countPattern and hoursPattern match numeric values: a rate in MT/s or MHz, a number of cores, a period in
// hours.
var (
	ratePattern  = lazy.Pattern(`^[1-9][0-9]{2,4}$`)
	countPattern = lazy.Pattern(`^[1-9][0-9]{0,2}$`)
	hoursPattern = lazy.Pattern(`^[1-9][0-9]?h$`)
)

// Accepts reports whether a value is a canonical value of the setting.
func (s Setting) Accepts(value string) bool {
	switch {
	case value == "":
		return false
	case s.Kind == VendorName, value == Auto:
		return true
	case s.Kind == Switch:
		return value == Enabled || value == Disabled
	case s.Kind == Rate && ratePattern().MatchString(value),
		s.Figures == Counts && countPattern().MatchString(value),
		s.Figures == Hours && hoursPattern().MatchString(value):
		return true
	default:
		return slices.Contains(s.Words, value)
	}
}

// Expected lists the values that Accepts accepts, for error messages.
func (s Setting) Expected() []string {
	switch s.Kind {
	case Switch:
		return []string{Enabled, Disabled, Auto}
	case VendorName:
		return []string{"the vendor's own name"}
	case Choice, Rate:
		return append(slices.Clone(s.Words), Auto)
	default:
		return nil
	}
}

// Compatible reports whether the configured and the effective canonical value of a setting are compatible. They need not be
// equal: Auto leaves the choice to firmware, a general value includes a specific one, and Linux cannot distinguish some
// values (rules/settings/includes.tsv). It is true for unknown settings.
func Compatible(id, configured, effective string) bool {
	if configured == effective || configured == Auto || effective == Auto {
		return true
	}
	s, ok := Lookup(id)
	if !ok || s.Kind == VendorName {
		return true // the name of a preset does not show what it sets
	}
	if s.Kind == Rate && ratePattern().MatchString(configured) != ratePattern().MatchString(effective) {
		return true // a rate and a name such as "max" do not contradict each other
	}
	return slices.ContainsFunc(vocabulary().includes[id], func(g inclusion) bool {
		return g.covers(configured, effective) || g.covers(effective, configured)
	})
}

// Satisfies reports whether a canonical value is one of the recommended values, or a specific one that a recommended value
// includes: C6 by the name of ACPI's C2 if C6 is recommended, or SNC2 if SNC is. If the list also has one of the specific
// values, only equal values satisfy it.
func Satisfies(id string, want []string, value string) bool {
	return slices.Contains(want, value) || slices.ContainsFunc(vocabulary().includes[id], func(g inclusion) bool {
		named := slices.ContainsFunc(g.others, func(w string) bool { return slices.Contains(want, w) })
		return g.fulfils && !named && slices.Contains(want, g.word) && g.covers(g.word, value)
	})
}
