package partnumber

import (
	"io/fs"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/settings"
)

type partsFile struct {
	Schema  int                        `yaml:"schema"`
	Vendor  string                     `yaml:"vendor"`
	Sources map[string]settings.Source `yaml:"sources"`
	Parts   []pattern                  `yaml:"parts"`
}

// Compile makes Part from the files below parts/.
func Compile(k fs.FS) ([]byte, error) {
	all, err := readPatterns(k)
	if err != nil {
		return nil, err
	}
	return compiled.Encode(all)
}

// readPatterns reads and checks every file; the order of names is that of patterns.
func readPatterns(k fs.FS) ([]pattern, error) {
	names, err := fs.Glob(k, "parts/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []pattern
	for _, name := range names {
		raw, err := fs.ReadFile(k, name)
		if err != nil {
			return nil, err
		}
		f := datafile.Parse(name, raw)
		if len(f.Docs) > 0 {
			all = append(all, readValid(f)...)
		}
		if len(f.Faults) > 0 {
			return nil, f.Faults
		}
	}
	return all, nil
}
