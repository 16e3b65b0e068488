package audit

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
)

// concern says whom a rule concerns.
func (r *Rule) concern() string {
	if r.Concerns != "" {
		return "concerns only " + r.Concerns
	}
	if r.For.width() > 0 {
		return "concerns only " + strings.Join(slices.Concat(r.For.Vendors, r.For.Products, r.For.Platforms), ", ")
	}
	return "does not concern this machine"
}

// usual is the rule's severity; where an expression decides, its last
// alternative.
func (r *Rule) usual() Severity {
	if s := Severity(r.Severity); s.Rank() > 0 {
		return s
	}
	last, at := Warning, -1
	for _, s := range []Severity{Info, Warning, Critical} {
		if i := strings.LastIndex(r.Severity, `"`+string(s)+`"`); i > at {
			last, at = s, i
		}
	}
	return last
}

// remedyFor picks the vendor's own words, of two names that fit (HP, HPE) the
// longer one's, else the general ones; "" is no vendor.
func (r *Rule) remedyFor(vendor string) string {
	best, text := "", r.Remedy
	for name, own := range r.Remedies {
		if len(name) > len(best) && strings.HasPrefix(vendor, name) {
			best, text = name, own
		}
	}
	return text
}

// effect completes a measured effect with its conditions and source.
func (e *EffectSpec) effect(text string, c *Citation) *Effect {
	if e.Conditions != "" {
		text += " (" + e.Conditions + ")"
	}
	source := e.Source
	if source == "" && c != nil {
		source = c.Vendor + ", " + c.Title
		if e.Place != "" {
			source += ", " + e.Place
		}
	}
	return &Effect{Text: text, Source: source}
}

// cap lowers the certainty of the facts read to the rule's own.
func (r *Rule) cap(c fact.Certainty) fact.Certainty {
	switch r.Certainty {
	case "indirect":
		c = min(c, fact.Indirect)
	case "corroborated":
		c = min(c, fact.Corroborated)
	}
	return c
}
