package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestSameMachineSameBytes checks that three audits of one machine, in make corpus ten of each machine, print the
// same bytes.
func TestSameMachineSameBytes(t *testing.T) {
	t.Parallel()
	again := 2
	if corpustest.Stage {
		again = 9
	}
	for _, m := range corpustest.Sample(machinetest.Sample(t), 3) {
		root := tree(t, m.Name)
		_, first, _ := run(nil, "check", "--root", root, "--profile", m.Profile, "--format", "json")
		assert.NotEmpty(t, first)
		for range again {
			if _, next, _ := run(nil, "check", "--root", root, "--profile", m.Profile, "--format", "json"); next != first {
				assert.Equal(t, first, next, m.Name)
				break
			}
		}
	}
}

// TestCheckFile checks that the argument of check is read as the flag that names its kind, and that two machines are wrong usage.
func TestCheckFile(t *testing.T) {
	t.Parallel()
	root, dump := tree(t, "dell-r610-good"), machinetest.Named(t, "fujitsu-rx900s2-class2").Table.Dump()
	capture, file := filepath.Join(t.TempDir(), "a"), writeFile(t, filepath.Join(t.TempDir(), "b"), dump)
	_, _, errs := run(nil, "snapshot", "--root", root, "-o", capture)
	require.FileExists(t, capture, errs)
	for flag, c := range map[string]struct {
		name  string
		stdin []byte
	}{"--root": {root, nil}, "--snapshot": {capture, nil}, "--smbios": {file, nil}, "--smbios -": {"-", dump}, "--smbios none": {"none", nil}} {
		flag, _, _ = strings.Cut(flag, " ")
		wanted, out, said := run(c.stdin, "check", flag, c.name)
		got, same, saidToo := run(c.stdin, "check", c.name)
		assert.Equal(t, []any{wanted, out, said}, []any{got, same, saidToo}, flag)
	}
	for _, flag := range []string{"--root", "--snapshot", "--smbios"} {
		status, _, errs := run(dump, "check", flag, file, "-")
		assert.Equal(t, 2, status)
		assert.Contains(t, errs, "both name a machine", flag)
	}
}
