package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/corpustest"
)

// TestValidateEveryKind checks that built-in files of every kind pass, a file or a folder of each, and in make corpus
// all.
func TestValidateEveryKind(t *testing.T) {
	t.Parallel()
	args := []string{"rules", "validate"}
	kinds := []string{"sun", "platforms/milan.yaml", "slots", "settings/ibm.yaml", "processors.csv"}
	if corpustest.Stage {
		kinds = []string{"."}
	}
	for _, kind := range kinds {
		args = append(args, filepath.Join(corpustest.Root(t), "rules", kind))
	}
	assert.Regexp(t, `^\d+ rules, \d+ cases, \d+ other files, no complaint\n$`, must(t, args...))
}

// TestValidateNamesThePlace checks that a folder with one faulty file of each kind gives one line per fault, and that
// its rules are not counted.
func TestValidateNamesThePlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"platform.yaml": "id: site\nname: Site\nchannels_per_socket: 2\nmax_dpc: 1\nspeeds: {udimm: [3200, 2933]}\n---\nrecognise:\n  - {vendor: GenuineIntel, brand: Site}\n",
		"maps.yaml":     "schema: 1\nvendor: site\nmaps:\n  - {id: a, models: [M], locators: [dell], groups: [[1], [1]], check: [doc], sources: [DELL-11G]}\n",
		"labels.yaml":   "schema: 1\nrules:\n  - {id: a, locator: ['CPU{cpu']}\n",
		"keyed.yaml":    "schema: 1\nrules:\n  - {id: site.a.b, subject: machine, check: memory.installed_bytes > 0}\n",
		"settings.yaml": "vendor: Site\nsources: {}\nsettings:\n  turbo:\n    - {attribute: Turbo, values: {On: enabled}, source: X}\n",
		"cpu.csv":       "#key,vendor\n",
		"own.yaml":      "for: {platforms: [genoa, site]}\nprofiles:\n  - {id: site/b, intent: hpc, title: B, for: {platforms: [genoaa]}, citation: {vendor: V, title: T, place: p1}, settings: {turbo: {want: enabled, level: info}}}\n",
		"pack.yaml":     "profiles:\n  - id: site/a\n    intent: hpc\n    title: A\n    citation: {vendor: V, title: T}\n    settings: {turbo: {want: enabled, level: info, remedy: none}}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	status, out, errs := run(nil, "rules", "validate", dir)
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	var got []string
	for line := range strings.Lines(errs) {
		if rest, ok := strings.CutPrefix(line, dir+"/"); ok {
			got = append(got, strings.TrimSpace(rest))
		}
	}
	want := []string{
		"cpu.csv:1:1: expected the columns ",
		`keyed.yaml:1:1: unknown key "schema", expected one of document, for, profiles, rules`,
		`labels.yaml:3:23: a: "CPU{cpu" has no closing brace`,
		"maps.yaml:4:59: a: slot 1 is listed twice in groups",
		`own.yaml:1:26: platform "site" is not known, expected the id of a file of platforms/`,
		`own.yaml:3:59: platform "genoaa" is not known, expected the id of a file of platforms/`,
		"pack.yaml:5:15: site/a: the citation has no place",
		"platform.yaml:5:17: speeds.udimm: 2 cells, but max_dpc is 1",
		"settings.yaml:5:57: settings.turbo[0].source: source X is not listed under sources",
	}
	require.Len(t, got, len(want), errs)
	for i := range want {
		assert.True(t, strings.HasPrefix(got[i], want[i]), "%s\n%s", want[i], got[i])
	}
}

// authoringPages are the pages about adding knowledge.
func authoringPages(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(corpustest.Root(t), "docs", "authoring", "*.md"))
	require.NoError(t, err)
	var all strings.Builder
	for _, name := range names {
		all.Write(contentOf(t, name))
	}
	return all.String()
}

