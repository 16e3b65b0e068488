package partnumber

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

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
		var f partsFile
		if err := datafile.Decode(raw, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range f.Parts {
			if err := f.Parts[i].check(); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, f.Parts[i].ID, err)
			}
		}
		all = append(all, f.Parts...)
	}
	return all, nil
}

// check refuses what Decode could not read.
func (p *pattern) check() error {
	re, err := regexp.Compile(p.Match)
	if err != nil {
		return err
	}
	unanchored, ok := strings.CutPrefix(p.Match, "^")
	if !ok {
		return errors.New("match begins with ^: a number is read from its beginning")
	}
	p.Prefix, _ = regexp.MustCompile(unanchored).LiteralPrefix()
	var groups []string
	for i := range p.Tables {
		groups = append(groups, p.Tables[i].By...)
	}
	if unit, name, ok := strings.Cut(p.SizeFrom, ":"); ok {
		if unit != "gb" && unit != "mwords" {
			return fmt.Errorf("size_from %q, expected gb:GROUP or mwords:GROUP", p.SizeFrom)
		}
		groups = append(groups, name)
	}
	for _, name := range groups {
		if re.SubexpIndex(name) < 0 {
			return fmt.Errorf("match has no group %q", name)
		}
	}
	return nil
}
