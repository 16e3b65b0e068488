package settings_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/settings"
)

const remedyTable = `
vendor: V
manufacturers: [V]
sources: {s: {title: t}}
settings:
  turbo:
    - {attribute: Guess, menu: Guess, values: {On: enabled, Off: disabled}, source: s, unverified: true}
    - {attribute: OldTurbo, for: [Old 1], values: {yes: enabled, "no": disabled}, source: s}
    - {attribute: Turbo, group: G, menu: Power > Turbo, values: {Enabled: enabled, Disabled: disabled}, source: s}
  smt:
    - {attribute: Threads, values: {Enabled: enabled}, source: s}
  workload_profile:
    - {attribute: Profile, menu: Profile, source: s}
  determinism:
    - {attribute: Control, values: {Auto: auto, Manual: next}, source: s}
    - {attribute: Slider, values: {Power: power}, source: s}
masters:
  - {setting: workload_profile, attribute: Profile, free: [Custom], locks: [turbo], source: s}
generations:
  - {source: s, for: [rome, milan], firmware: [V1]}
commands:
  - {tool: tool, steps: ["tool set {group}.{attribute} {value}", reboot], acts: at the next reboot, source: s}
  - {tool: bmc, steps: ['PATCH {"{attribute}":"{value}"}'], acts: at the next reset, for: [rome], source: s}
`

// remedySpellings are what machines of Rome and Milan have. Control is a name of another form, so that the command of
// the Redfish form has none.
const remedySpellings = "# head\n" +
	"V\ts\tredfish\tProfile\tProfile\tCustom|MaxPerf\n" +
	"V\ts\tredfish\tTurbo\tTurbo\tDisabled|Enabled\n" +
	"V\ts\tredfish\tControl\t\tAuto|Manual\n" +
	"V\ts\tredfish\tSlider\t\tPower\n"

func TestSteps(t *testing.T) {
	tables, err := settings.Load(fstest.MapFS{"d/v.yaml": {Data: []byte(remedyTable)}, "d/spellings.tsv": {Data: []byte(remedySpellings)}}, "d")
	require.NoError(t, err)
	v := tables.FindTable("V")
	for _, c := range []struct {
		name   string
		change settings.Change
		want   []string
	}{
		{"the first proven name, preset not known", settings.Change{ID: "turbo", Want: "disabled", Platform: "milan"}, []string{
			"Profile must be Custom for the setting to be changed",
			"BIOS setup: Power > Turbo = Disabled",
			"tool: tool set G.Turbo Disabled; reboot (takes effect at the next reboot)",
		}},
		{"an export alone tells the firmware", settings.Change{ID: "turbo", Want: "disabled", Firmware: "V1"}, []string{
			"Profile must be Custom for the setting to be changed",
			"BIOS setup: Power > Turbo = Disabled",
			"tool: tool set G.Turbo Disabled; reboot (takes effect at the next reboot)",
		}},
		{"an export of other firmware", settings.Change{ID: "turbo", Want: "disabled", Firmware: "V2"}, nil},
		{"a machine of which nothing is on record", settings.Change{ID: "turbo", Want: "disabled", Platform: "naples"}, nil},
		{"a preset locks it, the platform has one command more", settings.Change{ID: "turbo", Want: "enabled", Platform: "rome", Preset: "MaxPerf"}, []string{
			"first set Profile to Custom: it is MaxPerf, which governs the setting",
			"BIOS setup: Power > Turbo = Enabled",
			"tool: tool set G.Turbo Enabled; reboot (takes effect at the next reboot)",
			`bmc: PATCH {"Turbo":"Enabled"} (takes effect at the next reset)`,
		}},
		{"the preset is free, the product has a name of its own", settings.Change{ID: "turbo", Want: "enabled", Product: "Old 1000", Preset: "custom"}, []string{
			"BIOS attribute OldTurbo = yes",
		}},
		{"the export of this machine says the name", settings.Change{ID: "turbo", Want: "enabled", Preset: "Custom", Seen: "Turbo_0A1F", Platform: "rome"}, []string{
			"BIOS setup: Power > Turbo = Enabled",
			"tool: tool set G.Turbo_0A1F Enabled; reboot (takes effect at the next reboot)",
			`bmc: PATCH {"Turbo_0A1F":"Enabled"} (takes effect at the next reset)`,
		}},
		{"the export of this machine says name and spelling", settings.Change{ID: "turbo", Want: "enabled", Preset: "Custom", Seen: "Turbo_0A1F", SeenRaw: "Disabled"}, []string{
			"tool: tool set G.Turbo_0A1F Enabled; reboot (takes effect at the next reboot)",
		}},
		{"an option in front must leave the choice", settings.Change{ID: "determinism", Want: "power", Platform: "milan"}, []string{
			"first BIOS attribute Control = Manual", "BIOS attribute Slider = Power",
		}},
		{"it leaves the choice already", settings.Change{ID: "determinism", Want: "power", Platform: "milan", Seen: "Slider"}, []string{"BIOS attribute Slider = Power"}},
		{"it decides now", settings.Change{ID: "determinism", Want: "power", Platform: "milan", Seen: "Control"}, []string{
			"first BIOS attribute Control = Manual", "BIOS attribute Slider = Power",
		}},
		{"no word for the value", settings.Change{ID: "smt", Want: "disabled", Platform: "rome"}, nil},
		{"no name", settings.Change{ID: "c1e", Want: "disabled", Platform: "rome"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, v.StepLines(c.change))
		})
	}
}

