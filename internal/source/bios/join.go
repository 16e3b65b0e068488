package bios

import (
	"slices"
	"strings"
)

// Join combines exports that belong together. A settings object provides the pending values of its resource. A registry
// provides names and texts for the exports that name it, or another version of it if that is not among the files, and
// for those that do not name a registry. The result has all exports except for the merged settings objects.
func Join(exports []*Export) []*Export {
	var out []*Export
	used := map[*Export]bool{}
	for _, e := range exports {
		if e.Format != Redfish || e.PendingOnly {
			continue
		}
		for _, s := range exports {
			if s.PendingOnly && s.Format == Redfish && !used[s] && e.settledBy(s) {
				e.merge(s)
				used[s] = true
			}
		}
	}
	for _, e := range exports {
		for _, r := range registriesOf(e, exports) {
			e.resolve(r)
		}
		if !used[e] {
			out = append(out, e)
		}
	}
	return out
}

// registriesOf returns the registries by which an export is read.
func registriesOf(e *Export, exports []*Export) []*registry {
	var own, others []*registry
	for _, r := range exports {
		switch {
		case r.Registry == nil || e.Registry != nil:
		case e.RegistryName == "" || r.RegistryName == "":
			others = append(others, r.Registry)
		case strings.EqualFold(e.RegistryName, r.RegistryName):
			own = append(own, r.Registry)
		case sameRegistry(e.RegistryName, r.RegistryName):
			others = append(others, r.Registry)
		}
	}
	if own != nil {
		return own
	}
	return others
}

// settledBy reports whether s is the settings object of e: by the path in e or, if a path is missing, by the vendor.
func (e *Export) settledBy(s *Export) bool {
	if e.Settings != "" && s.Path != "" {
		return strings.EqualFold(strings.TrimRight(e.Settings, "/"), strings.TrimRight(s.Path, "/"))
	}
	return e.Vendor == s.Vendor
}

// sameRegistry compares the names of two registries without their versions.
func sameRegistry(a, b string) bool {
	a, _, _ = strings.Cut(a, ".")
	b, _, _ = strings.Cut(b, ".")
	return strings.EqualFold(a, b)
}

// merge takes the values of the settings object s as pending values.
func (e *Export) merge(s *Export) {
	e.takeOver(s)
	at := map[string]int{}
	for i := range e.Attributes {
		at[e.Attributes[i].Name] = i
	}
	for _, p := range s.Attributes {
		if !p.HasPending {
			continue
		}
		i, ok := at[p.Name]
		if !ok {
			e.problem("%s: the settings object names %q, which the resource does not have", p.Place, p.Name)
			continue
		}
		a := &e.Attributes[i]
		a.Pending, a.PendingText, a.HasPending = p.Pending, a.OptionTexts[p.Pending], true
	}
}

// Check returns an error if Decode could not have returned this export: it has too many or too long attributes, or one
// without a name. It checks exports from captures. Values of passwords are dropped, and dependencies without terms,
// which would always apply.
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

// Without returns a copy without the values of attributes that keep rejects, such as serial numbers and passwords. Their
// names, places and flags are kept.
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
