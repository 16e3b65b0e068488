package plan_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
)

// document is what capacities are planned for by a platform's document alone.
func document(t testing.TB, id string, sockets int) *plan.Target {
	pf, err := platform.LoadByID(rules.FS, id)
	require.NoError(t, err)
	out, why := plan.ForPlatform(pf, pipeline(t))
	require.Empty(t, why)
	out.Sockets = sockets
	return out
}

// target is a machine's.
func target(t testing.TB, sys *inventory.System) *plan.Target {
	p := pipeline(t)
	out, why := plan.ForMachine(sys, p.Derive(sys), p)
	require.Empty(t, why)
	return out
}

// mix names the modules of a configuration: "4x16 8x8", sizes in GiB.
func mix(c *plan.Configuration) string {
	var out []string
	for _, m := range c.DIMMs {
		out = append(out, fmt.Sprintf("%dx%g", m.Count, float64(m.Bytes)/(1<<30)))
	}
	return strings.Join(out, " ")
}

// summary is one line a configuration: modules, speed, peak.
func summary(ways []plan.Configuration) []string {
	var out []string
	for i := range ways {
		mts, peak := 0, int64(0)
		if v := ways[i].ExpectedMTs; v != nil {
			mts, peak = *v, *ways[i].PeakBytes
		}
		out = append(out, fmt.Sprintf("%s at %d: %.2f GB/s", mix(&ways[i]), mts, float64(peak)/1e9))
	}
	return out
}

// TestCapacitiesOfWestmereEX checks that the plan lists all 34 + 9 configurations of the Fujitsu paper's two tables, each with
// the class printed there, the best first, and no other.
func TestCapacitiesOfWestmereEX(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "topology", "population", "testdata", "westmere-ex-configurations.csv"))
	require.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	want := map[string][]string{} // by GB of a processor
	for _, c := range rows[1:] {
		var modules []string
		for i, size := range []int{16, 8, 4} {
			if c[4-i] != "0" {
				modules = append(modules, fmt.Sprintf("%sx%d", c[4-i], size))
			}
		}
		want[c[1]] = append(want[c[1]], "class "+c[8]+": "+strings.Join(modules, " ")+" at 1066")
	}
	for _, sockets := range []int{1, 4} {
		target, total := document(t, "westmere-ex", sockets), 0
		for gb, rows := range want {
			n, err := strconv.Atoi(gb)
			require.NoError(t, err)
			ways, _, _ := target.ListConfigurations(int64(sockets*n)<<30, false)
			var got []string
			for i := range ways {
				got = append(got, fmt.Sprintf("class %s: %s at %d", string(ways[i].Class), mix(&ways[i]), *ways[i].ExpectedMTs))
			}
			assert.ElementsMatch(t, rows, got, "%s GB", gb)
			assert.True(t, slices.IsSortedFunc(got, func(x, y string) int { return strings.Compare(x[:7], y[:7]) }), "%v: best first", got)
			total += len(got)
		}
		assert.Equal(t, 43, total)
	}
}

