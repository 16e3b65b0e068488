package population

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

// TestPeaksOfDocuments checks the other published peaks: Ice Lake and Sapphire Rapids (Denneman), Genoa (Tom's
// Hardware), Ivy Bridge-EP.
func TestPeaksOfDocuments(t *testing.T) {
	for _, tt := range []struct {
		m     *testMachine
		dpc   []int
		rated int
		gbs   float64
	}{
		{newTestMachine(1, platform.Intel, 6, 106, 6, "Intel(R) Xeon(R) Gold 6348 CPU @ 2.60GHz"), []int{1, 1, 1, 1, 1, 1, 1, 1}, 3200, 204.8},
		{newTestMachine(1, platform.Intel, 6, 143, 8, "Intel(R) Xeon(R) Platinum 8480+"), []int{1, 1, 1, 1, 1, 1, 1, 1}, 4800, 307.2},
		{newTestMachine(1, platform.Intel, 6, 143, 8, "Intel(R) Xeon(R) Platinum 8480+"), []int{2, 2, 2, 2, 2, 2, 2, 2}, 4800, 281.6},
		{newTestMachine(1, platform.AMD, 25, 17, 1, "AMD EPYC 9654 96-Core Processor"), []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 4800, 460.8},
		{newTestMachine(1, platform.Intel, 6, 62, 4, "Intel(R) Xeon(R) CPU E5-2690 v2 @ 3.00GHz"), []int{1, 1, 1, 1}, 1866, 59.7},
	} {
		p := tt.m.fill(0, tt.dpc, testDIMM{gb: 32, rated: tt.rated}).derive(t).Populations[0]
		require.True(t, p.Peak.Known(), p.Peak.Reason)
		assert.InDelta(t, tt.gbs, float64(p.Peak.Value)/1e9, 0.05)
	}
}

func TestExpectedSpeed(t *testing.T) {
	gold := func(brand string, stepping int) *testMachine {
		return newTestMachine(1, platform.Intel, 6, 85, stepping, brand)
	}
	one, two := []int{1, 1, 1, 1, 1, 1}, []int{2, 2, 2, 2, 2, 2}
	for _, tt := range []struct {
		name string
		m    *testMachine
		dpc  []int
		d    testDIMM
		want Speed
	}{
		{"processor below the DIMMs: never a fault of theirs", gold("Intel(R) Xeon(R) Silver 4214 CPU @ 2.20GHz", 7), one,
			testDIMM{gb: 32, rated: 2933}, Speed{MTs: 2400, Limiter: LimitProcessor, Detail: "processor allows at most 2400"}},
		{"DIMM below the processor", cascadeLake(1), one,
			testDIMM{gb: 32, rated: 2666}, Speed{MTs: 2666, Limiter: LimitDIMM, Detail: "slowest DIMM is rated 2666"}},
		{"2934 is 2933", cascadeLake(1), one,
			testDIMM{gb: 32, rated: 2934}, Speed{MTs: 2933, Limiter: LimitNone, Detail: "DIMMs and processor agree: 2933"}},
		{"LRDIMM, two per channel", cascadeLake(1), two, testDIMM{gb: 128, rated: 2933, ranks: 4, lr: true},
			Speed{MTs: 2666, Limiter: LimitDPC, Detail: "2 DIMMs per channel (lrdimm-4r8r): 2666"}},
		{"some boards stop at 2666 with two per channel", cascadeLake(1), two, testDIMM{gb: 32, rated: 2933},
			Speed{MTs: 2933, Limiter: LimitNone, Detail: "DIMMs and processor agree: 2933", AlsoNormal: []int{2666}, OtherBoards: []int{2666}}},
		{"1.35 V", sandyBridge(1), []int{1, 1, 1, 1}, testDIMM{gb: 16, rated: 1600, mv: 1350},
			Speed{MTs: 1333, Limiter: LimitVoltage, Detail: "1 DIMM per channel (rdimm-2r-1.35v): 1333"}},
		{"quad rank", sandyBridge(1), []int{1, 1, 1, 1}, testDIMM{gb: 32, rated: 1600, ranks: 4, mv: 1500},
			Speed{MTs: 1066, Limiter: LimitRanks, Detail: "1 DIMM per channel (rdimm-4r-1.5v): 1066"}},
		{"Sapphire Rapids rated 4000 keeps its speed at two per channel", newTestMachine(1, platform.Intel, 6, 143, 8, "Intel(R) Xeon(R) Silver 4410Y"),
			[]int{2, 2, 2, 2, 2, 2, 2, 2}, testDIMM{gb: 32, rated: 4800}, Speed{MTs: 4000, Limiter: LimitProcessor, Detail: "processor allows at most 4000"}},
		{"Turin: boards stop below AMD's 6400", newTestMachine(1, platform.AMD, 26, 2, 1, "AMD EPYC 9455 48-Core Processor"),
			[]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, testDIMM{gb: 64, rated: 6400},
			Speed{MTs: 6400, Limiter: LimitNone, Detail: "DIMMs and processor agree: 6400", AlsoNormal: []int{6000, 5200, 4800}, OtherBoards: []int{6000, 5200, 4800}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.m.sys.Machine.Product = collecttest.Known("Test Server")
			p := tt.m.fill(0, tt.dpc, tt.d).derive(t).Populations[0]
			require.True(t, p.Speed.Known(), p.Speed.Reason)
			assert.Equal(t, tt.want, p.Speed.Value)
		})
	}
}

