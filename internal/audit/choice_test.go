package audit_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// TestWrongProfileName checks that a misspelled name is answered with the nearest name first, and that intents and
// ids are accepted.
func TestWrongProfileName(t *testing.T) {
	e := builtin(t)
	for _, name := range []string{"hpc", "balanced", "dell-11g/max-performance"} {
		require.NoError(t, e.CheckProfile(name))
	}
	for name, meant := range map[string]string{"max-performanc": "max-performance", "low-latncy": "low-latency", "virtualisation": "virtualization",
		"dell-11g/max-performnce": "dell-11g/max-performance", "HPC": "hpc"} {
		var unknown *audit.UnknownProfileError
		require.ErrorAs(t, e.CheckProfile(name), &unknown, name)
		assert.Equal(t, meant, unknown.Nearest[0])
		assert.Len(t, unknown.Nearest, 3)
		unknown.Fitting = []string{"dell-11g/energy-efficiency"}
		for _, part := range []string{`"` + name + `" is not known, nearest: ` + meant, "; for this machine: dell-11g/energy-efficiency;", "the intents are balanced, "} {
			assert.Contains(t, unknown.Error(), part)
		}
	}
}

// choicePackEngine is an engine of choicePack, and a machine of a vendor.
func choicePackEngine(t *testing.T, vendor fact.Fact[string]) (*audit.Engine, *inventory.System, *population.Result) {
	t.Helper()
	sys, topo := twoSockets()
	sys.Machine.Vendor = vendor
	platformOf(topo, platform.Platform{ID: "milan"})
	return engineOf(t, choicePack), sys, topo
}

// TestForeignProfile checks that the profile of another vendor's machines is rejected with both vendors' names, that
// one for all machines is not, and that none is if the machine's vendor is unknown.
func TestForeignProfile(t *testing.T) {
	e, sys, topo := choicePackEngine(t, direct("Dell Inc."))
	var foreign *audit.ForeignProfileError
	require.ErrorAs(t, e.CheckFits("site/two", sys, topo), &foreign)
	assert.Equal(t, []string{"machines of Example", "of Dell Inc."}, []string{foreign.Written, foreign.This})
	assert.Equal(t, `profile "site/two" is written for machines of Example, and this one is of Dell Inc.; for this machine: site/none`, foreign.Error())
	require.NoError(t, e.CheckFits("site/none", sys, topo))
	require.NoError(t, e.CheckFits("hpc", sys, topo), "an intent belongs to no vendor")
	e, sys, topo = choicePackEngine(t, direct("Example Inc."))
	require.NoError(t, e.CheckFits("site/two", sys, topo))
	e, sys, topo = choicePackEngine(t, unread[string]())
	require.NoError(t, e.CheckFits("site/two", sys, topo))
}

// TestFitting lists the profiles for a machine, the narrowest first, with the intents that select them.
func TestFitting(t *testing.T) {
	e, sys, topo := choicePackEngine(t, direct("Example Inc."))
	assert.Equal(t, []string{"site/two", "site/none"}, e.FittingIDs(sys, topo))
	fits := e.Fitting(sys, topo)
	require.Len(t, fits, 2)
	for _, f := range fits {
		if f.ID == "site/two" {
			assert.Equal(t, []string{"balanced", "energy-efficiency"}, f.Answers)
		} else {
			assert.Empty(t, f.Answers, f.ID)
		}
	}
	sys, topo = r610("westmere-ep")
	for _, id := range builtin(t).FittingIDs(sys, topo) {
		assert.False(t, strings.HasPrefix(id, "fujitsu") || strings.HasPrefix(id, "hpe"), "another maker's profile for a Dell: %s", id)
	}
	assert.Contains(t, builtin(t).FittingIDs(sys, topo), "dell-11g/max-performance")
}

