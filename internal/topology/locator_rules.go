package topology

import (
	"fmt"
	"io/fs"
	"strings"
)

// locatorRule is one row of rules/slots/locators.tsv, which is made from
// locators.yaml: which labels it reads, and what its node number means.
type locatorRule struct {
	id       string
	locators string // patterns, split at '|'
	banks    string // the same; "" accepts every bank locator
	vendors  string // makers, split at ','; "" is everybody
	models   string // normalised products, split at ','; "" is all
	node     string // what {node} is: socket, controller, auto or ignore
	options  string // words, split at ','
}

// The files of rules/slots that an audit reads.
const (
	locatorTable = "slots/locators.tsv"
	slotMapIndex = "slots/index.tsv"
)

// loadLocatorRules returns the rules that may apply to the machine, in order.
func loadLocatorRules(k fs.FS, id identity) ([]locatorRule, error) {
	raw, err := fs.ReadFile(k, locatorTable)
	if err != nil {
		return nil, fmt.Errorf("read locator patterns: %w", err)
	}
	rules := make([]locatorRule, 0, 64)
	for line := range strings.Lines(string(raw)) {
		r, ok := parseLocatorRule(strings.TrimSuffix(line, "\n"))
		if !ok {
			continue
		}
		if id.isVendor(r.vendors) && id.isModel(r.models) {
			rules = append(rules, r)
		}
	}
	return rules, nil
}

// parseLocatorRule reads one row; comments and short rows are no rules.
func parseLocatorRule(line string) (locatorRule, bool) {
	if line == "" || line[0] == '#' {
		return locatorRule{}, false
	}
	var col [7]string
	for i := range col {
		var found bool
		col[i], line, found = strings.Cut(line, "\t")
		if !found && i < len(col)-1 {
			return locatorRule{}, false
		}
	}
	return locatorRule{id: col[0], locators: col[1], banks: col[2], vendors: col[3],
		models: col[4], node: col[5], options: col[6]}, true
}

// has reports whether the option word is set.
func (r *locatorRule) has(option string) bool {
	return r.options != "" && inList(r.options, option)
}

// match reads both labels of a slot.
func (r *locatorRule) match(locator, bank string) (captured, bool) {
	var c captured
	if !matchAny(r.locators, locator, &c) {
		return captured{}, false
	}
	if r.banks == "" {
		return c, true
	}
	after := c
	if !matchAny(r.banks, bank, &after) {
		return captured{}, false
	}
	return after, true
}

// matchAny tries the patterns of a list; an empty pattern is an empty label.
func matchAny(patterns, label string, c *captured) bool {
	for {
		pattern, rest, more := strings.Cut(patterns, "|")
		if pattern == "" || pattern == "*" {
			if pattern == "*" || label == "" {
				return true
			}
		} else if try := *c; matchLabel(pattern, label, &try) {
			*c = try
			return true
		}
		if !more {
			return false
		}
		patterns = rest
	}
}

// inList reports whether a comma separated list has the word.
func inList(list, word string) bool {
	for {
		w, rest, more := strings.Cut(list, ",")
		if w == word {
			return true
		}
		if !more {
			return false
		}
		list = rest
	}
}