// TestSpeedOfOtherBoards checks that a speed below the expected one that only other boards' documents give is neither
// a fault nor normal; on the documented board, or for a processor never seen above it, it is normal.
func TestSpeedOfOtherBoards(t *testing.T) {
	three := func(product string) Speed {
		m := newTestMachine(1, platform.Intel, 6, 63, 2, "Intel(R) Xeon(R) CPU E5-2690 v3 @ 2.60GHz")
		m.sys.Machine.Vendor, m.sys.Machine.Product = collecttest.Known("LENOVO"), collecttest.Known(product)
		return m.fill(0, []int{3, 3, 3, 3}, testDIMM{gb: 16, rated: 2133, ranks: 2, run: 1600}).derive(t).Populations[0].Speed.Value
	}
	other := three("ThinkServer RD650")
	require.Equal(t, 1866, other.MTs)
	assert.True(t, other.BoardDecides(1600))
	assert.False(t, other.BoardDecides(1866), "as expected")
	assert.False(t, other.BoardDecides(1333), "normal nowhere")
	own := three("System x3550 M5: -[5463AC1]-")
	assert.Equal(t, []int{1600}, own.AlsoNormal)
	assert.False(t, own.BoardDecides(1600), "its own document says so")
	two := func(product string) Speed {
		m := newTestMachine(1, platform.Intel, 6, 62, 4, "Intel(R) Xeon(R) CPU E5-2697 v2 @ 2.70GHz")
		m.sys.Machine.Vendor, m.sys.Machine.Product = collecttest.Known("IBM"), collecttest.Known(product)
		return m.fill(0, []int{2, 2, 2, 2}, testDIMM{gb: 16, rated: 1866, ranks: 2, run: 1600}).derive(t).Populations[0].Speed.Value
	}
	require.Equal(t, 1866, two("BladeCenter HS23 -[7875MFM]-").MTs)
	assert.True(t, two("BladeCenter HS23 -[7875MFM]-").BoardDecides(1600), "the x3650 M4 HD runs two at 1600")
	assert.False(t, two("System x3650 M4 HD: -[5460AC1]-").BoardDecides(1600))
	naples := newTestMachine(1, platform.AMD, 23, 1, 2, "AMD EPYC 7351 16-Core Processor")
	naples.sys.Machine.Product = collecttest.Known("Test Server")
	s := naples.fill(0, []int{1, 1, 1, 1, 1, 1, 1, 1}, testDIMM{gb: 16, rated: 2666, run: 2133}).derive(t).Populations[0].Speed.Value
	require.Equal(t, 2666, s.MTs)
	assert.True(t, s.BoardDecides(2133))
}

// TestBoardLimit checks that a T440 runs at 2666 whatever the processor (Gigamon; field).
func TestBoardLimit(t *testing.T) {
	m := cascadeLake(1)
	m.sys.Machine.Vendor, m.sys.Machine.Product = collecttest.Known("Dell Inc."), collecttest.Known("PowerEdge T440")
	p := m.fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 32, rated: 3200, run: 2666}).derive(t).Populations[0]
	assert.Equal(t, Speed{MTs: 2666, Limiter: LimitFirmware, Detail: "board limit whatever the processor: 2666"}, p.Speed.Value)
	assert.Equal(t, 2666, p.RunningMTs.Value)
}

func TestSpeedUnknown(t *testing.T) {
	six := []int{1, 1, 1, 1, 1, 1}
	for _, tt := range []struct {
		name   string
		m      *testMachine
		d      testDIMM
		dpc    []int
		reason string
	}{
		{"OEM processor", newTestMachine(1, platform.Intel, 6, 85, 4, "Intel(R) Xeon(R) Platinum 8124M CPU @ 3.00GHz"), testDIMM{gb: 32, rated: 2666}, six,
			"the processor's highest memory speed is not in the vendors' table"},
		{"rated speed missing", cascadeLake(1), testDIMM{gb: 32}, six, "the rated speed of S0C0D0 is not stated"},
		{"three quad-rank", sandyBridge(1), testDIMM{gb: 32, rated: 1333, ranks: 4, mv: 1500}, []int{3, 3, 3, 3},
			"no document gives the speed of Sandy Bridge-EP (Xeon E5-1600/2600/4600) for rdimm-4r-1.5v with 3 DIMMs per channel"},
		{"Brickland: the mode decides", newTestMachine(1, platform.Intel, 6, 62, 7, "Intel(R) Xeon(R) CPU E7-4890 v2 @ 2.80GHz"), testDIMM{gb: 32, rated: 1600}, []int{1, 1, 1, 1, 1, 1, 1, 1},
			"the highest speed of Ivy Bridge-EX (Xeon E7 v2) depends on the memory mode, which firmware does not report"},
		// asrockrack-z690d4u-2l2t-g5-2a61: one 4800 module on a channel with two slots runs at 4400
		{"DDR5 without a table", newTestMachine(1, platform.Intel, 6, 183, 1, "13th Gen Intel(R) Core(TM) i9-13900K"), testDIMM{gb: 32, rated: 4800, run: 4400, ranks: 2, memType: "DDR5"}, []int{1, 1},
			"no document gives the speed of Core, Pentium or Celeron of the 2nd to 14th generation with 1 DIMM per channel"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.m.fill(0, tt.dpc, tt.d).derive(t).Populations[0]
			assert.Equal(t, tt.reason, p.Speed.Reason)
			assert.NotEqual(t, fact.OK, p.Speed.State)
		})
	}
}

