//go:build e2e && nightly

package e2e

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
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
	needProgram(t, "buildah")
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

// TestContainer builds the images without root, lists what is in them, and runs the programs with nothing else around
// them.
func TestContainer(t *testing.T) {
	t.Run("memaudit", func(t *testing.T) {
		jail, names := image(t, "Containerfile", map[string]string{binary(t): "memaudit"}, "/memaudit")
		require.Equal(t, []string{"memaudit"}, names, "the program and nothing else")
		require.NoError(t, os.CopyFS(filepath.Join(jail, "host"), os.DirFS(treeOf(t, machine))))
		cmd := jailed(t, jail, "/memaudit", "check", "--root", "/host", "--format", "json")
		out, _ := cmd.Output()
		assert.Equal(t, 1, cmd.ProcessState.ExitCode())
		assert.Equal(t, "fail", results(t, string(out))["memory.channel.populated socket 1"])
	})
	t.Run("memaudit-web", func(t *testing.T) {
		server := filepath.Join(t.TempDir(), "memaudit-web")
		must(t, "go", "build", "-o", server, "../cmd/memaudit-web")
		page := filepath.Join(root, "cmd/memaudit-web/page/index.html")
		// What make web compiles is TestWebPage's; here a file of its name is enough.
		jail, names := image(t, "Containerfile-web", map[string]string{server: "memaudit-web", page: "web/memaudit.wasm.gz"}, "/memaudit-web", "-page", "/web")
		require.Equal(t, []string{"memaudit-web", "web/", "web/memaudit.wasm.gz"}, names)
		cmd := jailed(t, jail, "/memaudit-web", "-page", "/web", "-listen", "127.0.0.1:0")
		said, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, _ := bufio.NewReader(said).ReadString('\n')
		assert.Contains(t, line, "memaudit-web: serving /web on ")
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	})
}

// image builds a Containerfile from files, whose names in the context are the values, checks its user and what it starts, and
// returns the folder with its content unpacked.
func image(t *testing.T, containerfile string, files map[string]string, entrypoint ...string) (jail string, names []string) {
	t.Helper()
	b := newBuildah(t)
	// The context must be readable by others, whatever the checkout's modes are.
	context := filepath.Join(b.dir, "context")
	files[filepath.Join(root, "deploy/container", containerfile)] = "Containerfile"
	for from, to := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(context, to)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(context, to), []byte(readFile(t, from)), 0o755))
	}
	b.run(t, context, "build", "-f", "Containerfile", "-t", "built", ".")
	b.run(t, context, "push", "built", "oci:"+filepath.Join(b.dir, "oci")+":latest")

	blob := func(digest string) string {
		return filepath.Join(b.dir, "oci", "blobs", strings.ReplaceAll(digest, ":", "/"))
	}
	index := decoded[struct{ Manifests []struct{ Digest string } }](t, readFile(t, filepath.Join(b.dir, "oci", "index.json")))
	require.Len(t, index.Manifests, 1)
	manifest := decoded[struct {
		Config struct{ Digest string }
		Layers []struct{ Digest string }
	}](t, readFile(t, blob(index.Manifests[0].Digest)))
	config := decoded[struct {
		Config struct {
			User       string
			Entrypoint []string
		}
	}](t, readFile(t, blob(manifest.Config.Digest)))
	assert.Equal(t, "65534:65534", config.Config.User)
	assert.Equal(t, entrypoint, config.Config.Entrypoint)
	jail = filepath.Join(b.dir, "jail")
	for _, l := range manifest.Layers {
		names = append(names, unpack(t, blob(l.Digest), jail)...)
	}
	return jail, names
}

// jailed is a program of an image with nothing else around it, as the image's user.
func jailed(t *testing.T, jail, program string, args ...string) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may run the program with nothing around it")
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = "/", nil
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: jail, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd
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
		names = append(names, h.Name)
		if h.FileInfo().IsDir() {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, h.Name), 0o755))
			continue
		}
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, h.Name), data, h.FileInfo().Mode()))
	}
}
