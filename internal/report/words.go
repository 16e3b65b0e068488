package report

import (
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
)

// Standing is the standing of a problem's document, "" for one about this machine or a standard.
type Standing string

// FaceState is a fact.State by its name: captures store a fact.State by its number.
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
