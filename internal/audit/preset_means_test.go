package audit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/rules"
)

// TestPresetsMatchProfiles checks that the effects of a preset are listed once, in the vendor's table. A
// profile of that preset names it and repeats none of its values, which the loader rejects. A profile's preset is
// named by the profile, or by its citation (AMD's workloads, which HPE's registries map).
func TestPresetsMatchProfiles(t *testing.T) {
	tables, err := settings.LoadCompiled(rules.FS)
	require.NoError(t, err)
	taken := map[string]int{}
	for _, pack := range builtinPacks(t) {
		for _, p := range pack.Profiles {
			preset := p.Preset
			if _, workload, ok := strings.Cut(string(p.Citation.Place), "MapFromAttribute AMDPerformanceWorkloadProfile: "); ok {
				preset = workload
			}
			table := tables.Of(p.Citation.Vendor)
			if table == nil || preset == "" || table.Meaning(preset) == nil {
				assert.Nil(t, p.WrittenBy, "%s: written by a preset that its document does not name", p.ID)
				continue
			}
			if assert.NotNil(t, p.WrittenBy, "%s repeats what the table of %s says of %s: written_by", p.ID, table.Vendor, preset) {
				id, _, _ := strings.Cut(p.ID, "/")
				for _, row := range p.Table() {
					if table.Meaning(preset)[row.ID] != "" {
						taken[id]++
					}
				}
			}
		}
	}
	assert.Equal(t, map[string]int{"amd-epyc-7003": 25, "lenovo-modes": 13}, taken, "cells that are only in a table")
}
