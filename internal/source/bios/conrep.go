package bios

import (
	"encoding/xml"
	"errors"
	"io"
)

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
