package wording

import (
	"regexp"
	"sync"
)

var brackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \([^()]*\)`) })

// WithoutBrackets takes out what stands in brackets, from the innermost on: the
// names of slots beside a picture that shows them.
func WithoutBrackets(s string) string {
	for {
		bare := brackets().ReplaceAllString(s, "")
		if bare == s {
			return s
		}
		s = bare
	}
}
