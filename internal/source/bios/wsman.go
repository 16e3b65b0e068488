package bios

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

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
