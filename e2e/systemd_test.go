//go:build e2e && nightly

package e2e

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// systemd is a service manager that runs over a throw-away copy of the machine.
type systemd struct {
	t   *testing.T
	pid string
	// port is the daemon's port: the network is that of the tests.
	port string
}

// boot starts systemd. What a container does not permit is skipped.
func boot(t *testing.T) *systemd {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can start systemd over a copy of the machine")
	}
	for _, need := range []string{"/usr/lib/systemd/systemd", "/usr/bin/unshare", "/usr/bin/nsenter", "/usr/bin/dpkg"} {
		if _, err := os.Stat(need); err != nil {
			t.Skip(err)
		}
	}
	cmd := exec.Command("unshare", "-m", "-p", "-i", "-u", "-C", "--fork", "--kill-child", "testdata/boot", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = said, said
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	s := &systemd{t: t, port: freePort(t)}
	t.Cleanup(func() {
		if s.pid != "" {
			_ = exec.Command("kill", "-KILL", s.pid).Run()
		}
		_ = cmd.Process.Kill()
		<-ended
	})
	for range 150 {
		select {
		case <-ended:
			ended <- nil
			t.Skipf("systemd does not start here: %s", said)
		case <-time.After(200 * time.Millisecond):
		}
		out, _ := exec.Command("pgrep", "-P", fmt.Sprint(cmd.Process.Pid)).Output()
		s.pid = strings.TrimSpace(string(out))
		if s.pid == "" {
			continue
		}
		switch state, _ := s.try("systemctl", "is-system-running"); state {
		case "running", "degraded":
			return s
		}
	}
	t.Skip("systemd is not up after 30 s")
	return nil
}

// of is the same service manager in another test.
func (s *systemd) of(t *testing.T) *systemd { return &systemd{t: t, pid: s.pid, port: s.port} }

// command is one that runs inside.
func (s *systemd) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	s.t.Cleanup(cancel)
	return exec.CommandContext(ctx, "nsenter", append([]string{"-t", s.pid, "-m", "-p", "-i", "-u", "-C", "-r", "-w"}, args...)...)
}

func (s *systemd) try(args ...string) (string, error) {
	out, err := s.command(args...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s *systemd) must(args ...string) string {
	s.t.Helper()
	out, err := s.try(args...)
	if err != nil {
		journal, _ := s.try("journalctl", "--no-pager", "-o", "cat", "-n", "20", "-u", "memaudit*")
		require.NoError(s.t, err, "%v: %s\n%s", args, out, journal)
	}
	return out
}

// path is a file inside, seen from outside.
func (s *systemd) path(name string) string { return filepath.Join("/proc", s.pid, "root", name) }

func (s *systemd) write(name, text string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(text), 0o600))
}

// dropIns restarts the daemon with only these drop-ins of the package, and additional lines.
func (s *systemd) dropIns(own string, names ...string) {
	s.t.Helper()
	dir := "/etc/systemd/system/memaudit.service.d"
	s.must("rm", "-rf", dir)
	for _, name := range names {
		s.must("install", "-D", "-t", dir, "/usr/share/memaudit/memaudit.service.d/"+name)
	}
	if own != "" {
		s.write(dir+"/own.conf", own)
	}
	s.must("systemctl", "daemon-reload")
	s.must("systemctl", "restart", "memaudit.service")
}

// metric waits for the line of a metric, by its beginning, and gives its value.
func (s *systemd) metric(scheme, begin string) string {
	s.t.Helper()
	// The certificate is made by the test itself.
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec
	value := ""
	require.Eventually(s.t, func() bool {
		answer, err := client.Get(fmt.Sprintf("%s://127.0.0.1:%s/metrics", scheme, s.port))
		if err != nil {
			return false
		}
		defer func() { _ = answer.Body.Close() }()
		page, _ := io.ReadAll(answer.Body)
		for line := range strings.Lines(string(page)) {
			if rest, ok := strings.CutPrefix(line, begin); ok {
				value = strings.TrimSpace(rest)
			}
		}
		return value != ""
	}, 20*time.Second, 100*time.Millisecond, "%s %s", scheme, begin)
	return value
}

