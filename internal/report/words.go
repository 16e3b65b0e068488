package report

import "memaudit.example/memaudit/internal/audit/verdict"

// Standing is the standing of a problem's document, "" for one about this machine or a standard.
type Standing string

const sister = Standing(verdict.Sister)

// Values returns the standings, and none.
func (Standing) Values() []Standing {
	out := []Standing{""}
	for _, s := range verdict.Standing("").Values() {
		out = append(out, Standing(s))
	}
	return out
}
