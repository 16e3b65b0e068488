//go:build e2e && nightly

package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestCompare times complete processes in pairs and prints the figures; it asserts nothing. scripts/compare runs it.
// dmidecode and lscpu read the same input as memaudit; the others read only the machine they run on (lstopo also a
// tree), and memaudit then audits that machine too.
func TestCompare(t *testing.T) {
	if os.Getenv("MEMAUDIT_BIN") == "" {
		t.Skip("measured by make compare")
	}
	dir := t.TempDir()
	dump := filepath.Join(dir, "dump.bin")
	require.NoError(t, os.WriteFile(dump, smbiostest.ManySlots().Dump(), 0o600))
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
				peak = max(peak, peakKB(cmd))
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
