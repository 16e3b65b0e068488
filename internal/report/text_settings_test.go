package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSettingsTable: every face, who decided, what each rests on; a setting
// that the machine lacks is told from one that is not known.
func TestSettingsTable(t *testing.T) {
	face := func(value, path string) Face {
		return Face{Value: ptr(value), State: "ok", Certainty: "direct", Evidence: []Evidence{{Source: "bios", Path: ptr(path), Raw: ptr(value)}}}
	}
	inv := &Inventory{Settings: map[string]Setting{
		"turbo": {Configured: face("enabled", "a.json"), Pending: face("disabled", "a.json"),
			Effective: Face{Value: ptr("disabled"), State: "ok", Certainty: "indirect", Evidence: []Evidence{{Source: "cpufreq", Path: ptr("/no_turbo"), Raw: ptr("1")}}},
			DecidedBy: DecidedBy{Value: ptr("administrator"), Certainty: "indirect", Evidence: []Evidence{{Source: "cpufreq", Path: ptr("/no_turbo"), Raw: ptr("1")}}}},
		"hemisphere_mode": {Configured: Face{State: "absent", Reason: ptr("not offered by this machine's BIOS")}},
		"determinism":     {Effective: Face{State: "absent", Reason: ptr("the kernel does not show it"), KnownBy: ptr("--bios FILE")}},
		"df_c_states":     {Effective: Face{State: "absent", Reason: ptr("the kernel does not show it"), KnownBy: ptr("--bios FILE")}},
	}}
	var b strings.Builder
	require.NoError(t, WriteInventoryText(&b, inv, TextOptions{Settings: true}))
	_, table, ok := strings.Cut(b.String(), "SETTINGS")
	require.True(t, ok)
	require.Equal(t, `  2 of 4 known; '-' is not known
  setting          configured   pending   effective  decided by     certainty
  hemisphere_mode  not offered  -         -          -              -
  turbo            enabled      disabled  disabled   administrator  indirect
      bios a.json: enabled
      bios a.json: disabled
      cpufreq /no_turbo: 1
  not known: determinism, df_c_states
      the kernel does not show it; --bios FILE
`, strings.TrimRight(table, "\n")+"\n")
}
