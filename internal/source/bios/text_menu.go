package bios

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/lazy"
)

// Patterns of lines of SUM's older text form and of Intel's syscfg.
var (
	sumSection  = lazy.Pattern(`^\[(.+)\]$`)
	sumLine     = lazy.Pattern(`^([^=]+?)\s*=\s*(.*?)\s*(?://\s*(.*))?$`)
	sumOption   = lazy.Pattern(`(\*?)([0-9A-Fa-f]{1,8}) \(`)
	intelOption = lazy.Pattern(`(?:^|[:;])\s*([0-9A-Fa-f]+)\s*=\s*([^:;]+)`)
)

// decodeSUMText decodes the text form of "sum -c GetCurrentBiosCfg" (boards up to X10): menus in
// brackets, numeric codes as values, and the options in a comment in which * marks the default.
func decodeSUMText(lines []textLine) (*Export, error) {
	e := &Export{Format: SUMText, Vendor: Supermicro}
	menu := ""
	for _, l := range lines {
		if m := sumSection().FindStringSubmatch(l.text); m != nil {
			menu = strings.ReplaceAll(m[1], "|", " > ")
			continue
		}
		m := sumLine().FindStringSubmatch(l.text)
		if m == nil || strings.HasPrefix(l.text, "//") {
			if menu != "" && !strings.HasPrefix(l.text, "//") {
				e.recordProblem("%s: neither [Menu|Submenu] nor Name=Value", l.originOfLine())
			}
			continue
		}
		a := Attribute{Name: cleanValue(m[1]), Menu: menu, Value: unquote(m[2]), Stated: true, Place: l.originOfLine()}
		a.readSUMOptions(m[3])
		e.add(a)
	}
	e.Complete = len(e.Attributes) >= 40
	return e, e.errorIfNoLine(lines, "Name=Value below [Menu|Submenu]")
}

// readSUMOptions reads options such as "00 (Disabled), *01 (Enabled)". A title ends before the next
// code and not at the first bracket, because titles contain brackets.
func (a *Attribute) readSUMOptions(comment string) {
	at := sumOption().FindAllStringSubmatchIndex(comment, -1)
	for i, m := range at {
		end := len(comment)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		title := strings.TrimRight(comment[m[1]:end], ", ")
		title = cleanValue(strings.TrimSuffix(title, ")"))
		a.Options = append(a.Options, title)
		if m[2] < m[3] {
			a.Default = title
		}
		if strings.EqualFold(comment[m[4]:m[5]], a.Value) {
			a.Text = title
		}
	}
}

// decodeIntel decodes the INI file of syscfg for Intel's server boards: menus as
// [BIOS::Menu::Submenu], and after each value a comment with the options.
func decodeIntel(lines []textLine) (*Export, error) {
	e := &Export{Format: IntelSyscfg, Vendor: Intel}
	menu, inside := "", false
	for _, l := range lines {
		if strings.HasPrefix(l.text, ";") {
			continue
		}
		if m := sumSection().FindStringSubmatch(l.text); m != nil {
			inside = m[1] == "BIOS" || strings.HasPrefix(m[1], "BIOS::")
			menu = strings.ReplaceAll(strings.TrimPrefix(m[1], "BIOS::"), "::", " > ")
			continue
		}
		name, rest, ok := strings.Cut(l.text, "=")
		switch {
		case !inside:
			continue
		case !ok:
			e.recordProblem("%s: neither [BIOS::Menu] nor Name=Value", l.originOfLine())
			continue
		}
		value, comment, _ := strings.Cut(rest, ";")
		a := Attribute{Name: cleanValue(name), Menu: menu, Value: cleanValue(value), Stated: true, Place: l.originOfLine()}
		a.intelOptions(comment)
		e.add(a)
	}
	e.Complete = len(e.Attributes) >= 40
	return e, e.errorIfNoLine(lines, "Name=Value below [BIOS::Menu]")
}

