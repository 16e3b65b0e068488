package population

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	six := &platform.Platform{Policy: platform.PolicyAMD, ChannelsPerSocket: 8, Detail: platform.Detail{SixChannels: true}}
	anyway := &platform.Platform{Policy: platform.PolicyAny}
	tests := []struct {
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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := layoutOf(tt.p, tt.dpc)
			regions, ok := l.regions(tt.p)
			require.True(t, ok)
			var ways []int
			var sum, total int64
			for _, r := range regions {
				ways = append(ways, r.Ways)
				sum += r.Bytes
				assert.Len(t, r.Channels, r.Ways)
			}
			for _, b := range l.bytes {
				total += b
			}
			assert.Equal(t, tt.ways, ways)
			assert.Equal(t, total, sum, "no byte is lost")
			m := measure(regions, l.bytes, len(l.bytes))
			for i, v := range [][2]float64{{tt.best, m.best}, {tt.worst, m.worst}, {tt.sweep, m.sweep}, {tt.spread, m.spread}} {
				assert.InDelta(t, v[0], v[1], 0.0051, "metric %d", i)
			}
			if tt.p.Policy == platform.PolicyAny {
				assert.InDelta(t, m.spread, m.sweep, 1e-9, "identity of the model")
			}
		})
	}
}

// TestRegionsKeepEveryByte tries every population of small platforms: no memory is lost, no set is empty, and no
// region is wider than the processor.
func TestRegionsKeepEveryByte(t *testing.T) {
	for _, p := range []*platform.Platform{imc(6, 2), imc(8, 4), {Policy: platform.PolicyAny, ChannelsPerSocket: 4}, {Policy: platform.PolicyAMD, ChannelsPerSocket: 8}, {Policy: platform.PolicyZen4, ChannelsPerSocket: 6}} {
		n := p.ChannelsPerSocket
		dpc := make([]int, n)
		for code := range pow(3, n) {
			var total, sum int64
			for c, v := 0, code; c < n; c, v = c+1, v/3 {
				dpc[c] = v % 3
				total += int64(dpc[c]) * 32 * gib
			}
			regions, ok := layoutOf(p, dpc).regions(p)
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

func pow(b, n int) int {
	out := 1
	for range n {
		out *= b
	}
	return out
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
