//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
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

// TestAnsible runs the real programs of ansible over the collection.
func TestAnsible(t *testing.T) {
	a := newAnsible(t, "ansible")
	for name, test := range map[string]func(*testing.T, *ansible){
		"lint": testAnsibleLint, "page": testAnsiblePage, "preflight": testAnsiblePreflight,
		"summary": testAnsibleSummary, "measure": testAnsibleMeasure, "install": testAnsibleInstall, "sources": testAnsibleSources,
	} {
		t.Run(name, func(t *testing.T) { test(t, a) })
	}
}

// TestAnsibleOldest runs the playbooks of the collection's page, each of its roles,
// with the oldest ansible-core that it asks for; make ansible-oldest runs all of
// TestAnsible with it.
func TestAnsibleOldest(t *testing.T) {
	a := newAnsible(t, "ansible-oldest")
	runtime := yamlFile(t, filepath.Join(root, "deploy", "ansible", "meta", "runtime.yml"))
	oldest := strings.TrimSuffix(strings.TrimPrefix(runtime["requires_ansible"].(string), ">="), ".0")
	assert.Contains(t, a.must(t, "ansible-playbook", "--version"), "[core "+oldest+".")
	plays, inventory := a.pagePlays(t, readFile(t, filepath.Join(root, "deploy", "ansible", "README.md")))
	out := a.must(t, "ansible-playbook", "-i", inventory, a.write(t, "page.yml", plays[2]+plays[0]+plays[1]))
	assert.Zero(t, recaps(out)["server"].failed, out)
	assert.Contains(t, out, "TASK [memaudit.memaudit.summary : Tell how the machines stand]")
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
		var result struct{ Msg string }
		require.NoError(t, json.Unmarshal([]byte(m[2]), &result))
		got[m[1]] = result.Msg
	}
	return got
}

