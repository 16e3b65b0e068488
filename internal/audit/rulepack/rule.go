package rulepack

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
)

// Concern describes the machines that a rule applies to.
func (r *Rule) Concern() string {
	if r.Concerns != "" {
		return "concerns only " + r.Concerns
	}
	if r.For.Width() > 0 {
		return "concerns only " + strings.Join(slices.Concat(r.For.Vendors, r.For.Products, r.For.Platforms), ", ")
	}
	return "does not concern this machine"
}

// RemedyFor returns the remedy for a vendor, the longer name's if two match (HP, HPE), or otherwise the general
// one; "" matches no vendor.
func (r *Rule) RemedyFor(vendor string) string {
	best, text := "", r.Remedy
	for name, own := range r.Remedies {
		if len(name) > len(best) && strings.HasPrefix(vendor, name) {
			best, text = name, own
		}
	}
	return text
}

// Effect returns a measured effect with its conditions and source.
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
	return &verdict.Effect{Text: text, Source: source, AttachTo: e.AttachTo}
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
