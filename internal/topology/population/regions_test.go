package population

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

func imc(channels, controllers int) *platform.Platform {
	return &platform.Platform{Policy: platform.PolicySymmetricIMC, ChannelsPerSocket: channels, Controllers: controllers}
}

func layoutOf(p *platform.Platform, dpc []int) *layout {
	l := &layout{dpc: dpc, ctrls: p.Controllers}
	for c, n := range dpc {
		l.bytes = append(l.bytes, int64(n)*32*gib)
		if p.Controllers > 0 {
			l.ctrl = append(l.ctrl, c*p.Controllers/len(dpc))
		}
	}
	return l
}

// TestWorkedExamples is the table of docs/population.md, Shares, whose
// values were computed there, apart from this code.
func TestWorkedExamples(t *testing.T) {
	amd := &platform.Platform{Policy: platform.PolicyAMD, ChannelsPerSocket: 8}
	six := &platform.Platform{Policy: platform.PolicyAMD, ChannelsPerSocket: 8, SixChannels: true}
	anyway := &platform.Platform{Policy: platform.PolicyAny}
	for _, tt := range []struct {
		name                       string
		p                          *platform.Platform
		dpc                        []int
		ways                       []int
		best, worst, sweep, spread float64
	}{
		{"6 channels, 12 equal", imc(6, 2), []int{2, 2, 2, 2, 2, 2}, []int{6}, 1, 1, 1, 1},
		{"6 channels, 6 equal", imc(6, 2), []int{1, 1, 1, 1, 1, 1}, []int{6}, 1, 1, 1, 1},
		{"6 channels, 8 on an 8-slot board", imc(6, 2), []int{2, 1, 1, 2, 1, 1}, []int{6, 2}, 1, 0.33, 0.67, 0.67},
		{"6 channels, 8 as 4 channels x 2", imc(6, 2), []int{2, 2, 0, 2, 2, 0}, []int{4}, 0.67, 0.67, 0.67, 0.67},
		{"6 channels, 4 as 2+2", imc(6, 2), []int{1, 1, 0, 1, 1, 0}, []int{4}, 0.67, 0.67, 0.67, 0.67},
		{"6 channels, 5 as 3+2", imc(6, 2), []int{1, 1, 1, 1, 1, 0}, []int{4, 1}, 0.67, 0.17, 0.42, 0.83},
		{"6 channels, 10", imc(6, 2), []int{2, 2, 1, 2, 2, 1}, []int{6, 4}, 1, 0.67, 0.83, 0.83},
		{"8 channels, 12, one double per controller", imc(8, 4), []int{2, 1, 2, 1, 2, 1, 2, 1}, []int{8, 4}, 1, 0.5, 0.75, 0.75},
		{"8 channels, 6 as 1,2,1,2", imc(8, 4), []int{1, 0, 1, 1, 1, 0, 1, 1}, []int{4, 2}, 0.5, 0.25, 0.38, 0.75},
		{"E5, 6 on 4 channels", anyway, []int{2, 2, 1, 1}, []int{4, 2}, 1, 0.5, 0.75, 0.75},
		{"Nehalem-EP, 4 on 3 channels", anyway, []int{2, 1, 1}, []int{3, 1}, 1, 0.33, 0.67, 0.67},
		{"Milan, 6 on ACDEGH", six, []int{1, 0, 1, 1, 1, 0, 1, 1}, []int{6}, 0.75, 0.75, 0.75, 0.75},
		{"Rome, 6 on ACDEGH", amd, []int{1, 0, 1, 1, 1, 0, 1, 1}, []int{1, 2, 1, 2}, 0.25, 0.13, 0.19, 0.75},
		{"Rome, 4 on ACEG", amd, []int{1, 0, 1, 0, 1, 0, 1, 0}, []int{1, 1, 1, 1}, 0.13, 0.13, 0.13, 0.50},
		{"Rome, 7", amd, []int{1, 1, 1, 1, 1, 1, 1, 0}, []int{2, 2, 2, 1}, 0.25, 0.13, 0.22, 0.88},
		{"Rome, 4 on CDGH", amd, []int{0, 0, 1, 1, 0, 0, 1, 1}, []int{4}, 0.5, 0.5, 0.5, 0.5},
		{"Rome, 2 on CD", amd, []int{0, 0, 1, 1, 0, 0, 0, 0}, []int{2}, 0.25, 0.25, 0.25, 0.25},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := layoutOf(tt.p, tt.dpc)
			regions, ok := l.interleaveRegions(tt.p)
			require.True(t, ok)
			var ways []int
			var sum, total int64
			var turns float64
			for _, r := range regions {
				ways = append(ways, r.Ways)
				sum += r.Bytes
				turns += float64(r.Bytes) / float64(r.Ways)
				assert.Len(t, r.Channels, r.Ways)
			}
			for _, b := range l.bytes {
				total += b
			}
			assert.Equal(t, tt.ways, ways)
			assert.Equal(t, total, sum, "no byte is lost")
			m := measureRegions(regions, l.bytes, len(l.bytes))
			sweep := float64(sum) / turns / float64(len(l.bytes))
			for i, v := range [][2]float64{{tt.best, m.best}, {tt.worst, m.worst}, {tt.sweep, sweep}, {tt.spread, m.spread}} {
				assert.InDelta(t, v[0], v[1], 0.0051, "metric %d", i)
			}
			if tt.p.Policy == platform.PolicyAny {
				assert.InDelta(t, m.spread, sweep, 1e-9, "identity of the model")
			}
		})
	}
}

