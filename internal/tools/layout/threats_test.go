package layout

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// heldBy is a test that the page names: folder and function.
	heldBy = regexp.MustCompile("`([\\w/]+)\\.((?:Test|Fuzz)\\w+)`")
	// boundIs is a bound that the page names: folder, constant and value.
	boundIs = regexp.MustCompile("`([\\w/]+)\\.(\\w+) = ([^`]+)`")
)

// readSources are the folders that sourcesOf has read.
var readSources = map[string]string{}

// sourcesOf joins the sources of one folder, tests or the others.
func sourcesOf(t *testing.T, folder string, tests bool) string {
	t.Helper()
	key := fmt.Sprint(folder, " ", tests)
	if text, ok := readSources[key]; ok {
		return text
	}
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
	readSources[key] = out.String()
	return out.String()
}

// linesWith are the lines of a text with a word in them.
func linesWith(text, word string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return !strings.Contains(line, word) })
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
		declared := regexp.MustCompile(`^\s*(const )?` + m[2] + `\s+= ` + regexp.QuoteMeta(m[3]) + `\s*(//.*)?$`)
		assert.True(t, slices.ContainsFunc(linesWith(sourcesOf(t, m[1], false), m[2]), declared.MatchString), "%s of %s is not %s", m[2], m[1], m[3])
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
