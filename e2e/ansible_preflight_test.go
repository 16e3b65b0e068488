//go:build e2e && nightly

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	playPage(t, a)
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
				"bad":        {"WARNING: PowerEdge R610: a DIMM is in the wrong slot; CPU2 has 33 to 50 % of its memory bandwidth"},
				"unreadable": {"could not be audited (status 3)", "/nowhere: no such file or directory"},
				"strict":     {"memaudit: UNKNOWN: 8 checks could not run, and --strict asks for all"},
				"usage":      {"used or configured wrongly (status 2)", "unknown flag: --nonsense"},
				"profile":    {"used or configured wrongly (status 2)", `"fast; id"`},
				"severity":   {"memaudit_fail_on", "info, warning, critical, never"},
				"missing":    {"could not be started as /nowhere/memaudit"},
				"foreign":    {"/bin/true ended with status 0 without a report"},
				"elsewhere":  {"ended with status 0 without a report"},
				"killed":     {"ended with status -9 without a report"},
			} {
				assert.Equal(t, recap{failed: 1}, got[host], host)
				if host != "severity" { // Ansible's own
					assert.NotContains(t, stopped[host], "\n", "%s: it is printed as JSON", host)
				}
				for _, s := range says {
					assert.Contains(t, stopped[host], s, host)
				}
			}
			for host, says := range map[string][]string{
				"bad":      {"1. WARNING CPU2: channel 2 is empty (memory.channel.populated)\n   Fix: move DIMM_B4 to DIMM_B3. Nothing to buy"},
				"good":     {"OK: PowerEdge R610: memory is installed as Dell recommends", "0 failed", "8 not run"},
				"below":    {"WARNING: PowerEdge R610: a DIMM is in the wrong slot", "1. WARNING CPU2: channel 2 is empty"},
				"never":    {"WARNING: PowerEdge R610: a DIMM is in the wrong slot", "1. WARNING CPU2: channel 2 is empty"},
				"become":   {"OK: PowerEdge R610: "},
				"forgiven": {"could not be audited (status 3)"},
				"virtual":  {"NOT APPLICABLE: a machine without a name: the memory of a virtual machine is assigned by its hypervisor; audit the host"},
				"hostile":  {"OK: {% raw %}: {{ 6 * 7 }}", "1. WARNING {{ lookup('pipe', 'id') }}: {{ 6 * 7 }} (a.b)\n   Fix: {{ 6 * 7 }}"},
			} {
				if host != "bad" {
					assert.Equal(t, recap{}, got[host], host)
				}
				// Before 2.19 the marks of a template are split, or they would be one.
				text := strings.NewReplacer("{ {", "{{", "{ %", "{%").Replace(went[host])
				for _, s := range says {
					assert.Contains(t, text, s, host)
				}
			}
			assert.Equal(t, recap{rescued: 1}, got["rescued"])
			assert.Contains(t, went["rescued"], "1\nPowerEdge R610\n5\nmemory.channel.populated\nmemory.channel.symmetric\nmemory.socket.symmetric\nsetting.smt\nmemory.slot.order", went["rescued"])
		})
	}
}

// busy is a result of measure, of one pass of one node, for a machine that is too busy to be measured.
const busy = `{"schema": "memaudit.measurement/v1", "generated_at": "2026-01-02T03:04:05Z", "kernel": "read", "nodes": [
  {"cpu_node": 0, "memory_node": 0, "socket": 0, "threads": 2, "passes": [{"kernel": "read", "value": 20e9, "wall_seconds": 0.1, "cpu_seconds": 0.2}]}]}`

