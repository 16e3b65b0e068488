package place

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/corpustest"
)

var update = flag.Bool("update-slots", false, "rewrite rules/slots/*.tsv from the YAML")

type locatorFile struct {
	Rules []struct {
		ID      string   `yaml:"id"`
		Locator []string `yaml:"locator"`
		Bank    []string `yaml:"bank"`
		Vendor  []string `yaml:"vendor"`
		Model   []string `yaml:"model"`
		Node    string   `yaml:"node"`
		Options []string `yaml:"options"`
	} `yaml:"rules"`
}

// compileLocators makes locators.tsv from locators.yaml.
func compileLocators(t *testing.T, raw []byte) []byte {
	var file locatorFile
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var loose struct {
		Schema int `yaml:"schema"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &loose))
	require.Equal(t, 1, loose.Schema)
	require.NoError(t, dec.Decode(&file))
	var out bytes.Buffer
	out.WriteString("# Made from locators.yaml by go test ./internal/place -run Compiled -update-slots; do not edit.\n")
	ids := map[string]bool{}
	for _, r := range file.Rules {
		require.False(t, ids[r.ID], "rule %s twice", r.ID)
		ids[r.ID] = true
		for _, p := range append(slices.Clone(r.Locator), r.Bank...) {
			checkPattern(t, r.ID, p)
		}
		fmt.Fprintln(&out, strings.Join([]string{r.ID, strings.Join(r.Locator, "|"), strings.Join(r.Bank, "|"),
			strings.Join(r.Vendor, ","), strings.Join(r.Model, ","), r.Node, strings.Join(r.Options, ",")}, "\t"))
	}
	return out.Bytes()
}

// checkPattern refuses what matchLabel would silently never match.
func checkPattern(t *testing.T, rule, pattern string) {
	require.NotContains(t, pattern, "|", rule)
	require.NotContains(t, pattern, "\t", rule)
	for rest := pattern; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return
		}
		name, tail, closed := strings.Cut(after, "}")
		require.True(t, closed, "%s: %s", rule, pattern)
		_, _, known := fieldByName(strings.TrimSuffix(name, ":1"))
		require.True(t, known, "%s: field %s", rule, name)
		rest = tail
	}
}

// TestCompiledLocators keeps the table that an audit reads equal to the YAML.
func TestCompiledLocators(t *testing.T) {
	dir := filepath.Join(corpustest.Root(t), "rules", "slots")
	raw, err := os.ReadFile(filepath.Join(dir, "locators.yaml"))
	require.NoError(t, err)
	sameFile(t, filepath.Join(dir, "locators.tsv"), compileLocators(t, raw))
}

func sameFile(t *testing.T, path string, want []byte) {
	if *update {
		require.NoError(t, os.WriteFile(path, want, 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(have), "%s is stale: go test ./internal/place -run Compiled -update-slots", filepath.Base(path))
}

type slotMapFile struct {
	Schema int       `yaml:"schema"`
	Vendor string    `yaml:"vendor"`
	Maps   []slotMap `yaml:"maps"`
}

// slotMapFiles reads every file of maps.
func slotMapFiles(t *testing.T) map[string]slotMapFile {
	files := map[string]slotMapFile{}
	names, err := fs.Glob(corpustest.Rules(t), "slots/*.yaml")
	require.NoError(t, err)
	for _, name := range names {
		if name == "slots/locators.yaml" || name == "slots/sources.yaml" {
			continue
		}
		raw, err := fs.ReadFile(corpustest.Rules(t), name)
		require.NoError(t, err)
		var f slotMapFile
		dec := yaml.NewDecoder(bytes.NewReader(raw))
		dec.KnownFields(true)
		require.NoError(t, dec.Decode(&f), name)
		files[filepath.Base(name)] = f
	}
	return files
}

// TestCompiledIndex keeps index.tsv equal to the maps and checks each map.
func TestCompiledIndex(t *testing.T) {
	files := slotMapFiles(t)
	lines := map[string]string{}
	sources := slotSources(t)
	for name, f := range files {
		for _, m := range f.Maps {
			checkMap(t, &m)
			for _, s := range m.Sources {
				require.Contains(t, sources, s, m.ID)
			}
			for _, model := range m.Models {
				for _, rule := range m.Locators {
					key := strings.TrimSpace(modelKey(f.Vendor, model)) + "\t" + boardRule(rule, m.Slots)
					_, twice := lines[key]
					require.False(t, twice, "two maps for one product: %s", key)
					lines[key] = name + "#" + m.ID
				}
			}
		}
	}
	out := "# Made from the YAML beside it by go test ./internal/place -run Compiled -update-slots: product, locator rule, map.\n"
	keys := make([]string, 0, len(lines))
	for k := range lines {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		out += k + "\t" + lines[k] + "\n"
	}
	sameFile(t, filepath.Join(corpustest.Root(t), "rules", "slots", "index.tsv"), []byte(out))
	for _, where := range lines {
		m, err := readSlotMap(corpustest.Rules(t), where)
		require.NoError(t, err)
		require.Equal(t, where[strings.Index(where, "#")+1:], m.ID)
	}
}

// slotSources reads the citations.
func slotSources(t *testing.T) map[string]struct{ Vendor, Title, URL string } {
	raw, err := fs.ReadFile(corpustest.Rules(t), "slots/sources.yaml")
	require.NoError(t, err)
	var f struct {
		Schema  int                                            `yaml:"schema"`
		Sources map[string]struct{ Vendor, Title, URL string } `yaml:"sources"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(&f))
	return f.Sources
}

// checkMap refuses a map that contradicts itself or says nothing of its origin.
func checkMap(t *testing.T, m *slotMap) {
	require.NotEmpty(t, m.Models, m.ID)
	require.NotEmpty(t, m.Locators, m.ID)
	require.NotEmpty(t, m.Sources, m.ID)
	require.NotEmpty(t, m.Check, m.ID)
	for _, c := range m.Check {
		require.Contains(t, []string{"doc", "field", "label", "infer"}, c, m.ID)
	}
	if m.Unknown == "" {
		require.NotEmpty(t, m.Groups, m.ID)
	}
	if len(m.Controllers) > 0 {
		require.Len(t, m.Controllers, len(m.Groups), m.ID)
	}
	for _, groups := range [][][]int{m.Groups, m.Second} {
		seen := map[int]bool{}
		for _, g := range groups {
			require.LessOrEqual(t, len(g), 4, m.ID)
			for _, n := range g {
				require.False(t, seen[n], "%s: slot %d twice", m.ID, n)
				seen[n] = true
			}
		}
	}
	if m.Second != nil {
		require.Len(t, m.Second, len(m.Groups), m.ID)
	}
}
