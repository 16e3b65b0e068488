package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
)

// TestRunningKernel checks that only a mounted sysfs counts as the running kernel's.
func TestRunningKernel(t *testing.T) {
	dir := t.TempDir()
	assert.False(t, RunningKernel(dir))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sys"), 0o755))
	assert.False(t, RunningKernel(dir), "an unpacked tree")
	root, err := OpenDir(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	assert.Empty(t, root.KernelFolder())
	assert.Equal(t, haveOpenat2(root.b.(*dirBackend).fd), root.b.(*dirBackend).openat2)
	assert.False(t, haveOpenat2(-1))
	var st unix.Statfs_t
	if unix.Statfs("/sys", &st) == nil && int64(st.Type) == unix.SYSFS_MAGIC {
		assert.True(t, RunningKernel("/"))
		mounted, err := OpenDir("/")
		require.NoError(t, err)
		defer func() { _ = mounted.Close() }()
		assert.Equal(t, "/", mounted.KernelFolder())
	}
}

// TestRunningTrees checks that the registers are this machine's only if both trees are the running kernel's.
func TestRunningTrees(t *testing.T) {
	for _, c := range []struct{ live, sys, proc, want bool }{{true, false, false, true}, {false, true, true, true}, {false, true, false, false}, {false, false, true, false}, {}} {
		assert.Equal(t, c.want, (&dirBackend{live: c.live, safe: [2]bool{c.sys, c.proc}}).running(), c)
	}
}

// TestFolderWithBadNotes checks that an unreadable manifest is not the same as an empty one.
func TestFolderWithBadNotes(t *testing.T) {
	dir := hosttest.Files{"sys/devices/system/cpu/online": "0\n", notesName: "funny\n"}.Write(t)
	_, err := OpenDir(dir)
	assert.Equal(t, fact.Malformed, StateOf(err))
}

// TestFilesOfAFolder checks that only regular files are opened, whether the tree is complete or not.
func TestFilesOfAFolder(t *testing.T) {
	dir := hosttest.Files{"sys/a/file": "x", "sys/a/link": hosttest.LinkTo + "file", "proc/file": "x"}.Write(t)
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "sys/a/fifo"), 0o644))
	for _, complete := range []bool{false, true} {
		root, err := OpenDir(dir)
		require.NoError(t, err)
		root.b.(*dirBackend).safe = [2]bool{complete, complete}
		for path, want := range map[string]fact.State{"/sys/a/file": fact.OK, "/sys/a/link": fact.OK, "/sys/a/fifo": fact.Refused, "/sys/a": fact.Refused, "/proc/file": fact.OK} {
			_, err := root.ReadFile(path)
			assert.Equal(t, want, StateOf(err), "%s: %v", path, err)
		}
		kind, err := root.Stat("/sys/a")
		require.NoError(t, err)
		assert.Equal(t, KindDir, kind)
		_, err = root.Stat("/sys/a/none")
		assert.Equal(t, fact.Absent, StateOf(err))
		missing := map[bool]fact.State{false: fact.Unread, true: fact.Absent}[complete]
		for range 2 { // the second time the folder is known to be missing
			for _, path := range []string{"/sys/none/x", "/sys/none/y/z", "/proc/none"} {
				_, err = root.ReadFile(path)
				assert.Equal(t, missing, StateOf(err), path)
			}
		}
		_, err = root.ReadFile("/sys/a/file/x")
		assert.Equal(t, fact.Refused, StateOf(err), "%v", err)
		require.NoError(t, root.Close())
	}
	parent, name := splitPath("sys")
	assert.Equal(t, []string{".", "sys"}, []string{parent, name})
	parent, name = splitPath("sys/a/b")
	assert.Equal(t, []string{"sys/a", "b"}, []string{parent, name})
}

// TestWithheldFiles checks that a file removed by redaction has no other note.
func TestWithheldFiles(t *testing.T) {
	rec := NoRecording()
	const path = "/sys/devices/virtual/dmi/id/product_serial"
	rec.left[path] = true
	for _, op := range operations {
		rec.results[query{op, path}] = queryResult{state: fact.Truncated, reason: "longer than the bound"}
	}
	var got []string
	for _, line := range strings.Split(string(rec.notes()), "\n") {
		if strings.Contains(line, path) {
			got = append(got, strings.ReplaceAll(line, path, "P"))
		}
	}
	assert.Equal(t, []string{"denied\tP\tread\twithheld by redaction", "denied\tP\thead\twithheld by redaction",
		"truncated\tP\tlist\tlonger than the bound", "truncated\tP\treadlink\tlonger than the bound", "truncated\tP\tstat\tlonger than the bound"}, got)
}

// TestFolderWithOtherQueries checks that a complete listing of a folder does not make other answers complete.
func TestFolderWithOtherQueries(t *testing.T) {
	rec := NoRecording()
	rec.complete["/sys/a"] = true
	rec.results[query{"list", "/sys/a"}] = queryResult{state: fact.OK, names: []string{"b"}}
	rec.results[query{"stat", "/sys/a"}] = queryResult{state: fact.OK, kind: KindDir}
	assert.Equal(t, notesHeader+"\nnames\t/sys/a\tb\nkind\t/sys/a\tdir\n", string(rec.notes()))
}

