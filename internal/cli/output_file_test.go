package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/report"
)

// nobody is a user other than the one who runs the tests.
const nobody = 65534

func writeText(name string, mode fs.FileMode) error {
	return writeAtomic(name, mode, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err })
}

// sticky is a folder writable by everyone, as /tmp.
func sticky(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sticky")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.Chmod(dir, 0o777|fs.ModeSticky))
	return dir
}

func permissions(t *testing.T, name string) fs.FileMode {
	t.Helper()
	st, err := os.Lstat(name)
	require.NoError(t, err)
	return st.Mode()
}

// soon fails a call that waits.
func soon(t *testing.T, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		require.FailNow(t, "waits for ever")
		return nil
	}
}

// TestOutputLinks checks that a link is replaced and its target unchanged, whoever made it, and that links in the folders
// of a path are followed.
func TestOutputLinks(t *testing.T) {
	victim, dir := filepath.Join(t.TempDir(), "victim"), sticky(t)
	require.NoError(t, os.WriteFile(victim, []byte("secret"), 0o600))
	for name, to := range map[string]string{"report": victim, "dangling": filepath.Join(dir, "nothing")} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
		require.NoError(t, writeText(filepath.Join(dir, name), 0o644))
		assert.True(t, permissions(t, filepath.Join(dir, name)).IsRegular(), name)
	}
	assert.Equal(t, "secret", string(contentOf(t, victim)))
	require.NoError(t, os.Symlink(dir, filepath.Join(filepath.Dir(victim), "folder")))
	require.NoError(t, writeText(filepath.Join(filepath.Dir(victim), "folder", "below"), 0o644))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 3)
	require.ErrorContains(t, writeText(filepath.Join(victim, "more"), 0o644), "not a directory")
	require.ErrorContains(t, writeText(filepath.Join(dir, "none/file"), 0o644), "no such file")
	require.ErrorContains(t, writeText("/", 0o644), "is a folder")
	require.ErrorIs(t, writeText("/dev/full", 0o644), unix.ENOSPC)
}

// TestOutputPlantedPipe checks that a pipe without a reader does not block, and that another user's in a
// world-writable folder is not written to.
func TestOutputPlantedPipe(t *testing.T) {
	dir := sticky(t)
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o666))
	require.ErrorContains(t, soon(t, func() error { return writeText(pipe, 0o644) }), "no process reads this pipe")
	if os.Geteuid() != 0 {
		return
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { _ = reader.Close() }()
	require.NoError(t, writeText(pipe, 0o644), "our own")
	got := make([]byte, 16)
	n, err := reader.Read(got)
	require.NoError(t, err)
	assert.Equal(t, "text", string(got[:n]), "written to, not replaced")
	require.NoError(t, os.Lchown(pipe, nobody, nobody))
	require.ErrorContains(t, soon(t, func() error { return writeText(pipe, 0o644) }), "named pipe that another user made")
}

// TestOutputRights checks that the umask is respected, and that an existing file's permissions are never widened.
func TestOutputRights(t *testing.T) {
	for _, c := range []struct {
		umask     int
		old, mode fs.FileMode // old is 0 for no file
		want      fs.FileMode
	}{
		{0o022, 0, 0o644, 0o644}, {0o077, 0, 0o644, 0o600}, {0o027, 0, 0o644, 0o640}, {0, 0, 0o644, 0o644}, {0o022, 0, 0o600, 0o600},
		{0o022, 0o600, 0o644, 0o600}, {0o022, 0o640, 0o644, 0o640}, {0o022, 0o644, 0o600, 0o600}, {0o077, 0o644, 0o644, 0o644},
	} {
		name := filepath.Join(t.TempDir(), "file")
		if c.old != 0 {
			require.NoError(t, os.WriteFile(name, nil, 0o600))
			require.NoError(t, os.Chmod(name, c.old))
		}
		before := unix.Umask(c.umask)
		err := writeText(name, c.mode)
		unix.Umask(before)
		require.NoError(t, err)
		assert.Equal(t, c.want, permissions(t, name), "%+v", c)
	}
}

// TestOutputIdentifiers checks that a file with serial numbers is readable by its owner only, whatever command writes
// it.
func TestOutputIdentifiers(t *testing.T) {
	root := tree(t, "dell-r610-good")
	before := unix.Umask(0o022)
	defer unix.Umask(before)
	for _, command := range [][]string{{"check", "--format", "json"}, {"inventory", "--format", "json"}, {"labels"}, {"profiles", "compare"}} {
		for flag, want := range map[string]fs.FileMode{"--identifiers": 0o600, "--identifiers=false": 0o644} {
			name := filepath.Join(t.TempDir(), "out")
			var stderr bytes.Buffer
			p := New("test", "")
			p.Stdout, p.Stderr = io.Discard, &stderr
			p.Main(append(command, "--root", root, "--output", name, flag))
			assert.Equal(t, want, permissions(t, name), "%v %s: %s", command, flag, stderr.String())
		}
	}
}

