package bios

import "encoding/json"

// capturedExport is an export in a capture: decoded, with its registry.
type capturedExport struct {
	Name                           string        `json:"name"`
	Format                         Format        `json:"format"`
	Vendor                         string        `json:"vendor,omitempty"`
	Guessed                        bool          `json:"guessed,omitempty"`
	Product                        string        `json:"product,omitempty"`
	Firmware                       string        `json:"firmware,omitempty"`
	RegistryName                   string        `json:"registry_name,omitempty"`
	Complete, Wishes, ReadsPending bool          `json:",omitempty"`
	Attributes                     []Attribute   `json:"attributes"`
	Problems                       []string      `json:"problems,omitempty"`
	Settings                       string        `json:"settings,omitempty"`
	Path                           string        `json:"path,omitempty"`
	Registry                       *wireRegistry `json:"registry,omitempty"`
	// Locks are the dependencies of the registry by which the attributes were resolved.
	Locks map[string][]wireDependency `json:"locks,omitempty"`
}

type wireRegistry struct {
	Name       string                      `json:"name"`
	Attributes map[string]wireRegistered   `json:"attributes"`
	Locks      map[string][]wireDependency `json:"locks,omitempty"`
}

type wireDependency struct {
	Locks bool       `json:"locks"`
	Terms []wireTerm `json:"terms"`
}

type wireTerm struct {
	Attribute string `json:"attribute"`
	Condition string `json:"condition"`
	Value     string `json:"value"`
	Or        bool   `json:"or,omitempty"`
}

// wiredLocks converts dependencies to the form that a capture holds.
func wiredLocks(locks map[string][]dependency) map[string][]wireDependency {
	out := map[string][]wireDependency{}
	for name, list := range locks {
		for _, d := range list {
			w := wireDependency{Locks: d.locks}
			for _, t := range d.terms {
				w.Terms = append(w.Terms, wireTerm{t.attribute, t.condition, t.value, t.or})
			}
			out[name] = append(out[name], w)
		}
	}
	return out
}

// unwiredLocks converts the dependencies of a capture back. One without terms is dropped, because
// it would apply always.
func unwiredLocks(locks map[string][]wireDependency) map[string][]dependency {
	out := map[string][]dependency{}
	for name, list := range locks {
		for _, w := range list {
			d := dependency{locks: w.Locks}
			for _, t := range w.Terms {
				d.terms = append(d.terms, dependencyTerm{t.Attribute, t.Condition, t.Value, t.Or})
			}
			if len(d.terms) > 0 {
				out[name] = append(out[name], d)
			}
		}
	}
	return out
}

type wireRegistered struct {
	Display  string            `json:"display,omitempty"`
	Menu     string            `json:"menu,omitempty"`
	Fallback string            `json:"default,omitempty"`
	ReadOnly bool              `json:"read_only,omitempty"`
	Names    []string          `json:"names,omitempty"`
	Texts    map[string]string `json:"texts,omitempty"`
}

// MarshalJSON writes the whole decoded export, so that UnmarshalJSON restores it without the
// original file.
func (e *Export) MarshalJSON() ([]byte, error) {
	w := capturedExport{Name: e.Name, Format: e.Format, Vendor: e.Vendor, Guessed: e.Guessed, Product: e.Product, Firmware: e.Firmware, RegistryName: e.RegistryName,
		Complete: e.Complete, Wishes: e.Wishes, ReadsPending: e.ReadsPending, Attributes: e.Attributes, Problems: e.Problems,
		Settings: e.Settings, Path: e.Path, Locks: wiredLocks(e.locks)}
	if e.registry != nil {
		w.Registry = &wireRegistry{Name: e.registry.name, Attributes: map[string]wireRegistered{}, Locks: wiredLocks(e.registry.locks)}
		for name, a := range e.registry.attributes {
			w.Registry.Attributes[name] = wireRegistered{Display: a.display, Menu: a.menu, Fallback: a.fallback, ReadOnly: a.readOnly,
				Names: a.names, Texts: a.texts}
		}
	}
	return json.Marshal(&w)
}

// UnmarshalJSON reads what MarshalJSON wrote. More attributes than a file may have are an error.
func (e *Export) UnmarshalJSON(data []byte) error {
	var w capturedExport
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	if len(w.Attributes) > maxAttributes {
		return malformed(w.Name, "more than %d attributes", maxAttributes)
	}
	*e = Export{Name: w.Name, Format: w.Format, Vendor: w.Vendor, Guessed: w.Guessed, Product: w.Product, Firmware: w.Firmware, RegistryName: w.RegistryName,
		Complete: w.Complete, Wishes: w.Wishes, ReadsPending: w.ReadsPending, Attributes: w.Attributes, Problems: w.Problems,
		Settings: w.Settings, Path: w.Path}
	if len(w.Locks) > 0 {
		e.locks = unwiredLocks(w.Locks)
	}
	if w.Registry == nil {
		return nil
	}
	e.registry = &registry{name: w.Registry.Name, attributes: map[string]*registered{}, locks: unwiredLocks(w.Registry.Locks)}
	for name, a := range w.Registry.Attributes {
		e.registry.attributes[name] = &registered{display: a.Display, menu: a.Menu, fallback: a.Fallback, readOnly: a.ReadOnly,
			names: a.Names, texts: a.Texts}
	}
	return nil
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
