package audit_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
)

const settingPack = `
profiles:
  - id: site/table
    intent: [balanced]
    title: the site's table
    citation: {vendor: Site, title: Table}
    settings:
      turbo: {want: enabled, level: warning}
      x2apic: {want: auto, level: warning}
      c1e: {want: disabled, level: warning, remedy: as our runbook says}
  - id: site/enabled
    title: both on
    citation: {vendor: Site, title: Table}
    settings:
      smt: {want: enabled, level: warning}
      turbo: {want: enabled, level: warning}
  - id: site/levels
    title: levels of TDP
    citation: {vendor: Site, title: Table}
    settings:
      tdp_level: {want: [level1], level: warning}
  - id: site/preset
    title: what the preset writes
    preset: MaxPerf
    citation: {vendor: Site, title: Table}
    settings:
      turbo: {want: enabled, level: warning}
`

const settingTable = `
vendor: Example
manufacturers: [Example]
sources: {s: {title: t}}
settings:
  workload_profile: [{attribute: Profile, source: s}]
  turbo: [{attribute: Boost, menu: Power > Boost, values: {On: enabled, Off: disabled}, source: s}]
masters: [{setting: workload_profile, attribute: Profile, free: [Custom], locks: [turbo], source: s}]
generations: [{source: s, for: [milan]}]
commands: [{tool: tool, steps: ["tool set {attribute}={value}", reboot], acts: at the next boot, source: s}]
`

const settingSpellings = "Example\ts\tredfish\tProfile\tProfile\tCustom=Custom|MaxPerf=MaxPerf\nExample\ts\tredfish\tBoost\tBoost\tOn=On|Off=Off\n"

func known(value, source, field string) fact.Fact[string] {
	return fact.Known(value, fact.Direct, fact.Evidence{Source: source, Path: "p", Field: field, Raw: value})
}

// judge audits a machine with the given values against settingPack and the built-in rules about settings.
func judge(t *testing.T, faces map[string]inventory.Setting) *verdict.Audit {
	t.Helper()
	return judgeOn(t, "site/table", faces, nil)
}

// judgeOn does so on processors with the given rows of the vendors' tables.
func judgeOn(t *testing.T, profile string, faces map[string]inventory.Setting, rows []*platform.Processor) *verdict.Audit {
	t.Helper()
	pack, faults := rulepack.ParsePack("table.yaml", []byte(settingPack))
	require.Empty(t, faults)
	packs, err := builtinPacks()
	require.NoError(t, err)
	var general []*rulepack.Pack
	for _, p := range packs {
		if p.File == "general/settings.yaml" {
			general = append(general, p)
		}
	}
	require.Len(t, general, 1)
	sys, topo := twoSockets()
	sys.Machine.Vendor, sys.Machine.Product = direct("Example"), direct("Server")
	sys.Settings = faces
	platformOf(topo, platform.Platform{ID: "milan"})
	topo.Processors = rows
	engine := audit.NewEngine(append(general, pack)).WithTables(func() (settings.Tables, error) {
		return settings.Load(fstest.MapFS{"d/e.yaml": {Data: []byte(settingTable)}, "d/spellings.tsv": {Data: []byte(settingSpellings)}}, "d")
	})
	return run(t, engine, sys, topo, audit.Options{Profile: profile, Asked: true})
}

// one finds the finding of a rule and subject.
func one(t *testing.T, a *verdict.Audit, rule, subject string) verdict.Finding {
	t.Helper()
	var found []verdict.Finding
	for _, f := range a.Findings {
		if f.Rule == rule && f.Subject.String() == subject {
			found = append(found, f)
		}
	}
	require.Len(t, found, 1, "%s %s", rule, subject)
	return found[0]
}

// doubtful is a value that may be another machine's.
func doubtful(f fact.Fact[string]) fact.Fact[string] {
	f.Unverified = true
	return f
}

