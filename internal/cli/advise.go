package cli

import (
	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/plan"
	"github.com/memaudit/memaudit/internal/population"
)

// plan says what to do about what an audit found of the memory population. The
// planner's proposals go through the derivation and the rules that the machine
// itself went through.
func (p *Program) plan(engine *audit.Engine, o *audit.Options, sys *inventory.System, topo *population.Result, found *audit.Audit) *plan.Plan {
	return plan.Make(sys, topo, found, p.pipeline(engine, o))
}

func (p *Program) pipeline(engine *audit.Engine, o *audit.Options) plan.Pipeline {
	return plan.Pipeline{
		Rules:  p.Rules,
		Derive: func(sys *inventory.System) *population.Result { return population.Derive(sys, p.Rules) },
		Audit: func(sys *inventory.System, topo *population.Result, rules func(string) bool) (*audit.Audit, error) {
			narrow := *o
			narrow.Rules, narrow.Waivers = rules, nil
			return engine.Run(sys, topo, narrow)
		},
	}
}
