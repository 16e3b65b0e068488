package place

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/platform"
)

// confirmedBoard is the entry of one board in a label file of rasdaemon: the label of each location (mc, channel,
// slot).
type confirmedBoard struct {
	vendor, models string
	at             map[[3]int]string
}

// driverLabel is what sb_edac, skx_edac and i10nm_edac write for a place of a
// label file: mc counts over the machine, the drivers' labels over a processor.
func driverLabel(p *platform.Platform, at [3]int) string {
	if p.ID == "sandybridge-ep" || p.ID == "haswell-ep" {
		return fmt.Sprintf("CPU_SrcID#%d_Ha#0_Chan#%d_DIMM#%d", at[0], at[1], at[2])
	}
	return fmt.Sprintf("CPU_SrcID#%d_MC#%d_Chan#%d_DIMM#%d", at[0]/p.Controllers, at[0]%p.Controllers, at[1], at[2])
}

// labelledBoard is a machine with a module in every location of a label file, each with a different count; want is
// aligned with its slots.
func labelledBoard(f *confirmedBoard, model string, p *platform.Platform) (*inventory.System, []int64) {
	type row struct {
		at    [3]int
		label string
	}
	var rows []row
	sockets := 0
	for at, label := range f.at {
		rows = append(rows, row{at, label})
		sockets = max(sockets, at[0]/max(p.Controllers, 1)+1)
	}
	slices.SortFunc(rows, func(a, b row) int { return slices.Compare(a.at[:], b.at[:]) })
	words := make([]string, len(rows))
	for i, r := range rows {
		words[i] = strings.ReplaceAll(r.label, " ", "~") + "*"
	}
	sys := board(f.vendor, model, strings.Repeat("P", sockets), words...)
	sys.Machine.Board, sys.Machine.BoardVendor = known(model), known(f.vendor)
	want := make([]int64, len(rows))
	for i, r := range rows {
		want[i] = int64(100 + i)
		sys.EDAC = append(sys.EDAC, inventory.Controller{Index: r.at[0], CountedSeconds: known(int64(3600)), DIMMs: []inventory.ControllerDIMM{
			counted(driverLabel(p, r.at), want[i])}})
	}
	return sys, want
}

// counted is an 8 GiB entry of the driver with corrected errors.
func counted(label string, ce int64) inventory.ControllerDIMM {
	return inventory.ControllerDIMM{Label: known(label), SizeBytes: known(int64(8 << 30)), Corrected: known(ce), Uncorrected: known(int64(0))}
}

// perSlot prints the corrected errors of every slot, "-" for unknown.
func perSlot(all []*Errors) string {
	var out []string
	for _, e := range all {
		if n, ok := e.Corrected.Get(); ok {
			out = append(out, fmt.Sprintf("%d %s", n, e.By))
		} else {
			out = append(out, "-")
		}
	}
	return strings.Join(out, "; ")
}

