package place

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/compiled"
)

// LocatorRule is one row of rules/slots/locators.yaml:
// which labels it reads, and what its node number means.
type LocatorRule struct {
	ID string `yaml:"id"`
	// Locators and Banks are patterns of which one must match; without Banks every bank locator does.
	Locators []string `yaml:"locator"`
	Banks    []string `yaml:"bank"`
	// Vendors and Models limit the rule to makers and normalised products; empty for all.
	Vendors []string `yaml:"vendor"`
	Models  []string `yaml:"model"`
	// Node is what {node} is: socket, controller, auto or ignore.
	Node    string   `yaml:"node"`
	Options []string `yaml:"options"`
}

// LocatorPart is the part of the compiled knowledge that holds the patterns of
// labels.
const LocatorPart = "locators"

// loadLocatorRules returns the rules that may apply to the machine, in order.
func loadLocatorRules(k fs.FS, id identity) ([]LocatorRule, error) {
	var rules []LocatorRule
	if err := compiled.ReadPart(k, LocatorPart, &rules); err != nil {
		return nil, fmt.Errorf("read locator patterns: %w", err)
	}
	return slices.DeleteFunc(rules, func(r LocatorRule) bool { return !id.isVendor(r.Vendors) || !id.isModel(r.Models) }), nil
}

// has reports whether the option word is set.
func (r *LocatorRule) has(option string) bool { return slices.Contains(r.Options, option) }

// bankGives reports whether a pattern of the bank locator has a field.
func (r *LocatorRule) bankGives(field string) bool {
	return slices.ContainsFunc(r.Banks, func(pattern string) bool { return strings.Contains(pattern, field) })
}

// match reads both labels of a slot. Where both name the same field they must agree on it.
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

// matchAny tries the patterns of a list; an empty pattern is an empty label, "*" any.
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

// firstMatch finds the first rule that reads the labels, -1 when none does.
func firstMatch(rules []LocatorRule, locator, bank string) (int, captured) {
	for r := range rules {
		if c, ok := rules[r].match(locator, bank); ok {
			return r, c
		}
	}
	return -1, captured{}
}

// shapeMemo remembers which rule read the last labels: the slots of a board
// are spelt alike but for digits and single letters.
type shapeMemo struct {
	entries [4]struct {
		locator, bank string
		rule          int
	}
	used int
}

// match is firstMatch with a short cut for labels of a shape seen before.
func (m *shapeMemo) match(rules []LocatorRule, locator, bank string) (int, captured) {
	for i := range min(m.used, len(m.entries)) {
		e := &m.entries[i]
		if !sameShape(e.locator, locator) || !sameShape(e.bank, bank) {
			continue
		}
		if e.rule < 0 {
			return -1, captured{}
		}
		if c, ok := rules[e.rule].match(locator, bank); ok {
			return e.rule, c
		}
	}
	r, c := firstMatch(rules, locator, bank)
	e := &m.entries[m.used%len(m.entries)]
	e.locator, e.bank, e.rule = locator, bank, r
	m.used++
	return r, c
}

// sameShape reports whether two labels differ only in digits and in capitals
// that stand alone before a digit or at the end.
func sameShape(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		switch {
		case a[i] == b[i], isDigit(a[i]) && isDigit(b[i]):
		case i > 0 && isCapital(a[i]) && isCapital(b[i]) && (i+1 == len(a) || isDigit(a[i+1])):
		default:
			return false
		}
	}
	return true
}

func isCapital(b byte) bool { return b >= 'A' && b <= 'Z' }
