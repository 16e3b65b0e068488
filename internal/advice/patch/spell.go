package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// spell returns a canonical word as this machine spells it for one attribute: one of the offered options if
// they are known, otherwise the other word of a switch in the export, otherwise the documented word for
// machines of the vendor. It returns "" with a reason if no spelling is known, or if several are and the export
// does not decide.
func (m *patchMaker) spell(id, word string, e *settings.Attribute, a *bios.Attribute) (string, string) {
	words := vendorWords(id, word, e)
	if len(words) == 0 {
		return "", ""
	}
	if len(a.Options) > 0 {
		if o := offered(a, words); o != "" {
			return typed(a, o), ""
		}
		return "", fmt.Sprintf("%s offers %s here, none of which is known to be %s", a.Name, strings.Join(a.Options, ", "), word)
	}
	if own := settings.OtherWord(current(a)); slices.Contains(words, own) {
		return own, "" // as the attribute's own value is spelled
	}
	proven := m.proven(words, a)
	if len(proven) > 1 {
		proven = slices.DeleteFunc(proven, func(w string) bool { return !m.usesSpelling(w) })
	}
	switch {
	case len(proven) == 1:
		return proven[0], ""
	case len(words) == 1 && len(e.Tools) > 0 && !e.Unverified:
		return words[0], "" // its only tool documents the spelling
	case len(words) == 1:
		return "", fmt.Sprintf("no export or registry on record shows that %s is spelled %s: the attribute registry, given with a further --bios, decides", a.Name, words[0])
	default:
		return "", fmt.Sprintf("%s is spelled %s by one firmware or another: the attribute registry, given with a further --bios, decides", a.Name, strings.Join(words, ", "))
	}
}

// proven returns the documented words of the vendor's machines for the attribute, and those of a switch that
// this export uses for others.
func (m *patchMaker) proven(words []string, a *bios.Attribute) []string {
	var out []string
	for _, w := range words {
		found := m.src.Table.Recorded(a.Name, w, recordsOf(m.src.Export))
		if settings.OtherWord(w) != "" && m.usesSpelling(w) {
			found = append(found, w)
		}
		for _, f := range found {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// recordsOf returns the naming scheme of an export.
func recordsOf(e *bios.Export) string {
	switch e.Format {
	case bios.SUMXML:
		return settings.FormSUM
	case bios.ASU:
		return settings.FormASU
	case bios.Conrep, bios.DellSyscfg:
		return "" // its names are its own, and not documented
	default:
		return settings.FormRedfish
	}
}

// vendorWords returns the vendor's words for a canonical one, sorted.
func vendorWords(id, word string, e *settings.Attribute) []string {
	var words []string
	for vendor, canonical := range e.Values {
		if canonical == word {
			words = append(words, vendor)
		}
	}
	s, ok := settings.Lookup(id)
	if ok && len(e.Values) == 0 && s.Kind == settings.VendorName || e.Numbers && strings.Trim(word, "0123456789") == "" {
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

// offered returns the option that matches one of the words.
func offered(a *bios.Attribute, words []string) string {
	for _, w := range words {
		for _, o := range a.Options {
			if settings.PlainName(o) == settings.PlainName(w) || a.OptionTexts[o] != "" && settings.PlainName(a.OptionTexts[o]) == settings.PlainName(w) {
				return o
			}
		}
	}
	return ""
}

// typed returns an option as the machine's own values are spelled: by its text if the registry names options by
// number and the resource shows texts, as on Supermicro's X13.
func typed(a *bios.Attribute, option string) string {
	text := a.OptionTexts[option]
	now := current(a)
	if text == "" || slices.Contains(a.Options, now) {
		return option
	}
	for _, shown := range a.OptionTexts {
		if shown == now {
			return text
		}
	}
	return option
}

// usesSpelling reports whether the export spells switches like this word: some firmware uses Enable and Disable,
// other Enabled and Disabled.
func (m *patchMaker) usesSpelling(word string) bool {
	other := settings.OtherWord(word)
	return m.uses(word) || other != "" && m.uses(other)
}

// uses reports whether the export uses a word for any of its attributes.
func (m *patchMaker) uses(word string) bool {
	return slices.ContainsFunc(m.src.Export.Attributes, func(a bios.Attribute) bool { return a.Value == word || slices.Contains(a.Options, word) })
}
