//go:build e2e && nightly

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestServeSandboxed checks that the daemon cannot read later what it did not need when it started, whatever user it
// runs as.
func TestServeSandboxed(t *testing.T) {
	const version = 1 // LANDLOCK_CREATE_RULESET_VERSION: ask which one there is
	if abi, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, version); int(abi) < 1 {
		t.Skip("this kernel has no Landlock")
	}
	elsewhere, dir := t.TempDir(), t.TempDir()
	rule, err := os.ReadFile(filepath.Join(root, "rules/general/numa.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "site.yaml"), rule, 0o644))
	conf := filepath.Join(dir, "memaudit.yaml")
	require.NoError(t, os.WriteFile(conf, nil, 0o600))
	s := serve(t, nil, "--root", treeOf(t, machine), "--config", conf)
	require.NoError(t, os.WriteFile(conf, []byte("rules: ["+elsewhere+"]\n"), 0o600))
	line := s.wait(t, `msg="audit done in part`)
	assert.Contains(t, line, elsewhere)
	assert.Contains(t, line, "permission denied")
	s.end(t)
	other := serve(t, nil, "--root", treeOf(t, machine), "--config", conf)
	other.end(t)
}
