// Package assess derives a report from a machine's inventory: topology, rules, advice. The command line and the
// web page share it.
package assess

import (
	"io/fs"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/topology/population"
)

// Auditor audits machines against the rules of an engine.
type Auditor struct {
	Rules   fs.FS
	Engine  *audit.Engine
	Options *audit.Options
}

// Assessment is a machine, its population, and the results of the rules.
type Assessment struct {
	System     *inventory.System
	Population *population.Result
	Found      *verdict.Audit
}

// Assess evaluates the rules for a machine. An error is about the options.
func (a *Auditor) Assess(sys *inventory.System) (*Assessment, error) {
	topo := population.Derive(sys, a.Rules)
	found, err := a.Engine.Run(sys, topo, *a.Options)
	if err != nil {
		return nil, err
	}
	return &Assessment{sys, topo, found}, nil
}

// Report returns the document about a machine, without advice.
func (j *Assessment) Report(o report.Options) report.Report {
	return report.Build(j.System, j.Population, j.Found, o)
}

// Advised returns the document with advice about the memory population and the BIOS settings.
func (a *Auditor) Advised(j *Assessment, o report.Options) report.Report {
	return j.Report(o.With(a.advice(j)))
}

// Staked is Advised with the machine's part in the plan of a fleet: modules in stock, and the machine's minimum
// capacity in bytes.
func (a *Auditor) Staked(j *Assessment, o report.Options, spares []plan.Spare, floor int64) (report.Report, *plan.Stake) {
	made := a.advice(j)
	return j.Report(o.With(made)), plan.ForFleet(j.System, j.Population, j.Found, made, a.Pipeline(), spares, floor)
}

// advice plans changes. Each proposal is derived and audited like the machine itself.
func (a *Auditor) advice(j *Assessment) *plan.Plan {
	pipeline := a.Pipeline()
	made := plan.Make(j.System, j.Population, j.Found, pipeline)
	if preset, ok := plan.Preset(j.System, j.Found, a.Engine.Preset(j.System, j.Population, *a.Options), pipeline); ok {
		made.Advice = append(made.Advice, preset)
	}
	return made
}

// WhatIf audits a machine with its DIMMs changed, and lists what was assumed about new ones.
func (a *Auditor) WhatIf(j *Assessment, changes []plan.Change, identifiers bool) (report.WhatIf, []string, error) {
	after, assumed, err := plan.WhatIf(j.System, j.Population, changes)
	if err != nil {
		return report.WhatIf{}, nil, err
	}
	outcome, err := plan.Compare(j.System, j.Population, j.Found, after, a.Pipeline())
	if err != nil {
		return report.WhatIf{}, nil, err
	}
	return report.BuildWhatIf(j.System, j.Population, &outcome, identifiers), assumed, nil
}

// Pipeline returns the functions that the planner audits its proposals with.
func (a *Auditor) Pipeline() plan.Pipeline {
	run := func(bare bool) func(*inventory.System, *population.Result, func(string) bool) (*verdict.Audit, error) {
		return func(sys *inventory.System, topo *population.Result, rules func(string) bool) (*verdict.Audit, error) {
			narrow := *a.Options
			narrow.Rules, narrow.Waivers, narrow.Accepted, narrow.Bare = rules, nil, nil, bare
			return a.Engine.Run(sys, topo, narrow)
		}
	}
	return plan.Pipeline{
		Rules:    a.Rules,
		Role:     a.Engine.Role,
		Document: audit.RowDocument,
		Derive:   func(sys *inventory.System) *population.Result { return population.Derive(sys, a.Rules) },
		Audit:    run(false),
		Verdicts: run(true),
	}
}