// TestSettingValues checks one row with every combination of what can be known of a setting's values.
func TestSettingValues(t *testing.T) {
	absent := fact.Unknown[string](fact.Absent, "not offered by this machine's BIOS", "")
	on, off := known("enabled", "bios", "Boost"), known("disabled", "bios", "Boost")
	auto := known("auto", "bios", "Boost")
	runsOn, runsOff := known("enabled", "cpufreq", ""), known("disabled", "cpufreq", "")
	for _, c := range []struct {
		name   string
		s      inventory.Setting
		result verdict.Result
		// found or reason, a part of the remedy
		says, remedy string
	}{
		{"as wanted", inventory.Setting{Configured: on}, verdict.Pass, "enabled (configured)", ""},
		{"runs against BIOS setup and the row", inventory.Setting{Configured: on, Effective: runsOff}, verdict.Fail, "disabled (effective, though BIOS setup says enabled)", "BIOS setup has it: reboot"},
		{"not as wanted", inventory.Setting{Configured: off, Effective: runsOn}, verdict.Fail, "disabled (configured)", "tool: tool set Boost=On; reboot (takes effect at the next boot)"},
		{"effective alone", inventory.Setting{Effective: runsOff}, verdict.Fail, "disabled (effective)", "BIOS setup: Power > Boost = On"},
		{"an administrator decided", inventory.Setting{Effective: runsOff, DecidedBy: known("administrator", "cpufreq", "")}, verdict.Fail,
			"disabled (effective; decided by an administrator at run time (p administrator))", "find out what writes the value at run time (a tuned profile, cpupower, a boot script) and take it back (p administrator)"},
		{"the kernel decided", inventory.Setting{Effective: runsOff, DecidedBy: known("kernel", "cpuidle", "")}, verdict.Fail,
			"disabled (effective; decided by the kernel (p kernel))", "BIOS setup: Power > Boost = On"},
		{"the kernel decided as wanted", inventory.Setting{Effective: runsOn, DecidedBy: known("kernel", "cpuidle", "")}, verdict.Pass, "enabled (effective; decided by the kernel (p kernel))", ""},
		{"the kernel runs another than BIOS setup's", inventory.Setting{Configured: off, Effective: runsOn, DecidedBy: known("kernel", "cpuidle", "")}, verdict.Fail, "disabled (configured)", "BIOS setup: Power > Boost = On"},
		{"the wanted value waits", inventory.Setting{Configured: off, Pending: on}, verdict.Fail, "disabled (configured; enabled after the next boot)", "reboot: enabled is set and waits for the next boot"},
		{"as wanted, but not after the next boot", inventory.Setting{Configured: on, Pending: off}, verdict.Pass, "enabled (configured; disabled after the next boot)", ""},
		{"only the next boot's value", inventory.Setting{Pending: on}, verdict.Unknown, "only the value for the next boot is known: enabled", ""},
		{"auto, effective shows", inventory.Setting{Configured: auto, Effective: runsOn}, verdict.Pass, "enabled (effective; BIOS setup says auto)", ""},
		{"auto alone", inventory.Setting{Configured: auto}, verdict.Unknown, "BIOS setup leaves the choice to firmware (auto), and what it came to does not show", ""},
		{"not offered", inventory.Setting{Configured: absent}, verdict.NotApplicable, "not offered by this machine's BIOS", ""},
		{"not offered, runs otherwise", inventory.Setting{Configured: absent, Effective: runsOff}, verdict.Fail, "disabled (effective)", "the export lists no such setting"},
		{"another machine's word, runs otherwise", inventory.Setting{Configured: doubtful(on), Effective: runsOff}, verdict.Fail,
			"disabled (effective; that BIOS setup says enabled is in doubt)", "BIOS setup: Power > Boost = On"},
		{"another machine's word alone", inventory.Setting{Configured: doubtful(on)}, verdict.Pass, "enabled (configured)", ""},
		{"not offered, runs as wanted", inventory.Setting{Configured: absent, Effective: runsOn}, verdict.Pass, "enabled (effective)", ""},
		{"nothing", inventory.Setting{}, verdict.Unknown, "neither firmware's settings nor the kernel show it", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := one(t, judge(t, map[string]inventory.Setting{"turbo": c.s}), "setting.turbo", "setting turbo")
			assert.Equal(t, []string{string(c.result), c.says}, []string{string(f.Result), string(f.Found + f.Reason)})
			assert.Contains(t, f.Remedy, c.remedy)
			assert.Equal(t, f.Result == verdict.Fail, f.Remedy != "")
		})
	}
}

