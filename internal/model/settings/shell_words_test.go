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

// wordsOf is the number of words of each tool's command in its manual or document.
var wordsOf = map[string]int{"racadm set": 4, "racadm jobqueue": 4, "ilorest set": 6, "onecli config": 8, "asu set": 4, "syscfg power": 4, "sum -c": 5, "reboot": 1}

// typedIn extracts the tool and its steps from a printed line.
var typedIn = regexp.MustCompile(`^(?:first )?(racadm|ilorest|onecli|asu|syscfg power|syscfg|sum): (.*) \(takes effect [^()]*\)$`)

// TestShellReadsEveryCommand parses every command that the tables print with a real shell: it has as many words as
// the tool's command, redirects nothing and runs nothing.
func TestShellReadsEveryCommand(t *testing.T) {
	tables, err := shippedTables()
	require.NoError(t, err)
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
	tables, err := shippedTables()
	require.NoError(t, err)
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
			lines := own.Of("V").Steps(settings.Change{ID: "smt", Want: "disabled", Seen: hostile, SeenRaw: "Enabled"})
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
