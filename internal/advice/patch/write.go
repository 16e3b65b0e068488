package patch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

func (m *Patch) formatRedfish() string {
	var b strings.Builder
	b.WriteString("{\n")
	if m.Export.Vendor == bios.Dell {
		b.WriteString("  \"@Redfish.SettingsApplyTime\": {\"ApplyTime\": \"OnReset\"},\n")
	}
	b.WriteString("  \"Attributes\": {\n")
	for i := range m.Changes {
		c := &m.Changes[i]
		value := jsonLiteral(c.To)
		if c.Attribute.Bare && json.Valid([]byte(c.To)) {
			value = c.To
		}
		comma := ","
		if i == len(m.Changes)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "    %s: %s%s\n", jsonLiteral(c.Attribute.Name), value, comma)
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

func jsonLiteral(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}

// formatSCP returns a Server Configuration Profile with only the BIOS component.
func (m *Patch) formatSCP() string {
	var b strings.Builder
	b.WriteString("<SystemConfiguration>\n  <Component FQDD=\"BIOS.Setup.1-1\">\n")
	for _, c := range m.Changes {
		fmt.Fprintf(&b, "    %s\n    <Attribute Name=\"%s\">%s</Attribute>\n", c.remark(), escapeXML(c.Attribute.Name), escapeXML(c.To))
	}
	b.WriteString("  </Component>\n</SystemConfiguration>\n")
	return b.String()
}

// formatSUM returns the part of SUM's file that changes: each setting below its menus.
func (m *Patch) formatSUM() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<BiosCfg>\n")
	for _, c := range m.Changes {
		menus := strings.Split(c.Attribute.Menu, " > ")
		fmt.Fprintf(&b, "  %s\n  ", c.remark())
		for _, m := range menus {
			fmt.Fprintf(&b, "<Menu name=\"%s\">", escapeXML(m))
		}
		fmt.Fprintf(&b, "\n    <Setting name=\"%s\" selectedOption=\"%s\" type=\"Option\"/>\n  %s\n", escapeXML(c.Attribute.Name), escapeXML(c.To), strings.Repeat("</Menu>", len(menus)))
	}
	b.WriteString("</BiosCfg>\n")
	return b.String()
}

func (m *Patch) formatConrep() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Conrep originating_platform=\"%s\" originating_family=\"%s\">\n", escapeXML(m.Export.Product), escapeXML(m.Export.Firmware))
	for _, c := range m.Changes {
		fmt.Fprintf(&b, "  %s\n  <Section name=\"%s\">%s</Section>\n", c.remark(), escapeXML(c.Attribute.Name), escapeXML(c.To))
	}
	b.WriteString("</Conrep>\n")
	return b.String()
}

// remark returns a change as an XML comment, which must not contain two adjacent hyphens.
func (c *Change) remark() string {
	text := strings.ReplaceAll(settings.OneLine(c.commentText()), "->", "to")
	for strings.Contains(text, "--") {
		text = strings.ReplaceAll(text, "--", "- -")
	}
	return "<!-- " + text + " -->"
}

func escapeXML(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}

func (c *Change) commentText() string {
	return fmt.Sprintf("%s: %s, %s -> %s", c.Setting, c.Attribute.Name, cmp.Or(c.From, "(not stated)"), c.To)
}

func (m *Patch) shellCommands(command func(i int, c *Change) string) string {
	var b strings.Builder
	for i := range m.Changes {
		c := &m.Changes[i]
		fmt.Fprintf(&b, "# %s\n%s\n", settings.OneLine(c.commentText()), command(i, c))
	}
	return b.String()
}

// formatRacadm sets one attribute per line; without the job nothing would change at the next boot.
func (m *Patch) formatRacadm() string {
	return m.shellCommands(func(_ int, c *Change) string {
		return "racadm set " + settings.ShellWord(c.Group+"."+c.Attribute.Name) + " " + settings.ShellWord(c.To)
	}) + "racadm jobqueue create BIOS.Setup.1-1\n"
}

func (m *Patch) formatILORest() string {
	return m.shellCommands(func(i int, c *Change) string {
		line := "ilorest set " + settings.ShellWord(c.Attribute.Name+"="+c.To) + " --select Bios."
		if i == len(m.Changes)-1 {
			line += " --commit"
		}
		return line
	})
}