// testAnsibleMeasure runs the plays of docs/measure.md: with a fake measurement of a slow processor the play reports
// it and continues; then a real measurement's report is kept on the controller, where memaudit fleet ranks it.
func testAnsibleMeasure(t *testing.T, a *ansible) {
	page := readFile(t, filepath.Join(root, "docs/measure.md"))
	var plays []string
	for _, block := range fenced(page, "yaml") {
		if strings.HasPrefix(block, "- hosts: maintenance\n") {
			plays = append(plays, strings.Replace(block, "become: true\n", "become: false\n", 1))
		}
	}
	require.Len(t, plays, 2)
	measured := filepath.Join(a.home, "measured.json")
	cmd := exec.Command(binary(t), "measure", "--force", "--quick", "--nodes", "0", "--save", measured)
	said, _ := cmd.CombinedOutput()
	if _, err := os.Stat(measured); err != nil {
		t.Logf("cannot measure here, the plays use another result: %s", said)
		a.write(t, "measured.json", busy)
	}
	stub := `#!/bin/sh
[ "$1" != measure ] || { echo '{"findings": [{"result": "fail", "found": "socket 1 reads 20 GB/s"}, {"result": "pass", "found": "not this"}]}'; exit 1; }
shift 2 # check --measured, whose file is a test's own
shift
exec ` + binary(t) + ` check --root ` + treeOf(t, goodMachine) + ` --measured ` + measured + ` "$@"
`
	a.write(t, "memaudit", stub)
	inventory := a.write(t, "measured-hosts.ini", "[maintenance]\nnode7 ansible_connection=local ansible_python_interpreter="+filepath.Join(a.bin, "python3")+"\n")
	require.NoError(t, os.MkdirAll(filepath.Join(a.home, "reports"), 0o700))
	t.Setenv("PATH", a.home+":"+os.Getenv("PATH"))

	out := a.must(t, "ansible-playbook", "-i", inventory, a.write(t, "measure.yml", plays[0]))
	assert.Contains(t, out, "socket 1 reads 20 GB/s")
	assert.NotContains(t, out, "not this")

	a.must(t, "ansible-playbook", "-i", inventory, a.write(t, "reports.yml", plays[1]))
	status, out, errs := run(t, nil, "fleet", filepath.Join(a.home, "reports"))
	assert.Zero(t, status, errs)
	assert.Contains(t, out, "MEASURED  the slowest node of 1 machine")
	assert.Contains(t, out, "node7")
}

const summaryPlay = `
- name: Summary
  hosts: all
  gather_facts: false
  roles: [summary]
`

// testAnsibleSummary audits twenty machines: the summary of all fits one page, names every cause with its machines,
// and fails only the bad ones.
func testAnsibleSummary(t *testing.T, a *ansible) {
	t.Setenv("ANSIBLE_DISPLAY_SKIPPED_HOSTS", "false")
	hosts := map[string]map[string]any{
		"lost":    {"memaudit_extra_args": []string{"--root", "/nowhere"}},
		"foreign": {"memaudit_binary": "/bin/true"},
		"hostile": {"memaudit_binary": a.write(t, "hostile-summary", hostile)},
	}
	for i := range 12 {
		hosts[fmt.Sprintf("good%02d", i)] = map[string]any{"memaudit_extra_args": []string{"--root", treeOf(t, "dell-r610-good")}}
	}
	for i := range 5 {
		hosts[fmt.Sprintf("bad%02d", i)] = map[string]any{"memaudit_extra_args": []string{"--root", treeOf(t, "dell-r610-unbalanced")}}
	}
	require.Len(t, hosts, 20)
	roles, err := filepath.Abs(filepath.Join(root, "deploy", "ansible", "roles"))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(roles, filepath.Join(a.home, "roles")))
	play := a.write(t, "summary.yml", summaryPlay)
	status, out := a.run(t, "ansible-playbook", "--forks", "4", "-i", a.inventory(t, hosts), play)
	assert.Equal(t, 2, status, out)
	page, _, _ := strings.Cut(out, "PLAY RECAP")
	for _, s := range []string{"20 machines: 13 ok, 5 warning, 0 critical, 2 unknown, 0 not applicable",
		"WARNING memory.channel.populated on 5: bad00, bad01, bad02, bad03, bad04", "Fix: move DIMM_B4 to DIMM_B3",
		"UNKNOWN lost: ", "UNKNOWN foreign: no report, status 0", "WARNING a.b on 1: hostile", "{{ lookup('pipe', 'id') }}"} {
		assert.Contains(t, page, s)
	}
	assert.NotContains(t, page, "memory.channel.symmetric", "what follows from a cause is not listed")
	assert.LessOrEqual(t, strings.Count(page, "\n"), 105, "a line a machine for each of three tasks and the check of arguments")
	for host, r := range recaps(out) {
		want := recap{}
		if strings.HasPrefix(host, "bad") || host == "lost" || host == "foreign" {
			want.failed = 1
		}
		assert.Equal(t, want, r, host)
	}
}