// TestChoose checks that an intent selects the document's profile with every row for the machine, and that a machine
// not named in the document is told so.
func TestChoose(t *testing.T) {
	sys, topo := r610("westmere-ep")
	c, why, err := builtin(t).Choose("max-performance", sys, topo)
	require.NoError(t, err)
	require.NotNil(t, c, why)
	assert.Equal(t, "dell-11g/max-performance", c.Profile.ID)
	assert.Len(t, c.Profile.Table(), len(c.Rows)+len(c.Silent))
	assert.NotEmpty(t, c.Rows)
	for i := range c.Silent {
		assert.NotEmpty(t, c.Silent[i].Reason, c.Silent[i].Rule)
	}
	_, _, err = builtin(t).Choose("max-performances", sys, topo)
	require.Error(t, err)
	c, why, err = engineOf(t, choicePack).Choose("hpc", sys, topo)
	require.NoError(t, err)
	assert.Nil(t, c)
	assert.NotEmpty(t, why, "there is none, which is reported")

	e, sys, topo := choicePackEngine(t, direct("Example Inc."))
	for product, analogy := range map[string]string{"Model 1": "", "Model 2": "Model 1"} {
		sys.Machine.Product = direct(product)
		c, _, err := e.Choose("balanced", sys, topo)
		require.NoError(t, err)
		assert.Equal(t, analogy, c.Analogy, product)
	}
}

// TestArea checks that a part of the audit is counted separately and checked against no profile.
func TestArea(t *testing.T) {
	sys, topo := r610("westmere-ep")
	sys.Settings["smt"] = inventory.Setting{Configured: direct("disabled")}
	whole := run(t, builtin(t), sys, topo, audit.Options{Profile: "max-performance", Asked: true})
	for _, prefix := range []string{"memory.", "setting."} {
		part := whole.Area(prefix)
		want := 0
		for i := range whole.Findings {
			if strings.HasPrefix(whole.Findings[i].Rule, prefix) {
				want++
			}
		}
		require.Positive(t, want)
		assert.Len(t, part.Findings, want)
		assert.Equal(t, verdict.Summarize(part.Findings), part.Summary)
		assert.Nil(t, part.Profile)
		assert.Equal(t, "not asked for", part.ProfileWhy)
	}
	assert.NotEqual(t, whole.Summary, whole.Area("memory.").Summary)
}

// TestSomeRules checks that an audit of some rules contains only these and no profile; a bare one gives the same
// results without texts.
func TestSomeRules(t *testing.T) {
	sys, topo := r610("westmere-ep")
	sys.Settings["smt"] = inventory.Setting{Configured: direct("disabled")}
	asked := audit.Options{Profile: "max-performance", Asked: true}
	whole := run(t, builtin(t), sys, topo, asked)
	require.NotNil(t, whole.Profile)
	asked.Rules = func(id string) bool { return strings.HasPrefix(id, "memory.") }
	some := run(t, builtin(t), sys, topo, asked)
	assert.Nil(t, some.Profile)
	assert.Equal(t, whole.Area("memory.").Summary, some.Summary)
	for i := range some.Findings {
		assert.Contains(t, some.Findings[i].Rule, "memory.")
	}
	asked.Rules, asked.NoReadings = nil, true
	unread := run(t, builtin(t), sys, topo, asked)
	require.Len(t, unread.Findings, len(whole.Findings))
	gathered := 0
	for i := range unread.Findings {
		w := whole.Findings[i]
		if !strings.HasPrefix(w.Rule, "profile.") && !strings.HasPrefix(w.Rule, "setting.") {
			gathered += len(w.Evidence)
			w.Evidence = nil
		}
		assert.Equal(t, w, unread.Findings[i], "the same but for the readings")
	}
	assert.Positive(t, gathered)
	asked.NoReadings, asked.Bare = false, true
	bare := run(t, builtin(t), sys, topo, asked)
	assert.Nil(t, bare.Profile)
	assert.NotEmpty(t, bare.Findings)
	for i := range bare.Findings {
		b, w := &bare.Findings[i], &whole.Findings[i]
		assert.Equal(t, []any{w.Rule, w.Subject, w.Result, w.Severity, w.Certainty, w.Reason}, []any{b.Rule, b.Subject, b.Result, b.Severity, b.Certainty, b.Reason})
		assert.Empty(t, b.Found+b.Expected+b.Remedy)
		assert.Empty(t, b.Evidence)
	}
}

