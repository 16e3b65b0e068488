//go:build e2e && nightly

package e2e

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		found, _ := exec.Command("git", "-C", dir, "grep", "-IFn", "-e", old, "--", ":!scripts/home", ":!e2e/install_test.go").Output()
		assert.Empty(t, string(found))
	}
	assert.Contains(t, readFile(t, filepath.Join(dir, "README.md")), "go install "+modulePath+"/cmd/memaudit@latest\n")
	assert.Contains(t, readFile(t, filepath.Join(dir, "SECURITY.md")), "psirt@acme.example.org")
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
