package rulepack

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
)

// Concern says whom a rule concerns.
func (r *Rule) Concern() string {
	if r.Concerns != "" {
		return "concerns only " + r.Concerns
	}
	if r.For.Width() > 0 {
		return "concerns only " + strings.Join(slices.Concat(r.For.Vendors, r.For.Products, r.For.Platforms), ", ")
	}
	return "does not concern this machine"
}

// Usual is the rule's severity; where an expression decides, its last
// alternative.
func (r *Rule) Usual() verdict.Severity { return r.Shape.Usual }

// RemedyFor picks the vendor's own words, of two names that fit (HP, HPE) the
// longer one's, else the general ones; "" is not a vendor.
func (r *Rule) RemedyFor(vendor string) string {
	best, text := "", r.Remedy
	for name, own := range r.Remedies {
		if len(name) > len(best) && strings.HasPrefix(vendor, name) {
			best, text = name, own
		}
	}
	return text
}

// Effect completes a measured effect with its conditions and source.
func (e *EffectSpec) Effect(text string, c *verdict.Citation) *verdict.Effect {
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
	return &verdict.Effect{Text: text, Source: source, Beside: e.Beside}
}

// Cap lowers the certainty of the facts read to the rule's own.
func (r *Rule) Cap(c fact.Certainty) fact.Certainty {
	switch r.Certainty {
	case "indirect":
		c = min(c, fact.Indirect)
	case "corroborated":
		c = min(c, fact.Corroborated)
	}
	return c
}
