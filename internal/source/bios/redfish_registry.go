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
