//go:build e2e && nightly

package e2e

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// buildah returns an unprivileged builder: tests that run as root use the user nobody.
type buildah struct {
	dir string
	who *syscall.Credential
}

func newBuildah(t *testing.T) *buildah {
	t.Helper()
	if _, err := exec.LookPath("buildah"); err != nil {
		require.Empty(t, os.Getenv("CI"), ".ci/run installs buildah")
		t.Skip("buildah is not installed")
	}
	dir, err := os.MkdirTemp("/tmp", "memaudit-image-") // not below a folder of root's
	require.NoError(t, err)
	t.Cleanup(func() { _ = exec.Command("rm", "-rf", dir).Run() })
	b := &buildah{dir: dir}
	if os.Getuid() == 0 {
		b.who = &syscall.Credential{Uid: 65534, Gid: 65534}
		require.NoError(t, os.Chown(dir, 65534, 65534))
	}
	return b
}

func (b *buildah) run(t *testing.T, context string, args ...string) {
	t.Helper()
	cmd := exec.Command("buildah", args...)
	cmd.Dir = context
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "XDG_RUNTIME_DIR="+b.dir, "BUILDAH_ISOLATION=chroot", "STORAGE_DRIVER=vfs")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: b.who}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestContainer builds the image without root, lists its content, and runs the program with nothing else around it.
func TestContainer(t *testing.T) {
	b := newBuildah(t)
	// The context must be readable by others, whatever the checkout's modes are.
	context := filepath.Join(b.dir, "context")
	require.NoError(t, os.MkdirAll(context, 0o755))
	for from, to := range map[string]string{binary(t): "memaudit", filepath.Join(root, "deploy/container/Containerfile"): "Containerfile"} {
		data, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(context, to), data, 0o755))
	}
	b.run(t, context, "build", "-f", "Containerfile", "-t", "memaudit", ".")
	b.run(t, context, "push", "memaudit", "oci:"+filepath.Join(b.dir, "oci")+":latest")

	var index struct{ Manifests []struct{ Digest string } }
	blob := func(digest string) string {
		return filepath.Join(b.dir, "oci", "blobs", strings.ReplaceAll(digest, ":", "/"))
	}
	readJSON(t, filepath.Join(b.dir, "oci", "index.json"), &index)
	require.Len(t, index.Manifests, 1)
	var image struct {
		Config struct{ Digest string }
		Layers []struct{ Digest string }
	}
	readJSON(t, blob(index.Manifests[0].Digest), &image)
	var config struct {
		Config struct {
			User       string
			Entrypoint []string
		}
	}
	readJSON(t, blob(image.Config.Digest), &config)
	assert.Equal(t, "65534:65534", config.Config.User)
	assert.Equal(t, []string{"/memaudit"}, config.Config.Entrypoint)

	jail := filepath.Join(b.dir, "jail")
	names := []string{}
	for _, l := range image.Layers {
		names = append(names, unpack(t, blob(l.Digest), jail)...)
	}
	require.Equal(t, []string{"memaudit"}, names, "the program and nothing else")
	if os.Getuid() != 0 {
		t.Log("only root may run the program with nothing around it")
		return
	}
	require.NoError(t, os.CopyFS(filepath.Join(jail, "host"), os.DirFS(treeOf(t, machine))))
	cmd := exec.Command("/memaudit", "check", "--root", "/host", "--format", "json")
	cmd.Dir, cmd.Env = "/", nil
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: jail, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, _ := cmd.Output()
	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
	assert.Equal(t, "fail", results(t, string(out))["memory.channel.populated socket 1"])
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into), name)
}

// unpack writes a layer's files below a folder and lists them.
func unpack(t *testing.T, layer, dir string) []string {
	t.Helper()
	file, err := os.Open(layer)
	require.NoError(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	var names []string
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(h.Name)), data, h.FileInfo().Mode()))
		names = append(names, h.Name)
	}
}
