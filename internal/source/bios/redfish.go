package bios

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/strictjson"
)

type documentKind uint8

const (
	notBIOS documentKind = iota
	resourceKind
	settingsKind
	registryKind
)

func kindOfDocument(o object) documentKind {
	if _, ok := registryEntries(o); ok {
		return registryKind
	}
	_, nested := o["Attributes"].(object)
	// The attributes of iLO 4 are members of the resource itself.
	if !nested && !strings.Contains(stringMember(o, "@odata.type"), "HpBios.") && !strings.HasPrefix(stringMember(o, "Type"), "HpBios.") {
		return notBIOS
	}
	if isSettingsObject(o) {
		return settingsKind
	}
	return resourceKind
}

// isSettingsObject reports whether a document is the settings object (values after the next boot) and not the resource
// (current values), by its path or, without a path, by its Id or Name.
func isSettingsObject(o object) bool {
	if path := strings.ToLower(strings.TrimRight(stringMember(o, "@odata.id"), "/")); path != "" {
		return strings.HasSuffix(path, "/settings") || strings.HasSuffix(path, "/pending") || strings.HasSuffix(path, "/sd")
	}
	id, name := strings.ToLower(stringMember(o, "Id")), strings.ToLower(stringMember(o, "Name"))
	return id == "settings" || id == "pending" || id == "sd" || strings.Contains(name, "pending")
}

// DecodeRedfish decodes the Bios resource of one system as its BMC sent it. settings is its settings object, registry
// its attribute registry; both may be nil. One of these two that cannot be decoded is a problem of the export and costs
// no setting. name is kept as Export.Name. The error is ErrUnrecognised, ErrMalformed or strictjson.ErrTooSlow.
func DecodeRedfish(name string, resource, settings, registry []byte) (*Export, error) {
	e, err := decodePart(partLimit, "resource", resource)
	if err != nil {
		return nil, err
	}
	e.Name = name
	if len(settings) != 0 {
		if pending, err := decodePart(partLimit, "settings object", settings); err != nil {
			e.recordProblem("%v", err)
		} else {
			e.mergePending(pending)
		}
	}
	if len(registry) != 0 {
		if meanings, err := decodePart(partLimit, "registry", registry); err != nil {
			e.recordProblem("%v", err)
		} else {
			e.adoptProblems(meanings)
			e.applyRegistry(meanings)
		}
	}
	return e, nil
}

const partLimit = 5 * time.Second

func decodePart(limit time.Duration, what string, data []byte) (*Export, error) {
	var e *Export
	err := strictjson.InTime(limit, func() (err error) {
		e, err = decodeDocument(what, data)
		return err
	})
	switch {
	case errors.Is(err, strictjson.ErrTooSlow):
		return nil, fmt.Errorf("%s: %w", what, err)
	case err != nil:
		return nil, err
	}
	return e, nil
}

func decodeDocument(what string, data []byte) (*Export, error) {
	if len(data) > MaxBytes {
		return nil, malformedError(what, "longer than %d bytes", MaxBytes)
	}
	data = toUTF8(data)
	root, twice, err := parseJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	body, ok := root.(object)
	kind := kindOfDocument(body)
	if !ok || kind == notBIOS || (kind == registryKind) != (what == "registry") {
		return nil, fmt.Errorf("%s: %w: $: no Attributes, expected a Redfish Bios %s", what, ErrUnrecognised, what)
	}
	decode := decodeResource
	switch {
	case kind == registryKind:
		decode = decodeRegistry
	case what == "settings object":
		// The caller followed the link to it, so its path does not matter.
		body = maps.Clone(body)
		body["@odata.id"] = strings.TrimRight(stringMember(body, "@odata.id"), "/") + "/settings"
	}
	e, err := decode(document{"$", body})
	if err != nil {
		return nil, err
	}
	for i := range twice {
		twice[i] = what + ": " + twice[i]
	}
	e.recordAmbiguous(twice)
	return e, nil
}

