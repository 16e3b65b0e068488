package bios

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/lazy"
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

// walker reads an XML export token by token and builds no tree, so that a hostile file cannot make it use much memory.
type walker struct {
	*xml.Decoder
	// before is the number of lines above the XML, roots the number of top-level elements.
	before, depth, roots int
	// err is the reason why the reading stopped before the end of the document.
	err error
}

// nextToken returns the next token, nil at the end of the document or after an error, which names the line. It limits the
// depth.
func (w *walker) nextToken() xml.Token {
	if w.err != nil {
		return nil
	}
	t, err := w.Token()
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF) && w.depth == 0:
		return nil
	case errors.As(err, &syntax): // without its own line, which does not count those above the XML
		return w.recordError("XML: %s", syntax.Msg)
	case err != nil:
		return w.recordError("XML: %v", err)
	}
	switch t := t.(type) {
	case xml.StartElement:
		if w.depth++; w.depth > maxDepth {
			return w.recordError("XML nested deeper than %d levels", maxDepth)
		}
		if w.depth == 1 {
			if w.roots++; w.roots > 1 && t.Name.Local != "Envelope" { // of WS-Man each page is one
				return w.recordError("a second XML document, expected the settings of one system")
			}
		}
	case xml.EndElement:
		w.depth--
	}
	return t
}

func (w *walker) recordError(format string, args ...any) xml.Token {
	w.err = malformedError(w.currentPlace(), format, args...)
	return nil
}

func (w *walker) finishExport(e *Export, format string, args ...any) error {
	return cmp.Or(w.err, e.errorIfEmpty(w.currentPlace(), format, args...))
}

func (w *walker) currentPlace() string {
	n, _ := w.InputPos()
	return lineOrigin(w.before + n)
}

func (w *walker) elementText() string {
	var b strings.Builder
	for depth := 1; depth > 0; {
		switch t := w.nextToken().(type) {
		case nil:
			return ""
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if b.Len()+len(t) > maxValue {
				w.recordError("a text longer than %d bytes", maxValue)
			}
			b.Write(t)
		}
	}
	return cleanValue(b.String())
}

// attributeText returns the XML attribute with this local name, in any case; "" if it is absent.
func attributeText(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return cleanValue(a.Value)
		}
	}
	return ""
}

// convertCharset converts the one-byte encodings that exports declare to UTF-8. Another encoding is an error that names it.
func convertCharset(charset string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "utf-8", "us-ascii", "utf-16": // toUTF8 has converted UTF-16
		return in, nil
	case "iso-8859-1", "iso8859-1", "latin1", "windows-1252":
		raw, err := io.ReadAll(in)
		return strings.NewReader(fromLatin1(string(raw))), err
	default:
		return nil, fmt.Errorf("encoding %q, expected UTF-8 or ISO-8859-1", charset)
	}
}

// decodeConrep reads the data file of HP's Scripting Toolkit (Gen9 and older), in which each Section element is a setting.
func (w *walker) decodeConrep(root xml.StartElement) (*Export, error) {
	e := &Export{Format: Conrep, Vendor: HPE, Product: attributeText(root, "originating_platform"), Firmware: attributeText(root, "originating_family")}
	for t := w.nextToken(); t != nil; t = w.nextToken() {
		if section, ok := t.(xml.StartElement); ok && section.Name.Local == "Section" {
			place := w.currentPlace()
			e.addPlain(attributeText(section, "name"), w.elementText(), place)
		}
	}
	e.Complete = len(e.Attributes) >= 20
	return e, w.finishExport(e, "<Conrep> without a <Section>")
}

// biosFQDD is the prefix of the name (FQDD) of the component with the BIOS settings in a Server Configuration Profile.
const biosFQDD = "BIOS.Setup."

const noBIOS = "no component " + biosFQDD + "1-1 with attributes, expected an export that includes the BIOS"

