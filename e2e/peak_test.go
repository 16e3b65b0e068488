//go:build e2e && nightly

package e2e

import (
	"os/exec"
	"syscall"
)

// peakKB is the largest resident set of a finished process.
func peakKB(cmd *exec.Cmd) int64 {
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss
	}
	return 0
}
