package place

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestDriverSeats checks that skx_edac counts channels within its controllers, as many per processor as the platform
// has, and that of sb_edac's two home agents only the first is read.
func TestDriverSeats(t *testing.T) {
	for _, c := range []struct {
		channels, controllers int
		label                 string
		want                  modulePosition
		ok                    bool
	}{
		{6, 2, "CPU_SrcID#0_MC#0_Chan#0_DIMM#0", modulePosition{0, 0, 0}, true}, {6, 2, "CPU_SrcID#1_MC#1_Chan#2_DIMM#1", modulePosition{1, 5, 1}, true},
		{6, 2, "CPU_SrcID#0_MC#0_Chan#3_DIMM#0", modulePosition{}, false}, {6, 2, "CPU_SrcID#0_MC#2_Chan#0_DIMM#0", modulePosition{}, false},
		{8, 4, "CPU_SrcID#0_MC#3_Chan#1_DIMM#0", modulePosition{0, 7, 0}, true}, {8, 4, "CPU_SrcID#0_MC#4_Chan#0_DIMM#0", modulePosition{}, false},
		{6, 4, "CPU_SrcID#0_MC#0_Chan#5_DIMM#0", modulePosition{0, 5, 0}, true}, {6, 4, "CPU_SrcID#0_MC#1_Chan#0_DIMM#0", modulePosition{}, false},
		{4, 1, "CPU_SrcID#0_Ha#0_Chan#3_DIMM#2", modulePosition{0, 3, 2}, true}, {4, 1, "CPU_SrcID#0_Ha#0_Chan#4_DIMM#0", modulePosition{}, false},
		{4, 2, "CPU_SrcID#0_Ha#0_Chan#3_DIMM#0", modulePosition{0, 3, 0}, true}, {4, 2, "CPU_SrcID#0_Ha#1_Chan#0_DIMM#0", modulePosition{}, false},
		{6, 2, "DIMM_A1", modulePosition{}, false},
	} {
		got, ok := driverPosition(&platform.Platform{ChannelsPerSocket: c.channels, Controllers: c.controllers}, c.label)
		assert.Equal(t, c.ok, ok, c)
		assert.Equal(t, c.want, got, c)
	}
}

// TestOrderedSeats checks that i7core_edac counts the channels of the R710 from the other end, as in its label file:
// DIMM_A3 is channel 0.
func TestOrderedSeats(t *testing.T) {
	for label, want := range map[string]modulePosition{
		"CPU#0Channel#0_DIMM#0": {0, 2, 0}, "CPU#0Channel#2_DIMM#1": {0, 0, 1}, "CPU#1Channel#1_DIMM#2": {1, 1, 2},
	} {
		got, ok := i7corePosition([]int{2, 1, 0}, label)
		assert.True(t, ok, label)
		assert.Equal(t, want, got, label)
	}
	for _, label := range []string{"CPU#0Channel#3_DIMM#0", "CPU_SrcID#0_Ha#0_Chan#0_DIMM#0", "DIMM_A1"} {
		_, ok := i7corePosition([]int{2, 1, 0}, label)
		assert.False(t, ok, label)
	}
}

// TestBoardCountedFromTheOtherEnd checks that a counter of the R710 is assigned to the slot in its label file, and
// that boards not named in the file get none.
func TestBoardCountedFromTheOtherEnd(t *testing.T) {
	p, err := platform.ByID(corpustest.Rules(t), "westmere-ep")
	require.NoError(t, err)
	for product, want := range map[string]int64{"PowerEdge R710": 7, "PowerEdge M710": 0} {
		sys := board("Dell Inc.", product, "PP", "DIMM_A1*", "DIMM_A2*", "DIMM_A3*")
		sys.EDAC = []inventory.Controller{{DIMMs: []inventory.ControllerDIMM{
			counted("CPU#0Channel#0_DIMM#0", 7), counted("CPU#0Channel#1_DIMM#0", 0), counted("CPU#0Channel#2_DIMM#0", 0)}}}
		got, stray := JoinErrors(sys, p, []Placement{{Channel: 0}, {Channel: 1}, {Channel: 2}})
		assert.Equal(t, want, got[2].Corrected.Or(0), product)
		assert.Equal(t, want > 0, len(stray) == 0, product)
	}
}

