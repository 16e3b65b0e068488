package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestPresetIsSpelledAsTheVendorDoes checks that a remedy that names the value of a preset prints the export's
// spelling, not memaudit's.
func TestPresetIsSpelledAsTheVendorDoes(t *testing.T) {
	at := fact.Evidence{Source: inventory.SourceBIOS, Field: "CPUPowerManagement", Raw: "Performance"}
	assert.Equal(t, "Performance", presetWord(fact.Known("max_performance", fact.Direct, at)))
	at.Source = inventory.SourceCPUFreq
	assert.Equal(t, "max_performance", presetWord(fact.Known("max_performance", fact.Direct, at)), "a kernel's file spells no vendor's word")
	assert.Empty(t, presetWord(fact.Unknown[string](fact.Unread, "", "")))
}
