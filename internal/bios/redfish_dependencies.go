package bios

import "strings"

// lockedBy reads the dependencies that say when an attribute may be changed, by
// attribute. Those about values, texts and bounds are passed over: a value that a
// preset once wrote may have been changed since, and the attribute tells it.
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
		if d == nil || stringMember(o, "Type") != "Map" {
			continue
		}
		to, property := stringMember(d, "MapToAttribute"), stringMember(d, "MapToProperty")
		locks, said := d["MapToValue"].(bool)
		terms, whole := termsOf(d["MapFrom"])
		if to == "" || !said || !whole || property != "ReadOnly" && property != "GrayOut" {
			continue
		}
		out[to] = append(out[to], dependency{locks, terms})
	}
	return out
}

// termsOf reads the conditions of a dependency; false where one is of a kind
// that only a program could decide otherwise.
func termsOf(v any) ([]dependencyTerm, bool) {
	list, _ := v.([]any)
	var out []dependencyTerm
	for _, entry := range list {
		o, _ := entry.(object)
		value, stated := scalar(o["MapFromValue"])
		t := dependencyTerm{stringMember(o, "MapFromAttribute"), stringMember(o, "MapFromCondition"), value, strings.EqualFold(stringMember(o, "MapTerms"), "OR")}
		if t.attribute == "" || !stated || t.condition != "EQU" && t.condition != "NEQ" || stringMember(o, "MapFromProperty") != "CurrentValue" {
			return nil, false
		}
		out = append(out, t)
	}
	return out, len(out) > 0
}

// Locked reports whether the registry says that an attribute cannot be changed
// while the others have the values that current gives, and by which attribute;
// said is false where it says nothing of it now.
func (e *Export) Locked(name string, current func(attribute string) (string, bool)) (locked, said bool, by string) {
	for _, d := range e.locks[name] {
		if d.hold(current) {
			locked, said, by = d.locks, true, d.terms[0].attribute
		}
	}
	return locked, said, by
}

// DependsOn reports whether the registry makes it depend on another attribute
// whether one can be changed.
func (e *Export) DependsOn(name, other string) bool {
	for _, d := range e.locks[name] {
		for _, t := range d.terms {
			if t.attribute == other {
				return true
			}
		}
	}
	return false
}

// hold evaluates the terms from the left. What an attribute that the export
// does not have would say is not known, and then nothing is said.
func (d *dependency) hold(current func(attribute string) (string, bool)) bool {
	holds := false
	for i, t := range d.terms {
		value, known := current(t.attribute)
		one := known && (value == t.value) == (t.condition == "EQU")
		switch {
		case i == 0:
			holds = one
		case t.or:
			holds = holds || one
		default:
			holds = holds && one
		}
	}
	return holds
}
