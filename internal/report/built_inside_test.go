package report

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

func sure[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// twoSlots is a machine with a module of one rank in the first of two slots.
func twoSlots() *inventory.System {
	module := inventory.Slot{Handle: 0x1100, State: inventory.SlotPopulated, Technology: sure(inventory.DRAM), Locator: sure("A1"), Type: sure("DDR4"),
		SizeBytes: sure(int64(16 << 30)), Ranks: sure(1), RatedMTs: sure(3200)}
	return &inventory.System{Slots: []inventory.Slot{module, {Handle: 0x1101, State: inventory.SlotEmpty, Locator: sure("A2")}}}
}

// TestStepsOfAdvice checks that a step names only the slots that it changes, and that a new module is described by a
// similar one (docs/interface.md, advice).
func TestStepsOfAdvice(t *testing.T) {
	const none = -1
	first, second := func(s *Step) (*string, *string) { return &s.From, &s.FromLocator }, func(s *Step) (*string, *string) { return &s.To, &s.ToLocator }
	named := func(s Step, at func(*Step) (*string, *string), handle, locator string) Step {
		h, l := at(&s)
		*h, *l = handle, locator
		return s
	}
	module := &Module{SizeBytes: new(int64(16 << 30)), Type: "DDR4", Ranks: new(1), RatedMTs: new(3200)}
	for name, c := range map[string]struct {
		step plan.Step
		want Step
	}{
		"from the first": {plan.Step{Do: plan.Move, From: 0, To: 1, Like: none}, named(named(Step{Do: "move"}, first, "0x1100", "A1"), second, "0x1101", "A2")},
		"to the first":   {plan.Step{Do: plan.Move, From: 1, To: 0, Like: none}, named(named(Step{Do: "move"}, first, "0x1101", "A2"), second, "0x1100", "A1")},
		"taken out":      {plan.Step{Do: plan.Remove, From: 0, To: none, Like: none}, named(Step{Do: "remove"}, first, "0x1100", "A1")},
		"put in":         {plan.Step{Do: plan.Install, From: none, To: 1, Like: 0}, named(Step{Do: "install", Like: "0x1100", Module: module}, second, "0x1101", "A2")},
		"exchanged": {plan.Step{Do: plan.Exchange, From: 0, To: 0, Like: 0},
			Step{Do: "exchange", At: "0x1100", AtLocator: "A1", Like: "0x1100", Module: module}},
		"set by a tool": {plan.Step{Do: plan.Set, From: none, To: none, Like: none, Set: &verdict.PresetStep{Setting: "preset", Value: "Perf", Tool: "racadm", Command: "racadm set X"}},
			Step{Do: "set", Setting: "preset", Value: "Perf", Tool: "racadm", Command: "racadm set X"}},
		"set in setup": {plan.Step{Do: plan.Set, From: none, To: none, Like: none, Set: &verdict.PresetStep{Setting: "preset", Value: "Perf", Menu: "System Profile"}},
			Step{Do: "set", Setting: "preset", Value: "Perf", Menu: "System Profile"}},
	} {
		assert.Equal(t, c.want, buildStep(twoSlots(), &plan.Advice{}, c.step), name)
	}
}

// TestRemedyOfAdvice checks that the first advice is the remedy of what it cures, and that settings are extra and
// change no remedy.
func TestRemedyOfAdvice(t *testing.T) {
	cures := []plan.Failure{{Rule: "r", Subject: inventory.Subject{Kind: inventory.AboutOther, Name: "s"}}}
	move := plan.Advice{ID: plan.Move, Cures: cures, Steps: []plan.Step{{Do: plan.Move, From: 0, To: 1, Like: -1}}}
	remove := plan.Advice{ID: plan.Remove, Cures: cures, Steps: []plan.Step{{Do: plan.Remove, From: 0, To: -1, Like: -1}}}
	set := plan.Advice{ID: plan.Settings, Cures: cures}
	said := func(a plan.Advice) string {
		built := BuildAdvice(twoSlots(), &a)
		return sentence(&built, &Inventory{})
	}
	of := func(advice ...plan.Advice) *verdict.Finding {
		r := Report{Findings: []verdict.Finding{{Rule: "r", Subject: inventory.Subject{Kind: inventory.AboutOther, Name: "s"}, Remedy: "the document's words"}, {Rule: "r", Subject: inventory.Subject{Kind: inventory.AboutOther, Name: "other"}, Remedy: "x"}}}
		r.advise(twoSlots(), &plan.Plan{Advice: advice})
		assert.Equal(t, "x", string(r.Findings[1].Remedy))
		assert.Empty(t, r.Findings[1].Advice)
		return &r.Findings[0]
	}
	for name, c := range map[string]struct {
		advice []plan.Advice
		remedy string
		ids    []string
	}{
		"one way":         {[]plan.Advice{move}, said(move), []string{"move"}},
		"the first":       {[]plan.Advice{remove, move}, said(remove), []string{"remove", "move"}},
		"settings":        {[]plan.Advice{set}, "the document's words", []string{"settings"}},
		"settings beside": {[]plan.Advice{move, set}, said(move), []string{"move", "settings"}},
	} {
		f := of(c.advice...)
		assert.Equal(t, c.remedy, string(f.Remedy), name)
		assert.Equal(t, c.ids, f.Advice, name)
	}
}

// TestNoLayoutIsAdvised checks that the reason is added to the remedy of a failure for which a layout was searched,
// and to nothing else.
func TestNoLayoutIsAdvised(t *testing.T) {
	const why = "remedy (no layout is advised: none is documented)"
	asked := []plan.Failure{{Rule: "r", Subject: inventory.Subject{Kind: inventory.AboutOther, Name: "s"}}}
	for name, c := range map[string]struct {
		finding verdict.Finding
		plan    plan.Plan
		want    nullable.String
	}{
		"sought":     {verdict.Finding{Result: verdict.Fail, Remedy: "remedy"}, plan.Plan{Why: "none is documented", Asked: asked}, why},
		"not sought": {verdict.Finding{Result: verdict.Fail, Remedy: "remedy"}, plan.Plan{Why: "none is documented"}, "remedy"},
		"waived":     {verdict.Finding{Result: verdict.Waived, Remedy: "remedy"}, plan.Plan{Why: "none is documented", Asked: asked}, "remedy"},
		"no remedy":  {verdict.Finding{Result: verdict.Fail}, plan.Plan{Why: "none is documented", Asked: asked}, ""},
		"no why":     {verdict.Finding{Result: verdict.Fail, Remedy: "remedy"}, plan.Plan{Asked: asked}, "remedy"},
	} {
		c.finding.Rule, c.finding.Subject = "r", inventory.Subject{Kind: inventory.AboutOther, Name: "s"}
		r := Report{Findings: []verdict.Finding{c.finding}}
		r.advise(twoSlots(), &c.plan)
		assert.Equal(t, c.want, r.Findings[0].Remedy, name)
	}
}

// TestComparedAsAWhole checks that comparable is true if everything was compared, false if nothing was, and null
// otherwise; a kind without differences is 0 only if it was compared completely.
func TestComparedAsAWhole(t *testing.T) {
	same, differs := inventory.Compared{Subject: inventory.Subject{Kind: inventory.AboutOther, Name: "slot A1"}, Same: sure(true)}, inventory.Compared{Subject: inventory.Subject{Kind: inventory.AboutOther, Name: "slot A2"}, Same: sure(false),
		Changes: []inventory.Change{{Kind: inventory.DIMMLost, Then: "16 GiB", Now: "empty"}}}
	open := inventory.Compared{Changes: []inventory.Change{{Kind: inventory.BIOSVersion, Then: "1", Now: "2"}}}
	for name, c := range map[string]struct {
		compared   []inventory.Compared
		comparable *bool
		lost, bios any // what the metrics say, nil for nothing
	}{
		"all":     {[]inventory.Compared{same, differs}, new(true), true, false},
		"alike":   {[]inventory.Compared{same}, new(true), false, false},
		"in part": {[]inventory.Compared{same, differs, open}, nil, true, true},
		"one":     {[]inventory.Compared{same, {}}, nil, nil, nil},
		"nothing": {[]inventory.Compared{open}, new(false), nil, true},
	} {
		got, changed := buildBaseline(&inventory.Baseline{Compared: c.compared})
		assert.Equal(t, c.comparable, got.Comparable, name)
		for kind, want := range map[inventory.ChangeKind]any{inventory.DIMMLost: c.lost, inventory.BIOSVersion: c.bios} {
			have, said := changed[string(kind)]
			assert.Equal(t, want != nil, said, "%s: %s", name, kind)
			assert.Equal(t, want == true, have, "%s: %s", name, kind)
		}
	}
	none, changed := buildBaseline(nil)
	assert.Nil(t, none)
	assert.Nil(t, changed)
	assert.Equal(t, "why", (&Report{Findings: []verdict.Finding{{}, {Reason: "why"}}}).Incomparable())
	assert.Equal(t, "nothing could be compared with the baseline", (&Report{Findings: []verdict.Finding{{}}}).Incomparable())
}

// TestMemoryTypeContradictsFirmware checks CELSIUS R570-2 boards, which print DDR2 for modules of 1066 MT/s with Xeon
// 5600, which take DDR3; RH1288 V3 prints DRAM. Firmware's value stays in Type.
func TestMemoryTypeContradictsFirmware(t *testing.T) {
	rows := fstest.MapFS{"platforms/modules.tsv": {Data: []byte("platform\twestmere-ep\tDDR3\t\t\nplatform\tbensley\tDDR2 FB-DIMM\t\t\n")}}
	for _, c := range []struct {
		platform, stated string
		mts              int
		want             string
	}{
		{"westmere-ep", "DDR2", 1066, "DDR3"}, {"westmere-ep", "DRAM", 1333, "DDR3"}, {"westmere-ep", "DDR3", 1333, ""}, {"westmere-ep", "DDR2", 800, ""},
		{"bensley", "DDR2", 667, "DDR2 FB-DIMM"}, {"another", "DDR2", 1333, ""},
	} {
		sys := twoSlots()
		sys.Slots[0].Type, sys.Slots[0].RatedMTs = sure(c.stated), sure(c.mts)
		topo := &population.Result{Platform: sure(&platform.Platform{ID: c.platform})}
		slots := BuildInventory(sys, topo, Options{Rules: rows}).Slots
		assert.Equal(t, c.want, slots[0].Memory, c)
		assert.Equal(t, c.stated, string(slots[0].Type), c)
		assert.Empty(t, slots[1].Memory, c)
		assert.Empty(t, BuildInventory(sys, topo, Options{}).Slots[0].Memory, c)
	}
	for name, change := range map[string]func(*inventory.Slot){
		"not stated": func(s *inventory.Slot) { s.Type = fact.Fact[string]{} },
		"no module":  func(s *inventory.Slot) { s.State = inventory.SlotEmpty },
		"not DRAM":   func(s *inventory.Slot) { s.Technology = sure(inventory.NVDIMM) },
		"no kind":    func(s *inventory.Slot) { s.Technology = fact.Fact[inventory.Technology]{} },
	} {
		s := inventory.Slot{State: inventory.SlotPopulated, Technology: sure(inventory.DRAM), Type: sure("DRAM"), RatedMTs: sure(1333)}
		assert.Equal(t, "DDR3", purchaseType(&s, "DDR3"))
		assert.Empty(t, purchaseType(&s, ""), "no document")
		change(&s)
		assert.Empty(t, purchaseType(&s, "DDR3"), name)
	}
}

// TestBuiltOfParts checks that a plan belongs to a machine, that counters are with their slots, that one rank is a
// number, and that a platform known to be none is null.
func TestBuiltOfParts(t *testing.T) {
	way := plan.Plan{Advice: []plan.Advice{{ID: plan.Move}}}
	assert.Empty(t, Build(nil, nil, nil, Options{}.With(&way)).Advice)
	assert.Len(t, Build(twoSlots(), nil, nil, Options{}.With(&way)).Advice, 1)
	assert.Empty(t, Build(twoSlots(), nil, nil, Options{}).Advice)

	topo := &population.Result{Errors: []*place.Errors{{Corrected: sure(int64(3)), By: place.ByLabel}, {Corrected: sure(int64(0))}}}
	slots := BuildInventory(twoSlots(), topo, Options{}).Slots
	require.NotNil(t, slots[0].Errors)
	assert.Equal(t, new(int64(3)), slots[0].Errors.Corrected)
	assert.Nil(t, slots[1].Errors, "a counter without a slot")
	assert.Equal(t, new(1), slots[0].Ranks)

	none := Platform{Certainty: fact.None.String()}
	assert.Equal(t, none, buildPlatform(fact.Known[*platform.Platform](nil, fact.Direct, fact.Evidence{})))
	assert.Equal(t, none, buildPlatform(fact.Fact[*platform.Platform]{}))
	assert.Equal(t, "p", string(buildPlatform(sure(&platform.Platform{ID: "p"})).ID))
}

// TestPlannedCapacity checks that a platform's document alone has no machine, and that lists are empty and not null.
func TestPlannedCapacity(t *testing.T) {
	target := &plan.Target{Platform: &platform.Platform{ID: "p"}, Sockets: 2}
	alone := BuildCapacity(nil, nil, target, 64<<30, []plan.Configuration{{}, {Also: [][]string{{"A2"}}}}, false)
	assert.Nil(t, alone.Machine)
	assert.Equal(t, [][]string{}, alone.Configurations[0].Also)
	assert.Equal(t, [][]string{{"A2"}}, alone.Configurations[1].Also)
	sys := twoSlots()
	sys.Machine.Product = sure("Example")
	machine := BuildCapacity(sys, &population.Result{}, target, 64<<30, nil, false).Machine
	require.NotNil(t, machine)
	assert.Equal(t, "Example", string(machine.Product))
	for platformID, topo := range map[string]*population.Result{"p": {Platform: sure(target.Platform)}, "": {}} {
		got := BuildWhatIf(sys, topo, &plan.Outcome{}, false)
		assert.Equal(t, nullable.String(platformID), got.Platform)
	}
}
