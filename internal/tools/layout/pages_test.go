// Package layout tests what linters cannot: that the pages name only what exists, and that the threat model names its tests and limits.
package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// page is a word that names a page by its path.
	page = regexp.MustCompile(`[\w.][\w./-]*\.md\b`)
	// file is a word that names a file below a folder by its path.
	file = regexp.MustCompile(`[\w./~-]*\w/[\w.-]+\.(?:ya?ml|tsv|csv|json|go|txt|bin|sh|toml|service)\b`)
	// placeholder is a part of a path that matches any name.
	placeholder = regexp.MustCompile(`\b[A-Z]{2,}\.\w+$|/our-[\w-]+\.\w+$`)
	// link is the target of a link in a page, without what is outside.
	link = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]*)?\)`)
	// outer are external addresses.
	outer = regexp.MustCompile(`https?://[^\s"')]+`)
)

// own is the address of the repository's files: a link to it is checked like one to the file.
const own = "https://memaudit.example/memaudit/blob/main/"

// comments returns the comments of a text's lines, from the comment mark on.
func comments(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		for i := range line {
			mark := 0
			switch {
			case line[i] == '#':
				mark = 1
			case strings.HasPrefix(line[i:], "//"):
				mark = 2
			default:
				continue
			}
			if rest := line[i+mark:]; strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t") {
				out = append(out, strings.TrimSuffix(rest, "\n"))
				break
			}
		}
	}
	return out
}

// read is what a reader is pointed to by a file: a page's lines, of another file the comments;
// of neither the addresses elsewhere. Pages of rules cite documents of others and are left out.
func read(name, text string) []string {
	if filepath.Ext(name) != ".md" {
		return comments(text)
	} else if strings.HasPrefix(name, "rules/") {
		return nil
	}
	return strings.Split(text, "\n")
}

// within is a line without the addresses of pages elsewhere.
func within(line string) string {
	line = strings.ReplaceAll(line, own, "")
	if strings.Contains(line, "://") {
		line = outer.ReplaceAllString(line, "")
	}
	return line
}

// texts lists the files that people read: sources, pages, data, scripts. Tests may name files outside the repository,
// which they skip if missing.
func texts(t *testing.T) map[string]string {
	t.Helper()
	out, err := readTexts()
	require.NoError(t, err)
	require.Greater(t, len(out), 300)
	return out
}

// readTexts reads them once for all tests.
var readTexts = sync.OnceValues(func() (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir("../../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(name, "../../../")
		if d.IsDir() {
			if rel != "../../.." && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" || d.Name() == "testdata" || rel == "bin" || rel == "dist") {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(name) {
		case ".go", ".md", ".yaml", ".yml", ".tsv", ".csv", ".json", "":
		default:
			return nil
		}
		if d.Type().IsRegular() && !strings.HasSuffix(name, "_test.go") {
			data, err := os.ReadFile(name)
			out[rel] = string(data)
			return err
		}
		return nil
	})
	return out, err
})

// TestPagesThatTextsNameAreHere checks that every page that the pages and comments refer to is in the repository.
// Citations of rules are not checked: they name other publishers' documents.
func TestPagesThatTextsNameAreHere(t *testing.T) {
	for name, text := range texts(t) {
		for _, line := range read(name, text) {
			if !strings.Contains(line, ".md") {
				continue
			}
			for _, word := range page.FindAllString(within(line), -1) {
				assert.True(t, here(name, word), "%s names %s, which is not in the repository", name, word)
			}
		}
	}
}

// elsewhere are other projects' files that a text names by a path without an address.
var elsewhere = regexp.MustCompile(`^Documentation/|^internal/script/scripts.go$`) // Linux's, PerfSpect's

// TestFilesThatTextsNameAreHere checks the same for every other file that is named with its folder, relative to the
// naming file, the repository, rules or internal. Absolute paths are a machine's.
func TestFilesThatTextsNameAreHere(t *testing.T) {
	for name, text := range texts(t) {
		for _, line := range read(name, text) {
			if strings.Count(line, "/") == 0 || strings.Count(line, ".") == 0 {
				continue
			}
			for _, word := range file.FindAllString(within(line), -1) {
				if strings.HasPrefix(word, "/") || placeholder.MatchString(word) || elsewhere.MatchString(word) {
					continue
				}
				assert.True(t, here(name, word) || here("rules/-", word) || here("internal/-", word), "%s names %s, which is not in the repository", name, word)
			}
		}
	}
}

