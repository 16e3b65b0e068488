package settings

import (
	"slices"
	"strings"
	"unicode"
)

// Given is an attribute of a machine's export with a value that is spelled as the export has it.
type Given struct {
	// Setting is the canonical id, Form the form of the export's names.
	Setting, Form string
	Name, Group   string
	// Value is the value, Text its text in BIOS setup, "" if the input has none.
	Value, Text string
	// Current is the present value.
	Current string
}

// InstructionsFor returns the ways to give an attribute of the machine's export a value: the menu path, and the documented command
// lines of the tools that take the export's names. There is at least the attribute with its value.
func (t *Table) InstructionsFor(g Given, w Change) []Instruction {
	w.Seen, w.SeenRaw = g.Name, g.Current
	var ways []Instruction
	var tools []string // that take the name in any form
	for _, a := range t.attributesNamed(g.Name, g.Setting) {
		tools = append(tools, a.Tools...)
	}
	for _, a := range t.attributesNamed(g.Name, g.Setting) {
		text, ok := g.Text, g.Text != ""
		if !ok {
			text, ok = t.menuValue(a, g.Value, &w)
		}
		if ok && a.Menu != "" {
			ways = append(ways, Instruction{Menu: a.Menu + " = " + text, Value: text})
			break
		}
	}
	for i := range t.Commands {
		c := &t.Commands[i]
		text := strings.Join(c.Steps, "; ")
		own := slices.Contains(tools, c.Tool)
		if g.Form == "" && !own || !t.applies(c.For, &w) || g.Group == "" && strings.Contains(text, "{group}") {
			continue
		}
		name, word, ok := g.Name, g.Value, own || c.formOrDefault() == g.Form
		if !ok && c.formOrDefault() == FormASU {
			name, word, ok = t.InForm(g.Name, g.Value, FormASU)
		}
		if ok {
			ways = append(ways, Instruction{Tool: c.Tool, Command: fillPlaceholders(text, name, g.Group, word), Acts: c.Acts, Value: word})
		}
	}
	if len(ways) == 0 {
		ways = append(ways, Instruction{Attribute: g.Name + " = " + g.Value, Value: g.Value})
	}
	return ways
}

func (t *Table) attributesNamed(name, id string) []*Attribute {
	var own, others []*Attribute
	for _, m := range t.Find(name) {
		if m.ID == id {
			own = append(own, m.Attr)
		} else {
			others = append(others, m.Attr)
		}
	}
	return append(own, others...)
}

// InForm returns an attribute and its value as the tool of another form spells them; false if no document or export has
// the name and the value, or the opposite value of a switch.
func (t *Table) InForm(name, value, form string) (string, string, bool) {
	rows := slices.DeleteFunc(slices.Clone(t.spellingsOf(name)), func(s *spelling) bool { return s.form != form || boardSuffix(s.name) })
	for _, s := range rows { // the machine's own word before another generation's
		if word, _, ok := s.findWord(value); ok {
			return s.name, word, true
		}
	}
	for _, s := range rows {
		for entry := range strings.SplitSeq(s.values, "|") {
			shown, _, _ := strings.Cut(entry, "=")
			for _, word := range []string{shown, OtherWord(shown)} {
				if word != "" && t.sameWord(name, word, value) {
					if OtherWord(word) != "" && OtherWord(value) != "" {
						word = value // a machine spells its switches alike in both forms
					}
					return s.name, word, true
				}
			}
		}
	}
	return "", "", false
}

func (t *Table) sameWord(name, a, b string) bool {
	return slices.ContainsFunc(t.Find(name), func(m Match) bool {
		known, _ := Lookup(m.ID)
		first, ok := m.Attr.Canonical(known, a)
		second, also := m.Attr.Canonical(known, b)
		return ok && also && len(m.Attr.Values) > 0 && first == second
	})
}

// Change is a setting that should have another value on one machine.
type Change struct {
	// ID is the canonical id, Want the canonical value.
	ID, Want string
	// Product is the product name of the machine, Platform the id of its platform.
	Product, Platform string
	// Firmware is the family of its firmware ("U46"), "" if unknown. An export contains it, but not the platform.
	Firmware string
	// Maker is the CPUID vendor of the processors (GenuineIntel, AuthenticAMD), "" if it is not known.
	Maker string
	// Seen is the attribute's name in an export of this machine, SeenRaw its value there. They
	// decide among a vendor's names and spellings.
	Seen, SeenRaw string
	// Preset is the value of the vendor's preset that controls the setting, "" if unknown. NoPreset is set if the
	// machine does not offer the preset.
	Preset   string
	NoPreset bool
}

func namesMachine(list []string, w *Change) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		return l == w.Platform || w.Product != "" && strings.HasPrefix(w.Product, l)
	})
}

// applies reports whether a list names the machine. Without a list, that is every machine which the table is not too new
// for.
func (t *Table) applies(list []string, w *Change) bool {
	if len(list) == 0 {
		return !namesMachine(t.Except, w)
	}
	return namesMachine(list, w)
}

// WriteCommand returns the command that writes the settings of such a machine, "" if none is documented.
func (t *Table) WriteCommand(w Change) string {
	for i := range t.Exports {
		e := &t.Exports[i]
		if t.applies(e.For, &w) && !namesMachine(e.Except, &w) && (len(e.Products) == 0 || namesMachine(e.Products, &w)) {
			return e.Run
		}
	}
	return ""
}

// plainWord lists characters that have no meaning to a shell.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+:,=@%/"

// ShellWord quotes a text as one word of a shell's command line. Line breaks become spaces, because
// they would end the command.
func ShellWord(s string) string {
	s = OneLine(s)
	if s != "" && strings.Trim(s, plainWord) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// OneLine replaces control characters by spaces.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
