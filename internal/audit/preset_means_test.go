package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/rules"
)

// TestPresetsMeanWhatProfilesSay: what a vendor's table says that a preset makes of
// a setting is what the profile of that preset wants: both are of one document. A
// profile's preset is named by it, or by its citation (AMD's workloads, which HPE's
// registries map).
func TestPresetsMeanWhatProfilesSay(t *testing.T) {
	tables, err := settings.Load(rules.FS, "settings")
	require.NoError(t, err)
	held := map[string]int{}
	for _, pack := range builtinPacks(t) {
		for _, p := range pack.Profiles {
			preset := p.Preset
			if _, workload, ok := strings.Cut(p.Citation.Place, "MapFromAttribute AMDPerformanceWorkloadProfile: "); ok {
				preset = workload
			}
			if table := tables.Of(p.Citation.Vendor); table != nil && preset != "" {
				holdMeanings(t, table, p, preset, held)
			}
		}
	}
	for pack, least := range map[string]int{"amd-epyc-7003": 25, "lenovo-modes": 13} {
		assert.GreaterOrEqual(t, held[pack], least, pack)
	}
}

// holdMeanings holds one profile's rows against what the preset means, and counts
// them by pack.
func holdMeanings(t *testing.T, table *settings.Table, p *rulepack.ProfileSpec, preset string, held map[string]int) {
	t.Helper()
	pack, _, _ := strings.Cut(p.ID, "/")
	rows := p.Table()
	for _, m := range table.Masters {
		for value, words := range m.Means {
			if !settings.SamePreset(value, preset) {
				continue
			}
			for i := range rows {
				if word := words[rows[i].ID]; word != "" {
					held[pack]++
					assert.True(t, slices.Contains(rows[i].Want, word), "%s wants %s of %s, the table of %s says that %s makes it %s", p.ID, rows[i].Want, rows[i].ID, table.Vendor, preset, word)
				}
			}
		}
	}
}