// TestContributingExamples checks that the examples of docs/authoring are accepted.
func TestContributingExamples(t *testing.T) {
	t.Parallel()
	count := 0
	for rest := authoringPages(t); ; count++ {
		_, after, ok := strings.Cut(rest, "```yaml\n")
		if !ok {
			break
		}
		block, more, _ := strings.Cut(after, "```")
		status, _, errs := run(nil, "rules", "validate", fileOf(t, "example.yaml", block))
		assert.Equal(t, 0, status, "%s\n%s", errs, block)
		rest = more
	}
	assert.Equal(t, 6, count)
}

// TestContributingTables checks that the block of slot sets in docs/authoring is accepted.
func TestContributingTables(t *testing.T) {
	t.Parallel()
	pages := authoringPages(t)
	block := func(heading, kind string) string {
		_, section, found := strings.Cut(pages, "# "+heading+"\n")
		require.True(t, found, heading)
		_, text, found := strings.Cut(section, "```"+kind+"\n")
		require.True(t, found, heading)
		text, _, _ = strings.Cut(text, "```")
		return text
	}
	dir := filepath.Join(t.TempDir(), "slots")
	require.NoError(t, os.Mkdir(dir, 0o700))
	file := filepath.Join(dir, "sets.tsv")
	require.NoError(t, os.WriteFile(file, []byte(block("A slot set", "text")), 0o600))
	assert.Contains(t, must(t, "rules", "validate", file), "1 other file, no complaint")
}

