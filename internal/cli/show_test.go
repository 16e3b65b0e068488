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

// What rules show prints is what the page beside the pack says, example and
// all.
func TestShowSaysWhatThePageSays(t *testing.T) {
	t.Parallel()
	status, out, errs := run(nil, "rules", "show", "memory.channel.populated")
	require.Equal(t, 0, status, errs)
	page, err := os.ReadFile(filepath.Join("..", "..", "rules", "dell", "11g.md"))
	require.NoError(t, err)
	_, example, ok := strings.Cut(string(page), "```text\n")
	require.True(t, ok)
	example, _, _ = strings.Cut(example, "```")
	require.Contains(t, example, "memory.channel.populated")
	for line := range strings.Lines(example) {
		assert.Contains(t, out, "  "+line)
	}
	for line := range strings.Lines(out) {
		assert.True(t, len(line) <= 81 || strings.Contains(line, "://"), line)
	}
}

// A pack may hold anything; a terminal executes none of it.
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

// Where vendors disagree, each profile names who wants what.
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
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "each speaks for its own machines only")
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
