package bios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// decodeList decodes an array of documents: resource, settings object and registry in any order, or
// the file of "ilorest save".
func decodeList(path string, list []any) (*Export, error) {
	var docs []document
	var comments object
	for i, e := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		body, ok := e.(object)
		if !ok {
			return nil, fmt.Errorf("%w: %s: not an object, %s", ErrUnrecognised, at, expected)
		}
		if c, ok := body["Comments"].(object); ok {
			comments = c
		}
		if kindOfDocument(body) != notBIOS {
			docs = append(docs, document{at, body})
			continue
		}
		docs = append(docs, ilorestDocuments(at, body)...)
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%w: %s: none of %d entries is a Bios resource, %s", ErrUnrecognised, path, len(list), expected)
	}
	e, err := combine(docs)
	if err == nil && comments != nil {
		e.Format, e.Vendor = ILORest, HPE
		e.saved()
		e.Product, e.Firmware = stringMember(comments, "Model"), stringMember(comments, "BIOSFamily")
	}
	return e, err
}

// saved handles a settings object as "ilorest save" writes it: with all attributes, those without a pending change with
// their current values (HPE, iLOrest user guide, save command). A file with a few attributes is for "ilorest load": it
// lists changes to be made.
func (e *Export) saved() {
	const complete = 10
	if !e.PendingOnly || len(e.Attributes) < complete {
		return
	}
	e.PendingOnly, e.ReadsPending = false, true
	for i := range e.Attributes {
		a := &e.Attributes[i]
		a.Value, a.Stated = a.Pending, a.HasPending
		a.Pending, a.HasPending = "", false
	}
}

// redfishFacts finds the result of Ansible's redfish_info and its JSON path: at the top, or below
// the name of a registered variable.
func redfishFacts(o object) (object, string) {
	if facts, ok := o["redfish_facts"].(object); ok {
		return facts, "$.redfish_facts"
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if inner, ok := o[key].(object); ok {
			if facts, ok := inner["redfish_facts"].(object); ok {
				return facts, "$" + pathStep(key) + ".redfish_facts"
			}
		}
	}
	return nil, ""
}

// decodeAnsible decodes bios_attribute in the result of redfish_info (collection
// community.general): a list of pairs, each a system's path and its attributes.
func decodeAnsible(facts object, at string) (*Export, error) {
	at += ".bios_attribute.entries"
	answer, _ := facts["bios_attribute"].(object)
	entries, _ := answer["entries"].([]any)
	if len(entries) != 1 {
		return nil, malformed(at, "%d systems, expected the settings of one (redfish_info with category Systems, command GetBiosAttributes)", len(entries))
	}
	pair, _ := entries[0].([]any)
	if len(pair) != 2 {
		return nil, malformed(at+"[0]", "expected a pair: the system's path and its attributes")
	}
	system, _ := pair[0].(object)
	attributes, ok := pair[1].(object)
	if !ok {
		return nil, malformed(at+"[0][1]", "expected an object of attributes")
	}
	// These are all attributes of the Bios resource, without its own properties.
	return combine([]document{{at + "[0][1]", object{"@odata.id": strings.TrimRight(stringMember(system, "system_uri"), "/") + "/Bios", "Attributes": attributes}}})
}

// ilorestDocuments finds the resources in a file of "ilorest save", which are below their type and path:
// {"#Bios.v1_0_0.Bios": {"/redfish/v1/systems/1/bios/settings/": {...}}}.
func ilorestDocuments(at string, body object) []document {
	var docs []document
	for _, key := range slices.Sorted(maps.Keys(body)) {
		inner, ok := body[key].(object)
		if !ok || !strings.Contains(strings.ToLower(key), "bios.") {
			continue
		}
		for _, path := range slices.Sorted(maps.Keys(inner)) {
			resource, ok := inner[path].(object)
			if !ok {
				continue
			}
			resource = maps.Clone(resource)
			if stringMember(resource, "@odata.id") == "" {
				resource["@odata.id"] = path
			}
			if stringMember(resource, "@odata.type") == "" {
				resource["@odata.type"] = key
			}
			docs = append(docs, document{at + pathStep(key) + pathStep(path), resource})
		}
	}
	return docs
}

// decodeFlat decodes the output of "ilorest get --json", an object of names and values. Because it could be any object,
// it must contain a name that identifies a vendor.
func decodeFlat(o object) (*Export, error) {
	e := &Export{Format: ILORest}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		switch o[name].(type) {
		case string, json.Number, bool:
			if err := e.addRedfish("$", name, o[name]); err != nil {
				return nil, err
			}
		}
	}
	if e.Vendor, e.Guessed = vendorByNames(e.Attributes); e.Vendor == "" {
		return nil, fmt.Errorf("%w: $: an object without Attributes (keys %s), %s", ErrUnrecognised, someKeys(o), expected)
	}
	return e, nil
}

// someKeys lists the first five keys of an object for an error message.
func someKeys(o object) string {
	keys := slices.Sorted(maps.Keys(o))
	if len(keys) > 5 {
		keys = append(keys[:5], "...")
	}
	for i := range keys {
		if len(keys[i]) > 40 {
			keys[i] = keys[i][:40] + "..."
		}
		keys[i] = fmt.Sprintf("%q", keys[i])
	}
	return strings.Join(keys, ", ")
}

// ansibleAnswer matches the line that Ansible prints before the result of a module: "host | SUCCESS
// => {" of an ad-hoc command or "ok: [host -> localhost] => {" of a playbook.
var ansibleAnswer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\S+ \| (?:SUCCESS|CHANGED)|(?:ok|changed): \[[^\]\n]+\](?: => \(item=[^\n]*\))?) => \{`)
})

// ansibleLog finds the result of redfish_info in the printed output of Ansible, or nil. It returns an error for results
// of several hosts.
func ansibleLog(data []byte) ([]byte, error) {
	if !bytes.Contains(data, []byte(`"redfish_facts"`)) {
		return nil, nil
	}
	var found []byte
	answers := 0
	for _, at := range ansibleAnswer().FindAllIndex(data, -1) {
		rest := data[at[1]-1:]
		var answer json.RawMessage
		if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&answer); err != nil {
			answer = rest // cut short: decodeJSON reports the position
		}
		if bytes.Contains(answer, []byte(`"redfish_facts"`)) {
			found = answer
			answers++
		}
	}
	if answers > 1 {
		return nil, malformed("ansible's output", "answers of %d hosts, expected the settings of one", answers)
	}
	return found, nil
}