// TestPrintedLabel checks that a label with the kind of memory is the slot of that name.
func TestPrintedLabel(t *testing.T) {
	sys := board("Quanta", "Q1", "PP", "DIMM_C1*", "DIMM_D1*")
	sys.EDAC = []inventory.Controller{{DIMMs: []inventory.ControllerDIMM{counted("DDR4_C1", 0), counted("DDR4_D1", 57)}}}
	got, stray := JoinErrors(sys, nil, make([]Placement, 2))
	assert.Empty(t, stray)
	assert.Equal(t, int64(57), got[1].Corrected.Value)
	assert.Equal(t, ByLabel, got[1].By)
}

// TestWorstCounter checks that the first of the slots with the most errors of a kind is named.
func TestWorstCounter(t *testing.T) {
	of := func(label string, ce, ue int64) counter {
		return counter{dimm: &inventory.ControllerDIMM{Label: known(label), Corrected: known(ce), Uncorrected: known(ue)}, ctl: &inventory.Controller{}}
	}
	all := []counter{of("A", 0, 0), of("B", 1, 0), of("C", 0, 2), of("D", 2, 0), of("E", 2, 2)}
	assert.Equal(t, "D", worstCounter(all, corrected).label())
	assert.Equal(t, "C", worstCounter(all, uncorrected).label())
}

// TestUnplacedErrors checks that errors without a slot keep the driver's label and location. The ranks of one label
// are one module. The possible slots are named: the likely one has the same controller, channel and slot if all
// agree, otherwise those of the processor and size; none if the label names a module that has another name in
// firmware.
func TestUnplacedErrors(t *testing.T) {
	p, err := platform.ByID(corpustest.Rules(t), "skylake-sp")
	require.NoError(t, err)
	counting := func(label, location string, ce, ue int64) inventory.ControllerDIMM {
		d := counted(label, ce)
		d.Location, d.Uncorrected = known(location), known(ue)
		return d
	}
	type found struct {
		label, place  string
		slots         []int
		likely        bool
		corrected, ue int64
	}
	two := [2]string{"CPU_SrcID#0_MC#0_Chan#0_DIMM#0", "CPU_SrcID#1_MC#0_Chan#0_DIMM#0"}
	placed := []Placement{{Socket: 0, Unverified: true}, {Socket: 1}}
	for name, c := range map[string]struct {
		ctl    []inventory.Controller
		places []Placement
		want   []found
	}{
		"by channel": {[]inventory.Controller{{DIMMs: []inventory.ControllerDIMM{counting(two[0], "channel 0 slot 0 ", 0, 0)}}, {Index: 2, DIMMs: []inventory.ControllerDIMM{counting(two[1], "channel 0 slot 0 ", 3, 1)}}},
			placed, []found{{two[0], "controller 0, channel 0 slot 0", []int{0}, true, 0, 0}, {two[1], "controller 2, channel 0 slot 0", []int{1}, true, 3, 1}}},
		"a map in doubt": {[]inventory.Controller{{DIMMs: []inventory.ControllerDIMM{counting(two[0], "", 2, 0)}}},
			[]Placement{{Socket: 0, Doubt: "x"}, {Socket: 1}}, []found{{two[0], "controller 0", []int{0}, false, 2, 0}}},
		"ranks": {[]inventory.Controller{{DIMMs: []inventory.ControllerDIMM{counting("mc#0csrow#2channel#2", "csrow 2 channel 2", 0, 3)}}},
			placed, []found{{"mc#0csrow#2channel#2", "controller 0, csrow 2 channel 2", []int{0, 1}, false, 0, 3}}},
		"registered": {[]inventory.Controller{{DIMMs: []inventory.ControllerDIMM{counting("DDR4_D1", "csrow 0 channel 2", 0, 0), counting("DDR4_D1", "csrow 1 channel 2", 57, 0)}}},
			placed, []found{{"DDR4_D1", "controller 0, csrow 0 channel 2 and csrow 1 channel 2", nil, false, 57, 0}}},
		"no module told": {[]inventory.Controller{{Index: 1, CorrectedNoInfo: known(int64(2)), UncorrectedNoInfo: known(int64(0))}},
			placed, []found{{"mc1, DIMM unknown", "", []int{0, 1}, false, 2, 0}}},
		"more than its modules have": {[]inventory.Controller{{Uncorrected: known(int64(5)), UncorrectedNoInfo: known(int64(0)), DIMMs: []inventory.ControllerDIMM{counting("DDR4_X1", "", 0, 1)}}},
			placed, []found{{"DDR4_X1", "controller 0", nil, false, 0, 1}, {"mc0, DIMM unknown", "", []int{0, 1}, false, -1, 4}}},
	} {
		sys := board("Quanta", "Q1", "PP", "A1*", "B1*")
		sys.Slots[0].SizeBytes, sys.Slots[1].SizeBytes = known(int64(8<<30)), known(int64(8<<30))
		sys.EDAC = c.ctl
		_, stray := JoinErrors(sys, p, c.places)
		var got []found
		for _, s := range stray {
			got = append(got, found{s.Label, s.Place, s.Slots, s.Likely, s.Corrected.Or(-1), s.Uncorrected.Or(-1)})
		}
		assert.Equal(t, c.want, got, name)
	}
}

