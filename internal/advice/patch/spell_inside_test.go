package patch

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// TestOffered checks that an option is matched by its value or by its text in BIOS setup, that the first matching
// value decides, and that an empty text matches nothing.
func TestOffered(t *testing.T) {
	a := &bios.Attribute{Options: []string{"0", "1", "Auto"}, OptionTexts: map[string]string{"0": "Disabled", "1": "Enabled"}}
	for want, words := range map[string][]string{"1": {"Enabled"}, "0": {"nothing", "Disabled", "Enabled"}, "Auto": {"auto"}, "": {"nothing", ""}} {
		assert.Equal(t, want, offered(a, words), words)
	}
}

// TestVendorWords checks the table's values; a canonical name or a number is used as it is only if the table has no
// others.
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

// TestProven checks that for an attribute without recorded spellings, the values of a switch are spelled like the
// export's other switches; a value of another kind proves nothing.
func TestProven(t *testing.T) {
	a := &bios.Attribute{Name: "Odd", Value: "Auto", Stated: true}
	m := &patchMaker{export: &bios.Export{Table: &settings.Table{}, Attributes: []bios.Attribute{*a, {Name: "Turbo", Value: "Enabled"}, {Name: "Speed", Value: "Maximum"}}}}
	assert.Equal(t, []string{"Disabled"}, m.proven([]string{"Disable", "Disabled"}, a))
	assert.Empty(t, m.proven([]string{"Maximum", "Auto"}, a))
}

// TestForget checks that all changes of a row that is left open are dropped, and others kept.
func TestForget(t *testing.T) {
	m := &patchMaker{inactive: []string{"turbo", "smt"}, out: &Patch{Met: []string{"turbo", "smt"}, Changes: []Change{
		{Setting: "c_states", Attribute: &bios.Attribute{Name: "MinProcIdlePower"}, Also: []string{"turbo", "c1e"}}, {Setting: "turbo", Attribute: &bios.Attribute{Name: "ProcTurbo"}}}}}
	m.discard("turbo", "so")
	assert.Equal(t, []string{"smt"}, m.inactive)
	assert.Equal(t, []string{"smt"}, m.out.Met)
	assert.Equal(t, []Note{{"turbo", "so"}}, m.out.Open)
	assert.Len(t, m.out.Changes, 1)
	assert.Equal(t, []string{"c1e"}, m.out.Changes[0].Also)
}
