package bios

import "slices"

// Check reports whether an export that was read from a capture is one that Decode could have
// returned: not more and not longer attributes than a file may have, and none without a name.
// Values of passwords are dropped, and dependencies without terms, which would apply always.
func (e *Export) Check() error {
	if len(e.Attributes) > maxAttributes || e.Registry != nil && len(e.Registry.Attributes) > maxAttributes {
		return malformed(e.Name, "more than %d attributes", maxAttributes)
	}
	for i := range e.Attributes {
		switch a := &e.Attributes[i]; {
		case a.Name == "":
			return malformed(e.Name, "attributes[%d] has no name", i)
		case len(a.Name)+len(a.Value)+len(a.Pending) > maxValue:
			return malformed(e.Name, "attributes[%d] is longer than %d bytes", i, maxValue)
		case secret(a.Name):
			a.dropValues()
		}
	}
	dropEmpty(e.Locks)
	if e.Registry != nil {
		dropEmpty(e.Registry.Locks)
	}
	return nil
}

func dropEmpty(locks map[string][]dependency) {
	for name, list := range locks {
		locks[name] = slices.DeleteFunc(list, func(d dependency) bool { return len(d.Terms) == 0 })
	}
}

// Without returns a copy in which the attributes that keep rejects have no values, so that it holds
// none of their serial numbers or passwords. Their names, places and flags stay.
func (e *Export) Without(keep func(name, display string) bool) *Export {
	out := *e
	out.Attributes = make([]Attribute, len(e.Attributes))
	for i, a := range e.Attributes {
		if !keep(a.Name, a.Display) {
			a = Attribute{Name: a.Name, Display: a.Display, Menu: a.Menu, Stated: a.Stated, HasPending: a.HasPending, ReadOnly: a.ReadOnly, Place: a.Place}
		}
		out.Attributes[i] = a
	}
	return &out
}
