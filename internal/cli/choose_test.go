package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A misspelt name proposes what was meant, and what this machine has.
func TestWrongProfileNameProposes(t *testing.T) {
	t.Parallel()
	status, out, errs := run(nil, "check", "--root", tree(t, "dell-r610-good"), "--profile", "dell-11g/low-latancy")
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	nearest, rest, ok := strings.Cut(errs, "; for this machine: ")
	require.True(t, ok, errs)
	assert.Contains(t, nearest, "nearest: dell-11g/low-latency, ")
	_, proposed, _ := strings.Cut(nearest, "nearest: ")
	assert.Len(t, strings.Split(proposed, ", "), 3)
	mine, _, _ := strings.Cut(rest, ";")
	assert.Equal(t, "dell-11g/energy-efficiency, dell-11g/max-performance, dell-11g/balanced, dell-11g/low-latency, dell-11g/hpc, workloads/vsphere-5, workloads/database-ydb", mine)
}

// The profile of another vendor, of another generation or of other processors is a mistake of the
// caller; an intent and general guidance are answers.
func TestAnotherVendorsProfileIsWrongUsage(t *testing.T) {
	t.Parallel()
	rome := tree(t, "supermicro-rome-half")
	status, out, errs := run(nil, "check", "--root", rome, "--profile", "dell-16g/performance")
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Contains(t, errs, `"dell-16g/performance" is written for machines of Dell, and this one is of Supermicro; for this machine: supermicro/`)
	for profile, want := range map[string]string{
		"supermicro/packet-processing-ice-lake": "is written for the platforms ice-lake-sp, and this one is rome; for this machine: supermicro/",
		"amd-instinct/mi300x":                   "is written for the platforms genoa, and this one is rome; for this machine: supermicro/",
	} {
		status, out, errs = run(nil, "check", "--root", rome, "--profile", profile)
		assert.Equal(t, 2, status)
		assert.Empty(t, out)
		assert.Contains(t, errs, `"`+profile+`" `+want)
	}
	for _, profile := range []string{"balanced", "workloads/dpdk"} {
		out = must(t, "check", "--root", rome, "--profile", profile, "--fail-on", "never")
		assert.NotEmpty(t, out, profile)
	}
}

// With a machine, profiles list prints what fits it.
func TestProfilesOfAMachine(t *testing.T) {
	t.Parallel()
	out := must(t, "profiles", "list", "--root", tree(t, "dell-r610-good"))
	assert.NotContains(t, out, "no document for this machine")
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "; by the machine's own vendor")
	ids := 0
	for l := range strings.Lines(out) {
		if id, ok := strings.CutPrefix(l, "  dell-11g/"); ok {
			ids++
			words := strings.Fields(id)
			require.Len(t, words, 2, l)
			assert.Equal(t, words[0], words[1], "the intent that it answers")
		}
	}
	assert.Equal(t, 5, ids)
	_, out, _ = run(nil, "profiles", "list", "--root", tree(t, "dell-r610-good"), "--format", "json")
	infos := decoded[[]struct {
		ID, Standing string
		Answers      []string
	}](t, out)
	assert.Len(t, infos, 7)
	for _, i := range infos {
		assert.Equal(t, map[bool]string{true: "own maker", false: "general practice"}[strings.HasPrefix(i.ID, "dell-11g/")], i.Standing)
		assert.Len(t, i.Answers, 1)
	}
	infos = nil
	_, out, _ = run(nil, "profiles", "list", "--root", tree(t, "supermicro-rome-half"))
	assert.True(t, strings.HasSuffix(out, "\n\nno document for this machine: balanced\n"), out)
	_, out, _ = run(nil, "profiles", "list", "--root", tree(t, "supermicro-rome-half"), "--format", "json")
	require.NoError(t, json.Unmarshal([]byte(out), &infos))
	standings := map[string]string{}
	for _, i := range infos {
		standings[i.ID] = i.Standing
	}
	assert.Equal(t, "general practice", standings["amd-epyc-7003/nic-latency"], "AMD's advice as HPE prints it, for a Supermicro")
	status, out, _ := run(nil, "profiles", "list", "--root", tree(t, "sun-x6440"))
	assert.Equal(t, 0, status)
	assert.Equal(t, "no document gives a profile for this machine\n", out)
}

