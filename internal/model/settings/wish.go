package settings

import (
	"slices"
	"strings"
)

// Wish is a setting that should have another value on one machine.
type Wish struct {
	// ID is the canonical id, Want the canonical value.
	ID, Want string
	// Product is the product name of the machine, Platform the id of its platform.
	Product, Platform string
	// Firmware is the family of its firmware ("U46"), "" if it is not known. An export alone can
	// tell it, but not the platform.
	Firmware string
	// Maker is the CPUID vendor of the processors (GenuineIntel, AuthenticAMD), "" if it is not
	// known.
	Maker string
	// Seen is the attribute's name in an export of this machine, SeenRaw its value there. They
	// decide among a vendor's names and spellings.
	Seen, SeenRaw string
	// Preset is the value of the vendor's preset that governs the setting, "" if it is not known.
	// NoPreset says that the machine does not offer the preset.
	Preset   string
	NoPreset bool
}

// namesMachine tells whether a list contains the machine's platform or a start of its product name.
func namesMachine(list []string, w *Wish) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		return l == w.Platform || w.Product != "" && strings.HasPrefix(w.Product, l)
	})
}