// TestLinksLeadSomewhere checks that every link of a page leads to a file and a heading.
func TestLinksLeadSomewhere(t *testing.T) {
	all, headings := texts(t), map[string][]string{}
	for name, text := range all {
		if filepath.Ext(name) != ".md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := name
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(name), m[1])
			}
			if _, err := os.Stat(filepath.Join("../../..", target)); !assert.NoError(t, err, "%s links to %s", name, m[1]) || m[2] == "" {
				continue
			}
			if headings[target] == nil {
				headings[target] = anchors(all[target])
			}
			assert.Contains(t, headings[target], m[2], "%s links to %s", name, m[1]+m[2])
		}
	}
}

// here reports whether a word names a page from the naming file's folder or
// from the repository's root.
func here(from, word string) bool {
	for _, dir := range []string{"../../..", filepath.Join("../../..", filepath.Dir(from))} {
		if _, err := os.Stat(filepath.Join(dir, word)); err == nil {
			return true
		}
	}
	return false
}

// unheard is what a heading's address leaves out.
var unheard = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// anchors lists a page's headings as addresses.
func anchors(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		heading = unheard.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
		out = append(out, "#"+strings.ReplaceAll(heading, " ", "-"))
	}
	return out
}

// TestActionsArePinned checks that a workflow names each action by commit, since a tag can be moved.
func TestActionsArePinned(t *testing.T) {
	workflows, err := filepath.Glob("../../../.github/workflows/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, workflows)
	for _, name := range workflows {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "uses:") {
				assert.Regexp(t, `@[0-9a-f]{40} # v\d`, line, name)
			}
		}
		assert.Equal(t, strings.Count(string(text), "actions/checkout@"), strings.Count(string(text), "persist-credentials: false"), name)
	}
}

var (
	// namesShared is a path into ../shared, or the arguments that make one.
	namesShared = regexp.MustCompile(`"(\.\./)+shared[/"]|"\.\.", "shared"`)
	// needsTag is a build constraint under which ../shared is read.
	needsTag = regexp.MustCompile(`(?m)^//go:build (corpus|e2e && rig)`)
)

// TestSharedNeedsATag checks that a plain `go test ./...` reads nothing outside the checkout: tests that name
// ../shared have a build tag.
func TestSharedNeedsATag(t *testing.T) {
	tagged := 0
	require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".tools" || d.Name() == "differential"): // the second is a module of its own
			return filepath.SkipDir
		case filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		if needsTag.Match(text) {
			tagged++
		} else {
			assert.NotRegexp(t, namesShared, string(text), "%s reads ../shared without the build tag corpus", path)
		}
		return err
	}))
	assert.Greater(t, tagged, 10)
}

var (
	// heldBy is a test that the page names: folder and function.
	heldBy = regexp.MustCompile("`([\\w/]+)\\.((?:Test|Fuzz)\\w+)`")
	// boundIs is a bound that the page names: folder, constant and value.
	boundIs = regexp.MustCompile("`([\\w/]+)\\.(\\w+) = ([^`]+)`")
)

// sourcesOf joins the sources of one folder, tests or the others.
func sourcesOf(t *testing.T, folder string, tests bool) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "..", folder, "*.go"))
	require.NoError(t, err)
	var out strings.Builder
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") == tests {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			out.Write(data)
		}
	}
	return out.String()
}

// TestThreatModel checks that every test that the page names exists, that every limit has the printed value, and that
// every row of its tables of limits and damage has a test.
func TestThreatModel(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "threat-model.md"))
	require.NoError(t, err)
	page := string(data)
	named := heldBy.FindAllStringSubmatch(page, -1)
	require.Greater(t, len(named), 40)
	for _, m := range named {
		assert.Contains(t, sourcesOf(t, m[1], true), "\nfunc "+m[2]+"(", "%s of %s is not a test", m[2], m[1])
	}
	bounds := boundIs.FindAllStringSubmatch(page, -1)
	require.Greater(t, len(bounds), 25)
	for _, m := range bounds {
		declared := regexp.MustCompile(`(?m)^\s*(const )?` + m[2] + `\s+= ` + regexp.QuoteMeta(m[3]) + `\s*(//.*)?$`)
		assert.True(t, declared.MatchString(sourcesOf(t, m[1], false)), "%s of %s is not %s", m[2], m[1], m[3])
	}
	rows := 0
	for line := range strings.Lines(page) {
		if strings.Contains(line, "`internal/") && strings.HasPrefix(line, "|") {
			rows++
			assert.Regexp(t, heldBy, line, "a row without a test")
		}
	}
	assert.Greater(t, rows, 30)
}
