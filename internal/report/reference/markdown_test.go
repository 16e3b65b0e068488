package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

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
