package wording

import (
	_ "embed" // the abbreviations are data beside the code
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
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

// TermsIn lists the abbreviations in a text, in their order, as separate words in any case: also those in the ids of
// rules and settings ("memory.ecc.active", "upi_speed") and in the plural.
func TermsIn(text string) []Term {
	var out []Term
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, term := range termsInWord(word) {
			if !seen[term.Name] {
				seen[term.Name] = true
				out = append(out, term)
			}
		}
	}
	return out
}

// termsInWord lists the abbreviations in a word: itself, else the parts joined by hyphens.
func termsInWord(word string) []Term {
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
	return append(termsInWord(first), termsInWord(rest)...)
}

var brackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \([^()]*\)`) })

// WithoutBrackets removes text in brackets, from the innermost on: the names of slots next to a picture that shows
// them.
func WithoutBrackets(s string) string {
	for {
		bare := brackets().ReplaceAllString(s, "")
		if bare == s {
			return s
		}
		s = bare
	}
}

// Each returns a text for each entry of a list.
func Each[T any](list []T, text func(T) string) []string {
	out := make([]string, len(list))
	for i, entry := range list {
		out[i] = text(entry)
	}
	return out
}

// AddNew adds a text to a list, unless it is "" or there already.
func AddNew(list []string, text string) []string {
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// Groups collects values by name, in the order of first appearance. The zero value is empty.
type Groups[T any] struct {
	Names []string
	Of    map[string][]T
}

// Add adds a value to the group of a name.
func (g *Groups[T]) Add(name string, value T) {
	if g.Of[name] == nil {
		g.Names = append(g.Names, name)
	}
	if g.Of == nil {
		g.Of = map[string][]T{}
	}
	g.Of[name] = append(g.Of[name], value)
}

// Tally sums by name in the order of first appearance.
type Tally []Tallied

// Tallied is one name with its sum.
type Tallied struct {
	Name string
	N    int64
}

// Add adds n to the sum of name.
func (t *Tally) Add(name string, n int64) {
	for i := range *t {
		if (*t)[i].Name == name {
			(*t)[i].N += n
			return
		}
	}
	*t = append(*t, Tallied{name, n})
}

// JoinSubjects brings numbered subjects of one kind together: "sockets 0-3".
func JoinSubjects(subjects []inventory.Subject) []string {
	numbers := map[string][]int{}
	var out []string
	for _, s := range subjects {
		kind := string(s.Kind)
		if s.Kind != inventory.AboutSocket && s.Kind != inventory.AboutNode {
			out = append(out, s.String())
			continue
		}
		if numbers[kind] == nil {
			out = append(out, kind)
		}
		numbers[kind] = append(numbers[kind], s.Number)
	}
	for i, kind := range out {
		if list := numbers[kind]; list != nil {
			slices.Sort(list)
			if len(list) > 1 {
				kind += "s"
			}
			out[i] = kind + " " + humanize.Ranges(list)
		}
	}
	return out
}

// NoSocket represents memory on a controller outside the processors.
const NoSocket = -1

// SocketID is a socket's number, NoSocket if the report has none.
func SocketID(socket *int) int {
	if socket == nil {
		return NoSocket
	}
	return *socket
}