// TestSpeedOfKindsThatFit checks that three modules on a channel are registered ones of at most two ranks if a
// channel takes two of the other kinds (IBM, x3650 M3 product guide, p13), even if firmware does not state the kind.
func TestSpeedOfKindsThatFit(t *testing.T) {
	unstated := func(s *inventory.Slot) { s.Registered = fact.Fact[bool]{State: fact.Unstated} }
	for _, c := range []struct {
		name   string
		dpc    int
		change func(*inventory.Slot)
		want   int
		reason string
	}{
		{"registered or not, not said", 3, unstated, 800, ""},
		{"ranks not said either", 3, func(s *inventory.Slot) { unstated(s); s.Ranks = fact.Fact[int]{State: fact.Unstated} }, 800, ""},
		{"two on a channel may be either", 2, unstated, 0, "between 1066 and 1333 MT/s: the kind of DIMM or the DIMMs per channel are not known"},
		{"unbuffered", 3, func(s *inventory.Slot) { s.Registered = collecttest.Known(false) }, 0,
			"no document gives the speed of Westmere-EP (Xeon 5600) for udimm with 3 DIMMs per channel"},
		{"four ranks", 3, func(s *inventory.Slot) { s.Ranks = collecttest.Known(4) }, 0,
			"no document gives the speed of Westmere-EP (Xeon 5600) for rdimm-4r with 3 DIMMs per channel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTestMachine(1, platform.Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU           X5650  @ 2.67GHz")
			m.fill(0, []int{c.dpc, c.dpc, c.dpc}, testDIMM{gb: 8, rated: 1333})
			for i := range m.sys.Slots {
				c.change(&m.sys.Slots[i])
			}
			f := m.derive(t).Populations[0].Speed
			assert.Equal(t, c.reason, f.Reason)
			assert.Equal(t, c.want, f.Value.MTs)
		})
	}
}

// TestSpeedBound checks that nothing raises the speed above the slowest rating or the processor's maximum, whatever
// else is unknown.
func TestSpeedBound(t *testing.T) {
	oem := func() *testMachine {
		return newTestMachine(1, platform.Intel, 6, 85, 4, "Intel(R) Xeon(R) Platinum 8124M CPU @ 3.00GHz")
	}
	m := oem().fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 32, rated: 2666, run: 2666})
	m.sys.Slots[0].RatedMTs = collecttest.Known(2400)
	p := m.derive(t).Populations[0]
	require.False(t, p.Speed.Known())
	assert.Equal(t, 2400, p.BoundMTs.Value, "the slowest module")

	p = cascadeLake(1).fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 32, run: 2933}).derive(t).Populations[0]
	require.False(t, p.Speed.Known())
	assert.Equal(t, 2933, p.BoundMTs.Value, "the processor, as ark.intel.com has it for the Gold 6252N")

	assert.False(t, oem().fill(0, []int{1}, testDIMM{gb: 32, run: 2666}).derive(t).Populations[0].BoundMTs.Known())
}

// TestProbablySlow checks that memory which runs below what firmware states is suspected although it leaves out a module's
// rating, a running speed or the processor's name, and that nothing is suspected at the slowest limit.
func TestProbablySlow(t *testing.T) {
	speed := collecttest.Known[int]
	for name, c := range map[string]struct {
		damage func(m *testMachine)
		want   bool
	}{
		"nothing":    {func(*testMachine) {}, false},
		"one rating": {func(m *testMachine) { m.sys.Slots[4].RatedMTs = fact.Fact[int]{} }, true},
		"all ratings": {func(m *testMachine) {
			for i := range m.sys.Slots {
				m.sys.Slots[i].RatedMTs = fact.Fact[int]{}
			}
		}, true},
		"one running speed":          {func(m *testMachine) { m.sys.Slots[1].ConfiguredMTs = fact.Fact[int]{} }, true},
		"the other processor's name": {func(m *testMachine) { m.sys.Sockets[1].Brand = fact.Fact[string]{} }, true},
		"one rating beside a slow module": {func(m *testMachine) {
			m.sys.Slots[4].RatedMTs, m.sys.Slots[5].RatedMTs = fact.Fact[int]{}, speed(2400)
		}, false},
		"all running speeds": {func(m *testMachine) {
			for i := range m.sys.Slots {
				m.sys.Slots[i].ConfiguredMTs = fact.Fact[int]{}
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := cascadeLake(2)
			for socket := range 2 {
				m.fill(socket, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 32, rated: 2933, run: 2400})
			}
			c.damage(m)
			p := m.derive(t).Populations[0]
			assert.Equal(t, c.want, p.ProbablySlow())
			if c.want {
				assert.Equal(t, 2933, p.Likely.Value.MTs)
				assert.Equal(t, 2400, p.LowestMTs.Value)
			}
		})
	}
}

// TestCommonClock checks that the deeper processor slows the other one down.
func TestCommonClock(t *testing.T) {
	m := newTestMachine(2, platform.Intel, 6, 143, 8, "Intel(R) Xeon(R) Platinum 8480+")
	m.fill(0, []int{2, 2, 2, 2, 2, 2, 2, 2}, testDIMM{gb: 32, rated: 4800})
	m.fill(1, []int{1, 1, 1, 1, 1, 1, 1, 1}, testDIMM{gb: 64, rated: 4800})
	r := m.derive(t)
	assert.Equal(t, 4400, r.Populations[1].Speed.Value.MTs)
	assert.Equal(t, "as socket 0, whose limit is lower than 4800: 2 DIMMs per channel, a limit of the processor: 4400", r.Populations[1].Speed.Value.Detail)
	assert.Equal(t, LimitDPC, r.Populations[1].Speed.Value.Limiter)
}

