// Package page holds what a page about rules, profiles or platforms is made of,
// and prints it as Markdown.
package page

// Block is one part of a page about rules, profiles or platforms. Pages have
// two writers, for a terminal and for Markdown, so that a command and a
// document can never say different things. Exactly one of the fields is used.
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
