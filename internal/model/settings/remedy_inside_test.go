package settings

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestUnlocks checks that the value of one preset does not unlock settings of another.
func TestUnlocks(t *testing.T) {
	table := &Table{Presets: []Preset{{Setting: "workload_profile", Unlocked: []string{"Custom Mode"}}, {Setting: "amd_workload_profile", Unlocked: []string{"Disabled"}}}}
	for _, c := range []struct {
		preset, value string
		want          bool
	}{{"workload_profile", "CustomMode", true}, {"workload_profile", "Disabled", false}, {"workload_profile", "Fast", false}, {"amd_workload_profile", "disabled", true}, {"amd_workload_profile", "Custom Mode", false}} {
		assert.Equal(t, c.want, table.Unlocks(c.preset, c.value), c)
	}
}
