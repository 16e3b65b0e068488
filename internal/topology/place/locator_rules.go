package place

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/compiled"
)

// LocatorRule is one entry of rules/slots/locators.yaml: the labels it matches, and the meaning of their node
// number.
type LocatorRule struct {
	ID string `yaml:"id"`
	// Locators and Banks are patterns, at least one of which must match; without Banks every bank locator
	// matches.
	Locators []string `yaml:"locator"`
	Banks    []string `yaml:"bank"`
	// Vendors and Models limit the rule to vendors and normalised products; empty for all.
	Vendors []string `yaml:"vendor"`
	Models  []string `yaml:"model"`
	// Node is the meaning of {node}: socket, controller, auto or ignore.
	Node    string   `yaml:"node"`
	Options []string `yaml:"options"`
}

// LocatorPart is the part of the compiled knowledge with the label patterns.
const LocatorPart = "locators"

func loadLocatorRules(k fs.FS, id identity) ([]LocatorRule, error) {
	rules, err := compiled.Part[[]LocatorRule](k, LocatorPart)
	if err != nil {
		return nil, fmt.Errorf("read locator patterns: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(rules), func(r LocatorRule) bool { return !id.isVendor(r.Vendors) || !id.isModel(r.Models) }), nil
}

func (r *LocatorRule) has(option string) bool { return slices.Contains(r.Options, option) }

func (r *LocatorRule) bankGives(field string) bool {
	return slices.ContainsFunc(r.Banks, func(pattern string) bool { return strings.Contains(pattern, field) })
}

// match reads both labels of a slot. If both contain the same field, the values must be equal.
func (r *LocatorRule) match(locator, bank string) (captured, bool) {
	var c captured
	if !matchAny(r.Locators, locator, &c) {
		return captured{}, false
	}
	if len(r.Banks) == 0 {
		return c, true
	}
	after := c
	if !matchAny(r.Banks, bank, &after) || !c.agrees(&after) {
		return captured{}, false
	}
	return after, true
}

// matchAny tries the patterns of a list; an empty pattern matches an empty label, "*" any.
func matchAny(patterns []string, label string, c *captured) bool {
	for _, pattern := range patterns {
		if pattern == "*" || pattern == "" && label == "" {
			return true
		}
		if try := *c; pattern != "" && matchLabel(pattern, label, &try) {
			*c = try
			return true
		}
	}
	return false
}

// firstMatch returns the index of the first rule that matches the labels, -1 if none does.
func firstMatch(rules []LocatorRule, locator, bank string) (int, captured) {
	for r := range rules {
		if c, ok := rules[r].match(locator, bank); ok {
			return r, c
		}
	}
	return -1, captured{}
}
