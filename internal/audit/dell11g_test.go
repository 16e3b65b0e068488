package audit_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// builtinPacks are read once for all tests, changed by none.
var builtinPacks = audit.LoadedPacks

// builtinEngine is created once: its expressions are planned once for all tests, which do not run in parallel.
var builtinEngine = sync.OnceValues(func() (*audit.Engine, error) {
	packs, err := builtinPacks()
	return audit.NewEngine(packs), err
})

// builtin is an engine of the embedded packs.
func builtin(t *testing.T) *audit.Engine {
	t.Helper()
	e, err := builtinEngine()
	require.NoError(t, err)
	return e
}

// cell is one cell of Table 6 in canonical words.
type cell struct{ profile, setting, want, opposite string }

// table6 reads the 32 cells of the paper's table.
func table6(t *testing.T) []cell {
	t.Helper()
	f, err := os.Open("testdata/dell-table6.csv")
	require.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	profiles := map[string]string{"Energy Efficiency": "dell-11g/energy-efficiency", "Max Performance": "dell-11g/max-performance",
		"Balanced": "dell-11g/balanced", "Min. Latency": "dell-11g/low-latency"}
	words := map[string][2]string{"Enabled": {"enabled", "disabled"}, "Disabled": {"disabled", "enabled"},
		"APC": {"firmware_dynamic", "max_performance"}, "Max Performance": {"max_performance", "os_control"}}
	var out []cell
	for _, row := range rows[1:] {
		for i, column := range rows[0][2:] {
			w, ok := words[row[i+2]]
			require.True(t, ok, row[i+2])
			require.NotEmpty(t, profiles[column], column)
			out = append(out, cell{profiles[column], row[0], w[0], w[1]})
		}
	}
	return out
}

// r610 is a Dell 11G machine whose processor has SMT and Turbo.
func r610(id string) (*inventory.System, *population.Result) {
	sys, topo := twoSockets()
	sys.Machine.Vendor, sys.Machine.Product = direct("Dell Inc."), direct("PowerEdge R610")
	for i := range topo.Processors {
		topo.Processors[i] = &platform.Processor{Number: "X5670", SMT: "yes", Turbo: "yes", Channels: 3, MaxMTs: 1333}
	}
	platformOf(topo, platform.Platform{ID: id, NUMA: true})
	return sys, topo
}

// TestDellTable6 checks every cell of the table against the profiles: the recommended value passes, the opposite
// fails, a missing one is unknown, for the configured as for the effective value.
func TestDellTable6(t *testing.T) {
	e := builtin(t)
	cells := table6(t)
	require.Len(t, cells, 32)
	judge := func(c cell, s inventory.Setting) verdict.Finding {
		sys, topo := r610("westmere-ep")
		sys.Settings[c.setting] = s
		a := run(t, e, sys, topo, audit.Options{Profile: c.profile, Asked: true})
		require.NotNil(t, a.Profile, a.ProfileWhy)
		got := findings(a, "setting."+c.setting)
		require.Len(t, got, 1)
		return got["setting "+c.setting]
	}
	for _, c := range cells {
		t.Run(c.profile+" "+c.setting, func(t *testing.T) {
			good := judge(c, inventory.Setting{Configured: direct(c.want)})
			assert.Equal(t, verdict.Pass, good.Result, good.Reason)
			assert.EqualValues(t, c.want+" (configured)", good.Found)
			assert.Contains(t, good.Citation.Place, "Table 6")
			bad := judge(c, inventory.Setting{Configured: direct(c.opposite)})
			assert.Equal(t, verdict.Fail, bad.Result)
			assert.EqualValues(t, c.want, bad.Expected)
			assert.NotEmpty(t, bad.Remedy)
			assert.Equal(t, verdict.Pass, judge(c, inventory.Setting{Effective: direct(c.want)}).Result)
			assert.Equal(t, verdict.Fail, judge(c, inventory.Setting{Effective: direct(c.opposite), DecidedBy: direct(inventory.DecidedFirmware)}).Result)
			assert.Equal(t, verdict.Fail, judge(c, inventory.Setting{Effective: direct(c.opposite), DecidedBy: direct(inventory.DecidedAdministrator)}).Result)
			none := judge(c, inventory.Setting{})
			assert.Equal(t, verdict.Unknown, none.Result)
			assert.NotEmpty(t, none.Reason)
		})
	}
}