const installPlay = `
- name: Install
  hosts: all
  gather_facts: false
  roles: [memaudit.memaudit.memaudit]
`

// files lists what is below a folder, with modes.
func files(t *testing.T, dir string) map[string]os.FileMode {
	t.Helper()
	got := map[string]os.FileMode{}
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			got[strings.TrimPrefix(path, dir+"/")] = info.Mode()
		}
		return err
	}))
	return got
}

// testAnsibleInstall installs into a folder: check mode writes nothing, the first run everything, the second run
// nothing. Then the local fact describes the machine, and an invalid configuration does not replace the valid one.
func testAnsibleInstall(t *testing.T, a *ansible) {
	bad := treeOf(t, machine)
	// The program audits a machine of the tests in place of this one.
	program := a.write(t, "memaudit", "#!/bin/sh\n[ \"$1\" = check ] && [ \"$4\" != --smbios ] && [ \"$6\" != --smbios ] && set -- \"$@\" --root '"+bad+"'\nexec '"+binary(t)+"' \"$@\"\n")
	dir, vars := a.prefix(t, program)
	play := a.write(t, "install.yml", installPlay)
	host := func(vars map[string]any) string { return a.inventory(t, map[string]map[string]any{"server": vars}) }
	inventory := host(vars)

	out := a.must(t, "ansible-playbook", "--check", "--diff", "-i", inventory, play)
	assert.Positive(t, recaps(out)["server"].changed, out)
	assert.Empty(t, files(t, dir), "check mode writes nothing")

	out = a.must(t, "ansible-playbook", "-vvv", "--diff", "-i", inventory, play)
	assert.Positive(t, recaps(out)["server"].changed, out)
	assert.NotContains(t, out, ansiblePassword)
	assert.Equal(t, map[string]os.FileMode{"bin/memaudit": 0o755, "etc/memaudit.yaml": 0o644, "etc/bmc.yaml": 0o600, "facts/memaudit.fact": 0o755,
		"units/memaudit.service": 0o644, "units/memaudit.socket": 0o644, "units/memaudit-textfile.service": 0o644, "units/memaudit-textfile.timer": 0o644,
		"units/memaudit.service.d/bmc.conf": 0o644, "units/memaudit.service.d/msr.conf": 0o644}, files(t, dir))
	assert.Equal(t, sum(t, filepath.Join(root, "deploy/systemd/memaudit.service")), sum(t, filepath.Join(dir, "units/memaudit.service")))

	out = a.must(t, "ansible-playbook", "--diff", "-i", inventory, play)
	assert.Equal(t, recap{}, recaps(out)["server"], "the second run changes nothing\n%s", out)

	t.Run("local fact", func(t *testing.T) {
		out := a.must(t, "ansible", "-i", inventory, "server", "-m", "ansible.builtin.setup", "-a", "filter=ansible_local fact_path="+filepath.Join(dir, "facts"))
		_, text, ok := strings.Cut(out, "SUCCESS => ")
		require.True(t, ok, out)
		got := decoded[struct {
			Facts struct {
				Local struct {
					Memaudit struct {
						Status   int
						Profile  string
						Machine  struct{ Product string }
						Failures []struct{ Rule, Subject, Remedy string }
						Memory   map[string]any
					}
				} `json:"ansible_local"`
			} `json:"ansible_facts"`
		}](t, text, out)
		fact := got.Facts.Local.Memaudit
		assert.Equal(t, 1, fact.Status)
		assert.Equal(t, "dell-11g/max-performance", fact.Profile, "the configuration was read")
		assert.Equal(t, "PowerEdge R610", fact.Machine.Product)
		require.NotEmpty(t, fact.Failures)
		assert.Equal(t, "move DIMM_B4 to DIMM_B3", fact.Failures[0].Remedy)
		assert.Equal(t, map[string]any{"slots": 12.0, "dimms": 6.0, "bytes": float64(24 << 30), "nodes": 2.0, "symmetric": false}, fact.Memory)
	})

	t.Run("wrong configuration", func(t *testing.T) {
		wrong := maps.Clone(vars)
		wrong["memaudit_config"] = map[string]any{"profil": "hpc"}
		status, out := a.run(t, "ansible-playbook", "-i", host(wrong), play)
		assert.Equal(t, 2, status, out)
		assert.Contains(t, out, "unknown key profil")
		assert.Equal(t, "profile: max-performance\n", readFile(t, filepath.Join(dir, "etc", "memaudit.yaml")))
	})
}

