package reference

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/report/printable"
)

// markdownPage is a Layout that writes Markdown. Nothing is wrapped, so that a change of one sentence is a change of one
// line.
type markdownPage struct {
	bytes.Buffer
	fields bool // in a list of fields, which an empty line ends
}

func (m *markdownPage) block(format string, args ...any) {
	if m.fields {
		m.WriteByte('\n')
		m.fields = false
	}
	_, _ = fmt.Fprintf(m, format, args...) // a buffer takes everything
}

// Head implements Layout, as the other methods do.
func (m *markdownPage) Head(level int, _, name string) {
	m.block("%s %s\n\n", strings.Repeat("#", level), markdown(name))
}

func (m *markdownPage) Text(s string) {
	if s != "" {
		m.block("%s\n\n", markdown(s))
	}
}

func (m *markdownPage) Field(_ int, name, value string, code bool) {
	if value == "" {
		return
	}
	text := markdown(value)
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
	m.block("```text\n")
	for line := range strings.Lines(s) {
		m.WriteString(strings.ReplaceAll(printable.Clean(strings.TrimSuffix(line, "\n")), "```", "'''") + "\n")
	}
	m.WriteString("```\n\n")
}

// Commands without lines ends a list of fields.
func (m *markdownPage) Commands(lines ...string) {
	if len(lines) == 0 {
		m.block("")
		return
	}
	m.block("```console\n$ %s\n```\n\n", strings.Join(lines, "\n$ "))
}

var markup = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`)
})

func markdown(s string) string {
	s = printable.Clean(strings.Join(strings.Fields(s), " "))
	return markup().Replace(s)
}