// TestRole checks that a rule's role in planning comes from the rule, and that a rule without one is not changed by
// modules.
func TestRole(t *testing.T) {
	e := builtin(t)
	assert.Equal(t, verdict.Role{Layout: true, Purchase: true}, e.Role("memory.channel.populated"))
	assert.Equal(t, verdict.Role{Layout: true}, e.Role("memory.socket.populated"))
	assert.Equal(t, verdict.Role{}, e.Role("setting.smt"))
	assert.Equal(t, verdict.Role{}, e.Role("no.such.rule"))
	two := func(narrow, general string) verdict.Role {
		return engineOf(t, "rules:\n  - {id: a.b.c, title: t, for: {vendors: [Example]}, check: 'true', severity: info, why: w, uncited: true"+narrow+"}\n"+
			"  - {id: a.b.c, title: t, check: 'true', severity: info, why: w, uncited: true"+general+"}\n").Role("a.b.c")
	}
	for want, words := range map[verdict.Role][2]string{
		{Layout: true, Order: true}: {", planning: [layout, order]", ", planning: [running]"}, {Running: true}: {"", ", planning: [running]"}, {Modules: true}: {", planning: [modules]", ""}, {}: {"", ""},
	} {
		assert.Equal(t, want, two(words[0], words[1]), "the first of one id that has a role: %v", words)
	}
}