// told returns the lines that a task printed for each host that continued.
func told(t *testing.T, out string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^ok: \[(\S+)\] => (\{\n.*?^\})$`).FindAllStringSubmatch(out, -1) {
		var result struct{ Msg []string }
		require.NoError(t, json.Unmarshal([]byte(m[2]), &result))
		got[m[1]] += strings.Join(result.Msg, "\n")
	}
	return got
}

// hostile ends well and prints a report whose texts are templates.
const hostile = `#!/bin/sh
cat <<'EOF'
{"schema": "memaudit.report/v1", "generated_at": "2026-11-20T00:00:00Z", "memaudit": {"version": "1", "revision": "1"},
 "machine": {"vendor": "{{ 6 * 7 }}", "product": "{% raw %}"}, "profile": null,
 "verdict": {"status": "ok", "sentence": "{{ 6 * 7 }}", "judged": 2, "not_judged": 0, "exit_status": 0},
 "summary": {"pass": 1, "fail": 1, "unknown": 0, "not_applicable": 0, "waived": 0, "error": 0},
 "findings": [{"rule": "a.b", "result": "fail", "severity": "info", "subject": "{{ lookup('pipe', 'id') }}", "found": "{{ 6 * 7 }}",
 "expected": null, "caused_by": null, "remedy": null, "reason": null}],
 "problems": [{"rule": "a.b", "severity": "warning", "where": "{{ lookup('pipe', 'id') }}", "sentence": "{{ 6 * 7 }}", "fix": "{{ 6 * 7 }}"}]}
EOF
`

const preflightPlay = `
- name: Preflight
  hosts: all:!rescued
  gather_facts: false
  roles: [memaudit.memaudit.preflight]
- name: Facts of a machine that failed
  hosts: rescued
  gather_facts: false
  tasks:
    - name: Check and go on
      block:
        - name: Check
          ansible.builtin.include_role: {name: memaudit.memaudit.preflight}
      rescue:
        - name: Show
          ansible.builtin.debug:
            msg: "{{ [memaudit_report.status | string, memaudit_report.machine.product, memaudit_report.summary.fail | string] + (memaudit_failures | map(attribute='rule')) }}"
`

// testAnsiblePreflight runs the role on every kind of machine at once, as a fleet, and once more in check mode, where
// the output and the results must be the same.
func testAnsiblePreflight(t *testing.T, a *ansible) {
	args := func(more ...string) map[string]any { return map[string]any{"memaudit_extra_args": more} }
	with := func(m map[string]any, key, value string) map[string]any {
		m[key] = value
		return m
	}
	good, bad := treeOf(t, "dell-r610-good"), treeOf(t, "dell-r610-unbalanced")
	hosts := map[string]map[string]any{
		"good":       with(args("--root", good), "memaudit_profile", "max-performance"),
		"bad":        {"memaudit_extra_args": "--root '" + bad + "'"},
		"below":      with(args("--root", bad), "memaudit_fail_on", "critical"),
		"never":      with(args("--root", bad), "memaudit_fail_on", "never"),
		"unreadable": args("--root", "/nowhere"),
		"forgiven":   with(args("--root", "/nowhere"), "memaudit_unaudited", "warn"),
		"strict":     args("--root", good, "--strict"),
		"virtual":    args("--root", treeOf(t, "guest-without-smbios")),
		"usage":      args("--nonsense"),
		"profile":    with(args("--root", good), "memaudit_profile", "fast; id"),
		"severity":   with(args("--root", good), "memaudit_fail_on", "often"),
		"missing":    with(args("--root", good), "memaudit_binary", "/nowhere/memaudit"),
		"foreign":    {"memaudit_binary": "/bin/true"},
		"elsewhere":  args("--root", good, "--output", "/dev/null"),
		"killed":     {"memaudit_binary": a.write(t, "killed", "#!/bin/sh\nkill -9 $$\n")},
		"hostile":    {"memaudit_binary": a.write(t, "hostile", hostile)},
		"rescued":    args("--root", bad),
	}
	become := with(args("--root", good), "ansible_become_method", "su")
	become["ansible_become"] = os.Getuid() == 0 // only root becomes root without a password
	hosts["become"] = become
	inventory, play := a.inventory(t, hosts), a.write(t, "preflight.yml", preflightPlay)
	for _, mode := range [][]string{nil, {"--check", "--diff"}} {
		t.Run(fmt.Sprint("mode", mode), func(t *testing.T) {
			status, out := a.run(t, "ansible-playbook", append(mode, "--forks", "4", "-i", inventory, play)...)
			assert.Equal(t, 2, status, out)
			got := recaps(out)
			require.Len(t, got, len(hosts), out)
			stopped, went := fatal(t, out), told(t, out)
			for host, says := range map[string][]string{
				"bad": {"WARNING: Dell Inc. PowerEdge R610: a DIMM is in the wrong slot; CPU2 has 33 to 50 % of its memory bandwidth",
					"1. WARNING CPU2: channel 2 is empty (memory.channel.populated)\n   Fix: move DIMM_B4 to DIMM_B3. Nothing to buy"},
				"unreadable": {"could not be audited (status 3)", "/nowhere: no such file or directory"},
				"strict":     {"memaudit: UNKNOWN: 8 checks could not run, and --strict asks for all: "},
				"usage":      {"used or configured wrongly (status 2)", "unknown flag: --nonsense"},
				"profile":    {"used or configured wrongly (status 2)", `"fast; id"`},
				"severity":   {"memaudit_fail_on", "info, warning, critical, never"},
				"missing":    {"could not be started as /nowhere/memaudit"},
				"foreign":    {"/bin/true ended with status 0 without a report"},
				"elsewhere":  {"ended with status 0 without a report"},
				"killed":     {"ended with status -9 without a report"},
			} {
				assert.Equal(t, recap{failed: 1}, got[host], host)
				for _, s := range says {
					assert.Contains(t, stopped[host], s, host)
				}
			}
			for host, says := range map[string][]string{
				"good":     {"OK: Dell Inc. PowerEdge R610: memory is installed as Dell recommends", "0 failed", "8 not run"},
				"below":    {"WARNING: Dell Inc. PowerEdge R610: a DIMM is in the wrong slot", "1. WARNING CPU2: channel 2 is empty"},
				"never":    {"WARNING: Dell Inc. PowerEdge R610: a DIMM is in the wrong slot", "1. WARNING CPU2: channel 2 is empty"},
				"become":   {"OK: Dell Inc. PowerEdge R610: "},
				"forgiven": {"could not be audited (status 3)"},
				"virtual":  {"NOT APPLICABLE: a machine without a name: the memory of a virtual machine is assigned by its hypervisor; audit the host"},
				"hostile":  {"{{ 6 * 7 }} {% raw %}", "1. WARNING {{ lookup('pipe', 'id') }}: {{ 6 * 7 }} (a.b)\n   Fix: {{ 6 * 7 }}"},
			} {
				assert.Equal(t, recap{}, got[host], host)
				// Before 2.19 the marks of a template are split, or they would be one.
				text := strings.NewReplacer("{ {", "{{", "{ %", "{%").Replace(went[host])
				for _, s := range says {
					assert.Contains(t, text, s, host)
				}
			}
			assert.Equal(t, recap{rescued: 1}, got["rescued"])
			assert.Equal(t, "1\nPowerEdge R610\n5\nmemory.channel.populated\nmemory.channel.symmetric\nmemory.socket.symmetric\nsetting.smt\nmemory.slot.order", went["rescued"])
		})
	}
}
