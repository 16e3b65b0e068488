package rulepack

import (
	"maps"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
)

// RuleInfo describes a rule for rules show.
type RuleInfo struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Subject  string `json:"subject"`
	Severity string `json:"severity"`
	// Scope names the machines the rule is written for, "" for all.
	Scope    string `json:"scope"`
	Applies  string `json:"applies"`
	Concerns string `json:"concerns"`
	Check    string `json:"check"`
	Why      string `json:"why"`
	Effect   string `json:"effect"`
	Remedy   string `json:"remedy"`
	// Remedies replace Remedy for a vendor.
	Remedies  map[string]string `json:"remedies"`
	Citation  *verdict.Citation `json:"citation"`
	DependsOn []string          `json:"depends_on"`
	Related   []string          `json:"related"`
	File      string            `json:"file"`
	Cases     CaseCounts        `json:"cases"`
	// Match is the machines the rule is written for, nil for all.
	Match *Match `json:"-"`
	// Computed is true if Effect is an expression.
	Computed bool `json:"-"`

	// Rule is the rule itself, with its cases unless it was compiled.
	Rule *Rule `json:"-"`
}

// Describe lists the rules of all packs by id, the narrowest of one id first.
func Describe(packs []*Pack) []RuleInfo {
	out := []RuleInfo{}
	for _, rules := range RulesByID(packs) {
		for _, r := range rules {
			out = append(out, r.info())
		}
	}
	return out
}

func (r *Rule) info() RuleInfo {
	i := RuleInfo{ID: r.ID, Title: r.Title, Subject: r.Subject, Severity: string(r.Usual), Scope: r.For.String(),
		Applies: r.Applies, Concerns: r.Concerns, Check: r.Check, Why: r.Why, Remedy: r.Remedy, Citation: r.Citation,
		DependsOn: emptyNotNil(r.DependsOn), Related: emptyNotNil(r.Related), File: r.pack.File,
		Remedies: map[string]string{}, Match: r.For, Rule: r}
	maps.Copy(i.Remedies, r.Remedies)
	if r.Effect != nil {
		i.Computed = r.Effect.Expr != ""
		i.Effect = r.Effect.Effect(strings.TrimSpace(r.Effect.Text+r.Effect.Expr), r.Citation).Text
	}
	i.Cases = r.caseCounts()
	return i
}

func emptyNotNil(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// String describes the machines.
func (m *Match) String() string {
	if m == nil {
		return ""
	}
	return strings.Join(slices.Concat(m.Vendors, m.Products, m.Platforms), ", ")
}

// CountRules counts the rules (with profiles) and cases of packs.
func CountRules(packs []*Pack) (rules, cases int) {
	for _, p := range packs {
		rules += len(p.Rules) + len(p.Profiles)
		for _, r := range p.Rules {
			cases += len(r.Cases)
		}
	}
	return rules, cases
}
