package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestNoSecretOfTheCommandLine checks that a password on the kernel's command line is in no output, even if the
// command line is a finding's evidence, or identifiers are requested.
func TestNoSecretOfTheCommandLine(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := machinetest.R610("r610", "", []string{"A1", "A2", "A3", "B1"}, 1)
	m.Tree().WriteTo(t, root)
	line := "ro rd.iscsi.password=hunter2 ip=10.9.8.7::10.9.8.1:255.255.255.0:hunter2 numa=off mem=2G nosmt intel_idle.max_cstate=0 -- hunter2\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "proc", "cmdline"), []byte(line), 0o600))
	commands := [][]string{{"inventory"}, {"inventory", "--format", "json"}, {"labels"}, {"profiles", "compare"}}
	for _, format := range formats.Reports() {
		commands = append(commands, []string{"check", "--verbose", "--profile", "max-performance", "--format", format})
	}
	shown := false
	for _, args := range commands {
		_, out, errs := run(nil, append(args, "--root", root, "--identifiers")...)
		require.NotEmpty(t, out, "%v %s", args, errs)
		for _, secret := range []string{"hunter2", "10.9.8.7"} {
			assert.NotContains(t, out+errs, secret, "%v", args)
		}
		shown = shown || strings.Contains(out, "rd.iscsi.password=")
	}
	assert.True(t, shown, "no output shows the command line: nothing is proven")
}
