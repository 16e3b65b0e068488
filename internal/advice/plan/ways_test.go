package plan_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
)

// target is a platform's, by its document alone.
func target(t testing.TB, id string) *plan.Target {
	pf, err := platform.ByID(rules.FS, id)
	require.NoError(t, err)
	out, why := plan.ForPlatform(pf, pipeline(t))
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

// TestWaysWestmereEX checks that the plan lists all 34 + 9 configurations of the Fujitsu paper's two tables, each
// with the class printed there, and no other.
func TestWaysWestmereEX(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "topology", "population", "testdata", "westmere-ex-configurations.csv"))
	require.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	want := map[int64][]string{} // by GB of a processor
	for _, c := range rows[1:] {
		num := func(i int) int { n, err := strconv.Atoi(c[i]); require.NoError(t, err); return n }
		var modules []string
		for i, size := range []int{16, 8, 4} {
			if n := num(4 - i); n > 0 {
				modules = append(modules, fmt.Sprintf("%dx%d", n, size))
			}
		}
		gb := int64(num(1))
		want[gb] = append(want[gb], strings.Join(modules, " ")+" class "+c[8])
	}
	total := 0
	for _, sockets := range []int{1, 4} {
		target := target(t, "westmere-ex")
		target.Sockets = sockets
		for gb, rows := range want {
			ways, _, _ := target.Ways(int64(sockets)*gb<<30, false)
			var got []string
			for i := range ways {
				got = append(got, mix(&ways[i])+" class "+string(ways[i].Class))
				require.Equal(t, 1066, *ways[i].ExpectedMTs)
			}
			require.ElementsMatch(t, rows, got, "%d GB", gb)
			require.True(t, slices.IsSortedFunc(got, func(x, y string) int { return strings.Compare(x[len(x)-1:], y[len(y)-1:]) }), "best first")
			total += len(got)
		}
	}
	require.Equal(t, 2*43, total)
}

// summary is one line a configuration: modules, speed, peak.
func summary(ways []plan.Configuration) []string {
	var out []string
	for i := range ways {
		c := &ways[i]
		out = append(out, fmt.Sprintf("%s at %d: %.2f GB/s", mix(c), value(c.ExpectedMTs), float64(value(c.PeakBytes))/1e9))
	}
	return out
}

