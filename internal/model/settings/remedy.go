package settings

import (
	"cmp"
	"slices"
	"strings"
)

// StepLines returns instructions to make a change, as lines of text: the preset that locks the setting, other options that
// must be set first, the menu path, and each command line. Names and values are spelled as in an export, registry or
// document of such a machine; unproven spellings are left out. memaudit never runs the commands.
func (t *Table) StepLines(w Change) []string {
	before, ways := t.Instructions(w)
	for _, way := range ways {
		before = append(before, way.String())
	}
	return before
}

// Instruction is one way to give one attribute a value: in the menus of BIOS setup, or with a tool. There
// may be several, and any one of them is enough.
type Instruction struct {
	// Menu is the path and the value as BIOS setup shows them. Tool and Command are a documented command line.
	// Attribute is the name and value alone, if neither is documented. A way has one of the three.
	Menu, Tool, Command, Attribute string
	// Acts is the time when a command takes effect.
	Acts string
	// Value is the value as this way spells it.
	Value string
}

// String returns the way as one line.
func (w Instruction) String() string {
	switch {
	case w.Menu != "":
		return "BIOS setup: " + w.Menu
	case w.Tool != "":
		return w.Tool + ": " + w.Command + " (takes effect " + w.Acts + ")"
	default:
		return "BIOS attribute " + w.Attribute
	}
}

// Instructions returns the instructions to make a change and, as lines of text, what must be done before. There are none if no
// spelling is proven.
func (t *Table) Instructions(w Change) (before []string, ways []Instruction) {
	s, ok := Lookup(w.ID)
	if !ok {
		return nil, nil
	}
	for _, a := range t.candidateAttributes(s, &w) {
		for _, value := range a.VendorValues(s, w.Want) {
			ways := t.changeInstructions(a, value, &w)
			if len(ways) == 0 {
				continue
			}
			before, ok := t.precedingChanges(s, a, &w)
			if !ok {
				continue
			}
			if first := t.unlockingStep(&w); first != "" {
				before = append([]string{first}, before...)
			}
			return before, ways
		}
	}
	return nil, nil
}

// candidateAttributes returns the vendor's attributes that this machine may have: the one in its export, or else those for its
// product or platform, or else those for all machines.
func (t *Table) candidateAttributes(s Setting, w *Change) []*Attribute {
	if len(t.Find(w.Seen)) > 0 {
		passes := false // to the entries after it
		return t.verifiedAttributes(s, func(a *Attribute) bool {
			own := PlainName(a.Name) == PlainName(w.Seen)
			passes = passes || own && len(a.VendorValues(Setting{}, Next)) > 0
			return own || passes
		})
	}
	if own := t.verifiedAttributes(s, func(a *Attribute) bool { return namesMachine(a.For, w) }); len(own) > 0 {
		return own
	}
	return t.verifiedAttributes(s, func(a *Attribute) bool { return len(a.For) == 0 && t.applies(nil, w) && !a.isForeign(w.Maker) })
}

func (t *Table) verifiedAttributes(s Setting, fits func(*Attribute) bool) []*Attribute {
	var out []*Attribute
	attrs := t.Settings[s.ID]
	for i := range attrs {
		if a := &attrs[i]; !a.Unverified && fits(a) {
			out = append(out, a)
		}
	}
	return out
}

// precedingChanges returns the changes to other options that an attribute needs to have an effect: a preceding option must leave the
// choice to it ("Manual"). It returns false if the machine has such an option and its spelling is not proven.
func (t *Table) precedingChanges(s Setting, a *Attribute, w *Change) ([]string, bool) {
	var lines []string
	attrs := t.Settings[s.ID]
	if w.Seen != "" && PlainName(a.Name) == PlainName(w.Seen) {
		return nil, true // it decides already
	}
	for i := range attrs {
		front := &attrs[i]
		if front.Name == a.Name {
			break
		}
		words := front.VendorValues(Setting{}, Next)
		if len(words) == 0 || len(t.spellingsFor(front.Name, w)) == 0 {
			continue
		}
		var ways []Instruction
		for i := 0; i < len(words) && len(ways) == 0; i++ {
			ways = t.changeInstructions(front, words[i], w)
		}
		if len(ways) == 0 {
			return nil, false
		}
		lines = append(lines, "first "+ways[0].String())
	}
	return lines, true
}

func (t *Table) changeInstructions(a *Attribute, value string, w *Change) []Instruction {
	var ways []Instruction
	if text, ok := t.menuValue(a, value, w); ok && a.Menu != "" {
		ways = append(ways, Instruction{Menu: a.Menu + " = " + text, Value: text})
	}
	if a.Name == "" {
		return ways
	}
	if commands := t.toolCommands(a, value, w); len(ways)+len(commands) > 0 {
		return append(ways, commands...)
	}
	for _, form := range []string{FormRedfish, FormSUM, FormASU} {
		if name, word, ok := t.toolSpelling(a, value, form, w); ok {
			return []Instruction{{Attribute: name + " = " + word, Value: word}}
		}
	}
	return nil
}