// TestPreset checks that there is one step if the profile's document names the preset and the machine's export has
// another, and none if it is set already, the export may be another machine's, no profile was selected, or no preset
// is documented.
func TestPreset(t *testing.T) {
	tables := func() (settings.Tables, error) {
		return settings.Load(fstest.MapFS{"d/e.yaml": {Data: []byte(settingTable)}, "d/spellings.tsv": {Data: []byte(settingSpellings)}}, "d")
	}
	preset := func(o audit.Options, now inventory.Setting) *verdict.PresetStep {
		pack, faults := rulepack.ParsePack("table.yaml", []byte(settingPack))
		require.Empty(t, faults)
		sys, topo := twoSockets()
		sys.Machine.Vendor, sys.Machine.Product = direct("Example"), direct("Server")
		sys.Settings = map[string]inventory.Setting{"workload_profile": now, "turbo": {Configured: known("disabled", "bios", "Boost")}}
		platformOf(topo, platform.Platform{ID: "milan"})
		return audit.NewEngine([]*rulepack.Pack{pack}).WithTables(tables).Preset(sys, topo, o)
	}
	custom := known("Custom", "bios", "Profile")
	asked := audit.Options{Profile: "site/preset", Asked: true}
	step := preset(asked, inventory.Setting{Configured: custom})
	require.NotNil(t, step)
	assert.Equal(t, verdict.PresetStep{Setting: "workload_profile", Preset: "MaxPerf", Value: "MaxPerf", From: "Custom", Tool: "tool", Command: step.Command,
		Menu: step.Menu, Writes: map[string]string{"turbo": "enabled"}, Source: step.Source}, *step)
	assert.Contains(t, step.Command, "tool set Profile=MaxPerf")
	assert.Contains(t, step.Source, "Site")
	other := known("Custom", "bios", "OtherProfile")
	for why, c := range map[string]struct {
		o   audit.Options
		now inventory.Setting
	}{
		"nobody asked":          {audit.Options{Profile: "site/preset"}, inventory.Setting{Configured: custom}},
		"set already":           {asked, inventory.Setting{Configured: known("MaxPerf", "bios", "Profile")}},
		"set at the next boot":  {asked, inventory.Setting{Configured: custom, Pending: known("MaxPerf", "bios", "Profile")}},
		"another machine's":     {asked, inventory.Setting{Configured: doubtful(custom)}},
		"not read":              {asked, inventory.Setting{Configured: unread[string]()}},
		"another attribute":     {asked, inventory.Setting{Configured: other}},
		"a profile without one": {audit.Options{Profile: "site/table", Asked: true}, inventory.Setting{Configured: custom}},
	} {
		assert.Nil(t, preset(c.o, c.now), why)
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
		pack, faults := rulepack.ParsePack("table.yaml", []byte(c.pack))
		require.Empty(t, faults)
		sys, topo := twoSockets()
		sys.Machine.Vendor, sys.Machine.Product = direct("Example"), direct("Server")
		sys.Settings = map[string]inventory.Setting{"workload_profile": {Configured: c.now}}
		platformOf(topo, platform.Platform{ID: "milan"})
		e := audit.NewEngine([]*rulepack.Pack{pack})
		if c.table != "" {
			e.WithTables(func() (settings.Tables, error) {
				return settings.Load(fstest.MapFS{"d/e.yaml": {Data: []byte(c.table)}, "d/spellings.tsv": {Data: []byte(settingSpellings + "Example\ts\tredfish\tOther\tOther\tCustom=Custom|MaxPerf=MaxPerf\n")}}, "d")
			})
		}
		assert.Nil(t, e.Preset(sys, topo, audit.Options{Profile: "no such profile", Asked: true}), c.name)
		step := e.Preset(sys, topo, audit.Options{Profile: "site/preset", Asked: true})
		require.Equal(t, c.there, step != nil, c.name)
		if step != nil {
			assert.Equal(t, []string{c.tool, c.menu}, []string{step.Tool, step.Menu}, c.name)
			assert.Equal(t, c.silent, step.Silent, c.name)
			assert.Equal(t, c.silent == nil, step.Writes["turbo"] == "enabled", c.name)
		}
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
		c, why, err := e.Choose(name, sys, topo)
		require.NoError(t, err)
		if want[0] == "" {
			assert.Nil(t, c, name)
		} else if assert.NotNil(t, c, name) {
			assert.Equal(t, want[0], c.Profile.ID, name)
		}
		assert.Equal(t, want[1], why, name)
	}
	platformOf(topo, platform.Platform{ID: "milan"})
	_, why, err := e.Choose("max-performance", sys, topo)
	require.NoError(t, err)
	assert.Equal(t, "no document for this machine gives a profile for max-performance", why)
	sys.Machine.Product = unread[string]()
	_, why, err = e.Choose("narrow", sys, topo)
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
	} {
		f := one(t, a, "setting."+id, "setting "+id)
		assert.Equal(t, want.result, f.Result, id)
		assert.Contains(t, f.Reason, want.reason, id)
		assert.EqualValues(t, "T asks for enabled", f.Why, id)
		assert.EqualValues(t, "Table 1", f.Citation.Place, id)
	}
	assert.Equal(t, verdict.Unknown, one(t, a, "setting.iommu", "setting iommu").Result)
	f := one(t, a, "setting.adddc", "setting adddc")
	assert.Equal(t, verdict.Error, f.Result)
	assert.Contains(t, f.Reason, "applies: ")
	assert.EqualValues(t, "T asks for enabled; not where: a cold room", one(t, a, "setting.c_states", "setting c_states").Why)
	assert.EqualValues(t, "the profile site/rows does not cover it", one(t, a, "setting.upi_prefetch", "machine").Reason, "another profile's")
	for _, id := range []string{"smt", "turbo"} {
		assert.Len(t, findings(a, "setting."+id), 1, "one entry for each setting")
	}
	f = one(t, a, "setting.smt", "setting smt")
	assert.Equal(t, []string{"T asks for enabled or auto; as measured; not where: a cold room, a hot one", "Table 2"}, []string{string(f.Why), string(f.Citation.Place)})
}

