//go:build e2e && nightly

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

// allowed are all system calls that measure may make: its changes to the machine, its input and output, and what Go's
// runtime needs.
var allowed = map[string]bool{
	"mmap": true, "munmap": true, "mbind": true, "madvise": true, "sched_setaffinity": true, "sched_getaffinity": true,

	"openat": true, "read": true, "pread64": true, "close": true, "fstat": true, "newfstatat": true,
	"getdents64": true, "readlinkat": true, "fcntl": true, "ioctl": true, "write": true, "clock_gettime": true, "getrusage": true,

	"execve": true, "arch_prctl": true, "prctl": true, "prlimit64": true, "clone": true,
	"exit": true, "exit_group": true, "gettid": true, "getpid": true, "tgkill": true, "futex": true,
	"nanosleep": true, "sched_yield": true, "restart_syscall": true, "rt_sigaction": true, "rt_sigprocmask": true,
	"rt_sigreturn": true, "sigaltstack": true, "epoll_create1": true, "epoll_ctl": true, "epoll_pwait": true, "eventfd2": true,
	"mincore": true, "getrandom": true, "statfs": true, // whether the configuration is on a read-only mount
}

// narrowed are calls of the above that could also change something: only the named use of each is allowed.
var narrowed = map[string]string{
	"prctl":             `PR_SET_VMA|PR_GET_`,
	"prlimit64":         `prlimit64\(0, RLIMIT_NOFILE`,
	"ioctl":             `TIOCGWINSZ|TCGETS`,
	"write":             `write\([12], |write\(\d+, "\\1\\0`,
	"sched_setaffinity": `sched_setaffinity\(0, `,
	"fcntl":             `F_GETFL|F_GETFD|F_SETFL|F_SETFD|F_DUPFD_CLOEXEC`,
	"madvise":           `MADV_(HUGEPAGE|NOHUGEPAGE|DONTNEED|FREE|COLLAPSE|POPULATE_WRITE)`,
	"mbind":             `MPOL_BIND`,
}

// TestMeasureOnlyMapsItsOwn checks that measure only maps, binds and releases its own memory and pins its threads; it
// opens nothing for writing, runs no program and uses no network.
func TestMeasureOnlyMapsItsOwn(t *testing.T) {
	strace := needProgram(t, "strace")
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
	for name := range calls {
		assert.Contains(t, allowed, name, "a call that measure has no reason for")
	}
	for line := range strings.Lines(string(data)) {
		assert.NotRegexp(t, `openat\(.*O_(WRONLY|RDWR|CREAT|TRUNC)`, line)
		for name, harmless := range narrowed {
			if strings.Contains(line, " "+name+"(") {
				assert.Regexp(t, harmless, line)
			}
		}
	}
}

// TestMeasureEnds checks that measure, stopped or killed, leaves no file, neither the saved one nor a part of it, and
// that an earlier result stays unchanged.
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
			assert.Equal(t, "as it was", readFile(t, kept))
		})
	}
}
