package reference

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// made are the pages as they are generated, made once for all tests.
var made = sync.OnceValues(func() (map[string]string, error) {
	root := filepath.Join("..", "..")
	seen, err := os.ReadFile(filepath.Join(root, "testdata", "corpus", "slot-maps.tsv"))
	if err != nil {
		return nil, err
	}
	return Pages(os.DirFS(filepath.Join(root, "rules")), seen, map[string]string{"memory.channel.populated": "fails on example"})
})

var link = regexp.MustCompile(`\]\(([^)]+)\)`)

// Links lead to a page that is there, and to a heading in it.
func TestLinks(t *testing.T) {
	pages, err := made()
	require.NoError(t, err)
	count := 0
	for name, text := range pages {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			count++
			if strings.HasSuffix(target, ".yaml") {
				_, err := fs.Stat(rules.FS, path.Join(path.Dir(name), target))
				assert.NoError(t, err, "%s links to %s", name, m[1])
				continue
			}
			to, ok := pages[path.Join(path.Dir(name), target)]
			if !assert.True(t, ok, "%s links to %s", name, m[1]) || heading == "" {
				continue
			}
			assert.Contains(t, anchors(to), heading, "%s links to %s", name, m[1])
		}
	}
	assert.Greater(t, count, 60)
}

func anchors(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if h, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			out = append(out, anchor(strings.TrimSpace(h)))
		}
	}
	return out
}

// The pages are for readers of the repository: the binary holds none.
func TestPagesAreNotEmbedded(t *testing.T) {
	pages := 0
	require.NoError(t, fs.WalkDir(rules.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") {
			pages++
			t.Errorf("%s is embedded", name)
		}
		return err
	}))
	assert.Zero(t, pages)
	_, err := fs.Stat(rules.FS, "general/memory.yaml")
	assert.NoError(t, err)
}

// Every page says where its facts are from and names no place of this machine.
func TestPagesSayTheirSources(t *testing.T) {
	root := corpustest.Root(t)
	pages, err := made()
	require.NoError(t, err)
	for name, text := range pages {
		assert.NotContains(t, text, root, name)
		assert.NotContains(t, text, "text of the rule is broken", name)
		if name != "README.md" && name != byNamePage {
			assert.Regexp(t, `\*\*source\*\*|not confirmed by a document|compares the machine`, text, name)
		}
	}
}

// anchor is what a heading is linked by: GitHub keeps letters, digits, hyphens
// and underscores, in small letters.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == ' ':
			return '-'
		default:
			return -1
		}
	}, heading)
}
