package page_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report/page"
)

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestMarkdown checks each kind of block in Markdown, and that no text contains what a renderer would take for
// markup, the end of a cell or of a block.
func TestMarkdown(t *testing.T) {
	var b strings.Builder
	err := page.WriteMarkdown(&b, []page.Block{
		{Head: &page.Head{Level: 2, Kind: "rule", Name: "memory.x [draft]"}},
		{Text: "One\nsentence with *stars*, `ticks`, <tags> and a back\\slash."},
		{Fields: []page.Field{{Name: "when", Value: "a  < b", Code: true}, {Name: "empty"}, {Name: "tick", Value: "a`b", Code: true}, {Name: "plain", Value: "a < b"}}},
		{Fields: []page.Field{{Name: "empty"}}},
		{Example: "$ memaudit\n```\ncol\tumn\n"},
		{Commands: []string{"memaudit check", "memaudit explain"}},
		{Commands: []string{"memaudit list"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "## memory.x \\[draft\\]\n\n" +
		"One sentence with \\*stars\\*, \\`ticks\\`, &lt;tags&gt; and a back\\\\slash.\n\n" +
		"- **when**: `a < b`\n- **tick**: ``a`b``\n- **plain**: a &lt; b\n\n" +
		"```text\n$ memaudit\n'''\ncol?umn\n```\n\n" +
		"```console\n$ memaudit check\n$ memaudit explain\n```\n\n```console\n$ memaudit list\n```\n"; b.String() != want {
		t.Errorf("%s\nexpected\n%s", b.String(), want)
	}
	if err := page.WriteMarkdown(full{}, nil); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("%v, expected that the disk is full", err)
	}
}
