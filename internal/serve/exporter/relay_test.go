package exporter

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// told is a socket that returns messages, one per read, and then an error.
type told struct {
	messages []string
	lost     bool
	ends     error
}

func (s *told) Read(b []byte) (int, error) {
	if len(s.messages) > 0 {
		n := copy(b, s.messages[0])
		s.messages = s.messages[1:]
		return n, nil
	}
	if s.lost {
		s.lost = false
		return 0, &fs.PathError{Op: "read", Path: "kernel events", Err: unix.ENOBUFS}
	}
	return 0, s.ends
}

// TestRelayMessages checks that a message about a processor is an event and one about a network is not, and that lost
// messages are one (netlink(7): ENOBUFS). A socket that can no longer be read is reported, unless the daemon ends.
func TestRelayMessages(t *testing.T) {
	for _, ends := range []bool{false, true} {
		var out bytes.Buffer
		ctx, stop := context.WithCancel(t.Context())
		events := make(chan auditEvent, 9)
		from := &told{messages: []string{"add@/devices/virtual/net/veth0\x00ACTION=add\x00SUBSYSTEM=net\x00",
			"online@/devices/system/cpu/cpu3\x00ACTION=online\x00DEVPATH=/devices/system/cpu/cpu3\x00SUBSYSTEM=cpu\x00"}, lost: true, ends: errors.New("closed")}
		if ends {
			from.messages, from.lost = nil, false
			stop()
		}
		relayMessages(ctx, from, events, slog.New(slog.NewTextHandler(&out, nil)))
		close(events)
		var why []string
		for e := range events {
			assert.False(t, e.reload)
			why = append(why, e.why)
		}
		if ends {
			assert.Empty(t, why)
			assert.Empty(t, out.String())
		} else {
			assert.Equal(t, []string{"cpu online: /devices/system/cpu/cpu3", "kernel events were lost"}, why)
			assert.Contains(t, out.String(), "hotplug is no longer watched")
		}
		stop()
	}
}

// TestReplacedFile checks that another file of the same size and time is a change, and that a single folder is
// watched like several.
func TestReplacedFile(t *testing.T) {
	dir := t.TempDir()
	file, beside := filepath.Join(dir, "memaudit.yaml"), filepath.Join(dir, "beside")
	for _, name := range []string{file, beside} {
		require.NoError(t, os.WriteFile(name, []byte("profile: hpc\n"), 0o600))
		require.NoError(t, os.Chtimes(name, first, first))
	}
	events := make(chan auditEvent)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	watchFiles(ctx, &watched{folders: []string{dir}, files: func() []string { return []string{file} }}, events, time.Hour, quiet)
	require.NoError(t, os.Rename(beside, file))
	select {
	case e := <-events:
		assert.Equal(t, auditEvent{"changed: " + file, true}, e)
	case <-time.After(20 * time.Second):
		assert.Fail(t, "no event")
	}
}

// TestFolderMadeAnew checks that a folder that is renamed and recreated is watched again, and so is one whose parent
// is.
func TestFolderMadeAnew(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "etc", "memaudit")
	file := filepath.Join(folder, "memaudit.yaml")
	write := func(text string) {
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write("profile: hpc\n")
	events := make(chan auditEvent)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log heard
	watchFiles(ctx, &watched{folders: []string{folder}, files: func() []string { return []string{file} }}, events, 10*time.Millisecond, slog.New(slog.NewTextHandler(&log, nil)))
	expect := func(what string) {
		t.Helper()
		select {
		case e := <-events:
			assert.Equal(t, auditEvent{"changed: " + file, true}, e, what)
		case <-time.After(20 * time.Second):
			t.Fatal("no event: " + what)
		}
	}
	for _, moved := range []string{folder, filepath.Dir(folder)} {
		require.NoError(t, os.Rename(moved, moved+".old"))
		expect("renamed")
		write("profile: balanced\n")
		expect("made anew")
		write("profile: low-latency\n")
		expect("changed in the new folder")
		require.NoError(t, os.RemoveAll(moved+".old"))
	}
	assert.Contains(t, log.String(), "folder was replaced")
}
