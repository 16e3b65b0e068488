// Package audit evaluates rule packs and profiles on a machine's facts. The result for every rule and subject
// is pass, fail, unknown, not_applicable, waived or error, with its evidence and citation.
package audit

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/population"
)

// Engine holds rules and profiles ready for audits. It compiles an expression when a machine first needs it. It
// is not safe for concurrent use.
type Engine struct {
	packs []*rulepack.Pack
	// rules are those of each id in the order of reports, the narrowest first.
	rules    [][]*rulepack.Rule
	profiles []*rulepack.ListedProfile
	// settings are the settings that some profile covers, sorted.
	settings []string
	programs facts.Programs
	// tables returns the vendors' attribute names and commands; nil for none.
	tables func() (settings.Tables, error)
	// roles is what the rules of an id mean to a plan: the first that has a role.
	roles map[string]verdict.Role
	// settingCauses are the rules from whose failure that of a setting's check follows, by the check's id.
	settingCauses map[string][]string
}

// NewEngine prepares the rules and profiles of all packs.
func NewEngine(packs []*rulepack.Pack) *Engine {
	e := &Engine{packs: packs, rules: rulepack.RulesByID(packs), settings: rulepack.SettingIDs(packs), roles: map[string]verdict.Role{}, settingCauses: map[string][]string{}}
	for _, same := range e.rules {
		for _, id := range same[len(same)-1].Related {
			e.settingCauses[id] = append(e.settingCauses[id], same[0].ID)
		}
		if i := slices.IndexFunc(same, func(r *rulepack.Rule) bool { return len(r.Planning)+len(r.Prerequisites) > 0 }); i >= 0 {
			has := func(word string) bool { return slices.Contains(same[i].Planning, word) }
			e.roles[same[i].ID] = verdict.Role{Layout: has(rulepack.PlanLayout), Running: has(rulepack.PlanRunning), Told: has(rulepack.PlanTold), Modules: has(rulepack.PlanModules),
				Order: has(rulepack.PlanOrder), Purchase: has(rulepack.PlanPurchase), Permits: has(rulepack.PlanPermits), Nodes: has(rulepack.PlanNodes), Feature: len(same[i].Prerequisites) > 0}
		}
	}
	for _, p := range packs {
		e.profiles = append(e.profiles, p.ListedProfiles()...)
		if p.Expressions != nil {
			e.programs.Encoded = p.Expressions
		}
	}
	return e
}

// Clone returns an engine of the same rules without what this one cached.
func (e *Engine) Clone() *Engine { return NewEngine(e.packs).WithTables(e.tables) }

// RoleOfRule returns what the rules of an id mean to a plan.
func (e *Engine) RoleOfRule(id string) verdict.Role { return e.roles[id] }

// Headline returns a rule's general description of its failure, "" if it has none.
func (e *Engine) Headline(id string) string {
	for _, rules := range e.rules {
		if rules[0].ID == id {
			return rules[len(rules)-1].Headline
		}
	}
	return ""
}

type auditRun struct {
	engine     *Engine
	sys        *inventory.System
	population *population.Result
	facts      *facts.Machine
	scope      *facts.Scope
	options    Options
	out        verdict.Audit
	// applied caches the applicability of rules that is the same for every subject.
	applied map[*rulepack.Rule]facts.Outcome
	// changes are the changes of profiles patch for the profile being checked, by setting.
	changes   map[string]SettingWays
	changesOf *rulepack.ProfileSpec
	// named is nil until first used.
	named *vendors
	// depends holds depends_on of the rule applied, by finding index; roots the failures that a finding follows
	// from.
	depends map[int][]string
	// counters are the findings about the errors of one module, which follow from those of the same module alone.
	counters map[int]bool
	// follows are the rules about the layout whose failure a feature's follows from, by the feature's rule.
	follows map[string][]string
	roots   map[int][]int
}

func newRun(e *Engine, sys *inventory.System, topo *population.Result, o Options) *auditRun {
	m := facts.NewMachine(sys, topo)
	return &auditRun{engine: e, sys: sys, population: topo, facts: m, scope: facts.NewScope(m), options: o,
		applied: map[*rulepack.Rule]facts.Outcome{}, depends: map[int][]string{}, counters: map[int]bool{}}
}

// Run audits one machine.
func (e *Engine) Run(sys *inventory.System, topo *population.Result, o Options) (*verdict.Audit, error) {
	run := newRun(e, sys, topo, o)
	if o.Asked && o.Rules == nil {
		words, intent := map[string][]string{}, o.Profile
		if p, _ := run.resolveProfile(o.Profile); p != nil {
			intent = p.AnsweredIntent(o.Profile)
			for _, row := range p.Whole().Settings {
				words[row.ID] = row.Want
			}
			if w := words["idle_states"]; w != nil { // what Linux may use counts where it overrides BIOS setup
				words["c_states"] = w
			}
		}
		run.facts.SetWanted(words, intent)
	}
	run.out.Findings = []verdict.Finding{}
	for _, candidates := range e.rules {
		if o.Rules == nil || o.Rules(candidates[0].ID) {
			run.evaluateRule(candidates)
		}
	}
	if o.Rules == nil && !o.Bare {
		if err := run.evaluateProfile(); err != nil {
			return nil, err
		}
	}
	if !o.Bare {
		run.recordCauses()
		run.propagateEffects()
		run.applyWaivers()
	}
	run.out.Summary = verdict.Summarize(run.out.Findings)
	return &run.out, nil
}