// decodeSCP decodes Dell's Server Configuration Profile in XML. Attributes in comments are read-only,
// dependent or destructive, but they state the present value too.
func (w *walker) decodeSCP(root xml.StartElement) (*Export, error) {
	e := &Export{Format: SCPXML, Vendor: Dell, Product: attributeText(root, "Model")}
	inside := false
	for t := w.nextToken(); t != nil; t = w.nextToken() {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "Component":
				inside = strings.HasPrefix(attributeText(t, "FQDD"), biosFQDD)
			case "Attribute":
				place := w.currentPlace()
				if value := w.elementText(); inside && w.err == nil {
					e.addPlain(attributeText(t, "Name"), value, place)
				}
			}
		case xml.EndElement:
			inside = inside && t.Name.Local != "Component"
		case xml.Comment:
			comment := strings.TrimSpace(string(t))
			if !inside || !strings.HasPrefix(comment, "<Attribute ") {
				continue
			}
			var a struct {
				Name  string `xml:"Name,attr"`
				Value string `xml:",chardata"`
			}
			if err := xml.Unmarshal([]byte(comment), &a); err != nil {
				e.recordProblem("%s: a commented attribute that is not XML", w.currentPlace())
				continue
			}
			e.add(Attribute{Name: cleanValue(a.Name), Value: cleanValue(a.Value), Stated: true, ReadOnly: true, Place: w.currentPlace()})
		}
	}
	e.Complete = len(e.Attributes) >= 40
	return e, w.finishExport(e, noBIOS)
}

func decodeSCPJSON(body object) (*Export, error) {
	e := &Export{Format: SCPJSON, Vendor: Dell, Product: stringMember(body, "Model")}
	components, _ := body["Components"].([]any)
	for i, c := range components {
		component, _ := c.(object)
		if !strings.HasPrefix(stringMember(component, "FQDD"), biosFQDD) {
			continue
		}
		attributes, _ := component["Attributes"].([]any)
		for j, v := range attributes {
			at := fmt.Sprintf("$.SystemConfiguration.Components[%d].Attributes[%d]", i, j)
			o, ok := v.(object)
			switch value, stated := scalarText(o["Value"]); {
			case !ok:
				e.recordProblem("%s: not an object, expected Name and Value", at)
			case !stated:
				e.recordProblem("%s: no Value", at)
			default:
				e.add(Attribute{Name: stringMember(o, "Name"), Value: value, Stated: true, ReadOnly: stringMember(o, "Set On Import") == "False", Place: at})
			}
		}
	}
	e.Complete = len(e.Attributes) >= 40
	return e, e.errorIfEmpty("$.SystemConfiguration.Components", noBIOS)
}

// sumText matches the BIOS version on SUM's information page: "BIOS Version(3.3)".
var sumText = lazy.Pattern(`^BIOS Version ?\((.*)\)$`)

// decodeSUM decodes the XML of Supermicro Update Manager ("sum -c GetCurrentBiosCfg"): menus with settings.
func (w *walker) decodeSUM() (*Export, error) {
	e := &Export{Format: SUMXML, Vendor: Supermicro}
	var menus []string
	for t := w.nextToken(); t != nil; t = w.nextToken() {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "Menu":
				menus = append(menus, attributeText(t, "name"))
			case "Setting":
				w.readSUMSetting(e, strings.Join(menus, " > "), t)
			case "Subtitle", "Text":
				text := w.elementText()
				if board, ok := strings.CutPrefix(text, "Supermicro "); ok && e.Product == "" {
					e.Product = board
				}
				if m := sumText().FindStringSubmatch(text); m != nil && e.Firmware == "" {
					e.Firmware = m[1]
				}
			}
		case xml.EndElement:
			if t.Name.Local == "Menu" {
				menus = menus[:len(menus)-1]
			}
		}
	}
	e.Complete = len(e.Attributes) >= 40 // a file for ChangeBiosCfg may have a few settings
	return e, w.finishExport(e, "<BiosCfg> without a <Setting>")
}