func TestGrades(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    *testMachine
		dpc  [][]int
		d    testDIMM
		want string
	}{
		{"full", cascadeLake(2), [][]int{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}}, testDIMM{gb: 32, rated: 2933}, "A"},
		{"slow DIMMs", cascadeLake(2), [][]int{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}}, testDIMM{gb: 32, rated: 2666}, "B"},
		{"four of six", cascadeLake(2), [][]int{{1, 1, 0, 1, 1, 0}, {1, 1, 0, 1, 1, 0}}, testDIMM{gb: 32, rated: 2933}, "C"},
		{"three of six", cascadeLake(1), [][]int{{1, 1, 1, 0, 0, 0}}, testDIMM{gb: 32, rated: 2933}, "C"},
		{"two of six", cascadeLake(2), [][]int{{1, 0, 0, 1, 0, 0}, {1, 0, 0, 1, 0, 0}}, testDIMM{gb: 32, rated: 2933}, "D"},
		{"ten", cascadeLake(2), [][]int{{2, 2, 1, 2, 2, 1}, {2, 2, 1, 2, 2, 1}}, testDIMM{gb: 32, rated: 2933}, "D"},
		{"eight slots", cascadeLake(2), [][]int{{2, 1, 1, 2, 1, 1}, {2, 1, 1, 2, 1, 1}}, testDIMM{gb: 32, rated: 2933}, "E"},
		{"a processor without memory", cascadeLake(2), [][]int{{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}}, testDIMM{gb: 32, rated: 2933}, "E"},
		{"processors differ", cascadeLake(2), [][]int{{2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1}}, testDIMM{gb: 32, rated: 2933}, "E"},
		{"Milan on six", milan(1), [][]int{{1, 0, 1, 1, 1, 0, 1, 1}}, testDIMM{gb: 64, rated: 3200}, "C"},
		{"Rome on six", rome(1), [][]int{{1, 0, 1, 1, 1, 0, 1, 1}}, testDIMM{gb: 64, rated: 3200}, "E"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for s, dpc := range tt.dpc {
				tt.m.fill(s, dpc, tt.d)
			}
			r := tt.m.derive(t)
			require.True(t, r.Class.Known(), r.Class.Reason)
			assert.Equal(t, Class{Name: tt.want, Best: "A"}, r.Class.Value)
		})
	}
	unlike := cascadeLake(1).fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 32, rated: 2933})
	unlike.sys.Slots[0].Ranks = collecttest.Known(1)
	assert.Equal(t, "B", unlike.derive(t).Class.Value.Name, "unlike ranks")
}

// TestMeasuredShares checks the measured rows of the validation table that the model covers: EPYC 7002/7003 with two
// and four of eight channels.
func TestMeasuredShares(t *testing.T) {
	for _, m := range []func(int) *testMachine{rome, milan} {
		// The measured board has eight slots, and one processor.
		of := func(sockets, slots int, dpc ...int) fact.Fact[Share] {
			m := m(sockets).fill(0, dpc, testDIMM{gb: 64, rated: 3200})
			for c := range slots {
				if c >= len(dpc) || dpc[c] == 0 {
					m.add(0, c%8, c/8, testDIMM{})
				}
			}
			return m.derive(t).Populations[0].Relative
		}
		two := of(1, 8, 0, 0, 1, 1)
		require.NotNil(t, two.Value.Value, two.Reason)
		assert.InDelta(t, 0.28, *two.Value.Value, 1e-9)
		assert.InDelta(t, 0.25, two.Value.Low, 1e-9)
		four := of(1, 8, 1, 1, 1, 1)
		require.NotNil(t, four.Value.Value)
		assert.InDelta(t, 0.54, *four.Value.Value, 1e-9)
		assert.Equal(t, "Thomas-Krenn wiki, Optimization of AMD EPYC 7002 Rome and 7003 Milan memory performance", four.Value.Source())
		assert.Nil(t, of(1, 16, 1, 1, 1, 1).Value.Value, "16 slots")
		assert.Nil(t, of(2, 8, 1, 1, 1, 1).Value.Value, "two processors")
		odd := of(1, 8, 1, 1, 1, 1, 1, 1, 1)
		assert.Nil(t, odd.Value.Value)
		assert.InDelta(t, 0.125, odd.Value.Low, 1e-9)
		assert.InDelta(t, 0.875, odd.Value.High, 1e-9)
	}
}

// TestStatedShares checks that the share that a maker gives for a number of DIMMs replaces the model's range, with the clock
// that they have, where they are equal, spread evenly and as many processors as the maker speaks of.
func TestStatedShares(t *testing.T) {
	eight := func(sockets, model int, brand string, rated int, dpc ...int) *testMachine {
		m := newTestMachine(sockets, platform.Intel, 6, model, 6, brand)
		for socket := range sockets {
			m.fill(socket, dpc, testDIMM{gb: 32, rated: rated})
		}
		return m
	}
	const ice, sapphire, emerald = "Intel(R) Xeon(R) Gold 6348 CPU @ 2.60GHz", "Intel(R) Xeon(R) Platinum 8480+", "INTEL(R) XEON(R) PLATINUM 8592+"
	const nutanix = "Nutanix gives 66 % for 12 DIMMs per processor at the same clock"
	genoa := func(dimms int) *testMachine {
		return newTestMachine(1, platform.AMD, 25, 17, 1, "AMD EPYC 9654 96-Core Processor").fill(0, slices.Repeat([]int{1}, dimms), testDIMM{gb: 32, rated: 4800})
	}
	uneven := eight(2, 106, ice, 3200, 2, 1, 2, 1, 2, 1, 2, 1)
	uneven.sys.Slots[0].SizeBytes.Value *= 2
	mirrored := eight(2, 106, ice, 3200, 2, 1, 2, 1, 2, 1, 2, 1)
	mirrored.sys.Settings = map[string]inventory.Setting{rasMode: {Configured: collecttest.Known(mirrorWord)}}
	for _, c := range []struct {
		name      string
		m         *testMachine
		low, high float64
		note      string
	}{
		{"12 DIMMs on eight channels", eight(2, 106, ice, 3200, 2, 1, 2, 1, 2, 1, 2, 1), 0.66, 0.66, nutanix},
		{"slower with two on a channel", eight(2, 143, sapphire, 4800, 2, 1, 2, 1, 2, 1, 2, 1), 0.66 * 4400 / 4800, 0.66 * 4400 / 4800, nutanix},
		{"without a model of the interleaving", eight(2, 207, emerald, 5600, 1, 1, 1, 0, 1, 1, 1, 0), 0.75, 0.75, "Nutanix gives 75 % for 6 DIMMs per processor at the same clock"},
		{"two on each of six channels", eight(2, 106, ice, 3200, 2, 2, 2, 0, 2, 2, 2, 0), 0.25, 0.75, ""},
		{"behind the first controllers", eight(2, 106, ice, 3200, 2, 2, 2, 2, 1, 1, 1, 1), 0.5, 1, ""},
		{"one processor", eight(1, 106, ice, 3200, 2, 1, 2, 1, 2, 1, 2, 1), 0.5, 1, ""},
		{"unlike DIMMs", uneven, 0.125, 1, ""},
		{"mirrored", mirrored, 0.5, 1, ""},
		{"the model has one figure", genoa(8), 8. / 12, 8. / 12, "ServeTheHome gives 67 to 70 % for 8 DIMMs per processor at the same clock"},
		{"of another number", genoa(10), 10. / 12, 10. / 12, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.m.derive(t).Populations[0].Relative
			require.True(t, got.Known(), got.Reason)
			assert.InDelta(t, c.low, got.Value.Low, 1e-9)
			assert.InDelta(t, c.high, got.Value.High, 1e-9)
			assert.Equal(t, c.note, got.Value.Note)
			assert.Nil(t, got.Value.Value)
		})
	}
}

