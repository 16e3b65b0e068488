package cli

import (
	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// assessment is a machine, what was derived of it, and what the rules say.
type assessment struct {
	sys   *inventory.System
	topo  *population.Result
	found *verdict.Audit
}

// judge is the way from a machine's facts to its findings. The error is one of
// the options.
func (p *Program) judge(engine *audit.Engine, o *audit.Options, sys *inventory.System) (*assessment, error) {
	topo := population.Derive(sys, p.Rules)
	found, err := engine.Run(sys, topo, *o)
	if err != nil {
		return nil, err
	}
	return &assessment{sys, topo, found}, nil
}

// report is the document about a judged machine.
func (j *assessment) report(o report.Options) report.Report {
	return report.Build(j.sys, j.topo, j.found, o)
}

// advised is the document with what to do about the memory population and the
// BIOS settings.
func (p *Program) advised(engine *audit.Engine, o *audit.Options, j *assessment, ro report.Options) report.Report {
	return j.report(ro.With(p.advice(engine, o, j)))
}

// advice is what to do. What the planner proposes goes through the derivation and
// the rules that the machine itself went through.
func (p *Program) advice(engine *audit.Engine, o *audit.Options, j *assessment) *plan.Plan {
	pipeline := p.pipeline(engine, o)
	made := plan.Make(j.sys, j.topo, j.found, pipeline)
	if a, ok := plan.Preset(j.sys, j.found, engine.Preset(j.sys, j.topo, *o), pipeline); ok {
		made.Advice = append(made.Advice, a)
	}
	return made
}

func (p *Program) pipeline(engine *audit.Engine, o *audit.Options) plan.Pipeline {
	run := func(bare bool) func(*inventory.System, *population.Result, func(string) bool) (*verdict.Audit, error) {
		return func(sys *inventory.System, topo *population.Result, rules func(string) bool) (*verdict.Audit, error) {
			narrow := *o
			narrow.Rules, narrow.Waivers, narrow.Bare = rules, nil, bare
			return engine.Run(sys, topo, narrow)
		}
	}
	return plan.Pipeline{
		Rules:    p.Rules,
		Role:     engine.Role,
		Document: audit.RowDocument,
		Derive:   func(sys *inventory.System) *population.Result { return population.Derive(sys, p.Rules) },
		Audit:    run(false),
		Verdicts: run(true),
	}
}