// readSUMSetting reads one Setting element up to its end: the value in the XML attribute that its type has, or in an element,
// the default and the options.
func (w *walker) readSUMSetting(e *Export, menu string, t xml.StartElement) {
	a := Attribute{Name: attributeText(t, "name"), Menu: menu, Place: w.currentPlace()}
	for _, key := range []string{"selectedOption", "checkedStatus", "numericValue"} {
		stated := slices.ContainsFunc(t.Attr, func(x xml.Attr) bool { return strings.EqualFold(x.Name.Local, key) })
		if stated && !a.Stated {
			a.Value, a.Stated = attributeText(t, key), true
		}
	}
	for depth := 1; depth > 0; {
		switch t := w.nextToken().(type) {
		case nil:
			return
		case xml.EndElement:
			depth--
		case xml.StartElement:
			switch t.Name.Local {
			case "DefaultOption", "DefaultStatus", "DefaultValue", "DefaultString":
				a.Default = w.elementText()
			case "Option":
				a.Options = append(a.Options, w.elementText())
			case "StringValue":
				a.Value, a.Stated = w.elementText(), true
			case "Help", "NewPassword", "ConfirmNewPassword":
				w.elementText()
			default:
				depth++
			}
		}
	}
	if !a.Stated && attributeText(t, "type") == "Option" {
		e.recordProblem("%s: setting %q has no selectedOption", a.Place, a.Name)
	}
	if attributeText(t, "type") == "Password" {
		a.dropValues()
	}
	e.add(a)
}

// decodeUCS decodes the XML of Cisco's UCS Manager and of its IMC: elements such as
// <biosVfIntelHyperThreadingTech vpIntelHyperThreadingTech="enabled"/>. Below biosVProfile they are a policy (changes to be
// made), below biosSettings the current values.
func (w *walker) decodeUCS(root xml.StartElement) (*Export, error) {
	e := &Export{Format: UCSXML, Vendor: Cisco}
	policies, states := 0, 0
	for t := xml.Token(root); t != nil; t = w.nextToken() {
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch name := start.Name.Local; {
		case name == "biosVProfile":
			policies++
		case name == "biosSettings":
			states++
		case strings.HasPrefix(name, "biosVf"):
			for _, a := range start.Attr {
				if strings.HasPrefix(a.Name.Local, "vp") {
					e.add(Attribute{Name: a.Name.Local, Value: cleanValue(a.Value), Stated: true, Place: w.currentPlace()})
				}
			}
		}
	}
	if err := w.finishExport(e, "no <biosVf...> element, expected the BIOS settings of UCS Manager or IMC"); err != nil {
		return nil, err
	}
	if policies+states > 1 {
		return nil, malformedError(w.currentPlace(), "%d BIOS policies and %d servers, expected one", policies, states)
	}
	if policies > 0 {
		e.PendingOnly = true
		e.moveToPending()
	}
	e.Complete = !e.PendingOnly && len(e.Attributes) >= 40
	return e, nil
}

// decodeWSMan decodes an enumeration of Dell's class DCIM_BIOSEnumeration, DCIM_BIOSString or DCIM_BIOSInteger. A file has one
// class; the settings that memaudit reads are in the first.
func (w *walker) decodeWSMan() (*Export, error) {
	e := &Export{Format: WSMan, Vendor: Dell}
	enumerations, ended := 0, false
	for t := w.nextToken(); t != nil; t = w.nextToken() {
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		ended = ended || start.Name.Local == "EndOfSequence"
		if strings.HasPrefix(start.Name.Local, "DCIM_BIOS") {
			w.readWSManItem(e)
			if start.Name.Local == "DCIM_BIOSEnumeration" {
				enumerations++
			}
		}
	}
	e.Product, e.Firmware = e.statedValue("SystemModelName"), e.statedValue("SystemBiosVersion")
	// A service hands out a long enumeration page by page, and marks the last page (WS-Enumeration, EndOfSequence).
	e.Complete = enumerations >= 40 && ended
	return e, w.finishExport(e, "a SOAP envelope without DCIM_BIOS items, expected a WS-Man enumeration of BIOS attributes")
}

func (w *walker) readWSManItem(e *Export) {
	a := Attribute{Place: w.currentPlace()}
	for {
		switch t := w.nextToken().(type) {
		case nil:
			return
		case xml.EndElement:
			e.add(a)
			return
		case xml.StartElement:
			text := w.elementText()
			if attributeText(t, "nil") == "true" {
				continue
			}
			switch t.Name.Local {
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
	}
}
