package place

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/memaudit/memaudit/internal/compiled"
)

// locatorRule is one row of rules/slots/locators.yaml in its compiled form:
// which labels it reads, and what its node number means.
type locatorRule struct {
	id       string
	locators string // patterns, split at '|'
	banks    string // the same; "" accepts every bank locator
	vendors  string // makers, split at ','; "" is everybody
	models   string // normalised products, split at ','; "" is all
	node     string // what {node} is: socket, controller, auto or ignore
	options  string // words, split at ','
	// starts has a bit for each first letter (a = 0) of a locator that the rule
	// can read; all ones when a pattern does not begin with a letter.
	starts uint32
}

// LocatorPart is the part of the compiled knowledge that holds the patterns of
// labels, a line each.
const LocatorPart = "locators"

// loadLocatorRules returns the rules that may apply to the machine, in order.
func loadLocatorRules(k fs.FS, id identity) ([]locatorRule, error) {
	raw, err := compiled.Part(k, LocatorPart)
	if err != nil {
		return nil, fmt.Errorf("read locator patterns: %w", err)
	}
	rules := make([]locatorRule, 0, 64)
	for line := range strings.Lines(raw) {
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

// parseLocatorRule reads one row; a short one is not a rule.
func parseLocatorRule(line string) (locatorRule, bool) {
	var col [7]string
	for i := range col {
		var found bool
		col[i], line, found = strings.Cut(line, "\t")
		if !found && i < len(col)-1 {
			return locatorRule{}, false
		}
	}
	return locatorRule{id: col[0], locators: col[1], banks: col[2], vendors: col[3],
		models: col[4], node: col[5], options: col[6], starts: startsOf(col[1])}, true
}

// startsOf makes the letter mask of a list of patterns.
func startsOf(patterns string) uint32 {
	mask, begin := uint32(0), true
	for i := range len(patterns) {
		if begin {
			mask |= startOf(patterns[i])
		}
		begin = patterns[i] == '|'
	}
	return mask
}

// startOf is the bit of a first letter; anything else may match every label.
func startOf(b byte) uint32 {
	if b = lowerCase(b); b >= 'a' && b <= 'z' {
		return 1 << (b - 'a')
	}
	return ^uint32(0)
}

// has reports whether the option word is set.
func (r *locatorRule) has(option string) bool {
	return r.options != "" && inList(r.options, option)
}

// match reads both labels of a slot. Where both name the same field they must agree on it.
func (r *locatorRule) match(locator, bank string) (captured, bool) {
	var c captured
	if !matchAny(r.locators, locator, &c) {
		return captured{}, false
	}
	if r.banks == "" {
		return c, true
	}
	after := c
	if !matchAny(r.banks, bank, &after) || !c.agrees(&after) {
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

// firstMatch finds the first rule that reads the labels, -1 when none does.
func firstMatch(rules []locatorRule, locator, bank string) (int, captured) {
	start := ^uint32(0)
	if locator != "" {
		start = startOf(locator[0])
	}
	for r := range rules {
		if rules[r].starts&start == 0 {
			continue
		}
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
func (m *shapeMemo) match(rules []locatorRule, locator, bank string) (int, captured) {
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
