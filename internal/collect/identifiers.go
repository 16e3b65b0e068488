package collect

import (
	"regexp"
	"sync"
)

// identifiers are what a kernel's command line may carry of one machine: the
// UUIDs of its file systems (root=UUID=...), the addresses of its network cards
// (BOOTIF=01-52-54-00-12-34-56).
var identifiers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b([0-9a-f]{2}[:-]){5,6}[0-9a-f]{2}\b`)
})

// withoutIdentifiers is a text as evidence may show it.
func withoutIdentifiers(text string) string {
	return identifiers().ReplaceAllString(text, "<hidden>")
}
