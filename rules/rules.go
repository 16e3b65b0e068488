// Package rules embeds what memaudit knows: rule packs, profiles, platforms, slot maps and the processor table, and their compiled form. The files
// are described in README.md beside this one.
package rules

import "embed"

//go:generate go run ../internal/tools/generate ..

// FS holds every data file below this folder; the Markdown pages are for readers of the repository.
//
//go:embed processors.csv */*.yaml */*.tsv compiled/*.cbor compiled/platforms/*.cbor
var FS embed.FS
