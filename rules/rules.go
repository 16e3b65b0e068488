// Package rules embeds what memaudit knows: rule packs, profiles, platforms, slot maps and the processor table, and their compiled form. The files
// are described in README.md beside this one.
package rules

//go:generate go run ../internal/tools/generate ..
