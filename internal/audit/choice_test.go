package audit_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/platform"
)

// TestChoose checks that an intent selects the document's profile with every row for the machine, and that a machine
// not named in the document is told so.
func TestChoose(t *testing.T) {
	sys, topo := r610("westmere-ep")
	c, why, err := builtin(t).ChooseProfile("max-performance", sys, topo)
	require.NoError(t, err)
	require.NotNil(t, c, why)
	assert.Equal(t, "dell-11g/max-performance", c.Profile.ID)
	assert.Len(t, c.Profile.Settings, len(c.Rows)+len(c.Silent))
	assert.NotEmpty(t, c.Rows)
	for i := range c.Silent {
		assert.NotEmpty(t, c.Silent[i].Reason, c.Silent[i].Rule)
	}
	_, _, err = builtin(t).ChooseProfile("max-performances", sys, topo)
	require.Error(t, err)
	c, why, err = engineOf(t, choicePack).ChooseProfile("hpc", sys, topo)
	require.NoError(t, err)
	assert.Nil(t, c)
	assert.NotEmpty(t, why, "there is none, which is reported")

	e := engineOf(t, choicePack)
	sys, topo = twoSockets()
	sys.Machine.Vendor = direct("Example Inc.")
	platformOf(topo, platform.Platform{ID: "milan"})
	for product, analogy := range map[string]string{"Model 1": "", "Model 2": "Model 1"} {
		sys.Machine.Product = direct(product)
		c, _, err := e.ChooseProfile("balanced", sys, topo)
		require.NoError(t, err)
		assert.Equal(t, analogy, c.Analogy, product)
	}
}

// TestPresetOfThisMachine checks that the step is given only if the document covers this machine, its export
// certainly shows the preset, nothing must be done before it, and the way to set it is proven. It lists the rows of
// the profile for this machine that the preset governs.
func TestPresetOfThisMachine(t *testing.T) {
	named := strings.Replace(settingPack, "    preset: MaxPerf\n", "    preset: MaxPerf\n    named: [Model 9]\n", 1)
	guests := strings.Replace(settingPack, "    preset: MaxPerf\n    citation: {vendor: Site, title: Table}\n    settings:\n      turbo: {want: enabled, level: warning}",
		"    preset: MaxPerf\n    citation: {vendor: Site, title: Table}\n    settings:\n      smt: {want: enabled, level: warning}\n      turbo: {want: enabled, level: warning, applies: machine.virtual, concerns: guests}", 1)
	inert := strings.Replace(settingTable, "locks: [turbo]", "inert: true, locks: [turbo]", 1)
	means := strings.Replace(inert, "inert: true,", "inert: true, means: {MaxPerf: {turbo: enabled}},", 1)
	menu := strings.Replace(settingTable, "[{attribute: Profile, source: s}]", "[{attribute: Profile, menu: Power > Profile, source: s}]", 1)
	menuAlone := strings.Replace(menu, `commands: [{tool: tool, steps: ["tool set {attribute}={value}", reboot], acts: at the next boot, source: s}]`, "", 1)
	bare := strings.Replace(settingTable, `commands: [{tool: tool, steps: ["tool set {attribute}={value}", reboot], acts: at the next boot, source: s}]`, "", 1)
	custom := known("Custom", "bios", "Profile")
	weak := custom
	weak.Certainty = fact.Corroborated
	for _, c := range []struct {
		name, pack, table string
		now               fact.Fact[string]
		there             bool
		tool, menu        string
		silent            []string
	}{
		{"as it is", settingPack, settingTable, custom, true, "tool", "", nil},
		{"a document about others", named, settingTable, custom, false, "", "", nil},
		{"a row that concerns others", guests, settingTable, custom, true, "tool", "", []string{"turbo"}},
		{"what it comes to is not on record", settingPack, inert, custom, false, "", "", nil},
		{"what it comes to is", settingPack, means, custom, true, "tool", "", nil},
		{"one source that may lie", settingPack, settingTable, weak, false, "", "", nil},
		{"a tool and a menu", settingPack, menu, custom, true, "tool", "Power > Profile = MaxPerf", nil},
		{"a menu alone", settingPack, menuAlone, custom, true, "", "Power > Profile = MaxPerf", nil},
		{"neither", settingPack, bare, custom, false, "", "", nil},
		{"another preset to change first", settingPack, strings.Replace(strings.Replace(settingTable, "masters: [", "masters: [{setting: power_policy, attribute: Other, free: [Custom], locks: [workload_profile], source: s}, ", 1),
			"settings:\n", "settings:\n  power_policy: [{attribute: Other, values: {MaxPerf: max_performance}, source: s}]\n", 1), custom, false, "", "", nil},
		{"no tables", settingPack, "", custom, false, "", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, topo := twoSockets()
			sys.Machine.Vendor, sys.Machine.Product = direct("Example"), direct("Server")
			sys.Settings = map[string]inventory.Setting{"workload_profile": {Configured: c.now}}
			platformOf(topo, platform.Platform{ID: "milan"})
			e := engineOf(t, c.pack)
			if c.table != "" {
				e.WithTables(func() (settings.Tables, error) {
					return settings.Load(fstest.MapFS{"d/e.yaml": {Data: []byte(c.table)}, "d/spellings.tsv": {Data: []byte(settingSpellings + "Example\ts\tredfish\tOther\tOther\tCustom=Custom|MaxPerf=MaxPerf\n")}}, "d")
				})
			}
			assert.Nil(t, e.FindPresetStep(sys, topo, audit.Options{Profile: "no such profile", Asked: true}))
			step := e.FindPresetStep(sys, topo, audit.Options{Profile: "site/preset", Asked: true})
			require.Equal(t, c.there, step != nil)
			if step != nil {
				assert.Equal(t, []any{c.tool, c.menu, c.silent, c.silent == nil}, []any{step.Tool, step.Menu, step.Silent, step.Writes["turbo"] == "enabled"})
			}
		})
	}
}

