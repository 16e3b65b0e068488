package settings

import (
	"slices"
	"strings"
)

// Wish is a setting that ought to have another value on one machine.
type Wish struct {
	// ID is the canonical id, Want the canonical value.
	ID, Want string
	// Product and Platform say which machine it is: what the system calls
	// itself, and the platform's id.
	Product, Platform string
	// Maker is who made the processors, as CPUID has it (GenuineIntel,
	// AuthenticAMD); "" when not known.
	Maker string
	// Seen is the attribute name that an export of this very machine carried;
	// it decides among a vendor's names.
	Seen string
	// Preset is what the vendor's master preset is set to; "" when not known.
	Preset string
}

// Steps are the ways to fulfil a wish that the vendor's documents or published
// captures prove, one line each: first the preset that locks the setting, then
// the menu path, then each command line. None when the table proves no name
// for this machine. Nothing here is ever run: an operator reads it.
func (t *Table) Steps(w Wish) []string {
	s, ok := Lookup(w.ID)
	if !ok {
		return nil
	}
	a, value := t.name(s, &w)
	if a == nil {
		return nil
	}
	var lines []string
	if a.Menu != "" {
		lines = append(lines, "BIOS setup: "+a.Menu+" = "+value)
	}
	if a.Name != "" {
		lines = append(lines, t.commands(a, value, &w)...)
	}
	if len(lines) == 0 {
		lines = append(lines, "BIOS attribute "+a.Name+" = "+value)
	}
	if first := t.unlock(&w); first != "" {
		lines = append([]string{first}, lines...)
	}
	return lines
}

// name finds the vendor's attribute for this machine and its word for the
// wanted value: the attribute that the machine's export carried, else the
// first that names the product or platform, else the first that names none.
func (t *Table) name(s Setting, w *Wish) (*Attribute, string) {
	if w.Seen != "" && len(t.Find(w.Seen)) > 0 {
		a, value := t.first(s, w, func(a *Attribute) bool { return Plain(a.Name) == Plain(w.Seen) })
		if a == nil {
			return nil, "" // this machine's own name is known, and no word for the value
		}
		seen := *a
		seen.Name = w.Seen // with the suffix of this board
		return &seen, value
	}
	if a, value := t.first(s, w, func(a *Attribute) bool { return names(a.For, w) }); a != nil {
		return a, value
	}
	return t.first(s, w, func(a *Attribute) bool { return len(a.For) == 0 && !names(t.Except, w) && !a.foreign(w.Maker) })
}

// first finds the first proven attribute that fits and has a word for the
// wanted value.
func (t *Table) first(s Setting, w *Wish, fits func(*Attribute) bool) (*Attribute, string) {
	attrs := t.Settings[s.ID]
	for i := range attrs {
		if a := &attrs[i]; !a.Unverified && fits(a) {
			if value, ok := a.Word(s, w.Want); ok {
				return a, value
			}
		}
	}
	return nil, ""
}

// names reports whether a list names this machine: its platform, or a
// beginning of its product.
func names(list []string, w *Wish) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		return l == w.Platform || w.Product != "" && strings.HasPrefix(w.Product, l)
	})
}

// foreign reports whether an attribute bears the name of another maker than the
// processors': an EPYC has no Intel(R) Hyper-Threading in its menus.
func (a *Attribute) foreign(maker string) bool {
	text := a.Name + " " + a.Menu
	switch maker {
	case "AuthenticAMD":
		return strings.Contains(text, "Intel")
	case "GenuineIntel":
		return strings.Contains(text, "AMD") || strings.Contains(text, "Amd")
	default:
		return false
	}
}

// commands fills in the documented command lines.
func (t *Table) commands(a *Attribute, value string, w *Wish) []string {
	var lines []string
	dotted := strings.Replace(a.Name, "_", ".", 1)
	fill := strings.NewReplacer("{attribute}", a.Name, "{dotted}", dotted, "{group}", a.Group, "{value}", value, "{menu}", a.Menu)
	for i := range t.Commands {
		c := &t.Commands[i]
		text := strings.Join(c.Steps, "; ")
		switch {
		case len(c.For) > 0 && !names(c.For, w), len(c.For) == 0 && names(t.Except, w):
		case len(a.Tools) > 0 && !slices.Contains(a.Tools, c.Tool):
		case a.Group == "" && strings.Contains(text, "{group}"):
		default:
			lines = append(lines, c.Tool+": "+fill.Replace(text)+" (takes effect "+c.Acts+")")
		}
	}
	return lines
}

// unlock says what to do about the preset that governs the setting.
func (t *Table) unlock(w *Wish) string {
	if names(t.Except, w) {
		return ""
	}
	for i := range t.Masters {
		m := &t.Masters[i]
		if !slices.Contains(m.Locks, w.ID) {
			continue
		}
		free := strings.Join(m.Free, " or ")
		switch {
		case w.Preset == "":
			return m.Attribute + " must be " + free + " for the setting to be changed"
		case !slices.ContainsFunc(m.Free, func(f string) bool { return Plain(f) == Plain(w.Preset) }):
			return "first set " + m.Attribute + " to " + free + ": it is " + w.Preset + ", which governs the setting"
		}
	}
	return ""
}

// InertUnder finds the preset of an export under which a setting's own value
// does nothing; false where the setting is free.
func (t *Table) InertUnder(id string, lookup func(plain string) []Given) (Given, bool) {
	for i := range t.Masters {
		m := &t.Masters[i]
		if !m.Inert || !slices.Contains(m.Locks, id) {
			continue
		}
		for _, g := range lookup(Plain(m.Attribute)) {
			if g.Stated && !slices.ContainsFunc(m.Free, func(f string) bool { return Plain(f) == Plain(g.Value) || g.Text != "" && Plain(f) == Plain(g.Text) }) {
				return g, true
			}
		}
	}
	return Given{}, false
}

// Preset is the canonical id of the vendor's master preset; "" when the table
// names none.
func (t *Table) Preset() string {
	if len(t.Masters) == 0 {
		return ""
	}
	return t.Masters[0].Setting
}