// TestStepsByGeneration checks that the commands of the built-in tables are those of the generation that their
// documents describe, and that there are none for other generations.
func TestStepsByGeneration(t *testing.T) {
	tables := shippedTables(t)
	for _, c := range []struct {
		vendor string
		change settings.Change
		want   []string
	}{
		{"Dell Inc.", settings.Change{ID: "turbo", Want: "disabled", Product: "PowerEdge R610", Platform: "westmere-ep"}, []string{
			"BIOS setup: Processor Settings > Turbo Mode = Disabled",
			"syscfg: syscfg --turbomode=disable; reboot (takes effect at the next reboot; read back before, the tool shows the new value already)",
		}},
		{"Dell Inc.", settings.Change{ID: "patrol_scrub", Want: "standard", Product: "PowerEdge R610", Platform: "westmere-ep"}, nil},
		{"Dell Inc.", settings.Change{ID: "c1e", Want: "disabled", Product: "PowerEdge R640", Platform: "skylake-sp", Preset: "PerfPerWattOptimizedDapc"}, []string{
			"first set SysProfile to Custom: it is PerfPerWattOptimizedDapc, which governs the setting",
			"BIOS setup: System Profile Settings > C1E = Disabled",
			"racadm: racadm set BIOS.SysProfileSettings.ProcC1E Disabled; racadm jobqueue create BIOS.Setup.1-1; reboot (takes effect at the next reboot, and only when the job exists)",
			`redfish: PATCH the Bios resource's settings object (.../Bios/Settings) with {"@Redfish.SettingsApplyTime":{"ApplyTime":"OnReset"},"Attributes":{"ProcC1E":"Disabled"}}; reboot (takes effect at the next reset)`,
		}},
		{"HP", settings.Change{ID: "turbo", Want: "disabled", Product: "ProLiant DL380p Gen8", Platform: "sandybridge-ep"}, nil},
		{"Lenovo", settings.Change{ID: "smt", Want: "disabled", Product: "ThinkSystem SR650", Platform: "skylake-sp", Seen: "Processors_HyperThreading"}, []string{
			`redfish: PATCH the Bios resource's settings object (.../Bios/Pending) with {"Attributes":{"Processors_HyperThreading":"Disable"}} and the header If-Match: *; reboot (takes effect at the next boot)`,
		}},
	} {
		require.Equal(t, c.want, tables.FindTable(c.vendor).StepLines(c.change), "%s %s", c.change.Product, c.change.ID)
	}
}