// TestFirmwareValue checks that a running state fails a row whoever set it, in each kind of document, except Turbo
// that the processor may not have.
func TestFirmwareValue(t *testing.T) {
	off, nobody := known("disabled", "cpufreq", ""), fact.Unknown[string](fact.Absent, "who did does not show", "")
	for _, c := range []struct {
		id   string
		by   fact.Fact[string]
		want [3]bool // fails as the state itself, as firmware's, word for word
	}{
		{"turbo", known(inventory.DecidedFirmware, "msr", ""), [3]bool{true, true, true}},
		{"turbo", known(inventory.DecidedHardware, "cpu", ""), [3]bool{true, true, false}},
		{"turbo", known(inventory.DecidedAdministrator, "cpufreq", ""), [3]bool{true, true, true}},
		{"turbo", known(inventory.DecidedCommandLine, "cmdline", ""), [3]bool{true, true, true}},
		{"turbo", known(inventory.DecidedKernel, "cpufreq", ""), [3]bool{true, true, true}},
		{"turbo", nobody, [3]bool{true, true, true}},
		{"hw_prefetch", nobody, [3]bool{true, true, true}},
	} {
		for i, face := range []facts.Basis{facts.BasisAny, facts.BasisFirmware, facts.BasisConfigured} {
			v, _ := facts.ValueToCompare(inventory.Setting{Effective: off, DecidedBy: c.by}, c.id, []string{"enabled"}, face)
			assert.Equal(t, c.want[i], v.Known(), "%s by %s%s, face %q: %s", c.id, c.by.Value, c.by.Reason, face, v.Reason)
			assert.NotContains(t, v.Reason, "doing of the firmware")
		}
	}
	bias := inventory.Setting{Effective: fact.Known("balanced_performance", fact.Direct, fact.Evidence{Path: "cpu0/power/energy_perf_bias", Raw: "6"})}
	v, _ := facts.ValueToCompare(bias, "energy_perf_bias", []string{"max_performance"}, facts.BasisAny)
	assert.Equal(t, "balanced_performance", v.Text(), "Linux runs with it, whatever firmware set")
	v, _ = facts.ValueToCompare(bias, "energy_perf_bias", []string{"max_performance"}, facts.BasisFirmware)
	assert.Contains(t, v.Reason, "the kernel turns firmware's 0, maximum performance, into 6 at boot")
	auto := inventory.Setting{Configured: known("auto", "bios", "Boost"), Effective: known("enabled", "cpufreq", "")}
	v, _ = facts.ValueToCompare(auto, "turbo", []string{"enabled"}, facts.BasisFirmware)
	assert.Equal(t, "enabled", v.Text(), "what auto came to counts")
	v, _ = facts.ValueToCompare(auto, "turbo", []string{"enabled"}, facts.BasisConfigured)
	assert.Equal(t, "auto", v.Text(), "auto is another word")
}

// TestSettingAutoWanted checks that only BIOS setup can show that firmware chooses.
func TestSettingAutoWanted(t *testing.T) {
	for _, c := range []struct {
		s    inventory.Setting
		want verdict.Result
	}{
		{inventory.Setting{Configured: known("auto", "bios", "A"), Effective: known("enabled", "cpu", "")}, verdict.Pass},
		{inventory.Setting{Configured: known("enabled", "bios", "A")}, verdict.Fail},
		{inventory.Setting{Effective: known("enabled", "cpu", "")}, verdict.Unknown},
	} {
		f := one(t, judge(t, map[string]inventory.Setting{"x2apic": c.s}), "setting.x2apic", "setting x2apic")
		assert.Equal(t, c.want, f.Result)
	}
}

