package place

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/datafile"
)

type locatorFile struct {
	Schema int           `yaml:"schema"`
	Rules  []LocatorRule `yaml:"rules"`
}

type mapFile struct {
	Schema int       `yaml:"schema"`
	Vendor string    `yaml:"vendor"`
	Maps   []slotMap `yaml:"maps"`
}

const locatorYAML = "slots/locators.yaml"

// notMaps are the files of rules/slots without slot maps.
var notMaps = [...]string{locatorYAML, "slots/sources.yaml"}

// LocatorRules reads slots/locators.yaml. It returns nil if the file does not exist.
func LocatorRules(k fs.FS) ([]LocatorRule, error) {
	raw, err := fs.ReadFile(k, locatorYAML)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := datafile.Parse(locatorYAML, raw)
	var rules []LocatorRule
	if len(f.Docs) > 0 {
		rules = ValidatePatterns(f)
	}
	if len(f.Faults) > 0 {
		return nil, f.Faults
	}
	return rules, nil
}

const fieldWords = "cpu, p, node, ctl, chan, slot, bslot, num, board, _, x, C, L, S, B"

// checkPattern rejects a pattern that matchLabel could never match.
func checkPattern(pattern string) error {
	for rest := pattern; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return nil
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed {
			return errors.New("has no closing brace")
		}
		_, _, constant := constantField(name)
		if _, _, known := fieldByName(strings.TrimSuffix(name, ":1")); !known && !constant {
			return fmt.Errorf("has the unknown field {%s}, expected one of %s", name, fieldWords)
		}
		rest = tail
	}
}

// MapIndex returns the slot map ("file#id") for each product and pattern; the key is both, separated by a tab.
func MapIndex(k fs.FS) (map[string]string, error) {
	out := map[string]string{}
	err := eachMapFile(k, func(name string, file *mapFile) error {
		for i := range file.Maps {
			if err := file.Maps[i].index(out, file.Vendor, path.Base(name)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
	return out, err
}

func eachMapFile(k fs.FS, do func(name string, file *mapFile) error) error {
	names, _ := fs.Glob(k, "slots/*.yaml") // the only error is a malformed pattern
	for _, name := range names {
		if slices.Contains(notMaps[:], name) {
			continue
		}
		file, err := readMapFile(k, name)
		if err != nil {
			return err
		}
		if err := do(name, file); err != nil {
			return err
		}
	}
	return nil
}

// readMapFile reads one file of slot maps and rejects unknown keys.
func readMapFile(k fs.FS, name string) (*mapFile, error) {
	raw, err := fs.ReadFile(k, name)
	if err != nil {
		return nil, err
	}
	var file mapFile
	if err := datafile.Decode(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &file, nil
}

func (m *slotMap) index(entries map[string]string, vendor, file string) error {
	for _, model := range m.Models {
		for _, rule := range m.Locators {
			key := strings.TrimSpace(modelKey(vendor, model)) + "\t" + boardRule(rule, m.Slots)
			if other, twice := entries[key]; twice {
				return fmt.Errorf("%s and %s are both for %s", other, m.ID, strings.ReplaceAll(key, "\t", ", pattern "))
			}
			entries[key] = file + "#" + m.ID
		}
	}
	return nil
}