// An export alone identifies its machine as far as its format does: Dell's includes the processors, so profiles
// apply; for others the vendor's profiles that may apply are listed with the missing fact.
func TestProfilesOfAnExport(t *testing.T) {
	t.Parallel()
	list := func(text string, args ...string) string {
		return must(t, append([]string{"profiles", "list", "--bios", export(t, text)}, args...)...)
	}
	const dell = `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Attributes": {"SystemModelName": "PowerEdge R650", "SysProfile": "Custom", "ProcTurboMode": "Enabled"%s}}`
	whole := list(fmt.Sprintf(dell, `, "Proc1Brand": "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", "Proc1Id": "6-6A-6"`))
	assert.Contains(t, whole, "dell-14g-15g/performance  ")
	assert.NotContains(t, whole, "dell-16g/")
	assert.NotContains(t, whole, "may apply")
	some := list(fmt.Sprintf(dell, ""))
	says, lines, ok := strings.Cut(some, "that may apply; unknown so far: processors (add --smbios FILE or --root DIR):\n")
	require.True(t, ok, some)
	assert.Contains(t, says, "its platform is not known")
	assert.NotContains(t, some, "no document for this machine")
	for _, id := range []string{"dell-14g-15g/performance", "dell-16g/performance", "dell-11g/hpc"} {
		assert.Contains(t, lines, "\n  "+id+" ")
	}
	assert.NotContains(t, lines, "hpe-")
	var infos []struct {
		ID      string
		Answers []string
		Missing []string
	}
	const lenovo = `{"@odata.id": "/redfish/v1/Systems/1/Bios", "AttributeRegistry": "BiosAttributeRegistry.1.0.0", "Attributes": {"OperatingModes_ChooseOperatingMode": "MaximumPerformance", "Processors_TurboMode": "Enabled"}}`
	require.NoError(t, json.Unmarshal([]byte(list(lenovo, "--format", "json")), &infos))
	require.NotEmpty(t, infos)
	for _, i := range infos {
		assert.Equal(t, []string{"processors", "product"}, i.Missing, i.ID)
		assert.Empty(t, i.Answers, i.ID)
	}
	assert.Equal(t, "no document is known to give a profile for this machine; its platform is not known: no processor was identified\n", list("turbo: enabled\n"), "nothing is listed without a vendor")
}

// heldDocument is the profiles' part of a comparison's JSON.
type heldDocument struct {
	Schema   string
	Why      *string
	Findings []json.RawMessage
	Profiles []held
}

type held struct {
	ID                              string
	Closest                         bool
	Agrees, Differs, Unknown, Error int
	Settings                        []struct {
		Setting, Result string
		Wanted          []string
		Remedy          *string
	}
}

// The test bed of the Dell paper shows SMT, node interleaving, C-states and
// C1E; of its eight settings the other four are the firmware's alone.
func TestProfilesCompare(t *testing.T) {
	t.Parallel()
	dir := tree(t, "dell-r610-unbalanced")
	doc := decoded[heldDocument](t, must(t, "profiles", "compare", "--root", dir, "--format", "json"))
	assert.Equal(t, "memaudit.comparison/v1", doc.Schema)
	require.Len(t, doc.Profiles, 7) // with what others advise for databases and vSphere
	fewest := slices.MinFunc(doc.Profiles, func(a, b held) int {
		return cmp.Or(cmp.Compare(min(b.Agrees, 1), min(a.Agrees, 1)), cmp.Compare(a.Differs, b.Differs), cmp.Compare(b.Agrees, a.Agrees))
	})
	for _, p := range doc.Profiles {
		assert.Equal(t, p.Agrees == fewest.Agrees && p.Differs == fewest.Differs, p.Closest, "%s beside %s", p.ID, fewest.ID)
		if strings.HasPrefix(p.ID, "workloads/") {
			continue
		}
		assert.True(t, strings.HasPrefix(p.ID, "dell-11g/"), p.ID)
		idle, c1e, expected := "pass", "pass", [4]int{3, 1, 4, 0}
		if p.ID == "dell-11g/low-latency" { // it wants both disabled, and they are in use, whoever decided
			idle, c1e, expected = "fail", "fail", [4]int{1, 3, 4, 0}
		}
		assert.Equal(t, expected, [4]int{p.Agrees, p.Differs, p.Unknown, p.Error}, p.ID)
		for _, s := range p.Settings {
			want := map[string]string{"smt": "fail", "node_interleave": "pass", "c_states": idle, "c1e": c1e}[s.Setting]
			if want == "" {
				want = "unknown"
			}
			assert.Equal(t, want, s.Result, "%s %s", p.ID, s.Setting)
			assert.Equal(t, s.Result == "fail", s.Remedy != nil, "%s %s", p.ID, s.Setting)
		}
	}
}

