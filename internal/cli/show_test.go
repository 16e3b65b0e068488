package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pack may contain anything; a terminal executes none of it.
func TestShowIsPrintable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "site.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`profiles:
  - id: "site/a"
    intent: hpc
    title: "\e]0;owned\a\u202e title"
    citation: {vendor: "V\e[2J", title: T}
    settings:
      turbo: {want: enabled, level: info, note: "\e[31mred\n\r", remedy: "\x9b31m"}
`), 0o600))
	status, out, errs := run(nil, "profiles", "show", "site/a", "--rules", filepath.Dir(file))
	require.Equal(t, 0, status, errs)
	assert.Contains(t, out, "turbo: enabled (info)")
	for _, r := range out {
		assert.True(t, r == '\n' || r >= ' ' && r < 0x7f, "%q", r)
	}
}

// If vendors disagree, each profile names the vendors and their values.
func TestShowNamesOtherProfiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "site.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`profiles:
  - id: site/low-latency
    intent: low-latency
    title: Ours
    for: {vendors: [Site]}
    citation: {vendor: Site, title: Guide}
    settings:
      turbo: {want: disabled, level: info}
`), 0o600))
	status, out, errs := run(nil, "profiles", "show", "dell-11g/low-latency", "--rules", filepath.Dir(file))
	require.Equal(t, 0, status, errs)
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "each covers its own machines only")
	assert.Contains(t, out, "site/low-latency")
	status, out, errs = run(nil, "profiles", "show", "dell-11g/low-latency", "--rules", filepath.Dir(file), "--format", "json")
	require.Equal(t, 0, status, errs)
	var infos []struct {
		Settings map[string]struct{ Elsewhere []map[string]string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &infos))
	require.Len(t, infos, 1)
	assert.Contains(t, infos[0].Settings["turbo"].Elsewhere, map[string]string{"profile": "site/low-latency", "value": "disabled"})
}
