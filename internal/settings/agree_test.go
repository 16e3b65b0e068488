package settings_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/settings"
)

func TestAgree(t *testing.T) {
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
		require.Equal(t, c.want, settings.Agree(c.id, c.configured, c.effective), "%s: %s beside %s", c.id, c.configured, c.effective)
		require.Equal(t, c.want, settings.Agree(c.id, c.effective, c.configured), "%s: %s beside %s", c.id, c.effective, c.configured)
	}
}
