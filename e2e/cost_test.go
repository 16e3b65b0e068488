//go:build e2e && nightly

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/host/hosttest"
)

var initialised = regexp.MustCompile(`^init (\S+) @.* (\d+) bytes, (\d+) allocs$`)

// TestInitialisers limits what every start costs before main: allocations and bytes of the packages' initialisers, as
// the Go runtime counts them. Their time depends on these, and a shared machine does not change them.
func TestInitialisers(t *testing.T) {
	const mostAllocations, mostBytes = 8_500, 1_300_000
	cmd := exec.Command(binary(t), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	packages, bytes, allocations := 0, 0, 0
	for line := range strings.Lines(string(out)) {
		m := initialised.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		var b, a int
		_, err := fmt.Sscan(m[2]+" "+m[3], &b, &a)
		require.NoError(t, err)
		packages, bytes, allocations = packages+1, bytes+b, allocations+a
	}
	require.Greater(t, packages, 10)
	t.Logf("%d packages, %d allocations, %d bytes", packages, allocations, bytes)
	assert.LessOrEqual(t, allocations, mostAllocations)
	assert.LessOrEqual(t, bytes, mostBytes)
}

// fileCalls are the system calls to find and read files; those of the runtime (threads, memory, timers) depend on the
// machine's load.
var fileCalls = regexp.MustCompile(`(?m)^\d+ +(openat2?|read|pread64|close|fstat|newfstatat|statx|readlinkat|getdents64|lseek)\(`)

// TestSystemCalls limits the system calls for one more processor of a tree, three for its one file, and the total for
// a small machine.
func TestSystemCalls(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		require.Empty(t, os.Getenv("CI"), ".ci/run installs strace")
		t.Skip("strace is not installed")
	}
	count := func(tree string) int {
		log := filepath.Join(t.TempDir(), "strace")
		out, err := exec.Command("strace", "-f", "-o", log, binary(t), "check", "--root", tree, "--fail-on", "never").CombinedOutput()
		if _, missing := os.Stat(log); missing != nil {
			require.Empty(t, os.Getenv("CI"), string(out))
			t.Skip("strace may not trace here: " + string(out))
		}
		if err != nil { // a machine without an SMBIOS table
			require.ErrorContains(t, err, "exit status 3", string(out))
		}
		return len(fileCalls.FindAllString(readFile(t, log), -1))
	}
	of := func(cores int) (cpus, calls int) {
		m := hosttest.Machine{Sockets: 2, NodesPerSocket: 1, CoresPerSocket: cores, ThreadsPerCore: 2, L3PerSocket: 1, NodeMiB: 131072}
		tree := t.TempDir()
		m.Files().WriteTo(t, tree)
		return m.CPUs(), count(tree)
	}
	fewer, few := of(16)
	more, many := of(64)
	slope := float64(many-few) / float64(more-fewer)
	small := count(treeOf(t, goodMachine))
	t.Logf("%.1f calls a processor; %d for a machine with 6 modules", slope, small)
	assert.Positive(t, slope)
	assert.LessOrEqual(t, slope, 3.5)
	assert.LessOrEqual(t, small, 1_530)
}
