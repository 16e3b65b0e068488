package rulepack

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/settings"
)

// leftOpen are values of a setting that leave it to firmware, or to a figure beside it.
var leftOpen = []string{settings.Auto, "custom"}

func (p *Prerequisite) wantedExpression() string {
	if p.Setting == "" {
		return ""
	}
	return "settings." + p.Setting + ` in ["` + strings.Join(p.Want, `", "`) + `"]`
}

// Evaluate evaluates a prerequisite for the machine of a scope: Pass, Fail, Unknown, NotApplicable or Error. One that no input shows
// is unknown.
func (p *Prerequisite) Evaluate(programs *facts.Programs, s *facts.Scope) (verdict.Result, error) {
	if p.Strength == Open {
		return verdict.NotApplicable, nil
	}
	if p.Applies != "" {
		if applies, o := programs.Bool(s, p.Applies); o.Err != nil || !applies { // what is known of no such machine is not asked of it
			return verdict.NotApplicable, o.Err
		}
	}
	out := verdict.Unknown
	for _, src := range []string{p.Needs, p.wantedExpression()} {
		if src == "" {
			continue
		}
		switch holds, o := programs.Bool(s, src); {
		case o.Err != nil:
			return verdict.Error, o.Err
		case o.Val == nil:
			return verdict.Unknown, nil
		case holds:
			out = verdict.Pass
		case src == p.wantedExpression() && slices.Contains(leftOpen, s.Read("settings."+p.Setting).Text()):
			return verdict.Unknown, nil
		default:
			return verdict.Fail, nil
		}
	}
	return out, nil
}

// FeatureResult returns the result of a rule with prerequisites from those of its check and of its prerequisites: what Linux shows to
// work works, and where it does not show it each prerequisite that is not met prevents it.
func (r *Rule) FeatureResult(check verdict.Result, met []verdict.Result) verdict.Result {
	for i := range r.Prerequisites {
		if check == verdict.Unknown && met[i] == verdict.Fail && r.Prerequisites[i].Strength == Must {
			return verdict.Fail
		}
	}
	return check
}

func (v *validator) prerequisites(r *Rule) {
	list := datafile.Value(r.node, "prerequisites")
	for i := range r.Prerequisites {
		p, n := &r.Prerequisites[i], list.Content[i]
		v.validateExpression(n, "applies", p.Applies, types.BoolType)
		v.validateExpression(n, "needs", p.Needs, types.BoolType)
		v.text(n, "lacks", p.Lacks)
		v.text(n, "fix", p.Fix)
		known, ok := settings.Lookup(p.Setting)
		for _, fault := range []struct {
			is   bool
			text string
		}{
			{p.Title == "", "a prerequisite needs a title: what must hold"},
			{!slices.Contains([]string{Must, Indirect, Open}, p.Strength), fmt.Sprintf("strength %q, expected must, indirect or open", p.Strength)},
			{p.Strength != Open && (p.Citation == nil || p.Citation.Vendor == "" || p.Citation.Title == ""), "a prerequisite needs the vendor and the title of its document, or the strength open"},
			{p.Setting != "" && !ok, fmt.Sprintf("%q is not a canonical setting, expected an id of rules/settings/vocabulary.tsv", p.Setting)},
			{ok && (len(p.Want) == 0 || slices.ContainsFunc(p.Want, func(w string) bool { return !known.Accepts(w) })), fmt.Sprintf("%s wants %q, expected words of %s", p.Setting, p.Want, strings.Join(known.Expected(), ", "))},
			{p.Setting == "" && p.Needs != "" && p.Lacks == "", "needs without a setting needs lacks: what is instead"},
			{(p.Applies == "") != (p.Concerns == ""), "applies needs concerns, the same in words"},
		} {
			v.complainIf(fault.is, n, "rule %s: %s", r.ID, fault.text)
		}
	}
}

// Words of a rule's planning.
const (
	// PlanLayout: the rule checks which DIMM is in which slot, and a plan can fix it.
	PlanLayout = "layout"
	// PlanRunning: after a change only the running machine shows the result.
	PlanRunning = "running"
	// PlanTold: a plan reports it before and after, at the running speed, and does not try to fix it.
	PlanTold = "told"
	// PlanModules: the result stays if DIMMs move, and may change with new ones.
	PlanModules = "modules"
	// PlanOrder: a plan never causes it to fail, at any severity.
	PlanOrder = "order"
	// PlanPurchase: its failure justifies new DIMMs, at any severity.
	PlanPurchase = "purchase"
	// PlanNodes: a running rule about NUMA nodes, which is about the layout on a machine that shows which DIMMs
	// are a node's memory.
	PlanNodes = "nodes"
	// PlanPermits: it checks what the document permits at all.
	PlanPermits = "permits"
)

// PlanningWords are all words of a rule's planning.
var PlanningWords = []string{PlanLayout, PlanRunning, PlanTold, PlanModules, PlanOrder, PlanPurchase, PlanPermits, PlanNodes}

// One of the first four is needed, and some go only with layout.
func (v *validator) validatePlanning(r *Rule) {
	node, kinds := keyOrRule(r.node, "planning"), 0
	for _, word := range r.Planning {
		needs := ""
		switch word {
		case PlanLayout, PlanRunning, PlanTold, PlanModules:
			kinds++
		case PlanOrder, PlanPurchase, PlanPermits:
			needs = PlanLayout
		case PlanNodes:
			needs = PlanRunning
		default:
			v.complain(node, "rule %s: %q is not a word of planning, expected one of %s", r.ID, word, strings.Join(PlanningWords, ", "))
		}
		v.complainIf(needs != "" && !slices.Contains(r.Planning, needs), node, "rule %s: planning %s goes with %s only", r.ID, word, needs)
	}
	v.complainIf(kinds > 1, node, "rule %s: planning is one of %s, %s, %s and %s", r.ID, PlanLayout, PlanRunning, PlanTold, PlanModules)
}