// TestDellLocksFromRegistry checks the settings that the registry of the PowerEdge R650, BIOS 1.2.4, makes
// read-only unless SysProfile is Custom (Dependencies, MapToProperty ReadOnly; published in michzimm/redfish_simgen),
// as far as the vocabulary has them. PackageCStates is not among its dependencies on SysProfile.
func TestDellLocksFromRegistry(t *testing.T) {
	tables := shippedTables(t)
	steps := func(id, want, seen string) string {
		lines := tables.FindTable("Dell").StepLines(settings.Change{ID: id, Want: want, Maker: "GenuineIntel", Platform: "ice-lake-sp", Seen: seen, Preset: "PerfOptimized"})
		require.NotEmpty(t, lines, id)
		return lines[0]
	}
	for _, c := range [][3]string{
		{"memory_speed", "max", "MemFrequency"}, {"turbo", "disabled", "ProcTurboMode"}, {"c1e", "enabled", "ProcC1E"}, {"c_states", "enabled", "ProcCStates"},
		{"patrol_scrub", "standard", "MemPatrolScrub"}, {"uncore_frequency", "dynamic", "UncoreFrequency"}, {"monitor_mwait", "disabled", "MonitorMwait"},
		{"upi_power_mgmt", "enabled", "CpuInterconnectBusLinkPower"}, {"pcie_aspm", "enabled", "PcieAspmL1"}, {"p_states", "disabled", "ProcessorEist"},
	} {
		require.Contains(t, steps(c[0], c[1], c[2]), "SysProfile to Custom", c[0])
	}
	require.NotContains(t, steps("package_c_state", "c0c1", "PackageCStates"), "Custom")
}

// TestWriters checks what writes the settings of machines of several generations, and that each command has a source.
func TestWriters(t *testing.T) {
	tables := shippedTables(t)
	for _, c := range []struct{ vendor, product, platform, want string }{
		{"Dell Inc.", "PowerEdge R710", "westmere-ep", "syscfg -o FILE"},
		{"Dell Inc.", "PowerEdge R760", "sapphire-rapids", "racadm get BIOS.SysProfileSettings"},
		{"Dell Inc.", "PowerEdge R815", "opteron-g34", ""},
		{"Dell Inc.", "PowerEdge R210 II", "xeon-e3-v2", ""},
		{"Dell Inc.", "Precision 7920 Tower", "skylake-sp", ""},
		{"HP", "ProLiant DL380 Gen9", "haswell-ep", "conrep -s -f FILE"},
		{"HPE", "ProLiant DL380 Gen11", "sapphire-rapids", "ilorest save --selector=Bios. -f FILE"},
		{"HPE", "ProLiant MicroServer Gen10", "opteron-x3000", ""},
		{"HP", "HP Z8 G4 Workstation", "skylake-sp", ""},
		{"Lenovo", "ThinkSystem SR650", "skylake-sp", "onecli config show"},
		{"LENOVO", "System x3650 M5", "haswell-ep", "asu show all"},
		{"LENOVO", "ThinkStation P920", "skylake-sp", ""},
		{"IBM", "System x3650 M4", "sandybridge-ep", "asu show all"},
		{"Supermicro", "X8DTL", "westmere-ep", ""},
	} {
		require.Equal(t, c.want, tables.FindTable(c.vendor).WriteCommand(settings.Change{Product: c.product, Platform: c.platform}), c.product)
	}
	for table := range tables.All() {
		for _, e := range table.Exports {
			require.Contains(t, table.Sources, e.Source, e.Run)
		}
	}
}

// TestCommandsReboot checks that no printed command reboots a machine by itself or contains a secret.
func TestCommandsReboot(t *testing.T) {
	tables := shippedTables(t)
	seen := 0
	for table := range tables.All() {
		for _, c := range table.Commands {
			seen++
			text := strings.Join(c.Steps, "; ")
			for _, bad := range []string{"--reboot", "Immediate", "AtMaintenanceWindowStart", "?"} {
				require.NotContains(t, text, bad, "%s %s", table.Vendor, c.Tool)
			}
		}
	}
	require.Greater(t, seen, 8)
}

// wordsOf is the number of words of each tool's command in its manual or document.
var wordsOf = map[string]int{"racadm set": 4, "racadm jobqueue": 4, "ilorest set": 6, "onecli config": 8, "asu set": 4, "syscfg power": 4, "sum -c": 5, "reboot": 1}

