//go:build e2e && nightly

package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kernelModes gives a captured machine's files the owner and the modes of the kernel, with those that only root
// reads, as in sysfs.
func kernelModes(t *testing.T, dir string) {
	t.Helper()
	secret := regexp.MustCompile(`/sys/firmware/(dmi/tables|dmi/entries|acpi/tables)/|/dmi/id/\w+_(serial|uuid)$`)
	require.NoError(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !e.Type().IsRegular() {
			return err
		}
		mode := os.FileMode(0o444)
		if secret.MatchString(name) {
			mode = 0o400
		}
		if err := os.Chmod(name, mode); err != nil {
			return err
		}
		return os.Chown(name, 0, 0)
	}))
}

// tiers are the privileges of the guide's table that a test can assume.
var tiers = map[string][]string{
	"any user":            {"--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all"},
	"CAP_DAC_READ_SEARCH": {"--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all,+dac_read_search", "--ambient-caps=+dac_read_search", "--bounding-set=-all,+dac_read_search"},
	"root, no capability": {"--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all"},
}

// TestPrivileges checks the guide's table of privileges against the program.
func TestPrivileges(t *testing.T) {
	if _, err := exec.LookPath("setpriv"); err != nil || os.Getuid() != 0 {
		t.Skip("only root with setpriv can take privileges on and off")
	}
	// Not t.TempDir: no other user may enter it.
	dir, err := os.MkdirTemp("", "privileges")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	must(t, "cp", "-r", treeOf(t, "dell-r610-good"), dir+"/machine")
	kernelModes(t, dir+"/machine")
	must(t, "install", "-m", "0755", binary(t), dir+"/memaudit")
	table := privilegesTable(t)
	for tier, privileges := range tiers {
		t.Run(tier, func(t *testing.T) {
			audit := func(command string) []byte {
				cmd := exec.Command("setpriv", append(privileges, dir+"/memaudit", command, "--root", dir+"/machine", "--format", "json")...)
				cmd.Dir = dir
				out, err := cmd.Output()
				if err != nil { // the SMBIOS table is denied, and the verdict unknown
					require.ErrorContains(t, err, "exit status 3", string(out))
				}
				return out
			}
			var inventory struct {
				Sources []struct{ Name, State string }
			}
			require.NoError(t, json.Unmarshal(audit("inventory"), &inventory))
			for _, s := range inventory.Sources {
				want, ok := table[s.Name][tier]
				if !assert.True(t, ok, "source %s has no row in the guide", s.Name) || want == "no" {
					assert.Contains(t, []string{"denied", "absent"}, s.State, s.Name)
					continue
				}
				assert.NotEqual(t, "denied", s.State, "%s: the guide says %s", s.Name, want)
			}
			judged := 0
			for finding, result := range results(t, string(audit("check"))) {
				if strings.HasPrefix(finding, "memory.") && (result == "pass" || result == "fail") {
					judged++
				}
			}
			assert.Equal(t, table["rules memory.*"][tier] == "yes", judged > 0, "%d memory rules judged", judged)
		})
	}
}

// privilegesTable reads the table by source and heading.
func privilegesTable(t *testing.T) map[string]map[string]string {
	t.Helper()
	_, rest, ok := strings.Cut(readFile(t, root+"/deploy/operations.md"), "\n| source | any user |")
	require.True(t, ok, "deploy/operations.md has the table")
	lines := strings.Split("| source | any user |"+rest, "\n")
	heads := strings.Split(lines[0], "|")
	out := map[string]map[string]string{}
	for _, line := range lines[2:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(line, "|")
		require.Len(t, cells, len(heads), line)
		name := strings.Trim(cells[1], " `")
		out[name] = map[string]string{}
		for i := 2; i < len(cells)-1; i++ {
			out[name][strings.TrimSpace(heads[i])] = strings.TrimSpace(cells[i])
		}
	}
	require.Greater(t, len(out), 5)
	return out
}
