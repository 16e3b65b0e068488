//go:build corpus

package platform

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestPlatformTable compares the files with the table they were converted
// from: the same platforms, channels, depths, policies and speeds.
func TestPlatformTable(t *testing.T) {
	raw, err := os.ReadFile(corpustest.Shared(t, "knowledge/memory-population/platforms.yaml"))
	require.NoError(t, err)
	var table struct {
		Platforms []struct {
			ID       string    `yaml:"id"`
			Channels yaml.Node `yaml:"channels_per_socket"`
			MaxDPC   yaml.Node `yaml:"max_dpc"`
			Policy   string    `yaml:"interleave_policy"`
			Rec      []int     `yaml:"recommended_dimms_per_socket"`
			Allowed  []int     `yaml:"allowed_dimms_per_socket"`
			Sources  []string  `yaml:"sources"`
			V        string    `yaml:"v"`
			CPUID    []struct {
				Family, Model int
				V             string
			} `yaml:"cpuid"`
		} `yaml:"platforms"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &table))
	have := map[string]wholePlatformFile{}
	for _, f := range platformFiles(t) {
		have[f.ID] = f
	}
	for _, row := range table.Platforms {
		f, ok := have[row.ID]
		if !ok {
			corpustest.Gap(t, "platform "+row.ID+" of platforms.yaml")
			continue
		}
		delete(have, row.ID)
		if n, err := strconv.Atoi(row.Channels.Value); err == nil {
			assert.Equal(t, n, f.Channels, row.ID)
		}
		if n, err := strconv.Atoi(row.MaxDPC.Value); err == nil {
			assert.Equal(t, n, f.MaxDPC, row.ID)
		}
		if row.Policy == "" && f.Policy != "" {
			assert.Contains(t, f.Unverified, "policy", "%s: a policy that the table does not have", row.ID)
		} else {
			assert.Equal(t, row.Policy, f.Policy, row.ID)
		}
		// The table's counts are ignored if no document prints them.
		if f.Recommended != nil && len(f.Parts) == 0 && row.ID != "bensley" {
			assert.Equal(t, row.Rec, f.Recommended, row.ID)
		}
		assert.Equal(t, row.Allowed, f.Allowed, row.ID)
		// The table's acceptable counts leave channels empty and lose a quarter to a half
		// of the bandwidth: on other generations the same loss is not an acceptable count, and
		// one loss has one severity.
		assert.Empty(t, f.Acceptable, row.ID)
		if len(f.Sources) > 0 {
			assert.Equal(t, row.V == "ok", orTrue(f.Verified), row.ID)
		}
		for _, s := range row.Sources {
			switch {
			case s == "CPUTABLE": // a file of the table's own: here the makers' lists behind it
				assert.True(t, slices.Contains(f.Sources, "INT-ARK") || slices.Contains(f.Sources, "AMD-SPECS"), row.ID)
			case !unaddressed[s]:
				assert.Contains(t, f.Sources, s, row.ID)
			}
		}
		for _, c := range row.CPUID {
			verified := c.V == "ok" || seenSince[[2]int{c.Family, c.Model}] == row.ID
			assert.True(t, recognises(f, c.Family, c.Model, verified), "%s %d/%d %s", row.ID, c.Family, c.Model, c.V)
		}
	}
	for id := range have {
		t.Logf("platform %s rests on its own documents: the table has no row for it", id)
	}
}

// unaddressed are sources of the table that cannot be found: notes on single machines, an answer in a copy of a
// forum, a third-party summary of manuals.
var unaddressed = map[string]bool{
	"MI300A-FIELD": true, "XEON600-BRAND": true, "VERA-FIELD": true, "VERA-SOCAMM": true, "KUNPENG-KBOX": true, "KUNPENG-FIELD": true,
	"S5000C-FIELD": true, "HYGON-FIELD": true, "KERN-KH50000": true, "P11-FIELD": true, "STRIX-BRAND": true, "SO-UMA": true, "DELL-17G-ISM": true,
}

// seenSince are CPUIDs that the table's amendments confirm.
var seenSince = map[[2]int]string{{6, 173}: "granite-rapids-sp", {6, 175}: "sierra-forest", {26, 17}: "turin"}

func recognises(f wholePlatformFile, family, model int, verified bool) bool {
	for _, r := range f.Recognise {
		if r.Family != nil && *r.Family == family && *r.Model == model && orTrue(r.Verified) == verified {
			return true
		}
	}
	return false
}
