package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

func TestCPUList(t *testing.T) {
	assert.Equal(t, "0-2,4,6-7", CPUList([]int{0, 1, 2, 4, 6, 7}))
	assert.Empty(t, CPUList(nil))
}

// TestAdviceOfAFindingOnce checks that two exchanges have the same name.
func TestAdviceOfAFindingOnce(t *testing.T) {
	cures := []plan.Failure{{Rule: "memory.dimm.uniform", Subject: inventory.SocketSubject(0)}}
	r := Report{Findings: []verdict.Finding{{Rule: cures[0].Rule, Subject: cures[0].Subject}}}
	r.advise(&inventory.System{}, &plan.Plan{Advice: []plan.Advice{
		{ID: plan.Move, Cures: cures}, {ID: plan.Exchange, Cures: cures}, {ID: plan.Exchange, Cures: cures}}})
	assert.Equal(t, []string{"move", "exchange"}, r.Findings[0].Advice)
	assert.Len(t, r.Advice, 3)
}
