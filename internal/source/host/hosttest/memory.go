package hosttest

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// InMemory is for the TestMain of tests that write thousands of small files and
// live for seconds: their folders lie in memory where there is enough of it and
// nobody names another place, and garbage is left lying until it is much.
func InMemory() {
	const enough, much = 512 << 20, 768 << 20
	var memory unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &memory); err == nil && memory.Bavail*uint64(memory.Bsize) > enough && os.Getenv("TMPDIR") == "" {
		_ = os.Setenv("TMPDIR", "/dev/shm")
	}
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(much)
}
