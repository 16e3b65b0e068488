// Package rules embeds what memaudit knows: rule packs, profiles, platforms,
// slot maps and the processor table. The files are described in README.md
// beside this one.
package rules

import "embed"

//go:generate go run ../internal/tools/generate ..

//go:embed compiled.bin processors.csv *.schema.json */*.yaml */*.tsv
var embeddedFiles embed.FS

//go:embed compiled.bin
var compiled string

//go:embed slots/sets.tsv
var slotSets string

// FS holds every data file below this folder; the pages beside them are for
// readers of the repository.
var FS = Files{embeddedFiles}

// Files is the embedded knowledge.
type Files struct{ embed.FS }

// Compiled is compiled.bin as one text, which is read without a copy.
func (Files) Compiled() string { return compiled }

// Text is a large table of which an audit looks for a few lines.
func (Files) Text(name string) (string, bool) {
	if name == "slots/sets.tsv" {
		return slotSets, true
	}
	return "", false
}
