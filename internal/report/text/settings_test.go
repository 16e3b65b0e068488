package text

import (
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"

	"github.com/stretchr/testify/require"
)

// TestSettingsTable checks every value, who decided, and the sources of each; a setting that the machine lacks
// differs from one that is unknown.
func TestSettingsTable(t *testing.T) {
	face := func(value, path string) report.Face {
		return report.Face{Value: nullable.String(value), State: "ok", Certainty: fact.Direct, Evidence: []fact.Evidence{{Source: "bios", Path: path, Raw: value}}}
	}
	inv := &report.Inventory{Settings: map[string]report.Setting{
		"turbo": {Configured: face("enabled", "a.json"), Pending: face("disabled", "a.json"),
			Effective: report.Face{Value: "disabled", State: "ok", Certainty: fact.Indirect, Evidence: []fact.Evidence{{Source: "cpufreq", Path: "/no_turbo", Raw: "1"}}},
			DecidedBy: report.DecidedBy{Value: "administrator", Certainty: fact.Indirect, Evidence: []fact.Evidence{{Source: "cpufreq", Path: "/no_turbo", Raw: "1"}}}},
		"hemisphere_mode": {Configured: report.Face{State: "absent", Reason: "not offered by this machine's BIOS"}},
		"determinism":     {Effective: report.Face{State: "absent", Reason: "the kernel does not show it", KnownBy: "--bios FILE"}},
		"df_c_states":     {Effective: report.Face{State: "absent", Reason: "the kernel does not show it", KnownBy: "--bios FILE"}},
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
