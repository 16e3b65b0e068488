//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// made has the packages that all tests read, by their architectures.
var made = map[string]string{}

// dist builds the packages of the architectures once, with the script of make dist.
func dist(t *testing.T, architectures string) string {
	t.Helper()
	if made[architectures] == "" {
		dir, err := os.MkdirTemp("", "dist")
		require.NoError(t, err)
		require.NoError(t, makeDist(t, root, dir, "ARCHITECTURES="+architectures))
		made[architectures] = dir
	}
	return made[architectures]
}

func makeDist(t *testing.T, repository, dir string, env ...string) error {
	t.Helper()
	tools, err := filepath.Abs(filepath.Join(root, ".tools"))
	require.NoError(t, err)
	must(t, "make", "-C", root, filepath.Join(tools, "nfpm"), filepath.Join(tools, "cyclonedx-gomod"))
	cmd := exec.Command("scripts/dist", dir)
	cmd.Dir = repository
	cmd.Env = append(os.Environ(), "TOOLS="+tools, "VERSION=1.2.3", "REVISION=0123456789ab", "SOURCE_DATE_EPOCH=1790000000")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Log(string(out))
	}
	return err
}

// TestMain removes the packages and the machines' trees again.
func TestMain(m *testing.M) {
	status := m.Run()
	for _, dir := range made {
		_ = os.RemoveAll(dir)
	}
	_ = trees.Remove()
	os.Exit(status)
}

// one is the only file that a pattern matches.
func one(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, names, 1, pattern)
	return names[0]
}

// must runs a program that has to work.
func must(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, out)
	return string(out)
}

// TestPackagesCarryWhatTheReadmeNames checks that each link of the README leads to a file of the archive and of the
// package.
func TestPackagesCarryWhatTheReadmeNames(t *testing.T) {
	dir := t.TempDir()
	must(t, "tar", "-xzf", one(t, dist(t, "amd64")+"/memaudit-[0-9]*-linux-amd64.tar.gz"), "-C", dir, "--strip-components=1")
	var listed []string
	if _, err := exec.LookPath("rpm"); err == nil {
		listed = strings.Fields(must(t, "rpm", "-qpl", "--nosignature", one(t, dist(t, "amd64")+"/*.x86_64.rpm")))
	}
	links := regexp.MustCompile(`\]\(([^):#]+)[)#]`).FindAllStringSubmatch(readFile(t, filepath.Join(dir, "README.md")), -1)
	assert.Greater(t, len(links), 20)
	for _, link := range append(links, []string{"", "deploy/memaudit.yaml"}, []string{"", "deploy/ansible/galaxy.yml"}, []string{"", "deploy/grafana/memaudit-fleet.json"},
		[]string{"", "deploy/prometheus/README.md"}, []string{"", "internal/report/schema/report.v1.json"}, []string{"", "internal/serve/fleet/schema/fleet.v1.json"}) {
		assert.FileExists(t, filepath.Join(dir, link[1]))
		assert.True(t, listed == nil || slices.Contains(listed, "/usr/share/doc/memaudit/"+link[1]), link[1])
	}
}

// TestRPM checks the package with rpm itself.
func TestRPM(t *testing.T) {
	needProgram(t, "rpm")
	checkRPM(t, one(t, dist(t, "amd64")+"/*.rpm"), "x86_64")
}

