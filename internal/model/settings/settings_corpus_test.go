//go:build corpus

package settings_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// TestVocabularyOfTheDocument checks the ids against canonical-settings.md.
func TestVocabularyOfTheDocument(t *testing.T) {
	raw, err := os.ReadFile(corpustest.Shared(t, "knowledge/bios-profiles/canonical-settings.md"))
	require.NoError(t, err)
	names := regexp.MustCompile("`([a-z0-9_]+)`")
	var documented []string
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "## What the running Linux") {
			break
		}
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cell, _, _ := strings.Cut(line[2:], "|")
		for _, m := range names.FindAllStringSubmatch(cell, -1) {
			documented = append(documented, m[1])
		}
	}
	require.Len(t, documented, 47)
	require.Subset(t, settings.IDs(), documented)
}