// TestWaysDell11G checks the three configurations of Dell's 11G paper and guidebook, three, six and nine modules per
// processor: 1333, 1066 and 800 MT/s, with the bandwidths of the paper's Table 3. A 5600 keeps 1333 with two on a
// channel (IBM).
func TestWaysDell11G(t *testing.T) {
	sys := machine(t, "dell-r710-two-channels")
	p := pipeline(t)
	r710, why := plan.ForMachine(sys, p.Derive(sys), p)
	require.Empty(t, why)
	require.Equal(t, 2, r710.Sockets)
	nehalem, westmere := target(t, "nehalem-ep"), target(t, "westmere-ep")
	nehalem.Sockets, westmere.Sockets = 2, 2
	for _, c := range []struct {
		target *plan.Target
		gib    int64
		want   []string
	}{
		{r710, 24, []string{"3x4 at 1333: 31.99 GB/s", "6x2 at 1066: 25.58 GB/s"}},
		{r710, 48, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1066: 25.58 GB/s"}},
		{r710, 72, []string{"9x4 at 800: 19.20 GB/s"}},
		{nehalem, 48, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1066: 25.58 GB/s"}},
		{nehalem, 72, []string{"9x4 at 800: 19.20 GB/s"}},
		{westmere, 48, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1333: 31.99 GB/s"}},
		{westmere, 72, []string{"9x4 at 800: 19.20 GB/s"}},
	} {
		ways, _, _ := c.target.Ways(c.gib<<30, false)
		require.Equal(t, c.want, summary(ways), "%d GiB", c.gib)
	}
	ways, _, _ := r710.Ways(48<<30, false)
	require.Equal(t, []string{"DIMM_A1", "DIMM_A2", "DIMM_A3"}, ways[0].Slots)
}

// TestWaysWhereFirmwareMisnamesTheMemory checks an R710 whose firmware reports DRAM, or DDR2 at 1333 MT/s: the
// modules named by its platform's document are used.
func TestWaysWhereFirmwareMisnamesTheMemory(t *testing.T) {
	p := pipeline(t)
	for _, word := range []string{"DRAM", "DDR2", ""} {
		sys := machine(t, "dell-r710-two-channels")
		for i := range sys.Slots {
			sys.Slots[i].Type.Value = word
		}
		r710, why := plan.ForMachine(sys, p.Derive(sys), p)
		require.Empty(t, why)
		ways, _, _ := r710.Ways(48<<30, false)
		require.Equal(t, []string{"3x8 at 1333: 31.99 GB/s", "6x4 at 1066: 25.58 GB/s"}, summary(ways), word)
	}
}

// TestNearestCapacities checks that an impossible capacity is planned as the nearest possible one above, that the one
// below is named, and that nothing is planned beyond the largest.
func TestNearestCapacities(t *testing.T) {
	p := pipeline(t)
	sys := machine(t, "dell-r710-two-channels")
	r710, why := plan.ForMachine(sys, p.Derive(sys), p)
	require.Empty(t, why)
	for gib, want := range map[int64][2]int64{1: {3, 0}, 4: {6, 3}, 50: {72, 48}, 2000: {0, 18 * 64}} {
		ways, reached, below := r710.Ways(gib<<30, false)
		require.Equal(t, want[0] > 0, len(ways) > 0)
		require.Equal(t, want, [2]int64{reached >> 30, below >> 30}, "%d GiB", gib)
	}
	_, reached, below := r710.Ways(3<<29, true)
	require.Equal(t, [2]int64{2 << 30, 1 << 30}, [2]int64{reached, below}, "one small module of each processor is the least")
	sys = server(t, "dell-r740", firstSlots)
	r740, why := plan.ForMachine(sys, p.Derive(sys), p)
	require.Empty(t, why)
	for _, gib := range []int64{5, 15, 17, 33, 50, 65, 130, 200, 300, 520, 1030, 2100} {
		ways, reached, below := r740.Ways(gib<<30, false)
		require.GreaterOrEqual(t, reached, gib<<30)
		require.Less(t, below, gib<<30)
		same, _, _ := r740.Ways(reached, false)
		require.Equal(t, summary(same), summary(ways), "%d GiB", gib)
	}
}

// TestWaysWithWhatIsThere checks what a configuration says of the machine at hand: the slots of every processor by
// their labels, how many modules are to be bought and left over, what firmware states against it; and that what a rule
// fails never comes before what passes all (an e326m with 16 GiB).
func TestWaysWithWhatIsThere(t *testing.T) {
	p := pipeline(t)
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
		sys := machine(t, name)
		for i := range sys.Arrays {
			sys.Arrays[i].MaxBytes = fact.Known(c.stated<<30*int64(sys.Arrays[i].Devices.Value), fact.Direct, fact.Evidence{})
		}
		target, why := plan.ForMachine(sys, p.Derive(sys), p)
		require.Empty(t, why)
		ways, _, _ := target.Ways(c.gib<<30, false)
		var got []string
		for i := range ways {
			w := &ways[i]
			bought := 0
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
		require.Equal(t, c.want, got, name)
	}
}

// TestWaysOfUnplacedSlots checks that a product's own manual names the slots although their places are unknown,
// without channels; a module in every slot needs no manual, and a sister's names nothing.
func TestWaysOfUnplacedSlots(t *testing.T) {
	p := pipeline(t)
	sys := server(t, "dell-r740", firstSlots)
	populate(sys, func(_, _ string) bool { return false }) // nothing is known of modules
	of := func(modules int, analogous bool) *plan.Configuration {
		topo := p.Derive(sys)
		topo.Sets.Analogous = analogous
		target, why := plan.ForMachine(sys, topo, p)
		require.Empty(t, why)
		ways, _, _ := target.Ways(int64(2*modules)<<35, true)
		at := slices.IndexFunc(ways, func(c plan.Configuration) bool { return len(c.Slots) == modules })
		require.GreaterOrEqual(t, at, 0)
		return &ways[at]
	}
	six := of(6, false)
	require.Equal(t, []string{"A1", "A2", "A3", "A4", "A5", "A6"}, six.Slots)
	require.Nil(t, six.ExpectedMTs)
	require.InDelta(t, 1.0, *of(12, false).Relative.Low, 0)
	sister := of(6, true)
	require.InDelta(t, 1.0, *sister.Relative.Low, 0)
	require.Contains(t, sister.Slots, "channel 5 slot 0")
}

// TestWaysOfABoardWithFewerChannels checks a board with slots on six of Rome's eight channels. AMD's numbers are for
// eight; one module on each of the six is a configuration too, for one processor and for two.
func TestWaysOfABoardWithFewerChannels(t *testing.T) {
	p := pipeline(t)
	for sockets := range 2 {
		sys := server(t, "supermicro-rome", firstSlots)
		topo := p.Derive(sys)
		var slots []inventory.Slot
		for i := range sys.Slots {
			if at := &topo.Placements[i]; at.Socket <= sockets && at.Slot == 0 && at.Channel%4 != 1 {
				slots = append(slots, sys.Slots[i])
			}
		}
		sys.Slots, sys.Sockets = slots, sys.Sockets[:sockets+1]
		sys.Arrays = sys.Arrays[:1]
		sys.Arrays[0].Devices.Value = len(slots) // firmware announces no more
		target, why := plan.ForMachine(sys, p.Derive(sys), p)
		require.Empty(t, why)
		ways, _, _ := target.Ways(int64(sockets+1)*6*32<<30, false)
		require.NotEmpty(t, ways)
		require.Equal(t, "6x32", mix(&ways[0]))
		require.Len(t, ways[0].Slots, 6)
	}
}

// TestWaysWithTheModulesThere checks that new modules are like those of the machine, of 1066 MT/s here, and for a
// machine without any as fast as its platform takes them.
func TestWaysWithTheModulesThere(t *testing.T) {
	p := pipeline(t)
	for _, c := range []struct {
		modules bool
		want    string
	}{{true, "3x4 at 1066: 25.58 GB/s"}, {false, "3x4 at 1333: 31.99 GB/s"}} {
		sys := machine(t, "dell-r710-two-channels")
		for i := range sys.Slots {
			if s := &sys.Slots[i]; s.State == inventory.SlotPopulated {
				s.RatedMTs.Value, s.ConfiguredMTs.Value = 1066, 1066
			}
		}
		if !c.modules {
			populate(sys, func(_, _ string) bool { return false })
		}
		r710, why := plan.ForMachine(sys, p.Derive(sys), p)
		require.Empty(t, why)
		ways, _, _ := r710.Ways(24<<30, false)
		require.NotEmpty(t, ways)
		require.Equal(t, c.want, summary(ways)[0])
	}
}

// TestWaysBensley checks that four 1 GB modules on four channels are the configuration, and that two and one channel
// are slower (Ohio State: 6 and 57 % of latency), listed on request.
func TestWaysBensley(t *testing.T) {
	sys := machine(t, "supermicro-x7db8-1ch")
	p := pipeline(t)
	x7db8, why := plan.ForMachine(sys, p.Derive(sys), p)
	require.Empty(t, why)
	for _, target := range []*plan.Target{x7db8, target(t, "bensley")} {
		ways, _, _ := target.Ways(4<<30, false)
		require.GreaterOrEqual(t, len(ways), 2, "%v", summary(ways))
		require.Equal(t, []string{"4x1", "8x0.5"}, []string{mix(&ways[0]), mix(&ways[1])})
		all, _, _ := target.Ways(4<<30, true)
		said := map[bool]string{} // by whether it is discouraged: two channels are a remark, one is not
		for i := range all {
			if mix(&all[i]) == "4x1" && len(all[i].Effects) > 0 {
				said[all[i].Discouraged] += all[i].Effects[0].Text
			}
		}
		require.Contains(t, said[true], "57 % higher on one channel than on two")
		require.Contains(t, said[false], "6 % lower on four channels than on two")
	}
}

// TestWaysEveryPlatform checks every platform with known memory: each number of modules that its document recommends
// gives a configuration over all channels, none is discouraged, and every figure follows from the document.
func TestWaysEveryPlatform(t *testing.T) {
	ids, err := platform.IDs(rules.FS)
	require.NoError(t, err)
	p := pipeline(t)
	planned := 0
	for _, id := range ids {
		pf, err := platform.ByID(rules.FS, id)
		require.NoError(t, err)
		target, why := plan.ForPlatform(pf, p)
		if why != "" {
			continue
		}
		planned++
		for _, n := range pf.RecommendedDIMMs {
			size := int64(8 << 30)
			if id == "sapphire-rapids" {
				size *= 2 // the smallest that its document lists
			}
			ways, _, _ := target.Ways(int64(n)*size, false)
			found := slices.IndexFunc(ways, func(c plan.Configuration) bool { return len(c.Slots) == n })
			if n > pf.MaxDPC*max(pf.ChannelsPerSocket, pf.ChannelsPerSystem) {
				continue // a document of boards with more slots than the platform's depth
			}
			require.GreaterOrEqual(t, found, 0, "%s with %d", id, n)
			require.False(t, ways[found].Discouraged, "%s with %d: %v", id, n, ways[found].Findings)
		}
	}
	require.Greater(t, planned, 50)
}

// TestWaysOfRegisteredModules checks that a plan for a platform is for registered modules: Cisco lists 6400 MT/s for
// those of a Xeon 6700P, 8000 for MRDIMMs alone. Lenovo's SR630 V3 takes no modules of 24-Gbit devices with the
// processors of 2023, an EPYC 9004 does.
func TestWaysOfRegisteredModules(t *testing.T) {
	p := pipeline(t)
	ways := func(id string, bytes int64) []plan.Configuration {
		pf, err := platform.ByID(rules.FS, id)
		require.NoError(t, err)
		target, why := plan.ForPlatform(pf, p)
		require.Empty(t, why)
		out, reached, _ := target.Ways(bytes, false)
		if reached != bytes {
			return nil
		}
		return out
	}
	granite := ways("granite-rapids-sp", 512<<30)
	require.Equal(t, "8x64", mix(&granite[0]))
	require.Equal(t, int64(8*8*6_400_000_000), *granite[0].PeakBytes)
	require.Equal(t, int64(8*8*5_200_000_000), *granite[1].PeakBytes)
	require.Empty(t, ways("sapphire-rapids", 8*48<<30))
	genoa := ways("genoa", 12*48<<30)
	require.Equal(t, "12x48", mix(&genoa[0]))
}

// TestWaysNeverAssume checks that a platform without documented memory is refused.
func TestWaysNeverAssume(t *testing.T) {
	pf, err := platform.ByID(rules.FS, "power10")
	require.NoError(t, err)
	_, why := plan.ForPlatform(pf, pipeline(t))
	require.Contains(t, why, "no document gives")
}

// TestWaysWithQuadRank checks that a channel with a quad-rank module takes no third one on Xeon E5-2600 (Dell,
// PowerEdge M620 Owner's Manual p32), so 160 GiB are not built from four of these and eight others.
func TestWaysWithQuadRank(t *testing.T) {
	ways, _, _ := target(t, "sandybridge-ep").Ways(160<<30, true)
	var mixes []string
	for i := range ways {
		mixes = append(mixes, mix(&ways[i]))
	}
	require.Contains(t, mixes, "4x32 4x8")
	require.NotContains(t, mixes, "4x32 8x4")
}