// TestWrongInputs checks that unreadable input is reported once, with its flag and what was expected.
func TestWrongInputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name, content string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		return file
	}
	none, text, comment := filepath.Join(dir, "none"), at("text", "hello world\n"), at("comment.yaml", "# nothing yet\n")
	table := filepath.Join(corpustest.Root(t), "testdata/smbios/made-3.2.dmidecode.txt")
	report, gz := at("report", `{"schema": "memaudit.report/v1"}`), at("text.gz", "\x1f\x8b")
	demo := filepath.Join(corpustest.Root(t), "examples", "dell-r610.tar.gz")
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--snapshot " + none + ": no such file or directory", []string{"check", "--snapshot", none}},
		{"--snapshot " + dir + ": not a regular file", []string{"check", "--snapshot", dir}},
		{"--snapshot " + text + ": truncated: not a complete tar archive: ", []string{"check", "--snapshot", text}},
		{"--root " + none + ": no such file or directory", []string{"check", "--root", none}},
		{"--root " + text + ": is a file, a folder with sys and proc was expected", []string{"check", "--root", text}},
		{"--smbios " + none + ": no such file or directory", []string{"check", "--smbios", none}},
		{"configuration " + none + ": no such file or directory", []string{"check", "--snapshot", demo, "--config", none}},
		{"configuration " + dir + ": is a folder, expected a file", []string{"check", "--snapshot", demo, "--config", dir}},
		{"baseline " + none + ": no such file or directory", []string{"check", "--snapshot", demo, "--baseline", none}},
		{"baseline " + text + ": not a baseline, expected the JSON that memaudit baseline save writes: ", []string{"check", "--snapshot", demo, "--baseline", text}},
		{"--measured " + none + ": no such file or directory", []string{"check", "--snapshot", demo, "--measured", none}},
		{none + ":1:1: no such file or directory", []string{"check", "--snapshot", demo, "--rules", none}},
		{text + ":1:1: neither rules nor other knowledge, expected a .yaml or .csv file, or a folder with such", []string{"rules", "validate", text}},
		{comment + ":1:1: nothing in it, expected rules, profiles or other knowledge", []string{"rules", "validate", comment}},
		{"no argument, expected files or folders of rules", []string{"rules", "validate"}},
		{`no rule has the id "memory.channel.populate"; the nearest are memory.channel.populated, `, []string{"rules", "show", "memory.channel.populate"}},
		{`no profile has the id or intent "dell-11g/max-perf"; the nearest are dell-11g/max-performance, `, []string{"profiles", "show", "dell-11g/max-perf"}},
		{`invalid argument "often" for --interval, expected a duration such as 5m`, []string{"serve", "--interval", "often"}},
		{"flag needs an argument: --profile\nmemaudit: hint: see 'memaudit check --help'\n", []string{"check", "--profile"}},
		{`unknown command "lst" for "memaudit rules"`, []string{"rules", "lst"}},
		{`unknown command "chek" for "memaudit", did you mean check?`, []string{"chek"}},
		{`did you mean check?`, []string{"audit"}},
		{`"rules.go" is a file, expected a command: memaudit check rules.go`, []string{"rules.go"}},
		{`unexpected argument "b", expected one FILE (memaudit fleet takes many)`, []string{"check", "a", "b"}},
		{"--platform is a flag of 'memaudit plan'", []string{"check", "--platform", "rome"}},
		{"did you mean --format json?", []string{"check", "--json"}},
		{"did you mean --format nagios?", []string{"check", "--quiet"}},
		{"did you mean --quick?", []string{"measure", "--time"}},
		{"no such file or directory\nmemaudit: hint: another host: ssh root@node1 memaudit check, or ssh root@node1 dmidecode | memaudit check -", []string{"check", "root@node1"}},
		{"hint: --redfish https://bmc asks a BMC", []string{"check", "https://bmc"}},
		{"memaudit check rules.go takes a folder, a capture", []string{"check", "--snapshot", "rules.go"}},
		{"the nearest are Hyper-Threading, ", []string{"explain", "hyperthreding"}},
		{"expected dell-r610 or dell-r7625", []string{"demo", "r740"}},
		{"no argument, expected one rule id", []string{"rules", "show"}},
		{"unknown flag: --profil\nmemaudit: hint: did you mean --profile NAME? see 'memaudit check --help'\n", []string{"check", "--profil", "hpc"}},
		{"did you mean --format FORMAT or --fail-on SEVERITY?", []string{"check", "-f"}},
		{"did you mean --version?", []string{"-V"}},
		{"did you mean --format FORMAT or --output FILE?", []string{"check", "-o", "json"}},
		{"this is an SMBIOS table: memaudit check " + table, []string{"check", "--bios", table}},
		{"did you mean --web.listen-address ADDRESS?", []string{"serve", "--port", "9000"}},
		{`--web.listen-address: "9000", expected HOST:PORT or :PORT`, []string{"serve", "--web.listen-address", "9000"}},
		{"unknown command \"chek\" for \"memaudit\", did you mean check?\nmemaudit: hint: see 'memaudit --help'\n", []string{"help", "chek"}},
		{"did you mean show?\nmemaudit: hint: see 'memaudit rules --help'\n", []string{"help", "rules", "shw"}},
		{`unknown command "bsh" for "memaudit completion", did you mean bash`, []string{"completion", "bsh"}},
		{"did you mean check?; a new folder is ./chek", []string{"man", "chek"}},
		{"the name of the capture is -o FILE", []string{"snapshot", "capture.tar.gz"}},
		{"a machine is --smbios FILE or --snapshot FILE", []string{"labels", "rules.go"}},
		{"the nearest are memory.channel.populated, ", []string{"explain", "memory.channel"}},
		{"this is a report: memaudit fleet " + report, []string{"check", report}},
		{"must be unpacked first", []string{"check", gz}},
		{"1 input could not be read", []string{"fleet", none}},
	} {
		status, _, errs := run(nil, c.args...)
		assert.Contains(t, []int{2, 3}, status, c.args)
		assert.Contains(t, errs, c.says, c.args)
		assert.LessOrEqual(t, strings.Count(strings.SplitN(errs, "\n", 2)[0], none), 1, "named once")
	}
	status, out, _ := run(nil, "help", "rules", "show")
	assert.Equal(t, 0, status)
	assert.Contains(t, out, "memaudit rules show ID")
}

