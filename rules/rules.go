// Package rules embeds what memaudit knows: rule packs, profiles, platforms,
// slot maps and the processor table. The files are described in README.md
// beside this one.
package rules

import "embed"

// FS holds every data file below this folder.
//
//go:embed compiled.bin dell fujitsu general ibm intel platforms profiles settings slots sun processors.csv
var FS embed.FS
