package report

import (
	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// SchemaPlan is the schema of a WhatIf, as its "schema" key states it.
const SchemaPlan = "memaudit.plan/v1"

// WhatIf is a machine as it is beside what it would be after some changes of its
// modules. Before holds the speed that the memory runs at, After the expected one.
type WhatIf struct {
	Schema  string  `json:"schema"`
	Machine Machine `json:"machine"`
	// Platform is the id of the recognised platform.
	Platform     *string     `json:"platform"`
	Before       Reaches     `json:"before"`
	After        Reaches     `json:"after"`
	FindingsGone []Remaining `json:"findings_gone"`
	FindingsNew  []Remaining `json:"findings_new"`
}

// BuildWhatIf makes the document of a what-if.
func BuildWhatIf(sys *inventory.System, topo *population.Result, o *plan.Outcome, identifiers bool) WhatIf {
	out := WhatIf{Schema: SchemaPlan, Machine: buildMachine(&sys.Machine, topo, identifiers),
		Before: buildReaches(&o.Before), After: buildReaches(&o.After), FindingsGone: []Remaining{}, FindingsNew: []Remaining{}}
	if p, ok := topo.Platform.Get(); ok {
		out.Platform = wordOrNil(p.ID)
	}
	for _, f := range o.Gone {
		out.FindingsGone = append(out.FindingsGone, Remaining(f))
	}
	for _, f := range o.New {
		out.FindingsNew = append(out.FindingsNew, Remaining(f))
	}
	return out
}
