package bios

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
)

// xmlStart returns the offset of the XML in a file, -1 if there is none. SUM prints a banner and dots before it.
func xmlStart(data []byte) int {
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); bytes.HasPrefix(trimmed, []byte{'<'}) {
		return len(data) - len(trimmed)
	}
	head := data[:min(len(data), 16<<10)]
	for _, mark := range []string{"<?xml", "<BiosCfg"} {
		if before, _, found := bytes.Cut(head, []byte(mark)); found {
			return len(before)
		}
	}
	return -1
}

// walker reads an XML export token by token and builds no tree, so that a hostile file cannot make
// it use much memory.
type walker struct {
	*xml.Decoder
	// before is the number of lines above the XML, roots the number of top-level elements.
	before, depth, roots int
}

// next returns the next token. It limits the depth, and its errors name the line.
func (w *walker) next() (xml.Token, error) {
	t, err := w.Token()
	if err != nil {
		if errors.Is(err, io.EOF) && w.depth == 0 {
			return nil, io.EOF
		}
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) { // without its own line, which does not count those above the XML
			return nil, malformed(w.place(), "XML: %s", syntax.Msg)
		}
		return nil, malformed(w.place(), "XML: %v", err)
	}
	switch t := t.(type) {
	case xml.StartElement:
		if w.depth++; w.depth > maxDepth {
			return nil, malformed(w.place(), "XML nested deeper than %d levels", maxDepth)
		}
		if w.depth == 1 {
			if w.roots++; w.roots > 1 && t.Name.Local != "Envelope" { // of WS-Man each page is one
				return nil, malformed(w.place(), "a second XML document, expected the settings of one system")
			}
		}
	case xml.EndElement:
		w.depth--
	}
	return t, nil
}

// place returns the text for the current line, counted from the start of the file.
func (w *walker) place() string {
	n, _ := w.InputPos()
	return lineOrigin(w.before + n)
}

// text returns the character data of the element that was just opened and reads up to its end.
func (w *walker) text() (string, error) {
	var b strings.Builder
	for depth := 1; depth > 0; {
		t, err := w.next()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if b.Len()+len(t) > maxValue {
				return "", malformed(w.place(), "a text longer than %d bytes", maxValue)
			}
			b.Write(t)
		}
	}
	return cleanValue(b.String()), nil
}

// attr returns the XML attribute with this local name, in any case; "" if it is absent.
func attr(e xml.StartElement, name string) string {
	v, _ := attrOK(e, name)
	return v
}

func attrOK(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return cleanValue(a.Value), true
		}
	}
	return "", false
}

// latin1 converts the one-byte encodings that exports declare to UTF-8. Another encoding is an
// error that names it.
func latin1(charset string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "utf-8", "us-ascii":
		return in, nil
	case "utf-16":
		return in, nil // toUTF8 has converted it
	case "iso-8859-1", "iso8859-1", "latin1", "windows-1252":
		raw, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		runes := make([]rune, len(raw))
		for i, b := range raw {
			runes[i] = rune(b)
		}
		return strings.NewReader(string(runes)), nil
	default:
		return nil, fmt.Errorf("encoding %q, expected UTF-8 or ISO-8859-1", charset)
	}
}

// conrep reads the data file of HP's Scripting Toolkit (Gen9 and older), in which each Section
// element is a setting.
func (w *walker) conrep(root xml.StartElement) (*Export, error) {
	e := &Export{Format: Conrep, Vendor: HPE, Product: attr(root, "originating_platform"), Firmware: attr(root, "originating_family")}
	for {
		t, err := w.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		section, ok := t.(xml.StartElement)
		if !ok || section.Name.Local != "Section" {
			continue
		}
		place := w.place()
		value, err := w.text()
		if err != nil {
			return nil, err
		}
		if err := e.addPlain(attr(section, "name"), value, false, place); err != nil {
			return nil, err
		}
	}
	if len(e.Attributes) == 0 {
		return nil, malformed(w.place(), "<Conrep> without a <Section>")
	}
	e.Complete = len(e.Attributes) >= 20
	return e, nil
}

// biosFQDD is the prefix of the name (FQDD) of the component with the BIOS settings in a Server Configuration Profile.
const biosFQDD = "BIOS.Setup."

