package settings

import "slices"

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
