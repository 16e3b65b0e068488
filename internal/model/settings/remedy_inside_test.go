package settings

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCandidates checks which attributes a machine may have: those of its export and those they pass on to; otherwise
// those that name the machine; otherwise those of all machines except other vendors'.
func TestCandidates(t *testing.T) {
	table := &Table{Except: []string{"westmere-ep"}, Settings: map[string][]Attribute{"determinism": {
		{Name: "Control", Values: map[string]string{"Manual": Next}},
		{Name: "Slider", Values: map[string]string{"Power": "power"}},
		{Name: "Later", Values: map[string]string{"Power": "power"}},
		{Name: "Guess", Values: map[string]string{"Power": "power"}, Unverified: true},
		{Name: "Old", Values: map[string]string{"Power": "power"}, For: []string{"westmere-ep"}},
		{Name: "AMD Slider", Values: map[string]string{"Power": "power"}},
		{Name: "Bias", Menu: "Intel(R) > Bias", Values: map[string]string{"Power": "power"}},
		{Name: "AmdBias", Values: map[string]string{"Power": "power"}},
	}, "smt": {{Name: "Threads"}}}}
	table.build()
	s, _ := Lookup("determinism")
	for name, c := range map[string]struct {
		change Change
		want   []string
	}{
		"any machine":          {Change{}, []string{"Control", "Slider", "Later", "AMD Slider", "Bias", "AmdBias"}},
		"of Intel":             {Change{Maker: "GenuineIntel"}, []string{"Control", "Slider", "Later", "Bias"}},
		"of AMD":               {Change{Maker: "AuthenticAMD"}, []string{"Control", "Slider", "Later", "AMD Slider", "AmdBias"}},
		"an older machine":     {Change{Platform: "westmere-ep"}, []string{"Old"}},
		"it has the slider":    {Change{Seen: "Slider_0A1F"}, []string{"Slider"}},
		"it has the control":   {Change{Seen: "Control"}, []string{"Control", "Slider", "Later", "Old", "AMD Slider", "Bias", "AmdBias"}},
		"it has an unlike one": {Change{Seen: "Unheard"}, []string{"Control", "Slider", "Later", "AMD Slider", "Bias", "AmdBias"}},
	} {
		var got []string
		for _, a := range table.candidates(s, &c.change) {
			got = append(got, a.Name)
		}
		assert.Equal(t, c.want, got, name)
	}
	older := &Table{Except: []string{"westmere-ep"}, Settings: map[string][]Attribute{"determinism": {{Name: "Control", Values: map[string]string{"Manual": Next}}}}}
	assert.Empty(t, older.candidates(s, &Change{Platform: "westmere-ep"}), "the table is younger than the machine")
}

// TestBefore checks that an option is skipped only if the machine has it and it can pass on to the next.
func TestBefore(t *testing.T) {
	table := spelled(Table{Vendor: "V", Generations: []Generation{{Source: "M", For: []string{"milan"}}}, Settings: map[string][]Attribute{"determinism": {
		{Name: "Absent", Values: map[string]string{"Manual": Next}},
		{Name: "Plain", Values: map[string]string{"Power": "power"}},
		{Name: "Control", Values: map[string]string{"Manual": Next}},
		{Name: "Slider", Values: map[string]string{"Power": "power"}},
	}}}, &spelling{source: "M", form: FormRedfish, name: "Plain", values: "Power"}, &spelling{source: "M", form: FormRedfish, name: "Control", values: "Auto|Manual"})
	s, _ := Lookup("determinism")
	lines, ok := table.before(s, &table.Settings["determinism"][3], &Change{Platform: "milan"})
	assert.True(t, ok)
	assert.Equal(t, []string{"first BIOS attribute Control = Manual"}, lines)
}

