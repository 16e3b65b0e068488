package bios

import "strings"

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
