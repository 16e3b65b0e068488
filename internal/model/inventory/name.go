package inventory

import "github.com/memaudit/memaudit/internal/model/fact"

// HandleText writes an SMBIOS handle as docs/interface.md and dmidecode do:
// "0x000A".
func HandleText(handle uint16) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{'0', 'x', digits[handle>>12], digits[handle>>8&15], digits[handle>>4&15], digits[handle&15]})
}

// SlotSubject names a slot as findings do: "slot 0x1101 (DIMM_A4)".
func SlotSubject(handle uint16, locator string) string {
	if locator == "" {
		locator = "no name"
	}
	return "slot " + HandleText(handle) + " (" + locator + ")"
}

// Name is the slot's label, or its handle where firmware gives it none.
func (s *Slot) Name() string {
	if l := s.Locator.Or(""); l != "" {
		return l
	}
	return "slot " + HandleText(s.Handle)
}

// Unsized says why it is not known how much memory a slot of unknown state holds.
func (s *Slot) Unsized() string {
	if s.SizeBytes.State == fact.Conflicting && s.SizeBytes.Reason != "" {
		return s.SizeBytes.Reason
	}
	return "the size field of " + s.Name() + " says unknown"
}