// intelOptions reads options such as "Options: 0=Disabled: 1=Enabled".
func (a *Attribute) intelOptions(comment string) {
	list, ok := strings.CutPrefix(cleanValue(comment), "Options:")
	if !ok {
		return
	}
	for _, m := range intelOption().FindAllStringSubmatch(list, -1) {
		title := cleanValue(m[2])
		a.Options = append(a.Options, title)
		if a.Value != "" && strings.TrimLeft(m[1], "0") == strings.TrimLeft(a.Value, "0") {
			a.Text = title
		}
	}
}

// isQuestion recognises an entry of an AMI SCE dump: a UEFI question with its title and its number or value.
func isQuestion(o object) bool {
	_, title := o["Title"].(string)
	_, id := o["Question Id"]
	_, value := o["Value"]
	return title && (id || value)
}

// decodeSCE decodes the JSON dump of AMI's setup configuration editor (SCE), which ASRock Rack provides. Values are
// numbers with titles.
func decodeSCE(list []any) (*Export, error) {
	e := &Export{Format: SCE, Vendor: ASRockRack}
	for i, v := range list {
		at := fmt.Sprintf("$[%d]", i)
		o, ok := v.(object)
		if !ok || !isQuestion(o) {
			e.recordProblem("%s: no question, expected Title and Value", at)
			continue
		}
		a := Attribute{Name: stringMember(o, "Title"), Place: at}
		a.Value, a.Stated = scalarText(o["Value"])
		a.Default, _ = scalarText(o[";Default Value"])
		options, _ := o["Valid Value"].([]any)
		for _, option := range options {
			choice, ok := option.(object)
			if !ok {
				continue
			}
			title := stringMember(choice, "Title")
			a.Options = append(a.Options, title)
			if number, ok := scalarText(choice["Value"]); ok && number == a.Value && a.Stated {
				a.Text = title
			}
		}
		e.add(a)
	}
	e.Complete = len(e.Attributes) >= 40
	return e, e.failed
}

// Patterns of lines of AMI's SCELNX (SCEWIN): "Name = value // comment" and an option "*[0F]Auto".
var (
	sceLine   = lazy.Pattern(`^(Setup Question|Options|Value)\s*=\s*(.*)$`)
	sceOption = lazy.Pattern(`^(\*?)\[([0-9A-Fa-f]+)\](.*)$`)
)

// decodeSCEText decodes the script that "SCELNX /o" writes: a block for each question of setup, in which a star marks the
// current option, or a number is in angle brackets.
func decodeSCEText(lines []textLine) (*Export, error) {
	e := &Export{Format: SCE, Vendor: AMI, Guessed: true}
	var a *Attribute
	finish := func() {
		if a != nil {
			e.add(*a)
		}
	}
	for _, l := range lines {
		text, _, _ := strings.Cut(l.text, "\t//")
		text, _, _ = strings.Cut(text, " // ")
		if m := sceLine().FindStringSubmatch(text); m != nil {
			switch m[1] {
			case "Setup Question":
				finish()
				a = &Attribute{Name: cleanValue(m[2]), Place: l.originOfLine()}
				continue
			case "Value":
				if a != nil {
					a.Value, a.Stated = strings.Trim(cleanValue(m[2]), "<>"), true
				}
				continue
			}
			text = m[2]
		}
		if m := sceOption().FindStringSubmatch(cleanValue(text)); m != nil && a != nil {
			title := cleanValue(m[3])
			a.Options = append(a.Options, title)
			switch {
			case m[1] != "" && a.Stated:
				e.recordProblem("%s: a second star among the options of %q", l.originOfLine(), a.Name)
				a.Stated, a.Value = false, ""
			case m[1] != "":
				a.Value, a.Stated = title, true
			}
		}
	}
	finish()
	e.Complete = len(e.Attributes) >= 40
	return e, e.errorIfNoLine(lines, "Setup Question = ... with a star at one of its options")
}

