package bios

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// isPairs recognises ironic's list of BIOS settings: objects with a name and a value
// (openstack baremetal node bios setting list -f json, or its API).
func isPairs(list []any) bool {
	for _, v := range list {
		o, ok := v.(object)
		if !ok {
			return false
		}
		o = lowerKeys(o)
		if _, ok := o["name"].(string); !ok || !hasKey(o, "value") {
			return false
		}
	}
	return len(list) > 0
}

func hasKey(o object, key string) bool {
	_, ok := o[key]
	return ok
}

// lowerKeys returns an object with its keys in lower case, for the command line prints them as
// headings.
func lowerKeys(o object) object {
	out := make(object, len(o))
	for key, v := range o {
		out[strings.ToLower(key)] = v
	}
	return out
}

// decodePairs decodes a list of names and values. The names are those of the vendor's Redfish
// attributes.
func decodePairs(at string, list []any) (*Export, error) {
	e := &Export{Format: Redfish}
	for i, v := range list {
		o, _ := v.(object)
		o = lowerKeys(o)
		a := Attribute{Name: cleanValue(stringMember(o, "name")), Place: fmt.Sprintf("%s[%d]", at, i)}
		a.Value, a.Stated = scalar(o["value"])
		a.Bare = isBareValue(o["value"])
		a.ReadOnly = o["read_only"] == true
		options, _ := o["allowable_values"].([]any)
		for _, option := range options {
			if word, ok := scalar(option); ok {
				a.Options = append(a.Options, word)
			}
		}
		if err := e.add(a); err != nil {
			return nil, err
		}
	}
	e.finishNames()
	return e, nil
}

// finishNames finds what the names of the attributes tell.
func (e *Export) finishNames() {
	e.Vendor, e.Guessed = vendorByNames(e.Attributes)
	e.Product, e.Firmware = e.stated("SystemModelName", "ProductName"), e.stated("SystemBiosVersion")
	e.Complete = e.whole(object{})
}

// decodeKubernetes decodes metal3's HostFirmwareSettings: status.settings are the present values,
// spec.settings those that are to be set. A list (kubectl get hfs -o json) must hold one host.
func decodeKubernetes(at string, o object) (*Export, error) {
	if items, ok := o["items"].([]any); ok {
		if len(items) != 1 {
			return nil, malformed(at+".items", "%d hosts, expected the HostFirmwareSettings of one", len(items))
		}
		o, _ = items[0].(object)
		at += ".items[0]"
	}
	if kind := stringMember(o, "kind"); kind != "HostFirmwareSettings" {
		return nil, fmt.Errorf("%w: %s: kind %q, expected HostFirmwareSettings", ErrUnrecognised, at, kind)
	}
	status, _ := o["status"].(object)
	now, _ := status["settings"].(object)
	spec, _ := o["spec"].(object)
	wanted, _ := spec["settings"].(object)
	e := &Export{Format: Redfish, Wishes: len(now) == 0}
	names := maps.Clone(now)
	if names == nil {
		names = object{}
	}
	maps.Copy(names, wanted)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a := Attribute{Name: cleanValue(name), Place: at + ".status.settings" + pathStep(name)}
		a.Value, a.Stated = scalar(now[name])
		if word, ok := scalar(wanted[name]); ok && (!a.Stated || word != a.Value) {
			a.Pending, a.HasPending = word, true
		}
		if err := e.add(a); err != nil {
			return nil, err
		}
	}
	if len(e.Attributes) == 0 {
		return nil, malformed(at, "no settings, expected status.settings")
	}
	wishes := e.Wishes
	e.finishNames()
	e.Complete = e.Complete && !wishes
	return e, nil
}

// hostFirmware is the line by which the YAML of kubectl is recognised.
const hostFirmware = "kind: HostFirmwareSettings"

// decodeKubernetesYAML decodes the YAML of "kubectl get hostfirmwaresettings -o yaml".
func decodeKubernetesYAML(data []byte) (*Export, error) {
	var o object
	if err := yaml.Unmarshal(data, &o); err != nil {
		return nil, malformed("YAML", "%v", err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, malformed("YAML", "%v", err)
	}
	return decodeJSON(text)
}
