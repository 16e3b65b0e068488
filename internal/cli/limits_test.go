package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/baseline"
	"memaudit.example/memaudit/internal/collect/measured"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// TestRefusedInputs checks that input that is not a machine, or larger than any, is reported with status 3, in every
// format.
func TestRefusedInputs(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 5000)
	r := rand.New(rand.NewPCG(5, 17))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	noise[0], noise[1] = 17, 0x54 // and it begins like a module
	devices := smbiostest.New(3, 2)
	array := devices.Array(smbiostest.Array{Devices: 5000})
	for range 5000 {
		devices.MemoryDevice(smbiostest.DIMM{Array: array})
	}
	packages := hosttest.Files{"sys/devices/system/cpu/online": "0-1099\n"}
	for i := range 1100 {
		at := fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/", i)
		packages[at+"package_cpus_list"], packages[at+"physical_package_id"] = fmt.Sprintln(i), fmt.Sprintln(i)
	}
	root := filepath.Join(t.TempDir(), "packages.tar")
	require.NoError(t, os.WriteFile(root, packages.Tar(t, ""), 0o600))
	table := t.TempDir()
	at := filepath.Join(table, "sys/firmware/dmi/tables")
	require.NoError(t, os.MkdirAll(at, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(at, "DMI"), devices.Table(), 0o600))
	for _, c := range []struct {
		stdin []byte
		args  []string
		says  string
	}{
		{noise, []string{"--smbios", "-"}, "not SMBIOS data"},
		{devices.Table(), []string{"--smbios", "-"}, "more than 4096 memory devices (type 17)"},
		{devices.Dump(), []string{"--smbios", "-"}, "more than 4096 memory devices (type 17)"},
		{nil, []string{"--root", table}, "nothing to audit"},
		{nil, []string{"--snapshot", root}, "1100 processor packages, at most 1024 are read"},
	} {
		for _, format := range []string{"text", "json"} {
			status, _, errs := run(c.stdin, append([]string{"check", "--format", format}, c.args...)...)
			assert.Equal(t, 3, status, "%v: %s", c.args, errs)
			assert.Contains(t, errs, c.says)
		}
	}
}

// TestInputsAreBounded checks that a file above the limit of its kind is refused by name and not read into memory; it
// does not run in parallel because allocations of other tests would count. Each file is sparse and one byte too long.
func TestInputsAreBounded(t *testing.T) {
	root := tree(t, "dell-r610-good")
	for name, c := range map[string]struct {
		most int64
		args []string
	}{
		"configuration": {maxConfigBytes, []string{"--config"}},
		"SMBIOS":        {maxSMBIOSFile, []string{"--smbios"}},
		"export":        {bios.MaxBytes, []string{"--root", root, "--bios"}},
		"measurement":   {measured.MaxBytes, []string{"--root", root, "--measured"}},
		"baseline":      {baseline.MaxBytes, []string{"--root", root, "--baseline"}},
	} {
		file := filepath.Join(t.TempDir(), "long")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		require.NoError(t, os.Truncate(file, c.most+1))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		status, _, errs := run(nil, append(append([]string{"check"}, c.args...), file)...)
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "%s: not read first and refused then", name)
		assert.Contains(t, []int{2, 3}, status, "%s: %s", name, errs)
		assert.Regexp(t, fmt.Sprintf(`(longer|more) than %d`, c.most), errs, name)
	}
	var many strings.Builder
	many.WriteString("[Key=BIOS.Setup.1-1#SysProfileSettings]\n")
	for i := range 20001 {
		fmt.Fprintf(&many, "A%d=Enabled\n", i)
	}
	status, _, errs := run([]byte(many.String()), "check", "--root", root, "--bios", "-")
	assert.Equal(t, 3, status)
	assert.Contains(t, errs, "more than 20000 attributes")
}
