// Package rules embeds what memaudit knows: rule packs, profiles, platforms,
// slot maps and the processor table. The files are described in README.md
// beside this one.
package rules

import "embed"

//go:generate go run ../internal/tools/generate ..

// FS holds every data file below this folder; the pages beside them are for
// readers of the repository.
//
//go:embed compiled.bin processors.csv *.schema.json */*.yaml */*.tsv
var FS embed.FS
