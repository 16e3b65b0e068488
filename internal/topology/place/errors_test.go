package place

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
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
	zero := known(int64(0))
	machine := func(dimms ...inventory.ControllerDIMM) *inventory.System {
		sys := board("Dell Inc.", "PowerEdge R9999", "P", "DIMM_A1@BANK~0* DIMM_A2@BANK~1* DIMM_A3@BANK~2")
		sys.EDAC = []inventory.Controller{{CountedSeconds: known(int64(60)), CorrectedNoInfo: zero, UncorrectedNoInfo: zero, DIMMs: dimms}}
		sys.Sources = []inventory.Source{{Name: inventory.SourceEDAC, State: fact.SourceOK}}
		return sys
	}
	join := func(sys *inventory.System) ([]*Errors, []UnplacedErrors) {
		return JoinErrors(sys, nil, make([]Placement, len(sys.Slots)))
	}
	t.Run("names in other spellings", func(t *testing.T) {
		got, stray := join(machine(counted("A1", 3), counted("BANK 1 DIMM_A2", 0)))
		assert.Equal(t, "3 label; 0 label; -", perSlot(got))
		assert.Empty(t, stray)
	})
	t.Run("ranks of one module", func(t *testing.T) {
		half := func(label string, ce int64) inventory.ControllerDIMM {
			d := counted(label, ce)
			d.SizeBytes = known(int64(4 << 30))
			return d
		}
		got, _ := join(machine(half("DIMM_A1", 3), half("DIMM_A1", 4), half("DIMM_A2", 0), half("DIMM_A2", 0)))
		assert.Equal(t, "7 label; 0 label; -", perSlot(got))
	})
	t.Run("labels of another board", func(t *testing.T) {
		other := counted("DIMM_A1", 3)
		other.SizeBytes = known(int64(16 << 30))
		got, stray := join(machine(other))
		assert.Equal(t, "-; -; -", perSlot(got))
		require.Len(t, stray, 1)
		assert.Equal(t, "DIMM_A1", stray[0].Label)
	})
	t.Run("a label that two slots share", func(t *testing.T) {
		sys := machine(counted("DIMM_A1", 3))
		sys.Slots[1].Locator = label("DIMM_A1")
		got, stray := join(sys)
		assert.Equal(t, "-; -; -", perSlot(got))
		assert.Len(t, stray, 1)
	})
	t.Run("no label, all zero", func(t *testing.T) {
		got, stray := join(machine(counted("mc#0csrow#0channel#0", 0), counted("mc#0csrow#0channel#1", 0)))
		assert.Equal(t, "0 every counter is zero; 0 every counter is zero; -", perSlot(got))
		assert.Len(t, stray, 2)
	})
	t.Run("no label, half of the memory", func(t *testing.T) {
		got, _ := join(machine(counted("mc#0csrow#0channel#0", 0)))
		assert.Equal(t, "-; -; -", perSlot(got))
	})
	t.Run("no label, one error", func(t *testing.T) {
		got, _ := join(machine(counted("mc#0csrow#0channel#0", 0), counted("mc#0csrow#0channel#1", 1)))
		assert.Equal(t, "-; -; -", perSlot(got))
		assert.Equal(t, fact.Absent, got[0].Corrected.State)
	})
	t.Run("errors of no module", func(t *testing.T) {
		sys := machine(counted("A1", 0), counted("A2", 0))
		sys.EDAC[0].CorrectedNoInfo = known(int64(5))
		got, stray := join(sys)
		require.Len(t, stray, 1)
		assert.Equal(t, "mc0, DIMM unknown", stray[0].Label)
		assert.Equal(t, fact.Conflicting, got[0].Corrected.State, "the five may be this module's")
		assert.Equal(t, int64(0), got[0].Uncorrected.Or(-1))
	})
	t.Run("fewer errors of no module than of one", func(t *testing.T) {
		sys := machine(counted("A1", 120), counted("A2", 0))
		sys.EDAC[0].CorrectedNoInfo = known(int64(5))
		got, _ := join(sys)
		assert.Equal(t, int64(120), got[0].Corrected.Or(0))
		assert.False(t, got[1].Corrected.Known())
	})
	t.Run("errors of no module cannot be read", func(t *testing.T) {
		sys := machine(counted("A1", 0), counted("A2", 0))
		sys.EDAC[0].UncorrectedNoInfo = fact.Unknown[int64](fact.Denied, "permission denied", "root")
		got, _ := join(sys)
		assert.Equal(t, fact.Denied, got[0].Uncorrected.State)
	})
	for state, want := range map[fact.SourceState]fact.State{fact.SourceAbsent: fact.Absent, fact.SourceDenied: fact.Denied,
		fact.SourceRefused: fact.Refused, fact.SourceTruncated: fact.Truncated, fact.SourceMalformed: fact.Malformed} {
		t.Run("no counters: "+string(state), func(t *testing.T) {
			sys := machine()
			sys.Sources[0].State = state
			got, _ := join(sys)
			assert.Equal(t, want, got[0].Corrected.State)
			assert.NotEmpty(t, got[0].Corrected.Reason)
		})
	}
}

// TestErrorsByChannelNeedProof checks that one contradicting module prevents the assignment of all.
func TestErrorsByChannelNeedProof(t *testing.T) {
	p, err := platform.ByID(corpustest.Rules(t), "skylake-sp")
	require.NoError(t, err)
	r740 := &confirmedBoard{"Dell Inc.", "PowerEdge R740", map[[3]int]string{{0, 0, 0}: "A1", {0, 1, 0}: "A2", {1, 0, 0}: "A4"}}
	join := func(change func(sys *inventory.System)) string {
		sys, _ := labelledBoard(r740, r740.models, p)
		change(sys)
		places, _ := Slots(sys, p, corpustest.Rules(t))
		got, _ := JoinErrors(sys, p, places)
		return perSlot(got)
	}
	assert.Equal(t, "100 channel; 101 channel; 102 channel", join(func(*inventory.System) {}))
	const none = "-; -; -"
	assert.Equal(t, none, join(func(sys *inventory.System) { sys.EDAC[2].DIMMs[0].Label = known("CPU_SrcID#0_MC#1_Chan#1_DIMM#0") }), "another channel")
	assert.Equal(t, none, join(func(sys *inventory.System) { sys.EDAC[2].DIMMs[0].SizeBytes = known(int64(16 << 30)) }), "another size")
	assert.Equal(t, none, join(func(sys *inventory.System) { sys.EDAC = sys.EDAC[:2] }), "one module less")
	sys, _ := labelledBoard(r740, r740.models, p)
	places, _ := Slots(sys, p, corpustest.Rules(t))
	places[2].Doubt = "something contradicts the map"
	got, _ := JoinErrors(sys, p, places)
	assert.Equal(t, none, perSlot(got), "a map in doubt")
	assert.Equal(t, none, join(func(sys *inventory.System) {
		sys.Machine.Vendor, sys.Machine.BoardVendor = known("Quanta"), known("Quanta")
	}), "a maker without label files")
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
		got := withController(&c.kernel, &c.controller)
		assert.Equal(t, c.by, got.By, name)
		assert.Equal(t, c.corrected, got.Corrected.Or(-1), name)
		if c.by == ByController {
			assert.False(t, got.CountedSeconds.Known(), "%s: nobody says since when", name)
			assert.True(t, got.Uncorrected.Known(), name)
			continue
		}
		assert.Equal(t, &c.kernel, got, name)
	}
}