// TestCommandsOfAMachine checks that a command applies to all machines unless the table is for later ones or names
// others, and that an attribute may be known to some tools only.
func TestCommandsOfAMachine(t *testing.T) {
	table := spelled(Table{Vendor: "V", Except: []string{"nehalem-ep", "westmere-ep"}, Commands: []Command{
		{Tool: "general", Steps: []string{"{attribute}={value}"}}, {Tool: "old", Steps: []string{"{name} is {word}"}, For: []string{"westmere-ep"}}, {Tool: "grouped", Steps: []string{"set {group}.{name} {word}"}},
	}})
	commands := func(a Attribute, w Change) []string {
		a.Name, w.Seen, w.SeenRaw = "Turbo Mode", "Turbo Mode", "Enabled"
		var out []string
		for _, way := range table.commands(&a, "Disabled", &w) {
			out = append(out, way.Tool+": "+way.Command)
		}
		return out
	}
	for name, c := range map[string]struct {
		a    Attribute
		w    Change
		want []string
	}{
		"without a group": {Attribute{}, Change{Platform: "milan"}, []string{"general: Turbo Mode=Disabled"}},
		"with a group":    {Attribute{Group: "G"}, Change{Platform: "milan"}, []string{"general: Turbo Mode=Disabled", "grouped: set G.'Turbo Mode' Disabled"}},
		"one tool":        {Attribute{Group: "G", Tools: []string{"grouped"}}, Change{Platform: "milan"}, []string{"grouped: set G.'Turbo Mode' Disabled"}},
		"an older one":    {Attribute{Group: "G"}, Change{Platform: "westmere-ep"}, []string{"old: 'Turbo Mode' is Disabled"}},
		"the oldest":      {Attribute{Group: "G"}, Change{Platform: "nehalem-ep"}, nil},
	} {
		assert.Equal(t, c.want, commands(c.a, c.w), name)
	}
	assert.Equal(t, "{x}T {", filled("{x}{attribute} {", "T", "", ""))
}

// TestUnlocks checks that the value of one preset does not unlock settings of another.
func TestUnlocks(t *testing.T) {
	table := &Table{Presets: []Preset{{Setting: "workload_profile", Unlocked: []string{"Custom Mode"}}, {Setting: "amd_workload_profile", Unlocked: []string{"Disabled"}}}}
	for _, c := range []struct {
		preset, value string
		want          bool
	}{{"workload_profile", "CustomMode", true}, {"workload_profile", "Disabled", false}, {"workload_profile", "Fast", false}, {"amd_workload_profile", "disabled", true}, {"amd_workload_profile", "Custom Mode", false}} {
		assert.Equal(t, c.want, table.Unlocks(c.preset, c.value), c)
	}
}

// TestUnlockOfTwoPresets checks two presets that no record assigns to the machine: the first is not skipped for the
// second; a recorded one is used.
func TestUnlockOfTwoPresets(t *testing.T) {
	table := Table{Generations: []Generation{{Source: "M", For: []string{"milan"}}}, Presets: []Preset{
		{Setting: "workload_profile", Attribute: "CPUPerformance", Unlocked: []string{"Custom"}, Controls: []string{"turbo"}},
		{Setting: "workload_profile", Attribute: "CpuPerformanceProfile", Unlocked: []string{"Custom"}, Controls: []string{"turbo"}}}}
	w := &Change{ID: "turbo", Platform: "milan", Preset: "Enterprise"}
	assert.Equal(t, "CPUPerformance is Enterprise, which governs the setting: free it first, by the value that documents call Custom", spelled(table).unlock(w))
	assert.Equal(t, "first set CpuPerformanceProfile to Custom: it is Enterprise, which governs the setting",
		spelled(table, &spelling{source: "M", form: FormRedfish, name: "CpuPerformanceProfile", values: "Custom|Enterprise"}).unlock(w))
}

// TestSamePreset compares names of presets.
func TestSamePreset(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"HighPerformanceCompute", "HighPerformanceCompute(HPC)", true}, {"A", "B", false}, {"(x)", "(y)", false}, {"", "", false}, {"Low Latency", "LowLatency", true}} {
		assert.Equal(t, c.want, SamePreset(c.a, c.b), c)
	}
	assert.Equal(t, "a b !~ \u00a0", OneLine("a\tb\x7f!~\u009b\u00a0"))
	assert.Equal(t, "Turbo Boost", lastStep("Turbo Boost"))
}