// status is a line of /proc/PID/status of the daemon.
func (s *systemd) status(key string) string {
	s.t.Helper()
	for line := range strings.Lines(s.must("cat", "/proc/"+s.property("MainPID")+"/status")) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

func (s *systemd) property(name string) string {
	s.t.Helper()
	return s.must("systemctl", "show", "memaudit.service", "--value", "-p", name)
}

// TestService runs the package under a running systemd, from installation to purge, with each drop-in, on a machine
// whose files have the kernel's modes.
func TestService(t *testing.T) {
	deb := one(t, dist(t, "amd64")+"/*_amd64.deb")
	s := boot(t)
	s.put(deb)
	s.must("dpkg", "--install", "/root/memaudit.deb")
	assert.Equal(t, "disabled", s.property("UnitFileState"))
	assert.Equal(t, "inactive", s.property("ActiveState"))
	t.Run("textfile", func(t *testing.T) { s.of(t).textfile() })
	t.Run("daemon", func(t *testing.T) { s.of(t).daemon(deb) })

	file := s.path("/var/lib/prometheus/node-exporter/memaudit.prom")
	require.FileExists(t, file)
	s.must("systemctl", "enable", "--now", "memaudit-textfile.timer")
	s.must("dpkg", "--remove", "memaudit")
	assert.NoFileExists(t, file)
	out, _ := s.try("systemctl", "list-units", "--no-legend", "--state=active", "memaudit*")
	assert.Empty(t, out)
	s.must("dpkg", "--purge", "memaudit")
	assert.NoFileExists(t, s.path("/etc/memaudit/memaudit.yaml"))
}

// put brings a package inside.
func (s *systemd) put(deb string) {
	s.t.Helper()
	s.write("/root/memaudit.deb", readFile(s.t, deb))
}

// guide runs the commands of a guide's only sh block; deb is what it calls the
// package.
func (s *systemd) guide(file, deb string) {
	s.t.Helper()
	blocks := strings.Split(readFile(s.t, filepath.Join(root, file)), "```sh\n")
	require.Len(s.t, blocks, 2, file)
	script, _, _ := strings.Cut(blocks[1], "```")
	if deb != "" {
		require.Contains(s.t, script, deb)
		script = strings.ReplaceAll(script, deb, "/root/memaudit.deb")
	}
	s.must("bash", "-ec", "export DEBIAN_FRONTEND=noninteractive\n"+script)
}

// textfile runs the oneshot service, first without the folder it writes into.
func (s *systemd) textfile() {
	t := s.t
	_ = os.RemoveAll(s.path("/var/lib/prometheus"))
	out, err := s.try("systemctl", "start", "memaudit-textfile.service")
	require.Error(t, err, "a missing folder is reported")
	assert.Contains(t, out, "Assertion failed")
	require.NoError(t, os.MkdirAll(s.path("/var/lib/prometheus/node-exporter"), 0o755))
	s.must("systemctl", "start", "memaudit-textfile.service")
	name := s.path("/var/lib/prometheus/node-exporter/memaudit.prom")
	st, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), st.Mode(), "node_exporter reads it as another user")
	assert.Contains(t, readFile(t, name), `memaudit_source_up{source="cpu"} 1`)
	if _, err := exec.LookPath("promtool"); err == nil {
		promtool(t, readFile(t, name), "check", "metrics")
	}
}

