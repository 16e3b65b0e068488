package bios

import "strings"

// Join combines exports that belong together. A settings object becomes the pending values of its
// resource. A registry gives names and texts to the exports that name it, and to those that name no
// registry. The result holds all exports but the settings objects that were merged. The order of
// the files does not matter.
func Join(exports []*Export) []*Export {
	var out []*Export
	used := map[*Export]bool{}
	for _, e := range exports {
		if e.Format != Redfish || e.Wishes {
			continue
		}
		for _, s := range exports {
			if s.Wishes && s.Format == Redfish && !used[s] && e.settledBy(s) {
				e.merge(s)
				used[s] = true
			}
		}
	}
	for _, e := range exports {
		for _, r := range exports {
			if r.registry != nil && e != r && (r.RegistryName == "" || e.RegistryName == "" || sameRegistry(e.RegistryName, r.RegistryName)) {
				e.resolve(r.registry)
			}
		}
		if !used[e] {
			out = append(out, e)
		}
	}
	return out
}

// settledBy tells whether s is the settings object of e: by the path that e names, or, where a path
// is missing, by the vendor.
func (e *Export) settledBy(s *Export) bool {
	if e.Settings != "" && s.Path != "" {
		return samePath(e.Settings, s.Path)
	}
	return e.Vendor == s.Vendor
}

func samePath(a, b string) bool {
	return strings.EqualFold(strings.TrimRight(a, "/"), strings.TrimRight(b, "/"))
}

// sameRegistry compares the names of two registries without their versions.
func sameRegistry(a, b string) bool {
	a, _, _ = strings.Cut(a, ".")
	b, _, _ = strings.Cut(b, ".")
	return strings.EqualFold(a, b)
}

// merge takes the values of the settings object s as pending values.
func (e *Export) merge(s *Export) {
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
		e.Attributes[i].Pending, e.Attributes[i].HasPending = p.Pending, true
	}
}