// failing is a stream that refuses all writes.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestLostOutput checks that a command whose results could not be written fails, unless the reader closed the pipe.
func TestLostOutput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"version"}, {"man"}, {"rules", "list", "--format", "json"}, {"profiles", "show", "max-performance"},
		{"inventory", "--root", tree(t, "dell-r610-good")}, {"check", "--root", tree(t, "dell-r610-good")},
	} {
		for err, want := range map[error]int{unix.ENOSPC: report.ExitNotAudited, unix.EPIPE: report.ExitOK} {
			p, _, stderr := newProgram(nil)
			p.Stdout = failing{err}
			assert.Equal(t, want, p.Main(args), "%v: %v: %s", args, err, stderr.String())
			assert.Equal(t, errors.Is(err, unix.ENOSPC), bytes.Contains(stderr.Bytes(), []byte("standard output: no space left")), "%v: %s", args, stderr.String())
		}
	}
}

// siteFiles are a configuration and a folder with a rule pack, each in its own folder.
func siteFiles(t *testing.T) (conf, rules string) {
	t.Helper()
	conf, rules = filepath.Join(t.TempDir(), "memaudit.yaml"), filepath.Join(t.TempDir(), "rules")
	require.NoError(t, os.WriteFile(conf, []byte("interval: 1m\n"), 0o600))
	require.NoError(t, os.Mkdir(rules, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "site.yaml"), nil, 0o600))
	return conf, rules
}

// TestOthersCanChange checks that a configuration or rules that other users can change are an error for root, and a
// warning for another user.
func TestOthersCanChange(t *testing.T) {
	checked := func(t *testing.T, conf, rules, says string) {
		t.Helper()
		status, _, errs := run(nil, "check", "--root", emptyTree(t), "--config", conf, "--rules", rules)
		switch {
		case says == "":
			assert.NotEqual(t, 2, status, errs)
			assert.NotContains(t, errs, "write to it")
		case os.Geteuid() == 0:
			assert.Equal(t, 2, status)
			assert.Contains(t, errs, says)
		default:
			assert.NotEqual(t, 2, status, errs)
			assert.Contains(t, errs, "memaudit: warning: ")
			assert.Contains(t, errs, says)
		}
	}
	for name, c := range map[string]struct {
		change func(conf, rules string) error
		says   string
	}{
		"as it should be":       {func(_, _ string) error { return nil }, ""},
		"configuration":         {func(conf, _ string) error { return os.Chmod(conf, 0o666) }, "memaudit.yaml: all users can write to it (mode 0666)"},
		"its folder":            {func(conf, _ string) error { return os.Chmod(filepath.Dir(conf), 0o777) }, "its folder "},
		"its folder, sticky":    {func(conf, _ string) error { return os.Chmod(filepath.Dir(conf), 0o777|os.ModeSticky) }, ""},
		"own group":             {func(conf, _ string) error { return os.Chmod(conf, 0o660) }, ""},
		"folder of rules":       {func(_, rules string) error { return os.Chmod(rules, 0o777) }, "rules: all users can write to it (mode 0777)"},
		"a file of rules":       {func(_, rules string) error { return os.Chmod(filepath.Join(rules, "site.yaml"), 0o602) }, "site.yaml: all users can write to it (mode 0602)"},
		"a folder above either": {func(conf, _ string) error { return os.Chmod(filepath.Dir(filepath.Dir(conf)), 0o755) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			conf, rules := siteFiles(t)
			require.NoError(t, c.change(conf, rules))
			checked(t, conf, rules, c.says)
		})
	}
}

// TestOtherOwner checks that files of another user, or writable by another group, are refused, unless that user ran
// sudo. Credentials are refused in any case.
func TestOtherOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	conf, rules := siteFiles(t)
	check := func() (int, string) {
		status, _, errs := run(nil, "check", "--root", emptyTree(t), "--config", conf, "--rules", rules)
		return status, errs
	}
	require.NoError(t, os.Chown(conf, 1234, 1234))
	status, errs := check()
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "belongs to user 1234")
	_, _, err := readCredentials(conf)
	require.ErrorContains(t, err, "belongs to user 1234, expected root or the user who runs memaudit")

	require.NoError(t, os.Chown(conf, 0, 1234))
	require.NoError(t, os.Chmod(conf, 0o660))
	status, errs = check()
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "group 1234 can write to it (mode 0660)")

	require.NoError(t, os.Chown(conf, 1234, 1234))
	t.Setenv("SUDO_UID", "1234")
	t.Setenv("SUDO_GID", "1234")
	status, errs = check()
	assert.NotEqual(t, 2, status, errs)
}

// TestReadOnlyCannotBeChanged checks that files on a read-only mount are accepted, whatever their mode.
func TestReadOnlyCannotBeChanged(t *testing.T) {
	conf, _ := siteFiles(t)
	folder := filepath.Dir(conf)
	require.NoError(t, os.Chmod(conf, 0o666))
	require.NotEmpty(t, othersCanChange(conf))
	if err := unix.Mount(folder, folder, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("mounting is not allowed here: %v", err)
	}
	defer func() { require.NoError(t, unix.Unmount(folder, unix.MNT_DETACH)) }()
	require.NoError(t, unix.Mount("", folder, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	assert.Empty(t, othersCanChange(conf))
}

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
