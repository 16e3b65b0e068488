package reference

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report/text"
)

// exampleWidth leaves space for an indent in 80 columns.
const exampleWidth = 78

// rulePage is a rule with its finding in the first of its cases that fails, nil if there is none.
type rulePage struct {
	*rulepack.RuleInfo
	finding *verdict.Finding
	// Case is that case's name.
	Case string
}

func newRulePage(i *rulepack.RuleInfo) *rulePage {
	f, name := audit.Example(*i)
	return &rulePage{i, f, name}
}

// LayOutRule lays out the page of a rule.
func LayOutRule(l Layout, i *rulepack.RuleInfo) error { return layOutPage(l, "rule", newRulePage(i)) }

// Profile lays out the page of a profile, setting by setting, with the different values of profiles of the same intent for
// other machines.
func Profile(l Layout, i *rulepack.ProfileInfo) error { return layOutPage(l, "profile", i) }

// Does describes the result of the case: a rule that never fails explains what it passes.
func (r *rulePage) Does() string {
	if r.finding.Result == verdict.Pass {
		return "passes with an explanation"
	}
	return "fails"
}

// Printed returns the finding of the case as the program prints it.
func (r *rulePage) Printed() string {
	if r.finding == nil {
		return ""
	}
	return text.Finding(r.finding, text.Options{Width: exampleWidth})
}

// Problem returns the rule's short sentence; from its example if it depends on the machine.
func (r *rulePage) Problem() string {
	return r.evaluatedText(r.Rule.Short, func(f *verdict.Finding) string { return f.Short })
}

// Fixes returns what to do, in general and by vendor.
func (r *rulePage) Fixes() []string {
	if r.Rule.Explains {
		return []string{"nothing: the rule never fails, it explains what a reader may take for a fault"}
	}
	out := []string{r.evaluatedText(cmp.Or(r.Rule.Fix, r.Remedy), func(f *verdict.Finding) string { return cmp.Or(f.Fix, string(f.Remedy)) })}
	for _, vendor := range slices.Sorted(maps.Keys(r.Remedies)) {
		if words := constant(r.Remedies[vendor]); words != "" {
			out = append(out, vendor+": "+words)
		}
	}
	return out
}

// evaluatedText returns a text if it is constant, otherwise as printed in the example.
func (r *rulePage) evaluatedText(text string, evaluated func(*verdict.Finding) string) string {
	words := constant(text)
	if words != "" || r.finding == nil {
		return words
	}
	if words = evaluated(r.finding); words != "" {
		words = "for example: " + words
	}
	return words
}

// constant returns a text unless it depends on the machine, and computed one that does.
func constant(text string) string {
	if strings.Contains(text, "{{") {
		return ""
	}
	return text
}

func expressionText(text string) string { return strings.TrimPrefix(text, constant(text)) }

func citationSource(c *verdict.Citation) string {
	if c == nil {
		return ""
	}
	return humanize.Joined(", ", c.Line(), string(c.URL))
}

func otherWants(others []rulepack.OtherWant) []string {
	var out, values []string
	for _, o := range others {
		if n := slices.Index(values, o.Value); n >= 0 {
			out[n] += ", " + o.Profile
			continue
		}
		values, out = append(values, o.Value), append(out, o.Value+": "+o.Profile)
	}
	return out
}

// RulesByName returns rules/by-name.md: under a heading for each id the rules of all packs, with their
// results on the example servers, and then the settings of profiles. examples maps a rule's id to the example servers on
// which it fails, passes or is unknown.
func RulesByName(packs []*rulepack.Pack, examples map[string]string) (string, error) {
	var rules [][]*rulePage
	infos := rulepack.Describe(packs)
	for i := range infos {
		if i == 0 || infos[i].ID != infos[i-1].ID {
			rules = append(rules, nil)
		}
		last := len(rules) - 1
		rules[last] = append(rules[last], newRulePage(&infos[i]))
	}
	var out markdownPage
	err := layOutPage(&out, "by name", map[string]any{"Rules": rules, "Settings": settings.All(), "Examples": examples})
	return string(bytes.TrimSpace(out.Bytes())) + "\n", err
}