// TestErrorsByLabel joins what firmware or an administrator labelled.
func TestErrorsByLabel(t *testing.T) {
	sized := func(gib int64, d inventory.ControllerDIMM) inventory.ControllerDIMM {
		d.SizeBytes = known(gib << 30)
		return d
	}
	none := []inventory.ControllerDIMM{counted("A1", 0), counted("A2", 0)}
	for name, c := range map[string]struct {
		dimms  []inventory.ControllerDIMM
		change func(sys *inventory.System)
		want   string
		stray  []string
		states []fact.State // of the first slot's counts
	}{
		"names in other spellings":     {[]inventory.ControllerDIMM{counted("A1", 3), counted("BANK 1 DIMM_A2", 0)}, nil, "3 label; 0 label; -", nil, nil},
		"ranks of one module":          {[]inventory.ControllerDIMM{sized(4, counted("DIMM_A1", 3)), sized(4, counted("DIMM_A1", 4)), sized(4, counted("DIMM_A2", 0)), sized(4, counted("DIMM_A2", 0))}, nil, "7 label; 0 label; -", nil, nil},
		"labels of another board":      {[]inventory.ControllerDIMM{sized(16, counted("DIMM_A1", 3))}, nil, "-; -; -", []string{"DIMM_A1"}, nil},
		"a label that two slots share": {[]inventory.ControllerDIMM{counted("DIMM_A1", 3)}, func(sys *inventory.System) { sys.Slots[1].Locator = label("DIMM_A1") }, "-; -; -", []string{"DIMM_A1"}, nil},
		"no label, all zero": {[]inventory.ControllerDIMM{counted("mc#0csrow#0channel#0", 0), counted("mc#0csrow#0channel#1", 0)}, nil, "0 every counter is zero; 0 every counter is zero; -",
			[]string{"mc#0csrow#0channel#0", "mc#0csrow#0channel#1"}, nil},
		"no label, half of the memory": {[]inventory.ControllerDIMM{counted("mc#0csrow#0channel#0", 0)}, nil, "-; -; -", []string{"mc#0csrow#0channel#0"}, nil},
		"no label, one error": {[]inventory.ControllerDIMM{counted("mc#0csrow#0channel#0", 0), counted("mc#0csrow#0channel#1", 1)}, nil, "-; -; -",
			[]string{"mc#0csrow#0channel#0", "mc#0csrow#0channel#1"}, []fact.State{fact.Absent}},
		"errors of no module may be any module's": {none, func(sys *inventory.System) { sys.EDAC[0].CorrectedNoInfo = known(int64(5)) }, "-; -; -", []string{"mc0, DIMM unknown"}, []fact.State{fact.Conflicting, fact.OK}},
		"fewer errors of no module than of one":   {[]inventory.ControllerDIMM{counted("A1", 120), counted("A2", 0)}, func(sys *inventory.System) { sys.EDAC[0].CorrectedNoInfo = known(int64(5)) }, "120 label; -; -", []string{"mc0, DIMM unknown"}, nil},
		"errors of no module that cannot be read": {none, func(sys *inventory.System) {
			sys.EDAC[0].UncorrectedNoInfo = fact.Unknown[int64](fact.Denied, "permission denied", "root")
		}, "0 label; 0 label; -", nil, []fact.State{fact.OK, fact.Denied}},
		"no counters: " + string(fact.SourceAbsent):    {nil, stateOf(fact.SourceAbsent), "-; -; -", nil, []fact.State{fact.Absent}},
		"no counters: " + string(fact.SourceDenied):    {nil, stateOf(fact.SourceDenied), "-; -; -", nil, []fact.State{fact.Denied}},
		"no counters: " + string(fact.SourceRefused):   {nil, stateOf(fact.SourceRefused), "-; -; -", nil, []fact.State{fact.Refused}},
		"no counters: " + string(fact.SourceTruncated): {nil, stateOf(fact.SourceTruncated), "-; -; -", nil, []fact.State{fact.Truncated}},
		"no counters: " + string(fact.SourceMalformed): {nil, stateOf(fact.SourceMalformed), "-; -; -", nil, []fact.State{fact.Malformed}},
	} {
		t.Run(name, func(t *testing.T) {
			sys := board("Dell Inc.", "PowerEdge R9999", "P", "DIMM_A1@BANK~0* DIMM_A2@BANK~1* DIMM_A3@BANK~2")
			sys.EDAC = []inventory.Controller{{CountedSeconds: known(int64(60)), CorrectedNoInfo: known(int64(0)), UncorrectedNoInfo: known(int64(0)), DIMMs: c.dimms}}
			sys.Sources = []inventory.Source{{Name: inventory.SourceEDAC, State: fact.SourceOK}}
			if c.change != nil {
				c.change(sys)
			}
			got, stray := JoinErrors(sys, nil, make([]Placement, len(sys.Slots)))
			var labels []string
			for _, s := range stray {
				labels = append(labels, s.Label)
			}
			assert.Equal(t, c.want, perSlot(got))
			assert.Equal(t, c.stray, labels)
			for i, f := range []fact.Fact[int64]{got[0].Corrected, got[0].Uncorrected}[:len(c.states)] {
				assert.Equal(t, []any{c.states[i], c.states[i] == fact.OK}, []any{f.State, f.Reason == ""})
			}
		})
	}
}

// stateOf makes the kernel's counters a source in a state.
func stateOf(state fact.SourceState) func(*inventory.System) {
	return func(sys *inventory.System) { sys.Sources[0].State = state }
}