// daemon runs memaudit.service with every drop-in.
func (s *systemd) daemon(deb string) {
	t := s.t
	if _, out, _ := run(t, nil, "--help"); !strings.Contains(out, "\n  serve ") {
		t.Skip("this program has no daemon")
	}
	s.must("mkdir", "-p", "/opt")
	must(t, "cp", "-r", treeOf(t, "dell-r610-good"), s.path("/usr/local/machine"))
	kernelModes(t, s.path("/usr/local/machine"))
	s.arguments("")
	smbios := `memaudit_source_up{source="smbios"} `

	s.dropIns("")
	assert.Equal(t, "1", s.metric("http", smbios))
	assert.Equal(t, "0000000000000004", s.status("CapEff"), "CAP_DAC_READ_SEARCH alone")
	assert.Equal(t, "0000000000000004", s.status("CapBnd"))
	assert.NotEqual(t, "0", strings.Fields(s.status("Uid"))[0])
	assert.Equal(t, "2", s.status("Seccomp"))
	pid := s.property("MainPID")
	assert.Equal(t, "memaudit", s.must("nsenter", "-t", pid, "-m", "-r", "ls", "/var/lib"), "all of /var/lib that it sees")
	s.must("systemctl", "reload", "memaudit.service")
	assert.Equal(t, pid, s.property("MainPID"), "a reload keeps the process")

	s.put(newer(t, deb))
	s.guide("deploy/operations.md", "memaudit_VERSION-1_amd64.deb")
	assert.Equal(t, "enabled", s.property("UnitFileState"))
	assert.NotEqual(t, pid, s.property("MainPID"), "an upgrade restarts what runs")
	assert.Equal(t, "1", s.metric("http", smbios))

	s.dropIns("[Service]\nCapabilityBoundingSet=\nAmbientCapabilities=\n")
	assert.Equal(t, "0", s.metric("http", smbios), "without the capability SMBIOS is denied")
	s.dropIns("")

	s.guide("deploy/systemd/README.md", "")
	assert.Equal(t, "1", s.metric("http", smbios))
	assert.Equal(t, "0000000000020004", s.status("CapEff"), "and CAP_SYS_RAWIO")

	s.secrets()
	s.dropIns("", "web.conf")
	assert.Equal(t, "1", s.metric("https", smbios))
	s.controller()
	s.arguments("")

	s.write("/etc/systemd/system/memaudit.socket.d/own.conf", fmt.Sprintf("[Socket]\nListenStream=\nListenStream=127.0.0.1:%s\n", s.port))
	s.must("systemctl", "stop", "memaudit.service")
	s.dropIns("", "socket.conf")
	assert.Equal(t, "1", s.metric("http", smbios))
	assert.Equal(t, "active", s.must("systemctl", "is-active", "memaudit.socket"))
	links := s.must("cat", "/proc/"+s.property("MainPID")+"/net/dev")
	assert.Len(t, strings.Split(links, "\n"), 3, "two lines of heading and lo")
	s.must("systemctl", "stop", "memaudit.socket", "memaudit.service")
	assert.Equal(t, "success", s.property("Result"), "it stops by itself")
}

// arguments sets the daemon's flags.
func (s *systemd) arguments(more string) {
	s.t.Helper()
	s.write("/etc/default/memaudit", fmt.Sprintf("ARGS=\"--root /usr/local/machine --web.listen-address=127.0.0.1:%s %s\"\n", s.port, more))
}

// controller checks that the daemon reads the credentials of a BMC, and reports that nothing answers there.
func (s *systemd) controller() {
	s.t.Helper()
	s.arguments("--redfish=https://" + freeAddress(s.t))
	s.dropIns("", "bmc.conf", "web.conf")
	require.Eventually(s.t, func() bool {
		journal, _ := s.try("journalctl", "--no-pager", "-o", "cat", "-u", "memaudit.service")
		assert.NotContains(s.t, journal, "none of it is real")
		return strings.Contains(journal, "/redfish/v1/: connection refused")
	}, 20*time.Second, 200*time.Millisecond)
	assert.Equal(s.t, "active", s.property("ActiveState"))
}

// secrets are a certificate, and credentials that only root can read.
func (s *systemd) secrets() {
	s.t.Helper()
	s.must("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
		"-subj", "/CN=localhost", "-keyout", "/etc/memaudit/tls.key", "-out", "/etc/memaudit/tls.crt")
	s.must("chmod", "0600", "/etc/memaudit/tls.key")
	s.write("/etc/memaudit/web.yml", "tls_server_config: {cert_file: tls.crt, key_file: tls.key}\n")
	s.write("/etc/memaudit/bmc.yaml", "username: audit\npassword: none of it is real\n")
}