// TestAMDLetters checks HPE's four-DIMM set {1,3,14,16}, whose channels a slot map can only count: which of them
// interleave is unknown.
func TestAMDLetters(t *testing.T) {
	build := func(dpc []int) *Result {
		m := rome(1).fill(0, dpc, testDIMM{gb: 32, rated: 3200})
		for i := range m.places {
			m.places[i].Source = place.SourceMap
		}
		return m.derive(t)
	}
	four := build([]int{1, 1, 0, 0, 0, 0, 1, 1})
	assert.False(t, four.Populations[0].Regions.Known())
	assert.Equal(t, 4, four.Populations[0].ChannelsPopulated.Value)
	assert.False(t, four.Class.Known())
	assert.Equal(t, "A", build([]int{1, 1, 1, 1, 1, 1, 1, 1}).Class.Value.Name)
}

// TestGuards checks that an impossible mapping gives no channel facts, and that the counts stay.
func TestGuards(t *testing.T) {
	for _, tt := range []struct {
		name   string
		spoil  func(m *testMachine)
		reason string
	}{
		{"a DIMM without channel", func(m *testMachine) { m.places[2].Channel = place.Unplaced; m.places[2].Reason = "no map" },
			"the channel of S0C2D0 is not known: no map"},
		{"a channel too many", func(m *testMachine) { m.places[2].Channel = 6 },
			"S0C2D0 would sit on channel 6 of 6: the map of slots to channels is wrong"},
		{"too deep", func(m *testMachine) {
			for i := range 3 {
				m.places[i].Channel, m.places[i].Slot = 0, i
			}
		}, "channel 0 would hold 3 DIMMs, the platform takes 2: the map of slots to channels is wrong"},
		{"one slot twice", func(m *testMachine) { m.places[2].Channel, m.places[2].Slot = 0, 0 },
			"S0C0D0 and S0C2D0 would share one slot: the map of slots to channels is wrong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := cascadeLake(1).fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 32, rated: 2933, run: 2933})
			tt.spoil(m)
			r := m.derive(t)
			p := &r.Populations[0]
			assert.Equal(t, 6, p.DIMMs.Value)
			assert.Equal(t, 192*gib, p.Bytes.Value)
			assert.Equal(t, 6, p.ChannelsTotal.Value)
			assert.Equal(t, tt.reason, p.ChannelsPopulated.Reason)
			for _, known := range []bool{p.ChannelsPopulated.Known(), p.DPC.Known(), p.ChannelBytes.Known(), p.Regions.Known(), p.Relative.Known(), p.Class.Known(), p.Peak.Known(), r.Class.Known()} {
				assert.False(t, known)
			}
		})
	}
}

func TestUnknownOwnerAndSize(t *testing.T) {
	m := cascadeLake(2).fill(0, []int{1, 1}, testDIMM{gb: 32, rated: 2933}).fill(1, []int{1, 1}, testDIMM{gb: 32, rated: 2933})
	m.places[0].Socket, m.places[0].Reason = place.Unplaced, "no label"
	r := m.derive(t)
	for _, p := range r.Populations {
		assert.False(t, p.DIMMs.Known())
		assert.Equal(t, "which processor S0C0D0 belongs to is unknown: no label", p.DIMMs.Reason)
	}
	assert.False(t, r.Symmetric.Known())
	assert.Equal(t, 128*gib, r.InstalledBytes.Value)

	m = cascadeLake(1).fill(0, []int{1, 1}, testDIMM{gb: 32, rated: 2933})
	m.places[0].Socket, m.places[0].Reason = place.Unplaced, "no label"
	assert.Equal(t, "where S0C0D0 is on the board is unknown: no label", m.derive(t).Populations[0].DIMMs.Reason, "there is one processor")

	m = cascadeLake(1).fill(0, []int{1, 1}, testDIMM{gb: 32, rated: 2933})
	m.sys.Slots[1].State, m.sys.Slots[1].SizeBytes = inventory.SlotUnknown, fact.Fact[int64]{State: fact.Unstated}
	r = m.derive(t)
	assert.Equal(t, "the size field of S0C1D0 says unknown", r.Populations[0].DIMMs.Reason)
	assert.False(t, r.InstalledBytes.Known())
	m.sys.Slots[1].SizeBytes = fact.Unknown[int64](fact.Conflicting, "firmware counts no memory in it", "a look")
	r = m.derive(t)
	assert.Equal(t, "firmware counts no memory in it", r.Populations[0].DIMMs.Reason)
	assert.EqualValues(t, "a look", r.Populations[0].DIMMs.KnownBy)
	assert.Equal(t, "firmware counts no memory in it", r.InstalledBytes.Reason)
}

