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

// The output of rules show equals the page of all rules, including examples.
func TestShowEqualsPage(t *testing.T) {
	t.Parallel()
	const rule = "memory.channel.populated"
	status, out, errs := run(nil, "rules", "show", rule)
	require.Equal(t, 0, status, errs)
	page, err := os.ReadFile(filepath.Join("..", "..", "rules", "by-name.md"))
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(page), "\n## "+rule+"\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	examples := strings.Split(section, "```text\n")[1:]
	require.NotEmpty(t, examples)
	for _, example := range examples {
		example, _, _ = strings.Cut(example, "```")
		require.Contains(t, example, rule)
		for line := range strings.Lines(example) {
			assert.Contains(t, out, "  "+line)
		}
	}
	for line := range strings.Lines(out) {
		assert.True(t, len(line) <= 81 || strings.Contains(line, "://"), line)
	}
}

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