// isForeign reports whether an attribute's name is that of another processor vendor: EPYC systems have no Intel(R)
// Hyper-Threading in their menus.
func (a *Attribute) isForeign(maker string) bool {
	text := a.Name + " " + a.Menu
	return maker == "AuthenticAMD" && strings.Contains(text, "Intel") ||
		maker == "GenuineIntel" && (strings.Contains(text, "AMD") || strings.Contains(text, "Amd"))
}

func (t *Table) toolCommands(a *Attribute, value string, w *Change) []Instruction {
	var ways []Instruction
	for i := range t.Commands {
		c := &t.Commands[i]
		text := strings.Join(c.Steps, "; ")
		switch {
		case !t.applies(c.For, w):
			continue
		case len(a.Tools) > 0 && !slices.Contains(a.Tools, c.Tool):
			continue
		case a.Group == "" && strings.Contains(text, "{group}"):
			continue
		}
		name, word, ok := t.toolSpelling(a, value, c.formOrDefault(), w)
		if !ok {
			continue
		}
		ways = append(ways, Instruction{Tool: c.Tool, Command: fillPlaceholders(text, name, a.Group, word), Acts: c.Acts, Value: word})
	}
	return ways
}

// fillPlaceholders fills in the placeholders of a command. Other text in braces is not changed.
func fillPlaceholders(steps, name, group, word string) string {
	return strings.NewReplacer("{attribute}", name, "{group}", group, "{value}", word, "{name}", ShellWord(name), "{word}", ShellWord(word),
		"{pair}", ShellWord(name+"="+word)).Replace(steps)
}

func (c *Command) formOrDefault() string { return cmp.Or(c.Form, FormRedfish) }

// Governing returns the canonical ID of the preset that controls a setting, "" if there is none.
func (t *Table) Governing(id string) string {
	for i := range t.Presets {
		if slices.Contains(t.Presets[i].Controls, id) {
			return t.Presets[i].Setting
		}
	}
	return ""
}

// Unlocks reports whether the settings that a preset controls can be changed if it has this value.
func (t *Table) Unlocks(preset, value string) bool {
	return slices.ContainsFunc(t.Presets, func(m Preset) bool {
		return m.Setting == preset && slices.ContainsFunc(m.Unlocked, func(f string) bool { return PlainName(f) == PlainName(value) })
	})
}

// SamePreset compares two names of presets by their letters and digits before a bracket: HPE's
// HighPerformanceCompute is called HighPerformanceCompute(HPC) in newer ROMs.
func SamePreset(a, b string) bool {
	a, _, _ = strings.Cut(a, "(")
	b, _, _ = strings.Cut(b, "(")
	return a != "" && PlainName(a) == PlainName(b)
}

func (t *Table) unlockingStep(w *Change) string {
	if w.NoPreset || namesMachine(t.Except, w) {
		return ""
	}
	for i := range t.Presets {
		m := &t.Presets[i]
		if !slices.Contains(m.Controls, w.ID) || m.Setting != t.Governing(w.ID) {
			continue // Change.Preset is the value of the first governing preset
		}
		switch name, free := t.unlockingSpelling(m, w); {
		case free == "" && slices.ContainsFunc(t.Presets, func(o Preset) bool { return o.Attribute != m.Attribute && len(t.spellingsFor(o.Attribute, w)) > 0 }):
			// this generation has another preset
		case slices.ContainsFunc(m.Unlocked, func(f string) bool { return PlainName(f) == PlainName(w.Preset) }):
		case w.Preset != "" && free == "":
			return m.Attribute + " is " + w.Preset + ", which governs the setting: free it first, by the value that documents call " + m.Unlocked[0]
		case w.Preset != "":
			return "first set " + name + " to " + free + ": it is " + w.Preset + ", which governs the setting"
		case free != "":
			return name + " must be " + free + " for the setting to be changed"
		}
	}
	return ""
}

// unlockingSpelling returns a preset's name and the value that unlocks the settings it controls, as machines like this one spell
// them; "" if the spelling is not proven.
func (t *Table) unlockingSpelling(m *Preset, w *Change) (name, free string) {
	for _, s := range t.spellingsFor(m.Attribute, w) {
		if s.form == FormMenu {
			continue
		}
		for _, value := range m.Unlocked {
			if word, _, ok := s.findWord(value); ok {
				return s.name, word
			}
		}
	}
	return "", ""
}

// ImpliedValue returns the documented value of a locked setting on a product under the preset's value for which is returns
// true, "" if there is none. If the product is not known, meanings for named products are left out.
func (m *Preset) ImpliedValue(id, product string, is func(value string) bool) string {
	if len(m.ImpliesFor) > 0 && !namesMachine(m.ImpliesFor, &Change{Product: product}) {
		return ""
	}
	for value, words := range m.Implies {
		if is(value) {
			return words[id]
		}
	}
	return ""
}
