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
	if !ok || s.Kind == Name {
		return true // the name of a preset says nothing of its settings
	}
	if s.Kind == Rate && agreeRates(configured, effective) {
		return true
	}
	for _, g := range included[id] {
		if g.covers(configured, effective) || g.covers(effective, configured) {
			return true
		}
	}
	return false
}

// agreeRates: a word such as max is not a rate, so that only two words or two
// rates can contradict each other.
func agreeRates(a, b string) bool {
	return rates().MatchString(a) != rates().MatchString(b)
}

// group says that a word stands for any of others.
type group struct {
	word   string
	others []string
}

func (g group) covers(general, special string) bool {
	return g.word == general && slices.Contains(g.others, special)
}

// included lists by setting the words that include others.
var included = map[string][]group{
	// C-states beyond C1: "enabled" and "autonomous" name no limit. C1 and C1E
	// are what is left when they are disabled.
	"c_states": {
		{"enabled", words("autonomous", "c2", "c3", "c6", "c7", "c6_without_c1e", "c6_acpi_c2", "c6_acpi_c3", "c6p_acpi_c2", "c6p_acpi_c3")},
		{"autonomous", words("c2", "c3", "c6", "c7")},
		// Linux sees the state, not the name that firmware gives it.
		{"c6", words("c6_without_c1e", "c6_acpi_c2", "c6_acpi_c3", "c6p_acpi_c2", "c6p_acpi_c3")},
		{"disabled", words("c1", "c1e")},
		{"c1", words("c1e")},
	},
	"package_c_state": {
		{"c6", words("c6nr", "c6r")},
		{"nolimit", words("c2", "c3", "c6", "c6nr", "c6r", "c7")},
		// "enabled" names no limit; ACPI's states are firmware's names for one of
		// the processor's.
		{"enabled", words("c2", "c3", "c6", "c6nr", "c6r", "c7", "nolimit")},
		{"acpi_c2", words("c2", "c3", "c6", "c6nr", "c6r", "c7")},
		{"acpi_c3", words("c3", "c6", "c6nr", "c6r", "c7")},
	},
	"sub_numa": {
		{"snc", words("snc2", "snc3", "snc4")},
		{"off", words("nps1")},
	},
	"power_policy":          {{"custom", words("max_performance", "firmware_dynamic", "os_control", "static_low")}},
	"uncore_frequency":      {{"custom", words("dynamic", "maximum", "minimum")}},
	"controller_interleave": {{"enabled", words("way2", "way4", "way8")}, {"disabled", words("none")}},
	"channel_interleave":    {{"enabled", words("way2", "way3", "way4", "way6", "way8")}, {"disabled", words("way1")}},
	// Linux tells mirroring and lockstep, not the rest from each other.
	"memory_ras_mode": {
		{"independent", words("spare", "adddc", "advanced_ecc", "fault_resilient")},
		{"mirror_full", words("mirror_partial")},
	},
	// A period or a kind of scrubbing is scrubbing.
	"patrol_scrub": {{"enabled", append(periods(), "standard", "extended")}},
}

// periods are the scrub periods in hours.
func periods() []string {
	return words("1h", "2h", "4h", "6h", "8h", "12h", "16h", "24h", "48h", "72h")
}
