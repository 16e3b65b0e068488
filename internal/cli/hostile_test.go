package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// resultsOf audits the machine below a folder: result by rule and subject.
func resultsOf(t *testing.T, engine *audit.Engine, dir string) map[string]verdict.Result {
	t.Helper()
	root, err := host.OpenDir(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	sys := collect.Collect(collect.Input{Root: root})
	result, err := engine.Run(sys, population.Derive(sys, rules.FS), audit.Options{Profile: "max-performance", Asked: true, Now: time.Now()})
	require.NoError(t, err)
	out := map[string]verdict.Result{}
	for i := range result.Findings {
		f := &result.Findings[i]
		out[f.Rule+" / "+f.Subject.String()] = f.Result
		assert.NotEqual(t, verdict.Error, f.Result, "%s %s: %s", f.Rule, f.Subject, f.Reason)
	}
	return out
}

// damage ruins one path below a root; outside is a folder beyond it.
type damage struct {
	name  string
	apply func(t *testing.T, path, outside string)
}

// write replaces a path by a file.
func write(content string) func(*testing.T, string, string) {
	return func(t *testing.T, path, _ string) {
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
}

// replace removes a path and creates something else there.
func replace(make func(path, outside string) error) func(*testing.T, string, string) {
	return func(t *testing.T, path, outside string) {
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, make(path, outside))
	}
}

// damages are the damages of a kernel file.
func damages() []damage {
	garbage := make([]byte, 5000)
	for i := range garbage {
		garbage[i] = byte(i*i*7 + i>>3)
	}
	return []damage{
		{"absent", replace(func(string, string) error { return nil })},
		{"empty", write("")},
		{"blank", write("\n")},
		{"zeros", write(strings.Repeat("\x00", 64))},
		{"garbage", write(string(garbage))},
		{"huge number", write("99999999999999999999\n")},
		{"negative", write("-1\n")},
		{"huge", replace(func(path, _ string) error {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(path, 1<<30)
		})},
		{"link to itself", replace(func(path, _ string) error { return os.Symlink(filepath.Base(path), path) })},
		{"link out of the root", replace(func(path, outside string) error { return os.Symlink(filepath.Join(outside, "one"), path) })},
		{"link up and out", replace(func(path, outside string) error {
			return os.Symlink(strings.Repeat("../", 40)+strings.TrimPrefix(outside, "/")+"/one", path)
		})},
		{"FIFO", replace(func(path, _ string) error { return unix.Mkfifo(path, 0o644) })},
		{"socket", replace(socket)},
		{"folder", replace(func(path, _ string) error { return os.MkdirAll(filepath.Join(path, "one"), 0o755) })},
	}
}

// socket creates a socket at a path that may be longer than an address can be.
func socket(path, outside string) error {
	near := filepath.Join(outside, "s")
	if err := os.RemoveAll(near); err != nil {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: near, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	defer func() { _ = l.Close() }()
	return os.Rename(near, path)
}

// ruin damages a tree in one of the ways that firmware, a kernel, an administrator or an attacker can, and returns which;
// cut is true if the end of the SMBIOS table is gone.
func ruin(t *testing.T, s *machinetest.Varied, dir string, rnd *rand.Rand) (what string, cut bool) {
	t.Helper()
	var paths []string
	for path, text := range s.Tree() {
		if !strings.HasPrefix(text, hosttest.LinkTo) && !strings.HasSuffix(path, "/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	path, way, outside := paths[rnd.IntN(len(paths))], damages()[rnd.IntN(len(damages()))], t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "one"), []byte("1\n"), 0o600))
	switch rnd.IntN(5) {
	case 0:
		for _, path := range paths {
			way.apply(t, filepath.Join(dir, path), outside)
		}
		return "every file, " + way.name, false
	case 1:
		state := []string{"denied", "refused", "malformed", "unstated", "absent"}[rnd.IntN(5)]
		require.NoError(t, os.Remove(filepath.Join(dir, path)))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "memaudit-notes"), []byte("memaudit-notes 1\n"+state+"\t/"+path+"\n"), 0o600))
		return path + ", noted as " + state, false
	case 2:
		file := filepath.Join(dir, "sys/firmware/dmi/tables/DMI")
		table, err := os.ReadFile(file)
		if err != nil {
			return "no table", false
		}
		at := 1 + rnd.IntN(len(table)-7)
		if cut = rnd.IntN(2) == 0; cut {
			table = table[:at]
		} else {
			copy(table[at:], bytes.Repeat([]byte{0xFF}, 64))
		}
		require.NoError(t, os.WriteFile(file, table, 0o600))
		return fmt.Sprintf("table cut %t at %d", cut, at), cut
	default:
		way.apply(t, filepath.Join(dir, path), outside)
		return path + ", " + way.name, false
	}
}