// formatOneCLI sets one attribute per line; IBM's machines have its predecessor.
func (m *Patch) formatOneCLI() string {
	return m.shellCommands(func(_ int, c *Change) string {
		if m.Export.Vendor == bios.IBM {
			return "asu set " + settings.ShellWord(c.Attribute.Name) + " " + settings.ShellWord(c.To)
		}
		name, word := c.Attribute.Name, c.To
		if m.Export.Format == bios.Redfish && m.hasOneCLISpelling(c) {
			name, word, _ = m.Export.Table.InForm(name, word, settings.FormASU)
		}
		return "onecli config set " + settings.ShellWord(name) + " " + settings.ShellWord(word) + " --override"
	})
}

// Options that have a command (the power profile) need the override of the setup password.
func (m *Patch) formatSyscfg() string {
	return m.shellCommands(func(_ int, c *Change) string {
		pair := settings.ShellWord(c.Attribute.Name + "=" + c.To)
		if c.Group != "" {
			return "syscfg " + c.Group + " -" + pair + " --setuppwdoverride"
		}
		return "syscfg --" + pair
	})
}

// setupInstructions names what to choose in BIOS setup, one setting per line, in the words of the file that was given.
func (m *Patch) setupInstructions() string {
	return m.shellCommands(func(_ int, c *Change) string { return c.Attribute.Name + ": " + c.To })
}

// Instructions returns the instructions for bringing one setting to what the profile wants, by the changes of the
// patch: what must be changed first, as lines of text, and then the instructions for the change itself. reason
// is set if the patch leaves the setting as it is.
func (m *Patch) Instructions(id string, w settings.Change) (before []string, ways []settings.Instruction, reason string) {
	for _, n := range m.Open {
		if n.Setting == id {
			return nil, nil, n.Reason
		}
	}
	for i := range m.Changes {
		c := &m.Changes[i]
		switch {
		case slices.Contains(c.servedSettings(), id):
			if len(ways) > 0 {
				before = append(before, "first "+ways[0].String())
			}
			ways = m.instructionsFor(c, w)
		case m.unlocksSetting(c, id):
			before = append(before, "first set "+c.Attribute.Name+" to "+c.To+": it is "+c.From+", which governs the setting")
		}
	}
	if len(ways) == 0 && m.Preset != nil && slices.ContainsFunc(m.Written, func(n Note) bool { return n.Setting == id }) {
		for _, way := range m.instructionsFor(m.Preset, w) {
			before = append(before, "the preset "+m.Preset.To+" writes this and its sibling rows in one step: "+way.String())
		}
	}
	return before, ways, ""
}

func (m *Patch) instructionsFor(c *Change, w settings.Change) []settings.Instruction {
	return m.Export.Table.InstructionsFor(settings.Given{Setting: c.Setting, Form: formOfRecords(m.Export), Name: c.Attribute.Name, Group: c.Group,
		Value: c.To, Text: c.Attribute.OptionTexts[c.To], Current: c.From}, w)
}

func (m *Patch) unlocksSetting(c *Change, id string) bool {
	return slices.ContainsFunc(m.Export.Table.Presets, func(m settings.Preset) bool {
		return settings.PlainName(m.Attribute) == settings.PlainName(c.Attribute.Name) && slices.Contains(m.Controls, id) && c.Setting != id
	})
}

// Form is the vendor's format of a change.
type Form string

// The formats.
const (
	Redfish Form = "redfish"
	Racadm  Form = "racadm"
	SCP     Form = "scp"
	ILORest Form = "ilorest"
	OneCLI  Form = "onecli"
	SUM     Form = "sum"
	Conrep  Form = "conrep"
	Syscfg  Form = "syscfg"
	// Setup is for machines without a tool: what to choose in BIOS setup, in its own words.
	Setup Form = "setup"
)

// Forms lists all formats.
func Forms() []string {
	return words([]Form{Redfish, Racadm, SCP, ILORest, OneCLI, SUM, Conrep, Syscfg, Setup})
}

func words(forms []Form) (out []string) {
	for _, f := range forms {
		out = append(out, string(f))
	}
	return out
}

// formsByFormat are the forms for an export, the usual one first. Dell and HPE use the same names everywhere except in conrep.
var formsByFormat = map[bios.Format][]Form{
	bios.Racadm: {Racadm, SCP, Redfish}, bios.WSMan: {Racadm, SCP, Redfish}, bios.SCPXML: {SCP, Racadm, Redfish}, bios.SCPJSON: {SCP, Racadm, Redfish},
	bios.ILORest: {ILORest, Redfish}, bios.ASU: {OneCLI}, bios.SUMXML: {SUM}, bios.Conrep: {Conrep}, bios.DellSyscfg: {Syscfg}, bios.Menu: {Setup},
}

