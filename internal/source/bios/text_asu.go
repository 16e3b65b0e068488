package bios

import (
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/lazy"
)

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
