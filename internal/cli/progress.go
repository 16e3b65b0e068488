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

// progress shows on a terminal's standard error what takes long (a BMC, a large capture, a fleet), and every second how
// far it is. The returned function removes the line; nothing is written if it is called in time.
func (p *Program) progress(what func() string) (done func()) {
	if !isTerminal(p.Stderr) {
		return func() {}
	}
	return progressLine(p.Stderr, what, quietFor, time.Second)
}

func reading() string { return "auditing the machine" }

func progressLine(w io.Writer, what func() string, after, interval time.Duration) (done func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		shown := ""
		for wait := after; ; wait = interval {
			select {
			case <-stop:
				_, _ = io.WriteString(w, shown)
				return
			case <-time.After(wait):
				_, _ = io.WriteString(w, shown+"memaudit: "+what()+" ...")
				shown = "\r\x1b[K"
			}
		}
	}()
	return sync.OnceFunc(func() { close(stop); <-stopped })
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	return err == nil
}
