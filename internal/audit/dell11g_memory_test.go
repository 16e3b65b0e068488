package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

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
		{"PowerEdge R410", westmere, 44, 4, "2 of 3 channels hold memory" + doubt + "; empty: channel 2"},
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

// TestDellSlots checks three channels, with two or three modules on each by model.
func TestDellSlots(t *testing.T) {
	for product, dpc := range map[string]int{"PowerEdge R610": 2, "PowerEdge M610": 2, "PowerEdge R710": 3, "PowerEdge M710": 3} {
		var all []int
		for n := 1; n <= 3*dpc; n++ {
			all = append(all, n)
		}
		for brand, model := range map[string]int{"Intel(R) Xeon(R) CPU           X5570  @ 2.93GHz": 26, "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz": 44} {
			sys := dell11G(product, brand, model, 3*dpc, 1333, all...)
			topo := population.Derive(sys, rules.FS)
			assert.Equal(t, map[int]string{26: "nehalem-ep", 44: "westmere-ep"}[model], topo.Platform.Value.ID, product)
			for _, p := range topo.Populations {
				assert.Equal(t, []int{dpc, dpc, dpc}, p.DPC.Value, product)
			}
			a := run(t, builtin(t), sys, topo, audit.Options{})
			assert.Equal(t, verdict.Pass, findings(a, "memory.channel.populated")["socket 1"].Result, product)
			sys = dell11G(product, brand, model, 3*dpc, 1333, 1, 2)
			f := findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), "memory.channel.populated")["socket 1"]
			assert.Equal(t, verdict.Fail, f.Result, product)
			assert.Contains(t, f.Found, "DIMM_B3", product)
			assert.Contains(t, f.Effect.Text, "67 %", product)
		}
	}
}

// TestDellRemediesNameThePendingValue checks Appendix B: syscfg shows a new value before it is in effect, and only
// the power profile shows the effective one.
func TestDellRemediesNameThePendingValue(t *testing.T) {
	for id, p := range profiles(t) {
		if p.Citation.Title != "Optimal BIOS Settings for High Performance Computing with PowerEdge 11G Servers" {
			continue
		}
		for _, w := range p.Table() {
			switch w.ID {
			case "power_policy":
				assert.Contains(t, w.Remedy, "still at work", id)
			case "node_interleave", "smt", "turbo", "c_states":
				assert.Contains(t, w.Remedy, "already shows the new value", "%s %s", id, w.ID)
			case "c1e":
				assert.NotContains(t, w.Remedy, "syscfg", id)
			default: // Appendix B lists no command
				assert.NotContains(t, w.Remedy, "syscfg", "%s %s", id, w.ID)
			}
		}
	}
}
