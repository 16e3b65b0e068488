//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMeasureOnlyMapsItsOwn: what measure does to the machine is to map, bind
// and give back memory of its own and to pin its threads; it opens nothing to
// write, runs no program and asks no network.
func TestMeasureOnlyMapsItsOwn(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), ".ci/run installs strace")
		t.Skip("no strace")
	}
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(strace, "-f", "-o", log, binary(t), "measure", "--force", "--quick", "--format", "json")
	out, _ := cmd.Output()
	data, err := os.ReadFile(log)
	if err != nil || len(data) == 0 {
		t.Skip("strace may not trace here")
	}
	require.Contains(t, string(out), `"memaudit.measurement/v1"`)
	if strings.Contains(string(out), `"refused": "`) {
		t.Skip("refused here: " + regexp.MustCompile(`"refused": "[^"]*"`).FindString(string(out)))
	}
	calls := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\d+ +([a-z0-9_]+)\(`).FindAllStringSubmatch(string(data), -1) {
		calls[m[1]]++
	}
	for _, name := range []string{"mmap", "munmap", "mbind", "madvise", "sched_setaffinity"} {
		assert.Positive(t, calls[name], name)
	}
	assert.Equal(t, 1, calls["execve"], "memaudit itself")
	for _, name := range []string{"socket", "connect", "unlink", "unlinkat", "rename", "renameat2", "mkdirat", "fchmod", "ptrace", "mlock", "mlockall",
		"sched_setscheduler", "setpriority", "set_mempolicy", "move_pages", "migrate_pages", "perf_event_open", "mount", "prlimit"} {
		assert.Zero(t, calls[name], name)
	}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "openat(") {
			assert.NotRegexp(t, `O_(WRONLY|RDWR|CREAT|TRUNC)`, line)
		}
	}
}
