package cli

import (
	"reflect"
	"slices"

	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// lastPlan is a plan and what it was made of. A plan is two fifths of an audit that
// has one, and the machines that a daemon audits again are mostly as they were. It is
// for one set of rules.
type lastPlan struct {
	sys      inventory.System
	findings []verdict.Finding
	plan     *plan.Plan
}

// of is the plan of a judged machine: the last one where the machine and the verdicts
// about it are the same, else a new one. Only how long errors were counted may differ,
// which is another at each reading: what rests on it is in the verdicts.
func (l *lastPlan) of(j *assessment, make func() *plan.Plan) *plan.Plan {
	if l.plan != nil && len(l.plan.Asked) == 0 && len(l.plan.Advice) == 0 {
		*l = lastPlan{} // that nothing is to be planned is found sooner than that nothing changed
	}
	sys := *j.sys
	sys.EDAC = slices.Clone(sys.EDAC)
	for i := range sys.EDAC {
		sys.EDAC[i].CountedSeconds = fact.Fact[int64]{}
	}
	if l.plan == nil || !slices.EqualFunc(l.findings, j.found.Findings, sameVerdict) || !reflect.DeepEqual(&l.sys, &sys) {
		*l = lastPlan{sys, j.found.Findings, make()}
	}
	return l.plan
}

// sameVerdict compares what a plan knows of a finding; its texts rest on the machine.
func sameVerdict(a, b verdict.Finding) bool {
	return a.Rule == b.Rule && a.Subject == b.Subject && a.Result == b.Result && a.Severity == b.Severity && a.Certainty == b.Certainty
}
