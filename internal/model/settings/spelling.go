package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// spellingsFile lists the names and values of attributes as exports or registries of each
// generation of machines spell them.
const spellingsFile = "spellings.tsv"

// Forms of names: a vendor's tools call the same attribute by different names.
const (
	// FormRedfish are the names of the Redfish Bios resource, which Dell's and HPE's command lines share.
	FormRedfish = "redfish"
	// FormSUM are the texts that Supermicro's SUM prints.
	FormSUM = "sum"
	// FormASU are the names of IBM's ASU and of Lenovo's OneCLI.
	FormASU = "asu"
	// FormMenu are texts of BIOS setup as a document prints them.
	FormMenu = "menu"
)

// findWord returns a value as the source spells it and, if recorded, its text in BIOS setup; ok is false if the source does
// not have it. Spellings may differ in letter case, spaces and punctuation.
func (s *spelling) findWord(value string) (word, text string, ok bool) {
	plain := ""
	for entry := range strings.SplitSeq(s.values, "|") {
		own, shown, _ := strings.Cut(entry, "=")
		if own == value {
			return own, shown, true
		}
		if ok {
			continue
		}
		if plain == "" {
			plain = PlainName(value)
		}
		if PlainName(own) == plain {
			word, text, ok = own, shown, true
		}
	}
	return word, text, ok
}

// spellingRows returns a vendor's rows of spellingsFile, without the vendor's name; "" if the folder has no such file.
func spellingRows(fsys fs.FS, dir, vendor string) (string, error) {
	raw, err := fs.ReadFile(fsys, path.Join(dir, spellingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var rows strings.Builder
	for line := range strings.Lines(string(raw)) {
		if row, own := strings.CutPrefix(line, vendor+"\t"); own {
			rows.WriteString(row)
		}
	}
	return rows.String(), nil
}

func parseSpellings(rows string) (map[string][]*spelling, error) {
	out := map[string][]*spelling{}
	for line := range strings.Lines(rows) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("settings: %s: %q: %d columns, expected vendor, source, form, attribute, display, values", spellingsFile, line, len(f)+1)
		}
		s := &spelling{source: f[0], form: f[1], name: f[2], display: f[3], values: f[4]}
		plain := PlainName(s.name)
		out[plain] = append(out[plain], s)
	}
	return out, nil
}

func (t *Table) spellingsOf(name string) []*spelling {
	if t.spellings == nil {
		return nil
	}
	return t.spellings()[PlainName(name)]
}

func (t *Table) spellingsFor(name string, w *Change) []*spelling {
	var out []*spelling
	for i := range t.Generations {
		for _, s := range t.spellingsOf(name) {
			if g := &t.Generations[i]; s.source == g.Source && g.coversMachine(w) {
				out = append(out, s)
			}
		}
	}
	return out
}

// Recorded lists how machines of the vendor, of any generation, spell a value of an attribute in
// one form, as far as an export, a registry or a document shows it.
func (t *Table) Recorded(name, value, form string) []string {
	var out []string
	for _, s := range t.spellingsOf(name) {
		if word, _, ok := s.findWord(value); ok && s.form == form && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// coversMachine reports whether the machine belongs to the generation: by its firmware's family, or by its platform and product.
func (g *Generation) coversMachine(w *Change) bool {
	return w.Firmware != "" && slices.Contains(g.Firmware, w.Firmware) || slices.Contains(g.For, w.Platform) && (len(g.Products) == 0 ||
		slices.ContainsFunc(g.Products, func(p string) bool { return strings.Contains(w.Product, p) }))
}

// isDocumented reports whether an entry comes from a document about this machine: it names the machine, or it is a menu path
// with the source of the machine's generation.
func (t *Table) isDocumented(a *Attribute, w *Change) bool {
	return namesMachine(a.For, w) || a.Name == "" && slices.ContainsFunc(t.Generations, func(g Generation) bool { return g.Source == a.Source && g.coversMachine(w) })
}

// OtherWord returns the opposite value of a switch in the same spelling, "" for a value that is not that of a switch.
func OtherWord(word string) string {
	return map[string]string{"Enable": "Disable", "Disable": "Enable", "Enabled": "Disabled", "Disabled": "Enabled"}[word]
}

func (t *Table) formOfName(name string) string {
	switch {
	case boardSuffix(name):
		return FormRedfish
	case t.Vendor == "IBM", strings.Contains(name, ".") && t.Vendor == "Lenovo":
		return FormASU
	case slices.ContainsFunc(t.Commands, func(c Command) bool { return c.Form == FormSUM }):
		return FormSUM
	default:
		return FormRedfish
	}
}

// boardSuffix reports whether a name ends with the four digits that AMI's firmware appends, which differ between boards.
func boardSuffix(name string) bool {
	n := len(name) - 5
	return n > 0 && name[n] == '_' && isHexadecimal(name[n+1:]) && strings.ContainsAny(name[n+1:], "0123456789")
}

// toolSpelling returns an attribute's name and value as a tool of a form takes them on the machine; false if either is not proven.
func (t *Table) toolSpelling(a *Attribute, value, form string, w *Change) (name, word string, ok bool) {
	seen := w.Seen != "" && PlainName(a.Name) == PlainName(w.Seen) && t.formOfName(w.Seen) == form
	if seen && (value == w.SeenRaw || value == OtherWord(w.SeenRaw)) {
		return w.Seen, value, true
	}
	for _, s := range t.spellingsFor(a.Name, w) {
		if s.form != form || boardSuffix(s.name) && !seen {
			continue
		}
		if word, _, ok := s.findWord(value); ok {
			if seen {
				return w.Seen, word, true
			}
			return s.name, word, true
		}
	}
	if namesMachine(a.For, w) {
		return a.Name, value, true
	}
	return "", "", false
}

// menuValue returns a value as BIOS setup shows it; false if it is not proven that the menu has this option and value.
func (t *Table) menuValue(a *Attribute, value string, w *Change) (string, bool) {
	if t.isDocumented(a, w) {
		if a.Name == "" {
			return value, true
		}
		text, ok := a.Texts[value]
		return text, ok
	}
	for _, s := range t.spellingsFor(a.Name, w) {
		switch word, text, ok := s.findWord(value); {
		case !ok:
		case s.display != "" && PlainName(s.display) != PlainName(lastStep(a.Menu)):
			return "", false // this generation calls the option otherwise
		case text != "":
			return text, true
		case s.form == FormSUM, word == "Enabled", word == "Disabled":
			return word, true
		case a.Texts[word] != "":
			return a.Texts[word], true
		}
	}
	return "", false
}
