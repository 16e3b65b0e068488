package inventory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
)

func TestNames(t *testing.T) {
	assert.Equal(t, "0x000A", inventory.HandleText(10))
	assert.Equal(t, "0xBEEF", inventory.HandleText(0xBEEF))
	assert.Equal(t, "slot 0x1101 (DIMM_A4)", inventory.SlotSubject(0x1101, "DIMM_A4"))
	assert.Equal(t, "slot 0x1101 (no name)", inventory.SlotSubject(0x1101, ""))
	s := inventory.Slot{Handle: 0x2a}
	assert.Equal(t, "slot 0x002A", s.Name())
	s.Locator = fact.Known("A1", fact.Direct, fact.Evidence{})
	assert.Equal(t, "A1", s.Name())
}
