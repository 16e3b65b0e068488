package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
)

// TestMembersOfACapture checks that members that no audit reads are not kept, and that no name leaves the root.
func TestMembersOfACapture(t *testing.T) {
	deep := "sys/devices/system/cpu/" + strings.Repeat("a/", maxDepth-5)
	l := newLoader()
	require.NoError(t, l.load(strings.NewReader(string(hosttest.Files{"sys/class/net/eth0/address": "02:00:00:00:00:01\n", deep + "a": "1", deep + "a/b": "1"}.Tar(t, "")))))
	_, err := l.machine("").find("sys/class/net", true)
	require.ErrorIs(t, err, ErrNotCaptured, "an identifier")
	_, err = l.machine("").find(deep+"a", true)
	require.NoError(t, err)
	l = newLoader()
	require.NoError(t, l.load(strings.NewReader(string(hosttest.Files{deep + "a/b": "1"}.Tar(t, "")))))
	_, err = l.machine("").find(deep+"a/b", true)
	require.Error(t, err, "too deep")

	long := strings.Repeat("a/", maxParts/2-1)
	for name, want := range map[string]string{"./a/": "a", "a..b/c": "a..b/c", "": "", "./": "", "a/../b": "", long + "aa": long + "aa", long + "aaa": ""} {
		got, ok := memberName(name)
		assert.Equal(t, want, got)
		assert.Equal(t, want != "", ok)
	}
	for name, want := range map[string]bool{"": false, "../proc/cpuinfo": false, "m/proc/cpuinfo": true, "etc/passwd": false, notesName: true} {
		_, ok := MachineFolder(name)
		assert.Equal(t, want, ok, name)
	}
}

// TestLiveWithoutTrees checks that an empty or missing tree makes nothing absent.
func TestLiveWithoutTrees(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sys", "one"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "proc"), 0o755))
	root, err := openLive(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	assert.True(t, root.b.complete("sys/x"))
	assert.False(t, root.b.complete("proc/x"))
	assert.True(t, root.conclusive("/sys/x"))
	assert.False(t, root.conclusive("no path"))
	require.NoError(t, root.firmwareMasked(), "a missing folder is not an empty one")
	log := ReadKernelLog(root).Mirrored
	require.Error(t, log.Err)
	assert.Contains(t, log.Reason, "read /dev/kmsg", "the log was not read, so it is not empty")
	_, err = openLive(dir + "/none")
	assert.Equal(t, fact.Absent, StateOf(err))
}
