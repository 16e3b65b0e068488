package bios

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/lazy"
)

// isPairList recognises ironic's list of BIOS settings: objects with a name and a value
// (openstack baremetal node bios setting list -f json, or its API).
func isPairList(list []any) bool {
	for _, v := range list {
		o, ok := v.(object)
		if !ok {
			return false
		}
		if name, _, valued := nameAndValue(lowerKeys(o)); name == "" || !valued {
			return false
		}
	}
	return len(list) > 0
}

// nameAndValue knows the keys of ironic and of scripts for Redfish and WS-Man.
func nameAndValue(o object) (name string, value any, ok bool) {
	for _, key := range []string{"name", "attributename", "attribute"} {
		name = cmp.Or(name, stringMember(o, key))
	}
	for _, key := range []string{"currentvalue", "value"} {
		if !ok {
			value, ok = o[key]
		}
	}
	return name, value, ok
}

func lowerKeys(o object) object {
	out := make(object, len(o))
	for key, v := range o {
		out[strings.ToLower(key)] = v
	}
	return out
}

// decodePairs decodes a list of names and values. The names are those of the vendor's Redfish attributes.
func decodePairs(at string, list []any) (*Export, error) {
	e, host := &Export{Format: Redfish}, ""
	for i, v := range list {
		o, _ := v.(object)
		o = lowerKeys(o)
		if other := hostOfRow(o); i == 0 {
			host = other
		} else if other != host {
			return nil, severalMachinesError(fmt.Sprintf("%s[%d]", at, i), other, host)
		}
		name, value, _ := nameAndValue(o)
		a := Attribute{Name: cleanValue(name), Place: fmt.Sprintf("%s[%d]", at, i)}
		a.Value, a.Stated = scalarText(value)
		a.Bare = isBareValue(value)
		if waits, _ := scalarText(o["pendingvalue"]); waits != "" {
			a.Pending, a.HasPending = waits, true
		}
		a.ReadOnly = o["read_only"] == true
		a.Options = scalarTexts(o["allowable_values"])
		e.add(a)
	}
	e.deriveIdentity(object{})
	return e, e.failed
}

// decodeKubernetes decodes metal3's HostFirmwareSettings: status.settings are the current values,
// spec.settings those that are to be set. A list (kubectl get hfs -o json) must hold one host.
func decodeKubernetes(at string, o object) (*Export, error) {
	if items, ok := o["items"].([]any); ok {
		if len(items) != 1 {
			return nil, malformedError(at+".items", "%d hosts, expected the HostFirmwareSettings of one", len(items))
		}
		o, _ = items[0].(object)
		at += ".items[0]"
	}
	switch kind := stringMember(o, "kind"); kind {
	case "HostFirmwareSettings":
	case "BIOSSettings", "BIOSSettingsSet":
		return decodeMetalOperator(at, o)
	default:
		return nil, fmt.Errorf("%w: %s: kind %q, expected HostFirmwareSettings, BIOSSettings or BIOSSettingsSet", ErrUnrecognised, at, kind)
	}
	now, wanted := within(o, "status", "settings"), within(o, "spec", "settings")
	e := &Export{Format: Redfish, PendingOnly: len(now) == 0}
	names := object{}
	maps.Copy(names, now)
	maps.Copy(names, wanted)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a := Attribute{Name: cleanValue(name), Place: at + ".status.settings" + pathStep(name)}
		a.Value, a.Stated = scalarText(now[name])
		if word, ok := scalarText(wanted[name]); ok && (!a.Stated || word != a.Value) {
			a.Pending, a.HasPending = word, true
		}
		e.add(a)
	}
	if err := e.errorIfEmpty(at, "no settings, expected status.settings"); err != nil {
		return nil, err
	}
	e.deriveIdentity(object{})
	return e, e.failed
}

// decodeMetalOperator decodes BIOSSettings and BIOSSettingsSet of ironcore-dev's metal-operator: settings to be made, in one map or in the
// steps of a flow.
func decodeMetalOperator(at string, o object) (*Export, error) {
	spec := within(o, "spec")
	if template := within(spec, "biosSettingsTemplate"); template != nil {
		spec = template
	}
	e := &Export{Format: Redfish, PendingOnly: true}
	add := func(at string, list any) {
		settings, _ := list.(object)
		for _, name := range slices.Sorted(maps.Keys(settings)) {
			if word, ok := scalarText(settings[name]); ok {
				e.add(Attribute{Name: cleanValue(name), Pending: word, HasPending: true, Place: at + pathStep(name)})
			}
		}
	}
	add(at+".spec.settings", spec["settings"])
	flow, _ := spec["settingsFlow"].([]any)
	for i, step := range flow {
		if s, ok := step.(object); ok {
			add(fmt.Sprintf("%s.spec.settingsFlow[%d].settings", at, i), s["settings"])
		}
	}
	e.Vendor, e.Guessed = vendorByNames(e.Attributes)
	return e, e.errorIfEmpty(at, "no setting, expected spec.settings or spec.settingsFlow")
}