// TestSettingLiteral checks that auto is another value for a document that gives BIOS setup literally, whatever auto
// results in.
func TestSettingLiteral(t *testing.T) {
	pack, faults := rulepack.ParsePack("literal.yaml", []byte(strings.Replace(settingPack, "    title:", "    face: configured\n    title:", 1)))
	require.Empty(t, faults)
	require.Empty(t, pack.Validate())
	on, off, byFirmware := known("enabled", "cpufreq", ""), known("disabled", "cpufreq", ""), known("firmware", "cpufreq", "")
	for name, c := range map[string]struct {
		s    inventory.Setting
		want verdict.Result
	}{
		"auto":                              {inventory.Setting{Configured: known("auto", "bios", "Boost"), Effective: on}, verdict.Fail},
		"as wanted, and Turbo does not run": {inventory.Setting{Configured: known("enabled", "bios", "Boost"), Effective: off}, verdict.Fail},
		"runs, whoever chose":               {inventory.Setting{Effective: on}, verdict.Unknown},
		"runs, by firmware":                 {inventory.Setting{Effective: on, DecidedBy: byFirmware}, verdict.Pass},
		"another machine's export hides nothing that firmware did": {inventory.Setting{Configured: doubtful(known("enabled", "bios", "Boost")), Effective: off, DecidedBy: byFirmware}, verdict.Fail},
		"another machine's export hides nothing, whoever chose":    {inventory.Setting{Configured: doubtful(known("enabled", "bios", "Boost")), Effective: off}, verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			sys, topo := twoSockets()
			sys.Settings = map[string]inventory.Setting{"turbo": c.s}
			a := run(t, audit.NewEngine([]*rulepack.Pack{pack}), sys, topo, audit.Options{Profile: "site/table", Asked: true})
			assert.Equal(t, c.want, one(t, a, "setting.turbo", "setting turbo").Result)
		})
	}
}

// TestSettingWithoutSpelling checks that if the recommended value has no known spelling, the remedy names the option in
// the export.
func TestSettingWithoutSpelling(t *testing.T) {
	a := judge(t, map[string]inventory.Setting{"x2apic": {Configured: known("enabled", "bios", "X2")}})
	assert.Contains(t, one(t, a, "setting.x2apic", "setting x2apic").Remedy,
		"no known document or export shows how X2, which is enabled, spells it: in memaudit's words x2apic must be auto; the option's values in BIOS setup")
}

// TestValuesContradict compares BIOS setup with the running system.
func TestValuesContradict(t *testing.T) {
	a := judge(t, map[string]inventory.Setting{
		"turbo":    {Configured: known("enabled", "bios", "Boost"), Effective: known("disabled", "cpufreq", ""), DecidedBy: known("administrator", "cpufreq", "")},
		"c1e":      {Configured: known("disabled", "bios", "C1E"), Effective: known("enabled", "cpuidle", ""), DecidedBy: known("kernel", "cpuidle", "")},
		"c_states": {Configured: known("c6", "bios", "C"), Effective: known("enabled", "cpuidle", "")},
		"smt": {Configured: fact.Unknown[string](fact.Conflicting, "a.json says enabled, b.txt disabled", "",
			fact.Evidence{Source: "bios", Path: "a.json"})},
		"iommu":  {Configured: known("enabled", "bios", "I"), Pending: known("disabled", "bios", "I")},
		"x2apic": {Pending: known("disabled", "bios", "X"), Effective: known("enabled", "cpu", "")},
		"adddc":  {Pending: known("disabled", "bios", "X")},
	})
	for _, c := range []struct {
		rule, id string
		want     verdict.Result
		severity verdict.Severity
		found    string
	}{
		{"settings.conflict", "turbo", verdict.Fail, verdict.Warning, "BIOS setup says enabled, the system runs with disabled, decided by an administrator at run time (p administrator)"},
		{"settings.conflict", "c1e", verdict.Fail, verdict.Info, "BIOS setup says disabled, the system runs with enabled, decided by the kernel (p kernel)"}, // which rewrites it by itself
		{"settings.conflict", "c_states", verdict.Pass, verdict.Warning, ""},
		{"settings.conflict", "smt", verdict.Fail, verdict.Warning, "a.json says enabled, b.txt disabled"},
		{"settings.conflict", "iommu", verdict.NotApplicable, verdict.Warning, ""},
		{"settings.pending", "iommu", verdict.Fail, verdict.Info, "now enabled, after the next boot disabled"},
		{"settings.pending", "x2apic", verdict.Fail, verdict.Info, "in effect enabled, after the next boot disabled"},
		{"settings.pending", "adddc", verdict.Unknown, verdict.Info, ""},
		{"settings.pending", "turbo", verdict.NotApplicable, verdict.Info, ""},
	} {
		t.Run(c.rule+" "+c.id, func(t *testing.T) {
			f := one(t, a, c.rule, "setting "+c.id)
			assert.Equal(t, []any{c.want, c.severity, c.found}, []any{f.Result, f.Severity, string(f.Found)})
		})
	}
}