func checkRPM(t *testing.T, name, arch string) {
	t.Helper()
	query := func(format string) string { return must(t, "rpm", "-qp", "--nosignature", "--qf", format, name) }
	assert.Equal(t, "memaudit 1.2.3-1 "+arch+" Apache-2.0 linux 1790000000", query("%{NAME} %{VERSION}-%{RELEASE} %{ARCH} %{LICENSE} %{OS} %{BUILDTIME}"))
	assert.Equal(t, "/etc/default/memaudit\n/etc/memaudit/memaudit.yaml\n", must(t, "rpm", "-qp", "--nosignature", "--configfiles", name))
	modes := query("[%{FILEMODES:perms} %{FILEUSERNAME} %{FILENAMES}\n]")
	for _, line := range []string{"-rwxr-xr-x root /usr/bin/memaudit\n", "-rw-r--r-- root /usr/lib/systemd/system/memaudit.service\n",
		"-rw-r--r-- root /usr/share/zsh/site-functions/_memaudit\n", "-rw-r--r-- root /usr/share/licenses/memaudit/LICENSE\n",
		"-rw-r--r-- root /usr/share/man/man8/memaudit-check.8.gz\n", "-rwxr-xr-x root /usr/libexec/memaudit/memaudit-healthcheck\n"} {
		assert.Contains(t, modes, line)
	}
	must(t, "rpm", "-K", "--nosignature", name)
	assert.Equal(t, 3, strings.Count(must(t, "rpm", "-qp", "--nosignature", "--scripts", name), "#!/bin/sh"))
}

// TestMaintainerScripts checks that the maintainer scripts are plain sh, and distinguish an installation from an
// upgrade and a removal by the arguments of dpkg and of rpm.
func TestMaintainerScripts(t *testing.T) {
	tools := t.TempDir()
	log := filepath.Join(tools, "log")
	require.NoError(t, os.WriteFile(filepath.Join(tools, "systemctl"), []byte("#!/bin/sh\necho \"$@\" >>"+log+"\n"), 0o755))
	off := "disable memaudit.service memaudit.socket memaudit-textfile.timer"
	for _, c := range []struct{ script, args, want string }{
		{"postinstall", "configure", ""},
		{"postinstall", "1", ""},
		{"preremove", "upgrade 1.2.4", ""},
		{"preremove", "1", ""},
		{"preremove", "remove", "--root=ROOT " + off},
		{"preremove", "0", "--root=ROOT " + off},
		{"postremove", "upgrade 1.2.4", "kept"},
		{"postremove", "1", "kept"},
		{"postremove", "remove", ""},
		{"postremove", "purge", ""},
		{"postremove", "0", ""},
	} {
		t.Run(c.script+" "+c.args, func(t *testing.T) {
			dir := t.TempDir()
			metrics := filepath.Join(dir, "var/lib/prometheus/node-exporter/memaudit.prom")
			require.NoError(t, os.MkdirAll(filepath.Dir(metrics), 0o755))
			require.NoError(t, os.WriteFile(metrics, nil, 0o644))
			_ = os.Remove(log)
			cmd := exec.Command("sh", append([]string{root + "/deploy/packages/scripts/" + c.script}, strings.Fields(c.args)...)...)
			cmd.Env = []string{"PATH=" + tools + ":/usr/bin:/bin", "DPKG_ROOT=" + dir}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			called, _ := os.ReadFile(log)
			_, gone := os.Stat(metrics)
			if c.script == "postremove" {
				assert.Equal(t, c.want == "kept", gone == nil, "metrics of a program that is gone")
				return
			}
			assert.Equal(t, c.want, strings.TrimSpace(strings.ReplaceAll(string(called), dir, "ROOT")))
		})
	}
}