// TestSamePart checks that one part number tells the ranks that firmware does not state, unless the makers differ.
func TestSamePart(t *testing.T) {
	for name, c := range map[string]struct {
		makers [2]fact.Fact[string]
		want   likeness
	}{
		"one maker":   {[2]fact.Fact[string]{sure("Samsung"), sure("Samsung")}, alike},
		"two makers":  {[2]fact.Fact[string]{sure("Samsung"), sure("Micron")}, unsure},
		"one unknown": {[2]fact.Fact[string]{sure("Samsung"), {State: fact.Unstated}}, alike},
	} {
		t.Run(name, func(t *testing.T) {
			m := cascadeLake(1).fill(0, []int{1, 1}, testDIMM{gb: 32, rated: 2933})
			for i := range m.sys.Slots {
				s := &m.sys.Slots[i]
				s.Ranks, s.PartNumber, s.Manufacturer = fact.Fact[int]{State: fact.Unstated}, sure("18ASF4G72PDZ-2G9"), c.makers[i]
			}
			assert.Equal(t, c.want, (&builder{sys: &m.sys}).sameRanks([]int{0, 1}))
		})
	}
}

// TestLabelledChannels checks that the labels of a small board with one processor count the channels of an unknown
// platform, and not those of a board that may have more than its slots name.
func TestLabelledChannels(t *testing.T) {
	for slots, want := range map[int]fact.State{2: fact.OK, 4: fact.OK, 6: fact.Absent, 8: fact.Absent} {
		m := newTestMachine(1, "GenuineIntel", 6, 250, 1, "Example 9").fill(0, []int{slots / 2, slots - slots/2}, testDIMM{gb: 8, rated: 3200})
		m.sys.Arrays = []inventory.Array{{Devices: sure(slots)}}
		total := m.derive(t).Populations[0].ChannelsTotal
		assert.Equal(t, want, total.State, slots)
		assert.Equal(t, want == fact.OK, total.Value == 2 && total.Unverified, slots)
	}
}

// TestUnequalByCount checks that equal modules in every slot, whose number the channels do not divide, are unequal
// whatever the slot map, and that unequal ones depend on it.
func TestUnequalByCount(t *testing.T) {
	for _, last := range []int64{32, 16} {
		m := cascadeLake(1).fill(0, []int{2, 1, 1, 1, 1, 1}, testDIMM{gb: 32, rated: 2933})
		m.sys.Slots[6].SizeBytes = collecttest.Known(last * gib)
		for i := range m.places {
			m.places[i].Unverified = true
		}
		equal := m.derive(t).Populations[0].ChannelsEqual
		assert.True(t, equal.Known() && !equal.Value)
		assert.Equal(t, last == 16, equal.Unverified)
	}
}

// TestDoubtedPlacements checks that nothing is counted per processor if the processors of the slots are doubted, and that
// a doubt of channels leaves the count of modules and makes what depends on channels unsure, unless no slot is empty.
func TestDoubtedPlacements(t *testing.T) {
	m := cascadeLake(2).fill(0, []int{1, 1}, testDIMM{gb: 32, rated: 2933}).fill(1, []int{0, 0}, testDIMM{gb: 32, rated: 2933})
	for i := range m.places {
		m.places[i].SocketDoubt = "two labels are equal"
	}
	for _, p := range m.derive(t).Populations {
		assert.Equal(t, "two labels are equal", p.DIMMs.Reason)
		assert.False(t, p.Bytes.Known())
	}
	for _, empty := range []bool{true, false} {
		m = cascadeLake(1).fill(0, []int{1, 1}, testDIMM{gb: 32, rated: 2933})
		if empty {
			m.sys.Slots[1].State = inventory.SlotEmpty
		}
		for i := range m.places {
			m.places[i].Doubt = "the banks say otherwise"
		}
		p := m.derive(t).Populations[0]
		assert.True(t, p.DIMMs.Known())
		assert.Equal(t, empty, p.ChannelsPopulated.Unverified)
		assert.Equal(t, empty, p.DPC.Unverified)
		assert.Equal(t, empty, p.MapDoubt != "")
	}
}

// TestPersistentModulesSetTheSpeed checks that persistent modules share the channels, so that DRAM runs no faster
// than they are rated.
func TestPersistentModulesSetTheSpeed(t *testing.T) {
	m := cascadeLake(1).fill(0, []int{2, 2, 1, 2, 2, 1}, testDIMM{gb: 16, rated: 2933, run: 2666})
	require.Equal(t, 2933, m.derive(t).Populations[0].Speed.Value.MTs)
	for i := range m.sys.Slots {
		if m.places[i].Slot == 1 {
			m.sys.Slots[i].Technology, m.sys.Slots[i].RatedMTs = collecttest.Known(inventory.NVDIMM), collecttest.Known(2666)
		}
	}
	s := m.derive(t).Populations[0].Speed.Value
	assert.Equal(t, 2666, s.MTs)
	assert.Equal(t, LimitDIMM, s.Limiter)
	assert.Equal(t, fact.Direct, m.derive(t).Populations[0].Speed.Certainty)
	m.sys.Slots[1].RatedMTs.Certainty = fact.Indirect
	assert.Equal(t, fact.Indirect, m.derive(t).Populations[0].Speed.Certainty, "no surer than the slowest module's rating")
	m.sys.Slots[1].RatedMTs = fact.Fact[int]{State: fact.Unstated, Reason: "firmware does not state a module's speed"}
	assert.Equal(t, "firmware does not state a module's speed", m.derive(t).Populations[0].Speed.Reason)
}

// TestAllNonVolatile checks that a table that reports every module as non-volatile is wrong about some of them,
// because a machine runs from DRAM.
func TestAllNonVolatile(t *testing.T) {
	m := cascadeLake(2).fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 32, rated: 2933})
	require.Equal(t, 0, m.derive(t).Populations[1].DIMMs.Value)
	for _, tech := range []inventory.Technology{inventory.NVDIMM, inventory.Flash} {
		for i := range m.sys.Slots {
			m.sys.Slots[i].Technology = collecttest.Known(tech)
		}
		for _, p := range m.derive(t).Populations {
			assert.Equal(t, "the SMBIOS table lists no memory module, although the machine runs", p.DIMMs.Reason)
		}
	}
	m.sys.Slots[0].Technology = fact.Fact[inventory.Technology]{State: fact.Unstated}
	assert.Equal(t, 1, m.derive(t).Populations[0].DIMMs.Value)
}