// TestAlike checks that layouts of equal modules that Alike writes identically have the same interleaving, class and
// share of the bandwidth, for all layouts of two slots per channel, and with the complete derivation for a sample of
// them.
func TestAlike(t *testing.T) {
	for name, m := range map[string]func(int) *testMachine{"rome": rome, "milan": milan} {
		one := m(1).derive(t)
		p, known := one.Platform.Get()
		require.True(t, known, name)
		derived := func(depths []int) string {
			pop := m(1).fill(0, depths, testDIMM{gb: 64, rated: 3200}).deriveAs(one).Populations[0]
			require.True(t, pop.Class.Known() || slices.Max(depths) == 0, pop.Class.Reason)
			return fmt.Sprint(pop.Class.Value.Name, pop.Relative.Value.Model, pop.Speed.Value.MTs)
		}
		type counted struct {
			bytes int64
			ways  int
		}
		type layoutRegions [amdChannels]counted // the rest is zero
		seen := map[[amdChannels]int]layoutRegions{}
		held := 0
		for code := range 6561 {
			sampled := code%53 == 0
			depths := make([]int, amdChannels)
			for c := range depths {
				depths[c], code = code%3, code/3
			}
			same := [amdChannels]int(EquivalentDepths(p, depths))
			var what layoutRegions
			for i, r := range layoutOf(p, depths).amdRegions(p.SixChannels) {
				what[i] = counted{r.Bytes, r.Ways}
			}
			slices.SortFunc(what[:], func(a, b counted) int {
				return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(b.ways, a.ways))
			})
			if first, ok := seen[same]; ok && first != what {
				require.Equal(t, first, what, "%s %v", name, depths)
			}
			seen[same] = what
			if sampled && same != [amdChannels]int(depths) {
				require.Equal(t, derived(EquivalentDepths(p, depths)), derived(depths), "%s %v", name, depths)
				held++
			}
		}
		require.Greater(t, held, 50, "derived")
		require.Less(t, len(seen), 2000, "the classes are fewer than the layouts")
	}
	require.NotEqual(t, EquivalentDepths(imc(8, 4), []int{1, 0, 0, 0, 0, 0, 0, 0}), EquivalentDepths(imc(8, 4), []int{0, 1, 0, 0, 0, 0, 0, 0}), "only of platforms with letters")
}

// TestSixChannelsOfMilan checks that A, C, D, E, G and H interleave six ways on Milan up to 256 GiB per channel
// (Gigabyte, Memory Population Guidelines for EPYC 7003), and never on Rome.
func TestSixChannelsOfMilan(t *testing.T) {
	for _, c := range []struct {
		each int64
		six  bool
		ways []int
	}{
		{256 * gib, true, []int{6}}, {257 * gib, true, []int{1, 2, 1, 2}}, {64 * gib, false, []int{1, 2, 1, 2}},
	} {
		l := &layout{bytes: []int64{c.each, 0, c.each, c.each, c.each, 0, c.each, c.each}}
		var ways []int
		for _, r := range l.amdRegions(c.six) {
			ways = append(ways, r.Ways)
		}
		assert.Equal(t, c.ways, ways, "%v", c)
	}
}