// TestNearestByWords checks that a name of the same vendor with common words comes before one that is only spelled
// similarly.
func TestNearestByWords(t *testing.T) {
	var pack strings.Builder
	pack.WriteString("profiles:\n")
	for _, id := range []string{"dell-14g-15g/performance", "dell-14g-15g/performance-per-watt-dapc", "dell-16g/performance", "hpe-gen9/balanced",
		"supermicro-defaults/x11", "supermicro-defaults/x13", "lenovo-modes/maximum-performance", "amd-epyc-9004/virtualization"} {
		fmt.Fprintf(&pack, "  - {id: %s, title: t, citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}\n", id)
	}
	e := engineOf(t, pack.String())
	for name, want := range map[string][]string{
		"dell-14g/performance":   {"dell-14g-15g/performance", "dell-14g-15g/performance-per-watt-dapc"},
		"Dell 15G performance":   {"dell-14g-15g/performance", "dell-14g-15g/performance-per-watt-dapc"},
		"dell-16g/perfxrmance":   {"dell-16g/performance"},
		"supermicro/x13":         {"supermicro-defaults/x13", "supermicro-defaults/x11"},
		"virtualisation":         {"virtualization"},
		"lenovo/max-performance": {"lenovo-modes/maximum-performance"},
	} {
		var unknown *audit.UnknownProfileError
		require.ErrorAs(t, e.CheckProfile(name), &unknown, name)
		assert.Equal(t, want, unknown.Nearest[:len(want)], name)
	}
}

const possiblePack = `
profiles:
  - {id: ours/named, title: t, for: {vendors: [Example], platforms: [milan], products: [Model 1]}, named: [Model 1], citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: ours/others, title: t, for: {vendors: [Example], platforms: [milan, rome]}, named: [Model 7], citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: ours/product, title: t, for: {vendors: [Example], products: [Model 2]}, citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: ours/rome, title: t, for: {vendors: [Example], platforms: [rome]}, citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: ours/all, title: t, for: {vendors: [Example]}, citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: theirs, title: t, for: {vendors: [Other], platforms: [milan]}, citation: {vendor: Other, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: anybody, title: t, for: {platforms: [milan]}, citation: {vendor: Other, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: any, title: t, citation: {vendor: Other, title: T}, settings: {smt: {want: enabled, level: info}}}
`

// TestPossible lists those of the vendor's profiles that may apply once missing facts are known, and these facts;
// none if all is known, or if the vendor is unknown.
func TestPossible(t *testing.T) {
	e := engineOf(t, possiblePack)
	for _, c := range []struct {
		name          string
		product       fact.Fact[string]
		platform      string
		vendor        fact.Fact[string]
		fits, missing []string
	}{
		{"all is known", direct("Model 1"), "milan", direct("Example Inc."), nil, nil},
		{"the processors are not", direct("Model 1"), "", direct("Example Inc."), []string{"ours/named", "ours/rome", "ours/others"}, []string{audit.MissingProcessors}},
		{"the product is not", unread[string](), "milan", direct("Example Inc."), []string{"ours/product", "ours/named"}, []string{audit.MissingProduct}},
		{"neither is", unread[string](), "", direct("Example Inc."), []string{"ours/product", "ours/rome", "ours/named", "ours/others"}, []string{audit.MissingProcessors, audit.MissingProduct}},
		{"the maker is not", unread[string](), "milan", unread[string](), nil, nil},
	} {
		sys, topo := twoSockets()
		sys.Machine.Vendor, sys.Machine.Product = c.vendor, c.product
		if c.platform != "" {
			platformOf(topo, platform.Platform{ID: c.platform})
		}
		fits, missing := e.Possible(sys, topo)
		var ids []string
		for _, f := range fits {
			ids = append(ids, f.ID)
		}
		assert.Equal(t, c.fits, ids, c.name)
		assert.Equal(t, c.missing, missing, c.name)
	}
}