// testAnsibleSources checks the sources of the program, and what is refused.
func testAnsibleSources(t *testing.T, a *ansible) {
	program := a.write(t, "memaudit", "#!/bin/sh\nexec '"+binary(t)+"' \"$@\"\n")
	hosts := map[string]map[string]any{}
	dirs := map[string]string{}
	for name, more := range map[string]map[string]any{
		"url":      {"memaudit_install": "url", "memaudit_binary_url": "file://" + program, "memaudit_binary_checksum": "sha256:" + sum(t, program)},
		"tampered": {"memaudit_install": "url", "memaudit_binary_url": "file://" + program, "memaudit_binary_checksum": "sha256:" + strings.Repeat("0", 64)},
		"blind":    {"memaudit_install": "url", "memaudit_binary_url": "file://" + program},
		"nowhere":  {"memaudit_install": "none"},
		"unnamed":  {"memaudit_binary_src": ""},
		"broken":   {"memaudit_binary_src": a.write(t, "broken", "\x7fELF for another machine")},
		"text":     {"memaudit_config": "# by hand\nprofile: hpc\n", "memaudit_service": "", "memaudit_facts": false, "memaudit_credentials": map[string]any{}},
		"package":  {"memaudit_install": "package", "memaudit_package": filepath.Join(a.home, "absent.deb")},
	} {
		dir, vars := a.prefix(t, program)
		maps.Copy(vars, more)
		hosts[name], dirs[name] = vars, dir
	}
	status, out := a.run(t, "ansible-playbook", "--forks", "4", "-i", a.inventory(t, hosts), a.write(t, "install.yml", installPlay))
	assert.Equal(t, 2, status)
	got, stopped := recaps(out), fatal(t, out)
	assert.Positive(t, got["url"].changed, out)
	assert.Zero(t, got["url"].failed)
	assert.Zero(t, got["text"].failed)
	assert.Equal(t, map[string]os.FileMode{"bin/memaudit": 0o755, "etc/memaudit.yaml": 0o644}, files(t, dirs["text"]))
	for host, says := range map[string]string{
		"tampered": "checksum",
		"blind":    "expected both memaudit_binary_url and memaudit_binary_checksum",
		"nowhere":  "is not there, and memaudit_install is none",
		"unnamed":  "names no program on the controller",
		"broken":   "rror",
		"package":  "absent.deb",
	} {
		assert.Equal(t, 1, got[host].failed, host)
		assert.Contains(t, stopped[host], says, host)
		assert.NotContains(t, files(t, dirs[host]), "etc/memaudit.yaml", host)
	}
}