const overriddenRule = "settings.overridden"

// Every setting id of every loaded profile gets a finding.
func (r *auditRun) evaluateProfile() error {
	name := cmp.Or(r.options.Profile, rulepack.Intents[0])
	if err := r.engine.CheckProfile(name); err != nil {
		return err
	}
	r.out.ProfileAsked = r.options.Asked
	var rows rulepack.SettingTable
	found, why := r.resolveProfile(name)
	if found == nil {
		r.out.ProfileWhy = why
	} else {
		chosen := found.Whole()
		r.out.Profile = r.describeProfile(chosen, chosen.AnsweredIntent(name))
		rows = chosen.Settings
		before := len(r.out.Findings)
		for i := range rows {
			at, causes := len(r.out.Findings), r.engine.settingCauses["setting."+rows[i].ID]
			r.evaluateSetting(chosen, &rows[i])
			s, judged := r.facts.Setting(rows[i].ID), r.out.Findings[at].Value
			if judged == s.Effective.Or("") && judged != s.Configured.Or("") && slices.ContainsFunc(s.Overrides, func(o inventory.Override) bool { return overrideExplains(&o, &s) }) {
				causes = append([]string{overriddenRule}, causes...)
			}
			r.depends[at] = causes
		}
		if judged := verdict.Summarize(r.out.Findings[before:]); r.options.Asked {
			r.out.Profile.Part = nullable.String(chosen.DocumentPart(judged.Pass + judged.Fail))
		}
		why = "the profile " + chosen.ID + " does not cover it"
	}
	for _, id := range r.engine.settings {
		if !slices.ContainsFunc(rows, func(w rulepack.WantedSetting) bool { return w.ID == id }) {
			r.add(verdict.Finding{Rule: "setting." + id, Title: nullable.String("setting " + id + " as the profile asks"),
				Result: verdict.NotApplicable, Severity: verdict.Info, Reason: nullable.String(why)})
		}
	}
	return nil
}

// recordCauses finds the failures that each finding follows from: of the rules that its own depends on, those about its subject,
// the subject's socket and the machine; for a machine those of any part, for a socket of its slots.
func (r *auditRun) recordCauses() {
	r.roots = map[int][]int{}
	failures := map[string][]int{}
	for i := range r.out.Findings {
		if f := &r.out.Findings[i]; f.Result == verdict.Fail {
			failures[f.Rule] = append(failures[f.Rule], i)
		}
	}
	machine := inventory.Subject{}
	for i, ids := range r.depends {
		f := &r.out.Findings[i]
		if f.Result != verdict.Fail && f.Result != verdict.Unknown {
			continue
		}
		for _, id := range ids {
			for _, failed := range failures[id] {
				s := r.out.Findings[failed].Subject
				slotOfSocket := f.Subject.Kind == inventory.AboutSocket && s.Kind == inventory.AboutSlot && r.facts.OwningSocket(s) == f.Subject
				switch {
				case r.counters[i] && (f.Subject == machine || s != f.Subject): // errors that no slot is known for may be of any module
				case f.Subject == machine, s == machine, s == f.Subject, slotOfSocket, s == r.facts.OwningSocket(f.Subject):
					r.roots[i] = append(r.roots[i], failed)
					f.Causes = append(f.Causes, verdict.Ref{Rule: id, Subject: s})
				}
			}
		}
		if len(f.Causes) > 0 {
			f.CausedBy = nullable.String(f.Causes[0].Rule)
		}
	}
}

// A cause without its own effect shows what the worst consequence costs and which document says so.
func (r *auditRun) propagateEffects() {
	for root := range r.out.Findings {
		f := &r.out.Findings[root]
		if f.Result != verdict.Fail || f.Effect != nil && f.Citation != nil {
			continue
		}
		for _, i := range r.consequences(root) {
			c := &r.out.Findings[i]
			if f.Effect == nil && c.Effect != nil {
				e := *c.Effect
				f.Effect = &e
			}
			f.Citation = cmp.Or(f.Citation, c.Citation)
		}
	}
}

// Direct and indirect ones are listed, the worst first and otherwise in the order of the audit.
func (r *auditRun) consequences(root int) []int {
	led := map[int]bool{root: true}
	for more := true; more; {
		more = false
		for i, roots := range r.roots {
			if !led[i] && r.out.Findings[i].Result == verdict.Fail && slices.ContainsFunc(roots, func(root int) bool { return led[root] }) {
				led[i], more = true, true
			}
		}
	}
	var out []int
	for rank := verdict.Critical.Rank(); rank > 0; rank-- {
		for i := range r.out.Findings {
			if led[i] && i != root && r.out.Findings[i].Severity.Rank() == rank {
				out = append(out, i)
			}
		}
	}
	return out
}

// follows begins the reason of a consequence that is waived with its cause.
const follows = "follows from "
