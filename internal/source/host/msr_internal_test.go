package host

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/model/fact"
)

// TestMSRLive reads registers as on the running machine: 8 bytes at the register's number, and 0 is a value; a
// missing file, a missing register and a missing permission are three different results.
func TestMSRLive(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "dev/cpu/0"), 0o755))
	content := make([]byte, 0x1FC+8)
	binary.LittleEndian.PutUint64(content[0x1A0:], 0x4000850089)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dev/cpu/0/msr"), content, 0o600))
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	root := &Root{name: "/", b: &dirBackend{fd: fd, live: true, safe: [2]bool{true, true}}}
	defer root.Close()
	got := root.readRegisters(0, []uint32{MSRMiscEnable, MSRPrefetch, MSRPackageCst, MSRHWCR})
	assert.Equal(t, fact.Known(uint64(0x4000850089), fact.Direct, fact.At("msr", "/dev/cpu/0/msr", "0x4000850089")), got[0])
	assert.Equal(t, fact.OK, got[1].State, "the kernel keeps registers apart; this file cannot")
	assert.Equal(t, fact.Known(uint64(0), fact.Direct, fact.At("msr", "/dev/cpu/0/msr", "0x0")), got[2])
	assert.NotEqual(t, fact.OK, got[3].State)
	missing := root.readRegisters(1, []uint32{MSRMiscEnable})
	assert.Equal(t, fact.Absent, missing[0].State, "%v", missing[0].Err)
	if os.Getuid() != 0 {
		require.NoError(t, os.Chmod(filepath.Join(dir, "dev/cpu/0/msr"), 0))
		assert.Equal(t, fact.Denied, root.readRegisters(0, []uint32{MSRMiscEnable})[0].State)
	}
	assert.Equal(t, unix.O_RDONLY, openFlags&unix.O_ACCMODE, "never for writing")
}

// TestRegistersOfAnotherCPU checks that the device number decides whose registers are read.
func TestRegistersOfAnotherCPU(t *testing.T) {
	require.NoError(t, isRegisters(unix.Mkdev(202, 3), 3))
	require.ErrorIs(t, isRegisters(unix.Mkdev(202, 2), 3), ErrNotRegular)
	require.ErrorContains(t, isRegisters(unix.Mkdev(202, 2), 3), "device 202:2 is not the registers of CPU 3")
	require.ErrorIs(t, isRegisters(unix.Mkdev(203, 3), 3), ErrNotRegular)
}

// TestRegistersOnThePage checks that docs/kernel.md lists exactly the registers that are read.
func TestRegistersOnThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "kernel.md"))
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(page), "\n## Registers\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n## ")
	source, err := os.ReadFile("msr.go")
	require.NoError(t, err)
	numbers := func(pattern, text string) (out []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		return out
	}
	read := numbers(`(?m)^\tMSR\w+ +uint32 = 0x([0-9A-F]+)`, string(source))
	require.NotEmpty(t, read)
	assert.ElementsMatch(t, read, numbers(`(?m)^\| (?:0x)?([0-9A-F]+) \|`, table))
}
