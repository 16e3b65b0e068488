package audit_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/internal/population"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/internal/verdict"
)

// TestWrongProfileName: a slip of the hand is answered with the name that was
// meant, first; an intent and an id are no slips.
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

// TestForeignProfile: the profile of another vendor's machines is refused with both
// vendors' names; one for all machines is not, and none is where nobody knows whose
// machine this is.
func TestForeignProfile(t *testing.T) {
	e, sys, topo := choicePackEngine(t, direct("Dell Inc."))
	var foreign *audit.ForeignProfileError
	require.ErrorAs(t, e.CheckVendor("site/two", sys, topo), &foreign)
	assert.Equal(t, []string{"Example"}, foreign.Vendors)
	assert.Equal(t, `profile "site/two" is written for machines of Example, and this one is of Dell Inc.; for this machine: site/none`, foreign.Error())
	require.NoError(t, e.CheckVendor("site/none", sys, topo))
	require.NoError(t, e.CheckVendor("hpc", sys, topo), "an intent is nobody's")
	e, sys, topo = choicePackEngine(t, direct("Example Inc."))
	require.NoError(t, e.CheckVendor("site/two", sys, topo))
	e, sys, topo = choicePackEngine(t, unread[string]())
	require.NoError(t, e.CheckVendor("site/two", sys, topo))
}

// TestFitting lists what is written for a machine, the narrowest first, with the
// intents that come to it.
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

// TestChoose: an intent comes to the document's profile with every row that concerns
// the machine, and a machine that the document does not name is told so.
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
	assert.NotEmpty(t, why, "nobody wrote one, and it is said")

	e, sys, topo := choicePackEngine(t, direct("Example Inc."))
	for product, analogy := range map[string]string{"Model 1": "", "Model 2": "Model 1"} {
		sys.Machine.Product = direct(product)
		c, _, err := e.Choose("balanced", sys, topo)
		require.NoError(t, err)
		assert.Equal(t, analogy, c.Analogy, product)
	}
}

// TestArea: a part of the audit is counted by itself, and held against no profile.
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

// TestRole: a plan is told what a rule is to it by the rule's own words, and of a
// rule without any that modules do not change it.
func TestRole(t *testing.T) {
	e := builtin(t)
	assert.Equal(t, verdict.Role{Layout: true, Purchase: true}, e.Role("memory.channel.populated"))
	assert.Equal(t, verdict.Role{Layout: true}, e.Role("memory.socket.populated"))
	assert.Equal(t, verdict.Role{}, e.Role("setting.smt"))
	assert.Equal(t, verdict.Role{}, e.Role("no.such.rule"))
}

// TestPreset: one step where the profile's document names the preset and the
// machine's export shows another; none where it is set already, where the export
// may be another machine's, where nobody asked, or where no preset is on record.
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

// TestNearestByWords: a name of the same maker that shares words comes before one
// that is only spelled alike.
func TestNearestByWords(t *testing.T) {
	e := builtin(t)
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
