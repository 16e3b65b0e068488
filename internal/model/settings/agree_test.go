package settings_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/settings"
)

func TestCompatible(t *testing.T) {
	for _, c := range []struct {
		id, configured, effective string
		want                      bool
	}{
		{"turbo", "enabled", "enabled", true},
		{"turbo", "enabled", "disabled", false},
		{"turbo", "auto", "disabled", true},
		{"smt", "disabled", "enabled", false},
		{"c_states", "enabled", "c6", true},
		{"c_states", "c6", "enabled", true},
		{"c_states", "enabled", "c1", false},
		{"c_states", "disabled", "c1e", true},
		{"c_states", "disabled", "c6", false},
		{"c_states", "c6", "c3", false},
		{"sub_numa", "snc", "snc4", true},
		{"sub_numa", "snc2", "snc4", false},
		{"sub_numa", "off", "nps1", true},
		{"sub_numa", "nps4", "nps1", false},
		{"memory_speed", "max", "2933", true},
		{"memory_speed", "3200", "2933", false},
		{"memory_speed", "max", "efficiency", false},
		{"memory_ras_mode", "advanced_ecc", "independent", true},
		{"memory_ras_mode", "mirror_full", "independent", false},
		{"patrol_scrub", "24h", "enabled", true},
		{"patrol_scrub", "disabled", "enabled", false},
		{"workload_profile", "PerfOptimized", "Custom", true},
	} {
		require.Equal(t, c.want, settings.Compatible(c.id, c.configured, c.effective), "%s: %s beside %s", c.id, c.configured, c.effective)
		require.Equal(t, c.want, settings.Compatible(c.id, c.effective, c.configured), "%s: %s beside %s", c.id, c.effective, c.configured)
	}
}

// TestSatisfies checks that a recommended value is satisfied by a specific one that it includes, but
// never the other way round.
func TestSatisfies(t *testing.T) {
	for _, c := range []struct {
		id    string
		want  []string
		value string
		ok    bool
	}{
		{"c_states", []string{"enabled", "c6"}, "c6_acpi_c2", true},
		{"c_states", []string{"c6"}, "c6_acpi_c3", true},
		{"c_states", []string{"c6", "enabled"}, "c6_without_c1e", false},
		{"c_states", []string{"enabled"}, "autonomous", true},
		{"c_states", []string{"enabled", "c6"}, "autonomous", true},
		{"c_states", []string{"c6_acpi_c2", "c6", "enabled"}, "c6p_acpi_c2", false},
		{"c_states", []string{"enabled"}, "c2", false},
		{"c_states", []string{"c6"}, "c3", false},
		{"c_states", []string{"c6_acpi_c2"}, "c6", false},
		{"c_states", []string{"disabled"}, "c1", false},
		{"package_c_state", []string{"c6"}, "c6nr", true},
		{"package_c_state", []string{"nolimit"}, "c6", false},
		{"sub_numa", []string{"snc"}, "snc4", true},
		{"sub_numa", []string{"off"}, "nps1", true},
		{"sub_numa", []string{"snc2"}, "snc", false},
		{"patrol_scrub", []string{"enabled"}, "24h", true},
		{"patrol_scrub", []string{"standard"}, "24h", false},
		{"memory_ras_mode", []string{"independent"}, "spare", false},
		{"power_policy", []string{"custom"}, "os_control", false},
		{"turbo", []string{"enabled"}, "enabled", true},
		{"turbo", []string{"enabled"}, "auto", false},
	} {
		require.Equal(t, c.ok, settings.Satisfies(c.id, c.want, c.value), "%s: %s where %v is wanted", c.id, c.value, c.want)
	}
}
