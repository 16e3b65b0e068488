//go:build e2e && nightly

package e2e

import (
	"fmt"
	"os"
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