// TestControllerUnplacedErrors checks the BMC's count for a module without a slot: the kernel's zeroes of that kind are
// unknown unless the controller has a count of the slot. What remains of its total after slots and counters is
// counted for the machine.
func TestControllerUnplacedErrors(t *testing.T) {
	for name, c := range map[string]struct {
		module, total, own, kernel int64 // uncorrected errors, -1 for not counted
		stray                      []int64
		slot                       fact.State
	}{
		"none":                  {0, 0, -1, 0, nil, fact.OK},
		"on a module":           {3, -1, -1, 0, []int64{3}, fact.Conflicting},
		"the slot has its own":  {3, -1, 0, 0, []int64{3}, fact.OK},
		"the kernel counts too": {3, -1, -1, 1, []int64{3}, fact.OK},
		"in total":              {-1, 2, -1, 0, []int64{2}, fact.Conflicting},
		"more than counted":     {1, 4, -1, 1, []int64{1, 2}, fact.OK},
		"less than counted":     {-1, 1, -1, 2, nil, fact.OK},
	} {
		count := func(n int64) inventory.ControllerErrors {
			if n < 0 {
				return inventory.ControllerErrors{}
			}
			return inventory.ControllerErrors{Uncorrected: known(n)}
		}
		sys := board("Quanta", "Q1", "PP", "A1*")
		d := counted("A1", 0)
		d.Uncorrected = known(c.kernel)
		sys.EDAC = []inventory.Controller{{DIMMs: []inventory.ControllerDIMM{d}}}
		own, total := count(c.own), count(c.total)
		sys.Slots[0].BMCErrors, sys.BMCTotal = &own, &total
		sys.BMCModules = []inventory.ControllerModule{{Label: "X9", Errors: count(c.module)}}
		slots, stray := JoinErrors(sys, nil, make([]Placement, 1))
		var got []int64
		for i := range stray {
			assert.Equal(t, ByController, stray[i].By, name)
			got = append(got, stray[i].Uncorrected.Value)
		}
		assert.Equal(t, c.stray, got, name)
		assert.Equal(t, c.slot, slots[0].Uncorrected.State, name)
	}
}

