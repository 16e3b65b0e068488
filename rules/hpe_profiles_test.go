package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// registryMap matches the place of a setting in HPE's profiles: the ROMs that have the attribute, if not all do, and what
// the profile writes.
const registryMap = "MapFromAttribute WorkloadProfile: "

// TestHPEProfilesAreTheRegistries checks that each workload profile of a pack has exactly the values that HPE's registries
// write, by the tables of testdata/profiles: a row per attribute, a column per profile, "." if it is left alone.
func TestHPEProfilesAreTheRegistries(t *testing.T) {
	tables, err := filepath.Glob("../testdata/profiles/hpe-*.tsv")
	require.NoError(t, err)
	packs, err := filepath.Glob("profiles/hpe-gen*.yaml")
	require.NoError(t, err)
	compared := 0
	for _, file := range packs {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var pack struct {
			Document struct{ Firmware []string }
			Profiles []struct {
				Preset   string
				Settings map[string]struct{ Place string }
			}
		}
		if strings.HasPrefix(string(text), "# testdata/profiles") {
			require.NoError(t, yaml.Unmarshal(text, &pack))
		}
		for _, rom := range pack.Document.Firmware {
			name := "../testdata/profiles/hpe-" + strings.ToLower(rom) + ".tsv"
			require.Contains(t, tables, name)
			written, workloads := registryTable(t, name)
			for _, p := range pack.Profiles {
				var have []string
				for _, s := range p.Settings {
					scope, change, _ := strings.Cut(s.Place, registryMap)
					if scope == "Dependencies, " || strings.Contains(scope, rom) {
						have = append(have, change)
					}
				}
				assert.ElementsMatch(t, written[p.Preset], have, "%s: %s", name, p.Preset)
				compared++
			}
			assert.Len(t, pack.Profiles, len(workloads), file)
		}
	}
	assert.Equal(t, 12*len(tables), compared, "12 profiles per registry")
}

// registryTable reads what each workload profile writes, as ATTRIBUTE=VALUE.
func registryTable(t *testing.T, name string) (written map[string][]string, workloads []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	written = map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case cells[0] == "attribute":
			workloads = slices.Clone(cells[2:])
		default:
			require.Len(t, cells, 2+len(workloads), name)
			for i, value := range cells[2:] {
				if value != "." {
					written[workloads[i]] = append(written[workloads[i]], cells[0]+"="+value)
				}
			}
		}
	}
	return written, workloads
}
