package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// locked is a buffer that a timer may write to.
type locked struct {
	lock    sync.Mutex
	written bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.written.Write(b)
}

func (l *locked) text() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.written.String()
}

// pseudoTerminal opens a pseudo-terminal: what a program writes to the one end is read at the other.
func pseudoTerminal(t *testing.T) (program *os.File, screen func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	var shown locked
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(&shown, master) // ends with an error when the other end is closed
	}()
	return program, func() string {
		_ = program.Close()
		<-ended
		return shown.text()
	}
}

// TestProgressOnATerminal checks that a slow controller is announced on a terminal after half a second, and that the
// line is removed before anything else is written; a quick audit, and a standard error that is not a terminal, show
// nothing.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	const line = "memaudit: auditing the machine ..."
	slow := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(quietFor + 300*time.Millisecond)
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(slow.Close)
	secret := filepath.Join(t.TempDir(), "bmc.yaml")
	require.NoError(t, os.WriteFile(secret, []byte("username: u\npassword: p\n"), 0o600))
	machine := []string{"check", "--fail-on", "never", "--root", tree(t, "dell-r610-good")}
	asked := slices.Concat(machine, []string{"--redfish", slow.URL, "--redfish-insecure", "--redfish-credentials", secret})

	// Anything but a terminal gets no output while a terminal waits for its line.
	plain, _, stderr := newProgram(nil)
	quiet := make(chan int, 1)
	go func() { quiet <- plain.Main(asked) }()

	p, _, _ := newProgram(nil)
	program, screen := pseudoTerminal(t)
	p.Stderr = program
	assert.Equal(t, 3, p.Main(asked), "the controller answers nothing of use")
	shown := screen()
	require.True(t, strings.HasPrefix(shown, line+"\r\x1b[K"), "%q", shown)
	rest := strings.TrimPrefix(shown, line+"\r\x1b[K")
	assert.True(t, strings.HasPrefix(rest, "memaudit: "), "%q", rest)
	assert.NotContains(t, rest, line)

	p, _, _ = newProgram(nil)
	program, screen = pseudoTerminal(t)
	p.Stderr = program
	began := time.Now()
	assert.Equal(t, 0, p.Main(machine))
	if shown, took := screen(), time.Since(began); took < quietFor {
		assert.Empty(t, shown, "quick")
	}

	assert.Equal(t, 3, <-quiet)
	assert.NotContains(t, stderr.String(), line)
}

// TestProgressCounts checks that the line shows how far a long work is, and that nothing is left of it.
func TestProgressCounts(t *testing.T) {
	t.Parallel()
	var screen locked
	n := 0
	done := progressLine(&screen, func() string { n++; return fmt.Sprintf("%d machines read", n) }, time.Millisecond, time.Millisecond)
	require.Eventually(t, func() bool { return strings.Contains(screen.text(), "memaudit: 3 machines read ...") }, 5*time.Second, time.Millisecond)
	done()
	done()
	assert.True(t, strings.HasSuffix(screen.text(), " machines read ...\r\x1b[K"))
	assert.True(t, strings.HasPrefix(screen.text(), "memaudit: 1 machines read ...\r\x1b[Kmemaudit: 2 machines read ..."))
}
