package patch

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

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
	return []string{string(Redfish), string(Racadm), string(SCP), string(ILORest), string(OneCLI), string(SUM), string(Conrep), string(Syscfg), string(Setup)}
}

// formsOf returns the formats of tools that use the names in an export, the usual one first. Dell and HPE use
// the same names everywhere except in conrep; Lenovo's Redfish names are translated to OneCLI's if a document
// or an export shows both.
func formsOf(e *bios.Export) []Form {
	switch {
	case e.PendingOnly:
		return nil
	case e.Format == bios.Racadm || e.Format == bios.WSMan:
		return []Form{Racadm, SCP, Redfish}
	case e.Format == bios.SCPXML || e.Format == bios.SCPJSON:
		return []Form{SCP, Racadm, Redfish}
	case e.Format == bios.Redfish && e.Vendor == bios.Dell:
		return []Form{Redfish, Racadm, SCP}
	case e.Format == bios.ILORest:
		return []Form{ILORest, Redfish}
	case e.Format == bios.Redfish && e.Vendor == bios.HPE:
		return []Form{Redfish, ILORest}
	case e.Format == bios.Redfish && e.Vendor == bios.Lenovo:
		return []Form{Redfish, OneCLI}
	case e.Format == bios.Redfish:
		return []Form{Redfish}
	case e.Format == bios.ASU:
		return []Form{OneCLI}
	case e.Format == bios.SUMXML:
		return []Form{SUM}
	case e.Format == bios.Conrep:
		return []Form{Conrep}
	case e.Format == bios.DellSyscfg:
		return []Form{Syscfg}
	case e.Format == bios.Menu:
		return []Form{Setup}
	default:
		return nil
	}
}

// Choose returns the format to print: the requested one if the export has that tool's names, the usual one if
// none is requested.
func Choose(e *bios.Export, asked string) (Form, error) {
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
		names := make([]string, len(forms))
		for i, f := range forms {
			names[i] = string(f)
		}
		return "", fmt.Errorf("%s does not take the names of an export in the form %s, expected one of %s", asked, e.Format, strings.Join(names, ", "))
	default:
		return Form(asked), nil
	}
}

// Fit drops the changes this format cannot express, and those that depend on them, and records why.
func (p *Patch) Fit(f Form) {
	for _, c := range slices.Clone(p.Changes) {
		reason := ""
		switch {
		case f == Racadm && c.Group == "":
			reason = "racadm wants the group of " + c.Attribute.Name + ", which no known document names"
		case f == OneCLI && p.Export.Format == bios.Redfish && p.Export.Vendor == bios.Lenovo && !p.oneCLI(&c):
			reason = "no known document or export shows how OneCLI spells " + c.Attribute.Name + " and " + c.To
		case f == SUM && (len(c.Attribute.Options) == 0 || p.twice(c.Attribute)):
			reason = "SUM's file identifies " + c.Attribute.Name + " from its namesakes by their order: change it in an export of the whole"
		default:
			continue
		}
		for _, id := range p.revert(&c) {
			p.open(id, reason)
		}
	}
	if p.maker != nil {
		p.maker.hold()
	}
}

// oneCLI reports whether a change of a Redfish export can be spelled for OneCLI.
func (p *Patch) oneCLI(c *Change) bool {
	if p.maker == nil {
		return false
	}
	_, _, ok := p.Export.Table.InForm(c.Attribute.Name, c.To, settings.FormASU)
	return ok
}

func (p *Patch) twice(a *bios.Attribute) bool {
	n := 0
	for i := range p.Export.Attributes {
		if o := &p.Export.Attributes[i]; o.Name == a.Name && o.Menu == a.Menu {
			n++
		}
	}
	return n > 1
}

// Write prints the change in a format; nothing if there are no changes.
func (p *Patch) Write(w io.Writer, f Form) error {
	if len(p.Changes) == 0 {
		return nil
	}
	text := ""
	switch f {
	case Redfish:
		text = p.redfish()
	case Racadm:
		text = p.racadm()
	case SCP:
		text = p.scp()
	case ILORest:
		text = p.ilorest()
	case OneCLI:
		text = p.onecli()
	case SUM:
		text = p.sum()
	case Conrep:
		text = p.conrep()
	case Syscfg:
		text = p.syscfg()
	case Setup:
		text = p.setup()
	}
	_, err := io.WriteString(w, text)
	return err
}

// HowToApply describes how to apply a format.
func HowToApply(f Form, e *bios.Export) string {
	switch f {
	case Redfish:
		at := e.Settings
		at = cmp.Or(at, "the settings object of the Bios resource")
		if e.Vendor == bios.Lenovo {
			return "PATCH " + at + " and the header If-Match: *"
		}
		return "PATCH " + at
	case SCP:
		return "an import of the Server Configuration Profile"
	case SUM:
		return "sum -c ChangeBiosCfg --file FILE"
	case Conrep:
		return "the conrep of its Scripting Toolkit"
	case Racadm, ILORest, OneCLI, Syscfg:
		return "these commands"
	case Setup:
		return "BIOS setup by hand"
	default:
		return string(f)
	}
}
