//go:build e2e

package e2e

import (
	bits "encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const nobody = 65534

// server copies a bundled machine to a folder that everybody may read and gives
// every CPU a file of registers: prefetchers off, for the owner alone to read.
func server(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "memaudit-e2e-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	tree := filepath.Join(dir, "machine")
	require.NoError(t, os.CopyFS(tree, os.DirFS(treeOf(t, "dell-r610-good"))))
	registers := make([]byte, 0x1FC+8)
	bits.LittleEndian.PutUint64(registers[0x1A4:], 0xF)
	bits.LittleEndian.PutUint64(registers[0x1FC:], 2)
	cpus, err := filepath.Glob(filepath.Join(tree, "sys/devices/system/cpu/cpu[0-9]*"))
	require.NoError(t, err)
	require.NotEmpty(t, cpus)
	for _, cpu := range cpus {
		at := filepath.Join(tree, "dev/cpu", strings.TrimPrefix(filepath.Base(cpu), "cpu"))
		require.NoError(t, os.MkdirAll(at, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(at, "msr"), registers, 0o600))
	}
	return tree
}

// seen is the result of one audit for the prefetchers and the sources.
type seen struct {
	status                int
	value, reason, result string
	sources               map[string]string
	failed                []string
}

// look audits a tree for the HPC profile, as another user
// when asked to.
func look(t *testing.T, tree string, uid uint32) seen {
	t.Helper()
	program := filepath.Join(filepath.Dir(tree), "memaudit")
	data, err := os.ReadFile(binary(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, data, 0o755))
	cmd := exec.Command(program, "check", "--root", tree, "--profile", "dell-11g/hpc", "--fail-on", "info", "--format", "json")
	cmd.Dir = "/"
	if uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	out, _ := cmd.Output()
	var doc struct {
		Findings  []struct{ Rule, Result string }
		Inventory struct {
			Sources  []struct{ Name, State string }
			Settings map[string]struct {
				Effective struct{ Value, Reason *string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(out, &doc))
	s := seen{status: cmd.ProcessState.ExitCode(), sources: map[string]string{}}
	e := doc.Inventory.Settings["dcu_stream_prefetch"].Effective
	if e.Value != nil {
		s.value = *e.Value
	}
	if e.Reason != nil {
		s.reason = *e.Reason
	}
	for _, f := range doc.Findings {
		if f.Rule == "setting.dcu_stream_prefetch" {
			s.result = f.Result
		}
		if f.Result == "fail" && strings.HasPrefix(f.Rule, "setting.") {
			s.failed = append(s.failed, f.Rule)
		}
	}
	for _, src := range doc.Inventory.Sources {
		s.sources[src.Name] = src.State
	}
	return s
}

// TestSettingsThatCannotBeRead checks that without root, without registers, in a guest and in a container each
// unknown has its own reason, and none fails.
func TestSettingsThatCannotBeRead(t *testing.T) {
	whole := server(t)
	s := look(t, whole, 0)
	assert.Equal(t, "disabled", s.value)
	assert.Equal(t, "fail", s.result)
	assert.Equal(t, "ok", s.sources["msr"])
	assert.Equal(t, 1, s.status)

	t.Run("without root", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can become another user")
		}
		s := look(t, whole, nobody)
		s.unknown(t, "permission denied")
		assert.Equal(t, "denied", s.sources["msr"])
	})
	t.Run("without registers", func(t *testing.T) {
		tree := server(t)
		require.NoError(t, os.RemoveAll(filepath.Join(tree, "dev")))
		s := look(t, tree, 0)
		s.unknown(t, "not in this capture")
		assert.Equal(t, "absent", s.sources["msr"])
	})
	t.Run("guest", func(t *testing.T) {
		tree := server(t)
		info := filepath.Join(tree, "proc/cpuinfo")
		text, err := os.ReadFile(info)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(info, []byte(strings.ReplaceAll(string(text), "flags\t\t: ", "flags\t\t: hypervisor ")), 0o644))
		s := look(t, tree, 0)
		assert.Empty(t, s.value)
		assert.Contains(t, s.reason, "hypervisor makes up")
		assert.Empty(t, s.failed)
		assert.Equal(t, "refused", s.sources["msr"])
		assert.Equal(t, 0, s.status)
	})
	t.Run("container", func(t *testing.T) {
		tree := server(t)
		require.NoError(t, os.RemoveAll(filepath.Join(tree, "sys/firmware")))
		require.NoError(t, os.RemoveAll(filepath.Join(tree, "dev")))
		require.NoError(t, os.WriteFile(filepath.Join(tree, "memaudit-notes"), []byte("memaudit-notes 1\ndenied\t/sys/firmware\nabsent\t/dev/cpu/0/msr\n"), 0o644))
		s := look(t, tree, 0)
		assert.Empty(t, s.value)
		assert.Equal(t, "denied", s.sources["smbios"])
		assert.Equal(t, "denied", s.sources["acpi"])
		assert.Equal(t, "absent", s.sources["msr"])
		assert.Contains(t, s.reason, "absent")
		assert.Empty(t, s.failed)
	})
}

func (s seen) unknown(t *testing.T, reason string) {
	t.Helper()
	assert.Empty(t, s.value)
	assert.Equal(t, "unknown", s.result)
	assert.Contains(t, s.reason, reason)
	assert.Empty(t, s.failed)
	assert.Equal(t, 0, s.status)
}
