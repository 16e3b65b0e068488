// Package audit checks a machine's facts against rule packs and profiles and
// says, for every rule and subject, pass, fail, unknown, not_applicable,
// waived or error, with the evidence and the citation.
package audit

import (
	"slices"
	"strings"
	"sync"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// Engine holds rules and profiles ready for audits. It compiles an expression
// when a machine first needs it. An Engine is for one goroutine.
type Engine struct {
	// rules are those of each id in the order of reports, the narrowest first.
	rules    [][]*rulepack.Rule
	profiles []*rulepack.ProfileSpec
	// settings are the settings that some profile judges, sorted.
	settings []string
	programs facts.Programs
	// tables gives the vendors' attribute names and commands; nil for none.
	tables func() (settings.Tables, error)
	// roles are what the rules are to a plan, read when one is made.
	roles func() map[string]verdict.Role
}

// NewEngine makes the rules and profiles of all packs ready.
func NewEngine(packs []*rulepack.Pack) *Engine {
	e := &Engine{rules: rulepack.RulesByID(packs)}
	e.roles = sync.OnceValue(func() map[string]verdict.Role { return rolesOf(e.rules) })
	for _, p := range packs {
		e.profiles = append(e.profiles, p.Profiles...)
		e.settings = append(e.settings, p.SettingIDs()...)
		if ahead := p.Ahead(); ahead != nil {
			e.programs.Ahead = ahead
		}
	}
	slices.Sort(e.settings)
	e.settings = slices.Compact(e.settings)
	return e
}

// Role tells what the rules of an id are to a plan.
func (e *Engine) Role(id string) verdict.Role { return e.roles()[id] }

// Headline returns what a rule finds wrong in general, "" if it has no such sentence.
func (e *Engine) Headline(id string) string {
	for _, rules := range e.rules {
		if rules[0].ID == id {
			return rules[len(rules)-1].Headline
		}
	}
	return ""
}

// auditRun is one audit in progress.
type auditRun struct {
	engine  *Engine
	sys     *inventory.System
	topo    *population.Result
	facts   *facts.Machine
	scope   *facts.Scope
	options Options
	out     verdict.Audit
	// applied keeps the applicability of rules that is the same for every
	// subject.
	applied map[*rulepack.Rule]applicable
	// cited keeps the document of a rule that is the same for every subject, concerns
	// in words which machines a rule concerns.
	cited    map[*rulepack.Rule]*verdict.Citation
	concerns map[*rulepack.Rule]string
	// scratch and spoke are room for one id's findings and the rules that made them,
	// used again for the next.
	scratch []verdict.Finding
	spoke   []*rulepack.Rule
	// rowsOf is the profile whose rows were unpacked last.
	rowsOf *rulepack.ProfileSpec
	rows   rulepack.SettingTable
	// presets keeps the ways to a preset by its setting and word, which most rows of a
	// profile name.
	presets map[[2]string][]string
	// changes are the ways of profiles patch for the profile that is checked, by setting.
	changes   map[string]SettingWays
	changesOf *rulepack.ProfileSpec
	// folded is the machine's vendor once it was asked for.
	folded *string
	// depends holds depends_on of the rule that spoke, by finding index; roots the
	// failures that a finding follows from.
	depends map[int][]string
	roots   map[int][]int
}

func newRun(e *Engine, sys *inventory.System, topo *population.Result, o Options) *auditRun {
	m := facts.NewMachine(sys, topo)
	return &auditRun{engine: e, sys: sys, topo: topo, facts: m, scope: facts.NewScope(m), options: o}
}

// add keeps a finding. Where the table may be another machine's than the tree beside it, a finding is
// at most a remark; memory errors alone are the kernel's own count, whatever the table lists.
func (r *auditRun) add(f verdict.Finding) int {
	if r.sys.Firmware.Doubt != "" && f.Result == verdict.Fail && !strings.HasPrefix(f.Rule, "memory.errors.") {
		f.Severity = verdict.Info
	}
	r.out.Findings = append(r.out.Findings, f)
	return len(r.out.Findings) - 1
}

// applicable is what an applies expression gave.
type applicable struct {
	holds bool
	facts.Outcome
}

// rolesOf lists the roles by id: of several rules of one the first that has one.
func rolesOf(rules [][]*rulepack.Rule) map[string]verdict.Role {
	out := map[string]verdict.Role{}
	for _, same := range rules {
		for _, r := range same {
			if _, known := out[r.ID]; !known && len(r.Planning) > 0 {
				out[r.ID] = roleOf(r.Planning)
			}
		}
	}
	return out
}

func roleOf(words []string) verdict.Role {
	has := func(word string) bool { return slices.Contains(words, word) }
	return verdict.Role{Layout: has(rulepack.PlanLayout), Running: has(rulepack.PlanRunning), Told: has(rulepack.PlanTold), Modules: has(rulepack.PlanModules),
		Order: has(rulepack.PlanOrder), Purchase: has(rulepack.PlanPurchase), Permits: has(rulepack.PlanPermits), Nodes: has(rulepack.PlanNodes)}
}