// TestControllerUnplacedErrorsByLabel checks that no two counters without a slot have one label, because metrics use the
// label as the key. A counter of both kernel and controller has the higher count; modules of one name are summed.
func TestControllerUnplacedErrorsByLabel(t *testing.T) {
	sys := board("Quanta", "Q1", "PP", "A1*")
	d := counted("DDR4_D1", 57)
	d.Uncorrected = known(int64(0))
	sys.EDAC = []inventory.Controller{{DIMMs: []inventory.ControllerDIMM{d}}}
	one := func(label string, n int64) inventory.ControllerModule {
		return inventory.ControllerModule{Label: label, Errors: inventory.ControllerErrors{Corrected: known(n), Uncorrected: known(n)}}
	}
	sys.BMCModules = []inventory.ControllerModule{one("DDR4 D1", 60), one("X9", 1), one("X9", 2), one("Y", 0), {Label: "X9"}}
	_, stray := JoinErrors(sys, nil, make([]Placement, 1))
	require.Len(t, stray, 2)
	assert.Equal(t, "DDR4_D1", stray[0].Label)
	assert.Equal(t, int64(60), stray[0].Corrected.Value)
	assert.Equal(t, "X9", stray[1].Label)
	assert.Equal(t, int64(3), stray[1].Uncorrected.Value)
}

// TestUnlessElsewhere checks that a count not above the number of unassigned errors is unknown; one unassigned error
// is enough.
func TestUnlessElsewhere(t *testing.T) {
	for _, c := range []struct {
		count, noInfo, most int64
		want                fact.State
	}{
		{0, 0, 0, fact.OK}, {0, 1, 1, fact.Conflicting}, {1, 1, 1, fact.Conflicting}, {2, 1, 1, fact.OK}, {0, 1, 0, fact.Conflicting}, {1, 1, 0, fact.OK},
	} {
		assert.Equal(t, c.want, unlessElsewhere(known(c.count), known(c.noInfo), c.most).State, c)
	}
}

// TestEDACOrder checks that modules are ordered by controller, channel and slot.
func TestEDACOrder(t *testing.T) {
	at := func(controller, channel, slot int) edacDIMM {
		return edacDIMM{controller: controller, channel: channel, slot: slot}
	}
	for _, pair := range [][2]edacDIMM{{at(0, 1, 1), at(1, 0, 0)}, {at(0, 0, 1), at(0, 1, 0)}, {at(0, 0, 0), at(0, 0, 1)}, {at(0, 3, 0), at(4, 0, 0)}} {
		assert.Negative(t, compareEDAC(pair[0], pair[1]), pair)
		assert.Positive(t, compareEDAC(pair[1], pair[0]), pair)
		assert.Zero(t, compareEDAC(pair[0], pair[0]))
	}
}

// TestEDACChannels checks that channels are exact if EDAC has all controllers of the platform and each channel
// exists, and in the order seen otherwise.
func TestEDACChannels(t *testing.T) {
	const u = Unplaced
	for _, c := range []struct {
		channels, controllers int
		at                    [][2]int
		wantChannels, wantCtl []int
	}{
		{6, 2, [][2]int{{0, 0}, {0, 2}, {1, 1}}, []int{0, 2, 4}, []int{0, 0, 1}},
		{6, 2, [][2]int{{0, 0}, {0, 2}}, []int{0, 1}, []int{u, u}},
		{6, 2, [][2]int{{0, 1}, {0, 3}, {1, 1}}, []int{0, 1, 2}, []int{0, 0, 1}}, // one that does not fit: no two on one channel
		{0, 0, [][2]int{{0, 0}, {2, 1}}, []int{0, 1}, []int{0, 1}},
		{0, 1, [][2]int{{3, 2}}, []int{0}, []int{0}},
		{4, 1, [][2]int{{3, 2}}, []int{2}, []int{0}},
		{1, 1, [][2]int{{3, 0}}, []int{0}, []int{0}},
		{6, 4, [][2]int{{0, 0}, {1, 1}, {2, 0}, {3, 0}}, []int{0, 1, 2, 3}, []int{0, 1, 2, 3}},
	} {
		pl := placer{channels: c.channels, controllers: c.controllers}
		var dimms []edacDIMM
		for _, at := range c.at {
			dimms = append(dimms, edacDIMM{controller: at[0], channel: at[1]})
		}
		var channels, controllers []int
		for _, d := range dimms {
			channels, controllers = append(channels, pl.edacChannel(dimms, d)), append(controllers, pl.edacController(dimms, d))
		}
		assert.Equal(t, c.wantChannels, channels, c)
		assert.Equal(t, c.wantCtl, controllers, c)
	}
}

