package settings

import (
	"regexp"
	"slices"
	"sync"
)

// Kind says which values a setting has.
type Kind uint8

// The kinds.
const (
	// Switch has the words enabled and disabled.
	Switch Kind = iota
	// Choice has the words of its list.
	Choice
	// Rate has words and rates: "1866" is in MT/s for memory_speed and in MHz for uncore_frequency.
	Rate
	// VendorName keeps the vendor's own word, the name of a preset.
	VendorName
)

// Words that settings of several kinds have.
const (
	Enabled  = "enabled"
	Disabled = "disabled"
	// Auto leaves the choice to firmware: the setting alone does not say what firmware makes of it.
	Auto = "auto"
)

// Setting is one entry of the vocabulary: a row of rules/settings/vocabulary.tsv.
type Setting struct {
	ID string
	// Title says what the setting does, in the terms of the field.
	Title string
	Kind  Kind
	// Words are the canonical values of a Choice or Rate besides Auto.
	Words []string
	// Figures says which numbers are values too.
	Figures Figures
}

// Figures says which numbers a setting has besides its words.
type Figures uint8

// The figures of a setting.
const (
	NoFigures Figures = iota
	// Counts of things: "16".
	Counts
	// Hours are periods: "24h".
	Hours
)

// ratePattern, countPattern and hoursPattern are the values that are not words: a rate in MT/s or
// MHz, a number of cores, a period in hours.
var (
	ratePattern  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{2,4}$`) })
	countPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{0,2}$`) })
	hoursPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]?h$`) })
)

// Accepts tells whether a value is a canonical value of the setting.
func (s Setting) Accepts(value string) bool {
	switch {
	case value == "":
		return false
	case s.Kind == VendorName:
		return true
	case value == Auto:
		return true
	case s.Kind == Switch:
		return value == Enabled || value == Disabled
	case s.Kind == Rate && ratePattern().MatchString(value):
		return true
	case s.Figures == Counts && countPattern().MatchString(value):
		return true
	case s.Figures == Hours && hoursPattern().MatchString(value):
		return true
	default:
		return slices.Contains(s.Words, value)
	}
}

// Expected lists, for error messages, the words that Accepts accepts.
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
