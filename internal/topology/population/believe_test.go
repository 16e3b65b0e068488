package population

import (
	"io/fs"
	"maps"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
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

// withObserved is the rules with another table of observed speeds.
func withObserved(t testing.TB, table string) fs.FS {
	shipped, err := shippedFiles()
	require.NoError(t, err)
	out := maps.Clone(shipped)
	out["platforms/observed-speeds.tsv"] = &fstest.MapFile{Data: []byte(table)}
	return out
}

// shippedFiles are the rules' files in memory, read once.
var shippedFiles = sync.OnceValues(func() (fstest.MapFS, error) {
	out := fstest.MapFS{}
	return out, fs.WalkDir(rules.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(rules.FS, path)
		out[path] = &fstest.MapFile{Data: raw}
		return err
	})
})

// TestObservedSpeedsOnlyExcuse checks that the table never raises or adds an expectation: it can only excuse a
// machine that runs slower than expected.
func TestObservedSpeedsOnlyExcuse(t *testing.T) {
	brands := []struct {
		brand, key string
		model      int
	}{
		{"Intel(R) Xeon(R) Silver 4210 CPU @ 2.20GHz", "intel xeon silver 4210", 85},
		{"Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz", "intel xeon gold 6252n", 85},
		{"Intel(R) Xeon(R) CPU E5-2640 v4 @ 2.40GHz", "intel xeon e5-2640 v4", 79},
		{"Intel(R) Xeon(R) CPU E5-2696 v4 @ 2.20GHz", "intel xeon e5-2696 v4", 79},
	}
	none := withObserved(t, "# nothing\n")
	for _, c := range brands {
		for _, mts := range []string{"800", "2133", "2400", "9600"} {
			with := withObserved(t, "# all\n"+c.key+"\t"+mts+"\t9\t9\n")
			for _, dpc := range []int{1, 2} {
				m := newTestMachine(1, platform.Intel, 6, c.model, map[int]int{85: 7, 79: 1}[c.model], c.brand)
				m.fill(0, []int{dpc, dpc, dpc, dpc}, testDIMM{gb: 16, rated: 2933, run: 2133})
				a, b := m.deriveWith(none).Populations[0].Speed, m.deriveWith(with).Populations[0].Speed
				assert.Equal(t, a.State, b.State, "%s %s: no expectation appears", c.brand, mts)
				assert.Equal(t, a.Value.MTs, b.Value.MTs, "%s %s: none changes", c.brand, mts)
				assert.Equal(t, a.Unverified, b.Unverified)
				for _, n := range a.Value.AlsoNormal {
					assert.Contains(t, b.Value.AlsoNormal, n)
				}
				for _, n := range b.Value.AlsoNormal {
					assert.Less(t, n, b.Value.MTs)
				}
			}
		}
	}
	m := newTestMachine(1, platform.Intel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz")
	m.fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 16, rated: 2933, run: 2400})
	key := "intel xeon gold 6252n"
	assert.NotContains(t, m.deriveWith(withObserved(t, "# nothing\n")).Populations[0].Speed.Value.AlsoNormal, 2400)
	assert.Contains(t, m.deriveWith(withObserved(t, "#\n"+key+"\t2400\t9\t9\n")).Populations[0].Speed.Value.AlsoNormal, 2400, "it excuses")
}
