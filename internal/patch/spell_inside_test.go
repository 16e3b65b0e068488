package patch

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/bios"
	"github.com/memaudit/memaudit/internal/settings"
)

// TestOffered: an option is named by its own word or by the text that BIOS setup shows for it;
// the first word that one of them has decides, and no text is no name.
func TestOffered(t *testing.T) {
	a := &bios.Attribute{Options: []string{"0", "1", "Auto"}, OptionTexts: map[string]string{"0": "Disabled", "1": "Enabled"}}
	for want, words := range map[string][]string{"1": {"Enabled"}, "0": {"nothing", "Disabled", "Enabled"}, "Auto": {"auto"}, "": {"nothing", ""}} {
		assert.Equal(t, want, offered(a, words), words)
	}
}

// TestVendorWords: the vendor's words of the table; a name of a vendor's own, or a number, is
// its own word only where the table has no others.
func TestVendorWords(t *testing.T) {
	table := &settings.Attribute{Values: map[string]string{"On": "enabled", "Enable": "enabled", "Off": "disabled"}}
	assert.Equal(t, []string{"Enable", "On"}, vendorWords("turbo", "enabled", table))
	assert.Empty(t, vendorWords("turbo", "auto", table))
	assert.Equal(t, []string{"HPC"}, vendorWords("workload_profile", "HPC", &settings.Attribute{}))
	assert.Empty(t, vendorWords("workload_profile", "HPC", table))
	assert.Empty(t, vendorWords("turbo", "enabled", &settings.Attribute{}))
	assert.Equal(t, []string{"2933"}, vendorWords("memory_speed", "2933", &settings.Attribute{Numbers: true}))
	assert.Empty(t, vendorWords("memory_speed", "max", &settings.Attribute{Numbers: true}))
}
