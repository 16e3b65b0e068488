package report

import (
	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
)

// AdviceKind is the kind of an advice, by the costliest of its steps.
type AdviceKind string

// Values returns the kinds.
func (AdviceKind) Values() []AdviceKind {
	return []AdviceKind{plan.Move, plan.Install, plan.Remove, plan.Exchange, plan.Settings}
}

// StepKind is the kind of a step.
type StepKind string

// Values returns the kinds.
func (StepKind) Values() []StepKind {
	return []StepKind{plan.Move, plan.Swap, plan.Install, plan.Remove, plan.Exchange, plan.Set}
}

// Standing is the standing of a problem's document, "" for one about this machine or a standard.
type Standing string

// FaceState is a fact.State by its name.
type FaceState string

// FaceAbsent is a setting that the machine does not offer.
const FaceAbsent FaceState = "absent"

// Values returns the states.
func (FaceState) Values() []FaceState {
	var out []FaceState
	for _, s := range fact.OK.Values() {
		out = append(out, FaceState(s.String()))
	}
	return out
}

const sister = Standing(verdict.Sister)

// Values returns the standings, and none.
func (Standing) Values() []Standing {
	out := []Standing{""}
	for _, s := range verdict.Standing("").Values() {
		out = append(out, Standing(s))
	}
	return out
}
