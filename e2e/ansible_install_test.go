//go:build e2e && nightly

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		var got struct {
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
		}
		require.NoError(t, json.Unmarshal([]byte(text), &got), out)
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
		data, err := os.ReadFile(filepath.Join(dir, "etc", "memaudit.yaml"))
		require.NoError(t, err)
		assert.Equal(t, "profile: max-performance\n", string(data))
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
	data, err := os.ReadFile(filepath.Join(root, "deploy", "ansible", "README.md"))
	require.NoError(t, err)
	source, err := filepath.Abs(filepath.Join(root, "deploy", "ansible"))
	require.NoError(t, err)
	blocks := fenced(string(data), "sh")
	require.Len(t, blocks, 1)
	for command := range strings.Lines(blocks[0]) {
		words := strings.Fields(strings.ReplaceAll(command, "deploy/ansible", source))
		a.must(t, words[0], words[1:]...)
	}
	plays, inventory := a.pagePlays(t, string(data))
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
	data, err := exec.Command("cp", "-rL", filepath.Join(root, "deploy", "ansible"), copied).CombinedOutput()
	require.NoError(t, err, string(data))
	out := a.must(t, "ansible-lint", "--offline", "--strict", "--profile", "production", "--project-dir", copied, copied)
	assert.Contains(t, out, "Passed: 0 failure(s), 0 warning(s)")
	assert.NotContains(t, out, "in 0 files")
}