// decodePolicy decodes a BIOS policy of Cisco Intersight: settings to be made; platform-default leaves one as it is.
func decodePolicy(o object) (*Export, error) {
	e := &Export{Format: UCSXML, Vendor: Cisco, PendingOnly: true}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if word, ok := o[name].(string); ok && word != "platform-default" && !slices.Contains([]string{"ClassId", "ObjectType", "Name", "Description", "Moid", "AccountMoid", "CreateTime", "ModTime"}, name) {
			e.add(Attribute{Name: cleanValue(name), Pending: cleanValue(word), HasPending: true, Place: "$" + pathStep(name)})
		}
	}
	return e, e.errorIfEmpty("$", "a policy without a setting of its own")
}

// hostFirmware matches the line by which the YAML of kubectl and of Intersight's command line is recognised.
var hostFirmware = lazy.Pattern(`(?m)^\s*-?\s*(?:kind: "?(?:HostFirmwareSettings|BIOSSettings(?:Set)?)|ClassId: "?bios\.Policy)"?\s*$`)

func decodeKubernetesYAML(data []byte) (*Export, error) {
	var o object
	if err := yaml.Unmarshal(data, &o); err != nil {
		return nil, malformedError("YAML", "%v", err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, malformedError("YAML", "%v", err)
	}
	return decodeJSON(text)
}

// toUTF8 converts UTF-16 with a byte order mark, which Windows tools write, to UTF-8, and removes
// the byte order mark of UTF-8. Other data are returned as they are.
func toUTF8(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return fromUTF16(data[2:], 0, 1)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return fromUTF16(data[2:], 1, 0)
	}
	return data
}

// fromUTF16 converts UTF-16; low and high are the positions of the low and the high byte in each unit.
func fromUTF16(data []byte, low, high int) []byte {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i+low])|uint16(data[i+high])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

// cleanValue makes a value valid UTF-8 and trims spaces. Bytes that are not UTF-8 are decoded as Latin-1.
func cleanValue(s string) string {
	if !utf8.ValidString(s) {
		s = fromLatin1(s)
	}
	return strings.TrimSpace(s)
}

func fromLatin1(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

var wordLine = lazy.Pattern(`^([a-z][a-z0-9_]*)\s*[:=]\s*(.*)$`)

// decodeWords decodes a file of canonical values ("memory_ras_mode: spare"). A person writes it from BIOS setup, for a
// machine without an export. Empty lines and comments after # are ignored.
func decodeWords(lines []textLine) (*Export, error) {
	e := &Export{Format: OwnWords}
	for _, l := range lines {
		text, _, _ := strings.Cut(l.text, "#")
		text = strings.TrimSpace(text)
		if text == "" || text == "---" {
			continue
		}
		m := wordLine().FindStringSubmatch(text)
		if m == nil {
			e.recordProblem("%s: not setting: value", l.originOfLine())
			continue
		}
		e.addPlain(m[1], strings.Trim(m[2], `"'`), l.originOfLine())
	}
	return e, e.errorIfNoLine(lines, "setting: value")
}

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
	if len(docs) == 0 && len(list) == 1 {
		if one, ok := list[0].(object); ok {
			return decodeObject(one) // as Lenovo's Redfish script prints the attributes, and Intersight a policy
		}
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%w: %s: none of %d entries is a Bios resource, %s", ErrUnrecognised, path, len(list), expected)
	}
	e, err := combineDocuments(docs)
	if err == nil && comments != nil {
		e.Format, e.Vendor = ILORest, HPE
		e.adoptSavedValues()
		e.Product, e.Firmware = stringMember(comments, "Model"), stringMember(comments, "BIOSFamily")
	}
	return e, err
}

