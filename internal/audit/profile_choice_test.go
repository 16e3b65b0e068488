package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

const choicePack = `
profiles:
  - id: site/two
    intent: [balanced, energy-efficiency]
    title: two purposes
    for: {vendors: [Example], platforms: [milan]}
    named: [Model 1]
    citation: {vendor: Site, title: Table}
    settings:
      smt: {want: enabled, level: warning}
      x2apic: {want: auto, level: warning}
  - id: site/none
    title: no purpose of ours
    citation: {vendor: Site, title: Table}
    settings:
      smt: {want: disabled, level: info}
`

// choice audits a machine of a product against a profile of choicePack.
func choice(t *testing.T, product, profile string, settings map[string]inventory.Setting) *verdict.Audit {
	t.Helper()
	pack, faults := rulepack.ParsePack("choice.yaml", []byte(choicePack))
	require.Empty(t, faults)
	require.Empty(t, pack.Validate())
	sys, topo := twoSockets()
	sys.Machine.Product = direct(product)
	platformOf(topo, platform.Platform{ID: "milan"})
	sys.Settings = settings
	return run(t, audit.NewEngine([]*rulepack.Pack{pack}), sys, topo, audit.Options{Profile: profile, Asked: true})
}

// TestProfileOfSeveralIntents checks that each of a profile's intents finds it and is the one reported, that the
// first is reported for its id, and that a profile without intents is found by id alone.
func TestProfileOfSeveralIntents(t *testing.T) {
	for asked, want := range map[string]string{"balanced": "balanced", "energy-efficiency": "energy-efficiency", "site/two": "balanced"} {
		a := choice(t, "Model 1", asked, nil)
		require.NotNil(t, a.Profile, a.ProfileWhy)
		assert.Equal(t, "site/two", a.Profile.ID)
		assert.Equal(t, want, a.Profile.Intent)
	}
	assert.Nil(t, choice(t, "Model 1", "hpc", nil).Profile)
	none := choice(t, "Model 1", "site/none", nil)
	require.NotNil(t, none.Profile)
	assert.Empty(t, none.Profile.Intent)
}

// TestProfileByAnalogy checks that a machine named in the document gets the row's level, and that its successor with
// a longer name and its sister get info and the reason.
func TestProfileByAnalogy(t *testing.T) {
	off := map[string]inventory.Setting{"smt": {Configured: direct("disabled")}}
	named := findings(choice(t, "Example Model 1", "balanced", off), "setting.smt")["setting smt"]
	assert.Equal(t, []any{verdict.Fail, verdict.Warning}, []any{named.Result, named.Severity})
	assert.NotContains(t, named.Why, "analogy")
	for _, product := range []string{"Example Model 1 v2", "Model 2"} {
		f := findings(choice(t, product, "balanced", off), "setting.smt")["setting smt"]
		assert.Equal(t, []any{verdict.Fail, verdict.Info}, []any{f.Result, f.Severity}, product)
		assert.Contains(t, f.Why, "by analogy: the document covers Model 1")
	}
}

// TestProfileOfFirmware checks that the running firmware identifies the machine, by the BIOS version or by the
// registry of its settings, whatever else is known.
func TestProfileOfFirmware(t *testing.T) {
	pack, faults := rulepack.ParsePack("firmware.yaml", []byte(`
profiles:
  - id: site/rom
    intent: [balanced]
    title: what ROM X9 writes
    for: {vendors: [Example], products: [Model 1], platforms: [milan]}
    named: [Model 1]
    firmware: [X9]
    applies: platform.id == "rome"
    citation: {vendor: Site, title: Registry X9}
    settings: {smt: {want: enabled, level: warning}}
`))
	require.Empty(t, faults)
	require.Empty(t, pack.Validate())
	for _, c := range []struct {
		name, version, registry string
		applies                 bool
	}{
		{"by its BIOS version", "X9", "", true},
		{"by its registry", "", "BiosAttributeRegistryX9.v1_2_3", true},
		{"another ROM", "X91", "BiosAttributeRegistryX91.v1_2_3", false},
		{"not known", "", "", false},
	} {
		sys, topo := twoSockets()
		sys.Machine = inventory.Machine{}
		if c.version != "" {
			sys.Machine.BIOS.Version = direct(c.version)
		}
		if c.registry != "" {
			sys.Machine.BIOSRegistry = direct(c.registry)
		}
		sys.Settings = map[string]inventory.Setting{"smt": {Configured: direct("disabled")}}
		a := run(t, audit.NewEngine([]*rulepack.Pack{pack}), sys, topo, audit.Options{Profile: "site/rom", Asked: true})
		require.Equal(t, c.applies, a.Profile != nil, c.name)
		if c.applies {
			f := findings(a, "setting.smt")["setting smt"]
			assert.Equal(t, []any{verdict.Fail, verdict.Warning}, []any{f.Result, f.Severity}, c.name)
		}
	}
}