// TestWhyNoProfile checks the reason: for a profile selected by id, why it does not apply to this machine; for an
// intent, that no profile exists; of two equally narrow ones the first in the files is used.
func TestWhyNoProfile(t *testing.T) {
	const src = `
profiles:
  - {id: first, intent: [hpc], title: t, for: {vendors: [Example]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: second, intent: [hpc], title: t, for: {vendors: [Example]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: narrow, intent: [database], title: t, for: {vendors: [Example], products: [Model 1]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: broad, intent: [database], title: t, for: {vendors: [Example]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: other, title: t, for: {vendors: [Other]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: guests, title: t, applies: machine.virtual, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: open, title: t, applies: 'machine.board == "B1"', citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: broken, intent: [low-latency], title: t, applies: machine.nothing == 1, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
`
	sys, topo := twoSockets()
	e := engineOf(t, src)
	for name, want := range map[string][2]string{
		"hpc": {"first", ""}, "database": {"narrow", ""}, "broad": {"broad", ""}, "second": {"second", ""},
		"other":           {"", "the profile other is written for other machines"},
		"guests":          {"", "the profile guests is written for other machines"},
		"open":            {"", "whether the profile open is written for this machine is not known"},
		"broken":          {"", "the profile broken is broken: undefined field 'nothing'"},
		"low-latency":     {"", "no document is known to give a profile for low-latency: the machine's platform is not known"},
		"max-performance": {"", "no document is known to give a profile for max-performance: the machine's platform is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			c, why, err := e.ChooseProfile(name, sys, topo)
			require.NoError(t, err)
			got := ""
			if c != nil {
				got = c.Profile.ID
			}
			assert.Equal(t, want, [2]string{got, why})
		})
	}
	platformOf(topo, platform.Platform{ID: "milan"})
	_, why, err := e.ChooseProfile("max-performance", sys, topo)
	require.NoError(t, err)
	assert.Equal(t, "no document for this machine gives a profile for max-performance", why)
	sys.Machine.Product = unread[string]()
	_, why, err = e.ChooseProfile("narrow", sys, topo)
	require.NoError(t, err)
	assert.Equal(t, "whether the profile narrow is written for this machine is not known", why)
	undecided := e.Compare(sys, topo).Undecided
	require.Len(t, undecided, 2)
	assert.Equal(t, []string{"open", "broken"}, []string{undecided[0].ID, undecided[1].ID}, "a broken condition has no result")
}

