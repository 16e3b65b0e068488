// Package page holds what a page about rules, profiles or platforms is made of,
// and prints it as Markdown.
package page

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/memaudit/memaudit/internal/report/printable"
)

// Block is one part of a page about rules, profiles or platforms. Pages have two writers, for a terminal and for
// Markdown, so that a command and a document are always the same. Exactly one of the fields is used.
type Block struct {
	Head   *Head
	Text   string
	Fields []Field
	// Indent moves Fields to the right on a terminal.
	Indent int
	Table  *Table
	// Example is output as the program prints it, line by line.
	Example string
	// Commands are what to type, shown in Markdown only: who reads a terminal
	// has typed already.
	Commands []string
}

// Head is a heading: what kind of thing it is about, and its name.
type Head struct {
	// Level is 1 for the page itself, 3 for a part of a thing.
	Level      int
	Kind, Name string
}

// Field is a labelled text; an empty one is left out.
type Field struct {
	Name, Value string
	// Code marks expressions, names of files and the like.
	Code bool
}

// Table is a table of plain text, shown on a terminal only.
type Table struct {
	Heads []string
	Rows  [][]string
}

// WriteMarkdown prints blocks as a Markdown page. Nothing is wrapped, so that
// a change of one sentence is a change of one line.
func WriteMarkdown(w io.Writer, blocks []Block) error {
	var out bytes.Buffer
	for i := range blocks {
		markdownBlock(&out, &blocks[i])
	}
	if _, err := w.Write(append(bytes.TrimSpace(out.Bytes()), '\n')); err != nil {
		return fmt.Errorf("write Markdown: %w", err)
	}
	return nil
}

func markdownBlock(out *bytes.Buffer, b *Block) {
	switch {
	case b.Head != nil:
		fmt.Fprintf(out, "%s %s\n\n", strings.Repeat("#", b.Head.Level), markdown(b.Head.Name))
	case b.Example != "":
		out.WriteString("```text\n" + cleanLines(b.Example) + "```\n\n")
	case len(b.Commands) > 0:
		out.WriteString("```console\n$ " + strings.Join(b.Commands, "\n$ ") + "\n```\n\n")
	case b.Text != "":
		out.WriteString(markdown(b.Text) + "\n\n")
	}
	fields := false
	for _, f := range b.Fields {
		if f.Value != "" {
			fmt.Fprintf(out, "- **%s**: %s\n", f.Name, markdownText(f.Value, f.Code))
			fields = true
		}
	}
	if fields {
		out.WriteByte('\n')
	}
}

func markdownText(s string, code bool) string {
	if !code {
		return markdown(s)
	}
	if s == "" {
		return ""
	}
	fence := "`"
	if strings.Contains(s, "`") {
		fence = "``"
	}
	return fence + printable.Clean(strings.Join(strings.Fields(s), " ")) + fence
}

// markup is what Markdown would take for it, made at first use.
var markup = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`)
})

func markdown(s string) string {
	s = printable.Clean(strings.Join(strings.Fields(s), " "))
	return markup().Replace(s)
}

// cleanLines cleans each line; a fence inside would end the block.
func cleanLines(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		out.WriteString(strings.ReplaceAll(printable.Clean(strings.TrimSuffix(line, "\n")), "```", "'''") + "\n")
	}
	return out.String()
}