// TestNoConflict checks that a value that every kernel sets instead of BIOS setup's is not a contradiction, and that
// one set by anything else is.
func TestNoConflict(t *testing.T) {
	for by, want := range map[string]verdict.Result{"kernel": verdict.Pass, "administrator": verdict.Fail} {
		a := judge(t, map[string]inventory.Setting{"energy_perf_bias": {Configured: known("max_performance", "bios", "Bias"),
			Effective: known("balanced_performance", "cpufreq", ""), DecidedBy: known(by, "cpufreq", "")}})
		assert.Equal(t, want, one(t, a, "settings.conflict", "setting energy_perf_bias").Result, by)
	}
}

// TestNothingToEnableByTheTables checks Intel's product pages on processors without SMT (Sierra Forest) or without
// SMT and Turbo (Bronze of the first two generations), and on one with both.
func TestNothingToEnableByTheTables(t *testing.T) {
	for _, c := range []struct {
		brand      string
		model      int
		smt, turbo verdict.Result
	}{
		{"Intel(R) Xeon(R) 6710E", 175, verdict.NotApplicable, verdict.Fail},
		{"Intel(R) Xeon(R) 6780E", 175, verdict.NotApplicable, verdict.Fail},
		{"Intel(R) Xeon(R) Bronze 3104 CPU @ 1.70GHz", 85, verdict.NotApplicable, verdict.NotApplicable},
		{"Intel(R) Xeon(R) Bronze 3204 CPU @ 1.90GHz", 85, verdict.NotApplicable, verdict.NotApplicable},
		{"Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", 85, verdict.Fail, verdict.Fail},
	} {
		sys, _ := twoSockets()
		for i := range sys.Sockets {
			sys.Sockets[i].Vendor, sys.Sockets[i].Family, sys.Sockets[i].Model, sys.Sockets[i].Brand = direct("GenuineIntel"), direct(6), direct(c.model), direct(c.brand)
		}
		rows := platform.Processors(sys, rules.FS)
		off := inventory.Setting{Configured: known("disabled", "bios", "Option")}
		a := judgeOn(t, "site/enabled", map[string]inventory.Setting{"smt": off, "turbo": off}, rows)
		assert.Equal(t, c.smt, one(t, a, "setting.smt", "setting smt").Result, c.brand)
		assert.Equal(t, c.turbo, one(t, a, "setting.turbo", "setting turbo").Result, c.brand)
	}
}