// TestProfileOnOtherMachines checks that other machines get no advice from this table, with the reason.
func TestProfileOnOtherMachines(t *testing.T) {
	e := builtin(t)
	for name, change := range map[string]func(*inventory.System, *population.Result){
		"another vendor": func(s *inventory.System, _ *population.Result) { s.Machine.Vendor = direct("HP") },
		"no PowerEdge": func(s *inventory.System, _ *population.Result) {
			s.Machine.Product = direct("Precision WorkStation T7500")
		},
		"another platform": func(_ *inventory.System, r *population.Result) { platformOf(r, platform.Platform{ID: "naples"}) },
		"platform unknown": func(_ *inventory.System, r *population.Result) { r.Platform = fact.Fact[*platform.Platform]{} },
		"vendor unknown":   func(s *inventory.System, _ *population.Result) { s.Machine.Vendor = fact.Fact[string]{} },
	} {
		t.Run(name, func(t *testing.T) {
			sys, topo := r610("westmere-ep")
			sys.Settings["turbo"] = inventory.Setting{Configured: direct("disabled")}
			change(sys, topo)
			for _, wanted := range []string{"balanced", "dell-11g/balanced"} {
				a := run(t, e, sys, topo, audit.Options{Profile: wanted, Asked: true})
				assert.Nil(t, a.Profile)
				assert.NotEmpty(t, a.ProfileWhy)
				for _, f := range a.Findings {
					if strings.HasPrefix(f.Rule, "setting.") {
						assert.Equal(t, verdict.NotApplicable, f.Result, f.Rule)
						assert.EqualValues(t, a.ProfileWhy, f.Reason)
					}
				}
			}
		})
	}
	_, err := e.Run(&inventory.System{}, &population.Result{}, audit.Options{Profile: "fastest", Asked: true})
	var unknown *audit.UnknownProfileError
	require.ErrorAs(t, err, &unknown)
	assert.Len(t, unknown.Nearest, 3)
}

// dell11G builds a PowerEdge of slots slots per processor with 4 GB RDIMMs of
// the given rating in the numbered ones.
func dell11G(product, brand string, model, slots, rated int, numbers ...int) *inventory.System {
	sys := &inventory.System{Settings: map[string]inventory.Setting{}}
	sys.Machine.Vendor, sys.Machine.Product = direct("Dell Inc."), direct(product)
	sys.Machine.Virtual, sys.Firmware.SMBIOS = direct(false), direct(true)
	for s := range 2 {
		sys.Sockets = append(sys.Sockets, inventory.Socket{ID: s, Populated: direct(true), Vendor: direct("GenuineIntel"),
			Family: direct(6), Model: direct(model), Stepping: direct(2), Brand: direct(brand)})
		for n := 1; n <= slots; n++ {
			slot := inventory.Slot{Handle: inventory.Handle(0x1100 + len(sys.Slots)), Row: len(sys.Slots), State: inventory.SlotEmpty, Soldered: direct(false),
				Technology: direct(inventory.DRAM), Locator: direct(fmt.Sprintf("DIMM_%c%d ", 'A'+s, n))}
			if slices.Contains(numbers, n) {
				slot.State, slot.SizeBytes, slot.Type = inventory.SlotPopulated, direct(int64(4)<<30), direct("DDR3")
				slot.Ranks, slot.RatedMTs, slot.Registered = direct(2), direct(rated), direct(true)
				slot.TotalWidth, slot.DataWidth = direct(72), direct(64)
			}
			sys.Slots = append(sys.Slots, slot)
		}
	}
	return sys
}

