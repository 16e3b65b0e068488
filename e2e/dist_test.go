//go:build e2e && nightly

package e2e

import (
	"archive/zip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The maximum sizes in bytes. They detect a library that is linked by mistake; a megabyte more is no reason for less
// clear code.
const (
	maxBinary  = 36_000_000
	maxPackage = 14_000_000
	maxDebian  = 10_000_000
)

// TestDistReproducible checks that another folder, time zone, language and umask give the same bytes.
func TestDistReproducible(t *testing.T) {
	first := readFile(t, filepath.Join(dist(t, "amd64 arm64"), "SHA256SUMS"))
	assert.Len(t, strings.Fields(first), 20, "deb, rpm, tar.gz, the page and bill of materials for two architectures")
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
			archive := one(t, dist(t, "amd64 arm64")+"/memaudit-[0-9]*-linux-"+arch+".tar.gz")
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
	checkRPM(t, one(t, dist(t, "amd64 arm64")+"/*.aarch64.rpm"), "aarch64")
	packages, err := filepath.Glob(dist(t, "amd64 arm64") + "/memaudit*")
	require.NoError(t, err)
	for _, name := range packages {
		if strings.HasSuffix(name, ".deb") {
			checkSize(t, name, maxDebian)
			continue
		}
		checkSize(t, name, maxPackage)
	}
}

// checkSize fails when a file is larger than most bytes.
func checkSize(t *testing.T, name string, most int64) {
	t.Helper()
	st, err := os.Stat(name)
	require.NoError(t, err)
	t.Logf("%s: %d bytes", filepath.Base(name), st.Size())
	assert.LessOrEqual(t, st.Size(), most, name)
}

// TestBillOfMaterials checks that it names the packed program by its checksum, and every module whose licence is
// packed.
func TestBillOfMaterials(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		dir := t.TempDir()
		must(t, "tar", "-xzf", one(t, dist(t, "amd64 arm64")+"/memaudit-[0-9]*-linux-"+arch+".tar.gz"), "-C", dir, "--strip-components=1")
		var bill struct {
			Metadata struct {
				Component  struct{ Version string }
				Properties []struct{ Name, Value string }
			}
			Components []struct{ Name, Version string }
		}
		require.NoError(t, json.Unmarshal([]byte(readFile(t, one(t, dist(t, "amd64 arm64")+"/memaudit-[0-9]*-linux-"+arch+".cdx.json"))), &bill))
		sum := sha256.Sum256([]byte(readFile(t, filepath.Join(dir, "memaudit"))))
		assert.Equal(t, "v1.2.3", bill.Metadata.Component.Version)
		assert.Contains(t, bill.Metadata.Properties, struct{ Name, Value string }{"cdx:gomod:binary:hash:SHA-256", hex.EncodeToString(sum[:])})
		licences := readFile(t, filepath.Join(dir, "licences", "THIRD-PARTY"))
		assert.Greater(t, len(bill.Components), 20)
		for _, c := range bill.Components {
			assert.Contains(t, licences, "==== "+c.Name+" "+c.Version+": ", arch)
		}
	}
}

// TestPages checks that man has no complaint about any page, and that each shell reads its completion.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	must(t, "tar", "-xzf", one(t, dist(t, "amd64 arm64")+"/memaudit-[0-9]*-linux-amd64.tar.gz"), "-C", dir, "--strip-components=1")
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

const modulePath = "github.com/acme-hpc/memcheck"

// TestHome gives a copy of the checkout another address, checks that nothing of the old one is left, and that
// go install MODULE@VERSION works, from a module proxy with the copy as v1.2.3; other modules come from the local
// module cache. The go command refuses this for a go.mod with replace or exclude.
func TestHome(t *testing.T) {
	proxy, bin, dir := t.TempDir(), t.TempDir(), t.TempDir()
	must(t, "bash", "-c", "cd "+root+" && git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - | tar -xf - -C "+dir)
	must(t, "git", "init", "-q", dir)
	must(t, "git", "-C", dir, "add", "--all")
	home := func(contact string) error {
		return exec.Command("make", "-C", dir, "home", "HOME_REPO="+modulePath, "SECURITY_CONTACT="+contact).Run()
	}
	require.Error(t, home(""), "whoever publishes it names who gets reports of vulnerabilities")
	require.Error(t, home("security@memaudit.example"), "the placeholder is not a mailbox")
	require.NoError(t, home("psirt@acme.example.org"))
	before := strings.TrimSpace(must(t, "go", "list", "-m"))
	for _, old := range []string{before, "security@memaudit.example", "<!-- home", "#home "} {
		found, _ := exec.Command("git", "-C", dir, "grep", "-IFn", "-e", old, "--", ":!scripts/home", ":!e2e/dist_test.go").Output()
		assert.Empty(t, string(found))
	}
	assert.Contains(t, readFile(t, filepath.Join(dir, "README.md")), "go install "+modulePath+"/cmd/memaudit@latest\n")
	security := readFile(t, filepath.Join(dir, "SECURITY.md"))
	assert.Contains(t, security, "psirt@acme.example.org")
	assert.Contains(t, security, "gh attestation verify FILE --repo acme-hpc/memcheck\n", "gh refuses a host before OWNER/NAME")
	writeModule(t, dir, proxy, "v1.2.3")
	cache := strings.TrimSpace(must(t, "go", "env", "GOMODCACHE"))
	goCommand := func(args ...string) {
		cmd := exec.Command("go", args...)
		cmd.Dir = t.TempDir()
		// The flag -trimpath shares the build cache with make build.
		cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=-mod=mod -trimpath -modcacherw", "CGO_ENABLED=0", "GONOSUMDB=*", "GONOSUMCHECK=1", "GOSUMDB=off",
			"GOMODCACHE="+filepath.Join(proxy, "cache"), "GOPROXY=file://"+proxy+",file://"+cache+"/cache/download")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	goCommand("install", modulePath+"/cmd/memaudit@v1.2.3")
	program := filepath.Join(bin, "memaudit")
	assert.Contains(t, must(t, program, "version"), "memaudit v1.2.3 (revision unknown")
	status, report, _ := run(t, nil, "check", "--root", treeOf(t, machine), "--format", "json", "--fail-on", "never")
	require.Zero(t, status)
	installed := must(t, program, "check", "--root", treeOf(t, machine), "--format", "json", "--fail-on", "never")
	assert.Equal(t, results(t, report), results(t, installed))
}

// writeModule writes the files of the checkout at source, without the modules nested in it,
// as a version of the module in a GOPROXY folder.
func writeModule(t *testing.T, source, proxy, version string) {
	t.Helper()
	dir := filepath.Join(proxy, modulePath, "@v")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	goMod := readFile(t, filepath.Join(source, "go.mod"))
	info := fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version)
	for name, text := range map[string]string{"list": version + "\n", version + ".mod": goMod, version + ".info": info} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	archive, err := os.Create(filepath.Join(dir, version+".zip"))
	require.NoError(t, err)
	w := zip.NewWriter(archive)
	for name := range strings.SplitSeq(must(t, "git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		data, err := os.ReadFile(filepath.Join(source, name))
		if name == "" || os.IsNotExist(err) || strings.HasPrefix(name, "e2e/differential/") {
			continue
		}
		require.NoError(t, err)
		file, err := w.Create(modulePath + "@" + version + "/" + name)
		require.NoError(t, err)
		_, err = file.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, archive.Close())
}
