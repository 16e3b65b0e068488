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
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
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

// shape is what an archive's name, or its publisher, states about the machine.
type shape struct{ packages, nodes, cores, threads int }

// published lists the shapes that the archives' names state (8n2c: 8 nodes of 2 cores; 4s2c2t: 4 sockets, 2 cores, 2
// threads), not what this package read.
var published = map[string]shape{
	"crm-2-socket-4-node-40-core":          {2, 4, 40, 2},
	"crm-2-socket-6-node-pmem":             {2, 6, 56, 2},
	"nri-2-socket-8-node-pmem":             {2, 8, 56, 2},
	"hwloc-16amd64-8n2c":                   {8, 8, 16, 1},
	"hwloc-16em64t-4s2c2t":                 {4, 1, 8, 2},
	"hwloc-32amd64-4s2n4c-cgroup2":         {4, 8, 32, 1},
	"hwloc-64amd64-4s2n4ca2co":             {4, 8, 32, 2},
	"hwloc-128arm-2pa2n8cluster4co":        {2, 4, 128, 1},
	"hwloc-8em64t-2s2ca2c":                 {2, 1, 8, 1},
	"hwloc-20em64t-hybrid-1p6c2t+2ca4co1t": {1, 1, 14, 2},
	"hwloc-x86linux-64amd64-4p2n4ca2co":    {4, 8, 32, 2},
	"nto-worker2":                          {2, 2, 32, 1}, //nolint:misspell // the archive's name
}

func TestCorpusShapes(t *testing.T) {
	for _, archive := range archives(t) {
		t.Run(machineName(archive), func(t *testing.T) {
			root, err := host.OpenCaptureFile(archive)
			require.NoError(t, err)
			f := host.ReadAll(root)
			for _, s := range f.Sources() {
				assert.Equal(t, s.State == fact.SourceOK, s.Detail == "", "%+v", s)
			}
			want, ok := published[machineName(archive)]
			if !ok {
				return
			}
			got := shape{len(f.CPU.Packages.Value), len(f.NUMA.Nodes), f.CPU.Cores.Value, f.CPU.ThreadsPerCore.Value}
			assert.Equal(t, want, got)
			assert.Equal(t, fact.Unread, f.ACPI.Has("SRAT").State, "no archive holds sys/firmware/acpi")
		})
	}
}

func TestCorpusNodes(t *testing.T) {
	read := func(name string) *host.NUMA {
		root, err := host.OpenCaptureFile(corpustest.Dir(t, "sysfs/"+name))
		require.NoError(t, err)
		return host.ReadNUMA(root)
	}
	gpu := read("hwloc-nvidiagpunumanodes.tar.bz2")
	assert.Equal(t, []int{0, 8}, gpu.CPUNodes().Value)
	assert.Equal(t, []int{0, 8, 250, 251, 252, 253, 254, 255}, gpu.MemoryNodes().Value)
	half := read("hwloc-64amd64-4s2n4ca2co.tar.bz2")
	assert.InDelta(t, 8<<30, half.Nodes[5].MemTotalBytes.Value, 1<<28, "node 5 has half the memory of its peers")
	assert.InDelta(t, 16<<30, half.Nodes[4].MemTotalBytes.Value, 1<<28)
	liar := read("hwloc-x86linux-64amd64-4p2n4ca2co.tar.bz2")
	assert.Equal(t, fact.Malformed, liar.HasCPU.State, "this kernel prints an empty has_cpu")
	assert.Equal(t, hosttest.Seq(0, 7, 1), liar.CPUNodes().Value)
	pmem := read("nri-2-socket-8-node-pmem.tar.gz")
	assert.Equal(t, hosttest.Seq(0, 3, 1), pmem.CPUNodes().Value)
	assert.Equal(t, hosttest.Seq(0, 7, 1), pmem.MemoryNodes().Value)
}

func TestCorpusEntriesTable(t *testing.T) {
	root, err := host.OpenCaptureFile(corpustest.Dir(t, "sysfs/hwloc-32em64t-2n8c+dax+nvme+mic+dimms.tar.bz2"))
	require.NoError(t, err)
	s := host.ReadSMBIOS(root)
	require.Equal(t, fact.OK, s.Entries.State, "%v", s.Entries.Err)
	devices := 0
	for _, e := range s.Entries.Value {
		if e.Type == 17 {
			devices++
			assert.Equal(t, byte(17), e.Data[0])
		}
	}
	assert.Equal(t, 24, devices)
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
