package patch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

func (p *Patch) redfish() string {
	var b strings.Builder
	b.WriteString("{\n")
	if p.Export.Vendor == bios.Dell {
		b.WriteString("  \"@Redfish.SettingsApplyTime\": {\"ApplyTime\": \"OnReset\"},\n")
	}
	b.WriteString("  \"Attributes\": {\n")
	for i := range p.Changes {
		c := &p.Changes[i]
		value := literal(c.To)
		if c.Attribute.Bare && json.Valid([]byte(c.To)) {
			value = c.To
		}
		comma := ","
		if i == len(p.Changes)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "    %s: %s%s\n", literal(c.Attribute.Name), value, comma)
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

func literal(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}

// scp returns a Server Configuration Profile with only the BIOS component.
func (p *Patch) scp() string {
	var b strings.Builder
	b.WriteString("<SystemConfiguration>\n  <Component FQDD=\"BIOS.Setup.1-1\">\n")
	for i := range p.Changes {
		c := &p.Changes[i]
		fmt.Fprintf(&b, "    %s\n    <Attribute Name=\"%s\">%s</Attribute>\n", remark(c), escaped(c.Attribute.Name), escaped(c.To))
	}
	b.WriteString("  </Component>\n</SystemConfiguration>\n")
	return b.String()
}

// sum returns the part of SUM's file that changes: each setting below its menus.
func (p *Patch) sum() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<BiosCfg>\n")
	for i := range p.Changes {
		c := &p.Changes[i]
		menus := strings.Split(c.Attribute.Menu, " > ")
		fmt.Fprintf(&b, "  %s\n  ", remark(c))
		for _, m := range menus {
			fmt.Fprintf(&b, "<Menu name=\"%s\">", escaped(m))
		}
		fmt.Fprintf(&b, "\n    <Setting name=\"%s\" selectedOption=\"%s\" type=\"Option\"/>\n  %s\n", escaped(c.Attribute.Name), escaped(c.To), strings.Repeat("</Menu>", len(menus)))
	}
	b.WriteString("</BiosCfg>\n")
	return b.String()
}

func (p *Patch) conrep() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Conrep originating_platform=\"%s\" originating_family=\"%s\">\n", escaped(p.Export.Product), escaped(p.Export.Firmware))
	for i := range p.Changes {
		c := &p.Changes[i]
		fmt.Fprintf(&b, "  %s\n  <Section name=\"%s\">%s</Section>\n", remark(c), escaped(c.Attribute.Name), escaped(c.To))
	}
	b.WriteString("</Conrep>\n")
	return b.String()
}

// remark returns a change as an XML comment, which must not contain two adjacent hyphens.
func remark(c *Change) string {
	text := strings.ReplaceAll(settings.OneLine(c.comment()), "->", "to")
	for strings.Contains(text, "--") {
		text = strings.ReplaceAll(text, "--", "- -")
	}
	return "<!-- " + text + " -->"
}

func escaped(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}

func (c *Change) comment() string {
	from := c.From
	from = cmp.Or(from, "(not stated)")
	return fmt.Sprintf("%s: %s, %s -> %s", c.Setting, c.Attribute.Name, from, c.To)
}

func (p *Patch) shell(command func(i int, c *Change) string) string {
	var b strings.Builder
	for i := range p.Changes {
		c := &p.Changes[i]
		fmt.Fprintf(&b, "# %s\n%s\n", settings.OneLine(c.comment()), command(i, c))
	}
	return b.String()
}

// racadm sets one attribute per line; without the job nothing would change at the next boot.
func (p *Patch) racadm() string {
	return p.shell(func(_ int, c *Change) string {
		return "racadm set " + settings.ShellWord(c.Group+"."+c.Attribute.Name) + " " + settings.ShellWord(c.To)
	}) + "racadm jobqueue create BIOS.Setup.1-1\n"
}

// ilorest sets one attribute per line and commits with the last.
func (p *Patch) ilorest() string {
	return p.shell(func(i int, c *Change) string {
		line := "ilorest set " + settings.ShellWord(c.Attribute.Name+"="+c.To) + " --select Bios."
		if i == len(p.Changes)-1 {
			line += " --commit"
		}
		return line
	})
}

// onecli sets one attribute per line; IBM's machines have its predecessor.
func (p *Patch) onecli() string {
	return p.shell(func(_ int, c *Change) string {
		if p.Export.Vendor == bios.IBM {
			return "asu set " + settings.ShellWord(c.Attribute.Name) + " " + settings.ShellWord(c.To)
		}
		name, word := c.Attribute.Name, c.To
		if p.Export.Format == bios.Redfish && p.oneCLI(c) {
			name, word, _ = p.Export.Table.InForm(name, word, settings.FormASU)
		}
		return "onecli config set " + settings.ShellWord(name) + " " + settings.ShellWord(word) + " --override"
	})
}

// syscfg sets one option per line; options that have a command (the power profile) need the override of the
// setup password.
func (p *Patch) syscfg() string {
	return p.shell(func(_ int, c *Change) string {
		pair := settings.ShellWord(c.Attribute.Name + "=" + c.To)
		if c.Group != "" {
			return "syscfg " + c.Group + " -" + pair + " --setuppwdoverride"
		}
		return "syscfg --" + pair
	})
}

// setup names what to choose in BIOS setup, one setting per line, in the words of the file that was given.
func (p *Patch) setup() string {
	return p.shell(func(_ int, c *Change) string { return c.Attribute.Name + ": " + c.To })
}

// Ways returns the instructions for bringing one setting to what the profile wants, by the changes of the
// patch: what must be changed first, as lines of text, and then the instructions for the change itself. reason
// is set if the patch leaves the setting as it is.
func (p *Patch) Ways(id string, w settings.Change) (before []string, ways []settings.Instruction, reason string) {
	for _, n := range p.Open {
		if n.Setting == id {
			return nil, nil, n.Reason
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		switch {
		case slices.Contains(c.serves(), id):
			if len(ways) > 0 {
				before = append(before, "first "+ways[0].String())
			}
			ways = p.give(c, w)
		case p.frees(c, id):
			before = append(before, "first set "+c.Attribute.Name+" to "+c.To+": it is "+c.From+", which governs the setting")
		}
	}
	if len(ways) == 0 && p.Preset != nil && slices.ContainsFunc(p.Written, func(n Note) bool { return n.Setting == id }) {
		for _, way := range p.give(p.Preset, w) {
			before = append(before, "the preset "+p.Preset.To+" writes this and its sibling rows in one step: "+way.String())
		}
	}
	return before, ways, ""
}

func (p *Patch) give(c *Change, w settings.Change) []settings.Instruction {
	return p.Export.Table.Give(settings.Given{Setting: c.Setting, Form: recordsOf(p.Export), Name: c.Attribute.Name, Group: c.Group,
		Value: c.To, Text: c.Attribute.OptionTexts[c.To], Current: c.From}, w)
}

// frees reports whether a change is that of a preset which controls a setting.
func (p *Patch) frees(c *Change, id string) bool {
	return slices.ContainsFunc(p.Export.Table.Presets, func(m settings.Preset) bool {
		return settings.PlainName(m.Attribute) == settings.PlainName(c.Attribute.Name) && slices.Contains(m.Controls, id) && c.Setting != id
	})
}