func TestProfilesCompareWithoutProfile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sun-x6440", "guest-without-smbios"} {
		dir := tree(t, name)
		out := must(t, "profiles", "compare", "--root", dir)
		assert.Contains(t, out, "PROFILES  not applicable: no document")
		_, out, _ = run(nil, "profiles", "compare", "--root", dir, "--format", "json")
		doc := decoded[heldDocument](t, out)
		assert.Empty(t, doc.Profiles)
		assert.NotEmpty(t, doc.Why)
	}
}

// A check with all profiles is the same check with one more key.
func TestCheckAllProfiles(t *testing.T) {
	t.Parallel()
	args := []string{"check", "--root", tree(t, "dell-r610-unbalanced"), "--profile", "max-performance"}
	for _, more := range [][]string{nil, {"--fail-on", "never"}, {"--fail-on", "critical"}} {
		plain, text, _ := run(nil, append(args, more...)...)
		all, sides, _ := run(nil, append(append(args, more...), "--all-profiles")...)
		assert.Equal(t, plain, all)
		before, after, ok := strings.Cut(sides, "PROFILES  ")
		require.True(t, ok)
		assert.True(t, strings.HasPrefix(text, strings.TrimSpace(before)), "the summary is below both")
		assert.Contains(t, after, "CLOSEST")
	}
	_, plain, _ := run(nil, append(args, "--format", "json")...)
	_, all, _ := run(nil, append(args, "--format", "json", "--all-profiles")...)
	_, compared, _ := run(nil, "profiles", "compare", "--root", args[2], "--format", "json")
	var without, with, held map[string]any
	require.NoError(t, json.Unmarshal([]byte(plain), &without))
	require.NoError(t, json.Unmarshal([]byte(all), &with))
	require.NoError(t, json.Unmarshal([]byte(compared), &held))
	assert.Equal(t, held["profiles"], with["profiles"])
	delete(with, "profiles")
	assert.Equal(t, without, with)
}

func TestProfilesCompareRefuses(t *testing.T) {
	t.Parallel()
	machine := tree(t, "dell-r610-good")
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, `--format: "html", expected one of text, json`, []string{"--format", "html", "--root", machine}},
		{2, "expected flags only", []string{"dell-11g/balanced"}},
		{2, "unknown flag: --profile", []string{"--profile", "hpc"}},
		{2, "both name a machine", []string{"--root", machine, "--snapshot", machine}},
		{2, "no such file", []string{"--config", filepath.Join(machine, "none.yaml"), "--root", machine}},
		{3, "no such file", []string{"--root", filepath.Join(machine, "none")}},
	} {
		status, _, errs := run(nil, append([]string{"profiles", "compare"}, c.args...)...)
		assert.Equal(t, c.status, status, c.args)
		assert.Contains(t, errs, c.says)
	}
}

// A pack may contain anything; a terminal executes none of it.
func TestShowIsPrintable(t *testing.T) {
	t.Parallel()
	file := fileOf(t, "site.yaml", `profiles:
  - id: "site/a"
    intent: hpc
    title: "\e]0;owned\a\u202e title"
    citation: {vendor: "V\e[2J", title: T}
    settings:
      turbo: {want: enabled, level: info, note: "\e[31mred\n\r", remedy: "\x9b31m"}
`)
	out := must(t, "profiles", "show", "site/a", "--rules", filepath.Dir(file))
	assert.Contains(t, out, "turbo: enabled (info)")
	for _, r := range out {
		assert.True(t, r == '\n' || r >= ' ' && r < 0x7f, "%q", r)
	}
}

