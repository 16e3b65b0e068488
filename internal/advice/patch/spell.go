package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// spell is a canonical word as this machine spells it for one attribute: one
// of the options on offer where they are known, else the other word of the
// switch that the export shows, else what is on record of machines of the
// vendor. "" with a reason when nothing proves a spelling, or when several are
// known and nothing in the export decides.
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
	if own := settings.OtherWord(stands(a)); slices.Contains(words, own) {
		return own, "" // as the attribute's own value is spelled
	}
	proven := m.proven(words, a)
	if len(proven) > 1 {
		proven = slices.DeleteFunc(proven, func(w string) bool { return !m.speaks(w) })
	}
	switch {
	case len(proven) == 1:
		return proven[0], ""
	case len(words) == 1 && len(e.Tools) > 0 && !e.Unverified:
		return words[0], "" // the document of its one tool spells it
	case len(words) == 1:
		return "", fmt.Sprintf("no export or registry on record shows that %s is spelled %s: the attribute registry, given with a further --bios, decides", a.Name, words[0])
	default:
		return "", fmt.Sprintf("%s is spelled %s by one firmware or another: the attribute registry, given with a further --bios, decides", a.Name, strings.Join(words, ", "))
	}
}

// proven are the words that machines of the vendor are on record with for the
// attribute, and those of a switch that this export uses for others.
func (m *patchMaker) proven(words []string, a *bios.Attribute) []string {
	var out []string
	for _, w := range words {
		found := m.src.Table.Recorded(a.Name, w, recordsOf(m.src.Export))
		if settings.OtherWord(w) != "" && m.speaks(w) {
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

// recordsOf is the form of names that an export has.
func recordsOf(e *bios.Export) string {
	switch e.Format {
	case bios.SUMXML:
		return settings.FormSUM
	case bios.ASU:
		return settings.FormASU
	case bios.Conrep, bios.DellSyscfg:
		return "" // its names are its own, and none are on record
	default:
		return settings.FormRedfish
	}
}

// vendorWords are the vendor's words for a canonical one, sorted.
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

// offered is the option that one of the words names.
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

// typed is an option as the machine's own values are spelled: by its text if the registry names
// options by number and the resource shows texts, as Supermicro's X13 does.
func typed(a *bios.Attribute, option string) string {
	text := a.OptionTexts[option]
	now := stands(a)
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

// speaks reports whether the export spells switches as a word is spelled: some
// firmware says Enable and Disable, other Enabled and Disabled.
func (m *patchMaker) speaks(word string) bool {
	other := settings.OtherWord(word)
	return m.uses(word) || other != "" && m.uses(other)
}

// uses reports whether the export uses a word for any of its attributes.
func (m *patchMaker) uses(word string) bool {
	return slices.ContainsFunc(m.src.Export.Attributes, func(a bios.Attribute) bool { return a.Value == word || slices.Contains(a.Options, word) })
}
