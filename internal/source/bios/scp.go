package bios

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

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