// TestConfirmedCertainty checks that a second witness raises the certainty by one step, unless it is unknown or
// direct already.
func TestConfirmedCertainty(t *testing.T) {
	for before, after := range map[fact.Certainty]fact.Certainty{
		fact.None: fact.None, fact.Indirect: fact.Corroborated, fact.Corroborated: fact.Direct, fact.Direct: fact.Direct,
	} {
		pl := placer{out: []Placement{{Certainty: before}}}
		pl.confirm([]int{0})
		assert.Equal(t, after, pl.out[0].Certainty)
	}
}

// TestChannelLimits checks that a channel has as many slots as the platform defines, numbered from 0, each with one
// DIMM; DIMMs with one label and no slot are indistinguishable.
func TestChannelLimits(t *testing.T) {
	const u = Unplaced
	for name, c := range map[string]struct {
		channels, depth int
		at              [][2]int
		stays           bool
	}{
		"full":           {2, 2, [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, true},
		"a third":        {2, 2, [][2]int{{0, 0}, {0, 1}, {0, u}}, false},
		"slot too high":  {2, 2, [][2]int{{0, 2}}, false},
		"one place":      {2, 2, [][2]int{{0, 1}, {0, 1}}, false},
		"no channel":     {2, 2, [][2]int{{2, 0}}, false},
		"one channel":    {1, 2, [][2]int{{1, 0}}, false},
		"any channel":    {0, 2, [][2]int{{7, 0}}, true},
		"twins":          {2, 2, [][2]int{{0, u}, {1, u}}, false},
		"twins, numbers": {2, 2, [][2]int{{0, 0}, {1, 0}}, true},
		"one numbered":   {2, 2, [][2]int{{0, u}, {1, 0}}, true},
		"one unplaced":   {2, 2, [][2]int{{0, u}, {u, u}}, true},
	} {
		pl := placer{sys: &inventory.System{}, channels: c.channels, depth: c.depth}
		for _, at := range c.at {
			pl.sys.Slots = append(pl.sys.Slots, inventory.Slot{State: inventory.SlotPopulated, Technology: known(inventory.DRAM), Locator: label("A"), BankLocator: label("B")})
			pl.out = append(pl.out, Placement{Socket: 0, Controller: u, Channel: at[0], Slot: at[1]})
		}
		pl.labels = make([]slotLabel, len(pl.out))
		pl.guardChannels()
		stays := true
		for i, at := range c.at {
			stays = stays && pl.out[i].Channel == at[0]
		}
		assert.Equal(t, c.stays, stays, name)
	}
}

// driven returns the drivers' modules for labels, with the size that board gives modules.
func driven(sys *inventory.System, labels ...string) *inventory.System {
	sys.EDAC = edac(8<<30, labels...)
	return sys
}

// TestDriversThatSeeOtherModules checks that a driver with a different number of modules than firmware (ranks, or a
// controller without a driver) is not used, nor is any on a front-side bus.
func TestDriversThatSeeOtherModules(t *testing.T) {
	lettered := func() *inventory.System { return board("Supermicro", "Super Server", "P", "P1-DIMM{A..D}1@NO~DIMM*") }
	const two, third = "CPU_SrcID#0_MC#0_Chan#0_DIMM#0 CPU_SrcID#0_MC#0_Chan#1_DIMM#0", " CPU_SrcID#0_MC#0_Chan#2_DIMM#0"
	for name, c := range map[string]struct {
		sys       *inventory.System
		p         *platform.Platform
		want      string
		certainty fact.Certainty
	}{
		"one module less": {driven(lettered(), two+third), plat4, "0.-.0.0 0.-.1.0 0.-.2.0 0.-.3.0", fact.Corroborated},
		"none":            {driven(lettered()), plat4, "0.-.0.0 0.-.1.0 0.-.2.0 0.-.3.0", fact.Corroborated},
		"as many":         {driven(lettered(), two+third+" CPU_SrcID#0_MC#0_Chan#3_DIMM#0"), plat4, "0.-.0.0 0.-.1.0 0.-.2.0 0.-.3.0", fact.Direct},
		"one of one":      {driven(board("Supermicro", "Super Server", "P", "P1-DIMMA1@NO~DIMM*"), "CPU_SrcID#0_MC#0_Chan#0_DIMM#0"), plat4, "0.-.0.0", fact.Direct},
		"front-side bus":  {driven(board("Supermicro", "X7DB8", "PP", "DIMM{1,2}A@Bank*"), "mc#0csrow#0channel#0 mc#0csrow#1channel#0"), platFB, "-.-.0.0 -.-.1.0", fact.Corroborated},
	} {
		out, conflicts := Slots(c.sys, c.p, corpustest.Rules(t))
		assert.Empty(t, conflicts, name)
		assert.Equal(t, c.want, seats(c.sys, out), name)
		assert.Equal(t, c.certainty, out[0].Certainty, name)
	}
}

// TestDriversPlaceUnreadLabels checks that labels that no pattern matches are ambiguous with two CPUs, but not with
// one.
func TestDriversPlaceUnreadLabels(t *testing.T) {
	for sockets, c := range map[string]struct{ labels, want string }{
		"P":  {"CPU_SrcID#0_MC#0_Chan#0_DIMM#0 CPU_SrcID#0_MC#0_Chan#2_DIMM#0", "0.0.0.0 0.0.2.0"},
		"PP": {"mc#0csrow#0channel#0 mc#0csrow#0channel#1", "-.-.-.- -.-.-.-"},
	} {
		sys := driven(board("Example", "E1", sockets, "x{1,2}*"), c.labels)
		out, _ := Slots(sys, ofChannels(4, 1), corpustest.Rules(t))
		assert.Equal(t, c.want, seats(sys, out), sockets)
	}
	unsized := driven(board("Example", "E1", "P", "x{1,2}*"), "CPU_SrcID#0_MC#0_Chan#0_DIMM#0 CPU_SrcID#0_MC#0_Chan#2_DIMM#0")
	unsized.Slots[1].SizeBytes = fact.Fact[int64]{}
	out, _ := Slots(unsized, ofChannels(4, 1), corpustest.Rules(t))
	assert.Equal(t, "-.-.-.- -.-.-.-", seats(unsized, out), "a module of unknown size might be the other one")
}

// TestErrorsOfOneCounter checks that a machine with one DIMM gets its counter, that label files and firmware may
// differ in the prefix DIMM, and that a counter without a label is not assigned.
func TestErrorsOfOneCounter(t *testing.T) {
	for _, c := range []struct{ locator, label, want string }{
		{"DIMM_A1", "DIMM_A1", "3 label"}, {"A1", "DIMM_A1", "3 label"}, {"DIMM_A1", "A1", "3 label"}, {"DIMM", "", "-"}, {"DIMM", "DIMM", "3 label"}, {"A1", "A2", "-"},
	} {
		sys := board("Dell Inc.", "PowerEdge R9999", "P", c.locator+"*")
		sys.EDAC = []inventory.Controller{{DIMMs: []inventory.ControllerDIMM{counted(c.label, 3)}}}
		got, stray := JoinErrors(sys, nil, make([]Placement, 1))
		assert.Equal(t, c.want, perSlot(got), c)
		assert.Equal(t, c.want == "-", len(stray) == 1, c)
	}
}

// TestErrorsByChannelOfAll checks that empty slots and memory other than DRAM do not count, and that every module
// must have an unambiguous place of its own on both sides.
func TestErrorsByChannelOfAll(t *testing.T) {
	p, err := platform.ByID(corpustest.Rules(t), "skylake-sp")
	require.NoError(t, err)
	r740 := &confirmedBoard{"Dell Inc.", "PowerEdge R740", map[[3]int]string{{0, 0, 0}: "A1", {0, 1, 0}: "A2", {1, 0, 0}: "A4"}}
	const joined, none = "100 channel; 101 channel; 102 channel", "-; -; -"
	for name, c := range map[string]struct {
		change func(sys *inventory.System, places []Placement) []Placement
		want   string
	}{
		"nothing": {func(_ *inventory.System, places []Placement) []Placement { return places }, joined},
		"an empty slot": {func(sys *inventory.System, places []Placement) []Placement {
			sys.Slots = append(sys.Slots, slotOf("A5", 3))
			return append(places, Placement{Channel: 4})
		}, joined + "; -"},
		"persistent memory": {func(sys *inventory.System, places []Placement) []Placement {
			sys.Slots = append(sys.Slots, slotOf("A7*", 3))
			sys.Slots[3].Technology = known(inventory.NVDIMM)
			return append(places, Placement{Slot: 1})
		}, joined + "; -"},
		"unverified": {func(_ *inventory.System, places []Placement) []Placement { places[1].Unverified = true; return places }, none},
		"no channel": {func(_ *inventory.System, places []Placement) []Placement { places[1].Channel = Unplaced; return places }, none},
		"two in one place": {func(sys *inventory.System, places []Placement) []Placement {
			sys.EDAC[0].DIMMs = sys.EDAC[0].DIMMs[:len(sys.EDAC[0].DIMMs)-1]
			places[1] = places[0]
			return places
		}, none},
		"a label of no driver": {func(sys *inventory.System, places []Placement) []Placement {
			sys.EDAC[0].DIMMs[0].Label = known("mc#0csrow#0channel#0")
			return places
		}, none},
		"one more": {func(sys *inventory.System, places []Placement) []Placement {
			more := counted("CPU_SrcID#0_MC#0_Chan#2_DIMM#0", 0)
			more.SizeBytes = sys.Slots[0].SizeBytes
			sys.EDAC[0].DIMMs = append(sys.EDAC[0].DIMMs, more)
			return places
		}, none},
	} {
		sys, _ := labelledBoard(r740, r740.models, p)
		places, _ := Slots(sys, p, corpustest.Rules(t))
		places = c.change(sys, places)
		got, _ := JoinErrors(sys, p, places)
		assert.Equal(t, c.want, perSlot(got), name)
	}
}

// TestLargestCounter checks that the first of equal counters is shown.
func TestLargestCounter(t *testing.T) {
	from := func(n int64, path string) *inventory.ControllerDIMM {
		return &inventory.ControllerDIMM{Corrected: fact.Known(n, fact.Direct, fact.Evidence{Path: path})}
	}
	ctl := &inventory.Controller{CorrectedNoInfo: known(int64(0))}
	got := largest([]counter{{dimm: from(0, "a"), ctl: ctl}, {dimm: from(2, "b"), ctl: ctl}, {dimm: from(2, "c"), ctl: ctl}}, corrected)
	assert.Equal(t, int64(2), got.Value)
	assert.Equal(t, "b", got.From.Path)
}

// TestEmptyEntriesOfDrivers checks that an entry without a module is ignored, whatever its name.
func TestEmptyEntriesOfDrivers(t *testing.T) {
	entry := func(label string, bytes int64) inventory.ControllerDIMM {
		return inventory.ControllerDIMM{Label: known(label), SizeBytes: known(bytes)}
	}
	got := edacDIMMs([]inventory.Controller{{DIMMs: []inventory.ControllerDIMM{entry("mc#0csrow#0channel#1", 8<<30), entry("mc#0csrow#1channel#1", 0), entry("x", 0)}}})
	assert.Equal(t, []edacDIMM{{socket: Unplaced, channel: 1, bytes: 8 << 30}}, got)
	assert.Nil(t, edacDIMMs([]inventory.Controller{{DIMMs: []inventory.ControllerDIMM{entry("mc#0csrow#0channel#1", 8<<30), entry("x", 1)}}}), "half a picture")
}