// TestUnconfirmedChannels checks that two modules certainly leave one of three channels empty wherever they
// are, as a warning; which channel depends on the slot map, and the text says so if no document confirms it.
func TestUnconfirmedChannels(t *testing.T) {
	const westmere, iceLake, doubt = "Intel(R) Xeon(R) CPU E5620 @ 2.40GHz", "Intel(R) Xeon(R) Gold 6330N CPU @ 2.20GHz", " (by a slot map that no document confirms)"
	for _, c := range []struct {
		product, brand string
		model, slots   int
		found          string
	}{
		{"PowerEdge R610", westmere, 44, 6, "2 of 3 channels hold memory; empty: channel 2"},
		{"PowerEdge R510", westmere, 44, 4, "2 of 3 channels hold memory" + doubt + "; empty: channel 2"},
		{"PowerEdge R750", iceLake, 106, 16, "2 of 8 channels hold memory" + doubt + "; empty: channel 1"},
	} {
		sys := dell11G(c.product, c.brand, c.model, c.slots, 1333, 1, 2)
		for i := range sys.Sockets {
			sys.Sockets[i].Stepping = direct(map[int]int{44: 2, 106: 6}[c.model])
		}
		f := findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), "memory.channel.populated")["socket 0"]
		assert.Equal(t, verdict.Fail, f.Result, c.product)
		assert.Equal(t, verdict.Warning, f.Severity, c.product)
		assert.EqualValues(t, c.found, f.Found[:min(len(f.Found), len(c.found))], c.product)
	}
}

// TestDellTable3 checks that the processor's bin decides the memory's speed and so the controller's bandwidth,
// whatever the modules are rated.
func TestDellTable3(t *testing.T) {
	bins := []struct {
		mts        int
		controller float64 // GB/s as printed
		brands     []string
	}{
		{1333, 31.99, []string{"X5570  @ 2.93GHz", "X5560  @ 2.80GHz", "X5550  @ 2.67GHz", "W5580  @ 3.20GHz"}},
		{1066, 25.58, []string{"E5540  @ 2.53GHz", "E5530  @ 2.40GHz", "E5520  @ 2.27GHz"}},
		{800, 19.20, []string{"E5506  @ 2.13GHz", "E5504  @ 2.00GHz", "E5502  @ 1.87GHz"}},
	}
	for _, bin := range bins {
		for _, name := range bin.brands {
			sys := dell11G("PowerEdge R610", "Intel(R) Xeon(R) CPU           "+name, 26, 6, 1333, 1, 2, 3)
			topo := population.Derive(sys, rules.FS)
			require.Len(t, topo.Populations, 2, name)
			for _, p := range topo.Populations {
				assert.Equal(t, bin.mts, p.Speed.Value.MTs, name)
				assert.InDelta(t, bin.controller, float64(p.Peak.Value)/1e9, 0.005, name)
			}
			// The E5540 of Figure 14: 1333 MT/s modules run at 1066 and that is not a fault.
			for i := range sys.Slots {
				sys.Slots[i].ConfiguredMTs = direct(bin.mts)
			}
			f := findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), "memory.speed.expected")["socket 0"]
			assert.Equal(t, verdict.Pass, f.Result, "%s: %s", name, f.Reason)
			for i := range sys.Slots {
				sys.Slots[i].ConfiguredMTs = direct(bin.mts - 200)
			}
			f = findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), "memory.speed.expected")["socket 0"]
			assert.Equal(t, verdict.Fail, f.Result, name)
			limit := " (limit: processor)"
			if bin.mts == 1333 { // all agree, and nothing is a limit
				limit = ""
			}
			assert.EqualValues(t, fmt.Sprintf("runs at %d MT/s, allowed are %d MT/s%s", bin.mts-200, bin.mts, limit), f.Found, name)
			assert.Contains(t, f.Citation.Place, "Table 3")
		}
	}
}
