package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// TestReached checks that the result of a layout is printed if it is known, and is null otherwise, not a class or a
// speed.
func TestReached(t *testing.T) {
	at := fact.Evidence{Source: "x"}
	known := buildReached(&plan.Socket{Socket: 1, Class: fact.Known(population.Class{Name: "B"}, fact.Direct, at),
		Speed: fact.Known(population.Speed{MTs: 3200}, fact.Direct, at), Peak: fact.Known(int64(204_800_000_000), fact.Direct, at)})
	require.NotEmpty(t, known.Class)
	assert.Equal(t, "B", string(known.Class))
	require.NotNil(t, known.ExpectedMTs)
	assert.Equal(t, 3200, *known.ExpectedMTs)
	assert.False(t, known.UpTo)
	noDocument := fact.Known(population.Speed{MTs: 3200}, fact.Direct, at)
	noDocument.Unverified = true
	assert.True(t, buildReached(&plan.Socket{Speed: noDocument}).UpTo)
	unknown := buildReached(&plan.Socket{Socket: 1})
	assert.Empty(t, unknown.Class)
	assert.Nil(t, unknown.ExpectedMTs)
	assert.Nil(t, unknown.PeakBytes)
}

// TestStepsOfSwap checks that a swap of two modules is one step, and that of three two. Each module is counted once
// as moved.
func TestStepsOfSwap(t *testing.T) {
	sys := &inventory.System{}
	for i, label := range []string{"A1", "B1", "C1", "D1"} {
		sys.Slots = append(sys.Slots, inventory.Slot{Handle: uint16(i), State: inventory.SlotPopulated, Locator: fact.Known(label, fact.Direct, fact.Evidence{}),
			SizeBytes: fact.Known(int64(i+1)<<30, fact.Direct, fact.Evidence{})})
	}
	swap := func(from, to int) plan.Step { return plan.Step{Do: plan.Swap, From: from, To: to, Like: -1} }
	a := BuildAdvice(sys, &plan.Advice{ID: plan.Move, Steps: []plan.Step{swap(0, 1), swap(1, 2), {Do: plan.Remove, From: 3, To: -1, Like: -1}, {Do: plan.Move, From: 1, To: 3, Like: -1}, swap(0, 3)}})
	var got []string
	for _, s := range a.Steps {
		got = append(got, s.Do+" "+s.FromLocator+">"+s.ToLocator)
	}
	assert.Equal(t, []string{
		"swap A1>B1", "swap B1>C1", "remove D1>", "move B1>D1", "swap A1>D1",
	}, got)
	assert.Equal(t, []int{6, 0, 1}, []int{a.Moves, a.Installs, a.Removes})
}

// TestKindOf checks that a module to buy is named RDIMM, LRDIMM or UDIMM if firmware or its part number gives its
// type; a registered one that may be load-reduced is not.
func TestKindOf(t *testing.T) {
	yes, no := fact.Known(true, fact.Direct, fact.Evidence{}), fact.Known(false, fact.Direct, fact.Evidence{})
	word := func(s string) fact.Fact[string] { return fact.Known(s, fact.Direct, fact.Evidence{}) }
	for want, slots := range map[string][]inventory.Slot{
		"RDIMM":  {{Registered: yes, LoadReduced: no, FormFactor: word("DIMM")}},
		"LRDIMM": {{Registered: yes, LoadReduced: yes}},
		"UDIMM":  {{Registered: no, LoadReduced: no}, {Registered: no, FormFactor: word("DIMM")}},
		"": {{}, {Registered: yes}, {Registered: no, LoadReduced: no, FormFactor: word("SODIMM")},
			{Registered: yes, LoadReduced: no, Type: word("DDR2 FB-DIMM")}},
	} {
		for i := range slots {
			assert.Equal(t, want, kindOf(&slots[i]), "%s %d", want, i)
		}
	}
}

// TestExpensiveReason checks that the reason why nothing cheaper is advised is printed if there is one, without empty brackets
// otherwise.
func TestExpensiveReason(t *testing.T) {
	assert.Empty(t, expensiveReason(&plan.Plan{}))
	assert.Equal(t, " (nothing cheaper is advised: six modules fail)", expensiveReason(&plan.Plan{WhyExpensive: "six modules fail"}))
	r := Report{}
	r.advise(twoSlots(), &plan.Plan{})
	assert.Empty(t, r.AdviceExpensive)
	r.advise(twoSlots(), &plan.Plan{WhyExpensive: "six modules fail"})
	assert.Equal(t, "none: six modules fail", r.AdviceExpensive)
}

// TestUnplacedErrors checks that a counter of a slot that cannot be placed is reported if it counted something, of
// either kind, and not if it is zero or unread.
func TestUnplacedErrors(t *testing.T) {
	count := func(label string, corrected, uncorrected fact.Fact[int64]) place.UnplacedErrors {
		return place.UnplacedErrors{Label: label, Errors: place.Errors{Corrected: corrected, Uncorrected: uncorrected}}
	}
	number := func(n int64) fact.Fact[int64] { return fact.Known(n, fact.Direct, fact.Evidence{Source: "edac"}) }
	got := buildUnplacedErrors([]place.UnplacedErrors{count("zero", number(0), number(0)), count("unread", fact.Fact[int64]{}, fact.Fact[int64]{}),
		count("corrected", number(7), number(0)), count("uncorrected", fact.Fact[int64]{}, number(1))})
	require.Len(t, got, 2)
	assert.Equal(t, []string{"corrected", "uncorrected"}, []string{got[0].Label, got[1].Label})
	assert.EqualValues(t, 7, *got[0].Corrected)
	assert.Nil(t, got[1].Corrected, "not read is not zero")
}
