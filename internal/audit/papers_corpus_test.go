//go:build corpus

package audit_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestEveryPaperRowIsListed compares the list with the digest of the papers: no row of its tables is missing and none
// is extra.
func TestEveryPaperRowIsListed(t *testing.T) {
	data, err := os.ReadFile(corpustest.Shared(t, "knowledge/bios-profiles/seeds.md"))
	require.NoError(t, err)
	listed := paperRows(t)
	digest := digestRows(string(data))
	require.Len(t, listed, len(digest))
	for i, row := range digest {
		assert.Equal(t, row.section, listed[i].section, "%d %s", i, row.row)
		first, second, _ := strings.Cut(listed[i].row, "|")
		assert.True(t, strings.HasPrefix(row.row, first), "%q is listed as %q", row.row, first)
		assert.Contains(t, row.held, second)
	}
}

// digestRows are the rows of every table of the digest: section, first cell and the rest.
func digestRows(text string) []paperRow {
	heading, rule := regexp.MustCompile(`^#+ (\d(?:\.\d)?)`), regexp.MustCompile(`^\|[-| ]+\|$`)
	var out []paperRow
	section := "0"
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := heading.FindStringSubmatch(line); m != nil {
			section = m[1]
		}
		if !strings.HasPrefix(line, "|") || rule.MatchString(line) || (i+1 < len(lines) && rule.MatchString(lines[i+1])) {
			continue
		}
		first, rest, _ := strings.Cut(strings.Trim(strings.ReplaceAll(line, `\|`, "¦"), "| "), "|")
		out = append(out, paperRow{section, strings.TrimSpace(first), rest})
	}
	return out
}