// TestUnknownPlatformCounts checks that a machine without platform data is counted and not graded.
func TestUnknownPlatformCounts(t *testing.T) {
	m := newTestMachine(1, platform.Intel, 6, 200, 1, "Intel(R) Xeon(R) W-11155MRE @ 2.40GHz").fill(0, []int{1, 1}, testDIMM{gb: 16, rated: 2666, run: 2666, unbuffered: true})
	r := m.derive(t)
	assert.Equal(t, "memaudit does not know this processor", r.Platform.Reason)
	p := r.Populations[0]
	assert.Equal(t, 2, p.DIMMs.Value)
	assert.Equal(t, 2, p.ChannelsTotal.Value, "the processor's own row")
	assert.Equal(t, 2, p.ChannelsPopulated.Value)
	assert.Equal(t, "memaudit does not know this processor", p.Class.Reason)
	assert.Equal(t, 2666, p.Speed.Value.MTs)
	assert.True(t, p.Speed.Unverified)
}

func TestSymmetricAcceptsMirrors(t *testing.T) {
	m := cascadeLake(2)
	m.fill(0, []int{1, 1, 0, 0, 0, 0}, testDIMM{gb: 32, rated: 2933})
	m.fill(1, []int{0, 0, 0, 0, 1, 1}, testDIMM{gb: 32, rated: 2933})
	assert.True(t, m.derive(t).Symmetric.Value)
	m = cascadeLake(2)
	m.fill(0, []int{1, 0, 0, 1, 0, 0}, testDIMM{gb: 32, rated: 2933})
	m.fill(1, []int{1, 1, 0, 0, 0, 0}, testDIMM{gb: 32, rated: 2933})
	assert.False(t, m.derive(t).Symmetric.Value)
}

// TestChannelsAlike checks a Supermicro X9DRW of the SMBIOS archives with two modules of 2 GiB on each channel of one
// processor and one of 4 GiB on each of the other. The modules differ and the channels do not, so the machine has the
// class of its processors.
func TestChannelsAlike(t *testing.T) {
	small, large := testDIMM{gb: 2, rated: 2933}, testDIMM{gb: 4, rated: 2933}
	for _, c := range []struct {
		name             string
		first, second    []int
		module           testDIMM
		symmetric, alike bool
	}{
		{"the same modules", []int{2, 2, 2, 2, 2, 2}, []int{2, 2, 2, 2, 2, 2}, small, true, true},
		{"other modules, the same channels", []int{2, 2, 2, 2, 2, 2}, []int{1, 1, 1, 1, 1, 1}, large, false, true},
		{"the same bytes on fewer channels", []int{1, 1, 1, 1, 1, 1}, []int{1, 1, 1}, large, false, false},
		{"fewer bytes", []int{2, 2, 2, 2, 2, 2}, []int{1, 1, 1, 1, 1, 1}, small, false, false},
		{"the other without memory", []int{1, 1, 1, 1, 1, 1}, []int{0}, small, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := cascadeLake(2)
			m.fill(0, c.first, small)
			m.fill(1, c.second, c.module)
			r := m.derive(t)
			assert.Equal(t, c.symmetric, r.Symmetric.Value)
			require.True(t, r.ChannelsAlike.Known())
			assert.Equal(t, c.alike, r.ChannelsAlike.Value)
			if !c.alike {
				assert.Equal(t, gradeE, r.Class.Value.Name)
			} else {
				assert.GreaterOrEqual(t, classRank(gradeB), classRank(r.Class.Value.Name), r.Class.Value.Name)
			}
		})
	}
}

// TestWithOtherKindOfMemory checks that the platform is recognised again with modules of another kind: a Xeon E5450
// with FB-DIMMs is on Intel's 5000 chipset, with DDR2 on the 5100.
func TestWithOtherKindOfMemory(t *testing.T) {
	k := corpustest.Rules(t)
	of := func(memType string) *inventory.System {
		m := newTestMachine(2, platform.Intel, 6, 23, 10, "Intel(R) Xeon(R) CPU E5450 @ 3.00GHz")
		return &m.fill(0, []int{1, 1, 1, 1}, testDIMM{gb: 4, rated: 667, memType: memType}).sys
	}
	before, after := of("DDR2 FB-DIMM"), of("DDR2")
	known, anew := Derive(before, k), Derive(after, k)
	require.NotEqual(t, known.Platform, anew.Platform)
	assert.Equal(t, anew, known.WithModules(before, after, k))
	again := of("DDR2 FB-DIMM")
	again.Slots[1].SizeBytes.Value *= 2
	assert.Equal(t, Derive(again, k), known.WithModules(before, again, k))
}

