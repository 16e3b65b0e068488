package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oddWords are words and phrases that people of the field do not use in this sense, with what they write.
var oddWords = map[string]string{
	`told apart`:               "distinguished",
	`\bmend(s|ed|ing)?\b`:      "fix",
	`\b(nobody|somebody)\b`:    "no one, or name who",
	`\bspeaks? (of|for|TLS)\b`: "covers",
	`\bat hand\b`:              "available, known, installed",
	`could not be judged|\bjudges? (nothing|a layout)`: "checked",
	`\bweigh\b`:          "review",
	`firmware's table\b`: "SMBIOS table",
	`(the|a|its|s|own) management controller`: "BMC",
	`\bwitness`:                       "source",
	`\banew\b`:                        "again",
	`kept back`:                       "withheld",
	`\bhangs? on\b`:                   "is attached to",
	`\bstands? (twice|out|otherwise)`: "is, differs",
	`(machine|board|module|processor)'s maker|the maker\b`: "vendor",
	`would tell\b|\bnot told\b|could not be told`:          "unknown",
	`is no empty slot|is no figure`:                        "is not",
	`\bfaces? (of|that)\b|three faces`:                     "values",
}

// TestPlainWords checks that what users read (help, messages, rule packs, goldens, documentation) has none of the odd
// words.
func TestPlainWords(t *testing.T) {
	odd := map[*regexp.Regexp]string{}
	for words, better := range oddWords {
		odd[regexp.MustCompile(`(?i)`+words)] = better
	}
	check := func(path string, line int, text string) {
		for re, better := range odd {
			if found := re.FindString(text); found != "" {
				assert.Fail(t, "odd word", "%s:%d: %q, better: %s", path, line, found, better)
			}
		}
	}
	root := filepath.Join("..", "..", "..")
	for _, folder := range []string{"cmd", "internal", "rules", "docs", "deploy", "testdata/machines", "README.md", "CONTRIBUTING.md", "SECURITY.md"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			require.NoError(t, err)
			golden := strings.Contains(name, "testdata/") && strings.HasSuffix(name, ".txt")
			switch {
			case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "internal/tools/"):
				for line, text := range sentences(t, path) {
					check(name, line, text)
				}
			case golden || strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".yml"),
				strings.HasSuffix(name, ".yaml") && !strings.Contains(name, "testdata/"):
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				for i, text := range strings.Split(string(data), "\n") {
					check(name, i+1, text)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
}

// sentences returns the string literals of a Go file that have a space in them, by line.
func sentences(t *testing.T, path string) map[int]string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, 0)
	require.NoError(t, err)
	out := map[int]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			if strings.Contains(text, " ") {
				out[fset.Position(lit.Pos()).Line] += text + "\n"
			}
		}
		return true
	})
	return out
}
