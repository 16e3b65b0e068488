package report

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

func sure[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// twoSlots is a machine with a module of one rank in the first of two slots.
func twoSlots() *inventory.System {
	module := inventory.Slot{Handle: 0x1100, State: inventory.SlotPopulated, Technology: sure(inventory.DRAM), Locator: sure("A1"), Type: sure("DDR4"),
		SizeBytes: sure(int64(16 << 30)), Ranks: sure(1), RatedMTs: sure(3200)}
	return &inventory.System{Slots: []inventory.Slot{module, {Handle: 0x1101, State: inventory.SlotEmpty, Locator: sure("A2")}}}
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
		t.Run(name, func(t *testing.T) {
			got, changed := buildBaseline(&inventory.Baseline{Compared: c.compared})
			assert.Equal(t, c.comparable, got.Comparable)
			for kind, want := range map[inventory.ChangeKind]any{inventory.DIMMLost: c.lost, inventory.BIOSVersion: c.bios} {
				have, said := changed[string(kind)]
				assert.Equal(t, want != nil, said, "%s: %s", name, kind)
				assert.Equal(t, want == true, have, "%s: %s", name, kind)
			}
		})
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
		assert.Equal(t, c.stated, slots[0].Type.Text(), c)
		assert.Empty(t, slots[1].Memory, c)
		assert.Empty(t, BuildInventory(sys, topo, Options{}).Slots[0].Memory, c)
	}
	for name, change := range map[string]func(*inventory.Slot){
		"not stated": func(s *inventory.Slot) { s.Type = fact.Fact[string]{} },
		"no module":  func(s *inventory.Slot) { s.State = inventory.SlotEmpty },
		"not DRAM":   func(s *inventory.Slot) { s.Technology = sure(inventory.NVDIMM) },
		"no kind":    func(s *inventory.Slot) { s.Technology = fact.Fact[inventory.Technology]{} },
	} {
		t.Run(name, func(t *testing.T) {
			s := inventory.Slot{State: inventory.SlotPopulated, Technology: sure(inventory.DRAM), Type: sure("DRAM"), RatedMTs: sure(1333)}
			assert.Equal(t, "DDR3", purchaseType(&s, "DDR3"))
			assert.Empty(t, purchaseType(&s, ""), "no document")
			change(&s)
			assert.Empty(t, purchaseType(&s, "DDR3"))
		})
	}
}

// TestNothingRead checks that a source that was read, even in part, counts, and that one that is absent, denied or
// refused does not.
func TestNothingRead(t *testing.T) {
	for state, nothing := range map[fact.SourceState]bool{fact.SourceOK: false, fact.SourcePartial: false, fact.SourceAbsent: true, fact.SourceMalformed: true} {
		r := &Report{}
		assert.True(t, r.NothingRead(), "no source")
		r.Inventory.Sources = []inventory.Source{{Name: "dmi", State: fact.SourceAbsent}, {Name: "smbios", State: state}}
		assert.Equal(t, nothing, r.NothingRead(), state)
	}
}

// TestFigureWithoutUnstatedFields checks that a node, threads and passes that a tool does not report are null
// (docs/interface.md, Measurement).
func TestFigureWithoutUnstatedFields(t *testing.T) {
	none := buildFigure(&inventory.Measured{CPUNode: inventory.NoNode, MemoryNode: inventory.NoNode})
	assert.Nil(t, none.CPUNode)
	assert.Nil(t, none.MemoryNode)
	assert.Nil(t, none.Threads)
	assert.Empty(t, none.Value)
	assert.Nil(t, none.Low)
	one := buildFigure(&inventory.Measured{Figure: figure.Figure{Count: 1, Median: 3, Low: 2, High: 4}, Threads: 1})
	assert.Equal(t, []any{new(0), new(0), new(1), new(3.0), new(2.0), new(4.0)}, []any{one.CPUNode, one.MemoryNode, one.Threads, one.Value, one.Low, one.High})
}

// TestErrorsLeaveOutWhatWasNotCounted checks that missing counts are not zero, and that the controller's counters are
// marked as its own.
func TestErrorsLeaveOutWhatWasNotCounted(t *testing.T) {
	counted := fact.Known(int64(0), fact.Direct, fact.Evidence{})
	assert.Nil(t, buildErrors(&place.Errors{}))
	one := buildErrors(&place.Errors{Uncorrected: counted})
	assert.Equal(t, []string{"", "0"}, []string{one.Corrected.Text(), one.Uncorrected.Text()})
	assert.Equal(t, inventory.ErrorSource(inventory.SourceEDAC), one.Source)
	assert.NotNil(t, buildErrors(&place.Errors{Corrected: counted}))
	assert.Equal(t, inventory.ErrorSource(inventory.SourceRedfish), buildErrors(&place.Errors{Corrected: counted, By: place.ByController}).Source)
}

// TestNodeWithoutCPUs checks that a node without CPUs has an empty list, and one whose CPUs are not known null.
func TestNodeWithoutCPUs(t *testing.T) {
	nodes := buildNodes([]inventory.Node{{CPUs: sure([]int{})}, {}, {CPUs: sure([]int{0, 1, 4})}})
	text, err := json.Marshal([]any{nodes[0].CPUs, nodes[1].CPUs, nodes[2].CPUs})
	require.NoError(t, err)
	assert.Equal(t, `["",null,"0-1,4"]`, string(text))
}

// TestMisplacedModules checks that the headline calls modules misplaced only if few moves, and nothing else, put them right.
func TestMisplacedModules(t *testing.T) {
	for _, c := range []struct {
		moves, installs, removes int
		want                     string
	}{{1, 0, 0, "a DIMM is in the wrong slot"}, {2, 0, 0, "2 DIMMs are in the wrong slots"}, {3, 0, 0, ""}, {1, 1, 0, ""}, {1, 0, 1, ""}, {0, 0, 0, ""}} {
		r := &Report{Advice: []plan.Advice{{Moves: c.moves, Installs: c.installs, Removes: c.removes}}}
		r.Inventory.Population.Sockets = []PopulationSocket{{DIMMs: sure(8)}}
		assert.Equal(t, c.want, r.channelHeadline(&Problem{}), c)
	}
}
