package generate

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// markdownPage is a reference.Layout that writes Markdown. Nothing is wrapped, so that a change of one sentence is a change of one
// line.
type markdownPage struct {
	bytes.Buffer
	fields bool // in a list of fields, which an empty line ends
}

func (m *markdownPage) writeBlock(format string, args ...any) {
	if m.fields {
		m.WriteByte('\n')
		m.fields = false
	}
	_, _ = fmt.Fprintf(m, format, args...) // a buffer takes everything
}

// Head implements reference.Layout, as the other methods do.
func (m *markdownPage) Head(level int, _, name string) {
	m.writeBlock("%s %s\n\n", strings.Repeat("#", level), escapeMarkdown(name))
}

func (m *markdownPage) Text(s string) {
	if s != "" {
		m.writeBlock("%s\n\n", escapeMarkdown(s))
	}
}

func (m *markdownPage) Field(_ int, name, value string, code bool) {
	if value == "" {
		return
	}
	text := escapeMarkdown(value)
	if code {
		fence := "`"
		if strings.Contains(value, "`") {
			fence = "``"
		}
		text = fence + printable.Clean(strings.Join(strings.Fields(value), " ")) + fence
	}
	m.WriteString("- **" + name + "**: " + text + "\n")
	m.fields = true
}

// Table prints nothing: only pages for a terminal have tables.
func (m *markdownPage) Table([]string, [][]string) {}

// Example prints each line; a fence inside would end the block.
func (m *markdownPage) Example(s string) {
	if s == "" {
		return
	}
	m.writeBlock("```text\n")
	for line := range strings.Lines(s) {
		m.WriteString(strings.ReplaceAll(printable.Clean(strings.TrimSuffix(line, "\n")), "```", "'''") + "\n")
	}
	m.WriteString("```\n\n")
}

// Commands without lines ends a list of fields.
func (m *markdownPage) Commands(lines ...string) {
	if len(lines) == 0 {
		m.writeBlock("")
		return
	}
	m.writeBlock("```console\n$ %s\n```\n\n", strings.Join(lines, "\n$ "))
}

var markup = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`)

func escapeMarkdown(s string) string {
	s = printable.Clean(strings.Join(strings.Fields(s), " "))
	return markup.Replace(s)
}

// TestMarkdown checks that no text contains what a renderer would take for markup, the end of a cell or of a block.
func TestMarkdown(t *testing.T) {
	var m markdownPage
	m.Head(2, "rule", "memory.x [draft]")
	m.Text("One\nsentence with *stars*, `ticks`, <tags> and a back\\slash.")
	m.Field(0, "when", "a  < b", true)
	m.Field(0, "empty", "", false)
	m.Field(0, "tick", "a`b", true)
	m.Field(0, "plain", "a < b", false)
	m.Example("$ memaudit\n```\ncol\tumn\n")
	m.Commands("memaudit check", "memaudit explain")
	assert.Equal(t, "## memory.x \\[draft\\]\n\n"+
		"One sentence with \\*stars\\*, \\`ticks\\`, &lt;tags&gt; and a back\\\\slash.\n\n"+
		"- **when**: `a < b`\n- **tick**: ``a`b``\n- **plain**: a &lt; b\n\n"+
		"```text\n$ memaudit\n'''\ncol?umn\n```\n\n"+
		"```console\n$ memaudit check\n$ memaudit explain\n```\n\n", m.String())
}

// TestByName checks that every rule and setting has a heading, to which alerts link, and that the page has no path of
// this machine.
func TestByName(t *testing.T) {
	page := byName(t, corpustest.Root(t), map[string]string{"memory.channel.populated": "fails on example"})
	for _, heading := range []string{"memory.channel.populated", "setting.smt"} {
		assert.Contains(t, page, "\n## "+heading+"\n")
	}
	assert.Contains(t, page, "- **on the example servers**: fails on example\n")
	assert.NotContains(t, page, corpustest.Root(t))
	assert.NotContains(t, page, "text of the rule is broken")
}