// TestValidateOneFile checks that one new file of a rules folder is checked together with the files beside it, compiled or
// not.
func TestValidateOneFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "rules")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(corpustest.Root(t), "rules"))))
	add := func(name, text string) string {
		file := filepath.Join(dir, name)
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		_, err = f.WriteString(text)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		return file
	}
	const document = "TRIAL-GUIDE\tAMD\tTrial memory population\t2027\tp7\t\tprocessor\tchannels\n"
	citation := "citation: {key: TRIAL-GUIDE, vendor: AMD, title: Trial memory population, year: 2027, place: p7}\nsources: [TRIAL-GUIDE]\n"
	file := add("platforms/trial.yaml", "id: trial\nname: Trial\nchannels_per_socket: 16\nmax_dpc: 1\nspeeds: {rdimm: [8800]}\n"+citation+
		"---\nrecognise:\n  - {vendor: AuthenticAMD, brand: 'EPYC 9\\d07'}\nbrands: [AMD EPYC 9607 144-Core Processor, AMD EPYC 9507]\n")
	status, _, errs := run(nil, "rules", "validate", file)
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "TRIAL-GUIDE")
	add("platforms/sources.tsv", document)
	assert.Contains(t, must(t, "rules", "validate", file), "1 other file, no complaint")
	add("platforms/trial.yaml", "cases:\n  - {name: nine of sixteen, dimms: [9], slots: 16, memory: DDR5, mts: 8800, finds: {memory.channel.populated: pass}}\n")
	status, _, errs = run(nil, "rules", "validate", file)
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, file+":1:1: ")
}

// TestConfigurationInPlainWords checks that errors of a configuration use the terms of the file, with its line, and
// name no Go type.
func TestConfigurationInPlainWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site.yaml")
	for text, says := range map[string]string{
		"profile: hpc\nprofil: hpc\n":          `line 2: unknown key "profil", expected one of accepted, `,
		"redfish: {url: https://b, user: x}\n": `line 1: redfish: unknown key "user", expected one of ca, credentials, `,
		"redfish: https://bmc\n":               `line 1: redfish: "https://bmc", expected a mapping with the keys ca, credentials, `,
		"rules: /etc/rules\n":                  `line 1: rules: "/etc/rules", expected a list: [/etc/rules]`,
		"profile: [a, b]\n":                    "line 1: profile: a list, expected a text",
		"waivers: [setting.smt]\n":             `line 1: waivers[0]: "setting.smt", expected a mapping with the keys reason, `,
		"waivers: {rule: setting.smt}\n":       "line 1: waivers: a mapping, expected a list",
		"profile: hpc\nprofile: balanced\n":    `mapping key "profile" already defined at line 1`,
		"- profile\n":                          "line 1: a list, expected a mapping with the keys accepted, ",
		"interval: often\n":                    `interval "often", expected a duration such as 5m`,
		"interval: 0s\n":                       `interval "0s", expected a duration such as 5m`,
		"profile: hpc\n---\ninterval: 1m\n":    "line 3: a second YAML document, expected one",
		"profile: hpc\n---\n\tx\n":             "line 3: ",
		"waivers: [null]\n":                    "line 1: waivers[0]: empty, expected a mapping",
		"profile: hpc\nwaivers:\n  -\n":        "line 3: waivers[0]: empty, expected a mapping",
		"bios: [a.json, ~]\n":                  "line 1: bios[1]: empty, expected a text",
		"interval: -1m\n":                      `interval "-1m", expected a duration such as 5m`,
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		p, _, _ := newProgram(nil)
		_, err := p.loadConfig(file)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), says)
		for _, inside := range []string{"cli.", "audit.", "!!", "unmarshal", "struct"} {
			assert.NotContains(t, err.Error(), inside, text)
		}
	}
}

// TestMisspeltWaiver checks that a waiver of a rule that does not exist is a configuration error, with the nearest
// ids.
func TestMisspeltWaiver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site.yaml")
	for rule, want := range map[string]int{"memory.chanel.populated": 2, "setting.smtt": 2, "memory.slot.order": 0, "setting.smt": 0} {
		require.NoError(t, os.WriteFile(file, []byte("waivers:\n  - {rule: "+rule+", reason: on order, until: 2099-01-01}\n"), 0o600))
		status, _, errs := run(nil, "check", "--root", tree(t, "dell-r610-good"), "--config", file)
		assert.Equal(t, want, status, rule+errs)
		if want == 2 {
			assert.Contains(t, errs, "configuration "+file+`: waiver of "`+rule+`": there is no such rule, nearest: `+
				map[string]string{"memory.chanel.populated": "memory.channel.populated", "setting.smtt": "setting.smt"}[rule])
		}
	}
}