// TestErrorsOfTheController checks that the controller's counts are used if the kernel counts nothing or less,
// because firmware handles errors first, and that they never lower the kernel's.
func TestErrorsOfTheController(t *testing.T) {
	known := func(n int64) fact.Fact[int64] {
		return fact.Known(n, fact.Direct, fact.Evidence{Source: inventory.SourceRedfish})
	}
	none := fact.Unknown[int64](fact.Absent, "no EDAC driver", "")
	for name, c := range map[string]struct {
		kernel     Errors
		controller inventory.ControllerErrors
		by         string
		corrected  int64
	}{
		"the kernel alone":         {Errors{Corrected: known(3), Uncorrected: known(0), By: ByLabel}, inventory.ControllerErrors{}, ByLabel, 3},
		"the controller alone":     {Errors{Corrected: none, Uncorrected: none}, inventory.ControllerErrors{Corrected: known(0), Uncorrected: known(0)}, ByController, 0},
		"hidden from the kernel":   {Errors{Corrected: known(0), Uncorrected: known(0), By: ByZero}, inventory.ControllerErrors{Corrected: known(40)}, ByController, 40},
		"the controller was reset": {Errors{Corrected: known(40), Uncorrected: known(0), By: ByLabel}, inventory.ControllerErrors{Corrected: known(2), Uncorrected: known(0)}, ByLabel, 40},
		"uncorrected":              {Errors{Corrected: known(1), Uncorrected: known(0), By: ByLabel}, inventory.ControllerErrors{Uncorrected: known(1)}, ByController, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := withController(&c.kernel, &c.controller)
			assert.Equal(t, c.by, got.By)
			assert.Equal(t, c.corrected, got.Corrected.Or(-1))
			if c.by == ByController {
				assert.False(t, got.CountedSeconds.Known(), "nobody says since when")
				assert.True(t, got.Uncorrected.Known())
				return
			}
			assert.Equal(t, &c.kernel, got)
		})
	}
}

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

