package inventory_test

import (
	"testing"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

func TestNames(t *testing.T) {
	bare := inventory.Slot{Handle: 0x2a}
	named := bare
	named.Locator = fact.Known("A1", fact.Direct, fact.Evidence{})
	for have, want := range map[string]string{
		inventory.HandleText(10):                 "0x000A",
		inventory.HandleText(0xBEEF):             "0xBEEF",
		inventory.SlotSubject(0x1101, "DIMM_A4"): "slot 0x1101 (DIMM_A4)",
		inventory.SlotSubject(0x1101, ""):        "slot 0x1101 (no name)",
		bare.Name():                              "slot 0x002A",
		named.Name():                             "A1",
	} {
		if have != want {
			t.Errorf("%q, expected %q", have, want)
		}
	}
}