// TestRemedyOfEachValue checks that a change at run time is to be undone only if BIOS setup's own value is unknown,
// and that a reboot that brings another unwanted value is not a remedy.
func TestRemedyOfEachValue(t *testing.T) {
	const steps = "Profile must be Custom for the setting to be changed\nBIOS setup: Power > Boost = On\ntool: tool set Boost=On; reboot (takes effect at the next boot)"
	off, runsOff, admin := known("disabled", "bios", "Boost"), known("disabled", "cpufreq", ""), known(inventory.DecidedAdministrator, "cpufreq", "")
	for _, c := range []struct {
		name          string
		s             inventory.Setting
		found, remedy string
	}{
		{"setup's value is known", inventory.Setting{Configured: off, Effective: runsOff, DecidedBy: admin}, "disabled (configured)", steps},
		{"setup's value is not", inventory.Setting{Effective: runsOff, DecidedBy: admin}, "disabled (effective; decided by an administrator at run time (p administrator))", "find out what writes the value at run time (a tuned profile, cpupower, a boot script) and take it back (p administrator)\n" + steps},
		{"firmware decided", inventory.Setting{Effective: runsOff, DecidedBy: known(inventory.DecidedFirmware, "cpufreq", "")}, "disabled (effective; decided by firmware)", steps},
		{"the same waits", inventory.Setting{Configured: off, Pending: off}, "disabled (configured)", steps},
		{"another unwanted one waits", inventory.Setting{Configured: off, Pending: known("auto", "bios", "Boost")}, "disabled (configured; auto after the next boot)", steps},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := one(t, judge(t, map[string]inventory.Setting{"turbo": c.s}), "setting.turbo", "setting turbo")
			assert.Equal(t, []string{c.found, c.remedy}, []string{string(f.Found), string(f.Remedy)})
		})
	}
}

// TestNothingToEnableWithEmptySockets checks that a socket without a CPU is ignored, and that one in an unknown state
// may have one.
func TestNothingToEnableWithEmptySockets(t *testing.T) {
	without := &platform.Processor{Name: "Xeon Bronze 3104", Turbo: "no"}
	for name, c := range map[string]struct {
		second fact.Fact[bool]
		rows   []*platform.Processor
		want   verdict.Result
	}{
		"empty":                        {direct(false), []*platform.Processor{without, nil}, verdict.NotApplicable},
		"empty, with a row":            {direct(false), []*platform.Processor{without, {Turbo: "yes"}}, verdict.NotApplicable},
		"filled":                       {direct(true), []*platform.Processor{without, nil}, verdict.Fail},
		"not known":                    {unread[bool](), []*platform.Processor{without, nil}, verdict.Fail},
		"more processors than sockets": {direct(false), []*platform.Processor{without, nil, nil}, verdict.Fail},
		"nothing but empty ones":       {direct(false), []*platform.Processor{}, verdict.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			pack, faults := rulepack.ParsePack("table.yaml", []byte(settingPack))
			require.Empty(t, faults)
			sys, topo := twoSockets()
			sys.Sockets[1].Populated = c.second
			topo.Processors = c.rows
			sys.Settings["turbo"] = inventory.Setting{Configured: known("disabled", "bios", "Boost")}
			a := run(t, audit.NewEngine([]*rulepack.Pack{pack}), sys, topo, audit.Options{Profile: "site/table", Asked: true})
			assert.Equal(t, c.want, one(t, a, "setting.turbo", "setting turbo").Result)
		})
	}
	on := inventory.Setting{Configured: known("disabled", "bios", "Boost"), Effective: known("enabled", "cpufreq", "")}
	f := one(t, judgeOn(t, "site/table", map[string]inventory.Setting{"turbo": on}, []*platform.Processor{without, without}), "setting.turbo", "setting turbo")
	assert.Equal(t, verdict.Fail, f.Result, "the running system shows otherwise")
	f = one(t, judgeOn(t, "site/table", map[string]inventory.Setting{"c1e": {Configured: known("disabled", "bios", "A")}}, []*platform.Processor{without, without}), "setting.c1e", "setting c1e")
	assert.Equal(t, verdict.Pass, f.Result, "nothing to enable is wanted")
}

// TestDefaultProfileIsInfo checks that a deviation from the default profile is info, and that one from a selected profile has
// the document's level.
func TestDefaultProfileIsInfo(t *testing.T) {
	for asked, want := range map[bool]verdict.Severity{true: verdict.Warning, false: verdict.Info} {
		sys, topo := twoSockets()
		sys.Settings["turbo"] = inventory.Setting{Configured: known("disabled", "bios", "Boost")}
		a := run(t, engineOf(t, settingPack), sys, topo, audit.Options{Profile: "site/table", Asked: asked})
		assert.Equal(t, want, one(t, a, "setting.turbo", "setting turbo").Severity, asked)
		assert.Equal(t, asked, a.ProfileAsked)
	}
}
