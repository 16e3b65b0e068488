package exporter

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heard is a log that tests read.
type heard struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all.Write(b)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all.String()
}

// freeAddress returns an address that is not in use.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

// serving is a daemon that runs; end stops it and gives what it ended with.
type serving struct {
	url    string
	log    *heard
	reload chan os.Signal
	again  chan string
	audits atomic.Int32
	// ended waits until the daemon ends by itself, end stops it.
	ended, end func() error
}

// serve starts the daemon as the program does, but for the sandbox, which no
// process gets rid of.
func serve(t *testing.T, change func(*Config)) *serving {
	t.Helper()
	s := &serving{log: &heard{}, reload: make(chan os.Signal, 1), again: make(chan string, 1)}
	address := freeAddress(t)
	s.url = "http://" + address
	c := Config{Web: WebOptions{Addresses: []string{address}, MetricsPath: "/metrics"}, Reload: s.reload, Again: s.again, Settle: time.Millisecond, WatchFiles: func() []string { return nil },
		Log: slog.New(slog.NewTextHandler(s.log, nil)),
		Audit: func(context.Context, bool) Outcome {
			s.audits.Add(1)
			return Outcome{Report: made(1, 1, time.Now(), up), Interval: time.Hour}
		}}
	if change != nil {
		change(&c)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, c) }()
	s.ended = sync.OnceValue(func() error { return <-ended })
	s.end = func() error {
		stop()
		return s.ended()
	}
	t.Cleanup(func() { _ = s.end() })
	return s
}

// get retries until the daemon answers.
func (s *serving) get(t *testing.T, path string) (int, string) {
	t.Helper()
	status, text := 0, ""
	require.Eventually(t, func() bool {
		answer, err := http.Get(s.url + path)
		if err != nil {
			return false
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		status, text = answer.StatusCode, string(body)
		return err == nil && status != http.StatusServiceUnavailable
	}, 20*time.Second, 10*time.Millisecond)
	return status, text
}

// TestServe checks that the daemon notifies systemd when ready, answers, audits again on request, notifies the
// watchdog, and ends without an error when stopped.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "n"), Net: "unixgram"})
	require.NoError(t, err)
	defer func() { _ = manager.Close() }()
	t.Setenv("NOTIFY_SOCKET", filepath.Join(dir, "n"))
	t.Setenv("WATCHDOG_USEC", "30000000")
	t.Setenv("WATCHDOG_PID", fmt.Sprint(os.Getpid()))
	s := serve(t, func(c *Config) { c.Watch = []string{dir} })
	status, page := s.get(t, "/metrics")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, page, "memaudit_")
	told := make([]byte, 1000)
	require.NoError(t, manager.SetReadDeadline(time.Now().Add(20*time.Second)))
	n, err := manager.Read(told)
	require.NoError(t, err)
	assert.Contains(t, string(told[:n]), "READY=1")
	before := s.audits.Load()
	s.again <- "a test asks"
	require.Eventually(t, func() bool { return s.audits.Load() > before }, 20*time.Second, 10*time.Millisecond)
	before = s.audits.Load()
	s.reload <- os.Interrupt
	require.Eventually(t, func() bool { return s.audits.Load() > before }, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, s.end())
	assert.Equal(t, 30*time.Second, watchdogTime(quiet))
	_, err = http.Get(s.url + "/metrics")
	require.Error(t, err, "it answers after its end")
}

// TestServeRefused checks an address in use, a missing socket from systemd, and an unreadable web configuration.
func TestServeRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	free := freeAddress(t)
	err = Serve(t.Context(), Config{Web: WebOptions{Addresses: []string{free, l.Addr().String()}, MetricsPath: "/metrics"}, Log: quiet})
	require.ErrorContains(t, err, "listen on "+l.Addr().String())
	again, err := net.Listen("tcp", free)
	require.NoError(t, err, "the first listener was left open")
	require.NoError(t, again.Close())
	require.ErrorContains(t, Serve(t.Context(), Config{Web: WebOptions{SystemdSocket: true, MetricsPath: "/metrics"}, Log: quiet}), "systemd passed no socket")
	broken := filepath.Join(t.TempDir(), "web.yml")
	require.NoError(t, os.WriteFile(broken, []byte("tls_server_config: nonsense\n"), 0o600))
	require.Error(t, CheckWeb(broken))
	s := serve(t, func(c *Config) { c.Web.ConfigFile = broken })
	require.ErrorContains(t, s.ended(), "serve on ", "a server that fails stops the daemon with its reason")
}

// TestNoHTTP2 checks that a client that prefers HTTP/2 over TLS is answered in HTTP/1.1.
func TestNoHTTP2(t *testing.T) {
	lender := httptest.NewTLSServer(nil)
	defer lender.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := newServer(constantAnswer("ok\n"), quiet)
	s.TLSConfig = &tls.Config{Certificates: lender.TLS.Certificates}
	go func() { _ = s.ServeTLS(l, "", "") }()
	defer func() { _ = s.Close() }()
	roots := x509.NewCertPool()
	roots.AddCert(lender.Certificate())
	c := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots, NextProtos: []string{"h2", "http/1.1"}}}}
	defer c.CloseIdleConnections()
	resp, err := c.Get("https://" + l.Addr().String())
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	assert.Equal(t, "HTTP/1.1", resp.Proto)
	assert.Equal(t, "http/1.1", resp.TLS.NegotiatedProtocol)
}