// If vendors disagree, each profile names the vendors and their values.
func TestShowNamesOtherProfiles(t *testing.T) {
	t.Parallel()
	file := fileOf(t, "site.yaml", `profiles:
  - id: site/low-latency
    intent: low-latency
    title: Ours
    for: {vendors: [Site]}
    citation: {vendor: Site, title: Guide}
    settings:
      turbo: {want: disabled, level: info}
`)
	out := must(t, "profiles", "show", "dell-11g/low-latency", "--rules", filepath.Dir(file))
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "each covers its own machines only")
	assert.Contains(t, out, "site/low-latency")
	out = must(t, "profiles", "show", "dell-11g/low-latency", "--rules", filepath.Dir(file), "--format", "json")
	infos := decoded[[]struct {
		Settings map[string]struct{ Elsewhere []map[string]string }
	}](t, out)
	require.Len(t, infos, 1)
	assert.Contains(t, infos[0].Settings["turbo"].Elsewhere, map[string]string{"profile": "site/low-latency", "value": "disabled"})
}

func TestExplain(t *testing.T) {
	t.Parallel()
	bad := tree(t, "dell-r610-unbalanced")
	for _, c := range []struct {
		args []string
		says []string
		not  string
	}{
		{[]string{"memory.channel.populated"}, []string{"rule      memory.channel.populated", "problem   for example: ", "[##] [##] [##]", "Why it matters", "How to fix it", "severity  warning", "In its case", "no machine given"}, "size()"},
		{[]string{"memory.channel.populated", "--root", bad}, []string{"This machine", "2 of 3 channels hold memory"}, ""},
		{[]string{"smt"}, []string{"setting   smt", "thread 0", "dell-11g/balanced", "lost 11 % on one", "Logical Processor", "no machine given"}, "at work"},
		{[]string{"setting.smt", "--root", bad}, []string{"at work   enabled", "Expected  disabled"}, ""},
		{[]string{"westmere-ep", "--root", bad}, []string{"3 channels side by side", "is of this platform", "2 of 3"}, ""},
		{[]string{"numa"}, []string{"word      NUMA node", "node 0: cpu 0", "memaudit explain numa.nodes.used"}, ""},
		{[]string{"Class"}, []string{"word      class", "the grade of a layout"}, ""},
		{[]string{"channel"}, []string{"word      channel", "[##] [##] [##]", "memaudit explain memory.channel.populated"}, ""},
		{[]string{"C-States"}, []string{"setting   c_states"}, ""},
		{[]string{"setting.SMT"}, []string{"setting   smt"}, ""},
		{[]string{"hyper-threading"}, []string{"setting   smt"}, ""},
		{[]string{"Sub-NUMA Clustering"}, []string{"sub_numa"}, ""},
		{[]string{"Patrol Scrub"}, []string{"setting   patrol_scrub"}, ""},
		{[]string{"energy_performance_preference"}, []string{"word      EPP", "cpufreq/policy*/energy_performance_preference"}, ""},
		{[]string{"Governor"}, []string{"scaling_governor"}, ""},
		{[]string{"rome", "--root", bad}, []string{"is not of this platform: westmere-ep"}, ""},
	} {
		out := must(t, append([]string{"explain"}, c.args...)...)
		for _, s := range c.says {
			assert.Contains(t, out, s, c.args)
		}
		if c.not != "" {
			assert.NotContains(t, out, c.not, c.args)
		}
	}
}

func TestExplainRefuses(t *testing.T) {
	t.Parallel()
	status, _, errs := run(nil, "explain", "smtt")
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, `"smtt" is not a rule, setting, platform or word of the glossary; the nearest are smt`)
	status, _, errs = run(nil, "explain", "smt", "--root", "/nowhere")
	assert.Equal(t, 3, status)
	assert.Contains(t, errs, "--root /nowhere")
	status, _, _ = run(nil, "explain")
	assert.Equal(t, 2, status)
}