// TestRowsNotApplicable checks that a row whose condition is false shows whom it concerns, one whose condition is
// unknown what is missing, and a broken one the error; the document's notes and exceptions are reported.
func TestRowsNotApplicable(t *testing.T) {
	const src = `
profiles:
  - id: site/rows
    title: T
    citation: {vendor: Example, title: T, place: Table 1}
    settings:
      smt: {want: [enabled, auto], level: warning, note: as measured, exceptions: [a cold room, a hot one], place: Table 2}
      turbo: {want: enabled, level: info, applies: machine.virtual, concerns: guests}
      c1e: {want: enabled, level: info, applies: machine.virtual}
      iommu: {want: enabled, level: info, applies: 'machine.board == "B1"'}
      x2apic: {want: enabled, level: info, applies: machine.nothing == 1}
      adddc: {want: enabled, level: info, applies: '[1][machine.processors] == 1'}
      p_states: {want: enabled, level: info, applies: machine.processors == 2}
      c_states: {want: enabled, level: info, exceptions: [a cold room]}
  - id: site/other
    title: T
    citation: {vendor: Example, title: T}
    settings: {smt: {want: enabled, level: info}, turbo: {want: enabled, level: info}, upi_prefetch: {want: enabled, level: info}}
`
	sys, topo := twoSockets()
	sys.Settings["smt"] = inventory.Setting{Configured: known("disabled", "bios", "HT")}
	a := run(t, engineOf(t, src), sys, topo, audit.Options{Profile: "site/rows", Asked: true})
	for id, want := range map[string]struct {
		result verdict.Result
		reason string
	}{
		"turbo": {verdict.NotApplicable, "concerns only guests"}, "c1e": {verdict.NotApplicable, "concerns only machines where machine.virtual"},
		"x2apic": {verdict.Error, "applies: undefined field 'nothing'"}, "p_states": {verdict.Unknown, "neither firmware's settings nor the kernel show it"},
		"iommu": {verdict.Unknown, ""}, "adddc": {verdict.Error, "applies: "},
	} {
		t.Run(id, func(t *testing.T) {
			f := one(t, a, "setting."+id, "setting "+id)
			assert.Contains(t, f.Reason, want.reason)
			assert.Equal(t, []string{string(want.result), "T asks for enabled", "Table 1"}, []string{string(f.Result), string(f.Why), string(f.Citation.Place)})
		})
	}
	assert.EqualValues(t, "T asks for enabled; not where: a cold room", one(t, a, "setting.c_states", "setting c_states").Why)
	assert.EqualValues(t, "the profile site/rows does not cover it", one(t, a, "setting.upi_prefetch", "machine").Reason, "another profile's")
	for _, id := range []string{"smt", "turbo"} {
		assert.Len(t, findings(a, "setting."+id), 1, "one entry for each setting")
	}
	f := one(t, a, "setting.smt", "setting smt")
	assert.Equal(t, []string{"T asks for enabled or auto; as measured; not where: a cold room, a hot one", "Table 2"}, []string{string(f.Why), string(f.Citation.Place)})
}

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
	sys, topo := twoSockets()
	sys.Machine.Product = direct(product)
	platformOf(topo, platform.Platform{ID: "milan"})
	sys.Settings = settings
	return run(t, engineOf(t, choicePack), sys, topo, audit.Options{Profile: profile, Asked: true})
}

// TestProfileOfSeveralIntents checks that each of a profile's intents finds it and is the one reported, that the
// first is reported for its id, and that a profile without intents is found by id alone.
func TestProfileOfSeveralIntents(t *testing.T) {
	for asked, want := range map[string]string{"balanced": "balanced", "energy-efficiency": "energy-efficiency", "site/two": "balanced"} {
		a := choice(t, "Model 1", asked, nil)
		require.NotNil(t, a.Profile, a.ProfileWhy)
		assert.Equal(t, "site/two", a.Profile.ID)
		assert.Equal(t, want, string(a.Profile.Intent))
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
	const src = `
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
`
	for _, c := range []struct {
		name, version, registry string
		applies                 bool
	}{
		{"by its BIOS version", "X9", "", true},
		{"by its registry", "", "BiosAttributeRegistryX9.v1_2_3", true},
		{"another ROM", "X91", "BiosAttributeRegistryX91.v1_2_3", false},
		{"not known", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, topo := twoSockets()
			sys.Machine = inventory.Machine{}
			if c.version != "" {
				sys.Machine.BIOS.Version = direct(c.version)
			}
			if c.registry != "" {
				sys.Machine.BIOSRegistry = direct(c.registry)
			}
			sys.Settings = map[string]inventory.Setting{"smt": {Configured: direct("disabled")}}
			a := run(t, engineOf(t, src), sys, topo, audit.Options{Profile: "site/rom", Asked: true})
			require.Equal(t, c.applies, a.Profile != nil)
			if c.applies {
				f := findings(a, "setting.smt")["setting smt"]
				assert.Equal(t, []any{verdict.Fail, verdict.Warning}, []any{f.Result, f.Severity})
			}
		})
	}
}
