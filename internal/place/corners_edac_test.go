package place

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/platform"
)

// TestDriverSeats: skx_edac counts channels within its controllers, of which the
// processor has as many as the platform says; of sb_edac's two home agents the first
// alone is read.
func TestDriverSeats(t *testing.T) {
	for _, c := range []struct {
		channels, controllers int
		label                 string
		want                  seatOf
		ok                    bool
	}{
		{6, 2, "CPU_SrcID#0_MC#0_Chan#0_DIMM#0", seatOf{0, 0, 0}, true}, {6, 2, "CPU_SrcID#1_MC#1_Chan#2_DIMM#1", seatOf{1, 5, 1}, true},
		{6, 2, "CPU_SrcID#0_MC#0_Chan#3_DIMM#0", seatOf{}, false}, {6, 2, "CPU_SrcID#0_MC#2_Chan#0_DIMM#0", seatOf{}, false},
		{8, 4, "CPU_SrcID#0_MC#3_Chan#1_DIMM#0", seatOf{0, 7, 0}, true}, {8, 4, "CPU_SrcID#0_MC#4_Chan#0_DIMM#0", seatOf{}, false},
		{6, 4, "CPU_SrcID#0_MC#0_Chan#5_DIMM#0", seatOf{0, 5, 0}, true}, {6, 4, "CPU_SrcID#0_MC#1_Chan#0_DIMM#0", seatOf{}, false},
		{4, 1, "CPU_SrcID#0_Ha#0_Chan#3_DIMM#2", seatOf{0, 3, 2}, true}, {4, 1, "CPU_SrcID#0_Ha#0_Chan#4_DIMM#0", seatOf{}, false},
		{4, 2, "CPU_SrcID#0_Ha#0_Chan#3_DIMM#0", seatOf{0, 3, 0}, true}, {4, 2, "CPU_SrcID#0_Ha#1_Chan#0_DIMM#0", seatOf{}, false},
		{6, 2, "DIMM_A1", seatOf{}, false},
	} {
		got, ok := driverSeat(&platform.Platform{ChannelsPerSocket: c.channels, Controllers: c.controllers}, c.label)
		assert.Equal(t, c.ok, ok, c)
		assert.Equal(t, c.want, got, c)
	}
}

// TestWorstCounter: the first of those with the most errors of both kinds.
func TestWorstCounter(t *testing.T) {
	of := func(label string, ce, ue int64) counter {
		return counter{dimm: &inventory.ControllerDIMM{Label: known(label), Corrected: known(ce), Uncorrected: known(ue)}, ctl: &inventory.Controller{}}
	}
	assert.Contains(t, worstCounter([]counter{of("A", 0, 0), of("B", 1, 0), of("C", 0, 2), of("D", 2, 0)}), "C has 0 corrected and 2 uncorrected")
	assert.Contains(t, worstCounter([]counter{of("A", 3, 1), of("B", 1, 0)}), "A has 3 corrected and 1 uncorrected")
	assert.Contains(t, worstCounter([]counter{of("A", 0, 0), of("B", 0, 0)}), "A has 0")
}

// TestUnlessElsewhere: a count of no more than what may be elsewhere is not known
// where errors were counted for no module; one alone is enough.
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

// TestEDACOrder: modules come by controller, then channel, then slot.
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

// TestEDACChannels: exact where EDAC has all controllers of the platform and each
// channel fits one, else in the order seen.
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

// TestConfirmedCertainty: another witness raises what is not direct by one, and
// nothing that is not known or direct already.
func TestConfirmedCertainty(t *testing.T) {
	for before, after := range map[fact.Certainty]fact.Certainty{
		fact.None: fact.None, fact.Indirect: fact.Corroborated, fact.Corroborated: fact.Direct, fact.Direct: fact.Direct,
	} {
		pl := placer{out: []Placement{{Certainty: before}}}
		pl.confirm([]int{0})
		assert.Equal(t, after, pl.out[0].Certainty)
	}
}

// TestChannelLimits: a channel takes as many slots as the platform says, numbered
// from 0, and no two in one place; modules of one label and no slot are not told apart.
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
			pl.sys.Slots = append(pl.sys.Slots, inventory.Slot{State: inventory.SlotPopulated, Technology: known(inventory.DRAM), Locator: said("A"), BankLocator: said("B")})
			pl.out = append(pl.out, Placement{Socket: 0, Controller: u, Channel: at[0], Slot: at[1]})
		}
		pl.labels = make([]label, len(pl.out))
		pl.guardChannels()
		stays := true
		for i, at := range c.at {
			stays = stays && pl.out[i].Channel == at[0]
		}
		assert.Equal(t, c.stays, stays, name)
	}
}