func combineDocuments(docs []document) (*Export, error) {
	var current, pending, registry *Export
	for _, d := range docs {
		slot, what, decode := &current, "resource", decodeResource
		switch kindOfDocument(d.body) {
		case registryKind:
			slot, what, decode = &registry, "attribute registry", decodeRegistry
		case settingsKind:
			slot, what = &pending, "settings object"
		default:
		}
		e, err := decode(d)
		if err != nil {
			return nil, err
		}
		if *slot != nil {
			return nil, malformedError(d.path, "a second Bios %s, expected those of one system", what)
		}
		*slot = e
	}
	switch {
	case current == nil && pending == nil && registry == nil:
		return nil, fmt.Errorf("%w: no Bios resource, %s", ErrUnrecognised, expected)
	case current == nil && pending == nil:
		return registry, nil
	case current == nil:
		current, pending = pending, nil
	}
	if pending != nil {
		current.mergePending(pending)
	}
	if registry != nil {
		current.applyRegistry(registry)
	}
	return current, nil
}

func decodeResource(d document) (*Export, error) {
	e := &Export{Format: Redfish, RegistryName: stringMember(d.body, "AttributeRegistry"), Path: stringMember(d.body, "@odata.id"), PendingOnly: isSettingsObject(d.body)}
	if s, ok := d.body["@Redfish.Settings"].(object); ok {
		if link, ok := s["SettingsObject"].(object); ok {
			e.Settings = stringMember(link, "@odata.id")
		}
	}
	at, attributes := d.path, d.body
	if nested, ok := d.body["Attributes"].(object); ok {
		at, attributes = d.path+".Attributes", nested
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if at != d.path || !ownProperty(name, attributes[name]) {
			e.addRedfish(at, name, attributes[name])
		}
	}
	if len(e.Attributes) == 0 {
		e.recordProblem("%s: no attributes, as before the host's first start", at)
	}
	e.deriveIdentity(d.body)
	if e.PendingOnly {
		e.moveToPending()
	}
	return e, e.failed
}

// deriveIdentity derives the vendor, the machine and its firmware, and whether the resource is a machine's complete answer and not
// an excerpt: by its type and number of attributes. Real answers have 70 to 550 attributes, those of Cray's nodes 13 to 18.
func (e *Export) deriveIdentity(body object) {
	e.Vendor, e.Guessed = e.findVendor(body)
	e.Product, e.Firmware = e.statedValue("SystemModelName", "ProductName"), e.statedValue("SystemBiosVersion")
	enveloped := strings.Contains(strings.ToLower(stringMember(body, "@odata.type")), "bios")
	n := len(e.Attributes)
	e.Complete = !e.PendingOnly && (n >= 100 || enveloped && (n >= 40 || e.Vendor == Cray && n >= 10))
}

func (e *Export) moveToPending() {
	for i := range e.Attributes {
		a := &e.Attributes[i]
		if a.Stated && !a.HasPending {
			a.Pending, a.HasPending = a.Value, true
		}
		a.Value, a.Stated = "", false
	}
}

// ownProperty reports whether a member of an iLO 4 resource is a property of the resource and not an attribute.
func ownProperty(name string, v any) bool {
	own := []string{"Id", "Name", "Type", "Modified", "AttributeRegistry", "Description",
		"links", "Links", "SettingsResult", "Oem", "Actions"}
	_, single := scalarText(v)
	return v != nil && !single || strings.HasPrefix(name, "@") || slices.Contains(own, name)
}

// The node controllers of HPE Cray send an object with the attribute's values.
func (e *Export) addRedfish(at, name string, v any) {
	a := Attribute{Name: cleanValue(name), Place: at + pathStep(name)}
	switch v := v.(type) {
	case object:
		keys := slices.DeleteFunc([]string{"current_value", "CurrentValue", "Value"}, func(key string) bool { _, ok := v[key]; return !ok })
		if len(keys) == 0 {
			e.recordProblem("%s: an object without current_value, expected a value", a.Place)
		} else {
			a.Value, a.Stated = scalarText(v[keys[0]])
		}
		for _, key := range []string{"pending_value", "PendingValue"} {
			if next, ok := scalarText(v[key]); ok {
				a.Pending, a.HasPending = next, true
			}
		}
		a.Default, _ = scalarText(v["default_value"])
		a.Options = scalarTexts(v["AllowableValues"])
	case []any:
		text, _ := json.Marshal(v)
		a.Value, a.Stated, a.Bare = string(text), true, true
	default:
		a.Value, a.Stated = scalarText(v)
		a.Bare = isBareValue(v)
	}
	e.add(a)
}

func (e *Export) statedValue(names ...string) string {
	for _, name := range names {
		if a, ok := e.Attribute(name); ok && a.Stated {
			return a.Value
		}
	}
	return ""
}