// TestRunningClock checks that memory that runs below its expected speed still does in other slots; for a layout with
// a lower expected speed nothing more is reported.
func TestRunningClock(t *testing.T) {
	for _, c := range []struct{ today, expected, then, want int }{
		{800, 1333, 1333, 800}, {800, 1333, 1066, 800}, {1066, 1333, 800, 800}, {1066, 1066, 1333, 1333}, {1600, 1333, 1333, 1600}, {1600, 1333, 1066, 1066},
	} {
		assert.Equal(t, c.want, runningClock{c.today, c.expected}.assumedSpeed(c.then), c)
	}
	slow := newTestMachine(1, platform.Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz")
	slow.sys.Machine.Product = collecttest.Known("Test Server")
	now := slow.fill(0, []int{1, 1, 1}, testDIMM{gb: 8, rated: 1333, run: 800}).derive(t)
	next := slow.sys
	next.Slots = slices.Clone(next.Slots)
	for i := range next.Slots {
		next.Slots[i].ConfiguredMTs = fact.Unknown[int](fact.Unread, "not yet run", "")
	}
	then := now.WithRunningClock().Repopulate(&next)
	assert.Equal(t, 800, then.Populations[0].RunningMTs.Value)
	assert.Equal(t, now.Populations[0].Peak.Value, then.Populations[0].Peak.Value)
	assert.Equal(t, now.Populations[0].Relative.Value, then.Populations[0].Relative.Value)
	assert.Equal(t, 1333, now.Repopulate(&next).Populations[0].Speed.Value.MTs)
	assert.False(t, now.Repopulate(&next).Populations[0].RunningMTs.Known())
}

// sure is a fact read directly; from distinguishes facts of one value.
func sure[T any](v T, from ...string) fact.Fact[T] {
	e := fact.Evidence{}
	if len(from) > 0 {
		e.Raw = from[0]
	}
	return fact.Known(v, fact.Direct, e)
}

// TestLabelTwice checks that a CPU is not said to have no memory if two modules of the other have one label, or if no slot of
// its own is listed.
func TestLabelTwice(t *testing.T) {
	m := cascadeLake(2).fill(0, []int{1, 1}, testDIMM{gb: 32, rated: 2933}).fill(1, []int{0}, testDIMM{})
	assert.Zero(t, m.derive(t).Populations[1].DIMMs.Value)
	require.True(t, m.derive(t).Populations[1].DIMMs.Known())
	m.sys.Slots[1].Locator = m.sys.Slots[0].Locator
	assert.Contains(t, m.derive(t).Populations[1].DIMMs.Reason, "two slots of one processor have the label S0C0D0")
	m.sys.Slots[1].State = inventory.SlotEmpty
	assert.Contains(t, m.derive(t).Populations[1].DIMMs.Reason, "two slots of one processor have the label S0C0D0", "one of them is empty")
	m.sys.Slots[1].BankLocator = fact.Known("another bank", fact.Direct, fact.Evidence{})
	assert.True(t, m.derive(t).Populations[1].DIMMs.Known(), "the label says the place in its bank")
	assert.Contains(t, cascadeLake(2).fill(0, []int{1}, testDIMM{gb: 32}).derive(t).Populations[1].DIMMs.Reason, "no listed slot is known to be this processor's")
}

// TestFrontSideBus checks one population for the chipset; the channels stay unknown without a document of this board.
func TestFrontSideBus(t *testing.T) {
	m := newTestMachine(2, platform.Intel, 6, 23, 10, "Intel(R) Xeon(R) CPU           E5440  @ 2.83GHz")
	m.fill(place.Unplaced, []int{1, 1, 1, 1}, testDIMM{gb: 4, rated: 667, memType: "DDR2 FB-DIMM"})
	r := m.derive(t)
	require.Equal(t, "bensley", r.Platform.Value.ID)
	require.Len(t, r.Populations, 1)
	p := r.Populations[0]
	assert.Equal(t, place.Unplaced, p.Socket)
	assert.Equal(t, 4, p.DIMMs.Value)
	assert.Equal(t, 4, p.ChannelsPopulated.Value)
	assert.Equal(t, 4, p.ChannelsTotal.Value)
	assert.False(t, p.Speed.Known())
	assert.False(t, r.Symmetric.Known())

	m.sys.Slots, m.places = m.sys.Slots[:2], m.places[:2]
	p = m.derive(t).Populations[0]
	assert.Equal(t, "the slots name 2 channels; chipsets for these processors have two or 4", p.ChannelsTotal.Reason)
}

// TestFrontSideBusDoubt checks that a slot map without a document is doubtful on a front-side bus too.
func TestFrontSideBusDoubt(t *testing.T) {
	m := newTestMachine(2, platform.Intel, 6, 23, 10, "Intel(R) Xeon(R) CPU           E5440  @ 2.83GHz")
	m.fill(place.Unplaced, []int{1, 1, 1, 1}, testDIMM{gb: 4, rated: 667, memType: "DDR2 FB-DIMM"})
	for i := range m.places {
		m.places[i].Unverified, m.places[i].Certainty = true, fact.Indirect
	}
	p := m.derive(t).Populations[0]
	assert.Equal(t, fact.Direct, p.DIMMs.Certainty, "counting needs no map")
	assert.True(t, p.ChannelsTotal.Unverified)
	assert.True(t, p.ChannelsPopulated.Unverified)
	assert.True(t, p.DPC.Unverified)
	assert.Equal(t, fact.Indirect, p.DPC.Certainty)
}

// TestPartWired checks that the number of channels is unknown if a board does not connect all of a processor's.
func TestPartWired(t *testing.T) {
	m := newTestMachine(1, platform.Intel, 6, 47, 2, "Intel(R) Xeon(R) CPU E7- 4860  @ 2.27GHz")
	m.fill(0, []int{1, 1, 1, 1}, testDIMM{gb: 8, rated: 1333})
	require.Equal(t, 8, m.derive(t).Populations[0].ChannelsTotal.Value)
	for i := range m.places {
		m.places[i].PartWired, m.places[i].Channel = true, place.Unplaced
	}
	p := m.derive(t).Populations[0]
	assert.Equal(t, 4, p.DIMMs.Value)
	assert.Contains(t, p.ChannelsTotal.Reason, "does not give a processor all of its channels")
}

func TestHBMNeedsNoDIMMs(t *testing.T) {
	m := newTestMachine(1, platform.Intel, 6, 143, 8, "Intel(R) Xeon(R) CPU Max 9480")
	m.add(0, 0, 0, testDIMM{})
	r := m.derive(t)
	require.Equal(t, "sapphire-rapids-max", r.Platform.Value.ID)
	assert.True(t, r.Platform.Value.ZeroDIMMsLegal)
	assert.Equal(t, fact.Known(0, fact.Direct, m.sys.Slots[0].Locator.From), r.Populations[0].DIMMs)
	assert.False(t, r.Class.Known())
}
