package bios

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

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
