//go:build !js

package rules

import "embed"

// FS holds every data file below this folder; the Markdown pages are for readers of the repository.
//
//go:embed processors.csv */*.yaml */*.tsv compiled/*.cbor compiled/platforms/*.cbor
var FS embed.FS