// redfishForms are further ones for an answer of Redfish. Lenovo's names are translated to OneCLI's if a document or an export
// shows both.
var redfishForms = map[string][]Form{bios.Dell: {Racadm, SCP}, bios.HPE: {ILORest}, bios.Lenovo: {OneCLI}}

func formsOf(e *bios.Export) []Form {
	switch {
	case e.PendingOnly:
		return nil
	case e.Format == bios.Redfish:
		return append([]Form{Redfish}, redfishForms[e.Vendor]...)
	default:
		return formsByFormat[e.Format]
	}
}

// ChooseForm returns the format to print: the requested one if the export has that tool's names, the usual one if
// none is requested.
func ChooseForm(e *bios.Export, asked string) (Form, error) {
	forms := formsOf(e)
	switch {
	case e.Format == bios.UCSXML && e.PendingOnly:
		return "", fmt.Errorf("a BIOS policy says what is to be set, not what is set: change it in UCS Manager or Intersight, and give the settings of a server that it was applied to")
	case e.PendingOnly:
		return "", fmt.Errorf("%s says what is to be set, not what is set: expected an export of the present settings", e.Format)
	case len(forms) == 0:
		return "", fmt.Errorf("no form of a change is documented for an export in the form %s", e.Format)
	case asked == "":
		return forms[0], nil
	case !slices.Contains(forms, Form(asked)):
		return "", fmt.Errorf("%s does not take the names of an export in the form %s, expected one of %s", asked, e.Format, strings.Join(words(forms), ", "))
	default:
		return Form(asked), nil
	}
}

// DropUnsupported drops the changes this format cannot express, and those that depend on them, and records why.
func (m *Patch) DropUnsupported(f Form) {
	for _, c := range slices.Clone(m.Changes) {
		reason := ""
		switch {
		case f == Racadm && c.Group == "":
			reason = "racadm wants the group of " + c.Attribute.Name + ", which no known document names"
		case f == OneCLI && m.Export.Format == bios.Redfish && m.Export.Vendor == bios.Lenovo && !m.hasOneCLISpelling(&c):
			reason = "no known document or export shows how OneCLI spells " + c.Attribute.Name + " and " + c.To
		case f == SUM && (len(c.Attribute.Options) == 0 || m.hasNamesake(c.Attribute)):
			reason = "SUM's file identifies " + c.Attribute.Name + " from its namesakes by their order: change it in an export of the whole"
		default:
			continue
		}
		for _, id := range m.revertChange(&c) {
			m.leaveOpen(id, reason)
		}
	}
	m.discardUnreached()
}

func (m *Patch) hasOneCLISpelling(c *Change) bool {
	_, _, ok := m.Export.Table.InForm(c.Attribute.Name, c.To, settings.FormASU)
	return ok
}

func (m *Patch) hasNamesake(a *bios.Attribute) bool {
	n := 0
	for i := range m.Export.Attributes {
		if o := &m.Export.Attributes[i]; o.Name == a.Name && o.Menu == a.Menu {
			n++
		}
	}
	return n > 1
}

// Write prints the change in a format; nothing if there are no changes.
func (m *Patch) Write(w io.Writer, f Form) error {
	if len(m.Changes) == 0 {
		return nil
	}
	_, err := io.WriteString(w, writers[f](m))
	return err
}

var writers = map[Form]func(*Patch) string{Redfish: (*Patch).formatRedfish, Racadm: (*Patch).formatRacadm, SCP: (*Patch).formatSCP, ILORest: (*Patch).formatILORest, OneCLI: (*Patch).formatOneCLI,
	SUM: (*Patch).formatSUM, Conrep: (*Patch).formatConrep, Syscfg: (*Patch).formatSyscfg, Setup: (*Patch).setupInstructions}

const theseCommands = "these commands"

var howToApply = map[Form]string{SCP: "an import of the Server Configuration Profile", SUM: "sum -c ChangeBiosCfg --file FILE",
	Conrep: "the conrep of its Scripting Toolkit", Racadm: theseCommands, ILORest: theseCommands, OneCLI: theseCommands, Syscfg: theseCommands, Setup: "BIOS setup by hand"}

// HowToApply describes how to apply a format.
func HowToApply(f Form, e *bios.Export) string {
	if f != Redfish {
		return howToApply[f]
	}
	at := cmp.Or(e.Settings, "the settings object of the Bios resource")
	if e.Vendor == bios.Lenovo {
		return "PATCH " + at + " and the header If-Match: *"
	}
	return "PATCH " + at
}
