// Package lazy makes at its first use what most runs do not need.
package lazy

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled when it is first asked for.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