// TestWanted checks that only devices that a link from a listed folder leads to are kept.
func TestWanted(t *testing.T) {
	for path, want := range map[string]bool{
		"sys/devices/pci0000:00/0000:00:1f.6/net/eno1/address":   false,
		"sys/devices/platform/hmem.0/dax0.0/target_node":         true,
		"sys/devices/platform/ACPI0017:00/root0/decoder0.0/size": true,
		"sys/devices/pci0000:00/edac/mc0":                        true,
		"sys/devices/pci0000:00/mc/mc0/size_mb":                  true,
		"sys/class/dax0.0/target_node":                           false,
		"sys/devices":                                            true,
		"proc/cpuinfo":                                           true,
		"proc/1/environ":                                         false,
	} {
		assert.Equal(t, want, wanted(path), path)
	}
}

// TestBoundsOfListings checks the limit of each listing, and one more.
func TestBoundsOfListings(t *testing.T) {
	read := func(folder, file string, n int) *reader {
		f := hosttest.Files{}
		for i := range n {
			f[fmt.Sprintf(folder, i)+file] = "x\n"
		}
		return newReader(Capture(f).Root(), "memory")
	}
	const mc = "sys/devices/system/edac/mc/"
	assert.Len(t, read(mc+"mc%d", "/mc_name", maxControllers).controllers().Value, maxControllers)
	assert.Equal(t, fact.Malformed, read(mc+"mc%d", "/mc_name", maxControllers+1).controllers().State)
	assert.Len(t, read(mc+"mc0/dimm%d", "/size", maxDIMMs).edacEntries("/"+mc+"mc0").Value, maxDIMMs)
	assert.Equal(t, fact.Malformed, read(mc+"mc0/dimm%d", "/size", maxDIMMs+1).edacEntries("/"+mc+"mc0").State)
	const class = "sys/class/firmware-attributes/"
	assert.Len(t, read(class+"driver%d", "/attributes/A/type", maxFirmwareDrivers).firmwareDrivers().Value, maxFirmwareDrivers)
	assert.Equal(t, fact.Malformed, read(class+"driver%d", "/attributes/A/type", maxFirmwareDrivers+1).firmwareDrivers().State)
	assert.Len(t, read(class+"d/attributes/A%d", "/type", maxFirmwareAttributes).firmwareAttributes("/"+class+"d/attributes").Value, maxFirmwareAttributes)
	assert.Equal(t, fact.Malformed, read(class+"d/attributes/A%d", "/type", maxFirmwareAttributes+1).firmwareAttributes("/"+class+"d/attributes").State)
	assert.Equal(t, "parse /sys/firmware/memmap: malformed: 4097 entries", read("sys/firmware/memmap/%d", "/type", maxMapped+1).memmap().Reason)
	assert.Contains(t, read("sys/firmware/memmap/%d", "/type", maxMapped).memmap().Reason, "unknown type of memory")
	assert.Equal(t, "parse /sys/firmware/memmap: malformed: 0 entries", newReader(Capture(hosttest.Files{"sys/firmware/memmap/": ""}).Root(), "memory").memmap().Reason)
	assert.Contains(t, read("sys/firmware/dmi/entries/1-%d", "/position", 1).dmiEntries().Reason, "raw")
	assert.Len(t, read("sys/firmware/dmi/entries/1-%d", "/raw", maxEntries).dmiEntries().Value, maxEntries)
	assert.Equal(t, fact.Malformed, read("sys/firmware/dmi/entries/1-%d", "/raw", maxEntries+1).dmiEntries().State)
	node, ok := gpuNode("Node: 1023\nStatus: online\n")
	assert.True(t, ok)
	assert.Equal(t, 1023, node)
	_, ok = gpuNode("Node: 1024\nStatus: online\n")
	assert.False(t, ok)
}

// TestFailuresOfAPartition checks that reads of a partition stop after four failures, unless there is a group.
func TestFailuresOfAPartition(t *testing.T) {
	attrs := []attribute{{"/topology/list", "/topology/mask"}}
	ask := func(f hosttest.Files) (asked map[string]bool, g grouping) {
		root := Capture(f).Root()
		asked = map[string]bool{}
		root.Observe(func(a Access) { asked[a.Path[len(cpuPrefix):len(cpuPrefix)+1]] = true })
		return asked, newReader(root, "cpu").partition([]int{0, 1, 2, 3, 4, 5}, attrs)
	}
	bad := hosttest.Files{}
	for cpu := range 6 {
		bad[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/list", cpu)] = "x\n"
	}
	asked, g := ask(bad)
	assert.Len(t, asked, maxFailures)
	assert.Equal(t, fact.Malformed, g.failed.State)
	asked, g = ask(bad.With(hosttest.Files{"sys/devices/system/cpu/cpu1/topology/list": "1\n"}))
	assert.Len(t, asked, 6)
	assert.Equal(t, [][]int{{1}}, g.groups)
	assert.Empty(t, newGrouping(nil).of)
}
