//go:build e2e && nightly

package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
	"memaudit.example/memaudit/internal/tools/machinetest"
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

// TestCompare times complete processes in pairs and prints the figures; it asserts nothing. scripts/compare runs it.
// dmidecode and lscpu read the same input as memaudit; the others read only the machine they run on (lstopo also a
// tree), and memaudit then audits that machine too.
func TestCompare(t *testing.T) {
	if os.Getenv("MEMAUDIT_BIN") == "" {
		t.Skip("measured by make compare")
	}
	dir := t.TempDir()
	dump := filepath.Join(dir, "dump.bin")
	require.NoError(t, os.WriteFile(dump, machinetest.ManySlots().Dump(), 0o600))
	for _, m := range machinetest.All() {
		if small := filepath.Join(dir, "small.bin"); m.Name == "dell-r610-good" {
			require.NoError(t, os.WriteFile(small, m.Table.Dump(), 0o600))
			pair(t, "dump of 6 DIMMs", []string{"dmidecode", "--from-dump", small}, []string{binary(t), "check", "--smbios", small})
		}
	}
	pair(t, "dump of 128 slots", []string{"dmidecode", "--from-dump", dump}, []string{binary(t), "check", "--smbios", dump})
	for _, nodes := range []int{2, 4, 8, 16} {
		m := hosttest.Machine{Sockets: max(nodes/2, 1), NodesPerSocket: 2, CoresPerSocket: 128, ThreadsPerCore: 2, L3PerSocket: 4, NodeMiB: 131072}
		tree := filepath.Join(dir, fmt.Sprint(nodes))
		require.NoError(t, os.Mkdir(tree, 0o755))
		withMasks(t, m.Files()).WriteTo(t, tree)
		ours := []string{binary(t), "check", "--root", tree}
		pair(t, fmt.Sprintf("tree of %d CPUs", m.CPUs()), []string{"lscpu", "--sysroot", tree}, ours)
		pair(t, fmt.Sprintf("tree of %d CPUs", m.CPUs()), []string{"lstopo-no-graphics", "--if", "fsroot", "--input", tree, "--of", "console"}, ours)
	}
	for _, theirs := range [][]string{{"lscpu"}, {"dmidecode"}, {"lstopo-no-graphics"}, {"lshw", "-quiet", "-class", "memory", "-class", "processor"}, {"ghwc", "memory"},
		{"perfspect", "report", "--format", "json"}} {
		pair(t, "this machine", theirs, []string{binary(t), "check"})
	}
	pair(t, "start alone", []string{"prometheus-node-exporter", "--version"}, []string{binary(t), "version"})
}

// withMasks adds the masks that the kernel writes next to every list of CPUs: lscpu reads those, memaudit the lists.
func withMasks(t *testing.T, files hosttest.Files) hosttest.Files {
	for path, text := range maps.Clone(files) {
		dir, name := filepath.Split(path)
		mask, isList := map[string]string{"cpulist": "cpumap", "shared_cpu_list": "shared_cpu_map"}[name]
		if !isList {
			mask, isList = strings.CutSuffix(name, "_list")
		}
		if !isList || !strings.Contains(path, "/devices/system/") {
			continue
		}
		cpus, err := kerneltext.ParseCPUList([]byte(strings.TrimSpace(text)))
		require.NoError(t, err, path)
		words := make([]uint32, slices.Max(cpus)/32+1)
		for _, cpu := range cpus {
			words[cpu/32] |= 1 << (cpu % 32)
		}
		var parts []string
		for _, w := range slices.Backward(words) {
			parts = append(parts, fmt.Sprintf("%08x", w))
		}
		files[dir+mask] = strings.Join(parts, ",") + "\n"
	}
	return files
}

// pair runs two commands in turn and prints minimum and median of the processor time of each, which other load changes
// less than the time that passes.
func pair(t *testing.T, what string, theirs, ours []string) {
	t.Helper()
	if _, err := exec.LookPath(theirs[0]); err != nil {
		t.Logf("%s: %s is not installed", what, theirs[0])
		return
	}
	if out, err := exec.Command(theirs[0], theirs[1:]...).CombinedOutput(); err != nil {
		t.Logf("%s: %s refuses it (%v): %.80s", what, theirs[0], err, out)
		return
	}
	const runs = 25
	var times [2][]time.Duration
	var peak int64
	for range runs {
		for i, command := range [][]string{theirs, ours} {
			cmd := exec.Command(command[0], command[1:]...)
			_ = cmd.Run()
			times[i] = append(times[i], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			if i == 1 {
				peak = max(peak, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
			}
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	t.Logf("%-20s %s min %v median %v; memaudit min %v median %v, peak %d KB; ratio of minima %.2f", what, theirs[0],
		times[0][0].Round(10*time.Microsecond), times[0][runs/2].Round(10*time.Microsecond),
		times[1][0].Round(10*time.Microsecond), times[1][runs/2].Round(10*time.Microsecond), peak,
		float64(times[1][0])/float64(times[0][0]))
}
