//go:build e2e

package e2e

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"
)

// served is a running daemon.
type served struct {
	cmd     *exec.Cmd
	address string
	log     chan string
	client  *http.Client
	scheme  string
}

// serve starts the daemon on a free port and waits for its first audit.
func serve(t *testing.T, env []string, args ...string) *served {
	t.Helper()
	s := &served{scheme: "http", client: http.DefaultClient, log: make(chan string, 1000)}
	s.cmd = exec.Command(binary(t), append([]string{"serve", "--web.listen-address", "127.0.0.1:0", "--log.level", "debug"}, args...)...)
	s.cmd.Dir = root
	s.cmd.Env = append(os.Environ(), env...)
	s.start(t)
	return s
}

func (s *served) start(t *testing.T) {
	t.Helper()
	errs, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	go func() {
		defer close(s.log)
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			s.log <- lines.Text()
		}
	}()
	line := s.wait(t, `msg="Listening on"`)
	s.address = regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(line)[1]
	s.wait(t, `msg="audit `)
}

// wait reads the log up to a line that contains a text.
func (s *served) wait(t *testing.T, text string) string {
	t.Helper()
	var seen []string
	timeout := time.After(20 * time.Second)
	for {
		select {
		case line, ok := <-s.log:
			if strings.Contains(line, text) {
				return line
			}
			require.True(t, ok, "the daemon ended: %s", seen)
			seen = append(seen, line)
		case <-timeout:
			require.FailNow(t, "not logged: "+text, "%s", seen)
		}
	}
}

// get fetches a page.
func (s *served) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	r, err := s.client.Get(s.scheme + "://" + s.address + path)
	require.NoError(t, err)
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, string(data)
}

// end sends SIGTERM and expects a clean end.
func (s *served) end(t *testing.T) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, s.cmd.Wait())
}

// TestServe runs one daemon with a machine, from start to stop.
func TestServe(t *testing.T) {
	s := serve(t, nil, "--root", treeOf(t, machine), "--profile", "max-performance")
	status, out := s.get(t, "/metrics")
	assert.Equal(t, 200, status)
	promtool(t, out, "check", "metrics")
	_, once, _ := run(t, nil, "check", "--root", treeOf(t, machine), "--profile", "max-performance", "--format", "prometheus")
	assert.Equal(t, seriesOf(once), seriesOf(out), "serve and check agree")
	_, text := s.get(t, "/report.txt")
	_, want, _ := run(t, nil, "check", "--root", treeOf(t, machine), "--profile", "max-performance")
	words := func(report string) string { return strings.Join(strings.Fields(report), " ") } // the last line is broken elsewhere
	assert.Equal(t, strings.TrimSuffix(words(want), " Exit status 1."), words(text), "a daemon has no exit status")
	_, doc := s.get(t, "/report.json")
	assert.Equal(t, "fail", results(t, doc)["memory.channel.populated socket 1"])
	for path, want := range map[string]int{"/": 200, "/-/healthy": 200, "/-/ready": 200, "/nothing": 404, "/debug/pprof/": 404} {
		status, _ = s.get(t, path)
		assert.Equal(t, want, status, path)
	}
	s.end(t)
	_, err := net.Dial("tcp", s.address)
	require.Error(t, err)
}

// seriesOf lists the names and labels of memaudit's series, whatever the order of
// labels.
func seriesOf(out string) []string {
	var all []string
	for line := range strings.Lines(out) {
		name, rest, _ := strings.Cut(line, "{")
		if !strings.HasPrefix(line, "memaudit_") {
			continue
		}
		labels, _, ok := strings.Cut(rest, "} ")
		if !ok { // none
			name, _, _ = strings.Cut(line, " ")
			labels = ""
		}
		pairs := regexp.MustCompile(`\w+="(?:[^"\\]|\\.)*"`).FindAllString(labels, -1)
		slices.Sort(pairs)
		all = append(all, name+"{"+strings.Join(pairs, ",")+"}")
	}
	slices.Sort(all)
	return all
}

// TestServeTLS checks TLS and basic authentication as for every exporter; the password is "fleet".
func TestServeTLS(t *testing.T) {
	cert, key := certificate(t)
	trusted := readFile(t, cert)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM([]byte(trusted)))
	config := filepath.Join(t.TempDir(), "web.yml")
	hash, err := bcrypt.GenerateFromPassword([]byte("fleet"), bcrypt.MinCost)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(config, []byte("tls_server_config: {cert_file: "+cert+", key_file: "+key+"}\nbasic_auth_users: {prometheus: "+string(hash)+"}\n"), 0o600))
	s := serve(t, nil, "--root", treeOf(t, machine), "--web.config.file", config)
	s.scheme = "https"
	s.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	status, out := s.get(t, "/metrics")
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.NotContains(t, out, "memaudit_")
	r, err := http.NewRequest(http.MethodGet, "https://"+s.address+"/metrics", nil)
	require.NoError(t, err)
	r.SetBasicAuth("prometheus", "fleet")
	answer, err := s.client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	assert.Equal(t, 200, answer.StatusCode)
	s.end(t)
}

// TestServeUnderSystemd checks a socket opened by systemd, and the notifications.
func TestServeUnderSystemd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	file, err := l.(*net.TCPListener).File()
	require.NoError(t, err)
	manager := filepath.Join(t.TempDir(), "notify")
	told, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: manager, Net: "unixgram"})
	require.NoError(t, err)
	defer told.Close()
	next := func() string {
		buf := make([]byte, 4096)
		require.NoError(t, told.SetReadDeadline(time.Now().Add(20*time.Second)))
		n, err := told.Read(buf)
		require.NoError(t, err)
		return string(buf[:n])
	}
	s := &served{scheme: "http", client: http.DefaultClient, log: make(chan string, 1000)}
	s.cmd = exec.Command("sh", "-c", "export LISTEN_PID=$$ WATCHDOG_PID=$$; exec "+binary(t)+" serve --web.systemd-socket --root "+treeOf(t, machine))
	s.cmd.Dir, s.cmd.ExtraFiles = root, []*os.File{file}
	s.cmd.Env = append(os.Environ(), "LISTEN_FDS=1", "NOTIFY_SOCKET="+manager, "WATCHDOG_USEC=1000000")
	s.start(t)
	assert.Equal(t, l.Addr().String(), s.address)
	status, _ := s.get(t, "/metrics")
	assert.Equal(t, 200, status)
	assert.Equal(t, "READY=1\nSTATUS=the first audit is running", next())
	assert.Contains(t, next(), "READY=1\nSTATUS=WARNING: a DIMM is in the wrong slot")
	assert.Equal(t, "WATCHDOG=1", next())
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	wait := func(prefix string) {
		for range 100 {
			if strings.HasPrefix(next(), prefix) {
				return
			}
		}
		assert.Fail(t, "not told", prefix)
	}
	wait("RELOADING=1\nMONOTONIC_USEC=")
	wait("READY=1\n")
	s.end(t)
	wait("STOPPING=1")
}