// TestForeignAmongSeveral checks that a name of several profiles, one for each vendor, is foreign only if none of
// them is for the machine, and that one for all machines, or for the running firmware, is never foreign.
func TestForeignAmongSeveral(t *testing.T) {
	const several = `
profiles:
  - {id: two, title: t, for: {vendors: [Other]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: two, title: t, for: {vendors: [Example]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: three, title: t, for: {vendors: [Other]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: three, title: t, for: {vendors: [Third]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: rom, title: t, for: {vendors: [Other]}, firmware: [X9], citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: platform, title: t, for: {platforms: [rome]}, citation: {vendor: S, title: T}, settings: {smt: {want: enabled, level: info}}}
`
	sys, topo := twoSockets()
	e := engineOf(t, several)
	for name, foreign := range map[string]bool{"two": false, "three": true, "rom": true, "platform": false, "none such": false} {
		assert.Equal(t, foreign, e.CheckFits(name, sys, topo) != nil, name)
	}
	require.EqualError(t, e.CheckFits("three", sys, topo), `profile "three" is written for machines of Other, Third, and this one is of Example Inc.; for this machine: two`)
	sys.Machine.BIOSVersion = direct("X9")
	require.NoError(t, e.CheckFits("rom", sys, topo))
}

// TestOtherGeneration checks that the id of a vendor's profile is a usage error on a machine that certainly is none
// of its machines, by name or platform, also for a CPU vendor's profile. A profile that may apply, and guidance
// without a vendor, is accepted.
func TestOtherGeneration(t *testing.T) {
	const src = `
profiles:
  - {id: maker/gen2, title: t, for: {vendors: [Example], products: [Gen2], platforms: [milan]}, citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: maker/gen3, title: t, for: {vendors: [Example], products: [Gen3], platforms: [milan, genoa]}, citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: maker/genoa, title: t, for: {vendors: [Example], platforms: [genoa, turin]}, citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: maker/two, title: t, for: {vendors: [Example], products: [Gen2, Gen3]}, citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: epyc/genoa, title: t, for: {platforms: [genoa]}, citation: {vendor: AMD, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: guidance, title: t, for: {platforms: [genoa]}, citation: {vendor: Blog, title: T}, settings: {smt: {want: enabled, level: info}}}
  - {id: maker/rome, title: t, for: {vendors: [Example]}, applies: platform.id == "rome", citation: {vendor: Example, title: T}, settings: {smt: {want: enabled, level: info}}}
`
	e := engineOf(t, src)
	sys, topo := twoSockets()
	sys.Machine.Product = direct("Server Gen2")
	platformOf(topo, platform.Platform{ID: "milan"})
	const fitting = "; for this machine: maker/gen2, maker/two"
	for name, want := range map[string]string{
		"maker/gen2":  "",
		"maker/gen3":  `profile "maker/gen3" is written for machines with Gen3 in their name, and this one is a Server Gen2` + fitting,
		"maker/genoa": `profile "maker/genoa" is written for the platforms genoa, turin, and this one is milan` + fitting,
		"epyc/genoa":  `profile "epyc/genoa" is written for the platforms genoa, and this one is milan` + fitting,
		"guidance":    "", "maker/rome": "", "hpc": "",
	} {
		err := e.CheckFits(name, sys, topo)
		if want == "" {
			require.NoError(t, err, name)
		} else {
			require.EqualError(t, err, want, name)
		}
	}
	sys.Machine.Product = unread[string]()
	require.NoError(t, e.CheckFits("maker/gen3", sys, topo), "its name is not known")
	require.Error(t, e.CheckFits("maker/genoa", sys, topo))
	_, topo = twoSockets()
	require.NoError(t, e.CheckFits("maker/genoa", sys, topo), "its platform is not known")
}

// TestNotApplied checks that an audit shows whether its profile was requested, and the reason if it is not applied.
func TestNotApplied(t *testing.T) {
	a := choice(t, "Model 1", "low-latency", nil)
	assert.Nil(t, a.Profile)
	assert.True(t, a.ProfileAsked)
	assert.Equal(t, "no document for this machine gives a profile for low-latency", a.ProfileWhy)
	a = choice(t, "Model 1", "site/none", nil)
	assert.NotNil(t, a.Profile)
	assert.Empty(t, a.ProfileWhy)
	sys, topo := twoSockets()
	a = run(t, engineOf(t, choicePack), sys, topo, audit.Options{})
	assert.Nil(t, a.Profile)
	assert.False(t, a.ProfileAsked)
}