// TestOrderBySets compares the populated slots with the vendor's sets: they are one of them or not. A set for
// lockstep or mirroring does not count, and a number of modules without a table is unknown, unless all channels are
// populated alike from the first slot on. Sets name slots, so no slot map is needed.
func TestOrderBySets(t *testing.T) {
	sets := &place.Sets{Rows: map[int]place.SetRow{
		2: {Sets: [][]int{{1, 2}, {1, 4}}, Modes: [][]int{{2, 3}}, Source: "Example, Manual p1"},
	}}
	for _, c := range []struct {
		name   string
		filled []int
		sets   *place.Sets
		state  fact.State
		kept   bool
		detail string
		// unmapped makes the channel of every slot unknown.
		unmapped bool
	}{
		{"the first set", []int{1, 2}, sets, fact.OK, true, "", false},
		{"one as good", []int{1, 4}, sets, fact.OK, true, "", false},
		{"later slots", []int{3, 4}, sets, fact.OK, false, "slots 3, 4 are filled; the manual fills 1, 2 or 1, 4 for 2 modules", false},
		{"a set of a mode", []int{2, 3}, sets, fact.Unstated, false, "", false},
		{"a number without a row", []int{1, 2, 3}, sets, fact.Unstated, false, "", false},
		{"every channel alike", []int{1, 2, 3, 4, 5, 6}, sets, fact.OK, true, "", false},
		{"no table", []int{1, 2}, nil, fact.Unstated, false, "", false},
		{"second slot before the first", []int{1, 8, 3}, sets, fact.OK, false, "DIMM_A8 is filled before DIMM_A2", false},
		{"the first set, no map", []int{1, 2}, sets, fact.OK, true, "", true},
		{"later slots, no map", []int{3, 4}, sets, fact.OK, false, "slots 3, 4 are filled; the manual fills 1, 2 or 1, 4 for 2 modules", true},
		{"a set of a mode, no map", []int{2, 3}, sets, fact.Absent, false, "", true},
		{"every channel alike, no map", []int{1, 2, 3, 4, 5, 6}, sets, fact.Absent, false, "", true},
		{"no table, no map", []int{1, 2}, nil, fact.Absent, false, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := cascadeLake(1)
			for slot := range 2 {
				for channel := range 6 {
					n := slot*6 + channel + 1
					d := testDIMM{}
					for _, f := range c.filled {
						if f == n {
							d = testDIMM{gb: 32, rated: 2933}
						}
					}
					m.add(0, channel, slot, d)
					at := len(m.sys.Slots) - 1
					m.sys.Slots[at].Locator = fact.Known("DIMM_A"+strconv.Itoa(n), fact.Direct, fact.Evidence{})
					m.places[at].Source = place.SourceMap
					if c.unmapped {
						m.places[at].Channel, m.places[at].Slot = place.Unplaced, place.Unplaced
					}
				}
			}
			r := m.derive(t)
			r.Sets = c.sets
			r = r.Repopulate(&m.sys)
			p := &r.Populations[0]
			assert.Equal(t, strings.HasPrefix(c.name, "a set of a mode"), p.ModeSlots)
			assert.Equal(t, c.state, p.Order.State, p.Order.Reason)
			assert.Equal(t, c.kept, p.Order.Value)
			assert.Equal(t, c.detail, p.OrderDetail)
			if c.sets != nil && len(c.filled) == 2 && p.Order.Known() {
				assert.Equal(t, "Example, Manual p1", p.OrderSource)
			}
			if !p.ModeSlots {
				return
			}
			for mode, on := range map[string]bool{"independent": false, "lockstep": true, "advanced_ecc": true} {
				m.sys.Settings = map[string]inventory.Setting{"memory_ras_mode": {Configured: fact.Known(mode, fact.Direct, fact.Evidence{})}}
				p := &r.Repopulate(&m.sys).Populations[0]
				assert.Equal(t, on, p.ModeSlots, mode)
				assert.Equal(t, !on, p.Order.Known(), mode)
				assert.False(t, p.Order.Value, mode)
			}
		})
	}
}

