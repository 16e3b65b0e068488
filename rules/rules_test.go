package rules_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/rules"
)

// TestFiles: each data file of this folder is embedded, or its compiled form alone.
func TestFiles(t *testing.T) {
	here := os.DirFS(".")
	var names, have []string
	for _, pattern := range []string{"processors.csv", "*/*.yaml", "*/*.tsv", "compiled/*.cbor", "compiled/platforms/*.cbor"} {
		found, err := fs.Glob(here, pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		names = append(names, found...)
	}
	require.NoError(t, fs.WalkDir(rules.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			have = append(have, name)
		}
		return err
	}))
	packs, err := rulepack.LoadBuiltin(here)
	require.NoError(t, err)
	for _, p := range packs {
		have = append(have, p.File)
	}
	for _, pattern := range []string{"parts/*.yaml", "settings/*.yaml", "settings/spellings.tsv"} {
		found, err := fs.Glob(here, pattern)
		require.NoError(t, err)
		have = append(have, found...)
	}
	assert.ElementsMatch(t, names, have)
}

// registryMap matches the place of a setting in HPE's profiles: the ROMs that have the attribute, if not all do, and what
// the profile writes.
const registryMap = "MapFromAttribute WorkloadProfile: "

// TestHPEProfilesAreTheRegistries checks that each workload profile of a pack has exactly the values that HPE's registries
// write, by the tables of testdata/profiles: a row per attribute, a column per profile, "." if it is left alone.
func TestHPEProfilesAreTheRegistries(t *testing.T) {
	tables, err := filepath.Glob("../testdata/profiles/hpe-*.tsv")
	require.NoError(t, err)
	packs, err := filepath.Glob("profiles/hpe-gen*.yaml")
	require.NoError(t, err)
	compared := 0
	for _, file := range packs {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var pack struct {
			Document struct{ Firmware []string }
			Profiles []struct {
				Preset   string
				Settings map[string]struct{ Place string }
			}
		}
		if strings.HasPrefix(string(text), "# testdata/profiles") {
			require.NoError(t, yaml.Unmarshal(text, &pack))
		}
		for _, rom := range pack.Document.Firmware {
			name := "../testdata/profiles/hpe-" + strings.ToLower(rom) + ".tsv"
			require.Contains(t, tables, name)
			written, workloads := registryTable(t, name)
			for _, p := range pack.Profiles {
				var have []string
				for _, s := range p.Settings {
					scope, change, _ := strings.Cut(s.Place, registryMap)
					if scope == "Dependencies, " || strings.Contains(scope, rom) {
						have = append(have, change)
					}
				}
				assert.ElementsMatch(t, written[p.Preset], have, "%s: %s", name, p.Preset)
				compared++
			}
			assert.Len(t, pack.Profiles, len(workloads), file)
		}
	}
	assert.Equal(t, 12*len(tables), compared, "12 profiles per registry")
}

// registryTable reads what each workload profile writes, as ATTRIBUTE=VALUE.
func registryTable(t *testing.T, name string) (written map[string][]string, workloads []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	written = map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case cells[0] == "attribute":
			workloads = slices.Clone(cells[2:])
		default:
			require.Len(t, cells, 2+len(workloads), name)
			for i, value := range cells[2:] {
				if value != "." {
					written[workloads[i]] = append(written[workloads[i]], cells[0]+"="+value)
				}
			}
		}
	}
	return written, workloads
}

// document is what a citation says of itself.
type document struct{ vendor, title, year, place, url string }

// findable reports whether a reader can find a document and the place in it: an address; or its
// publisher with a year, or the page of a work that the title names in full.
func (d document) findable() bool {
	named := regexp.MustCompile(`\b(p|pages? )\d|\bsection \d|\((19|20)\d\d\)|, (19|20)\d\d\)`).MatchString(d.title + " " + d.place)
	return d.url != "" || d.vendor != "" && d.title != "" && (d.year != "" || named)
}

// documentsOf collects the documents in a parsed YAML file. A mapping of a file's parts (settings,
// rules) has a title of its own and is none.
func documentsOf(v any, into map[document]bool) {
	switch v := v.(type) {
	case map[string]any:
		_, vendor := v["vendor"]
		_, place := v["place"]
		_, address := v["url"]
		_, settings := v["settings"]
		_, check := v["check"]
		if title, ok := v["title"].(string); ok && (vendor || place || address) && !settings && !check {
			into[document{textOf(v["vendor"]), title, textOf(v["year"]), textOf(v["place"]), textOf(v["url"])}] = true
		}
		for _, child := range v {
			documentsOf(child, into)
		}
	case []any:
		for _, child := range v {
			documentsOf(child, into)
		}
	}
}

func textOf(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// TestDocumentsCanBeFound: each document that a verdict, a platform, a profile or a slot map rests on can
// be found. The sources of the tables of settings prove names, not advice, and may be captures.
func TestDocumentsCanBeFound(t *testing.T) {
	here := os.DirFS(".")
	names, err := fs.Glob(here, "*/*.yaml")
	require.NoError(t, err)
	found := map[document]bool{}
	for _, name := range names {
		if path.Dir(name) == "settings" {
			continue
		}
		raw, err := fs.ReadFile(here, name)
		require.NoError(t, err)
		for _, part := range strings.Split("\n"+string(raw), "\n---\n") {
			var v any
			require.NoError(t, yaml.Unmarshal([]byte(part), &v), name)
			documentsOf(v, found)
		}
	}
	require.Greater(t, len(found), 200)
	for d := range found {
		assert.True(t, d.findable(), "%s, %s: expected an address, or the publisher with a year or a page", d.vendor, d.title)
	}
}

// collection is the authority of dumps, exports, code and tables of others: evidence of what machines
// are, no word of a maker about what to do.
const collection = "collection"

// TestPlatformDocumentsCanBeFound: a document of a platform that says what to do can be found, and is no
// collection, no file of this project among them.
func TestPlatformDocumentsCanBeFound(t *testing.T) {
	raw, err := os.ReadFile("platforms/sources.tsv")
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		if line[0] == '#' {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, c, 9, line)
		d := document{vendor: c[1], title: c[2], year: c[3], place: c[4], url: c[5]}
		assert.True(t, d.findable() || c[7] == "", "%s can not be found and says %s", c[0], c[7])
		assert.NotContains(t, d.place+d.url, "rules/", "%s is a file of this project", c[0])
		if c[6] == collection {
			assert.Empty(t, c[7], "%s is a collection and says what to do", c[0])
		}
	}
}