// TestBoardCountedFromTheOtherEnd checks that a counter of the R710 is assigned to the slot in its label file, and
// that boards not named in the file get none.
func TestBoardCountedFromTheOtherEnd(t *testing.T) {
	p, err := platform.LoadByID(corpustest.Rules(t), "westmere-ep")
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

// TestUnplacedErrors checks that errors without a slot keep the driver's label and location. The ranks of one label
// are one module. The possible slots are named: the likely one has the same controller, channel and slot if all
// agree, otherwise those of the processor and size; none if the label names a module that has another name in
// firmware.
func TestUnplacedErrors(t *testing.T) {
	p, err := platform.LoadByID(corpustest.Rules(t), "skylake-sp")
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
		t.Run(name, func(t *testing.T) {
			sys := board("Quanta", "Q1", "PP", "A1*", "B1*")
			sys.Slots[0].SizeBytes, sys.Slots[1].SizeBytes = known(int64(8<<30)), known(int64(8<<30))
			sys.EDAC = c.ctl
			_, stray := JoinErrors(sys, p, c.places)
			var got []found
			for _, s := range stray {
				got = append(got, found{s.Label, s.Place, s.Slots, s.Likely, s.Corrected.Or(-1), s.Uncorrected.Or(-1)})
			}
			assert.Equal(t, c.want, got)
		})
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
		t.Run(name, func(t *testing.T) {
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
				assert.Equal(t, ByController, stray[i].By)
				got = append(got, stray[i].Uncorrected.Value)
			}
			assert.Equal(t, c.stray, got)
			assert.Equal(t, c.slot, slots[0].Uncorrected.State)
		})
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

// driven returns the drivers' modules for labels, with the size that board gives modules.
func driven(sys *inventory.System, labels ...string) *inventory.System {
	sys.EDAC = edac(8<<30, labels...)
	return sys
}

// TestDriversPlaceUnreadLabels checks that labels that no pattern matches are ambiguous with two CPUs, but not with
// one.
func TestDriversPlaceUnreadLabels(t *testing.T) {
	for sockets, c := range map[string]struct{ labels, want string }{
		"P":  {"CPU_SrcID#0_MC#0_Chan#0_DIMM#0 CPU_SrcID#0_MC#0_Chan#2_DIMM#0", "0.0.0.0 0.0.2.0"},
		"PP": {"mc#0csrow#0channel#0 mc#0csrow#0channel#1", "-.-.-.- -.-.-.-"},
	} {
		sys := driven(board("Example", "E1", sockets, "x{1,2}*"), c.labels)
		out, _ := LocateSlots(sys, ofChannels(4, 1), corpustest.Rules(t))
		assert.Equal(t, c.want, seats(sys, out), sockets)
	}
	unsized := driven(board("Example", "E1", "P", "x{1,2}*"), "CPU_SrcID#0_MC#0_Chan#0_DIMM#0 CPU_SrcID#0_MC#0_Chan#2_DIMM#0")
	unsized.Slots[1].SizeBytes = fact.Fact[int64]{}
	out, _ := LocateSlots(unsized, ofChannels(4, 1), corpustest.Rules(t))
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

// TestErrorsByChannel checks that empty slots and memory other than DRAM do not count, that every module must have an
// unambiguous place of its own on both sides, and that one contradicting module prevents the assignment of all.
func TestErrorsByChannel(t *testing.T) {
	p, err := platform.LoadByID(corpustest.Rules(t), "skylake-sp")
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
		"another channel": {func(sys *inventory.System, places []Placement) []Placement {
			sys.EDAC[2].DIMMs[0].Label = known("CPU_SrcID#0_MC#1_Chan#1_DIMM#0")
			return places
		}, none},
		"another size": {func(sys *inventory.System, places []Placement) []Placement {
			sys.EDAC[2].DIMMs[0].SizeBytes = known(int64(16 << 30))
			return places
		}, none},
		"one less":       {func(sys *inventory.System, places []Placement) []Placement { sys.EDAC = sys.EDAC[:2]; return places }, none},
		"a map in doubt": {func(_ *inventory.System, places []Placement) []Placement { places[2].Doubt = "x"; return places }, none},
		"a maker without label files": {func(sys *inventory.System, _ []Placement) []Placement {
			sys.Machine.Vendor, sys.Machine.BoardVendor = known("Quanta"), known("Quanta")
			places, _ := LocateSlots(sys, p, corpustest.Rules(t))
			return places
		}, none},
		"one more": {func(sys *inventory.System, places []Placement) []Placement {
			more := counted("CPU_SrcID#0_MC#0_Chan#2_DIMM#0", 0)
			more.SizeBytes = sys.Slots[0].SizeBytes
			sys.EDAC[0].DIMMs = append(sys.EDAC[0].DIMMs, more)
			return places
		}, none},
	} {
		t.Run(name, func(t *testing.T) {
			sys, _ := labelledBoard(r740, r740.models, p)
			places, _ := LocateSlots(sys, p, corpustest.Rules(t))
			places = c.change(sys, places)
			got, _ := JoinErrors(sys, p, places)
			assert.Equal(t, c.want, perSlot(got))
		})
	}
}

// TestLoggedErrors checks that errors in the kernel's log count for the slot that firmware names, by handle, by bank
// and slot or by the part's name; for no slot if it names none; and not at all if an EDAC driver counts.
func TestLoggedErrors(t *testing.T) {
	text := func(s string) fact.Fact[string] { return fact.Known(s, fact.Direct, fact.Evidence{}) }
	slot := func(handle inventory.Handle, bank, locator string) inventory.Slot {
		return inventory.Slot{Handle: handle, Locator: text(locator), BankLocator: text(bank), State: inventory.SlotPopulated}
	}
	const hour = 3600
	sys := &inventory.System{Slots: []inventory.Slot{slot(0x1100, "NODE 0", "A1"), slot(0x1101, "NODE 1", "A1"), slot(0x1102, "NODE 1", "B1"), slot(0x1103, "NODE 1", "C1")}}
	sys.Logged = fact.Known([]inventory.LoggedErrors{
		{Handle: 0x1100, Corrected: []int64{1 * hour, 20 * hour, 30 * hour}},
		{Handle: -1, Location: "NODE 1 A1", Uncorrected: []int64{7}},
		{Handle: -1, FRU: "B1", Corrected: []int64{8}},
		{Handle: -1, FRU: "A1", Corrected: []int64{9}}, // two slots have the name
		{Handle: -1, Place: "node 1, card 0", Corrected: []int64{10}},
	}, fact.Direct, fact.Evidence{})
	places := make([]Placement, len(sys.Slots))
	slots, stray := JoinErrors(sys, nil, places)
	a1 := slots[0]
	assert.Equal(t, ByLog, a1.By)
	assert.Equal(t, []int64{3, 2, 30 * hour}, []int64{a1.Corrected.Value, a1.CorrectedWorstDay.Value, a1.CountedSeconds.Value}, "20 and 30 hours are within a day")
	assert.False(t, a1.Uncorrected.Known(), "the log shows at least so many: none is not zero")
	assert.Equal(t, int64(1), slots[1].Uncorrected.Value)
	assert.Equal(t, int64(1), slots[2].Corrected.Value)
	assert.False(t, slots[3].Corrected.Known(), "no line in the log does not mean no error")
	var labels []string
	for _, s := range stray {
		labels = append(labels, s.Label)
	}
	assert.Equal(t, []string{"A1", "node 1, card 0"}, labels)

	sys.EDAC = []inventory.Controller{{DIMMs: []inventory.ControllerDIMM{{Label: text("unknown"), Corrected: fact.Known(int64(0), fact.Direct, fact.Evidence{})}}}}
	slots, stray = JoinErrors(sys, nil, places)
	assert.NotEqual(t, ByLog, slots[0].By)
	assert.Len(t, stray, 1)
}
