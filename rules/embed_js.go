package rules

import "embed"

// FS holds what an audit reads. The page in the browser shows no rule's own text, so the packs are there in their compiled form alone.
//
//go:embed processors.csv events/*.yaml explain/*.yaml platforms/*.yaml slots/*.yaml */*.tsv compiled/*.cbor compiled/platforms/*.cbor
var FS embed.FS