// asuGroups are groups of UEFI settings by which the format is recognised; other files have names with dots too.
const asuGroups = `uEFI|Processors|OperatingModes|DevicesandIOPorts|Memory|Power|BootModes|BootOrder|SystemRecovery`

// Patterns of lines of IBM's and Lenovo's Advanced Settings Utility (ASU) and its successor OneCLI.
var (
	asuLine   = lazy.Pattern(`^([A-Za-z][A-Za-z0-9]*\.[^=]+|CMOS_[A-Za-z0-9_]+)=(.*)$`)
	asuSet    = lazy.Pattern(`^set\s+(\S+)\s+(.+)$`)
	asuChoice = lazy.Pattern(`(^|=)<[^>]*>(=|$)`)
)

func decodeASU(lines []textLine) (*Export, error) {
	e := &Export{Format: ASU}
	for _, l := range lines {
		m := asuLine().FindStringSubmatch(l.text)
		if m == nil || isManagementSetting(m[1]) {
			continue
		}
		a := Attribute{Name: cleanValue(m[1]), Place: l.originOfLine()}
		if asuChoice().MatchString(m[2]) {
			// "asu showvalues" lists the choices with the default in <>, and no current value.
			for choice := range strings.SplitSeq(m[2], "=") {
				word := strings.TrimSuffix(strings.TrimPrefix(choice, "<"), ">")
				if word != choice {
					a.Default = word
				}
				a.Options = append(a.Options, word)
			}
		} else {
			a.Value, a.Stated = unquote(m[2]), true
		}
		e.add(a)
	}
	e.Vendor = asuVendor(lines)
	e.Complete = len(e.Attributes) >= 60
	return e, e.errorIfNoLine(lines, "Group.Name=Value of a UEFI setting")
}

// decodeASUBatch decodes a batch of set commands: changes to be made, not current values.
func decodeASUBatch(lines []textLine) (*Export, error) {
	e := &Export{Format: ASUBatch, PendingOnly: true}
	for _, l := range lines {
		switch m := asuSet().FindStringSubmatch(l.text); {
		case m != nil && !isManagementSetting(m[1]):
			e.add(Attribute{Name: m[1], Pending: unquote(m[2]), HasPending: true, Place: l.originOfLine()})
		case m != nil, strings.HasPrefix(l.text, "loaddefault"), strings.HasPrefix(l.text, "#"):
		default:
			e.recordProblem("%s: neither set nor loaddefault", l.originOfLine())
		}
	}
	e.Vendor = asuVendor(lines)
	return e, e.errorIfNoLine(lines, `set Group.Name "Value"`)
}

// isManagementSetting reports whether a setting belongs to the BMC. It is not a BIOS setting and may hold personal data.
func isManagementSetting(name string) bool {
	return strings.HasPrefix(name, "IMM.") || strings.HasPrefix(name, "BMC.") || strings.HasPrefix(name, "YUM.") || strings.HasPrefix(name, "RSA_")
}

// unquote trims spaces and removes quotation marks around a value. iLOrest 3 also quotes single words (HPE, iLOrest user
// guide, example commands and scripts: ServerAssetTag="MySystem").
func unquote(s string) string {
	s = cleanValue(s)
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// ibmName matches names that IBM's System x and BladeCenter use and Lenovo's ThinkSystem does not.
var ibmName = lazy.Pattern(`(^|\s)(uEFI\.|CMOS_|SYSTEM_PROD_DATA|BootOrder\.|Processors\.Hyper-Threading|Processors\.QPI|Processors\.PackageACPIC-State)`)

func asuVendor(lines []textLine) string {
	for _, l := range lines {
		switch {
		case strings.Contains(l.text, "XClarity"), strings.HasPrefix(l.text, "Lenovo "):
			return Lenovo
		case strings.HasPrefix(l.text, "IBM "):
			return IBM
		}
	}
	if slices.ContainsFunc(lines, func(l textLine) bool { return ibmName().MatchString(l.text) }) {
		return IBM
	}
	return Lenovo
}
