//go:build e2e

package e2e

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The maximum sizes in bytes. They detect a library that is linked by mistake; a megabyte more is no reason for less
// clear code.
const (
	maxBinary  = 34_000_000
	maxPackage = 14_000_000
	maxDebian  = 10_000_000
)

// checkSize fails when a file is larger than most bytes.
func checkSize(t *testing.T, name string, most int64) {
	t.Helper()
	st, err := os.Stat(name)
	require.NoError(t, err)
	t.Logf("%s: %d bytes", filepath.Base(name), st.Size())
	assert.LessOrEqual(t, st.Size(), most, name)
}

// made has the packages that all tests read.
var made struct {
	once sync.Once
	dir  string
	err  error
}

// dist builds the packages once, with the script of make dist.
func dist(t *testing.T) string {
	t.Helper()
	made.once.Do(func() {
		if made.dir, made.err = os.MkdirTemp("", "dist"); made.err == nil {
			made.err = makeDist(t, root, made.dir)
		}
	})
	require.NoError(t, made.err)
	return made.dir
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
	if made.dir != "" {
		_ = os.RemoveAll(made.dir)
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

// TestDistReproducible checks that another folder, time zone, language and umask give the same bytes.
func TestDistReproducible(t *testing.T) {
	first := readFile(t, filepath.Join(dist(t), "SHA256SUMS"))
	assert.Len(t, strings.Fields(first), 16, "deb, rpm, tar.gz and bill of materials for two architectures")
	copied := filepath.Join(t.TempDir(), "somewhere", "else")
	require.NoError(t, os.MkdirAll(copied, 0o755))
	must(t, "bash", "-c", "cd "+root+" && git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- -cf - | tar -xmf - -C "+copied)
	dir := t.TempDir()
	require.NoError(t, makeDist(t, copied, dir, "TZ=Asia/Kathmandu", "LANG=de_DE.UTF-8", "LC_ALL=C.UTF-8", "HOSTNAME=other", "TMPDIR="+t.TempDir()))
	assert.Equal(t, first, readFile(t, filepath.Join(dir, "SHA256SUMS")))
}

// TestArchives checks that each has the static program of its architecture, within the size limit, with only the time
// stamps of the commit.
func TestArchives(t *testing.T) {
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		t.Run(arch, func(t *testing.T) {
			archive := one(t, dist(t)+"/*-linux-"+arch+".tar.gz")
			dir := t.TempDir()
			must(t, "tar", "-xzf", archive, "-C", dir, "--strip-components=1")
			program, err := elf.Open(filepath.Join(dir, "memaudit"))
			require.NoError(t, err)
			defer func() { _ = program.Close() }()
			assert.Equal(t, machine, program.Machine)
			libraries, err := program.ImportedLibraries()
			require.NoError(t, err)
			assert.Empty(t, libraries)
			st, err := os.Stat(filepath.Join(dir, "memaudit"))
			require.NoError(t, err)
			checkSize(t, filepath.Join(dir, "memaudit"), maxBinary)
			assert.Equal(t, int64(1790000000), st.ModTime().Unix())
			assert.Contains(t, readFile(t, filepath.Join(dir, "licences", "THIRD-PARTY")), "==== github.com/spf13/cobra v")
		})
	}
	packages, err := filepath.Glob(dist(t) + "/memaudit*")
	require.NoError(t, err)
	for _, name := range packages {
		if strings.HasSuffix(name, ".deb") {
			checkSize(t, name, maxDebian)
			continue
		}
		checkSize(t, name, maxPackage)
	}
}

// TestPackagesCarryWhatTheReadmeNames checks that each link of the README leads to a file of the archive and of the
// package.
func TestPackagesCarryWhatTheReadmeNames(t *testing.T) {
	dir := t.TempDir()
	must(t, "tar", "-xzf", one(t, dist(t)+"/*-linux-amd64.tar.gz"), "-C", dir, "--strip-components=1")
	var listed []string
	if _, err := exec.LookPath("rpm"); err == nil {
		listed = strings.Fields(must(t, "rpm", "-qpl", "--nosignature", one(t, dist(t)+"/*.x86_64.rpm")))
	}
	links := regexp.MustCompile(`\]\(([^):#]+)[)#]`).FindAllStringSubmatch(readFile(t, filepath.Join(dir, "README.md")), -1)
	assert.Greater(t, len(links), 20)
	for _, link := range append(links, []string{"", "deploy/memaudit.yaml"}, []string{"", "deploy/ansible/galaxy.yml"}, []string{"", "deploy/grafana/memaudit-fleet.json"}) {
		assert.FileExists(t, filepath.Join(dir, link[1]))
		assert.True(t, listed == nil || slices.Contains(listed, "/usr/share/doc/memaudit/"+link[1]), link[1])
	}
}

// TestBillOfMaterials checks that it names the packed program by its checksum, and every module whose licence is
// packed.
func TestBillOfMaterials(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		dir := t.TempDir()
		must(t, "tar", "-xzf", one(t, dist(t)+"/*-linux-"+arch+".tar.gz"), "-C", dir, "--strip-components=1")
		var bill struct {
			Metadata struct {
				Component  struct{ Version string }
				Properties []struct{ Name, Value string }
			}
			Components []struct{ Name, Version string }
		}
		require.NoError(t, json.Unmarshal([]byte(readFile(t, one(t, dist(t)+"/*-linux-"+arch+".cdx.json"))), &bill))
		sum := sha256.Sum256([]byte(readFile(t, filepath.Join(dir, "memaudit"))))
		assert.Equal(t, "v1.2.3", bill.Metadata.Component.Version)
		assert.Contains(t, bill.Metadata.Properties, struct{ Name, Value string }{"cdx:gomod:binary:hash:SHA-256", hex.EncodeToString(sum[:])})
		licences := readFile(t, filepath.Join(dir, "licences", "THIRD-PARTY"))
		assert.Greater(t, len(bill.Components), 20)
		for _, c := range bill.Components {
			assert.Contains(t, licences, "==== "+c.Name+" "+c.Version+" ====", arch)
		}
	}
}

