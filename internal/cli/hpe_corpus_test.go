//go:build corpus

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/source/bios/biostest"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// hpeSystem is the system of one registry: its pack and its processor.
type hpeSystem struct {
	registry, pack, product string
	vendor, brand           string
	family, model           int
}

var hpeSystems = []hpeSystem{
	{"hpe-u46-dl360-gen10plus", "hpe-gen10plus", "ProLiant DL360 Gen10 Plus", "GenuineIntel", "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", 6, 106},
	{"hpe-u58-dl380a-gen11", "hpe-gen11", "ProLiant DL380a Gen11", "GenuineIntel", "Intel(R) Xeon(R) Gold 6430", 6, 143},
	{"hpe-u68-dl360-gen12", "hpe-gen12", "ProLiant Compute DL360 Gen12", "GenuineIntel", "Intel(R) Xeon(R) 6730P", 6, 173},
	{"hpe-u71-alletra4220-gen12", "hpe-gen12", "HPE Alletra Storage Server 4220 Gen12", "GenuineIntel", "Intel(R) Xeon(R) 6730P", 6, 173},
	{"hpe-u72-dl380a-gen12", "hpe-gen12", "ProLiant Compute DL380a Gen12", "GenuineIntel", "Intel(R) Xeon(R) 6730P", 6, 173},
	{"hpe-a43-dl325-gen10plus", "hpe-gen10plus-amd", "ProLiant DL325 Gen10 Plus", "AuthenticAMD", "AMD EPYC 7502P 32-Core Processor", 0x17, 0x31},
	{"hpe-a47-xl675d-gen10plus", "hpe-gen10plus-amd", "ProLiant XL675d Gen10 Plus", "AuthenticAMD", "AMD EPYC 7742 64-Core Processor", 0x17, 0x31},
	{"hpe-a42-dl365-gen10plus", "hpe-gen10plus-amd-7003", "ProLiant DL365 Gen10 Plus", "AuthenticAMD", "AMD EPYC 7543 32-Core Processor", 0x19, 1},
}

// failures audits a Bios resource on the system against a profile and gives
// the settings that fail and those that pass.
func (s *hpeSystem) failures(t *testing.T, engine *audit.Engine, tables settings.Tables, resource []byte, profile string) (failed, passed []string) {
	t.Helper()
	e, err := bios.Decode("bios.json", resource)
	require.NoError(t, err)
	sys := collect.Collect(collect.Input{Exports: []collect.Export{{Source: inventory.SourceBIOS, Path: "bios.json", Export: e}},
		Tables: func() (settings.Tables, error) { return tables, nil }})
	at := fact.Evidence{Source: inventory.SourceCPU}
	sys.Machine.Product = fact.Known(s.product, fact.Direct, at)
	sys.Sockets = []inventory.Socket{{Handle: -1, Populated: fact.Known(true, fact.Direct, at), Vendor: fact.Known(s.vendor, fact.Direct, at), Brand: fact.Known(s.brand, fact.Direct, at),
		Family: fact.Known(s.family, fact.Direct, at), Model: fact.Known(s.model, fact.Direct, at)}}
	topo := population.Derive(sys, rules.FS)
	require.True(t, topo.Platform.Known(), topo.Platform.Reason)
	result, err := engine.Run(sys, topo, audit.Options{Profile: profile, Asked: true})
	require.NoError(t, err)
	for _, f := range result.Findings {
		id, ok := strings.CutPrefix(f.Rule, "setting.")
		if !ok {
			continue
		}
		switch f.Result {
		case verdict.Fail:
			failed = append(failed, id)
		case verdict.Pass:
			passed = append(passed, id)
		default:
		}
	}
	return failed, passed
}

// TestHPERoundTrip checks that the values that a workload profile writes pass against the pack generated from it, and
// that a single changed value fails alone.
func TestHPERoundTrip(t *testing.T) {
	tables, err := settings.LoadCompiled(rules.FS)
	require.NoError(t, err)
	hpe := tables.Of("HPE")
	packs, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	engine := audit.NewEngine(packs)
	for i := range hpeSystems {
		s := &hpeSystems[i]
		t.Run(s.registry, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(corpustest.Shared(t, "corpus/redfish/registries"), s.registry+".json"))
			require.NoError(t, err)
			registry, err := biostest.ReadRegistry(data)
			require.NoError(t, err)
			require.Len(t, registry.Profiles, 12)
			profiles, changes := 0, 0
			for workload, written := range registry.Profiles {
				profile := profileID(s.pack, workload)
				resource, err := registry.Resource(workload, nil)
				require.NoError(t, err)
				failed, passed := s.failures(t, engine, tables, resource, profile)
				assert.Empty(t, failed, profile)
				assert.NotEmpty(t, passed, profile)
				profiles++
				for attribute, value := range written {
					changes += s.change(t, engine, tables, hpe, registry, workload, profile, attribute, value)
				}
			}
			t.Logf("%d profiles without a failure, %d changed values found", profiles, changes)
		})
	}
}

// change sets one attribute that the profile writes to every other allowed value: its setting fails, and no other
// except those that firmware sets with that value.
func (s *hpeSystem) change(t *testing.T, engine *audit.Engine, tables settings.Tables, hpe *settings.Table, registry *biostest.Registry, workload, profile, attribute, value string) int {
	t.Helper()
	var own []string
	for _, m := range hpe.Find(attribute) {
		own = append(own, m.ID)
	}
	if !assert.NotEmpty(t, own, "%s: %s stands for no setting", profile, attribute) {
		return 0
	}
	found := 0
	for _, other := range registry.Values(attribute) {
		if other == value {
			continue
		}
		resource, err := registry.Resource(workload, map[string]string{attribute: other})
		require.NoError(t, err)
		failed, _ := s.failures(t, engine, tables, resource, profile)
		found++
		written := &bios.Export{Attributes: []bios.Attribute{{Name: attribute, Value: other, Stated: true}}}
		written.Use(hpe, "")
		ofOwn := 0
		for _, id := range failed {
			if slices.Contains(own, id) {
				ofOwn++
				continue
			}
			assert.NotEmpty(t, written.Read(id, (*bios.Attribute).AfterBoot).Means, "%s: %s=%s fails %s", profile, attribute, other, id)
		}
		assert.Equal(t, 1, ofOwn, "%s: %s=%s: %v", profile, attribute, other, failed)
	}
	assert.NotZero(t, found, "%s: no other value of %s fails", profile, attribute)
	return found
}
