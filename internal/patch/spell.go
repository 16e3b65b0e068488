package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/bios"
	"github.com/memaudit/memaudit/internal/settings"
)

// spell is a canonical word as this machine spells it for one attribute: one
// of the options on offer where they are known, else the vendor's word. "" with
// a reason when there is none, or when several spellings are known and nothing
// in the export decides.
func (m *maker) spell(id, word string, e *settings.Attribute, a *bios.Attribute) (string, string) {
	words := vendorWords(id, word, e)
	if len(words) == 0 {
		return "", ""
	}
	if len(a.Options) > 0 {
		if o := offered(a, words); o != "" {
			return o, ""
		}
		return "", fmt.Sprintf("%s offers %s here, none of which is known to be %s", a.Name, strings.Join(a.Options, ", "), word)
	}
	seen := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !m.uses(w) })
	own := opposite[stands(a)]
	switch {
	case slices.Contains(words, own):
		return own, "" // as the attribute's own value is spelled
	case len(seen) == 1:
		return seen[0], ""
	case len(words) == 1:
		return words[0], ""
	default:
		return "", fmt.Sprintf("%s is spelled %s by one firmware or another: the attribute registry, given with a further --bios, decides", a.Name, strings.Join(words, ", "))
	}
}

// opposite are the words of one spelling of a switch.
var opposite = map[string]string{"Enable": "Disable", "Disable": "Enable", "Enabled": "Disabled", "Disabled": "Enabled"}

// vendorWords are the vendor's words for a canonical one, sorted.
func vendorWords(id, word string, e *settings.Attribute) []string {
	var words []string
	for vendor, canonical := range e.Values {
		if canonical == word {
			words = append(words, vendor)
		}
	}
	s, ok := settings.Lookup(id)
	if ok && len(e.Values) == 0 && s.Kind == settings.Name || e.Numbers && strings.Trim(word, "0123456789") == "" {
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

// offered is the option that one of the words names.
func offered(a *bios.Attribute, words []string) string {
	for _, w := range words {
		for _, o := range a.Options {
			if settings.Plain(o) == settings.Plain(w) || a.OptionTexts[o] != "" && settings.Plain(a.OptionTexts[o]) == settings.Plain(w) {
				return o
			}
		}
	}
	return ""
}

// uses reports whether the export uses a word for any of its attributes.
func (m *maker) uses(word string) bool {
	return slices.ContainsFunc(m.src.Export.Attributes, func(a bios.Attribute) bool { return a.Value == word || slices.Contains(a.Options, word) })
}
