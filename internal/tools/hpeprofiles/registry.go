// Package hpeprofiles generates the HPE workload profiles of rules/profiles from HPE's BIOS attribute registries, which list
// the values that a workload profile writes. The tables extracted from the registries are in testdata/profiles; the
// registries themselves are not part of the project.
package hpeprofiles

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Registry is a BIOS attribute registry reduced to names, defaults, allowed
// values and the map of each workload profile.
type Registry struct {
	ID      string `json:"Id"`
	Systems []struct {
		Product  string `json:"ProductName"`
		ID       string `json:"SystemId"`
		Firmware string `json:"FirmwareVersion"`
	} `json:"SupportedSystems"`
	Attributes []Attribute `json:"Attributes"`
	// Maps maps each workload profile to the values it writes, by attribute.
	Maps map[string]map[string]string `json:"ProfileMap"`
}

// Attribute is one option of BIOS setup.
type Attribute struct {
	Name    string      `json:"AttributeName"`
	Type    string      `json:"Type"`
	Default any         `json:"DefaultValue"`
	Values  [][2]string `json:"Values"`
}

// ReadRegistry reads a reduced registry and demands one system and the maps of
// all workload profiles, no more and no fewer.
func ReadRegistry(file string) (*Registry, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &Registry{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(r.Systems) != 1 || len(r.Maps) != len(Workloads) {
		return nil, fmt.Errorf("%s: %d systems and %d profile maps, expected 1 and %d", file, len(r.Systems), len(r.Maps), len(Workloads))
	}
	for _, w := range Workloads {
		if len(r.Maps[w]) == 0 {
			return nil, fmt.Errorf("%s: no map of the profile %s", file, w)
		}
	}
	return r, nil
}

// Attribute finds an option by its name; nil if the system does not have it.
func (r *Registry) Attribute(name string) *Attribute {
	i := slices.IndexFunc(r.Attributes, func(a Attribute) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Attributes[i]
}

// Table returns the registry's maps as a table with a row for each attribute that a profile writes.
func (r *Registry) Table() *Table {
	s := r.Systems[0]
	t := &Table{Registry: r.ID, Product: s.Product, ROM: s.Firmware}
	var names []string
	for _, w := range Workloads {
		for name := range r.Maps[w] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		row := Row{Attribute: name}
		if a := r.Attribute(name); a != nil {
			row.Default = fmt.Sprint(a.Default)
		}
		for _, w := range Workloads {
			row.Cells = append(row.Cells, r.Maps[w][name])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Version returns the registry's version: "v1.2.34" for BiosAttributeRegistryU46.v1_2_34.
func (t *Table) Version() string {
	_, v, _ := strings.Cut(t.Registry, ".")
	return strings.ReplaceAll(v, "_", ".")
}

// System returns the ROM family: "U46".
func (t *Table) System() string {
	name, _, _ := strings.Cut(t.Registry, ".")
	return strings.TrimPrefix(name, "BiosAttributeRegistry")
}

// Year returns the year of the ROM's date, as in "U46 v2.34 (03/11/2025)".
func (t *Table) Year() string {
	rom := strings.TrimSuffix(t.ROM, ")")
	return rom[strings.LastIndex(rom, "/")+1:]
}