// TestWatchdogInvalidTime checks that a time that is not a number is reported, and means never.
func TestWatchdogInvalidTime(t *testing.T) {
	var log heard
	t.Setenv("WATCHDOG_USEC", "soon")
	t.Setenv("WATCHDOG_PID", fmt.Sprint(os.Getpid()))
	assert.Zero(t, watchdogTime(slog.New(slog.NewTextHandler(&log, nil))))
	assert.Contains(t, log.String(), "watchdog")
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	newNotifier(slog.New(slog.NewTextHandler(&log, nil)))("READY=1")
	assert.Contains(t, log.String(), "telling systemd")
}

// sandboxed is the variable that makes this test's program the one that is
// sandboxed: a sandbox stays until the process ends.
const sandboxed = "MEMAUDIT_TEST_SANDBOXED"

// TestSandbox checks that in the sandbox readable files are read, others are denied, nothing is written, and no port
// is opened unless audits connect to a host.
func TestSandbox(t *testing.T) {
	if landlockVersion() < 1 {
		t.Skip("this kernel has no Landlock")
	}
	dir := t.TempDir()
	for _, name := range []string{"open", "closed"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestInSandbox$", "-test.v")
	cmd.Env = append(os.Environ(), sandboxed+"="+dir)
	// Where coverage is counted the program fails at its end: it may not write.
	out, _ := cmd.CombinedOutput()
	require.Contains(t, string(out), "--- PASS: TestInSandbox", "%s", out)
	said := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if what, result, found := strings.Cut(lines.Text(), " => "); found {
			said[strings.TrimSpace(what)] = result
		}
	}
	assert.Equal(t, "ok", said["open"])
	assert.Contains(t, said["closed"], "permission denied")
	assert.Contains(t, said["write"], "permission denied")
	if landlockVersion() >= 4 {
		assert.Contains(t, said["listen"], "permission denied")
		assert.Contains(t, said["connect"], "permission denied")
	}
}

// TestInSandbox is the program of TestSandbox.
func TestInSandbox(t *testing.T) {
	dir := os.Getenv(sandboxed)
	if dir == "" {
		t.Skip("run by TestSandbox")
	}
	restrictProcess([]string{filepath.Join(dir, "open"), filepath.Join(dir, "nothing")}, false, quiet)
	say := func(what string, err error) {
		if err == nil {
			fmt.Println(what + " => ok")
			return
		}
		fmt.Println(what + " => " + err.Error())
	}
	_, err := os.ReadFile(filepath.Join(dir, "open"))
	say("open", err)
	_, err = os.ReadFile(filepath.Join(dir, "closed"))
	say("closed", err)
	say("write", os.WriteFile(filepath.Join(dir, "open"), []byte("y"), 0o600))
	// Go listens with multipath TCP, which Landlock does not cover.
	plain := net.ListenConfig{}
	plain.SetMultipathTCP(false)
	_, err = plain.Listen(t.Context(), "tcp", "127.0.0.1:0")
	say("listen", err)
	_, err = net.Dial("tcp", "127.0.0.1:9")
	say("connect", err)
}

// TestPassedSockets checks that systemd's sockets are used only if all of them accept connections; go-systemd returns
// nil for a socket that does not (ListenDatagram=, ListenFIFO= in systemd.socket(5)).
func TestPassedSockets(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	all, err := checkListeners([]net.Listener{l}, nil)
	require.NoError(t, err)
	assert.Equal(t, []net.Listener{l}, all)
	for want, of := range map[string][]net.Listener{"passed no socket": nil, "does not accept connections": {l, nil}} {
		_, err := checkListeners(of, nil)
		require.ErrorContains(t, err, want)
	}
	_, err = checkListeners([]net.Listener{l}, errors.New("bad descriptor"))
	require.ErrorContains(t, err, "sockets of systemd: bad descriptor")
}

// TestReplacedFile checks that another file of the same size and time is a change, and that a single folder is
// watched like several.
func TestReplacedFile(t *testing.T) {
	dir := t.TempDir()
	file, beside := filepath.Join(dir, "memaudit.yaml"), filepath.Join(dir, "beside")
	for _, name := range []string{file, beside} {
		require.NoError(t, os.WriteFile(name, []byte("profile: hpc\n"), 0o600))
		require.NoError(t, os.Chtimes(name, first, first))
	}
	events := make(chan auditEvent)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	watchFiles(ctx, &watched{folders: []string{dir}, files: func() []string { return []string{file} }}, events, time.Hour, quiet)
	require.NoError(t, os.Rename(beside, file))
	select {
	case e := <-events:
		assert.Equal(t, auditEvent{"changed: " + file, true}, e)
	case <-time.After(20 * time.Second):
		assert.Fail(t, "no event")
	}
}

// TestFolderMadeAnew checks that a folder that is renamed and recreated is watched again, and so is one whose parent
// is.
func TestFolderMadeAnew(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "etc", "memaudit")
	file := filepath.Join(folder, "memaudit.yaml")
	write := func(text string) {
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write("profile: hpc\n")
	events := make(chan auditEvent)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log heard
	watchFiles(ctx, &watched{folders: []string{folder}, files: func() []string { return []string{file} }}, events, 10*time.Millisecond, slog.New(slog.NewTextHandler(&log, nil)))
	expect := func(what string) {
		t.Helper()
		select {
		case e := <-events:
			assert.Equal(t, auditEvent{"changed: " + file, true}, e, what)
		case <-time.After(20 * time.Second):
			t.Fatal("no event: " + what)
		}
	}
	for _, moved := range []string{folder, filepath.Dir(folder)} {
		require.NoError(t, os.Rename(moved, moved+".old"))
		expect("renamed")
		write("profile: balanced\n")
		expect("made anew")
		write("profile: low-latency\n")
		expect("changed in the new folder")
		require.NoError(t, os.RemoveAll(moved+".old"))
	}
	assert.Contains(t, log.String(), "folder was replaced")
}
