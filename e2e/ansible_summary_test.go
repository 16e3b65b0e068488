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