// TestCapacities checks the configurations for a capacity by documents: Dell's 11G paper and guidebook (three, six and nine
// modules for each CPU: 1333, 1066 and 800 MT/s, with the bandwidths of the paper's Table 3; a 5600 keeps 1333 with two on a
// channel, IBM), and that new modules are like those of the machine, or as fast as its platform takes them.
func TestCapacities(t *testing.T) {
	r710 := paper("dell-r710-two-channels")
	misnamed := func(word string) *inventory.System {
		return r710.and(func(sys *inventory.System) {
			for i := range sys.Slots {
				sys.Slots[i].Type.Value = word
			}
		})(t)
	}
	slow := r710.where(func(s *inventory.Slot) { s.RatedMTs.Value, s.ConfiguredMTs.Value = 1066, 1066 }, func(string) bool { return true })
	empty := func(sys *inventory.System) { populate(sys) }
	for name, c := range map[string]struct {
		target *plan.Target
		gib    int64
		want   []string // the first of them
	}{
		"R710":                          {target(t, r710(t)), 24, []string{"3x4 at 1333: 31.99 GB/s", "6x2 at 1066: 25.58 GB/s"}},
		"R710, more":                    {target(t, r710(t)), 48, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1066: 25.58 GB/s"}},
		"R710, full":                    {target(t, r710(t)), 72, []string{"9x4 at 800: 19.20 GB/s"}},
		"R710 whose firmware says DRAM": {target(t, misnamed("DRAM")), 48, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1066: 25.58 GB/s"}},
		"R710 whose firmware says DDR2 at 1333 MT/s": {target(t, misnamed("DDR2")), 48, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1066: 25.58 GB/s"}},
		"R710 whose firmware says nothing":           {target(t, misnamed("")), 48, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1066: 25.58 GB/s"}},
		"R710 with modules of 1066 MT/s":             {target(t, slow(t)), 24, []string{"3x4 at 1066: 25.58 GB/s"}},
		"R710 without modules":                       {target(t, slow.and(empty)(t)), 24, []string{"3x4 at 1333: 31.99 GB/s"}},
		"Nehalem":                                    {document(t, "nehalem-ep", 2), 48, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1066: 25.58 GB/s"}},
		"Nehalem, full":                              {document(t, "nehalem-ep", 2), 72, []string{"9x4 at 800: 19.20 GB/s"}},
		"Westmere":                                   {document(t, "westmere-ep", 2), 48, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1333: 31.99 GB/s"}},
		"Westmere, full":                             {document(t, "westmere-ep", 2), 72, []string{"9x4 at 800: 19.20 GB/s"}},
		"registered modules of a Xeon 6700P run at 6400, MRDIMMs alone at 8000 (Cisco)": {document(t, "granite-rapids-sp", 1), 512, []string{"8x64 at 6400: 409.60 GB/s", "16x32 at 5200: 332.80 GB/s"}},
		"no 48 GiB with the processors of 2023 (Lenovo, SR630 V3): the next capacity":   {document(t, "sapphire-rapids", 1), 8 * 48, []string{"8x64 at 4800: 307.20 GB/s"}},
		"an EPYC 9004 takes them": {document(t, "genoa", 1), 12 * 48, []string{"12x48 at 4800: 460.80 GB/s"}},
	} {
		t.Run(name, func(t *testing.T) {
			ways, _, _ := c.target.ListConfigurations(c.gib<<30, false)
			got := summary(ways)
			assert.Equal(t, c.want, got[:min(len(got), len(c.want))])
		})
	}
	pf, err := platform.LoadByID(rules.FS, "power10")
	require.NoError(t, err)
	_, why := plan.ForPlatform(pf, pipeline(t))
	assert.Contains(t, why, "no document gives")
}

// TestNearestCapacities checks that an impossible capacity is planned as the nearest possible one above, that the one below is
// named, and that nothing is planned beyond the largest.
func TestNearestCapacities(t *testing.T) {
	r710, r740 := target(t, machine(t, "dell-r710-two-channels")), target(t, server(t, "dell-r740", firstSlots))
	for gib, want := range map[int64][2]int64{1: {3, 0}, 4: {6, 3}, 50: {72, 48}, 2000: {0, 18 * 64}} {
		ways, reached, below := r710.ListConfigurations(gib<<30, false)
		assert.Equal(t, want, [2]int64{reached >> 30, below >> 30}, "%d GiB", gib)
		assert.Equal(t, want[0] == 0, len(ways) == 0, "%d GiB", gib)
	}
	_, reached, below := r710.ListConfigurations(3<<29, true)
	assert.Equal(t, [2]int64{2 << 30, 1 << 30}, [2]int64{reached, below}, "one small module of each processor is the least")
	for _, gib := range []int64{5, 15, 17, 33, 50, 65, 130, 200, 300, 520, 1030, 2100} {
		ways, reached, below := r740.ListConfigurations(gib<<30, false)
		same, _, _ := r740.ListConfigurations(reached, false)
		assert.Equal(t, summary(same), summary(ways), "%d GiB", gib)
		assert.True(t, below < gib<<30 && gib<<30 <= reached, "%d is not between %d and %d", gib<<30, below, reached)
	}
}

// TestCapacitiesWithWhatIsThere checks what a configuration says of the machine at hand: the slots of every processor by their
// labels, how many modules are to be bought and left over, what firmware states against it; and that what a rule fails never
// comes before what passes all (an e326m with 16 GiB).
func TestCapacitiesWithWhatIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		stated, gib int64
		want        []string
	}{
		"ibm-e326m-full": {2, 16, []string{
			"4x2 buys 0 leaves 0: DIMM 1 DIMM 2 DIMM 3 DIMM 4 | DIMM 5 DIMM 6 DIMM 7 DIMM 8",
			"2x4 buys 4 leaves 8 in doubt beyond firmware: DIMM 1 DIMM 2 | DIMM 5 DIMM 6"}},
		"dell-r610-unbalanced": {4, 72, []string{
			"3x8 3x4 buys 6 leaves 0 beyond firmware: DIMM_A1 DIMM_A2 DIMM_A3 DIMM_A4 DIMM_A5 DIMM_A6 | DIMM_B1 DIMM_B2 DIMM_B3 DIMM_B4 DIMM_B5 DIMM_B6"}},
	} {
		t.Run(name, func(t *testing.T) {
			ways, _, _ := target(t, paper(name).and(func(sys *inventory.System) {
				for i := range sys.Arrays {
					sys.Arrays[i].MaxBytes = fact.Known(c.stated<<30*int64(sys.Arrays[i].Devices.Value), fact.Direct, fact.Evidence{})
				}
			})(t)).ListConfigurations(c.gib<<30, false)
			var got []string
			for i := range ways {
				w, bought := &ways[i], 0
				for _, m := range w.DIMMs {
					bought += m.Bought
				}
				text := fmt.Sprintf("%s buys %d leaves %d", mix(w), bought, w.Left)
				if w.Doubt != "" {
					text += " in doubt"
				}
				if w.Note != "" {
					text += " beyond firmware"
				}
				text += ": " + strings.Join(w.Slots, " ")
				for _, other := range w.OtherSlots {
					text += " | " + strings.Join(other, " ")
				}
				got = append(got, text)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// TestCapacitiesWithoutDoubtFirst checks that what is there comes before what is to be bought, and what firmware's stated
// capacity allows before what it does not, even if that is faster.
func TestCapacitiesWithoutDoubtFirst(t *testing.T) {
	p := pipeline(t)
	for name, c := range map[string]struct {
		full   bool
		stated int64 // GiB for each slot
	}{"nothing to buy": {full: true, stated: 128}, "beyond what firmware states": {stated: 64}} {
		t.Run(name, func(t *testing.T) {
			sys := machine(t, "dell-r760-tdx")
			if c.full {
				populate(sys, "")
			}
			sys.Arrays[0].MaxBytes = fact.Known(c.stated<<30*int64(len(sys.Slots)), fact.Direct, fact.Evidence{})
			target, why := plan.ForMachine(sys, p.Derive(sys), p)
			require.Empty(t, why)
			ways, _, _ := target.ListConfigurations(1536<<30, false)
			require.Equal(t, []string{"16x48 at 4400: 281.60 GB/s", "8x96 at 5200: 332.80 GB/s"}, summary(ways)[:2])
		})
	}
}

// TestCapacitiesOfUnplacedSlots checks that a product's own manual names the slots although their places are unknown, without
// channels; a module in every slot needs no manual, and a sister's names nothing.
func TestCapacitiesOfUnplacedSlots(t *testing.T) {
	p := pipeline(t)
	sys := filled("dell-r740", firstSlots).and(func(sys *inventory.System) { populate(sys) })(t) // nothing is known of modules
	of := func(modules int, analogous bool) *plan.Configuration {
		topo := p.Derive(sys)
		topo.Sets.Analogous = analogous
		target, why := plan.ForMachine(sys, topo, p)
		require.Empty(t, why)
		ways, _, _ := target.ListConfigurations(int64(2*modules)<<35, true)
		at := slices.IndexFunc(ways, func(c plan.Configuration) bool { return len(c.Slots) == modules })
		require.GreaterOrEqual(t, at, 0)
		return &ways[at]
	}
	six, all, sister := of(6, false), of(12, false), of(6, true)
	assert.Equal(t, []string{"A1", "A2", "A3", "A4", "A5", "A6"}, six.Slots)
	assert.Nil(t, six.ExpectedMTs)
	assert.Equal(t, []float64{1, 1}, []float64{*all.Relative.Low, *sister.Relative.Low})
	assert.Contains(t, sister.Slots, "channel 5 slot 0")
}

// TestCapacitiesOfABoardWithFewerChannels checks a board with slots on six of Rome's eight channels. AMD's numbers are for
// eight; one module on each of the six is a configuration too, for one processor and for two.
func TestCapacitiesOfABoardWithFewerChannels(t *testing.T) {
	p := pipeline(t)
	for sockets := 1; sockets <= 2; sockets++ {
		sys := server(t, "supermicro-rome", firstSlots)
		topo := p.Derive(sys)
		var slots []inventory.Slot
		for i := range sys.Slots {
			if at := &topo.Placements[i]; at.Socket < sockets && at.Slot == 0 && at.Channel%4 != 1 {
				slots = append(slots, sys.Slots[i])
			}
		}
		sys.Slots, sys.Sockets, sys.Arrays = slots, sys.Sockets[:sockets], sys.Arrays[:1]
		sys.Arrays[0].Devices.Value = len(slots) // firmware announces no more
		ways, _, _ := target(t, sys).ListConfigurations(int64(sockets)*6*32<<30, false)
		require.NotEmpty(t, ways)
		assert.Equal(t, "6x32", mix(&ways[0]))
		assert.Len(t, ways[0].Slots, 6)
	}
}

// TestCapacitiesOnFewerChannels checks that four 1 GB modules on four channels of a Bensley are the configuration, and that two
// and one channel are slower (Ohio State: 6 and 57 % of latency), listed on request; and that a channel with a quad-rank module
// takes no third one on Xeon E5-2600 (Dell, PowerEdge M620 Owner's Manual p32).
func TestCapacitiesOnFewerChannels(t *testing.T) {
	for _, target := range []*plan.Target{target(t, machine(t, "supermicro-x7db8-1ch")), document(t, "bensley", 1)} {
		ways, _, _ := target.ListConfigurations(4<<30, false)
		require.GreaterOrEqual(t, len(ways), 2, "%v", summary(ways))
		assert.Equal(t, []string{"4x1", "8x0.5"}, []string{mix(&ways[0]), mix(&ways[1])})
		all, _, _ := target.ListConfigurations(4<<30, true)
		said := map[bool]string{} // by whether it is discouraged: two channels are a remark, one is not
		for i := range all {
			if mix(&all[i]) == "4x1" && len(all[i].Effects) > 0 {
				said[all[i].Discouraged] += all[i].Effects[0].Text
			}
		}
		assert.Contains(t, said[true], "57 % higher on one channel than on two")
		assert.Contains(t, said[false], "6 % lower on four channels than on two")
	}
	var mixes []string
	ways, _, _ := document(t, "sandybridge-ep", 1).ListConfigurations(160<<30, true)
	for i := range ways {
		mixes = append(mixes, mix(&ways[i]))
	}
	assert.Contains(t, mixes, "4x32 4x8")
	assert.NotContains(t, mixes, "4x32 8x4")
}

// TestCapacitiesOfEveryPlatform checks that each number of modules that a platform's document recommends gives a configuration
// that nothing discourages, and that its memory runs at the speeds that the document lists.
func TestCapacitiesOfEveryPlatform(t *testing.T) {
	// The speed bins of JESD79, JESD79-2 to JESD79-5 and JESD205, MT/s.
	bins := map[string][2]int{"DDR": {200, 400}, "DDR2": {400, 1066}, "DDR2 FB-DIMM": {533, 800}, "DDR3": {800, 2133}, "DDR4": {1600, 3200}, "DDR5": {3200, 8800}}
	ids, err := platform.IDs(rules.FS)
	require.NoError(t, err)
	planned := 0
	for _, id := range ids {
		pf, err := platform.LoadByID(rules.FS, id)
		require.NoError(t, err)
		target, why := plan.ForPlatform(pf, pipeline(t))
		if why != "" {
			continue
		}
		planned++
		for kind, row := range pf.Speeds {
			for _, mts := range row {
				rates := bins[plan.PlatformMemory(rules.FS, id)]
				assert.True(t, mts <= 0 || kind == "mrdimm" || rates[0] <= mts && mts <= rates[1], "%s: no rate of its memory: %d", id, mts)
			}
		}
		for _, n := range pf.RecommendedDIMMs {
			size := int64(8 << 30)
			if id == "sapphire-rapids" {
				size *= 2 // the smallest that its document lists
			}
			if n > pf.MaxDPC*max(pf.ChannelsPerSocket, pf.ChannelsPerSystem) {
				continue // a document of boards with more slots than the platform's depth
			}
			ways, _, _ := target.ListConfigurations(int64(n)*size, false)
			found := slices.IndexFunc(ways, func(c plan.Configuration) bool { return len(c.Slots) == n })
			if assert.GreaterOrEqual(t, found, 0, "%s with %d", id, n) {
				assert.False(t, ways[found].Discouraged, "%s with %d: %v", id, n, ways[found].Findings)
			}
		}
	}
	assert.Greater(t, planned, 50)
}

// documented is a row of testdata/slot-sets.tsv, a second reading of the makers' manuals.
type documentedModule struct {
	product string
	modules int
	cell    string
}

// sets are the slots of each set; none if the maker does not allow the number.
func (d *documentedModule) sets() (out [][]string) {
	for set := range strings.FieldsSeq(strings.Trim(d.cell, "-")) {
		out = append(out, strings.Split(set, ","))
	}
	return out
}

func secondReading(t *testing.T) (out []documentedModule) {
	text, err := os.ReadFile(filepath.Join("testdata", "slot-sets.tsv"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if c := strings.Split(strings.TrimSpace(line), "\t"); !strings.HasPrefix(line, "#") {
			n, err := strconv.Atoi(c[1])
			require.NoError(t, err)
			out = append(out, documentedModule{c[0], n, c[2]})
		}
	}
	return out
}

// TestSetsAreTheManuals checks the tables of slot sets against a second reading of the manuals.
func TestSetsAreTheManuals(t *testing.T) {
	text, err := fs.ReadFile(rules.FS, "slots/sets.tsv")
	require.NoError(t, err)
	rows := map[documentedModule]bool{}
	for block := range strings.SplitSeq(string(text), "\nset\t") {
		head, lines, _ := strings.Cut(block, "\n")
		for product := range strings.FieldsFuncSeq(head, func(r rune) bool { return r == '\t' || r == ';' }) {
			for line := range strings.Lines(lines) {
				if c := strings.Split(line, "\t"); len(c) > 2 && c[2] != "mode" {
					n, _ := strconv.Atoi(c[0])
					rows[documentedModule{product, n, c[1]}] = true
				}
			}
		}
	}
	for _, row := range secondReading(t) {
		assert.True(t, rows[row], "%v", row)
	}
}

// TestCapacitiesBySets checks, for a product of each way to count slots, that the plan of every number of modules names the
// manual's slots first, then the other sets that it calls equally good, and that there is none for a forbidden number.
func TestCapacitiesBySets(t *testing.T) {
	const ddr3, ddr4, ddr5 = 0x18, 0x1A, 0x22
	products := map[string]machinetest.Server{}
	add := func(vendor, product, brand string, id [3]int, channels, depth int, memory byte, label func(cpu, channel, slot int) (string, string)) {
		products[product] = machinetest.Server{Vendor: vendor, Product: product, Maker: map[bool]string{true: "Advanced Micro Devices, Inc.", false: "Intel"}[strings.HasPrefix(brand, "AMD")], Brand: brand, ID: id, Channels: channels, Depth: depth, Type: memory,
			MTs: map[byte]int{ddr3: 1333, ddr4: 2133, ddr5: 4800}[memory], Label: label}
	}
	numbers := func(format string, slot func(cpu, n int) int) func(cpu, channel, slot int) (string, string) {
		return func(cpu, n, _ int) (string, string) {
			return fmt.Sprintf(format, slot(cpu, n)), fmt.Sprint("CPU ", cpu+1)
		}
	}
	dell := func(cpu, n, _ int) (string, string) { return fmt.Sprintf("DIMM_%c%d", 'A'+cpu, n+1), "" }
	gold6130, gold6330, gold6430 := "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", "Intel(R) Xeon(R) Gold 6430"
	add("Dell Inc.", "PowerEdge R710", "Intel(R) Xeon(R) CPU           X5570  @ 2.93GHz", [3]int{6, 26, 5}, 9, 1, ddr3, dell)
	add("Dell Inc.", "PowerEdge T640", gold6130, [3]int{6, 85, 4}, 12, 1, ddr4, dell)
	add("Lenovo", "ThinkSystem SR630", gold6130, [3]int{6, 85, 4}, 12, 1, ddr4, numbers("DIMM %d", func(cpu, n int) int { return cpu*12 + n + 1 }))
	add("Lenovo", "ThinkSystem ST650 V3", gold6430, [3]int{6, 143, 8}, 16, 1, ddr5, numbers("DIMM %d", func(cpu, n int) int { return []int{n + 1, 32 - n}[cpu] }))
	add("Oracle Corporation", "ORACLE SERVER X9-2L", gold6330, [3]int{6, 106, 6}, 16, 1, ddr4, func(cpu, n, _ int) (string, string) {
		return fmt.Sprintf("D%d", n), fmt.Sprintf("/SYS/MB/P%d", cpu)
	})
	add("Cisco Systems Inc", "UCSC-C240-M5SX", gold6130, [3]int{6, 85, 4}, 6, 2, ddr4, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM_%c%d", "ABCDEFGHJKLM"[cpu*6+channel], slot+1), fmt.Sprintf("NODE %d CHANNEL %d DIMM %d", cpu, channel, slot)
	})
	add("GIGABYTE", "MZ72-HB0-00", "AMD EPYC 7413 24-Core Processor", [3]int{25, 1, 1}, 8, 1, ddr4, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM_P%d_%c%d", cpu, 'A'+8*cpu+channel, slot), "BANK 0"
	})
	add("Fujitsu", "PRIMERGY RX2540 M4", gold6130, [3]int{6, 85, 4}, 6, 2, ddr4, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM-%d%c", slot+1, "ABCDEFGHJKLM"[cpu*6+channel]), ""
	})
	// The letter after the number is the pair's; numbers start again on each of a processor's two cartridges.
	add("HP", "ProLiant DL580 G7", "Intel(R) Xeon(R) CPU           X7560  @ 2.27GHz", [3]int{6, 46, 6}, 16, 1, ddr3, func(cpu, n, _ int) (string, string) {
		return fmt.Sprintf("Board %d, DIMM %d%c", 2*cpu+n/8+1, n%8+1, "ACBDDBCA"[n%8]), ""
	})
	targets, rows := map[string]*plan.Target{}, map[string]int{}
	for _, row := range secondReading(t) {
		s, ok := products[row.product]
		if rows[row.product]++; !ok || rows[row.product]%2 == 0 && !corpustest.Stage {
			continue
		}
		t.Run(fmt.Sprint(row.product, " with ", row.modules), func(t *testing.T) {
			if targets[row.product] == nil {
				targets[row.product] = target(t, collecttest.Read(t, row.product, s.Table(func(_, _, _ int) bool { return true }).Dump()))
			}
			ways, _, _ := targets[row.product].ListConfigurations(int64(row.modules*targets[row.product].Sockets)<<35, true)
			var first, got, want []string
			for i := range ways {
				if len(ways[i].Slots) == row.modules && len(ways[i].DIMMs) == 1 {
					assert.NotEqual(t, "general practice", ways[i].Source)
					first, got = append(first, labels(ways[i].Slots)), append(got, labels(ways[i].Slots))
					for _, other := range ways[i].Also {
						got = append(got, labels(other))
					}
				}
			}
			for _, set := range row.sets() {
				want = append(want, labels(printed(&s, set)))
			}
			assert.ElementsMatch(t, want, got)
			assert.Equal(t, want[:min(len(want), 1)], first[:min(len(first), 1)])
		})
	}
	assert.Len(t, targets, len(products))
}

// printed are the labels of the first processor's slots with the name in a row: by number, by letter and digit, or by board and
// number.
func printed(s *machinetest.Server, set []string) (out []string) {
	for _, word := range set {
		board, number, boards := strings.Cut(word, "/")
		if !boards {
			number = word
		}
		n, err := strconv.Atoi(number)
		for slot := range s.Channels * s.Depth {
			label, _ := s.Label(0, slot%s.Channels, slot/s.Channels)
			numbered := err == nil && place.PrintedNumber(label) == n && (!boards || strings.HasPrefix(label, "Board "+board+","))
			if numbered || err != nil && strings.HasSuffix(label, word) {
				out = append(out, label)
			}
		}
	}
	return out
}

// labels joins the names of a set's slots, which has no order, without the bank that precedes labels that repeat.
func labels(slots []string) string {
	out := make([]string, len(slots))
	for i, name := range slots {
		out[i] = name[strings.LastIndex(name, "/")+1:]
	}
	slices.SortFunc(out, func(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) })
	return strings.Join(out, ",")
}