// testAnsiblePage runs the commands and the playbooks of the collection's page,
// and checks its tables against the argument specifications.
func testAnsiblePage(t *testing.T, a *ansible) {
	data := readFile(t, filepath.Join(root, "deploy", "ansible", "README.md"))
	source, err := filepath.Abs(filepath.Join(root, "deploy", "ansible"))
	require.NoError(t, err)
	blocks := fenced(data, "sh")
	require.Len(t, blocks, 1)
	for command := range strings.Lines(blocks[0]) {
		words := strings.Fields(strings.ReplaceAll(command, "deploy/ansible", source))
		a.must(t, words[0], words[1:]...)
	}
	plays, inventory := a.pagePlays(t, data)
	for i, play := range []string{plays[2], plays[0], plays[1]} {
		out := a.must(t, "ansible-playbook", "-i", inventory, a.write(t, "page.yml", play))
		assert.Zero(t, recaps(out)["server"].failed, "playbook %d\n%s", i, out)
	}
	a.variables(t)

	// Without the collection, from a folder of roles next to the playbook.
	require.NoError(t, os.MkdirAll(filepath.Join(a.home, "plain"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(source, "roles"), filepath.Join(a.home, "plain", "roles")))
	play := strings.ReplaceAll(plays[0], "memaudit.memaudit.preflight", "preflight")
	out := a.must(t, "ansible-playbook", "-i", inventory, a.write(t, "plain/site.yml", play))
	assert.Contains(t, out, "TASK [preflight : Tell the verdict]")
	assert.Contains(t, told(t, out)["server"], "memaudit: OK: ")
}

// variables checks that ansible-doc shows every variable with its default, and that the role's page names it.
func (a *ansible) variables(t *testing.T) {
	t.Helper()
	for _, role := range []string{"preflight", "summary", "memaudit"} {
		page := readFile(t, filepath.Join(root, "deploy", "ansible", "roles", role, "README.md"))
		name := "memaudit.memaudit." + role
		var docs map[string]struct {
			Entry struct {
				Main struct {
					Options map[string]struct {
						Default     any
						Description []string
					}
				}
			} `json:"entry_points"`
		}
		require.NoError(t, json.Unmarshal([]byte(a.must(t, "ansible-doc", "--type", "role", "--json", name)), &docs))
		options := docs[name].Entry.Main.Options
		require.NotEmpty(t, options)
		defaults := yamlFile(t, filepath.Join(root, "deploy", "ansible", "roles", role, "defaults", "main.yml"))
		for option, o := range options {
			assert.NotEmpty(t, o.Description, option)
			value, ok := defaults[option]
			assert.True(t, ok, option)
			if option != "memaudit_credentials" && option != "memaudit_config" {
				assert.EqualValues(t, value, o.Default, option)
			}
			assert.Contains(t, page, "| `"+option+"` |", role)
		}
		assert.Len(t, options, len(defaults))
	}
}

// testAnsibleLint checks the collection with ansible-lint's strictest profile, in a copy, because it writes into the
// folder that it reads.
func testAnsibleLint(t *testing.T, a *ansible) {
	if _, err := os.Stat(filepath.Join(a.bin, "ansible-lint")); err != nil && os.Getenv("MEMAUDIT_E2E_ANSIBLE") != "" {
		t.Skip("no ansible-lint next to " + a.bin)
	}
	copied := filepath.Join(a.home, "source")
	must(t, "cp", "-rL", filepath.Join(root, "deploy", "ansible"), copied)
	out := a.must(t, "ansible-lint", "--offline", "--strict", "--profile", "production", "--project-dir", copied, copied)
	assert.Contains(t, out, "Passed: 0 failure(s), 0 warning(s)")
	assert.NotContains(t, out, "in 0 files")
}