// TestDebian installs, upgrades, removes and purges the package with dpkg in its own folder, as root or not.
func TestDebian(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not installed")
	}
	machine := newDebian(t)
	first := one(t, dist(t, "amd64")+"/*_amd64.deb")
	machine.dpkg("--install", first)
	assert.Contains(t, must(t, machine.path("usr/bin/memaudit"), "version"), "memaudit 1.2.3 ")
	assert.Equal(t, "ii  1.2.3-1", machine.status())
	assert.Empty(t, machine.enabled(), "nothing is enabled by default")
	machine.systemctl("enable", "memaudit.service", "memaudit-textfile.timer")
	require.Len(t, machine.enabled(), 2)

	config := machine.path("etc/memaudit/memaudit.yaml")
	require.NoError(t, os.WriteFile(config, []byte("profile: hpc\n"), 0o644))
	machine.dpkg("--install", "--force-confold", newer(t, first))
	assert.Equal(t, "ii  1.2.4-1", machine.status())
	assert.Equal(t, "profile: hpc\n", readFile(t, config), "the operator's configuration stays")
	assert.Len(t, machine.enabled(), 2, "what the operator enabled stays")

	baseline := machine.path("var/lib/memaudit/baseline.json")
	require.NoError(t, os.WriteFile(baseline, []byte("{}"), 0o644))
	machine.dpkg("--remove", "memaudit")
	assert.FileExists(t, baseline)
	assert.Equal(t, "rc  1.2.4-1", machine.status())
	assert.NoFileExists(t, machine.path("usr/bin/memaudit"))
	assert.FileExists(t, config)
	assert.Empty(t, machine.enabled())

	machine.dpkg("--purge", "memaudit")
	left := must(t, "find", machine.dir, "-path", machine.path("var/lib/dpkg"), "-prune", "-o", "!", "-type", "d", "-print")
	assert.NotContains(t, left, "memaudit.", left)
	assert.NoDirExists(t, machine.path("etc/memaudit"))
	assert.NoDirExists(t, filepath.Dir(baseline))
}

// debian is a folder that dpkg takes for a machine.
type debian struct {
	t   *testing.T
	dir string
}

func newDebian(t *testing.T) *debian {
	m := &debian{t, t.TempDir()}
	for _, d := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "etc/systemd/system"} {
		require.NoError(t, os.MkdirAll(m.path(d), 0o755))
	}
	for _, f := range []string{"status", "available"} {
		require.NoError(t, os.WriteFile(m.path("var/lib/dpkg/"+f), nil, 0o644))
	}
	return m
}

func (m *debian) path(name string) string { return filepath.Join(m.dir, name) }

// dpkg runs the maintainer scripts outside of the folder, with its name in DPKG_ROOT, because it contains
// nothing that could run them.
func (m *debian) dpkg(args ...string) {
	m.t.Helper()
	must(m.t, "dpkg", append([]string{"--root=" + m.dir, "--force-not-root", "--force-script-chrootless", "--log=/dev/null"}, args...)...)
}

func (m *debian) status() string {
	out, _ := exec.Command("dpkg-query", "--root="+m.dir, "-W", "-f", "${db:Status-Abbrev} ${Version}", "memaudit").Output()
	return string(out)
}

func (m *debian) systemctl(args ...string) {
	m.t.Helper()
	must(m.t, "systemctl", append([]string{"--root=" + m.dir}, args...)...)
}

// enabled lists what systemd would start.
func (m *debian) enabled() []string {
	names, err := filepath.Glob(m.path("etc/systemd/system/*.wants/memaudit*"))
	require.NoError(m.t, err)
	return names
}

// newer is the same package with a later version and another configuration.
func newer(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "package")
	must(t, "dpkg-deb", "-R", name, dir)
	control := filepath.Join(dir, "DEBIAN", "control")
	text := regexp.MustCompile(`(?m)^Version: .*$`).ReplaceAllString(readFile(t, control), "Version: 1.2.4-1")
	require.NoError(t, os.WriteFile(control, []byte(text), 0o644))
	config := filepath.Join(dir, "etc/memaudit/memaudit.yaml")
	require.NoError(t, os.WriteFile(config, []byte(readFile(t, config)+"# more words\n"), 0o644))
	out := filepath.Join(t.TempDir(), "newer.deb")
	must(t, "dpkg-deb", "--root-owner-group", "-Z", "none", "-b", dir, out)
	return out
}

// TestDefaultConfiguration checks that the installed configuration sets nothing.
func TestDefaultConfiguration(t *testing.T) {
	_, plain, _ := run(t, nil, "check", "--root", treeOf(t, machine))
	_, configured, errs := run(t, nil, "check", "--root", treeOf(t, machine), "--config", private(t, "memaudit.yaml", readFile(t, filepath.Join(root, "deploy/packages/memaudit.yaml"))))
	assert.Empty(t, errs)
	assert.Equal(t, plain, configured)
}
