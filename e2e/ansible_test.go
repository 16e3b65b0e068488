//go:build e2e

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ansible is one controller: its own home with the collection installed as a user installs it.
type ansible struct {
	bin, home, collections string
}

// newAnsible builds and installs the collection with the programs of a folder of .tools. Without ansible it fails in
// CI; a developer is told how to get it.
func newAnsible(t *testing.T, folder string) *ansible {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join(root, ".tools", folder, "bin"))
	require.NoError(t, err)
	if other := os.Getenv("MEMAUDIT_E2E_ANSIBLE"); other != "" {
		bin = other // another version, as a distribution has it
	}
	if _, err := os.Stat(filepath.Join(bin, "ansible-playbook")); err != nil {
		if os.Getenv("CI") != "" {
			require.NoError(t, err, "`make ansible` installs it")
		}
		t.Skip("ansible is not installed: `make ansible` installs it")
	}
	home := t.TempDir()
	a := &ansible{bin: bin, home: home, collections: filepath.Join(home, "collections")}
	a.must(t, "ansible-galaxy", "collection", "install", "--offline", "-p", a.collections, filepath.Join(home, a.build(t)))
	return a
}

// build creates the archive that a user installs and returns its name.
func (a *ansible) build(t *testing.T) string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join(root, "deploy", "ansible"))
	require.NoError(t, err)
	a.must(t, "ansible-galaxy", "collection", "build", "--output-path", a.home, source)
	files, err := filepath.Glob(filepath.Join(a.home, "memaudit-memaudit-*.tar.gz"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return filepath.Base(files[0])
}

// run starts one of ansible's programs in the controller's home.
func (a *ansible) run(t *testing.T, name string, args ...string) (status int, out string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(a.bin, name), args...)
	cmd.Dir = a.home
	cmd.Env = append(os.Environ(), "PATH="+a.bin+":"+os.Getenv("PATH"), "HOME="+a.home, "LC_ALL=C.UTF-8", "ANSIBLE_NOCOLOR=1", "NO_COLOR=1",
		"ANSIBLE_COLLECTIONS_PATH="+a.collections, "ANSIBLE_LOCALHOST_WARNING=false", "ANSIBLE_HOME="+filepath.Join(a.home, ".ansible"),
		"ANSIBLE_REMOTE_TMP="+filepath.Join(a.home, "remote"), "ANSIBLE_PIPELINING=true", "ANSIBLE_ROLES_PATH=", "ANSIBLE_CONFIG=")
	data, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(data)
}

func (a *ansible) must(t *testing.T, name string, args ...string) string {
	t.Helper()
	status, out := a.run(t, name, args...)
	require.Zero(t, status, "%s %s\n%s", name, strings.Join(args, " "), out)
	return out
}

// write writes a file into the controller's home and returns its path.
func (a *ansible) write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(a.home, name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o700))
	return file
}

// inventory lists hosts with their variables; all of them are this machine.
func (a *ansible) inventory(t *testing.T, hosts map[string]map[string]any) string {
	t.Helper()
	common := map[string]any{"ansible_connection": "local", "ansible_python_interpreter": filepath.Join(a.bin, "python3"), "memaudit_binary": binary(t)}
	data, err := json.Marshal(map[string]any{"all": map[string]any{"hosts": hosts, "vars": common}})
	require.NoError(t, err)
	return a.write(t, "hosts.json", string(data))
}

// recap is one host's line at the end of a play.
type recap struct{ changed, failed, rescued int }

var (
	recapLine = regexp.MustCompile(`(?m)^(\S+) +: ok=\d+ +changed=(\d+) +unreachable=0 +failed=(\d+) +skipped=\d+ +rescued=(\d+) `)
	fatalLine = regexp.MustCompile(`(?m)^fatal: \[(\S+)\]: FAILED! => (\{.*\})$`)
)

func recaps(out string) map[string]recap {
	got := map[string]recap{}
	for _, m := range recapLine.FindAllStringSubmatch(out, -1) {
		var n [3]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+2])
		}
		got[m[1]] = recap{n[0], n[1], n[2]}
	}
	return got
}

// fatal returns the message that stopped each host.
func fatal(t *testing.T, out string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, m := range fatalLine.FindAllStringSubmatch(out, -1) {
		result := decoded[struct{ Msg string }](t, m[2])
		got[m[1]] = result.Msg
	}
	return got
}

// told returns the lines that a task printed for each host that continued.
func told(t *testing.T, out string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^ok: \[(\S+)\] => (\{\n.*?^\})$`).FindAllStringSubmatch(out, -1) {
		result := decoded[struct{ Msg []string }](t, m[2])
		got[m[1]] += strings.Join(result.Msg, "\n")
	}
	return got
}

// prefix is a folder that the role installs into, with the variables that
// lead there.
func (a *ansible) prefix(t *testing.T, source string) (dir string, vars map[string]any) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"bin", "units"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	return dir, map[string]any{
		"memaudit_binary_src": source, "memaudit_binary": filepath.Join(dir, "bin", "memaudit"),
		"memaudit_config_file": filepath.Join(dir, "etc", "memaudit.yaml"), "memaudit_credentials_file": filepath.Join(dir, "etc", "bmc.yaml"),
		"memaudit_facts_dir": filepath.Join(dir, "facts"), "memaudit_facts_python": filepath.Join(a.bin, "python3"),
		"memaudit_service": "memaudit.service", "memaudit_service_manage": false,
		"memaudit_service_drop_ins": []string{"bmc", "msr"}, "memaudit_unit_dir": filepath.Join(dir, "units"),
		"memaudit_credentials": map[string]any{"username": "auditor", "password": ansiblePassword},
		"memaudit_config":      map[string]any{"profile": "max-performance"},
	}
}

// pagePlays are the page's playbooks, and an inventory of one host for them.
func (a *ansible) pagePlays(t *testing.T, page string) (plays []string, inventory string) {
	t.Helper()
	plays = fenced(page, "yaml")
	require.Len(t, plays, 3)
	good := treeOf(t, goodMachine)
	_, vars := a.prefix(t, "")
	delete(vars, "memaudit_config")
	delete(vars, "memaudit_binary_src")
	maps.Copy(vars, map[string]any{"memaudit_extra_args": []string{"--root", good}, "ansible_become": false})
	require.NoError(t, os.Mkdir(filepath.Join(a.home, "dist"), 0o755))
	require.NoError(t, os.Symlink(binary(t), filepath.Join(a.home, "dist", "memaudit")))
	return plays, a.inventory(t, map[string]map[string]any{"server": vars})
}

// TestAnsiblePlays runs the playbooks of the collection's page, each of its roles.
func TestAnsiblePlays(t *testing.T) { playPage(t, newAnsible(t, "ansible")) }

func playPage(t *testing.T, a *ansible) {
	t.Helper()
	plays, inventory := a.pagePlays(t, readFile(t, filepath.Join(root, "deploy", "ansible", "README.md")))
	out := a.must(t, "ansible-playbook", "-i", inventory, a.write(t, "page.yml", plays[2]+plays[0]+plays[1]))
	assert.Zero(t, recaps(out)["server"].failed, out)
	assert.Contains(t, out, "TASK [memaudit.memaudit.summary : Tell how the machines stand]")
}

const ansiblePassword = "h0rse-battery-st4ple"
