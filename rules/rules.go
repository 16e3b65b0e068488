// Package rules embeds what memaudit knows: rule packs, profiles, platforms, slot maps and the processor table. The files
// are described in README.md beside this one.
package rules

import "embed"

//go:generate go test -count=1 -run TestGeneratedFilesAreCurrent -v ../internal/tools/generate -update

// FS holds the data files below this folder, but of the packs, profiles, vendors' settings and part numbers only their
// compiled form; the Markdown pages are for readers of the repository.
//
//go:embed processors.csv events/*.yaml explain/*.yaml explain/*.tsv platforms/*.yaml platforms/*.tsv settings/vocabulary.tsv settings/includes.tsv
//go:embed slots/*.yaml slots/*.tsv
//go:embed compiled/*.cbor compiled/platforms/*.cbor
var FS embed.FS
