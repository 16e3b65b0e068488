package cli

import (
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// quietFor is how long an audit may take before progress is shown.
const quietFor = 500 * time.Millisecond

// progress shows on a terminal's standard error what takes long (a BMC, a large capture). The returned function
// removes the line; nothing is written if it is called in time.
func (p *Program) progress(what string) (done func()) {
	if !isTerminal(p.Stderr) {
		return func() {}
	}
	return progressLine(p.Stderr, what, quietFor)
}

// progressLine writes a line after a while and erases it at the end.
func progressLine(w io.Writer, what string, after time.Duration) (done func()) {
	var lock sync.Mutex
	shown, ended := false, false
	timer := time.AfterFunc(after, func() {
		lock.Lock()
		defer lock.Unlock()
		if !ended {
			shown = true
			_, _ = io.WriteString(w, "memaudit: "+what+" ...")
		}
	})
	return func() {
		timer.Stop()
		lock.Lock()
		defer lock.Unlock()
		if shown && !ended {
			_, _ = io.WriteString(w, "\r\x1b[K")
		}
		ended = true
	}
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	return err == nil
}