// TestPages checks that man has no complaint about any page, and that each shell reads its completion.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	must(t, "tar", "-xzf", one(t, dist(t)+"/*-linux-amd64.tar.gz"), "-C", dir, "--strip-components=1")
	pages, err := filepath.Glob(filepath.Join(dir, "man", "*.8.gz"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 5)
	page := must(t, "gzip", "-dc", filepath.Join(dir, "man", "memaudit.8.gz"))
	assert.Contains(t, page, `.TH "MEMAUDIT" "8" "Sep 2026" "memaudit 1.2.3"`, "the month of the commit")
	for _, page := range pages {
		if _, err := exec.LookPath("man"); err != nil {
			t.Log("man is not installed: the pages are not formatted")
			break
		}
		cmd := exec.Command("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page)
		cmd.Env = append(os.Environ(), "MANROFFSEQ=", "LC_ALL=C.UTF-8", "MANWIDTH=80")
		var complaints strings.Builder
		cmd.Stderr = &complaints
		require.NoError(t, cmd.Run(), complaints.String())
		assert.Empty(t, complaints.String(), page)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not installed: its completion is not read", shell)
			continue
		}
		must(t, shell, "-n", filepath.Join(dir, "completions", "memaudit."+shell))
	}
}

// TestDebianIsPackedByXZ checks that the package is as small as xz makes its files.
func TestDebianIsPackedByXZ(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg is not installed")
	}
	name := one(t, dist(t)+"/*_arm64.deb")
	plain := filepath.Join(t.TempDir(), "data.tar")
	must(t, "bash", "-c", "dpkg-deb --fsys-tarfile "+name+" >"+plain)
	must(t, "xz", "-9e", plain)
	packed, err := os.Stat(plain + ".xz")
	require.NoError(t, err)
	deb, err := os.Stat(name)
	require.NoError(t, err)
	const control = 4096 // the rest of the package, at most
	assert.LessOrEqual(t, deb.Size(), packed.Size()+control)
	assert.Equal(t, "debian-binary control.tar.gz data.tar.xz", strings.Join(members(t, name), " "))
}

// members returns the names in an ar archive, and checks its format: each begins at an even offset.
func members(t *testing.T, name string) []string {
	t.Helper()
	data := readFile(t, name)
	require.True(t, strings.HasPrefix(data, "!<arch>\n"))
	var names []string
	for at := 8; at < len(data); {
		header := data[at : at+60]
		require.Equal(t, "`\n", header[58:])
		size, err := strconv.Atoi(strings.TrimSpace(header[48:58]))
		require.NoError(t, err)
		names = append(names, strings.TrimSuffix(strings.TrimSpace(header[:16]), "/"))
		at += 60 + size + size%2
	}
	return names
}

// TestRPM checks the package with rpm itself.
func TestRPM(t *testing.T) {
	if _, err := exec.LookPath("rpm"); err != nil {
		require.Empty(t, os.Getenv("CI"), ".ci/run installs rpm")
		t.Skip("rpm is not installed")
	}
	for arch, name := range map[string]string{"x86_64": one(t, dist(t)+"/*.x86_64.rpm"), "aarch64": one(t, dist(t)+"/*.aarch64.rpm")} {
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
	first := one(t, dist(t)+"/*_amd64.deb")
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
