package audit

import (
	"cmp"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// Run audits one machine.
func (e *Engine) Run(sys *inventory.System, topo *population.Result, o Options) (*verdict.Audit, error) {
	run := newRun(e, sys, topo, o)
	if o.Asked && o.Rules == nil {
		run.want(o.Profile)
	}
	run.out.Findings = []verdict.Finding{}
	for _, candidates := range e.rules {
		if o.Rules == nil || o.Rules(candidates[0].ID) {
			run.rule(candidates)
		}
	}
	if o.Rules == nil && !o.Bare {
		if err := run.profile(); err != nil {
			return nil, err
		}
	}
	if !o.Bare {
		run.causes()
		run.propagateEffects()
		run.waive()
	}
	run.out.Summary = verdict.Summarize(run.out.Findings)
	return &run.out, nil
}

// want sets the values that the selected profile wants, for use by rules.
func (r *auditRun) want(name string) {
	p, _ := r.resolve(name)
	if p == nil {
		return
	}
	words := map[string][]string{}
	for _, row := range r.table(p) {
		words[row.ID] = row.Want
	}
	r.facts.Want(words)
}

// profile resolves the wanted profile for this machine and checks its settings. Every setting id of every
// loaded profile gets a finding.
func (r *auditRun) profile() error {
	name := cmp.Or(r.options.Profile, rulepack.Intents[0])
	if err := r.engine.CheckProfile(name); err != nil {
		return err
	}
	r.out.ProfileAsked = r.options.Asked
	var rows rulepack.SettingTable
	chosen, why := r.resolve(name)
	if chosen == nil {
		r.out.ProfileWhy = why
	} else {
		r.out.Profile = &verdict.Profile{ID: chosen.ID, Intent: chosen.Answers(name), Title: chosen.Title, Citation: *r.profileCitation(chosen)}
		rows = r.table(chosen)
		for i := range rows {
			r.setting(chosen, &rows[i])
		}
		why = "the profile " + chosen.ID + " does not cover it"
	}
	r.otherSettings(rows, why)
	return nil
}