// TestOrderByLabels checks the order without a slot map, if labels name channel and slot and the board's document the
// order: kept if channels are populated alike from the first slot on, broken if a later one is populated before it.
// Labels missing in the document leave it unknown.
func TestOrderByLabels(t *testing.T) {
	fill := place.ReadFillOrder(fstest.MapFS{"slots/order.tsv": {Data: []byte("# boards\nBoard\tDIMM_A2,DIMM_A1\tMaker, Manual p1\n")}},
		&inventory.Machine{Board: fact.Known("Board", fact.Direct, fact.Evidence{})})
	for _, c := range []struct {
		name   string
		filled map[string]bool
		fill   *place.FillOrder
		state  fact.State
		kept   bool
		detail string
		// third gives each channel a slot that the document does not name.
		third, doubted bool
	}{
		{"alike, the first slots", map[string]bool{"DIMM_A2": true, "DIMM_B2": true}, fill, fact.OK, true, "", false, false},
		{"alike, all slots", map[string]bool{"DIMM_A1": true, "DIMM_A2": true, "DIMM_B1": true, "DIMM_B2": true}, fill, fact.OK, true, "", false, false},
		{"the later slots", map[string]bool{"DIMM_A1": true, "DIMM_B1": true}, fill, fact.OK, false, "DIMM_A1 is filled before DIMM_A2; DIMM_B1 is filled before DIMM_B2", false, false},
		{"one of the later slots", map[string]bool{"DIMM_A2": true, "DIMM_B1": true}, fill, fact.OK, false, "DIMM_B1 is filled before DIMM_B2", false, false},
		{"not alike", map[string]bool{"DIMM_A2": true}, fill, fact.Unstated, false, "", false, false},
		{"no document", map[string]bool{"DIMM_A1": true, "DIMM_B1": true}, nil, fact.Absent, false, "", false, false},
		{"a slot without a turn", map[string]bool{"DIMM_A1": true, "DIMM_B1": true}, fill, fact.Absent, false, "", true, false},
		{"a module without a turn", map[string]bool{"DIMM_A3": true}, fill, fact.Absent, false, "", true, false},
		{"a doubted place", map[string]bool{"DIMM_A2": true, "DIMM_B2": true}, fill, fact.Absent, false, "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := cascadeLake(1)
			depth := 2
			if c.third {
				depth = 3
			}
			for channel := range 6 {
				for slot := range depth {
					label, d := "DIMM_"+string(rune('A'+channel))+strconv.Itoa(slot+1), testDIMM{}
					if c.filled[label] || c.state == fact.OK && channel > 1 && c.filled["DIMM_A"+strconv.Itoa(slot+1)] {
						d = testDIMM{gb: 32, rated: 2933}
					}
					m.add(0, channel, slot, d)
					at := len(m.sys.Slots) - 1
					m.sys.Slots[at].Locator = fact.Known(label, fact.Direct, fact.Evidence{})
					m.places[at].Source = place.SourceLocator
					if c.doubted {
						m.places[at].Doubt = "two channels of one name"
					}
				}
			}
			r := m.derive(t)
			r.Fill = c.fill
			r = r.Repopulate(&m.sys)
			p := &r.Populations[0]
			assert.Equal(t, c.state, p.Order.State, p.Order.Reason)
			assert.Equal(t, c.kept, p.Order.Value)
			if c.state == fact.OK {
				assert.Equal(t, "Maker, Manual p1", p.OrderSource)
				assert.True(t, strings.HasPrefix(p.OrderDetail, c.detail), p.OrderDetail)
				assert.Equal(t, c.kept, p.OrderDetail == "")
			} else {
				assert.Empty(t, p.OrderDetail)
			}
		})
	}
}

// TestInterleavingOfEqualLayouts checks that on Rome the two channels of a pair can be exchanged, and A to D with E
// to H. On Milan, where only A and E take part in six-channel interleaving, A cannot be exchanged with B, nor E with
// F.
func TestInterleavingOfEqualLayouts(t *testing.T) {
	for _, c := range []struct {
		six          bool
		depths, want []int
	}{
		{false, []int{1, 0, 0, 0, 0, 0, 0, 0}, []int{0, 0, 0, 0, 0, 1, 0, 0}},
		{true, []int{1, 0, 0, 0, 0, 0, 0, 0}, []int{0, 0, 0, 0, 1, 0, 0, 0}},
		{true, []int{0, 0, 1, 0, 0, 0, 0, 0}, []int{0, 0, 0, 0, 0, 0, 0, 1}},
		{true, []int{0, 0, 0, 0, 0, 0, 0, 1}, []int{0, 0, 0, 0, 0, 0, 0, 1}},
		{false, []int{1, 1, 1, 1, 2, 2, 2, 2}, []int{1, 1, 1, 1, 2, 2, 2, 2}},
	} {
		p := &platform.Platform{Policy: platform.PolicyAMD}
		p.SixChannels = c.six
		assert.Equal(t, c.want, EquivalentDepths(p, c.depths), "%v", c)
	}
}

// TestRegionsKeepEveryByte tries every population of small platforms: no memory is lost, no set is empty, and no
// region is wider than the processor.
func TestRegionsKeepEveryByte(t *testing.T) {
	for _, p := range []*platform.Platform{imc(6, 2), imc(8, 4), {Policy: platform.PolicyAny, ChannelsPerSocket: 4}, {Policy: platform.PolicyAMD, ChannelsPerSocket: 8}, {Policy: platform.PolicyZen4, ChannelsPerSocket: 6}} {
		n := p.ChannelsPerSocket
		dpc := make([]int, n)
		for code := range int(math.Pow(3, float64(n))) {
			var total, sum int64
			for c, v := 0, code; c < n; c, v = c+1, v/3 {
				dpc[c] = v % 3
				total += int64(dpc[c]) * 32 * gib
			}
			regions, ok := layoutOf(p, dpc).interleaveRegions(p)
			for _, r := range regions {
				if r.Bytes <= 0 || r.Ways > n {
					require.Fail(t, "a region of no bytes or of more channels than there are", "%s %v: %+v", p.Policy, dpc, r)
				}
				sum += r.Bytes
			}
			if !ok || total != sum { // thousands of layouts: an assertion asks each time who called
				require.Equal(t, total, sum, "%s %v: %v", p.Policy, dpc, ok)
				require.True(t, ok)
			}
		}
	}
}
