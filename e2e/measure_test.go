//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestMeasureEnds: stopped or killed in the middle, measure leaves no file, neither the kept
// one nor a part of it, and a result that was kept before stays as it was.
func TestMeasureEnds(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"interrupted": syscall.SIGINT, "terminated": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kept := filepath.Join(dir, "kept.json")
			require.NoError(t, os.WriteFile(kept, []byte("as it was"), 0o600))
			cmd := exec.Command(binary(t), "measure", "--force", "--nodes", "0", "--save", kept)
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			require.NoError(t, cmd.Start())
			time.Sleep(time.Second) // of five: it has mapped and measures
			require.NoError(t, cmd.Process.Signal(signal))
			err := cmd.Wait()
			var ended *exec.ExitError
			require.ErrorAs(t, err, &ended, said.String())
			if strings.Contains(said.String(), "refused: ") {
				t.Skip(said.String())
			}
			if signal == syscall.SIGKILL {
				assert.Equal(t, -1, ended.ExitCode())
			} else {
				assert.Equal(t, 3, ended.ExitCode(), said.String())
				assert.Contains(t, said.String(), "memaudit: error: measure: ")
			}
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, files, 1)
			data, err := os.ReadFile(kept)
			require.NoError(t, err)
			assert.Equal(t, "as it was", string(data))
		})
	}
}