// scp decodes Dell's Server Configuration Profile in XML. Attributes in comments are read-only,
// dependent or destructive, but they state the present value too.
func (w *walker) scp(root xml.StartElement) (*Export, error) {
	e := &Export{Format: SCPXML, Vendor: Dell, Product: attr(root, "Model")}
	inside := false
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
			switch t.Name.Local {
			case "Component":
				inside = strings.HasPrefix(attr(t, "FQDD"), biosFQDD)
			case "Attribute":
				err = w.scpAttribute(e, t, inside, false, w.place())
			}
		case xml.EndElement:
			inside = inside && t.Name.Local != "Component"
		case xml.Comment:
			if inside {
				err = e.scpComment(string(t), w.place())
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if len(e.Attributes) == 0 {
		return nil, malformed(w.place(), "no component %s1-1 with attributes, expected an export that includes the BIOS", biosFQDD)
	}
	e.Complete = len(e.Attributes) >= 40
	return e, nil
}

func (w *walker) scpAttribute(e *Export, t xml.StartElement, inside, readOnly bool, place string) error {
	value, err := w.text()
	if err != nil || !inside {
		return err
	}
	return e.addPlain(attr(t, "Name"), value, readOnly, place)
}

// scpComment reads an attribute that was exported as a comment, and ignores any other comment.
func (e *Export) scpComment(comment, place string) error {
	comment = strings.TrimSpace(comment)
	if !strings.HasPrefix(comment, "<Attribute ") {
		return nil
	}
	var a struct {
		Name  string `xml:"Name,attr"`
		Value string `xml:",chardata"`
	}
	if err := xml.Unmarshal([]byte(comment), &a); err != nil {
		e.problem("%s: a commented attribute that is not XML", place)
		return nil
	}
	return e.addPlain(a.Name, a.Value, true, place)
}

// decodeSCPJSON decodes Dell's Server Configuration Profile in JSON.
func decodeSCPJSON(body object) (*Export, error) {
	e := &Export{Format: SCPJSON, Vendor: Dell, Product: stringMember(body, "Model")}
	components, _ := body["Components"].([]any)
	for i, c := range components {
		component, ok := c.(object)
		if !ok || !strings.HasPrefix(stringMember(component, "FQDD"), biosFQDD) {
			continue
		}
		attributes, _ := component["Attributes"].([]any)
		for j, v := range attributes {
			at := fmt.Sprintf("$.SystemConfiguration.Components[%d].Attributes[%d]", i, j)
			o, ok := v.(object)
			if !ok {
				e.problem("%s: not an object, expected Name and Value", at)
				continue
			}
			value, ok := scalar(o["Value"])
			if !ok {
				e.problem("%s: no Value", at)
				continue
			}
			if err := e.addPlain(stringMember(o, "Name"), value, stringMember(o, "Set On Import") == "False", at); err != nil {
				return nil, err
			}
		}
	}
	if len(e.Attributes) == 0 {
		return nil, malformed("$.SystemConfiguration.Components", "no component %s1-1 with attributes, expected an export that includes the BIOS", biosFQDD)
	}
	e.Complete = len(e.Attributes) >= 40
	return e, nil
}

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

// ucs decodes the XML of Cisco's UCS Manager and of its IMC: elements such as
// <biosVfIntelHyperThreadingTech vpIntelHyperThreadingTech="enabled"/>. Below biosVProfile they are a policy (changes to be
// made), below biosSettings the current values.
func (w *walker) ucs(root xml.StartElement) (*Export, error) {
	e := &Export{Format: UCSXML, Vendor: Cisco}
	policies, states := 0, 0
	var t xml.Token = root
	for {
		if start, ok := t.(xml.StartElement); ok {
			switch name := start.Name.Local; {
			case name == "biosVProfile":
				policies++
			case name == "biosSettings":
				states++
			case strings.HasPrefix(name, "biosVf"):
				if err := w.ucsValues(e, start); err != nil {
					return nil, err
				}
			}
		}
		var err error
		if t, err = w.next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	switch {
	case len(e.Attributes) == 0:
		return nil, malformed(w.place(), "no <biosVf...> element, expected the BIOS settings of UCS Manager or IMC")
	case policies+states > 1:
		return nil, malformed(w.place(), "%d BIOS policies and %d servers, expected one", policies, states)
	case policies > 0:
		e.PendingOnly = true
		e.moveToPending()
	}
	e.Complete = !e.PendingOnly && len(e.Attributes) >= 40
	return e, nil
}

// ucsValues adds the values of one element: its attributes that begin with vp.
func (w *walker) ucsValues(e *Export, t xml.StartElement) error {
	for _, a := range t.Attr {
		if !strings.HasPrefix(a.Name.Local, "vp") {
			continue
		}
		if err := e.add(Attribute{Name: a.Name.Local, Value: cleanValue(a.Value), Stated: true, Place: w.place()}); err != nil {
			return err
		}
	}
	return nil
}

// wsman decodes an enumeration of Dell's class DCIM_BIOSEnumeration, DCIM_BIOSString or DCIM_BIOSInteger. A file has one
// class; the settings that memaudit reads are in the first.
func (w *walker) wsman() (*Export, error) {
	e := &Export{Format: WSMan, Vendor: Dell}
	enumerations, ended := 0, false
	for {
		t, err := w.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		ended = ended || start.Name.Local == "EndOfSequence"
		if strings.HasPrefix(start.Name.Local, "DCIM_BIOS") {
			if err := w.wsmanItem(e); err != nil {
				return nil, err
			}
			if start.Name.Local == "DCIM_BIOSEnumeration" {
				enumerations++
			}
		}
	}
	if len(e.Attributes) == 0 {
		return nil, malformed(w.place(), "a SOAP envelope without DCIM_BIOS items, expected a WS-Man enumeration of BIOS attributes")
	}
	e.Product, e.Firmware = e.stated("SystemModelName"), e.stated("SystemBiosVersion")
	// A service hands out a long enumeration page by page, and marks the last page (WS-Enumeration,
	// EndOfSequence).
	e.Complete = enumerations >= 40 && ended
	return e, nil
}

// wsmanItem reads one attribute up to the end of its element.
func (w *walker) wsmanItem(e *Export) error {
	a := Attribute{Place: w.place()}
	for {
		t, err := w.next()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.EndElement:
			return e.add(a)
		case xml.StartElement:
			isNil := attr(t, "nil") == "true"
			text, err := w.text()
			if err != nil {
				return err
			}
			if !isNil {
				a.wsman(t.Name.Local, text)
			}
		}
	}
}

func (a *Attribute) wsman(field, text string) {
	switch field {
	case "AttributeName":
		a.Name = text
	case "AttributeDisplayName":
		a.Display = text
	case "GroupDisplayName":
		a.Menu = text
	case "CurrentValue":
		a.Value, a.Stated = text, true
	case "PendingValue":
		a.Pending, a.HasPending = text, true
	case "DefaultValue":
		a.Default = text
	case "IsReadOnly":
		a.ReadOnly = text == "true"
	case "PossibleValues":
		a.Options = append(a.Options, text)
	}
}
