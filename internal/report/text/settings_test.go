package text

import (
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/require"
)

// TestSettingsTable: every face, who decided, what each rests on; a setting
// that the machine lacks is told from one that is not known.
func TestSettingsTable(t *testing.T) {
	face := func(value, path string) report.Face {
		return report.Face{Value: new(value), State: "ok", Certainty: "direct", Evidence: []report.Evidence{{Source: "bios", Path: new(path), Raw: new(value)}}}
	}
	inv := &report.Inventory{Settings: map[string]report.Setting{
		"turbo": {Configured: face("enabled", "a.json"), Pending: face("disabled", "a.json"),
			Effective: report.Face{Value: new("disabled"), State: "ok", Certainty: "indirect", Evidence: []report.Evidence{{Source: "cpufreq", Path: new("/no_turbo"), Raw: new("1")}}},
			DecidedBy: report.DecidedBy{Value: new("administrator"), Certainty: "indirect", Evidence: []report.Evidence{{Source: "cpufreq", Path: new("/no_turbo"), Raw: new("1")}}}},
		"hemisphere_mode": {Configured: report.Face{State: "absent", Reason: new("not offered by this machine's BIOS")}},
		"determinism":     {Effective: report.Face{State: "absent", Reason: new("the kernel does not show it"), KnownBy: new("--bios FILE")}},
		"df_c_states":     {Effective: report.Face{State: "absent", Reason: new("the kernel does not show it"), KnownBy: new("--bios FILE")}},
	}}
	var b strings.Builder
	require.NoError(t, WriteInventory(&b, inv, Options{Settings: true}))
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
