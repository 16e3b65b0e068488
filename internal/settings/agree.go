package settings

import "slices"

// Agree reports whether two canonical values of one setting can stand for the
// same state: what BIOS setup says beside what the system runs with. They need
// not be equal: Auto leaves the choice to firmware, a general word includes a
// special one, and a word that Linux cannot tell from another is no
// contradiction.
func Agree(id, configured, effective string) bool {
	if configured == effective || configured == Auto || effective == Auto {
		return true
	}
	s, ok := Lookup(id)
	if !ok || s.Kind == VendorName {
		return true // the name of a preset says nothing of its settings
	}
	if s.Kind == Rate && agreeRates(configured, effective) {
		return true
	}
	return slices.ContainsFunc(vocabulary().includes[id], func(g inclusion) bool {
		return g.covers(configured, effective) || g.covers(effective, configured)
	})
}

// agreeRates: a word such as max is not a rate, so that only two words or two
// rates can contradict each other.
func agreeRates(a, b string) bool {
	return ratePattern().MatchString(a) != ratePattern().MatchString(b)
}

// Fulfils reports whether a canonical value is one of the wanted words, or a
// special one that a wanted word includes without a limit: C6 by the name of ACPI's
// C2 where C6 is wanted, SNC2 where SNC is. A list that names one of the special
// words as well tells them apart.
func Fulfils(id string, want []string, value string) bool {
	return slices.Contains(want, value) || slices.ContainsFunc(vocabulary().includes[id], func(g inclusion) bool {
		named := slices.ContainsFunc(g.others, func(w string) bool { return slices.Contains(want, w) })
		return g.fulfils && !named && slices.Contains(want, g.word) && g.covers(g.word, value)
	})
}
