// Package settings has the vocabulary of BIOS settings: the canonical ids and
// words that rules, reports and metrics use. Its tables translate each vendor's
// attribute names and values into them, and back into the command or menu path
// with which an operator changes a setting.
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

// Agree tells whether two canonical values of a setting, what BIOS setup says and what the system
// runs with, can stand for the same state. They need not be equal: Auto leaves the choice to
// firmware, a general word includes a special one, and Linux cannot tell some words apart
// (rules/settings/includes.tsv). It is true for settings that it does not know.
func Agree(id, configured, effective string) bool {
	if configured == effective || configured == Auto || effective == Auto {
		return true
	}
	s, ok := Lookup(id)
	if !ok || s.Kind == VendorName {
		return true // the name of a preset does not say what it sets
	}
	if s.Kind == Rate && agreeRates(configured, effective) {
		return true
	}
	return slices.ContainsFunc(vocabulary().includes[id], func(g inclusion) bool {
		return g.covers(configured, effective) || g.covers(effective, configured)
	})
}

// agreeRates tells whether one value is a rate and the other a word such as "max". Only two words
// or two rates can contradict each other.
func agreeRates(a, b string) bool {
	return ratePattern().MatchString(a) != ratePattern().MatchString(b)
}

// Fulfils tells whether a canonical value is one of the wanted words, or a special one that a
// wanted word includes: C6 by the name of ACPI's C2 if C6 is wanted, or SNC2 if SNC is. A list that
// also names one of the special words tells them apart; then only equal words fulfil it.
func Fulfils(id string, want []string, value string) bool {
	return slices.Contains(want, value) || slices.ContainsFunc(vocabulary().includes[id], func(g inclusion) bool {
		named := slices.ContainsFunc(g.others, func(w string) bool { return slices.Contains(want, w) })
		return g.fulfils && !named && slices.Contains(want, g.word) && g.covers(g.word, value)
	})
}
