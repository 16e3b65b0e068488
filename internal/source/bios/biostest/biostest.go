// Package biostest makes exports of BIOS settings for tests.
package biostest

import (
	"encoding/json"
	"fmt"
	"maps"
)

// Registry is an HPE attribute registry reduced to what a profile writes.
type Registry struct {
	ID         string `json:"Id"`
	Attributes []struct {
		Name    string  `json:"AttributeName"`
		Default any     `json:"DefaultValue"`
		Values  [][]any `json:"Values"`
	} `json:"Attributes"`
	// Profiles maps a workload profile to the values that it writes.
	Profiles map[string]map[string]string `json:"ProfileMap"`
}

// ReadRegistry reads a reduced registry.
func ReadRegistry(data []byte) (*Registry, error) {
	r := &Registry{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	if len(r.Attributes) == 0 {
		return nil, fmt.Errorf("registry %q: no attributes", r.ID)
	}
	return r, nil
}

// Values returns the allowed values of an attribute.
func (r *Registry) Values(attribute string) []string {
	for _, a := range r.Attributes {
		if a.Name != attribute {
			continue
		}
		var out []string
		for _, v := range a.Values {
			out = append(out, fmt.Sprint(v[0]))
		}
		return out
	}
	return nil
}

// Resource returns the Redfish Bios resource of a machine with the registry's defaults, changed by a workload profile
// and then by single attributes. A profile changes only its own attributes.
func (r *Registry) Resource(workload string, change map[string]string) ([]byte, error) {
	attributes := map[string]any{}
	for _, a := range r.Attributes {
		attributes[a.Name] = a.Default
	}
	written, ok := r.Profiles[workload]
	if !ok {
		return nil, fmt.Errorf("registry %s: no map of the profile %q", r.ID, workload)
	}
	attributes["WorkloadProfile"] = workload
	for name, value := range written {
		attributes[name] = value
	}
	maps.Copy(attributes, toAny(change))
	return json.Marshal(map[string]any{"@odata.type": "#Bios.v1_0_4.Bios", "@odata.id": "/redfish/v1/systems/1/bios/", "Id": "bios",
		"AttributeRegistry": r.ID, "Attributes": attributes})
}

func toAny(in map[string]string) map[string]any {
	out := map[string]any{}
	for k, v := range in {
		out[k] = v
	}
	return out
}
