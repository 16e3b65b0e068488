package patch

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// redfish returns the body of the PATCH on the settings object, in the order of the changes.
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

// literal returns a JSON string.
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

// conrep returns a data file with the sections that change.
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
