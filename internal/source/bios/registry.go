package bios

import (
	"fmt"
	"reflect"
	"strings"
)

// registryEntries returns the list of attributes of a registry: below RegistryEntries or, in a
// reduced registry, at the top.
func registryEntries(o object) ([]any, bool) {
	if entries, ok := o["RegistryEntries"].(object); ok {
		list, ok := entries["Attributes"].([]any)
		return list, ok
	}
	list, ok := o["Attributes"].([]any)
	if !ok || len(list) == 0 {
		return nil, false
	}
	first, ok := list[0].(object)
	return list, ok && first["AttributeName"] != nil
}

// decodeRegistry decodes an attribute registry into an export without values.
func decodeRegistry(d document) (*Export, error) {
	entries, _ := registryEntries(d.body)
	r := &registry{Name: stringMember(d.body, "Id"), Attributes: map[string]registered{}, Locks: lockedBy(d.body)}
	e := &Export{Format: Registry, RegistryName: r.Name, Registry: r}
	doubted := map[string]bool{}
	for i, entry := range entries {
		at := fmt.Sprintf("%s.Attributes[%d]", d.path, i)
		o, ok := entry.(object)
		name := ""
		if ok {
			name = stringMember(o, "AttributeName")
		}
		if name == "" {
			e.problem("%s: no AttributeName", at)
			continue
		}
		a := newRegistered(o)
		if !r.register(name, a, doubted) {
			e.problem("%s: %s is listed more than once, and differently, so none of it is taken", at, name)
			continue
		}
		if err := e.add(Attribute{Name: name, Display: a.Display, Menu: a.Menu, Default: a.Default, ReadOnly: a.ReadOnly, Options: a.Names, OptionTexts: a.Texts, Place: at}); err != nil {
			return nil, err
		}
	}
	if len(e.Attributes) == 0 {
		return nil, malformed(d.path, "an attribute registry without attributes")
	}
	systems, _ := d.body["SupportedSystems"].([]any)
	if len(systems) == 1 { // one of several does not identify this machine
		s, _ := systems[0].(object)
		e.Product, e.Firmware = stringMember(s, "ProductName"), stringMember(s, "FirmwareVersion")
	}
	e.Vendor, e.Guessed = e.vendorOf(d.body)
	return e, nil
}

// register keeps an attribute. It returns false if the attribute was listed before with different content; none of its
// entries is then kept. doubted collects the names of such attributes.
func (r *registry) register(name string, a registered, doubted map[string]bool) bool {
	before, known := r.Attributes[name]
	if doubted[name] || known && !reflect.DeepEqual(before, a) {
		doubted[name] = true
		delete(r.Attributes, name)
		return false
	}
	r.Attributes[name] = a
	return true
}

func newRegistered(o object) registered {
	a := registered{Display: stringMember(o, "DisplayName"), Menu: stringMember(o, "MenuPath"), Texts: map[string]string{}}
	a.ReadOnly, _ = o["ReadOnly"].(bool)
	a.Default, _ = scalar(o["DefaultValue"])
	for _, key := range []string{"Value", "Values"} {
		values, _ := o[key].([]any)
		for _, v := range values {
			name, text := registeredValue(v)
			if name == "" {
				continue
			}
			a.Names = append(a.Names, name)
			a.Texts[name] = text
		}
	}
	return a
}

// registeredValue reads a possible value: an object with ValueName and ValueDisplayName, or an
// array of the two.
func registeredValue(v any) (name, text string) {
	switch v := v.(type) {
	case object:
		name, _ = scalar(v["ValueName"])
		text = stringMember(v, "ValueDisplayName")
	case []any:
		if len(v) > 0 {
			name, _ = scalar(v[0])
		}
		if len(v) > 1 {
			text, _ = scalar(v[1])
		}
	}
	return name, text
}

// resolve gives the attributes the names, texts and options of their registry.
func (e *Export) resolve(r *registry) {
	e.Locks = r.Locks
	for i := range e.Attributes {
		a := &e.Attributes[i]
		known, ok := r.Attributes[a.Name]
		if !ok {
			continue
		}
		a.Display, a.ReadOnly = strings.TrimSpace(known.Display), a.ReadOnly || known.ReadOnly
		if a.Menu == "" && e.Format != Racadm { // what racadm prints is a group of its own, and no menu
			a.Menu = known.Menu
		}
		if a.Default == "" {
			a.Default = known.Default
		}
		if len(a.Options) == 0 {
			a.Options, a.OptionTexts = known.Names, known.Texts
		}
		a.Text, a.PendingText = known.Texts[a.Value], known.Texts[a.Pending]
	}
}

// lockedBy reads from a registry's Dependencies under which conditions each attribute can be
// changed. Dependencies about values, texts and bounds are skipped: a value that a preset once
// wrote may have changed since, and the attribute itself states it.
func lockedBy(body object) map[string][]dependency {
	entries, ok := body["RegistryEntries"].(object)
	if !ok {
		entries = body
	}
	list, _ := entries["Dependencies"].([]any)
	out := map[string][]dependency{}
	for _, entry := range list {
		o, _ := entry.(object)
		d, _ := o["Dependency"].(object)
		if stringMember(o, "Type") != "Map" {
			continue
		}
		to, property := stringMember(d, "MapToAttribute"), stringMember(d, "MapToProperty")
		locks, said := d["MapToValue"].(bool)
		terms, complete := termsOf(d["MapFrom"])
		if to == "" || !said || !complete || property != "ReadOnly" && property != "GrayOut" {
			continue
		}
		out[to] = append(out[to], dependency{locks, terms})
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// termsOf reads the conditions of a dependency. It returns false if there are none, or if one is
// not a comparison (EQU, NEQ) with the current value of an attribute.
func termsOf(v any) ([]dependencyTerm, bool) {
	list, _ := v.([]any)
	var out []dependencyTerm
	for _, entry := range list {
		o, _ := entry.(object)
		value, stated := scalar(o["MapFromValue"])
		t := dependencyTerm{stringMember(o, "MapFromAttribute"), stringMember(o, "MapFromCondition"), value, strings.EqualFold(stringMember(o, "MapTerms"), "OR")}
		if t.Attribute == "" || !stated || t.Condition != "EQU" && t.Condition != "NEQ" || stringMember(o, "MapFromProperty") != "CurrentValue" {
			return nil, false
		}
		out = append(out, t)
	}
	return out, len(out) > 0
}

// Locked reports whether the registry forbids changing an attribute while other attributes have the values that current
// returns, and by which attribute. said is false if no dependency applies. If several apply, the last one counts.
func (e *Export) Locked(name string, current func(attribute string) (string, bool)) (locked, said bool, by string) {
	for _, d := range e.Locks[name] {
		if d.hold(current) {
			locked, said, by = d.Locks, true, d.Terms[0].Attribute
		}
	}
	return locked, said, by
}

// DependsOn reports whether the value of the attribute other is among the conditions under which the attribute name can
// be changed.
func (e *Export) DependsOn(name, other string) bool {
	for _, d := range e.Locks[name] {
		for _, t := range d.Terms {
			if t.Attribute == other {
				return true
			}
		}
	}
	return false
}

// hold evaluates the terms from left to right. A term with an unknown value is false.
func (d *dependency) hold(current func(attribute string) (string, bool)) bool {
	holds := false
	for i, t := range d.Terms {
		value, known := current(t.Attribute)
		one := known && (value == t.Value) == (t.Condition == "EQU")
		switch {
		case i == 0:
			holds = one
		case t.Or:
			holds = holds || one
		default:
			holds = holds && one
		}
	}
	return holds
}
