package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/serve/exporter"
)

// modestMemory trades a little work at each audit for the memory of a program
// that mostly waits.
func modestMemory() {
	const enough = 24 << 20
	debug.SetGCPercent(whileWaiting)
	debug.SetMemoryLimit(enough)
}

// whileWaiting is how much garbage there may be between audits, in hundredths of what is in use.
const whileWaiting = 50

// inOneGo does an audit without collecting garbage from its begin until all that it gave is
// published, which took a third of it: an audit ends, and what it leaves behind is given back
// as a whole, by idle. The limit of modestMemory holds, so that the audit of a very large
// machine collects after all.
func inOneGo(audit func(context.Context, bool) exporter.Outcome) (inOne func(context.Context, bool) exporter.Outcome, idle func()) {
	inOne = func(ctx context.Context, reload bool) exporter.Outcome {
		debug.SetGCPercent(-1)
		return audit(ctx, reload)
	}
	return inOne, func() {
		giveBack()
		debug.SetGCPercent(whileWaiting)
	}
}

// giveBack returns to the system what an audit needed and waiting does not: what
// it allocated, and the pages of the program itself, which are two thirds of what
// is resident after an audit. Whatever is needed again is mapped again from the
// page cache, or read from the file, as after any shortage of memory.
func giveBack() {
	debug.FreeOSMemory()
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	for _, a := range unchanged(maps, program) {
		// Advice: where it is not taken, as of locked memory, the pages stay.
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, a.from, a.to-a.from, unix.MADV_DONTNEED)
	}
}

// memoryArea is the memory from one address to another.
type memoryArea struct{ from, to uintptr }

// unchanged are the areas of memory that hold pages of a file as they are in the
// file and nothing else: they cannot be written, and none was written before they
// were protected, as the relocated part of a program is that may lie anywhere. The
// format is that of proc_pid_smaps(5).
func unchanged(smaps io.Reader, file string) []memoryArea {
	var out []memoryArea
	var at memoryArea
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		line := lines.Text()
		if name, kB, ok := strings.Cut(line, ":"); ok && !strings.Contains(name, " ") {
			if name == "Anonymous" && strings.TrimSpace(kB) == "0 kB" && at.to > at.from {
				out = append(out, at)
			}
			continue
		}
		at = memoryArea{}
		fields := strings.SplitN(line, " ", 6) // addresses, permissions, offset, device, inode, name
		if len(fields) == 6 && strings.TrimSpace(fields[5]) == file && fields[1][0] == 'r' && !strings.Contains(fields[1], "w") {
			at = between(fields[0])
		}
	}
	return out
}

// between reads addresses: "400000-1f57000"; an area of nothing when they are none.
func between(addresses string) memoryArea {
	first, last, _ := strings.Cut(addresses, "-")
	from, fromErr := strconv.ParseUint(first, 16, 64)
	to, toErr := strconv.ParseUint(last, 16, 64)
	if fromErr != nil || toErr != nil {
		return memoryArea{}
	}
	return memoryArea{uintptr(from), uintptr(to)}
}
