package bios

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// The list is below RegistryEntries or, in a reduced registry, at the top.
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

// decodeRegistry leaves out an attribute that is listed twice with different content.
func decodeRegistry(d document) (*Export, error) {
	entries, _ := registryEntries(d.body)
	e := &Export{Format: Registry, RegistryName: stringMember(d.body, "Id"), Locks: readDependencies(d.body)}
	first, doubted := map[string]Attribute{}, map[string]bool{}
	for i, entry := range entries {
		at := fmt.Sprintf("%s.Attributes[%d]", d.path, i)
		o, _ := entry.(object)
		name := stringMember(o, "AttributeName")
		if name == "" {
			e.recordProblem("%s: no AttributeName", at)
			continue
		}
		a := Attribute{Name: name, Display: strings.TrimSpace(stringMember(o, "DisplayName")), Menu: stringMember(o, "MenuPath"), OptionTexts: map[string]string{}}
		a.ReadOnly, _ = o["ReadOnly"].(bool)
		a.Default, _ = scalarText(o["DefaultValue"])
		for _, key := range []string{"Value", "Values"} {
			values, _ := o[key].([]any)
			for _, v := range values {
				if word, text := registeredValue(v); word != "" {
					a.Options = append(a.Options, word)
					a.OptionTexts[word] = text
				}
			}
		}
		switch before, listed := first[name]; {
		case doubted[name] || listed && !reflect.DeepEqual(before, a):
			doubted[name] = true
			e.recordProblem("%s: %s is listed more than once, and differently, so none of it is taken", at, name)
		default:
			first[name] = a
			a.Place = at
			e.add(a)
		}
	}
	if err := e.errorIfEmpty(d.path, "an attribute registry without attributes"); err != nil {
		return nil, err
	}
	e.Attributes = slices.DeleteFunc(e.Attributes, func(a Attribute) bool { return doubted[a.Name] })
	systems, _ := d.body["SupportedSystems"].([]any)
	if len(systems) == 1 { // one of several does not identify this machine
		s, _ := systems[0].(object)
		e.Product, e.Firmware = stringMember(s, "ProductName"), stringMember(s, "FirmwareVersion")
	}
	e.Vendor, e.Guessed = e.findVendor(d.body)
	return e, nil
}

// registeredValue reads a possible value: an object with ValueName and ValueDisplayName, or an array of the two.
func registeredValue(v any) (name, text string) {
	switch v := v.(type) {
	case object:
		name, _ = scalarText(v["ValueName"])
		text = stringMember(v, "ValueDisplayName")
	case []any:
		if len(v) > 0 {
			name, _ = scalarText(v[0])
		}
		if len(v) > 1 {
			text, _ = scalarText(v[1])
		}
	}
	return name, text
}

func (e *Export) applyRegistry(registries ...*Export) {
	for _, r := range registries {
		e.Locks = r.Locks
		known := map[string]*Attribute{}
		for i := range r.Attributes {
			known[r.Attributes[i].Name] = &r.Attributes[i]
		}
		for i := range e.Attributes {
			a := &e.Attributes[i]
			k := known[a.Name]
			if k == nil {
				continue
			}
			a.Display, a.ReadOnly = k.Display, a.ReadOnly || k.ReadOnly
			if a.Menu == "" && e.Format != Racadm { // what racadm prints is a group of its own, and no menu
				a.Menu = k.Menu
			}
			a.Default = cmp.Or(a.Default, k.Default)
			if len(a.Options) == 0 {
				a.Options, a.OptionTexts = k.Options, k.OptionTexts
			}
			a.Text, a.PendingText = k.OptionTexts[a.Value], k.OptionTexts[a.Pending]
		}
	}
}

// readDependencies reads from a registry's Dependencies under which conditions each attribute can be
// changed. Dependencies about values, texts and bounds are skipped: a value that a preset once
// wrote may have changed since, and the attribute itself states it.
func readDependencies(body object) map[string][]dependency {
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
		terms, complete := readTerms(d["MapFrom"])
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

// readTerms is false without a condition, and if one is not a comparison (EQU, NEQ) with an attribute's current value.
func readTerms(v any) ([]dependencyTerm, bool) {
	list, _ := v.([]any)
	var out []dependencyTerm
	for _, entry := range list {
		o, _ := entry.(object)
		value, stated := scalarText(o["MapFromValue"])
		t := dependencyTerm{stringMember(o, "MapFromAttribute"), stringMember(o, "MapFromCondition"), value, strings.EqualFold(stringMember(o, "MapTerms"), "OR")}
		if t.Attribute == "" || !stated || t.Condition != "EQU" && t.Condition != "NEQ" || stringMember(o, "MapFromProperty") != "CurrentValue" {
			return nil, false
		}
		out = append(out, t)
	}
	return out, len(out) > 0
}

// IsLocked reports whether the registry forbids changing an attribute while other attributes have the values that current
// returns, and by which attribute. said is false if no dependency applies. If several apply, the last one counts.
func (e *Export) IsLocked(name string, current func(attribute string) (string, bool)) (locked, said bool, by string) {
	for _, d := range e.Locks[name] {
		if d.evaluateTerms(current) {
			first := slices.IndexFunc(d.Terms, func(t dependencyTerm) bool { return t.isTrueFor(current) })
			locked, said, by = d.Locks, true, d.Terms[first].Attribute
		}
	}
	return locked, said, by
}

// GreyedOut returns for each attribute that the registry forbids changing now "NAME = value" of the one that is the cause.
func (e *Export) GreyedOut() map[string]string {
	values := map[string]string{}
	for i := range e.Attributes {
		if a := &e.Attributes[i]; a.Stated {
			values[a.Name] = a.Value
		}
	}
	out := map[string]string{}
	for name := range e.Locks {
		if locked, _, by := e.IsLocked(name, func(attribute string) (string, bool) { v, ok := values[attribute]; return v, ok }); locked {
			out[name] = by + " = " + values[by]
		}
	}
	return out
}

// DependsOn reports whether the value of the attribute other is among the conditions under which the attribute name can
// be changed.
func (e *Export) DependsOn(name, other string) bool {
	return slices.ContainsFunc(e.Locks[name], func(d dependency) bool {
		return slices.ContainsFunc(d.Terms, func(t dependencyTerm) bool { return t.Attribute == other })
	})
}

func (t *dependencyTerm) isTrueFor(current func(attribute string) (string, bool)) bool {
	value, known := current(t.Attribute)
	return known && (value == t.Value) == (t.Condition == "EQU")
}

// evaluateTerms evaluates the terms from left to right. A term with an unknown value is false.
func (d *dependency) evaluateTerms(current func(attribute string) (string, bool)) bool {
	holds := false
	for i, t := range d.Terms {
		switch one := t.isTrueFor(current); {
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
