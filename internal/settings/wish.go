package settings

import (
	"slices"
	"strings"
)

// Wish is a setting that ought to have another value on one machine.
type Wish struct {
	// ID is the canonical id, Want the canonical value.
	ID, Want string
	// Product and Platform say which machine it is: what the system calls
	// itself, and the platform's id.
	Product, Platform string
	// Firmware is the family of its firmware ("U46"), "" when not known: an
	// export alone tells it and not the platform.
	Firmware string
	// Maker is who made the processors, as CPUID has it (GenuineIntel,
	// AuthenticAMD); "" when not known.
	Maker string
	// Seen is the attribute name that an export of this very machine carried,
	// SeenRaw its value there; they decide among a vendor's names and spellings.
	Seen, SeenRaw string
	// Preset is what the vendor's master preset is set to; "" when not known.
	// NoPreset says that this machine does not offer the preset.
	Preset   string
	NoPreset bool
}

// namesMachine reports whether a list names this machine: its platform, or a
// beginning of its product.
func namesMachine(list []string, w *Wish) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		return l == w.Platform || w.Product != "" && strings.HasPrefix(w.Product, l)
	})
}
