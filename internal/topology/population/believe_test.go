package population

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/topology/platform"
)

// TestRunningAboveTheProcessor checks a server with E5-2630 (1333 at most) whose firmware reports 1866: the possible
// speed is used and the conflict reported. A desktop's memory may be overclocked.
func TestRunningAboveTheProcessor(t *testing.T) {
	d := testDIMM{gb: 8, rated: 1866, run: 1866, ranks: 2, memType: "DDR3"}
	r := newTestMachine(1, platform.Intel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2630 0 @ 2.30GHz").fill(0, []int{1, 1, 1, 1}, d).derive(t)
	p := &r.Populations[0]
	assert.Equal(t, 1333, p.RunningMTs.Value)
	assert.Equal(t, fact.Indirect, p.RunningMTs.Certainty)
	assert.Equal(t, int64(4*1333*8*1_000_000), p.Peak.Value)
	require.Len(t, r.Conflicts, 1)
	assert.Equal(t, "firmware states 1866 MT/s, and the processor allows at most 1333", r.Conflicts[0].Why)

	d.rated, d.run = 1333, 1333
	r = newTestMachine(1, platform.Intel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2630 0 @ 2.30GHz").fill(0, []int{1, 1, 1, 1}, d).derive(t)
	assert.Equal(t, fact.Direct, r.Populations[0].RunningMTs.Certainty)
	assert.Empty(t, r.Conflicts)
}

// TestRunningOfADesktop checks that memory that may be overclocked runs at the reported speed, without an upper
// limit.
func TestRunningOfADesktop(t *testing.T) {
	d := testDIMM{gb: 8, rated: 2133, run: 2133, ranks: 2, memType: "DDR3"}
	r := newTestMachine(1, platform.Intel, 6, 58, 9, "Intel(R) Core(TM) i7-3770K CPU @ 3.50GHz").fill(0, []int{1, 1}, d).derive(t)
	p := &r.Populations[0]
	assert.Equal(t, 2133, p.RunningMTs.Value)
	assert.Equal(t, fact.Direct, p.RunningMTs.Certainty)
	assert.Equal(t, "memory may be overclocked", p.HighestMTs.Reason)
	assert.Zero(t, r.HighestMTs())
	assert.Empty(t, r.Conflicts)
}

// TestRunningByItsPrintedName checks that firmware may round the data rate (1066.67) as it likes, by DSP0134: R610
// boards print 1067, and the processors' table 1066.
func TestRunningByItsPrintedName(t *testing.T) {
	d := testDIMM{gb: 4, rated: 1333, run: 1067, ranks: 2, memType: "DDR3"}
	r := newTestMachine(1, platform.Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU E5620 @ 2.40GHz").fill(0, []int{1, 1, 1}, d).derive(t)
	assert.Equal(t, 1066, r.Populations[0].RunningMTs.Value)
	assert.Equal(t, int64(3*1066*8*1_000_000), r.Populations[0].Peak.Value)
}

// TestVoltageThatNoRowNames checks a PowerEdge C8220 with LRDIMMs of 1.35 V (M386B4G70DM0-YK0), whose voltage SMBIOS
// 2.7 has no field for: it runs them at 1066, and Dell's row for LRDIMMs has 1333.
func TestVoltageThatNoRowNames(t *testing.T) {
	const open = "1 DIMM per channel (lrdimm-4r): 1333, which a board may not reach at 1.35 V"
	for mv, want := range map[int]string{0: open, 1350: open, 1500: "1 DIMM per channel (lrdimm-4r): 1333"} {
		d := testDIMM{gb: 32, rated: 1600, ranks: 4, lr: true, mv: mv, memType: "DDR3"}
		speed := newTestMachine(1, platform.Intel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2680 0 @ 2.70GHz").fill(0, []int{1, 1, 1, 1}, d).derive(t).Populations[0].Speed
		assert.Equal(t, Speed{MTs: 1333, Limiter: LimitRanks, Detail: want}, speed.Value, mv)
		assert.Equal(t, mv != 1500, speed.Unverified, mv)
	}
}

// TestUnknownRanksAreNotEqual checks that grade A needs equal ranks.
func TestUnknownRanksAreNotEqual(t *testing.T) {
	m := cascadeLake(1).fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 32, rated: 2933})
	require.Equal(t, "A", m.derive(t).Class.Value.Name)
	m.sys.Slots[3].Ranks = fact.Fact[int]{State: fact.Unstated}
	class := m.derive(t).Class
	assert.False(t, class.Known())
	assert.Equal(t, "A or B: whether the modules have the same number of ranks is not known", class.Reason)
}

// TestRunningAtTheProcessorsBest checks single-rank RDIMMs of an unknown voltage with an E5-2680 (1600 at most), for
// which no document gives a speed. If firmware reports that speed on all channels, nothing limits them; a lower one
// proves nothing, and an impossible one is ignored.
func TestRunningAtTheProcessorsBest(t *testing.T) {
	for run, want := range map[int]string{1600: gradeA, 1596: gradeA, 1595: "", 1333: "", 1866: "", 0: ""} {
		d := testDIMM{gb: 8, rated: 1866, run: run, ranks: 1, memType: "DDR3"}
		p := newTestMachine(1, platform.Intel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2680 0 @ 2.70GHz").fill(0, []int{1, 1, 1, 1}, d).derive(t).Populations[0]
		require.False(t, p.Speed.Known(), run)
		assert.Equal(t, want, p.Class.Or(Class{}).Name, run)
		if want == "" {
			assert.Equal(t, "A or B: "+p.Speed.Reason, p.Class.Reason, run)
		}
	}
	full, _ := new(builder).fullSpeed(&Population{RunningMTs: sure(1600)})
	assert.False(t, full, "the processor's highest is not known")
	full, _ = new(builder).fullSpeed(&Population{RunningMTs: sure(1596), HighestMTs: sure(1600)})
	assert.True(t, full, "another name of one speed")
}
