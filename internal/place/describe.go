package place

import (
	"fmt"
	"io/fs"
	"path"

	yaml "go.yaml.in/yaml/v3"
)

// MapInfo describes a slot map for a reader.
type MapInfo struct {
	// File is its place below the rules.
	File, ID string
	Models   []string
	// Check says how it was checked: doc, field, label, infer.
	Check []string
	Note  string
}

// Describe reads every slot map, by id.
func Describe(k fs.FS) (map[string]MapInfo, error) {
	names, err := fs.Glob(k, "slots/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list slot maps: %w", err)
	}
	out := map[string]MapInfo{}
	for _, name := range names {
		if base := path.Base(name); base == "locators.yaml" || base == "sources.yaml" {
			continue
		}
		raw, err := fs.ReadFile(k, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		var f struct {
			Maps []slotMap `yaml:"maps"`
		}
		if err := yaml.Unmarshal(raw, &f); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		for i := range f.Maps {
			m := &f.Maps[i]
			out[m.ID] = MapInfo{File: name, ID: m.ID, Models: m.Models, Check: m.Check, Note: m.Note}
		}
	}
	return out, nil
}