// adoptSavedValues handles a settings object as "ilorest save" writes it: with all attributes, those without a pending change with
// their current values (HPE, iLOrest user guide, save command). A file with a few attributes is for "ilorest load": it
// lists changes to be made.
func (e *Export) adoptSavedValues() {
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

// The result is at the top, or below the name of a registered variable.
func redfishFacts(o object) (object, string) {
	if facts := within(o, "redfish_facts"); facts != nil {
		return facts, "$.redfish_facts"
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if facts := within(o, key, "redfish_facts"); facts != nil {
			return facts, "$" + pathStep(key) + ".redfish_facts"
		}
	}
	return nil, ""
}

// decodeAnsible decodes bios_attribute in the result of redfish_info (collection
// community.general): a list of pairs, each a system's path and its attributes.
func decodeAnsible(facts object, at string) (*Export, error) {
	at += ".bios_attribute.entries"
	entries, _ := within(facts, "bios_attribute")["entries"].([]any)
	if len(entries) != 1 {
		return nil, malformedError(at, "%d systems, expected the settings of one (redfish_info with category Systems, command GetBiosAttributes)", len(entries))
	}
	pair, _ := entries[0].([]any)
	if len(pair) != 2 {
		return nil, malformedError(at+"[0]", "expected a pair: the system's path and its attributes")
	}
	system, _ := pair[0].(object)
	attributes, ok := pair[1].(object)
	if !ok {
		return nil, malformedError(at+"[0][1]", "expected an object of attributes")
	}
	// These are all attributes of the Bios resource, without its own properties.
	return combineDocuments([]document{{at + "[0][1]", object{"@odata.id": strings.TrimRight(stringMember(system, "system_uri"), "/") + "/Bios", "Attributes": attributes}}})
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
		if _, ok := scalarText(o[name]); ok {
			e.addRedfish("$", name, o[name])
		}
	}
	if e.failed != nil {
		return nil, e.failed
	}
	if len(o) == 1 { // badfish's JSON has the attributes below the host's name
		for _, v := range o {
			if inner, ok := v.(object); ok {
				return decodeFlat(inner)
			}
		}
	}
	if e.Vendor, e.Guessed = vendorByNames(e.Attributes); e.Vendor == "" {
		keys := slices.Sorted(maps.Keys(o))
		if len(keys) > 5 {
			keys = append(keys[:5], "...")
		}
		for i, key := range keys {
			if len(key) > 40 {
				key = key[:40] + "..."
			}
			keys[i] = fmt.Sprintf("%q", key)
		}
		return nil, fmt.Errorf("%w: $: an object without Attributes (keys %s), %s", ErrUnrecognised, strings.Join(keys, ", "), expected)
	}
	return e, nil
}

// ansibleAnswer matches the line that Ansible prints before the result of a module: "host | SUCCESS
// => {" of an ad-hoc command or "ok: [host -> localhost] => {" of a playbook.
var ansibleAnswer = lazy.Pattern(`(?m)^(?:\S+ \| (?:SUCCESS|CHANGED)|(?:ok|changed): \[[^\]\n]+\](?: => \(item=[^\n]*\))?) => \{`)

// ansibleLog returns nil if there is no result of redfish_info, and an error for results of several hosts.
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
		return nil, malformedError("ansible's output", "answers of %d hosts, expected the settings of one", answers)
	}
	return found, nil
}

// ELCM is a profile of Fujitsu's iRMC (eLCM, embedded lifecycle management) with the settings of BIOS setup.
const ELCM Format = "elcm"

// decodeELCM decodes the groups of a profile (iRMC S4 and later, /rest/v1/Oem/eLCM/ProfileManagement/BiosConfig; the form is
// that of python-scciclient, scciclient/irmc/elcm.py); their names are the menus. Keys that begin with @ are the profile's own.
func decodeELCM(config object) (*Export, error) {
	const root = "$.Server.SystemConfig.BiosConfig"
	e := &Export{Format: ELCM, Vendor: Fujitsu}
	var group func(o object, at string, menu []string)
	group = func(o object, at string, menu []string) {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			place := at + pathStep(key)
			if strings.HasPrefix(key, "@") {
				continue
			}
			if inner, ok := o[key].(object); ok {
				group(inner, place, append(slices.Clone(menu), cleanValue(key)))
				continue
			}
			if word, ok := scalarText(o[key]); ok {
				e.add(Attribute{Name: cleanValue(key), Menu: strings.Join(menu, " > "), Value: word, Stated: true, Place: place})
			}
		}
	}
	group(config, root, nil)
	return e, e.errorIfEmpty(root, "a profile without a setting")
}
