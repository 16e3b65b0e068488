package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLabels checks that the status shows whether the audit was possible and the labels its result; labels of a lost
// machine replace the previous ones.
func TestLabels(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "memaudit")
	for _, c := range []struct {
		status int
		first  string
		args   []string
	}{
		{0, "failure=none", []string{"--root", tree(t, "dell-r610-good")}},
		{0, "failure=warning", []string{"--root", tree(t, "dell-r610-unbalanced"), "--profile", "hpc"}},
		{0, "verdict=not_applicable", []string{"--root", tree(t, "guest-without-smbios")}},
		{3, "failure=unknown", []string{"--root", "/nowhere"}},
	} {
		status, out, errs := run(nil, append([]string{"labels", "--output", file}, c.args...)...)
		assert.Equal(t, c.status, status, errs)
		assert.Empty(t, out)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(data), "feature.node.kubernetes.io/memaudit-"+c.first+"\n")
	}
	status, _, errs := run(nil, "labels", "--profile", "fast")
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "expected an intent or a profile id")
}
