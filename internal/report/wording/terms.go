package wording

import (
	_ "embed" // the abbreviations are data beside the code
	"strings"
	"sync"
	"unicode"
)

//go:embed terms.tsv
var termsFile string

// Term is an abbreviation and what it means in a few words.
type Term struct{ Name, Meaning string }

// termsByName lists the abbreviations by their names in small letters.
var termsByName = sync.OnceValue(func() map[string]Term {
	out := map[string]Term{}
	for line := range strings.Lines(termsFile) {
		name, meaning, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok && !strings.HasPrefix(line, "#") {
			out[strings.ToLower(name)] = Term{name, meaning}
		}
	}
	return out
})

// TermsIn are the abbreviations that a text uses, in the order in which they come up,
// whole words in any case: also those in the ids of rules and settings
// ("memory.ecc.active", "upi_speed") and in the plural.
func TermsIn(text string) []Term {
	var out []Term
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, term := range termsOf(word) {
			if !seen[term.Name] {
				seen[term.Name] = true
				out = append(out, term)
			}
		}
	}
	return out
}

// termsOf are the abbreviations in a word: itself, else the parts that hyphens join.
func termsOf(word string) []Term {
	name := strings.ToLower(word)
	term, ok := termsByName()[name]
	if !ok && strings.HasSuffix(word, "s") {
		term, ok = termsByName()[strings.TrimSuffix(name, "s")]
	}
	if ok {
		return []Term{term}
	}
	first, rest, ok := strings.Cut(word, "-")
	if !ok {
		return nil
	}
	return append(termsOf(first), termsOf(rest)...)
}
