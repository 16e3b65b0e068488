//go:build corpus

package host_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/host/kerneltext"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// archives lists the sysfs captures of the corpus.
func archives(t testing.TB) []string {
	t.Helper()
	return corpustest.Glob(t, "sysfs/*.tar.*")
}

// machineName is an archive's name without its extensions.
func machineName(archive string) string {
	name, _, _ := strings.Cut(filepath.Base(archive), ".tar.")
	return name
}

// unpack runs tar, so that the archive is not read by the code under test.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("tar", "xf", archive, "-C", dir, "--wildcards",
		"--exclude=*/cpuidle/*", "--exclude=*/cpufreq/*", "--exclude=*/power/*", "--exclude=*/node*/hugepages/*", "--exclude=*/node*/memory*",
		"--exclude=*/microcode/*", "--exclude=*/thermal_throttle/*", "--exclude=*/acpi_cppc/*", "--exclude=*/uevent", "--exclude=*/vulnerabilities/*",
		"*sys/devices/system/cpu/*", "*sys/devices/system/node/*", "*proc/cpuinfo").CombinedOutput()
	if len(subfolders(t, dir)) == 0 {
		t.Skipf("tar: %v: %s", err, out)
	}
	return dir
}

func subfolders(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	return found
}

// TestCorpusAgainstLscpu unpacks the archives and compares with util-linux's lscpu.
func TestCorpusAgainstLscpu(t *testing.T) {
	if _, err := exec.LookPath("lscpu"); err != nil {
		t.Skip("lscpu is not installed")
	}
	compared := 0
	for _, archive := range archives(t) {
		if info, err := os.Stat(archive); err != nil || info.Size() > 25_000 {
			continue // thousands of files: seconds on a slow disk
		}
		dir := unpack(t, archive)
		root := openDir(t, dir)
		got := host.ReadAll(root)
		captured, err := host.OpenCaptureFile(archive)
		require.NoError(t, err)
		packed := host.ReadCPU(captured)
		assert.Equal(t, packed.Online.Value, got.CPU.Online.Value, machineName(archive))
		assert.Equal(t, packed.Packages.Value, got.CPU.Packages.Value, machineName(archive))
		assert.Equal(t, packed.L3.Value, got.CPU.L3.Value, machineName(archive))
		assert.Equal(t, packed.Flags.Value, got.CPU.Flags.Value, machineName(archive))
		words := lscpu(t, machineIn(t, dir))
		for key, value := range map[string]fact.Fact[int]{
			"Thread(s) per core": got.CPU.ThreadsPerCore,
			"Socket(s)":          count(got.CPU.Packages),
			"Core(s) per socket": coresPerSocket(got.CPU),
			"NUMA node(s)":       count(got.NUMA.Online),
			"On-line":            count(got.CPU.Online),
		} {
			if want, ok := words[key]; ok && value.Known() {
				compared++
				assert.Equal(t, want, value.Value, "%s: %s", machineName(archive), key)
			}
		}
	}
	t.Logf("%d facts compared", compared)
	assert.Greater(t, compared, 60)
}

func count[T any](v fact.Fact[[]T]) fact.Fact[int] {
	return fact.Fact[int]{Value: len(v.Value), State: v.State}
}

// coresPerSocket is the highest count of one package: a machine may have CPUs offline.
func coresPerSocket(c *host.CPU) fact.Fact[int] {
	most := fact.Fact[int]{State: c.Packages.State}
	for _, p := range c.Packages.Value {
		most.Value = max(most.Value, p.Cores)
	}
	return most
}

// machineIn finds the folder that contains sys, below up to two leading folders.
func machineIn(t *testing.T, dir string) string {
	t.Helper()
	for _, pattern := range []string{"sys", "*/sys", "*/*/sys"} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) == 1 {
			return filepath.Dir(found[0])
		}
	}
	require.Fail(t, "no machine", dir)
	return ""
}

// lscpu returns the counts that lscpu prints for a tree, or none if it refuses the tree (no cpuinfo, no list of
// possible CPUs).
func lscpu(t *testing.T, top string) map[string]int {
	t.Helper()
	cmd := exec.Command("lscpu", "--sysroot", top)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	words := map[string]int{}
	if err != nil {
		return words
	}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if strings.HasPrefix(key, "On-line") {
			list, err := kerneltext.ParseCPUList([]byte(value))
			require.NoError(t, err)
			words["On-line"] = len(list)
		} else if n, err := strconv.Atoi(value); err == nil {
			words[key] = n
		}
	}
	return words
}
