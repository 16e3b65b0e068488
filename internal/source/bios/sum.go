package bios

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
)

// sumText matches the BIOS version on SUM's information page: "BIOS Version(3.3)".
var sumText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^BIOS Version ?\((.*)\)$`) })

// sum decodes the XML of Supermicro Update Manager ("sum -c GetCurrentBiosCfg"): menus with settings. The type of a
// setting determines the XML attribute with the value.
func (w *walker) sum() (*Export, error) {
	e := &Export{Format: SUMXML, Vendor: Supermicro}
	var menus []string
	for {
		t, err := w.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := w.sumElement(e, &menus, t); err != nil {
				return nil, err
			}
		case xml.EndElement:
			if t.Name.Local == "Menu" {
				menus = menus[:len(menus)-1]
			}
		}
	}
	if len(e.Attributes) == 0 {
		return nil, malformed(w.place(), "<BiosCfg> without a <Setting>")
	}
	e.Complete = len(e.Attributes) >= 40 // a file for ChangeBiosCfg may have a few settings
	return e, nil
}

func (w *walker) sumElement(e *Export, menus *[]string, t xml.StartElement) error {
	switch t.Name.Local {
	case "Menu":
		*menus = append(*menus, attr(t, "name"))
	case "Setting":
		return w.sumSetting(e, strings.Join(*menus, " > "), t)
	case "Subtitle", "Text":
		text, err := w.text()
		if err != nil {
			return err
		}
		if board, ok := strings.CutPrefix(text, "Supermicro "); ok && e.Product == "" {
			e.Product = board
		}
		if m := sumText().FindStringSubmatch(text); m != nil && e.Firmware == "" {
			e.Firmware = m[1]
		}
	}
	return nil
}

// sumSetting reads one Setting element up to its end.
func (w *walker) sumSetting(e *Export, menu string, t xml.StartElement) error {
	a := Attribute{Name: attr(t, "name"), Menu: menu, Place: w.place()}
	for _, key := range []string{"selectedOption", "checkedStatus", "numericValue"} {
		if v, ok := attrOK(t, key); ok && !a.Stated {
			a.Value, a.Stated = v, true
		}
	}
	if err := w.sumInside(&a); err != nil {
		return err
	}
	if !a.Stated && attr(t, "type") == "Option" {
		e.problem("%s: setting %q has no selectedOption", a.Place, a.Name)
	}
	if attr(t, "type") == "Password" {
		a.dropValues()
	}
	return e.add(a)
}

// sumInside reads what is inside a Setting element: default, options and the value of a string.
func (w *walker) sumInside(a *Attribute) error {
	for depth := 1; depth > 0; {
		t, err := w.next()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.EndElement:
			depth--
		case xml.StartElement:
			switch t.Name.Local {
			case "DefaultOption", "DefaultStatus", "DefaultValue", "DefaultString":
				a.Default, err = w.text()
			case "Option":
				var option string
				option, err = w.text()
				a.Options = append(a.Options, option)
			case "StringValue":
				a.Value, err = w.text()
				a.Stated = true
			case "Help", "NewPassword", "ConfirmNewPassword":
				_, err = w.text()
			default:
				depth++
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