// typedIn extracts the tool and its steps from a printed line.
var typedIn = regexp.MustCompile(`^(?:first )?(racadm|ilorest|onecli|asu|syscfg power|syscfg|sum): (.*) \(takes effect [^()]*\)$`)

// TestShellReadsEveryCommand parses every command that the tables print with a real shell: it has as many words as
// the tool's command, redirects nothing and runs nothing.
func TestShellReadsEveryCommand(t *testing.T) {
	tables := shippedTables(t)
	tools := map[string]int{}
	var commands []string
	seen := map[string]bool{}
	for table := range tables.All() {
		for _, asked := range printed(table) {
			for _, line := range asked.steps {
				m := typedIn.FindStringSubmatch(line)
				if m == nil || seen[m[2]] {
					continue
				}
				seen[m[2]] = true
				tools[m[1]]++
				for _, step := range strings.Split(m[2], "; ") {
					// Steps in an editor are not commands.
					if !strings.HasPrefix(step, "edit: ") && !seen[step] {
						seen[step] = true
						commands = append(commands, step)
					}
				}
			}
		}
	}
	t.Log(tools)
	for _, tool := range []string{"racadm", "ilorest", "onecli", "asu", "sum"} {
		assert.NotZero(t, tools[tool], tool)
	}
	for i, words := range shellReads(t, commands) {
		want := 2 // syscfg --name=value
		for prefix, n := range wordsOf {
			if strings.HasPrefix(commands[i], prefix) {
				want = n
			}
		}
		assert.Len(t, words, want, commands[i])
	}
}

// TestForeignNamesAreQuoted checks that names and values from an untrusted export are passed unchanged by a shell.
func TestForeignNamesAreQuoted(t *testing.T) {
	tables := shippedTables(t)
	hostile := "a $(touch made) `touch made` b's > made"
	tools := 0
	for shipped := range tables.All() {
		for _, c := range shipped.Commands {
			if c.Tool == "redfish" || c.Tool == "sum" {
				continue // a body and a file, no command line
			}
			tools++
			own, err := settings.Load(fstest.MapFS{"d/v.yaml": {Data: fmt.Appendf(nil, foreignTable, hostile, c.Tool, c.Steps[0])}}, "d")
			require.NoError(t, err, c.Tool)
			lines := own.FindTable("V").StepLines(settings.Change{ID: "smt", Want: "disabled", Seen: hostile, SeenRaw: "Enabled"})
			require.NotEmpty(t, lines, c.Tool)
			typed := typedIn.FindStringSubmatch(lines[len(lines)-1])
			require.NotNil(t, typed, lines)
			words := shellReads(t, []string{typed[2]})[0]
			assert.Contains(t, strings.Join(words, "\n"), hostile, c.Tool)
		}
	}
	assert.Equal(t, 6, tools)
}

// foreignTable has one attribute of any name, and one tool.
const foreignTable = `
vendor: V
manufacturers: [V]
sources: {s: {title: t}}
settings:
  smt:
    - {attribute: %q, group: G, values: {Enabled: enabled, Disabled: disabled}, source: s}
commands:
  - {tool: %s, steps: [%q], acts: at the next reboot, source: s}
`

// shellReads returns the words into which sh splits each command, without running any.
func shellReads(t *testing.T, commands []string) [][]string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine to check the commands against")
	}
	var script strings.Builder
	for _, c := range commands {
		script.WriteString(`printf '%s\0' ` + c + "\nprintf '\\n\\0'\n")
	}
	run := exec.Command(sh, "-s")
	run.Stdin, run.Dir = strings.NewReader(script.String()), t.TempDir()
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	left, err := os.ReadDir(run.Dir)
	require.NoError(t, err)
	assert.Empty(t, left, "a command wrote a file")
	var read [][]string
	for _, words := range strings.Split(strings.TrimSuffix(string(out), "\n\x00"), "\n\x00") {
		read = append(read, strings.Split(strings.TrimSuffix(words, "\x00"), "\x00"))
	}
	require.Len(t, read, len(commands))
	return read
}
